//! SLH-DSA (FIPS 205), and with the feature `legacy` SPHINCS+ of NIST's third round: keys and
//! signatures that know their parameter set.
//!
//! ```
//! # #[cfg(feature = "getrandom")] {
//! use oaklath_sig::Message;
//! use oaklath_sig::slh_dsa::{EncodedSignature, SigningKey, SlhDsaSha2_128f, VerifyingKey};
//!
//! let key = SigningKey::<SlhDsaSha2_128f>::generate();
//! let message = Message::with_context(b"version 7", b"firmware");
//! let signature = key.sign_message(&message)?;
//!
//! let public = VerifyingKey::<SlhDsaSha2_128f>::from_bytes(key.verifying_key().as_bytes())?;
//! let received = EncodedSignature::from_bytes(signature.as_bytes())?;
//! public.verify_message(&message, &received)?;
//! # }
//! # Ok::<(), oaklath_sig::Error>(())
//! ```
//!
//! Their security rests on hash functions alone. They pay for it: a signature has 8 to 50 kilobytes,
//! and takes from milliseconds (sets in `f`) to a good part of a second (sets in `s`, whose signatures
//! are half as long and verify faster). With the feature `parallel` the trees grow on all cores.
//! Signing takes up to 8 MiB of heap; verification takes none, and less than 32 KiB of stack.
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::{self, Debug};
use core::marker::PhantomData;

use oaklath_params::sig::{self, SigInfo};
use rand_core::CryptoRng;
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::sets::Bytes;
use crate::slh::{self, Signer, SlhSet};
#[cfg(feature = "getrandom")]
use crate::typed::fill_by_system;
use crate::{Error, Message, Sign, Signature};

#[cfg(feature = "signature")]
mod traits;

/// A parameter set of SLH-DSA or SPHINCS+. Sealed: the types of this module.
///
/// ```
/// use oaklath_sig::slh_dsa::{Set, SlhDsaShake256s};
/// assert_eq!(SlhDsaShake256s::INFO.signature, 29_792);
/// ```
pub trait Set: Parts + Copy + Default + Debug + Send + Sync + 'static {
    /// Its row in the table: names, sizes, level, status.
    const INFO: &'static SigInfo;
}

/// What a set is made of. Not nameable outside this crate.
mod parts {
    use super::{Bytes, SlhSet};

    pub trait Parts {
        const SLH: &'static SlhSet;
        type Seed: Bytes;
        type PublicKey: Bytes;
        type SecretKey: Bytes;
    }
}
use parts::Parts;

macro_rules! sets {
    ($($(#[$attribute:meta])* $set:ident $row:ident $slh:ident $n:literal;)*) => { $(
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
            const SLH: &'static SlhSet = &slh::$slh;
            type Seed = [u8; 3 * $n];
            type PublicKey = [u8; sig::$row.public_key];
            type SecretKey = [u8; sig::$row.secret_key];
        }
    )* };
}

sets! {
    // set                                       row                 numbers       n
    SlhDsaSha2_128s                              SLH_DSA_SHA2_128S   SHA2_128S     16;
    SlhDsaSha2_128f                              SLH_DSA_SHA2_128F   SHA2_128F     16;
    SlhDsaSha2_192s                              SLH_DSA_SHA2_192S   SHA2_192S     24;
    SlhDsaSha2_192f                              SLH_DSA_SHA2_192F   SHA2_192F     24;
    SlhDsaSha2_256s                              SLH_DSA_SHA2_256S   SHA2_256S     32;
    SlhDsaSha2_256f                              SLH_DSA_SHA2_256F   SHA2_256F     32;
    SlhDsaShake128s                              SLH_DSA_SHAKE_128S  SHAKE_128S    16;
    SlhDsaShake128f                              SLH_DSA_SHAKE_128F  SHAKE_128F    16;
    SlhDsaShake192s                              SLH_DSA_SHAKE_192S  SHAKE_192S    24;
    SlhDsaShake192f                              SLH_DSA_SHAKE_192F  SHAKE_192F    24;
    SlhDsaShake256s                              SLH_DSA_SHAKE_256S  SHAKE_256S    32;
    SlhDsaShake256f                              SLH_DSA_SHAKE_256F  SHAKE_256F    32;
    #[cfg(feature = "legacy")] SphincsShake128s  SPHINCS_SHAKE_128S  SPHINCS_128S  16;
    #[cfg(feature = "legacy")] SphincsShake128f  SPHINCS_SHAKE_128F  SPHINCS_128F  16;
    #[cfg(feature = "legacy")] SphincsShake192s  SPHINCS_SHAKE_192S  SPHINCS_192S  24;
    #[cfg(feature = "legacy")] SphincsShake192f  SPHINCS_SHAKE_192F  SPHINCS_192F  24;
    #[cfg(feature = "legacy")] SphincsShake256s  SPHINCS_SHAKE_256S  SPHINCS_256S  32;
    #[cfg(feature = "legacy")] SphincsShake256f  SPHINCS_SHAKE_256F  SPHINCS_256F  32;
}

