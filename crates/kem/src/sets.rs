//! The parameter sets as types, each with its row of the table of KEMs.
use core::array::TryFromSliceError;
use core::fmt::Debug;

use oaklath_params::buffer::check_input;
use oaklath_params::kem::KemInfo;
use zeroize::Zeroize;

use crate::error::Error;
#[cfg(feature = "ml-kem")]
use crate::ml_kem::MlKem;
#[cfg(any(feature = "ml-kem", feature = "kyber", feature = "kyber-90s"))]
use crate::ml_kem::ModuleKem;
#[cfg(feature = "kyber")]
use crate::round3::kyber::Kyber;
#[cfg(feature = "kyber-90s")]
use crate::round3::kyber_90s::Kyber90s;
#[cfg(feature = "ntru")]
use crate::round3::ntru::NtruKem;
#[cfg(feature = "saber")]
use crate::round3::saber::SaberKem;
use crate::scheme::KemScheme;

/// A parameter set. Sealed. Each set is a type of this crate, enabled by the feature of its family:
/// `ml-kem` `MlKem512`, `MlKem768` and `MlKem1024`; `kyber` `Kyber512`, `Kyber768` and `Kyber1024`;
/// `kyber-90s` `Kyber90s512`, `Kyber90s768` and `Kyber90s1024`; `ntru` `NtruHps2048509`,
/// `NtruHps2048677`, `NtruHps4096821` and `NtruHrss701`; `saber` `LightSaber`, `Saber` and
/// `FireSaber`.
///
/// ```
/// # #[cfg(feature = "ml-kem")] {
/// use oaklath_kem::{MlKem1024, Set};
/// assert_eq!(MlKem1024::INFO.ciphertext, 1568);
/// # }
/// ```
pub trait Set: SetParts + Copy + Default + Debug + Send + Sync + 'static {
    /// The row of the set in the table: names, sizes, level, status.
    const INFO: &'static KemInfo;
}

/// The types of a set. Cannot be named outside this crate; byte strings are arrays.
pub trait SetParts {
    /// The random bytes from which a key pair is made: `[u8; 64]` for ML-KEM and Kyber, d then z;
    /// for NTRU and SABER, the bytes that the submission draws, in its order.
    type Seed: Bytes;
    /// The random bytes from which a ciphertext is made: `[u8; 32]` for all families except NTRU.
    type Coins: Bytes;
    type EncapsulationKey: Bytes;
    type DecapsulationKey: Bytes;
    type Ciphertext: Bytes;
    type Scheme: KemScheme;
}

/// A byte string of fixed length.
pub trait Bytes:
    AsRef<[u8]>
    + AsMut<[u8]>
    + Zeroize
    + Clone
    + Send
    + Sync
    + 'static
    + for<'a> TryFrom<&'a [u8], Error = TryFromSliceError>
{
    const ZERO: Self;
}

impl<const N: usize> Bytes for [u8; N] {
    const ZERO: Self = [0; N];
}

/// Calls a macro with the table of the sets.
macro_rules! with_sets {
    ($macro:ident) => {
        $macro! {
            // feature   set             row                scheme
            "ml-kem"     MlKem512        ML_KEM_512         ModuleKem<MlKem, 2>;
            "ml-kem"     MlKem768        ML_KEM_768         ModuleKem<MlKem, 3>;
            "ml-kem"     MlKem1024       ML_KEM_1024        ModuleKem<MlKem, 4>;
            "kyber"      Kyber512        KYBER512           ModuleKem<Kyber, 2>;
            "kyber"      Kyber768        KYBER768           ModuleKem<Kyber, 3>;
            "kyber"      Kyber1024       KYBER1024          ModuleKem<Kyber, 4>;
            "kyber-90s"  Kyber90s512     KYBER512_90S       ModuleKem<Kyber90s, 2>;
            "kyber-90s"  Kyber90s768     KYBER768_90S       ModuleKem<Kyber90s, 3>;
            "kyber-90s"  Kyber90s1024    KYBER1024_90S      ModuleKem<Kyber90s, 4>;
            // NtruKem<coefficients of a chunk, degree>
            "ntru"       NtruHps2048509  NTRU_HPS_2048_509  NtruKem<32, 509>;
            "ntru"       NtruHps2048677  NTRU_HPS_2048_677  NtruKem<44, 677>;
            "ntru"       NtruHps4096821  NTRU_HPS_4096_821  NtruKem<52, 821>;
            "ntru"       NtruHrss701     NTRU_HRSS_701      NtruKem<44, 701>;
            "saber"      LightSaber      LIGHT_SABER        SaberKem<2>;
            "saber"      Saber           SABER              SaberKem<3>;
            "saber"      FireSaber       FIRE_SABER         SaberKem<4>;
        }
    };
}
pub(crate) use with_sets;

macro_rules! sets {
    ($($feature:literal $set:ident $row:ident $scheme:ty;)*) => { $(
        #[doc = concat!("The parameter set of [`", stringify!($row), "`](oaklath_params::kem::", stringify!($row), ").")]
        #[cfg(feature = $feature)]
        #[derive(Clone, Copy, Default, Debug, PartialEq, Eq, Hash)]
        pub struct $set;

        #[cfg(feature = $feature)]
        impl Set for $set {
            const INFO: &'static KemInfo = &oaklath_params::kem::$row;
        }

        #[cfg(feature = $feature)]
        impl SetParts for $set {
            type Seed = [u8; <$scheme>::LENGTHS.seed];
            type Coins = [u8; <$scheme>::LENGTHS.coins];
            type EncapsulationKey = [u8; <$scheme>::LENGTHS.public_key];
            type DecapsulationKey = [u8; <$scheme>::LENGTHS.secret_key];
            type Ciphertext = [u8; <$scheme>::LENGTHS.ciphertext];
            type Scheme = $scheme;
        }

        // The parameters of the scheme must yield the published lengths.
        #[cfg(feature = $feature)]
        const _: () = {
            let (lengths, row) = (<$scheme>::LENGTHS, $set::INFO);
            assert!(lengths.public_key == row.public_key);
            assert!(lengths.secret_key == row.secret_key);
            assert!(lengths.ciphertext == row.ciphertext);
        };
    )* };
}
with_sets!(sets);

pub(crate) fn check_seed<P: Set>(seed: &[u8]) -> Result<(), Error> {
    check_input(seed, size_of::<P::Seed>(), Error::SeedLength)
}

pub(crate) fn check_coins<P: Set>(coins: &[u8]) -> Result<(), Error> {
    check_input(coins, size_of::<P::Coins>(), Error::CoinsLength)
}

pub(crate) fn check_public<P: Set>(pk: &[u8]) -> Result<(), Error> {
    check_input(pk, P::INFO.public_key, Error::EncapsulationKeyLength)
}

pub(crate) fn check_secret<P: Set>(sk: &[u8]) -> Result<(), Error> {
    check_input(sk, P::INFO.secret_key, Error::DecapsulationKeyLength)
}

pub(crate) fn check_ciphertext<P: Set>(ct: &[u8]) -> Result<(), Error> {
    check_input(ct, P::INFO.ciphertext, Error::CiphertextLength)
}
