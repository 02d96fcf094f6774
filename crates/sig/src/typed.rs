//! The typed layer: keys and signatures that know their parameter set.
#[cfg(feature = "alloc")]
use alloc::boxed::Box;
#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::fmt;

#[cfg(feature = "alloc")]
use oaklath_params::buffer::check_output;
use oaklath_params::buffer::{check_input, zero_on_error};
use rand_core::CryptoRng;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::error::Error;
use crate::message::Message;
use crate::pct;
use crate::scheme::{Bytes, SignatureBuffer, SignatureScheme, SignatureSet, sign_bytes};
#[cfg(feature = "alloc")]
use crate::scheme::{Empty, SignedBy, SigningItem};

#[cfg(feature = "signature")]
mod adapters;

/// A private key. Erased when dropped; never `Clone`.
pub struct SigningKey<P: SignatureSet> {
    secret: P::SecretKey,
    /// The seed, if the key was made from one.
    seed: Option<P::Seed>,
    public: VerifyingKey<P>,
}

/// A public key.
pub struct VerifyingKey<P: SignatureSet>(P::PublicKey);

/// A private key expanded for many signatures, on the heap: for ML-DSA and Dilithium, the matrix
/// and the secrets prepared for products (40 to 95 kilobytes); for SLH-DSA and SPHINCS+, the leaves
/// of the top tree (128 bytes to 12 kilobytes), which saves one of 7, 8, 17 or 22 layers; for
/// Falcon and FN-DSA, the FFT of the basis and its tree (70 or 140 kilobytes). Erased when dropped.
#[cfg(feature = "alloc")]
pub struct ExpandedSigningKey<P: SignatureSet>(Box<<P::Scheme as SignatureScheme>::SigningKey>);

/// A public key expanded for many verifications, on the heap: for ML-DSA and Dilithium, the matrix
/// and the hash of the key (20 to 70 kilobytes), which saves two thirds of the time; for Falcon and
/// FN-DSA, the transformed polynomial; for SLH-DSA and SPHINCS+, only the key.
#[cfg(feature = "alloc")]
pub struct ExpandedVerifyingKey<P: SignatureSet>(Box<<P::Scheme as SignatureScheme>::VerifyingKey>);

/// A signature: an array for ML-DSA and Dilithium, on the heap for the other schemes. The length of
/// Falcon signatures varies.
pub struct EncodedSignature<P: SignatureSet>(P::Signature);

impl<P: SignatureSet> SigningKey<P> {
    const EMPTY: Self =
        Self { secret: P::SecretKey::ZERO, seed: None, public: VerifyingKey(P::PublicKey::ZERO) };

    /// Makes a key from random bytes of the operating system.
    ///
    /// # Panics
    /// If the operating system has no random bytes or, with `pct`, if the new key does not work.
    #[cfg(feature = "getrandom")]
    #[must_use]
    pub fn generate() -> Self {
        let mut seed = Zeroizing::new(P::Seed::ZERO);
        fill_by_system((*seed).as_mut());
        Self::from_seed(&seed)
    }

    /// Makes a key from random bytes from `rng`. Panics as [`from_seed`](Self::from_seed) does.
    pub fn generate_with(rng: &mut impl CryptoRng) -> Self {
        let mut seed = Zeroizing::new(P::Seed::ZERO);
        rng.fill_bytes((*seed).as_mut());
        Self::from_seed(&seed)
    }

    /// Makes the key of a seed. The seed is the short form of the key, and must be kept as secret.
    ///
    /// | | seed | key generation |
    /// |---|---|---|
    /// | ML-DSA, Dilithium | 32 bytes: xi | FIPS 204, Algorithm 6 |
    /// | SLH-DSA, SPHINCS+ | 48, 72, 96: SK.seed, SK.prf, PK.seed | FIPS 205, Algorithm 18 |
    /// | Falcon, FN-DSA | 48 | Falcon, Algorithm 4, as in the reference of round 3 |
    ///
    /// ```
    /// # #[cfg(all(feature = "ml-dsa", feature = "slh-dsa"))] {
    /// use oaklath_sig::{MlDsa65, SigningKey, SlhDsaShake192f};
    ///
    /// let a = SigningKey::<MlDsa65>::from_seed(&[7; 32]);
    /// let b = SigningKey::<MlDsa65>::from_seed(&[7; 32]);
    /// assert_eq!(a.verifying_key(), b.verifying_key());
    ///
    /// let key = SigningKey::<SlhDsaShake192f>::from_seed(&[7; 72]);
    /// assert_eq!(key.as_bytes()[..72], [7; 72]);
    /// assert_eq!(key.as_bytes()[48..], *key.verifying_key().as_bytes());
    /// # }
    /// ```
    ///
    /// # Panics
    /// With the feature `pct`, if the new key does not work, which is a hardware fault.
    #[must_use]
    pub fn from_seed(seed: &P::Seed) -> Self {
        // The key is filled where it is returned, so that no copy is left behind.
        let mut key = Self::EMPTY;
        key.seed.insert(P::Seed::ZERO).as_mut().copy_from_slice(seed.as_ref());
        let (pk, sk) = (key.public.0.as_mut(), key.secret.as_mut());
        P::SCHEME.keygen(seed.as_ref(), pk, sk);
        pct::check::<P>(pk, sk).expect("a new key pair works");
        key
    }

