//! The typed layer of Falcon and FN-DSA: keys and signatures that know their set.
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use oaklath_params::sig::SigInfo;
use oaklath_simd::wipe;
use rand_core::CryptoRng;
use zeroize::{ZeroizeOnDrop, Zeroizing};

use super::Set;
#[cfg(feature = "getrandom")]
use crate::sets::Bytes;
use crate::{Error, Message, Sign, Verify};

/// Bytes of the seed of a key.
pub const SEED: usize = 48;

/// A parameter set. Sealed: `Falcon512` and `Falcon1024` (feature `legacy`), `FnDsa512` and `FnDsa1024`
/// (feature `fn-dsa-draft`).
///
/// ```
/// # #[cfg(feature = "legacy")] {
/// use oaklath_sig::falcon::{Falcon512, FalconSet};
/// assert_eq!(Falcon512::info().public_key, 897);
/// # }
/// ```
pub trait FalconSet: Set + Copy + Default + fmt::Debug + Send + Sync + 'static {
    /// Its row in the table: names, sizes, level, status.
    #[must_use]
    fn info() -> &'static SigInfo {
        Self::object().info()
    }
}

/// A private key. Erased when dropped; never `Clone`.
///
/// ```
/// # #[cfg(all(feature = "getrandom", feature = "legacy"))] {
/// use oaklath_sig::falcon::{Falcon512, SigningKey, VerifyingKey};
/// use oaklath_sig::Message;
///
/// let key = SigningKey::<Falcon512>::generate();
/// let signature = key.sign_message(&Message::new(b"a message"))?;
///
/// let public = VerifyingKey::<Falcon512>::from_bytes(key.verifying_key().as_bytes())?;
/// public.verify_message(&Message::new(b"a message"), &signature)?;
/// assert!(public.verify_message(&Message::new(b"another"), &signature).is_err());
/// # }
/// # Ok::<(), oaklath_sig::Error>(())
/// ```
pub struct SigningKey<P: FalconSet> {
    secret: Zeroizing<Vec<u8>>,
    public: VerifyingKey<P>,
}

/// A private key expanded for many signatures: the basis transformed, and the tree of it. 70 kilobytes
/// on the heap, or 140. Erased when dropped.
pub struct ExpandedSigningKey<P: FalconSet>(Box<dyn Sign>, PhantomData<P>);

/// A public key.
pub struct VerifyingKey<P: FalconSet>(Vec<u8>, PhantomData<P>);

/// A public key transformed for many verifications.
pub struct ExpandedVerifyingKey<P: FalconSet>(Box<dyn Verify>, PhantomData<P>);

/// A signature, in any format. Its length varies.
pub struct EncodedSignature<P: FalconSet>(Vec<u8>, PhantomData<P>);

impl<P: FalconSet> SigningKey<P> {
    /// Makes a key from random bytes of the operating system. This takes milliseconds.
    ///
    /// # Panics
    /// If the operating system has no random bytes.
    #[cfg(feature = "getrandom")]
    #[must_use]
    pub fn generate() -> Self {
        let mut seed = crate::typed::system_random();
        let key = Self::from_seed(&seed);
        wipe(&mut seed);
        key
    }

    /// Makes a key from random bytes of a generator.
    pub fn generate_with(rng: &mut impl CryptoRng) -> Self {
        let mut seed = [0; SEED];
        rng.fill_bytes(&mut seed);
        let key = Self::from_seed(&seed);
        wipe(&mut seed);
        key
    }

    /// The key of a seed, the same as the reference's of round 3: Falcon, Algorithm 4.
    ///
    /// # Panics
    /// With the feature `pct`, if the new key does not work, which is a fault of the machine.
    #[must_use]
    pub fn from_seed(seed: &[u8; SEED]) -> Self {
        let info = P::info();
        let mut secret = Zeroizing::new(vec![0; info.secret_key]);
        let mut public = vec![0; info.public_key];
        let made = P::object().keypair_from(seed, &mut public, &mut secret);
        made.expect("a new key pair works");
        Self { secret, public: VerifyingKey(public, PhantomData) }
    }

