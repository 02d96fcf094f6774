//! The parameter sets: types for programs, rows of the table for values.
use core::fmt::Debug;

use oaklath_params::sig::{self, SigInfo};
use zeroize::Zeroize;

use crate::Error;
use crate::message::Representative;
#[cfg(feature = "ml-dsa")]
use crate::ml_dsa::MlDsaStandard;
use crate::ml_dsa::{self, ExpandedPublicKey, ExpandedSecretKey, MlDsaVariant, params};
#[cfg(feature = "legacy")]
use crate::round3::dilithium::Dilithium;
#[cfg(feature = "legacy")]
use crate::round3::dilithium_aes::DilithiumAes;

/// A parameter set of ML-DSA or Dilithium. Sealed: [`MlDsa44`], [`MlDsa65`], [`MlDsa87`], and with the
/// feature `legacy` `Dilithium2`, `Dilithium3`, `Dilithium5`, `Dilithium2Aes`, `Dilithium3Aes`,
/// `Dilithium5Aes`.
///
/// ```
/// use oaklath_sig::{MlDsa65, Set};
/// assert_eq!(MlDsa65::INFO.signature, 3309);
/// ```
pub trait Set: Parts + Copy + Default + Debug + Send + Sync + 'static {
    /// Its row in the table: names, sizes, level, status.
    const INFO: &'static SigInfo;
}

/// What a set is made of. Not nameable outside this crate.
#[expect(private_bounds, reason = "nor is the variant")]
pub trait Parts {
    type Variant: MlDsaVariant;
    type PublicKey: Bytes;
    type SecretKey: Bytes;
    type Signature: Bytes;
    type Matrix: Matrix;
}

/// Byte strings of one length.
pub trait Bytes:
    AsRef<[u8]> + AsMut<[u8]> + Zeroize + Clone + Debug + Send + Sync + 'static
{
    const ZERO: Self;
}

impl<const N: usize> Bytes for [u8; N] {
    const ZERO: Self = [0; N];
}

/// The algorithms for one size of the matrix. Keys begin as `EMPTY` and are filled.
pub trait Matrix {
    type Signing: Send + Sync + 'static;
    type Verifying: Clone + Send + Sync + 'static;
    const SIGNING: Self::Signing;
    const VERIFYING: Self::Verifying;

    fn keygen(seed: &[u8; 32], pk: &mut [u8], sk: &mut [u8]);
    fn public_key(sk: &[u8], pk: &mut [u8]) -> Result<(), Error>;
    fn sign_bytes(
        low_memory: bool,
        sk: &[u8],
        mu: &[u8; 64],
        coins: Option<&[u8]>,
        signature: &mut [u8],
    ) -> Result<(), Error>;
    fn verify_bytes(pk: &[u8], mu: &dyn Fn(&[u8]) -> [u8; 64], signature: &[u8]) -> bool;
    #[cfg(feature = "alloc")]
    fn verify_on_heap(pk: &[u8], mu: &dyn Fn(&[u8]) -> [u8; 64], signature: &[u8]) -> bool;
    fn fill_signing(key: &mut Self::Signing, sk: &[u8]) -> Result<(), Error>;
    fn fill_verifying(key: &mut Self::Verifying, pk: &[u8]);
    fn signing_tr(key: &Self::Signing) -> &[u8];
    fn verifying_tr(key: &Self::Verifying) -> &[u8];
    fn sign(key: &Self::Signing, mu: &[u8; 64], coins: Option<&[u8]>, signature: &mut [u8]);
    fn verify(key: &Self::Verifying, mu: &[u8; 64], signature: &[u8]) -> bool;
}

/// A matrix of `K` times `L` polynomials.
#[derive(Debug)]
pub struct Size<V, const K: usize, const L: usize>(core::marker::PhantomData<V>);

impl Representative<'_> {
    /// mu, by tr of the key.
    pub(crate) fn mu(&self, tr: &[u8]) -> [u8; 64] {
        match self {
            Self::Given(mu) => **mu,
            Self::Of(message) => ml_dsa::mu(tr, message),
        }
    }
}

impl<V: MlDsaVariant, const K: usize, const L: usize> Matrix for Size<V, K, L> {
    type Signing = ExpandedSecretKey<K, L>;
    type Verifying = ExpandedPublicKey<K, L>;
    const SIGNING: Self::Signing = ExpandedSecretKey::EMPTY;
    const VERIFYING: Self::Verifying = ExpandedPublicKey::EMPTY;