    /// Decodes a private key, computes its public key and checks that its parts agree. This takes
    /// as long as making a key; for Falcon and FN-DSA much less.
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`], [`Error::SecretKeyEncoding`], [`Error::SecretKeyHash`],
    /// [`Error::SecretKeyLowBits`], [`Error::SecretKeyInconsistent`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        // The key is filled where it is returned, so that no copy is left behind.
        let mut result = Ok(Self::EMPTY);
        let filled = result.as_mut().map_or(Ok(()), |key| {
            check_input(bytes, P::INFO.secret_key, Error::SecretKeyLength)?;
            key.secret.as_mut().copy_from_slice(bytes);
            P::SCHEME.public_key(bytes, key.public.0.as_mut())
        });
        if let Err(error) = filled {
            result = Err(error);
        }
        result
    }

    /// Returns the encoded key: for ML-DSA and Dilithium, rho, K, tr, s1, s2, t0 (sk in FIPS 204);
    /// for SLH-DSA and SPHINCS+, SK.seed, SK.prf, PK.seed, PK.root; for Falcon, f, g and F; for
    /// FN-DSA, f, g, F and a hash of the public key.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.secret.as_ref()
    }

    /// Returns the seed, if the key was made from one.
    #[must_use]
    pub fn seed(&self) -> Option<&P::Seed> {
        self.seed.as_ref()
    }

    /// Returns the public key.
    #[must_use]
    pub fn verifying_key(&self) -> &VerifyingKey<P> {
        &self.public
    }

    /// Signs with random bytes of the operating system: hedged for ML-DSA (FIPS 204, section 3.4)
    /// and SLH-DSA (FIPS 205, Algorithms 22 and 23), randomised for the others.
    ///
    /// ```
    /// # #[cfg(all(feature = "ml-dsa", feature = "getrandom"))] {
    /// use oaklath_sig::{Message, MlDsa65, SigningKey};
    ///
    /// let key = SigningKey::<MlDsa65>::generate();
    /// let message = Message::with_context(b"open the door", b"front door");
    /// let signature = key.sign_message(&message)?;
    /// key.verifying_key().verify_message(&message, &signature)?;
    /// let another = Message::new(b"open the door");
    /// assert!(key.verifying_key().verify_message(&another, &signature).is_err());
    /// # }
    /// # Ok::<(), oaklath_sig::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`sign_deterministic`](Self::sign_deterministic).
    ///
    /// # Panics
    /// If the operating system has no random bytes.
    #[cfg(feature = "getrandom")]
    pub fn sign_message(&self, message: &Message<'_>) -> Result<EncodedSignature<P>, Error> {
        with_coins::<P, _>(|coins| self.sign_by(message, Some(coins)))
    }

    /// Signs without randomness: the signature of a message is always the same. Falcon and FN-DSA
    /// have no deterministic form.
    ///
    /// ```
    /// # #[cfg(feature = "slh-dsa")] {
    /// use oaklath_sig::{Message, SigningKey, SlhDsaShake128f};
    ///
    /// let key = SigningKey::<SlhDsaShake128f>::from_seed(&[1; 48]);
    /// let message = Message::new(b"once and for all");
    /// assert_eq!(key.sign_deterministic(&message)?, key.sign_deterministic(&message)?);
    /// # }
    /// # Ok::<(), oaklath_sig::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::ContextLength`], [`Error::DigestLength`], [`Error::MessageForm`]; for Falcon and
    /// FN-DSA, [`Error::CoinsLength`], and [`Error::SecretKeyInconsistent`] if key generation would
    /// not make such a key.
    pub fn sign_deterministic(&self, message: &Message<'_>) -> Result<EncodedSignature<P>, Error> {
        self.sign_by(message, None)
    }