    /// Takes an encoded key, computes G and the public key, which are not part of it, and checks that
    /// all belongs together.
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`], [`Error::SecretKeyEncoding`], [`Error::SecretKeyInconsistent`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let mut public = vec![0; P::info().public_key];
        P::object().public_key(bytes, &mut public)?;
        let secret = Zeroizing::new(bytes.to_vec());
        Ok(Self { secret, public: VerifyingKey(public, PhantomData) })
    }

    /// The encoded key: f, g and F; of FN-DSA followed by a hash of the public key.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.secret
    }

    /// The public key.
    #[must_use]
    pub fn verifying_key(&self) -> &VerifyingKey<P> {
        &self.public
    }

    /// Signs with random bytes of the operating system.
    ///
    /// # Errors
    /// As [`sign_from`](Self::sign_from).
    ///
    /// # Panics
    /// If the operating system has no random bytes.
    #[cfg(feature = "getrandom")]
    pub fn sign_message(&self, message: &Message<'_>) -> Result<EncodedSignature<P>, Error> {
        with_coins::<P, _>(|coins| self.sign_from(message, coins))
    }

    /// Signs with given random bytes, of Falcon 88: a nonce of 40 bytes, and a seed of 48 that must never be
    /// known. Neither may serve twice: two different signatures for one nonce and message give the key away.
    /// Of FN-DSA 40, from which nonce and seed are hashed with the key and the message. There is no
    /// deterministic form.
    ///
    /// # Errors
    /// [`Error::MessageForm`], of FN-DSA [`Error::ContextLength`] and [`Error::DigestLength`];
    /// [`Error::SecretKeyInconsistent`] of a key that is too far from what key generation makes.
    pub fn sign_from(
        &self,
        message: &Message<'_>,
        coins: &P::Coins,
    ) -> Result<EncodedSignature<P>, Error> {
        made(|out| P::object().sign(&self.secret, message, Some(coins.as_ref()), out))
    }

    /// The same in less memory: about 42 kilobytes of stack, or 82, and 26 of heap, instead of 119 and 16, or
    /// 230 and 33. Without vectors it is hardly slower. With the feature `low-memory` all functions but those
    /// of expanded keys do this.
    ///
    /// # Errors
    /// As [`sign_from`](Self::sign_from).
    pub fn sign_low_memory(
        &self,
        message: &Message<'_>,
        coins: &P::Coins,
    ) -> Result<EncodedSignature<P>, Error> {
        let coins = Some(coins.as_ref());
        made(|out| P::object().sign_low_memory(&self.secret, message, coins, out))
    }

    /// The same with doubles made of integers, whatever the machine has: no instruction of floating point,
    /// in twenty times the time.
    ///
    /// ```
    /// # #[cfg(feature = "legacy")] {
    /// use oaklath_sig::falcon::{Falcon512, SigningKey};
    /// use oaklath_sig::Message;
    ///
    /// let (key, message) = (SigningKey::<Falcon512>::from_seed(&[1; 48]), Message::new(b"a message"));
    /// let signature = key.sign_emulated(&message, &[2; 88])?;
    /// assert_eq!(signature, key.sign_from(&message, &[2; 88])?);
    /// # }
    /// # Ok::<(), oaklath_sig::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`sign_from`](Self::sign_from).
    pub fn sign_emulated(
        &self,
        message: &Message<'_>,
        coins: &P::Coins,
    ) -> Result<EncodedSignature<P>, Error> {
        made(|out| P::object().sign_emulated(&self.secret, message, coins.as_ref(), out))
    }

    /// Computes once what every signature with this key needs.
    ///
    /// # Errors
    /// [`Error::SecretKeyInconsistent`] of a key that is too far from what key generation makes.
    pub fn expand(&self) -> Result<ExpandedSigningKey<P>, Error> {
        ExpandedSigningKey::from_bytes(&self.secret)
    }
}