/// A private key of 64 to 128 bytes. Erased when dropped; never `Clone`.
pub struct SigningKey<P: Set> {
    secret: P::SecretKey,
    public: VerifyingKey<P>,
}

/// A private key with the leaves of its top tree, which every signature needs: 128 bytes to 12 kilobytes
/// on the heap. What they save is a layer of trees, of 17 or 22 in the sets in `f`, of 7 or 8 in those
/// in `s`. Erased when dropped.
pub struct ExpandedSigningKey<P: Set>(Signer, PhantomData<P>);

/// A public key of 32 to 64 bytes.
pub struct VerifyingKey<P: Set>(P::PublicKey);

/// A signature, on the heap.
pub struct EncodedSignature<P: Set>(Box<[u8]>, PhantomData<P>);

impl<P: Set> SigningKey<P> {
    /// Makes a key from random bytes of the operating system. This takes as long as one layer of a
    /// signature.
    ///
    /// # Panics
    /// If the operating system has no random bytes.
    #[cfg(feature = "getrandom")]
    #[must_use]
    pub fn generate() -> Self {
        let mut seed = P::Seed::ZERO;
        fill_by_system(seed.as_mut());
        let key = Self::from_seed(&seed);
        seed.zeroize();
        key
    }

    /// Makes a key from random bytes of a generator.
    pub fn generate_with(rng: &mut impl CryptoRng) -> Self {
        let mut seed = P::Seed::ZERO;
        rng.fill_bytes(seed.as_mut());
        let key = Self::from_seed(&seed);
        seed.zeroize();
        key
    }

    /// The key of SK.seed, SK.prf and PK.seed, one after the other: `slh_keygen_internal`, FIPS 205,
    /// Algorithm 18. 48, 72 or 96 bytes.
    ///
    /// ```
    /// use oaklath_sig::slh_dsa::{SigningKey, SlhDsaShake192f};
    ///
    /// let key = SigningKey::<SlhDsaShake192f>::from_seed(&[7; 72]);
    /// assert_eq!(key.as_bytes()[..72], [7; 72]);
    /// assert_eq!(key.as_bytes()[48..], *key.verifying_key().as_bytes());
    /// ```
    ///
    /// # Panics
    /// With the feature `pct`, if the new key does not work, which is a fault of the machine.
    #[must_use]
    pub fn from_seed(seed: &P::Seed) -> Self {
        let mut key = Self { secret: P::SecretKey::ZERO, public: VerifyingKey(P::PublicKey::ZERO) };
        let (public, secret) = (key.public.0.as_mut(), key.secret.as_mut());
        Signature::keypair_from(P::SLH, seed.as_ref(), public, secret)
            .expect("a new key pair works");
        key
    }

    /// Takes a key: SK.seed, SK.prf, PK.seed, PK.root. Its root is computed anew and compared, which
    /// takes as long as making a key.
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`], [`Error::SecretKeyInconsistent`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let mut key = Self { secret: P::SecretKey::ZERO, public: VerifyingKey(P::PublicKey::ZERO) };
        P::SLH.public_key(bytes, key.public.0.as_mut())?;
        key.secret.as_mut().copy_from_slice(bytes);
        Ok(key)
    }

    /// The key: SK.seed, SK.prf, PK.seed, PK.root.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.secret.as_ref()
    }

    /// The public key.
    #[must_use]
    pub fn verifying_key(&self) -> &VerifyingKey<P> {
        &self.public
    }

    /// Signs with random bytes of the operating system: hedged, FIPS 205, Algorithms 22 and 23.
    ///
    /// # Errors
    /// [`Error::ContextLength`], [`Error::DigestLength`], [`Error::MessageForm`].
    ///
    /// # Panics
    /// If the operating system has no random bytes.
    #[cfg(feature = "getrandom")]
    pub fn sign_message(&self, message: &Message<'_>) -> Result<EncodedSignature<P>, Error> {
        with_coins::<P, _>(|coins| self.sign_from(message, Some(coins)))
    }

    /// Signs without randomness: the signature of a message is always the same.
    ///
    /// ```
    /// use oaklath_sig::Message;
    /// use oaklath_sig::slh_dsa::{SigningKey, SlhDsaShake128f};
    ///
    /// let key = SigningKey::<SlhDsaShake128f>::from_seed(&[1; 48]);
    /// let message = Message::new(b"once and for all");
    /// assert_eq!(key.sign_deterministic(&message)?, key.sign_deterministic(&message)?);
    /// # Ok::<(), oaklath_sig::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::ContextLength`], [`Error::DigestLength`], [`Error::MessageForm`].
    pub fn sign_deterministic(&self, message: &Message<'_>) -> Result<EncodedSignature<P>, Error> {
        self.sign_from(message, None)
    }

