//! The parameter sets: types for programs, rows of the table for values.
use core::fmt::Debug;

use oaklath_params::kem::{self, KemInfo};
use zeroize::Zeroize;

use crate::Error;
use crate::lattice::{self, ExpandedKey, Params, PublicKey, SecretKey, Variant};

/// A parameter set. Sealed: [`MlKem512`], [`MlKem768`], [`MlKem1024`], and with the feature
/// `legacy` `Kyber512`, `Kyber768`, `Kyber1024` and `Kyber90s512`, `Kyber90s768`, `Kyber90s1024`.
///
/// ```
/// use oaklath_kem::{MlKem1024, Set};
/// assert_eq!(MlKem1024::INFO.ciphertext, 1568);
/// ```
pub trait Set: Parts + Copy + Default + Debug + Send + Sync + 'static {
    /// Its row in the table: names, sizes, level, status.
    const INFO: &'static KemInfo;
}

/// What a set is made of. Not nameable outside this crate.
pub trait Parts {
    const VARIANT: Variant;
    type EncapsulationKey: Bytes;
    type DecapsulationKey: Bytes;
    type Ciphertext: Bytes;
    type Rank: Rank;
}

/// Byte strings of one length.
pub trait Bytes: AsRef<[u8]> + AsMut<[u8]> + Zeroize + Clone + Send + Sync + 'static {
    const ZERO: Self;
}

impl<const N: usize> Bytes for [u8; N] {
    const ZERO: Self = [0; N];
}

/// The text of the algorithms at one rank of the module. Keys begin as `EMPTY` and are filled.
pub trait Rank {
    type Public: Empty + Clone + Send + Sync + 'static;
    type Secret: Empty + Send + Sync + 'static;
    type Expanded: Empty + Clone + Send + Sync + 'static;

    fn keygen(variant: Variant, seed: &[u8; 64], ek: &mut [u8], dk: &mut [u8]);
    fn encapsulate_bytes(
        variant: Variant,
        ek: &[u8],
        coins: &[u8; 32],
        c: &mut [u8],
        shared: &mut [u8; 32],
    ) -> Result<(), Error>;
    fn decapsulate_bytes(
        variant: Variant,
        dk: &[u8],
        c: &[u8],
        shared: &mut [u8; 32],
    ) -> Result<(), Error>;
    fn parse_public(key: &mut Self::Public, ek: &[u8]) -> Result<(), Error>;
    fn parse_secret(
        key: (&mut Self::Secret, &mut Self::Public),
        variant: Variant,
        dk: &[u8],
    ) -> Result<(), Error>;
    fn parse_trusted(key: (&mut Self::Secret, &mut Self::Public), dk: &[u8]);
    fn write_secret(key: &Self::Secret, ek: &[u8], dk: &mut [u8]);
    fn expand(expanded: &mut Self::Expanded, variant: Variant, ek: &[u8]);
    fn encapsulate(
        variant: Variant,
        key: (&[u8], &Self::Public),
        expanded: Option<&Self::Expanded>,
        coins: &[u8; 32],
        c: &mut [u8],
        shared: &mut [u8; 32],
    );
    fn decapsulate(
        variant: Variant,
        key: (&[u8], &Self::Public, &Self::Secret),
        expanded: Option<&Self::Expanded>,
        c: &[u8],
        shared: &mut [u8; 32],
    );
}

/// A key without contents yet.
pub trait Empty {
    const EMPTY: Self;
}

macro_rules! empty {
    ($($key:ident)*) => { $(
        impl<const K: usize> Empty for $key<K> {
            const EMPTY: Self = Self::EMPTY;
        }
    )* };
}
empty!(PublicKey SecretKey ExpandedKey);

/// Rank `K`.
#[derive(Debug)]
pub struct Module<const K: usize>;

impl<const K: usize> Rank for Module<K> {
    type Public = PublicKey<K>;
    type Secret = SecretKey<K>;
    type Expanded = ExpandedKey<K>;

    fn keygen(variant: Variant, seed: &[u8; 64], ek: &mut [u8], dk: &mut [u8]) {
        lattice::keygen::<K>(variant, seed, ek, dk);
    }
    fn encapsulate_bytes(
        variant: Variant,
        ek: &[u8],
        coins: &[u8; 32],
        c: &mut [u8],
        shared: &mut [u8; 32],
    ) -> Result<(), Error> {
        Ok(lattice::encapsulate_bytes::<K>(variant, ek, coins, c, shared)?)
    }
    fn decapsulate_bytes(
        variant: Variant,
        dk: &[u8],
        c: &[u8],
        shared: &mut [u8; 32],
    ) -> Result<(), Error> {
        Ok(lattice::decapsulate_bytes::<K>(variant, dk, c, shared)?)
    }
    fn parse_public(key: &mut PublicKey<K>, ek: &[u8]) -> Result<(), Error> {
        Ok(key.parse(ek)?)
    }
    fn parse_secret(
        (secret, public): (&mut SecretKey<K>, &mut PublicKey<K>),
        variant: Variant,
        dk: &[u8],
    ) -> Result<(), Error> {
        Ok(secret.parse(public, variant, dk)?)
    }
    fn parse_trusted((secret, public): (&mut SecretKey<K>, &mut PublicKey<K>), dk: &[u8]) {
        secret.parse_trusted(public, dk);
    }
    fn write_secret(key: &SecretKey<K>, ek: &[u8], dk: &mut [u8]) {
        key.write(ek, dk);
    }
    fn expand(expanded: &mut ExpandedKey<K>, variant: Variant, ek: &[u8]) {
        expanded.fill(variant, ek);
    }
    fn encapsulate(
        variant: Variant,
        (ek, key): (&[u8], &PublicKey<K>),
        expanded: Option<&ExpandedKey<K>>,
        coins: &[u8; 32],
        c: &mut [u8],
        shared: &mut [u8; 32],
    ) {
        match expanded {
            Some(expanded) => key.encapsulate_expanded(variant, expanded, coins, c, shared),
            None => key.encapsulate(variant, ek, coins, c, shared),
        }
    }
    fn decapsulate(
        variant: Variant,
        (ek, public, secret): (&[u8], &PublicKey<K>, &SecretKey<K>),
        expanded: Option<&ExpandedKey<K>>,
        c: &[u8],
        shared: &mut [u8; 32],
    ) {
        let public = (ek, public);
        match expanded {
            Some(expanded) => secret.decapsulate_expanded(variant, public, expanded, c, shared),
            None => secret.decapsulate(variant, public, c, shared),
        }
    }
}

macro_rules! sets {
    ($($(#[$attribute:meta])* $set:ident $row:ident $variant:ident $k:literal;)*) => { $(
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
            const VARIANT: Variant = Variant::$variant;
            type EncapsulationKey = [u8; kem::$row.public_key];
            type DecapsulationKey = [u8; kem::$row.secret_key];
            type Ciphertext = [u8; kem::$row.ciphertext];
            type Rank = Module<$k>;
        }

        $(#[$attribute])*
        const _: () = {
            let p = Params::of_rank($k);
            assert!(p.public_key() == kem::$row.public_key);
            assert!(p.secret_key() == kem::$row.secret_key);
            assert!(p.ciphertext() == kem::$row.ciphertext);
        };
    )* };
}

sets! {
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