impl<P: FalconSet> ExpandedSigningKey<P> {
    /// Takes an encoded key.
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`], [`Error::SecretKeyEncoding`], [`Error::SecretKeyInconsistent`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        Ok(Self(P::object().prepare_signer(bytes)?, PhantomData))
    }

    /// Signs as [`SigningKey::sign_message`] does.
    ///
    /// # Errors
    /// As [`SigningKey::sign_from`].
    ///
    /// # Panics
    /// If the operating system has no random bytes.
    #[cfg(feature = "getrandom")]
    pub fn sign_message(&self, message: &Message<'_>) -> Result<EncodedSignature<P>, Error> {
        with_coins::<P, _>(|coins| self.sign_from(message, coins))
    }

    /// Signs as [`SigningKey::sign_from`] does.
    ///
    /// # Errors
    /// As [`SigningKey::sign_from`].
    pub fn sign_from(
        &self,
        message: &Message<'_>,
        coins: &P::Coins,
    ) -> Result<EncodedSignature<P>, Error> {
        made(|out| self.0.sign(message, Some(coins.as_ref()), out))
    }
}

impl<P: FalconSet> VerifyingKey<P> {
    /// Takes an encoded key.
    ///
    /// # Errors
    /// [`Error::PublicKeyLength`], [`Error::PublicKeyEncoding`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        P::object().prepare_verifier(bytes)?;
        Ok(Self(bytes.to_vec(), PhantomData))
    }

    /// The encoded key: h.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Verifies a signature in any format: Falcon, Algorithm 16. One signature of Falcon has a compressed, a
    /// padded and a constant-time format, and all of them verify: its bytes are no name for it. FN-DSA has the
    /// padded format alone.
    ///
    /// # Errors
    /// [`Error::InvalidSignature`], [`Error::MessageForm`], of FN-DSA [`Error::ContextLength`] and
    /// [`Error::DigestLength`].
    pub fn verify_message(
        &self,
        message: &Message<'_>,
        signature: &EncodedSignature<P>,
    ) -> Result<(), Error> {
        P::object().verify(&self.0, message, signature.as_bytes())
    }

    /// Computes once what every verification with this key needs.
    ///
    /// # Panics
    /// Never: the key was checked.
    #[must_use]
    pub fn expand(&self) -> ExpandedVerifyingKey<P> {
        let key = P::object().prepare_verifier(&self.0).expect("the key was checked");
        ExpandedVerifyingKey(key, PhantomData)
    }
}

impl<P: FalconSet> ExpandedVerifyingKey<P> {
    /// Verifies as [`VerifyingKey::verify_message`] does.
    ///
    /// # Errors
    /// [`Error::InvalidSignature`], [`Error::MessageForm`], of FN-DSA [`Error::ContextLength`] and
    /// [`Error::DigestLength`].
    pub fn verify_message(
        &self,
        message: &Message<'_>,
        signature: &EncodedSignature<P>,
    ) -> Result<(), Error> {
        self.0.verify(message, signature.as_bytes())
    }
}

impl<P: FalconSet> EncodedSignature<P> {
    /// Takes a signature. Whether it is one shows when it is verified.
    ///
    /// # Errors
    /// [`Error::InvalidSignature`] if it is longer than any.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        if bytes.len() > P::info().longest_signature() {
            return Err(Error::InvalidSignature);
        }
        Ok(Self(bytes.to_vec(), PhantomData))
    }

    /// The encoded signature.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// A compressed signature of Falcon in the padded format, in which all are equally long: nothing if it is
    /// too long for that, as one in thousands is; then another one may fit. Those of FN-DSA are padded: nothing.
    ///
    /// ```
    /// # #[cfg(all(feature = "getrandom", feature = "legacy"))] {
    /// use oaklath_sig::falcon::{Falcon512, SigningKey};
    /// use oaklath_sig::Message;
    ///
    /// let key = SigningKey::<Falcon512>::generate();
    /// let message = Message::new(b"a message");
    /// let padded = loop {
    ///     if let Some(padded) = key.sign_message(&message)?.padded() {
    ///         break padded;
    ///     }
    /// };
    /// assert_eq!(padded.as_bytes().len(), 666);
    /// key.verifying_key().verify_message(&message, &padded)?;
    /// # }
    /// # Ok::<(), oaklath_sig::Error>(())
    /// ```
    #[must_use]
    pub fn padded(&self) -> Option<Self> {
        let len = P::info().variable?.padded;
        let mut bytes = self.0.clone();
        bytes.resize(len, 0);
        (self.0.len() <= len).then_some(Self(bytes, PhantomData))
    }
}

/// A signature that a function writes.
fn made<P: FalconSet>(
    sign: impl FnOnce(&mut [u8]) -> Result<usize, Error>,
) -> Result<EncodedSignature<P>, Error> {
    let mut signature = vec![0; P::info().signature];
    let len = sign(&mut signature)?;
    signature.truncate(len);
    Ok(EncodedSignature(signature, PhantomData))
}

/// Random bytes of the operating system for one signature.
#[cfg(feature = "getrandom")]
fn with_coins<P: FalconSet, T>(sign: impl FnOnce(&P::Coins) -> T) -> T {
    let mut coins = Zeroizing::new(P::Coins::ZERO);
    crate::typed::fill_by_system((*coins).as_mut());
    sign(&coins)
}

