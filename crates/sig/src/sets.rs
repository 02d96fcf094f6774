//! The parameter sets: types for programs, rows of the table for values.
use core::fmt::Debug;

use oaklath_params::sig::{self, SigInfo};
use zeroize::Zeroize;

use crate::message::{Formatted, Representative};
use crate::mldsa::{self, Invalid, Params, Seed, SigningKey, Variant, VerifyingKey};
use crate::{Error, Message};

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
pub trait Parts {
    const VARIANT: Variant;
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

/// The text of the algorithms for one size of the matrix. Keys begin as `EMPTY` and are filled.
pub trait Matrix {
    type Signing: Send + Sync + 'static;
    type Verifying: Clone + Send + Sync + 'static;
    const SIGNING: Self::Signing;
    const VERIFYING: Self::Verifying;

    fn keygen(variant: Variant, seed: &[u8; 32], pk: &mut [u8], sk: &mut [u8]);
    fn public_key(variant: Variant, sk: &[u8], pk: &mut [u8]) -> Result<(), Error>;
    fn sign_bytes(
        variant: Variant,
        low_memory: bool,
        sk: &[u8],
        mu: &[u8; 64],
        seed: Seed<'_>,
        signature: &mut [u8],
    ) -> Result<(), Error>;
    fn verify_bytes(
        variant: Variant,
        pk: &[u8],
        mu: impl Fn(&[u8]) -> [u8; 64],
        signature: &[u8],
    ) -> bool;
    #[cfg(feature = "alloc")]
    fn verify_on_heap(
        variant: Variant,
        pk: &[u8],
        mu: impl Fn(&[u8]) -> [u8; 64],
        signature: &[u8],
    ) -> bool;
    fn fill_signing(key: &mut Self::Signing, variant: Variant, sk: &[u8]) -> Result<(), Error>;
    fn fill_verifying(key: &mut Self::Verifying, variant: Variant, pk: &[u8]);
    fn signing_tr(key: &Self::Signing, variant: Variant) -> &[u8];
    fn verifying_tr(key: &Self::Verifying, variant: Variant) -> &[u8];
    fn sign(
        key: &Self::Signing,
        variant: Variant,
        mu: &[u8; 64],
        seed: Seed<'_>,
        signature: &mut [u8],
    );
    fn verify(key: &Self::Verifying, variant: Variant, mu: &[u8; 64], signature: &[u8]) -> bool;
}

/// A matrix of `K` times `L` polynomials.
#[derive(Debug)]
pub struct Size<const K: usize, const L: usize>;

impl From<Invalid> for Error {
    fn from(invalid: Invalid) -> Self {
        match invalid {
            Invalid::Range => Self::SecretKeyEncoding,
            Invalid::Hash => Self::SecretKeyHash,
            Invalid::LowBits => Self::SecretKeyLowBits,
            Invalid::Inconsistent => Self::SecretKeyInconsistent,
        }
    }
}

impl Representative<'_> {
    /// mu, by tr of the key.
    pub(crate) fn mu(&self, tr: &[u8]) -> [u8; 64] {
        match self {
            Self::Given(mu) => **mu,
            Self::Of(message) => mldsa::mu(tr, message),
        }
    }
}

impl<const K: usize, const L: usize> Matrix for Size<K, L> {
    type Signing = SigningKey<K, L>;
    type Verifying = VerifyingKey<K, L>;
    const SIGNING: Self::Signing = SigningKey::EMPTY;
    const VERIFYING: Self::Verifying = VerifyingKey::EMPTY;

