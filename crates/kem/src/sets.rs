//! The parameter sets: types for programs, rows of the table for values.
use core::array::TryFromSliceError;
use core::fmt::Debug;

use oaklath_params::kem::{self, KemInfo};
use zeroize::Zeroize;

use crate::lattice::{Params, Variant};
use crate::schemes::{Module, Scheme};
#[cfg(feature = "legacy")]
use crate::{
    ntru, saber,
    schemes::{NtruText, SaberText},
};

/// A parameter set. Sealed: [`MlKem512`], [`MlKem768`], [`MlKem1024`], and with the feature
/// `legacy` `Kyber512`, `Kyber768`, `Kyber1024`, `Kyber90s512`, `Kyber90s768`, `Kyber90s1024`,
/// `NtruHps2048509`, `NtruHps2048677`, `NtruHps4096821`, `NtruHrss701`, `LightSaber`, `Saber` and
/// `FireSaber`.
///
/// ```
/// use oaklath_kem::{MlKem1024, Set};
/// assert_eq!(MlKem1024::INFO.ciphertext, 1568);
/// ```
pub trait Set: Parts + Copy + Default + Debug + Send + Sync + 'static {
    /// Its row in the table: names, sizes, level, status.
    const INFO: &'static KemInfo;
}

/// What a set is made of. Not nameable outside this crate; its strings of bytes are arrays.
pub trait Parts {
    /// The random bytes a key pair is made from: `[u8; 64]` for ML-KEM and Kyber, d then z; what the
    /// submission draws, in its order, for NTRU and SABER.
    type Seed: Bytes;
    /// The random bytes a ciphertext is made from: `[u8; 32]` for all but NTRU.
    type Coins: Bytes;
    type EncapsulationKey: Bytes;
    type DecapsulationKey: Bytes;
    type Ciphertext: Bytes;
    type Scheme: Scheme;
    const VARIANT: <Self::Scheme as Scheme>::Variant;
}

/// Byte strings of one length.
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

macro_rules! sets {
    ($($(#[$attribute:meta])* $set:ident $row:ident $scheme:ty, $variant:expr, $params:expr;)*) => { $(
        #[doc = concat!("The parameter set of [`", stringify!($row), "`](kem::", stringify!($row), ").")]
        $(#[$attribute])*
        #[derive(Clone, Copy, Default, Debug, PartialEq, Eq, Hash)]
        pub struct $set;

        $(#[$attribute])*
        impl Set for $set {
            const INFO: &'static KemInfo = &kem::$row;
        }

        $(#[$attribute])*
        impl Parts for $set {
            type Seed = [u8; <$scheme>::seed(&$params)];
            type Coins = [u8; <$scheme>::coins(&$params)];
            type EncapsulationKey = [u8; kem::$row.public_key];
            type DecapsulationKey = [u8; kem::$row.secret_key];
            type Ciphertext = [u8; kem::$row.ciphertext];
            type Scheme = $scheme;
            const VARIANT: <$scheme as Scheme>::Variant = $variant;
        }

        $(#[$attribute])*
        const _: () = {
            let p = $params;
            assert!(p.public_key() == kem::$row.public_key);
            assert!(p.secret_key() == kem::$row.secret_key);
            assert!(p.ciphertext() == kem::$row.ciphertext);
        };
    )* };
}

/// The rows of the module lattices, of NTRU and of SABER.
macro_rules! module {
    ($($(#[$attribute:meta])* $set:ident $row:ident $variant:ident $k:literal;)*) => {
        sets! { $(
            $(#[$attribute])*
            $set $row Module<$k>, Variant::$variant, Params::of_rank($k);
        )* }
    };
}

#[cfg(feature = "legacy")]
macro_rules! ntru {
    ($($set:ident $row:ident $params:ident $l:literal;)*) => {
        sets! { $(
            #[cfg(feature = "legacy")]
            $set $row NtruText<$l>, &ntru::Params::$params, ntru::Params::$params;
        )* }
    };
}

#[cfg(feature = "legacy")]
macro_rules! saber {
    ($($set:ident $row:ident $l:literal;)*) => {
        sets! { $(
            #[cfg(feature = "legacy")]
            $set $row SaberText<$l>, (), saber::Params::of_rank($l);
        )* }
    };
}

module! {
    // set                                      row             variant   k
    MlKem512                                    ML_KEM_512      MlKem     2;
    MlKem768                                    ML_KEM_768      MlKem     3;
    MlKem1024                                   ML_KEM_1024     MlKem     4;
    #[cfg(feature = "legacy")] Kyber512         KYBER512        Kyber     2;
    #[cfg(feature = "legacy")] Kyber768         KYBER768        Kyber     3;
    #[cfg(feature = "legacy")] Kyber1024        KYBER1024       Kyber     4;
    #[cfg(feature = "legacy")] Kyber90s512      KYBER512_90S    Kyber90s  2;
    #[cfg(feature = "legacy")] Kyber90s768      KYBER768_90S    Kyber90s  3;
    #[cfg(feature = "legacy")] Kyber90s1024     KYBER1024_90S   Kyber90s  4;
}

#[cfg(feature = "legacy")]
ntru! {
    // set             row                 parameters     chunks of
    NtruHps2048509     NTRU_HPS_2048_509   HPS_2048_509   32;
    NtruHps2048677     NTRU_HPS_2048_677   HPS_2048_677   44;
    NtruHps4096821     NTRU_HPS_4096_821   HPS_4096_821   52;
    NtruHrss701        NTRU_HRSS_701       HRSS_701       44;
}

#[cfg(feature = "legacy")]
saber! {
    // set        row           l
    LightSaber    LIGHT_SABER   2;
    Saber         SABER         3;
    FireSaber     FIRE_SABER    4;
}