impl<P: FalconSet> PartialEq for VerifyingKey<P> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<P: FalconSet> Eq for VerifyingKey<P> {}

impl<P: FalconSet> PartialEq for EncodedSignature<P> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<P: FalconSet> Eq for EncodedSignature<P> {}

impl<P: FalconSet> Clone for VerifyingKey<P> {
    fn clone(&self) -> Self {
        Self(self.0.clone(), PhantomData)
    }
}

impl<P: FalconSet> Clone for EncodedSignature<P> {
    fn clone(&self) -> Self {
        Self(self.0.clone(), PhantomData)
    }
}

impl<P: FalconSet> ZeroizeOnDrop for SigningKey<P> {}
impl<P: FalconSet> ZeroizeOnDrop for ExpandedSigningKey<P> {}

/// The name of the algorithm, and no more of what may be secret.
macro_rules! debug {
    ($($ty:ident)*) => { $(
        impl<P: FalconSet> fmt::Debug for $ty<P> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($ty)).field(&P::info().name).finish_non_exhaustive()
            }
        }
    )* };
}
debug! { SigningKey ExpandedSigningKey VerifyingKey ExpandedVerifyingKey EncodedSignature }

/// The traits of the crate `signature`.
#[cfg(feature = "signature")]
mod traits {
    use alloc::vec::Vec;

    #[cfg(feature = "getrandom")]
    use signature::Signer;
    use signature::rand_core::TryCryptoRng;
    use signature::{Error, Keypair, RandomizedSigner, SignatureEncoding, Verifier};
    use zeroize::Zeroizing;

    use super::{
        EncodedSignature, ExpandedSigningKey, ExpandedVerifyingKey, FalconSet, SigningKey,
        VerifyingKey,
    };
    use crate::Message;
    use crate::sets::Bytes;

    impl<P: FalconSet> TryFrom<&[u8]> for EncodedSignature<P> {
        type Error = Error;

        fn try_from(bytes: &[u8]) -> Result<Self, Error> {
            Self::from_bytes(bytes).map_err(|_| Error::new())
        }
    }

    impl<P: FalconSet> From<EncodedSignature<P>> for Vec<u8> {
        fn from(signature: EncodedSignature<P>) -> Self {
            signature.0
        }
    }

    impl<P: FalconSet> SignatureEncoding for EncodedSignature<P> {
        type Repr = Vec<u8>;
    }

    macro_rules! signer {
        ($($key:ident)*) => { $(
            /// With the generator of the operating system.
            #[cfg(feature = "getrandom")]
            impl<P: FalconSet> Signer<EncodedSignature<P>> for $key<P> {
                fn try_sign(&self, message: &[u8]) -> Result<EncodedSignature<P>, Error> {
                    self.sign_message(&Message::new(message)).map_err(|_| Error::new())
                }
            }

            /// With the given generator.
            impl<P: FalconSet> RandomizedSigner<EncodedSignature<P>> for $key<P> {
                fn try_sign_with_rng<R: TryCryptoRng + ?Sized>(
                    &self,
                    rng: &mut R,
                    message: &[u8],
                ) -> Result<EncodedSignature<P>, Error> {
                    let mut coins = Zeroizing::new(P::Coins::ZERO);
                    rng.try_fill_bytes((*coins).as_mut()).map_err(|_| Error::new())?;
                    self.sign_from(&Message::new(message), &coins).map_err(|_| Error::new())
                }
            }
        )* };
    }
    signer! { SigningKey ExpandedSigningKey }

    macro_rules! verifier {
        ($($key:ident)*) => { $(
            impl<P: FalconSet> Verifier<EncodedSignature<P>> for $key<P> {
                fn verify(
                    &self,
                    message: &[u8],
                    signature: &EncodedSignature<P>,
                ) -> Result<(), Error> {
                    let message = Message::new(message);
                    self.verify_message(&message, signature).map_err(|_| Error::new())
                }
            }
        )* };
    }
    verifier! { VerifyingKey ExpandedVerifyingKey }

    impl<P: FalconSet> Keypair for SigningKey<P> {
        type VerifyingKey = VerifyingKey<P>;

        fn verifying_key(&self) -> VerifyingKey<P> {
            self.verifying_key().clone()
        }
    }
}
