//! The typed layer: keys and signatures that know their algorithm.
#[cfg(feature = "alloc")]
use alloc::boxed::Box;
use core::fmt;
use core::marker::PhantomData;

use oaklath_hash::sha3::Shake256;
use oaklath_simd::wipe;
use rand_core::CryptoRng;
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::ml_dsa::{self, MlDsaVariant};
use crate::object::{check_public, check_secret, complete, output, sign_bytes, verify_bytes};
use crate::sets::{Bytes, Matrix};
use crate::{Error, Message, Set, pct};

#[cfg(feature = "signature")]
mod traits;

/// A private key. Erased when dropped; never `Clone`.
pub struct SigningKey<P: Set> {
    secret: P::SecretKey,
    /// Of keys that were made from one.
    seed: Option<[u8; 32]>,
    public: VerifyingKey<P>,
}

/// A public key.
pub struct VerifyingKey<P: Set>(P::PublicKey);

/// A private key with the matrix and the secrets ready for products: for many signatures. 40 to 95
/// kilobytes on the heap. Erased when dropped.
#[cfg(feature = "alloc")]
pub struct ExpandedSigningKey<P: Set>(Box<<P::Matrix as Matrix>::Signing>);

/// A public key with the matrix and the hash that every verification needs: a third of the time. 20 to
/// 70 kilobytes on the heap.
#[cfg(feature = "alloc")]
pub struct ExpandedVerifyingKey<P: Set>(Box<<P::Matrix as Matrix>::Verifying>);

/// A signature.
pub struct EncodedSignature<P: Set>(P::Signature);

/// Computes mu, the message representative, from a message that comes in pieces: FIPS 204, Algorithm 7,
/// line 6. The signer needs no more of the message than that: [`Message::Mu`].
///
/// ```
/// use oaklath_sig::{Message, MlDsa44, MuContext, SigningKey};
///
/// let key = SigningKey::<MlDsa44>::from_seed(&[1; 32]);
/// let mut mu = MuContext::new(key.verifying_key(), b"")?;
/// mu.update(b"a long ");
/// mu.update(b"message");
/// let signature = key.sign_from(&Message::Mu(&mu.finish()), None)?;
/// key.verifying_key().verify_message(&Message::new(b"a long message"), &signature)?;
/// # Ok::<(), oaklath_sig::Error>(())
/// ```
pub struct MuContext<P: Set>(Shake256, PhantomData<P>);

impl<P: Set> SigningKey<P> {
    /// Makes a key from 32 random bytes of the operating system.
    ///
    /// # Panics
    /// If the operating system has no random bytes.
    #[cfg(feature = "getrandom")]
    #[must_use]
    pub fn generate() -> Self {
        let mut seed = system_random();
        let key = Self::from_seed(&seed);
        wipe(&mut seed);
        key
    }

    /// Makes a key from random bytes of a generator.
    pub fn generate_with(rng: &mut impl CryptoRng) -> Self {
        let mut seed = [0; 32];
        rng.fill_bytes(&mut seed);
        let key = Self::from_seed(&seed);
        wipe(&mut seed);
        key
    }