    /// Signs with the given random bytes, or without any: then the signature of a message is always
    /// the same.
    ///
    /// | | random bytes |
    /// |---|---|
    /// | ML-DSA | 32: rnd |
    /// | Dilithium | 64: rho' |
    /// | SLH-DSA, SPHINCS+ | 16, 24 or 32: `addrnd` |
    /// | Falcon | 88: a nonce of 40 bytes and a seed of 48; required |
    /// | FN-DSA | 40, hashed with the key and the message; required |
    ///
    /// Neither the nonce nor the seed of Falcon may be used twice, and the seed must stay secret:
    /// two different signatures for one nonce and message reveal the key.
    ///
    /// # Errors
    /// Those of [`sign_deterministic`](Self::sign_deterministic), and [`Error::CoinsLength`].
    #[cfg(feature = "hazmat")]
    pub fn sign_from(
        &self,
        message: &Message<'_>,
        coins: Option<&[u8]>,
    ) -> Result<EncodedSignature<P>, Error> {
        self.sign_by(message, coins)
    }

    pub(crate) fn sign_by(
        &self,
        message: &Message<'_>,
        coins: Option<&[u8]>,
    ) -> Result<EncodedSignature<P>, Error> {
        check_coins::<P>(coins)?;
        let sk = self.secret.as_ref();
        EncodedSignature::filled(|out| sign_bytes(P::SCHEME, sk, message, coins, out))
    }

    /// Signs with the given random bytes, or without any, in little memory. Writes the signature to
    /// the beginning of `out` and returns its length. With the feature `low-memory` all functions
    /// sign in this way, except those of expanded keys.
    ///
    /// | | stack | time |
    /// |---|---|---|
    /// | ML-DSA, Dilithium | below 48 KiB: the matrix is sampled in each attempt | three times |
    /// | Falcon, FN-DSA | 42 or 82 kilobytes instead of 119 or 230 | with vectors up to twice |
    /// | SLH-DSA, SPHINCS+ | unchanged | unchanged |
    ///
    /// ```
    /// # #[cfg(feature = "ml-dsa")] {
    /// use oaklath_sig::{Message, MlDsa87, SignatureSet, SigningKey};
    ///
    /// let (key, message) = (SigningKey::<MlDsa87>::from_seed(&[3; 32]), Message::new(b"small"));
    /// let mut signature = [0; MlDsa87::INFO.signature];
    /// key.sign_low_memory(&message, None, &mut signature)?;
    /// assert_eq!(signature, key.sign_deterministic(&message)?.as_bytes());
    /// # }
    /// # Ok::<(), oaklath_sig::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`sign_deterministic`](Self::sign_deterministic). After an error, `out` is zero.
    ///
    /// # Panics
    /// If `out` is shorter than [`SigInfo::signature`](oaklath_params::sig::SigInfo::signature).
    pub fn sign_low_memory(
        &self,
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let out = &mut out[..P::INFO.signature];
        let result = check_coins::<P>(coins)
            .and_then(|()| P::SCHEME.sign_low_memory(self.secret.as_ref(), message, coins, out));
        zero_on_error(result, [out])
    }

    /// Precomputes the values that every signature with this key needs.
    ///
    /// ```
    /// # #[cfg(all(feature = "ml-dsa", feature = "getrandom"))] {
    /// use oaklath_sig::{Message, MlDsa44, SigningKey};
    ///
    /// let key = SigningKey::<MlDsa44>::generate();
    /// let expanded = key.expand()?;
    /// for message in [b"one", b"two"] {
    ///     let signature = expanded.sign_message(&Message::new(message))?;
    ///     key.verifying_key().verify_message(&Message::new(message), &signature)?;
    /// }
    /// # }
    /// # Ok::<(), oaklath_sig::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::SecretKeyInconsistent`] for a Falcon or FN-DSA key that key generation would not
    /// make. Other schemes have no errors.
    #[cfg(feature = "alloc")]
    pub fn expand(&self) -> Result<ExpandedSigningKey<P>, Error> {
        ExpandedSigningKey::from_bytes(self.as_bytes())
    }
}