    fn keygen(variant: Variant, seed: &[u8; 32], pk: &mut [u8], sk: &mut [u8]) {
        mldsa::keygen::<K, L>(variant, seed, pk, sk);
    }
    fn public_key(variant: Variant, sk: &[u8], pk: &mut [u8]) -> Result<(), Error> {
        Ok(mldsa::public_key::<K, L>(variant, sk, pk)?)
    }
    fn sign_bytes(
        variant: Variant,
        low_memory: bool,
        sk: &[u8],
        mu: &[u8; 64],
        seed: Seed<'_>,
        signature: &mut [u8],
    ) -> Result<(), Error> {
        let sign = if low_memory { mldsa::sign_low_memory::<K, L> } else { mldsa::sign::<K, L> };
        Ok(sign(variant, sk, mu, seed, signature)?)
    }
    fn verify_bytes(
        variant: Variant,
        pk: &[u8],
        mu: impl Fn(&[u8]) -> [u8; 64],
        signature: &[u8],
    ) -> bool {
        mldsa::verify::<K, L>(variant, pk, mu, signature)
    }
    #[cfg(feature = "alloc")]
    fn verify_on_heap(
        variant: Variant,
        pk: &[u8],
        mu: impl Fn(&[u8]) -> [u8; 64],
        signature: &[u8],
    ) -> bool {
        mldsa::verify_on_heap::<K, L>(variant, pk, mu, signature)
    }
    fn fill_signing(key: &mut Self::Signing, variant: Variant, sk: &[u8]) -> Result<(), Error> {
        Ok(key.fill(variant, sk)?)
    }
    fn fill_verifying(key: &mut Self::Verifying, variant: Variant, pk: &[u8]) {
        key.fill(variant, pk);
    }
    fn signing_tr(key: &Self::Signing, variant: Variant) -> &[u8] {
        key.tr(variant)
    }
    fn verifying_tr(key: &Self::Verifying, variant: Variant) -> &[u8] {
        key.tr(variant)
    }
    fn sign(
        key: &Self::Signing,
        variant: Variant,
        mu: &[u8; 64],
        seed: Seed<'_>,
        signature: &mut [u8],
    ) {
        key.sign(variant, mu, seed, signature);
    }
    fn verify(key: &Self::Verifying, variant: Variant, mu: &[u8; 64], signature: &[u8]) -> bool {
        key.verify(variant, mu, signature)
    }
}

impl Variant {
    /// The message as the variant hashes it.
    ///
    /// # Errors
    /// Of a form that it does not sign.
    pub(crate) fn represent<'a>(self, message: &Message<'a>) -> Result<Representative<'a>, Error> {
        match message {
            Message::Mu(mu) => Ok(Representative::Given(mu)),
            _ => self.format(message).map(Representative::Of),
        }
    }

    /// The same of a message that is no mu.
    ///
    /// # Errors
    /// Of a form that it does not sign.
    pub(crate) fn format<'a>(self, message: &Message<'a>) -> Result<Formatted<'a>, Error> {
        match self {
            Self::MlDsa => Formatted::standard(message),
            Self::Dilithium | Self::DilithiumAes => Formatted::round3(message),
        }
    }

    /// Bytes of tr.
    pub(crate) const fn tr(self) -> usize {
        Params::tr(self)
    }

    /// Bytes of randomness that a signature takes.
    pub(crate) const fn coins(self) -> usize {
        match self {
            Self::MlDsa => 32,
            Self::Dilithium | Self::DilithiumAes => 64,
        }
    }

    /// What masks are derived from.
    ///
    /// # Errors
    /// [`Error::CoinsLength`].
    pub(crate) fn seed(self, coins: Option<&[u8]>) -> Result<Seed<'_>, Error> {
        let wrong = |found| Error::CoinsLength { expected: self.coins(), found };
        match (self, coins) {
            (Self::MlDsa, None) => Ok(Seed::Hedged(&[0; 32])),
            (Self::MlDsa, Some(coins)) => {
                coins.try_into().map(Seed::Hedged).map_err(|_| wrong(coins.len()))
            }
            (_, None) => Ok(Seed::Deterministic),
            (_, Some(coins)) => coins.try_into().map(Seed::Random).map_err(|_| wrong(coins.len())),
        }
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
            const VARIANT: Variant = Variant::$variant;
            type PublicKey = [u8; sig::$row.public_key];
            type SecretKey = [u8; sig::$row.secret_key];
            type Signature = [u8; sig::$row.signature];
            type Matrix = Size<$k, $l>;
        }

        $(#[$attribute])*
        const _: () = {
            let p = Params::of($k, $l);
            assert!(p.public_key() == sig::$row.public_key);
            assert!(p.secret_key(Variant::$variant) == sig::$row.secret_key);
            assert!(p.signature(Variant::$variant) == sig::$row.signature);
        };
    )* };
}

sets! {
    // set                                      row              variant       k  l
    MlDsa44                                     ML_DSA_44        MlDsa         4  4;
    MlDsa65                                     ML_DSA_65        MlDsa         6  5;
    MlDsa87                                     ML_DSA_87        MlDsa         8  7;
    #[cfg(feature = "legacy")] Dilithium2       DILITHIUM_2      Dilithium     4  4;
    #[cfg(feature = "legacy")] Dilithium3       DILITHIUM_3      Dilithium     6  5;
    #[cfg(feature = "legacy")] Dilithium5       DILITHIUM_5      Dilithium     8  7;
    #[cfg(feature = "legacy")] Dilithium2Aes    DILITHIUM_2_AES  DilithiumAes  4  4;
    #[cfg(feature = "legacy")] Dilithium3Aes    DILITHIUM_3_AES  DilithiumAes  6  5;
    #[cfg(feature = "legacy")] Dilithium5Aes    DILITHIUM_5_AES  DilithiumAes  8  7;
}