    fn keygen(seed: &[u8; 32], pk: &mut [u8], sk: &mut [u8]) {
        ml_dsa::keygen::<V, K, L>(seed, pk, sk);
    }
    fn public_key(sk: &[u8], pk: &mut [u8]) -> Result<(), Error> {
        ml_dsa::public_key::<V, K, L>(sk, pk)
    }
    fn sign_bytes(
        low_memory: bool,
        sk: &[u8],
        mu: &[u8; 64],
        coins: Option<&[u8]>,
        signature: &mut [u8],
    ) -> Result<(), Error> {
        let sign =
            if low_memory { ml_dsa::sign_low_memory::<V, K, L> } else { ml_dsa::sign::<V, K, L> };
        sign(sk, mu, coins, signature)
    }
    fn verify_bytes(pk: &[u8], mu: &dyn Fn(&[u8]) -> [u8; 64], signature: &[u8]) -> bool {
        ml_dsa::verify::<V, K, L>(pk, mu, signature)
    }
    #[cfg(feature = "alloc")]
    fn verify_on_heap(pk: &[u8], mu: &dyn Fn(&[u8]) -> [u8; 64], signature: &[u8]) -> bool {
        ml_dsa::verify_on_heap::<V, K, L>(pk, mu, signature)
    }
    fn fill_signing(key: &mut Self::Signing, sk: &[u8]) -> Result<(), Error> {
        key.fill::<V>(sk)
    }
    fn fill_verifying(key: &mut Self::Verifying, pk: &[u8]) {
        key.fill::<V>(pk);
    }
    fn signing_tr(key: &Self::Signing) -> &[u8] {
        key.tr::<V>()
    }
    fn verifying_tr(key: &Self::Verifying) -> &[u8] {
        key.tr::<V>()
    }
    fn sign(key: &Self::Signing, mu: &[u8; 64], coins: Option<&[u8]>, signature: &mut [u8]) {
        key.sign::<V>(mu, coins, signature);
    }
    fn verify(key: &Self::Verifying, mu: &[u8; 64], signature: &[u8]) -> bool {
        key.verify::<V>(mu, signature)
    }
}

macro_rules! sets {
    ($($(#[$attribute:meta])* $set:ident $row:ident $variant:ident $k:literal $l:literal;)*) => { $(
        #[doc = concat!("The parameter set of [`", stringify!($row), "`](sig::", stringify!($row), ").")]
        $(#[$attribute])*
        #[derive(Clone, Copy, Default, Debug, PartialEq, Eq, Hash)]
        pub struct $set;

        $(#[$attribute])*
        impl Set for $set {
            const INFO: &'static SigInfo = &sig::$row;
        }

        $(#[$attribute])*
        impl Parts for $set {
            type Variant = $variant;
            type PublicKey = [u8; sig::$row.public_key];
            type SecretKey = [u8; sig::$row.secret_key];
            type Signature = [u8; sig::$row.signature];
            type Matrix = Size<$variant, $k, $l>;
        }

        $(#[$attribute])*
        const _: () = {
            let p = params::<$variant>($k, $l);
            assert!(p.public_key() == sig::$row.public_key);
            assert!(p.secret_key() == sig::$row.secret_key);
            assert!(p.signature() == sig::$row.signature);
        };
    )* };
}

sets! {
    // set                                      row              variant       k  l
    MlDsa44                                     ML_DSA_44        MlDsaStandard 4  4;
    MlDsa65                                     ML_DSA_65        MlDsaStandard 6  5;
    MlDsa87                                     ML_DSA_87        MlDsaStandard 8  7;
    #[cfg(feature = "legacy")] Dilithium2       DILITHIUM_2      Dilithium     4  4;
    #[cfg(feature = "legacy")] Dilithium3       DILITHIUM_3      Dilithium     6  5;
    #[cfg(feature = "legacy")] Dilithium5       DILITHIUM_5      Dilithium     8  7;
    #[cfg(feature = "legacy")] Dilithium2Aes    DILITHIUM_2_AES  DilithiumAes  4  4;
    #[cfg(feature = "legacy")] Dilithium3Aes    DILITHIUM_3_AES  DilithiumAes  6  5;
    #[cfg(feature = "legacy")] Dilithium5Aes    DILITHIUM_5_AES  DilithiumAes  8  7;
}