#[cfg(feature = "alloc")]
impl<P: SignatureSet> ExpandedSigningKey<P> {
    /// Decodes and expands a private key. [`SigningKey::from_bytes`] checks that its parts agree,
    /// this function does not; for SLH-DSA and SPHINCS+, the root is checked at each signature.
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`], [`Error::SecretKeyEncoding`]; for Falcon and FN-DSA
    /// [`Error::SecretKeyInconsistent`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        check_input(bytes, P::INFO.secret_key, Error::SecretKeyLength)?;
        let mut key = Self(empty_on_heap());
        P::SCHEME.expand_signing(&mut key.0, bytes)?;
        Ok(key)
    }

    /// Signs as [`SigningKey::sign_message`] does.
    ///
    /// # Errors
    /// Those of [`sign_deterministic`](Self::sign_deterministic).
    ///
    /// # Panics
    /// If the operating system has no random bytes.
    #[cfg(feature = "getrandom")]
    pub fn sign_message(&self, message: &Message<'_>) -> Result<EncodedSignature<P>, Error> {
        with_coins::<P, _>(|coins| self.sign_by(message, Some(coins)))
    }

    /// Signs as [`SigningKey::sign_deterministic`] does.
    ///
    /// # Errors
    /// Those of [`SigningKey::sign_deterministic`]; for SLH-DSA and SPHINCS+ also
    /// [`Error::SecretKeyInconsistent`].
    pub fn sign_deterministic(&self, message: &Message<'_>) -> Result<EncodedSignature<P>, Error> {
        self.sign_by(message, None)
    }

    /// Signs as [`SigningKey::sign_from`] does.
    ///
    /// # Errors
    /// Those of [`sign_deterministic`](Self::sign_deterministic), and [`Error::CoinsLength`].
    #[cfg(feature = "hazmat")]
    pub fn sign_from(
        &self,
        message: &Message<'_>,
        coins: Option<&[u8]>,
    ) -> Result<EncodedSignature<P>, Error> {
        self.sign_by(message, coins)
    }

    pub(crate) fn sign_by(
        &self,
        message: &Message<'_>,
        coins: Option<&[u8]>,
    ) -> Result<EncodedSignature<P>, Error> {
        EncodedSignature::filled(|out| self.sign_into(message, coins, out))
    }

    pub(crate) fn sign_into(
        &self,
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        check_coins::<P>(coins)?;
        P::SCHEME.sign_expanded(&self.0, message, coins, out)
    }

    /// Signs many messages, as [`sign_many`](crate::sign_many) does, in as much stack.
    ///
    /// # Panics
    /// If there is not one result for each message, or if a place does not have the length
    /// [`SigInfo::signature`](oaklath_params::sig::SigInfo::signature).
    pub fn sign_many(&self, items: &mut [SigningItem<'_>], results: &mut [Result<usize, Error>]) {
        items.iter().for_each(|item| check_output(item.out, P::INFO.signature, "signature"));
        sign_runs(items, results, check_coins::<P>, &|run, results| {
            P::SCHEME.sign_many(&self.0, run, results);
        });
    }
}

/// Says whether random bytes are accepted.
#[cfg(feature = "alloc")]
type CheckCoins = fn(Option<&[u8]>) -> Result<(), Error>;

/// Signs messages whose random bytes are accepted.
#[cfg(feature = "alloc")]
type SignRun<'a> = dyn Fn(&mut [SigningItem<'_>], &mut [Result<usize, Error>]) + 'a;

/// Signs, by one call for neighbours whose coins are accepted, and rejects the others.
#[cfg(feature = "alloc")]
fn sign_runs(
    items: &mut [SigningItem<'_>],
    mut results: &mut [Result<usize, Error>],
    check_coins: CheckCoins,
    sign: &SignRun<'_>,
) {
    assert_eq!(items.len(), results.len(), "a result for each message");
    let checked = |item: &SigningItem<'_>| check_coins(item.coins);
    for run in items.chunk_by_mut(|a, b| checked(a) == checked(b)) {
        let these = results.split_off_mut(..run.len()).expect("a result for each message");
        match checked(&run[0]) {
            Ok(()) => sign(run, these),
            Err(error) => these.fill(Err(error)),
        }
        for (item, result) in run.iter_mut().zip(these) {
            *result = zero_on_error(*result, [&mut *item.out]);
        }
    }
}

impl<P: SignatureSet> VerifyingKey<P> {
    /// Decodes a public key. In all schemes except Falcon and FN-DSA, all bytes of the right length
    /// are valid.
    ///
    /// # Errors
    /// [`Error::PublicKeyLength`], [`Error::PublicKeyEncoding`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        check_input(bytes, P::INFO.public_key, Error::PublicKeyLength)?;
        P::SCHEME.check_public_key(bytes)?;
        let mut key = Self(P::PublicKey::ZERO);
        key.0.as_mut().copy_from_slice(bytes);
        Ok(key)
    }

    /// Returns the encoded key.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_ref()
    }

    /// Verifies: FIPS 204, Algorithms 3 and 5; FIPS 205, Algorithms 24 and 25; Falcon, Algorithm
    /// 16. A Falcon signature has a compressed, a padded and a constant-time format, all of which
    /// verify, so its bytes do not identify it.
    ///
    /// # Errors
    /// [`Error::InvalidSignature`]; [`Error::ContextLength`], [`Error::DigestLength`],
    /// [`Error::MessageForm`].
    pub fn verify_message(
        &self,
        message: &Message<'_>,
        signature: &EncodedSignature<P>,
    ) -> Result<(), Error> {
        P::SCHEME.verify(self.as_bytes(), message, signature.as_bytes())
    }

    /// Precomputes the values that every verification with this key needs.
    ///
    /// # Panics
    /// Never: the key was checked.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn expand(&self) -> ExpandedVerifyingKey<P> {
        ExpandedVerifyingKey::from_bytes(self.as_bytes()).expect("the key was checked")
    }

    /// Verifies many signatures side by side, which is faster than one after the other. Returns a
    /// result for each, in their order.
    ///
    /// ```
    /// # #[cfg(feature = "slh-dsa")] {
    /// use oaklath_sig::{Error, Message, SigningKey, SlhDsaSha2_128f};
    ///
    /// let key = SigningKey::<SlhDsaSha2_128f>::from_seed(&[3; 48]);
    /// let signature = key.sign_deterministic(&Message::new(b"one"))?;
    /// let signed = [(Message::new(b"one"), &signature), (Message::new(b"two"), &signature)];
    /// let results = key.verifying_key().verify_many(&signed);
    /// assert_eq!(results, [Ok(()), Err(Error::InvalidSignature)]);
    /// # }
    /// # Ok::<(), oaklath_sig::Error>(())
    /// ```
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn verify_many(
        &self,
        signatures: &[(Message<'_>, &EncodedSignature<P>)],
    ) -> Vec<Result<(), Error>> {
        let key = &self.expand();
        let signed = signatures.iter().map(|(message, signature)| (key, *message, *signature));
        ExpandedVerifyingKey::verify_many(&signed.collect::<Vec<_>>())
    }
}

#[cfg(feature = "alloc")]
impl<P: SignatureSet> ExpandedVerifyingKey<P> {
    /// Decodes and expands a public key.
    ///
    /// # Errors
    /// [`Error::PublicKeyLength`], [`Error::PublicKeyEncoding`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        check_input(bytes, P::INFO.public_key, Error::PublicKeyLength)?;
        let mut key = Self(empty_on_heap());
        P::SCHEME.expand_verifying(&mut key.0, bytes)?;
        Ok(key)
    }

    /// Verifies as [`VerifyingKey::verify_message`] does.
    ///
    /// # Errors
    /// Those of [`VerifyingKey::verify_message`].
    pub fn verify_message(
        &self,
        message: &Message<'_>,
        signature: &EncodedSignature<P>,
    ) -> Result<(), Error> {
        self.verify_bytes(message, signature.as_bytes())
    }

    /// Verifies many signatures, each by its key, as [`VerifyingKey::verify_many`] does.
    #[must_use]
    pub fn verify_many(
        signed: &[(&Self, Message<'_>, &EncodedSignature<P>)],
    ) -> Vec<Result<(), Error>> {
        let mut results = alloc::vec![Err(Error::InvalidSignature); signed.len()];
        let signed = |i: usize| (signed[i].0, signed[i].1, signed[i].2.as_bytes());
        Self::verify_many_bytes(&signed, &mut results);
        results
    }

    pub(crate) fn verify_bytes(
        &self,
        message: &Message<'_>,
        signature: &[u8],
    ) -> Result<(), Error> {
        P::SCHEME.verify_expanded(&self.0, message, signature)
    }

    /// Verifies many signatures by keys of this set.
    pub(crate) fn verify_many_bytes<'a>(
        signed: &dyn Fn(usize) -> SignedBy<'a, Self>,
        results: &mut [Result<(), Error>],
    ) {
        let signed = |i: usize| {
            let (key, message, signature) = signed(i);
            (&*key.0, message, signature)
        };
        P::SCHEME.verify_many(&signed, results);
    }
}

/// Allocates a key on the heap, so that no copy stays on the stack. Out of line, so that the stack
/// frame is released before the key is filled.
#[cfg(feature = "alloc")]
#[inline(never)]
fn empty_on_heap<T: Empty>() -> Box<T> {
    Box::new(T::EMPTY)
}

impl<P: SignatureSet> EncodedSignature<P> {
    /// Makes a signature from its bytes. Only verification shows whether it is valid.
    ///
    /// # Errors
    /// [`Error::InvalidSignature`] if its length is wrong; for Falcon, if it is too long.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let (len, longest) = (bytes.len(), P::INFO.longest_signature());
        if len > longest || len != longest && P::INFO.variable.is_none() {
            return Err(Error::InvalidSignature);
        }
        let mut signature = P::Signature::zeros(len);
        signature.as_mut().copy_from_slice(bytes);
        Ok(Self(signature))
    }

    /// Returns the encoded signature.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_ref()
    }