    /// The key of a seed: `ML-DSA.KeyGen_internal`, FIPS 204, Algorithm 6. The seed is the short form of
    /// the key (32 bytes); whoever has it has the key.
    ///
    /// ```
    /// use oaklath_sig::{MlDsa65, SigningKey};
    ///
    /// let a = SigningKey::<MlDsa65>::from_seed(&[7; 32]);
    /// let b = SigningKey::<MlDsa65>::from_seed(&[7; 32]);
    /// assert_eq!(a.verifying_key(), b.verifying_key());
    /// ```
    ///
    /// # Panics
    /// With the feature `pct`, if the new key does not work, which is a fault of the machine.
    #[must_use]
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        let mut key = Self::EMPTY;
        key.seed = Some(*seed);
        P::Matrix::keygen(seed, key.public.0.as_mut(), key.secret.as_mut());
        let works = pct::check(&P::default(), key.public.0.as_ref(), key.secret.as_ref());
        works.expect("a new key pair works");
        key
    }

    /// Takes an expanded key (the form that FIPS 204 calls sk), computes its public key, which is not
    /// part of it, and checks that t0 and tr belong to it. This takes as long as making a key.
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`], [`Error::SecretKeyEncoding`], [`Error::SecretKeyHash`],
    /// [`Error::SecretKeyLowBits`], [`Error::SecretKeyInconsistent`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        // Filled where it is returned.
        let mut result = Ok(Self::EMPTY);
        let filled = result.as_mut().map_or(Ok(()), |key| {
            check_secret::<P>(bytes)?;
            key.secret.as_mut().copy_from_slice(bytes);
            P::Matrix::public_key(bytes, key.public.0.as_mut())
        });
        if let Err(error) = filled {
            result = Err(error);
        }
        result
    }

    const EMPTY: Self =
        Self { secret: P::SecretKey::ZERO, seed: None, public: VerifyingKey(P::PublicKey::ZERO) };

    /// The expanded key: rho, K, tr, s1, s2, t0.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.secret.as_ref()
    }

    /// The seed, of a key that was made from one.
    #[must_use]
    pub fn seed(&self) -> Option<&[u8; 32]> {
        self.seed.as_ref()
    }

    /// The public key.
    #[must_use]
    pub fn verifying_key(&self) -> &VerifyingKey<P> {
        &self.public
    }

    /// Signs with random bytes of the operating system: hedged in ML-DSA (FIPS 204, section 3.4),
    /// randomised in Dilithium.
    ///
    /// ```
    /// use oaklath_sig::{Message, MlDsa65, SigningKey};
    ///
    /// let key = SigningKey::<MlDsa65>::generate();
    /// let message = Message::with_context(b"open the door", b"front door");
    /// let signature = key.sign_message(&message)?;
    /// key.verifying_key().verify_message(&message, &signature)?;
    /// assert!(key.verifying_key().verify_message(&Message::new(b"open the door"), &signature).is_err());
    /// # Ok::<(), oaklath_sig::Error>(())
    /// ```
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

    /// Signs with given random bytes (32 in ML-DSA: rnd; 64 in Dilithium: rho'), or without: then the
    /// signature of a message is always the same.
    ///
    /// # Errors
    /// [`Error::CoinsLength`], [`Error::ContextLength`], [`Error::DigestLength`],
    /// [`Error::MessageForm`].
    pub fn sign_from(
        &self,
        message: &Message<'_>,
        coins: Option<&[u8]>,
    ) -> Result<EncodedSignature<P>, Error> {
        let low_memory = cfg!(feature = "low-memory");
        let mut signature = EncodedSignature::<P>(P::Signature::ZERO);
        let out = signature.0.as_mut();
        sign_bytes::<P>(low_memory, self.secret.as_ref(), message, coins, out)?;
        Ok(signature)
    }

    /// The same in less than 48 KiB of stack, into a buffer: makes the matrix anew in each attempt, in
    /// about three times the time. With the feature `low-memory` this is what all functions do.
    ///
    /// ```
    /// use oaklath_sig::{Message, MlDsa87, Set, SigningKey};
    ///
    /// let (key, message) = (SigningKey::<MlDsa87>::from_seed(&[3; 32]), Message::new(b"small"));
    /// let mut signature = [0; MlDsa87::INFO.signature];
    /// key.sign_low_memory(&message, None, &mut signature)?;
    /// assert_eq!(signature, key.sign_from(&message, None)?.as_bytes());
    /// # Ok::<(), oaklath_sig::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`sign_from`](Self::sign_from); then `out` is zero.
    ///
    /// # Panics
    /// If `out` has not the length of a signature.
    pub fn sign_low_memory(
        &self,
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<(), Error> {
        output(out, P::INFO.signature, "signature");
        let result = sign_bytes::<P>(true, self.secret.as_ref(), message, coins, out);
        complete(result, [out])
    }

    /// Computes once what every signature with this key needs.
    ///
    /// ```
    /// use oaklath_sig::{Message, MlDsa44, SigningKey};
    ///
    /// let key = SigningKey::<MlDsa44>::generate();
    /// let expanded = key.expand();
    /// for message in [b"one", b"two"] {
    ///     let signature = expanded.sign_message(&Message::new(message))?;
    ///     key.verifying_key().verify_message(&Message::new(message), &signature)?;
    /// }
    /// # Ok::<(), oaklath_sig::Error>(())
    /// ```
    ///
    /// # Panics
    /// Never: the key was checked.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn expand(&self) -> ExpandedSigningKey<P> {
        ExpandedSigningKey::from_bytes(self.as_bytes()).expect("the key was checked")
    }
}