    /// Signs with given random bytes (16, 24 or 32: `addrnd`), or without.
    ///
    /// # Errors
    /// [`Error::CoinsLength`], [`Error::ContextLength`], [`Error::DigestLength`],
    /// [`Error::MessageForm`].
    pub fn sign_from(
        &self,
        message: &Message<'_>,
        coins: Option<&[u8]>,
    ) -> Result<EncodedSignature<P>, Error> {
        EncodedSignature::made(|out| P::SLH.sign(self.secret.as_ref(), None, message, coins, out))
    }

    /// Computes once what every signature with this key needs.
    ///
    /// ```
    /// use oaklath_sig::Message;
    /// use oaklath_sig::slh_dsa::{SigningKey, SlhDsaSha2_128f};
    ///
    /// let key = SigningKey::<SlhDsaSha2_128f>::from_seed(&[2; 48]);
    /// let expanded = key.expand();
    /// for message in [b"one", b"two"] {
    ///     let signature = expanded.sign_deterministic(&Message::new(message))?;
    ///     key.verifying_key().verify_message(&Message::new(message), &signature)?;
    /// }
    /// # Ok::<(), oaklath_sig::Error>(())
    /// ```
    ///
    /// # Panics
    /// Never: the key has its length.
    #[must_use]
    pub fn expand(&self) -> ExpandedSigningKey<P> {
        ExpandedSigningKey::from_bytes(self.as_bytes()).expect("the key has its length")
    }
}

impl<P: Set> ExpandedSigningKey<P> {
    /// Takes a key: SK.seed, SK.prf, PK.seed, PK.root. The root is compared whenever it signs.
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        Ok(Self(P::SLH.prepared(bytes)?, PhantomData))
    }

    /// Signs as [`SigningKey::sign_message`] does.
    ///
    /// # Errors
    /// [`Error::ContextLength`], [`Error::DigestLength`], [`Error::MessageForm`],
    /// [`Error::SecretKeyInconsistent`].
    ///
    /// # Panics
    /// If the operating system has no random bytes.
    #[cfg(feature = "getrandom")]
    pub fn sign_message(&self, message: &Message<'_>) -> Result<EncodedSignature<P>, Error> {
        with_coins::<P, _>(|coins| self.sign_from(message, Some(coins)))
    }

    /// Signs as [`SigningKey::sign_deterministic`] does.
    ///
    /// # Errors
    /// [`Error::ContextLength`], [`Error::DigestLength`], [`Error::MessageForm`],
    /// [`Error::SecretKeyInconsistent`].
    pub fn sign_deterministic(&self, message: &Message<'_>) -> Result<EncodedSignature<P>, Error> {
        self.sign_from(message, None)
    }

    /// Signs as [`SigningKey::sign_from`] does.
    ///
    /// # Errors
    /// [`Error::CoinsLength`], [`Error::ContextLength`], [`Error::DigestLength`],
    /// [`Error::MessageForm`], [`Error::SecretKeyInconsistent`].
    pub fn sign_from(
        &self,
        message: &Message<'_>,
        coins: Option<&[u8]>,
    ) -> Result<EncodedSignature<P>, Error> {
        EncodedSignature::made(|out| self.0.sign(message, coins, out))
    }
}