    /// Returns the signature that `sign` writes.
    fn filled(sign: impl FnOnce(&mut [u8]) -> Result<usize, Error>) -> Result<Self, Error> {
        let mut signature = P::Signature::zeros(P::INFO.signature);
        let len = sign(signature.as_mut())?;
        signature.truncate(len);
        Ok(Self(signature))
    }
}

#[cfg(feature = "alloc")]
impl<P: SignatureSet> From<EncodedSignature<P>> for Vec<u8> {
    fn from(signature: EncodedSignature<P>) -> Self {
        signature.as_bytes().to_vec()
    }
}

/// Calls a function with random bytes of the operating system for one signature.
#[cfg(feature = "getrandom")]
fn with_coins<P: SignatureSet, T>(sign: impl FnOnce(&[u8]) -> T) -> T {
    let mut coins = Zeroizing::new(P::Coins::ZERO);
    fill_by_system((*coins).as_mut());
    sign((*coins).as_ref())
}

/// Fills `bytes` with random bytes of the operating system. Panics if it has none.
#[cfg(feature = "getrandom")]
fn fill_by_system(bytes: &mut [u8]) {
    use rand_core::TryRng;
    getrandom::SysRng.try_fill_bytes(bytes).expect("the operating system has random bytes");
}

/// Checks the length of a signature's randomness, and that it is given if the scheme needs it.
pub(crate) fn check_coins<P: SignatureSet>(coins: Option<&[u8]>) -> Result<(), Error> {
    match coins {
        None if !P::Scheme::NEEDS_COINS => Ok(()),
        coins => check_input(coins.unwrap_or_default(), P::Coins::LEN, Error::CoinsLength),
    }
}