#[cfg(feature = "alloc")]
impl<P: Set> ExpandedSigningKey<P> {
    /// Takes an expanded key (the form that FIPS 204 calls sk). Its parts are not compared: that is
    /// what [`SigningKey::from_bytes`] is for.
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`], [`Error::SecretKeyEncoding`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        check_secret::<P>(bytes)?;
        let mut key = Self(empty_signing::<P>());
        P::Matrix::fill_signing(&mut key.0, bytes)?;
        Ok(key)
    }

    /// Signs as [`SigningKey::sign_message`] does.
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

    /// Signs as [`SigningKey::sign_from`] does.
    ///
    /// # Errors
    /// [`Error::CoinsLength`], [`Error::ContextLength`], [`Error::DigestLength`],
    /// [`Error::MessageForm`].
    pub fn sign_from(
        &self,
        message: &Message<'_>,
        coins: Option<&[u8]>,
    ) -> Result<EncodedSignature<P>, Error> {
        let mut signature = EncodedSignature::<P>(P::Signature::ZERO);
        self.sign_into(message, coins, signature.0.as_mut())?;
        Ok(signature)
    }

    pub(crate) fn sign_into(
        &self,
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<(), Error> {
        P::Variant::check_coins(coins)?;
        let mu = P::Variant::represent(message)?.mu(P::Matrix::signing_tr(&self.0));
        P::Matrix::sign(&self.0, &mu, coins, out);
        Ok(())
    }
}

impl<P: Set> VerifyingKey<P> {
    /// Takes a public key. Every string of its length is one.
    ///
    /// # Errors
    /// [`Error::PublicKeyLength`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        check_public::<P>(bytes)?;
        let mut key = Self(P::PublicKey::ZERO);
        key.0.as_mut().copy_from_slice(bytes);
        Ok(key)
    }

    /// The encoded key.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_ref()
    }

    /// Verifies: FIPS 204, Algorithms 3 and 5.
    ///
    /// # Errors
    /// [`Error::InvalidSignature`]; [`Error::ContextLength`], [`Error::DigestLength`],
    /// [`Error::MessageForm`].
    pub fn verify_message(
        &self,
        message: &Message<'_>,
        signature: &EncodedSignature<P>,
    ) -> Result<(), Error> {
        verify_bytes::<P>(self.as_bytes(), message, signature.as_bytes())
    }

    /// Computes once what every verification with this key needs.
    ///
    /// # Panics
    /// Never: the key has its length.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn expand(&self) -> ExpandedVerifyingKey<P> {
        ExpandedVerifyingKey::from_bytes(self.as_bytes()).expect("the key has its length")
    }
}

#[cfg(feature = "alloc")]
impl<P: Set> ExpandedVerifyingKey<P> {
    /// Takes a public key.
    ///
    /// # Errors
    /// [`Error::PublicKeyLength`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        check_public::<P>(bytes)?;
        let mut key = Self(empty_verifying::<P>());
        P::Matrix::fill_verifying(&mut key.0, bytes);
        Ok(key)
    }

    /// Verifies: FIPS 204, Algorithms 3 and 5.
    ///
    /// # Errors
    /// [`Error::InvalidSignature`]; [`Error::ContextLength`], [`Error::DigestLength`],
    /// [`Error::MessageForm`].
    pub fn verify_message(
        &self,
        message: &Message<'_>,
        signature: &EncodedSignature<P>,
    ) -> Result<(), Error> {
        self.verify_bytes(message, signature.as_bytes())
    }

    pub(crate) fn verify_bytes(
        &self,
        message: &Message<'_>,
        signature: &[u8],
    ) -> Result<(), Error> {
        let tr = P::Matrix::verifying_tr(&self.0);
        let mu = P::Variant::represent(message)?.mu(tr);
        let good =
            signature.len() == P::INFO.signature && P::Matrix::verify(&self.0, &mu, signature);
        if good { Ok(()) } else { Err(Error::InvalidSignature) }
    }
}

/// On the heap from its beginning, so that no copy stays on the stack; with a frame of its own, which
/// is gone when the key is made.
#[cfg(feature = "alloc")]
#[inline(never)]
fn empty_signing<P: Set>() -> Box<<P::Matrix as Matrix>::Signing> {
    Box::new(P::Matrix::SIGNING)
}

#[cfg(feature = "alloc")]
#[inline(never)]
fn empty_verifying<P: Set>() -> Box<<P::Matrix as Matrix>::Verifying> {
    Box::new(P::Matrix::VERIFYING)
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
        let mut signature = Self(P::Signature::ZERO);
        signature.0.as_mut().copy_from_slice(bytes);
        Ok(signature)
    }

    /// The encoded signature.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_ref()
    }
}

impl<P: Set> MuContext<P> {
    /// Begins a message for the signer of a public key, with a context.
    ///
    /// # Errors
    /// [`Error::ContextLength`]; in Dilithium [`Error::MessageForm`] if there is a context.
    pub fn new(key: &VerifyingKey<P>, context: &[u8]) -> Result<Self, Error> {
        let mut tr = [0; 64];
        Shake256::new().chain(key.as_bytes()).finish().read(&mut tr[..P::Variant::TR]);
        let beginning = P::Variant::format(&Message::with_context(&[], context))?;
        Ok(Self(ml_dsa::begin_mu(&tr[..P::Variant::TR], &beginning), PhantomData))
    }

    /// More of the message.
    pub fn update(&mut self, message: &[u8]) {
        self.0.absorb(message);
    }

    /// Ends the message.
    #[must_use]
    pub fn finish(self) -> [u8; 64] {
        let mut mu = [0; 64];
        self.0.finish().read(&mut mu);
        mu
    }
}

/// Random bytes of the operating system for one signature.
#[cfg(feature = "getrandom")]
fn with_coins<P: Set, T>(sign: impl FnOnce(&[u8]) -> T) -> T {
    let mut coins: [u8; 64] = system_random();
    let result = sign(&coins[..P::Variant::COINS]);
    wipe(&mut coins);
    result
}

/// # Panics
/// If the operating system has no random bytes.
#[cfg(feature = "getrandom")]
pub(crate) fn system_random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    fill_by_system(&mut bytes);
    bytes
}

/// # Panics
/// If the operating system has no random bytes.
#[cfg(feature = "getrandom")]
pub(crate) fn fill_by_system(bytes: &mut [u8]) {
    use rand_core::TryRng;
    getrandom::SysRng.try_fill_bytes(bytes).expect("the operating system has random bytes");
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

#[cfg(feature = "alloc")]
impl<P: Set> Clone for ExpandedVerifyingKey<P> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<P: Set> Clone for EncodedSignature<P> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<P: Set> Clone for MuContext<P> {
    fn clone(&self) -> Self {
        Self(self.0.clone(), PhantomData)
    }
}

impl<P: Set> Drop for SigningKey<P> {
    fn drop(&mut self) {
        self.secret.zeroize();
        self.seed.zeroize();
    }
}

impl<P: Set> ZeroizeOnDrop for SigningKey<P> {}
#[cfg(feature = "alloc")]
impl<P: Set> ZeroizeOnDrop for ExpandedSigningKey<P> {}

/// The name of the algorithm, and no more of what may be secret.
macro_rules! debug {
    ($($(#[$attribute:meta])* $ty:ident)*) => { $(
        $(#[$attribute])*
        impl<P: Set> fmt::Debug for $ty<P> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($ty)).field(&P::INFO.name).finish_non_exhaustive()
            }
        }
    )* };
}
debug! {
    SigningKey VerifyingKey EncodedSignature MuContext
    #[cfg(feature = "alloc")] ExpandedSigningKey
    #[cfg(feature = "alloc")] ExpandedVerifyingKey
}