impl<P: Set> VerifyingKey<P> {
    /// Takes a public key: PK.seed, PK.root. Every string of its length is one.
    ///
    /// # Errors
    /// [`Error::PublicKeyLength`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let (expected, found) = (P::INFO.public_key, bytes.len());
        if expected != found {
            return Err(Error::PublicKeyLength { expected, found });
        }
        let mut key = Self(P::PublicKey::ZERO);
        key.0.as_mut().copy_from_slice(bytes);
        Ok(key)
    }

    /// The key: PK.seed, PK.root.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_ref()
    }

    /// Verifies: FIPS 205, Algorithms 24 and 25.
    ///
    /// # Errors
    /// [`Error::InvalidSignature`]; [`Error::ContextLength`], [`Error::DigestLength`],
    /// [`Error::MessageForm`].
    pub fn verify_message(
        &self,
        message: &Message<'_>,
        signature: &EncodedSignature<P>,
    ) -> Result<(), Error> {
        P::SLH.verify(self.as_bytes(), message, signature.as_bytes())
    }

    /// Verifies many signatures, side by side: faster than one after the other. The results are in
    /// their order.
    ///
    /// ```
    /// use oaklath_sig::{Error, Message};
    /// use oaklath_sig::slh_dsa::{SigningKey, SlhDsaSha2_128f};
    ///
    /// let key = SigningKey::<SlhDsaSha2_128f>::from_seed(&[3; 48]);
    /// let signature = key.sign_deterministic(&Message::new(b"one"))?;
    /// let signed = [(Message::new(b"one"), &signature), (Message::new(b"two"), &signature)];
    /// let results = key.verifying_key().verify_many(&signed);
    /// assert_eq!(results, [Ok(()), Err(Error::InvalidSignature)]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Panics
    /// Never: the key has its length.
    #[must_use]
    pub fn verify_many(
        &self,
        signatures: &[(Message<'_>, &EncodedSignature<P>)],
    ) -> Vec<Result<(), Error>> {
        let signatures = signatures.iter().map(|(message, signed)| (*message, signed.as_bytes()));
        let signatures: Vec<_> = signatures.collect();
        let mut results = vec![Err(Error::InvalidSignature); signatures.len()];
        let done = P::SLH.verify_many(self.as_bytes(), &signatures, &mut results);
        done.expect("the key has its length");
        results
    }
}

impl<P: Set> EncodedSignature<P> {
    /// Takes a signature. Whether it is one shows when it is verified.
    ///
    /// # Errors
    /// [`Error::InvalidSignature`] if its length is wrong.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        if bytes.len() != P::INFO.signature {
            return Err(Error::InvalidSignature);
        }
        Ok(Self(bytes.into(), PhantomData))
    }

    /// The encoded signature.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// A signature that `sign` writes.
    fn made(sign: impl FnOnce(&mut [u8]) -> Result<usize, Error>) -> Result<Self, Error> {
        let mut bytes = vec![0; P::INFO.signature];
        sign(&mut bytes)?;
        Ok(Self(bytes.into(), PhantomData))
    }
}

/// Random bytes of the operating system for one signature.
#[cfg(feature = "getrandom")]
fn with_coins<P: Set, T>(sign: impl FnOnce(&[u8]) -> T) -> T {
    let mut coins = [0; 32];
    let used = &mut coins[..P::SLH.coins_len()];
    fill_by_system(used);
    let result = sign(used);
    coins.zeroize();
    result
}

impl<P: Set> PartialEq for VerifyingKey<P> {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl<P: Set> Eq for VerifyingKey<P> {}

impl<P: Set> PartialEq for EncodedSignature<P> {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl<P: Set> Eq for EncodedSignature<P> {}

impl<P: Set> Clone for VerifyingKey<P> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<P: Set> Clone for EncodedSignature<P> {
    fn clone(&self) -> Self {
        Self(self.0.clone(), PhantomData)
    }
}

impl<P: Set> Drop for SigningKey<P> {
    fn drop(&mut self) {
        self.secret.zeroize();
    }
}

impl<P: Set> ZeroizeOnDrop for SigningKey<P> {}
impl<P: Set> ZeroizeOnDrop for ExpandedSigningKey<P> {}

/// The name of the algorithm, and no more of what may be secret.
macro_rules! debug {
    ($($ty:ident)*) => { $(
        impl<P: Set> Debug for $ty<P> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($ty)).field(&P::INFO.name).finish_non_exhaustive()
            }
        }
    )* };
}
debug! { SigningKey ExpandedSigningKey VerifyingKey EncodedSignature }