macro_rules! compared_and_cloned {
    ($($ty:ident)*) => { $(
        impl<P: SignatureSet> PartialEq for $ty<P> {
            fn eq(&self, other: &Self) -> bool {
                self.as_bytes() == other.as_bytes()
            }
        }

        impl<P: SignatureSet> Eq for $ty<P> {}

        impl<P: SignatureSet> Clone for $ty<P> {
            fn clone(&self) -> Self {
                Self(self.0.clone())
            }
        }
    )* };
}
compared_and_cloned! { VerifyingKey EncodedSignature }

#[cfg(feature = "alloc")]
impl<P: SignatureSet> Clone for ExpandedVerifyingKey<P> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<P: SignatureSet> Drop for SigningKey<P> {
    fn drop(&mut self) {
        self.secret.zeroize();
        self.seed.zeroize();
    }
}

impl<P: SignatureSet> ZeroizeOnDrop for SigningKey<P> {}
#[cfg(feature = "alloc")]
impl<P: SignatureSet> ZeroizeOnDrop for ExpandedSigningKey<P> {}

/// Implements `Debug` with the name of the set only, since the rest may be secret.
macro_rules! debug {
    ($($(#[$attribute:meta])* $ty:ident)*) => { $(
        $(#[$attribute])*
        impl<P: SignatureSet> fmt::Debug for $ty<P> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($ty)).field(&P::INFO.name).finish_non_exhaustive()
            }
        }
    )* };
}
debug! {
    SigningKey VerifyingKey EncodedSignature
    #[cfg(feature = "alloc")] ExpandedSigningKey
    #[cfg(feature = "alloc")] ExpandedVerifyingKey
}
