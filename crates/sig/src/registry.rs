//! The object-safe layer: operations on bytes, for programs that choose algorithms by name.
#[cfg(feature = "alloc")]
use alloc::boxed::Box;
#[cfg(feature = "alloc")]
use alloc::vec;
#[cfg(feature = "alloc")]
use alloc::vec::Vec;
#[cfg(feature = "alloc")]
use core::any::Any;
use core::fmt::Debug;
#[cfg(feature = "alloc")]
use core::marker::PhantomData;

use oaklath_params::buffer::{check_input, check_output, zero_on_error};
use oaklath_params::list;
use oaklath_params::sig::{self, SigIdentity, SigInfo};
#[cfg(feature = "alloc")]
use zeroize::Zeroizing;

use crate::error::Error;
use crate::message::Message;
use crate::pct;
use crate::scheme::{Bytes, SignatureScheme, SignatureSet, sign_bytes};
#[cfg(feature = "alloc")]
use crate::scheme::{SigningItem, derive_coins};
use crate::sets::{self, for_all_sets};
use crate::typed::check_coins;
#[cfg(feature = "alloc")]
use crate::typed::{ExpandedSigningKey, ExpandedVerifyingKey};

#[cfg(all(test, feature = "alloc"))]
mod tests;

/// A signature scheme. Its lengths are in [`info`](Self::info), except those of the random inputs,
/// which are methods of this trait.
///
/// An input of the wrong length is an error. An output buffer that is too short (for a key: of the
/// wrong length) is a bug in the caller and causes a panic. After an error the outputs are zero.
pub trait Signature: Debug + Send + Sync {
    /// Returns the algorithm's row in the table of [`oaklath_params::sig`].
    fn info(&self) -> &'static SigInfo;

    /// Returns the number of random bytes from which a key pair is made.
    fn seed_len(&self) -> usize;

    /// Returns the number of random bytes of a hedged or randomised signature. Falcon and FN-DSA
    /// need them for every signature.
    fn coins_len(&self) -> usize;

    /// Returns whether every signature needs randomness: Falcon and FN-DSA have no deterministic
    /// form.
    fn needs_coins(&self) -> bool;

    /// Writes the key pair of a seed.
    ///
    /// # Errors
    /// [`Error::SeedLength`]; with the feature `pct` [`Error::Fault`].
    ///
    /// # Panics
    /// If `pk` or `sk` has the wrong length.
    fn keypair_from(&self, seed: &[u8], pk: &mut [u8], sk: &mut [u8]) -> Result<(), Error>;

    /// Writes the public key of a private key, recomputed unless the private key contains it, and
    /// checks that all parts of the private key belong together.
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`], [`Error::SecretKeyEncoding`], [`Error::SecretKeyHash`],
    /// [`Error::SecretKeyLowBits`], [`Error::SecretKeyInconsistent`].
    ///
    /// # Panics
    /// If `pk` has the wrong length.
    fn public_key(&self, sk: &[u8], pk: &mut [u8]) -> Result<(), Error>;

    /// Signs. Without `coins` the signature is deterministic, with `coins` it is hedged (randomised
    /// in round-3 schemes); Falcon and FN-DSA have no deterministic form. Writes the signature to
    /// the beginning of `out` and returns its length.
    ///
    /// # Errors
    /// Those of [`public_key`](Self::public_key), [`Error::CoinsLength`],
    /// [`Error::ContextLength`], [`Error::DigestLength`], [`Error::MessageForm`].
    ///
    /// # Panics
    /// If `out` is shorter than [`SigInfo::signature`], the maximum length of a signature that is
    /// made here.
    fn sign(
        &self,
        sk: &[u8],
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error>;

    /// Verifies a signature of a message with an encoded public key.
    ///
    /// # Errors
    /// [`Error::InvalidSignature`], also if the signature's length is wrong;
    /// [`Error::PublicKeyLength`], [`Error::PublicKeyEncoding`], [`Error::ContextLength`],
    /// [`Error::DigestLength`], [`Error::MessageForm`].
    fn verify(&self, pk: &[u8], message: &Message<'_>, signature: &[u8]) -> Result<(), Error>;

    /// Verifies with the largest part of its memory on the heap, for threads with little stack: 13
    /// to 23 kilobytes for ML-DSA and Dilithium, in the same time. The other schemes verify as
    /// [`verify`](Self::verify) does.
    ///
    /// # Errors
    /// Those of [`verify`](Self::verify).
    #[cfg(feature = "alloc")]
    fn verify_on_heap(
        &self,
        pk: &[u8],
        message: &Message<'_>,
        signature: &[u8],
    ) -> Result<(), Error>;

    /// Checks and parses a private key once, for many signatures.
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`], [`Error::SecretKeyEncoding`], [`Error::SecretKeyInconsistent`].
    #[cfg(feature = "alloc")]
    fn prepare_signer(&self, sk: &[u8]) -> Result<Box<dyn Sign>, Error>;

    /// Checks a private key once and keeps only its bytes, for many signatures in little memory:
    /// the data that [`prepare_signer`](Self::prepare_signer) expands (40 to 140 kilobytes) is
    /// recomputed for each signature, in less stack and two to three times as long. The signatures
    /// are the same. For schemes that expand little (SLH-DSA, SPHINCS+), equal to `prepare_signer`.
    ///
    /// ```
    /// # #[cfg(feature = "ml-dsa")] {
    /// use oaklath_sig::Message;
    ///
    /// let scheme = oaklath_sig::by_name("ML-DSA-65")?;
    /// let info = scheme.info();
    /// let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
    /// scheme.keypair_from(&[7; 32], &mut pk, &mut sk)?;
    /// let mut signature = vec![0; info.signature];
    /// let message = Message::new(b"small");
    /// scheme.prepare_low_memory_signer(&sk)?.sign(&message, None, &mut signature)?;
    /// scheme.verify(&pk, &message, &signature)?;
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`public_key`](Self::public_key).
    #[cfg(feature = "alloc")]
    fn prepare_low_memory_signer(&self, sk: &[u8]) -> Result<Box<dyn Sign>, Error>;

    /// Checks and parses a public key once, for many verifications.
    ///
    /// # Errors
    /// [`Error::PublicKeyLength`], [`Error::PublicKeyEncoding`].
    #[cfg(feature = "alloc")]
    fn prepare_verifier(&self, pk: &[u8]) -> Result<Box<dyn Verify>, Error>;

    /// Prepares a key, as [`prepare_signer`](Self::prepare_signer) does, that verifies each
    /// signature before it returns it, since a wrong signature, made by faulty hardware, may reveal
    /// the key. Signing then fails with [`Error::Fault`]. Each signature costs an additional
    /// verification.
    ///
    /// ```
    /// # #[cfg(feature = "ml-dsa")] {
    /// use oaklath_sig::Message;
    ///
    /// let scheme = oaklath_sig::by_name("ML-DSA-44")?;
    /// let info = scheme.info();
    /// let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
    /// scheme.keypair_from(&[7; 32], &mut pk, &mut sk)?;
    /// let mut signature = vec![0; info.signature];
    /// scheme.prepare_checked_signer(&sk)?.sign(&Message::new(b"text"), None, &mut signature)?;
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`public_key`](Self::public_key).
    #[cfg(feature = "alloc")]
    fn prepare_checked_signer(&self, sk: &[u8]) -> Result<Box<dyn Sign>, Error>;
}

/// A prepared private key. Erased when dropped.
#[cfg(feature = "alloc")]
pub trait Sign: Any + Debug + Send + Sync {
    /// Signs, as [`Signature::sign`] does.
    ///
    /// # Errors
    /// Those of [`Signature::sign`] that do not concern the key.
    ///
    /// # Panics
    /// If `out` is shorter than the longest signature.
    fn sign(
        &self,
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error>;
}

/// A prepared public key.
#[cfg(feature = "alloc")]
pub trait Verify: Any + Debug + Send + Sync {
    /// Verifies, as [`Signature::verify`] does.
    ///
    /// # Errors
    /// Those of [`Signature::verify`] that do not concern the key.
    fn verify(&self, message: &Message<'_>, signature: &[u8]) -> Result<(), Error>;
}

macro_rules! list_all {
    ($($feature:literal $set:ident $row:ident $family:ident $numbers:tt)*) => {
        list!(ALL: &[&dyn Signature] = &[$(
            #[cfg(feature = $feature)]
            &sets::$set,
        )*]);
    };
}
for_all_sets!(list_all);

#[cfg(feature = "alloc")]
macro_rules! list_batches {
    ($($feature:literal $set:ident $row:ident $family:ident $numbers:tt)*) => {
        list!(BATCHES: &[VerifyRun] = &[$(
            #[cfg(feature = $feature)]
            verify_run::<sets::$set>,
        )*]);
        list!(SIGNERS: &[SignItems] = &[$(
            #[cfg(feature = $feature)]
            sign_items::<sets::$set>,
        )*]);
    };
}
#[cfg(feature = "alloc")]
for_all_sets!(list_batches);

/// Signs by a key. Returns false, and does nothing, if its type is not its own.
#[cfg(feature = "alloc")]
type SignItems = fn(&dyn Sign, &mut [SigningItem<'_>], &mut [Result<usize, Error>]) -> bool;

/// Verifies signatures whose keys have one type. Returns false, and does nothing, if that is not
/// its own.
#[cfg(feature = "alloc")]
type VerifyRun = fn(&[(&dyn Verify, Message<'_>, &[u8])], &mut [Result<(), Error>]) -> bool;

/// The error for a name that no signature scheme of this build has.
pub type UnknownName = oaklath_params::UnknownName<SigInfo>;

/// Returns every signature scheme of this build.
///
/// ```
/// for scheme in oaklath_sig::all() {
///     println!("{}: signatures of {} bytes", scheme.info().name, scheme.info().signature);
/// }
/// ```
#[must_use]
pub fn all() -> &'static [&'static dyn Signature] {
    ALL
}

/// Returns the scheme with a name in any vocabulary: `ML-DSA-65`, `mldsa65`, `DILITHIUM_LEVEL3`, an
/// OID, a TLS signature scheme; see [`oaklath_params::sig::by_name`].
///
/// # Errors
/// If no algorithm of this build has the name. The error says whether another build has it, or
/// which name is close.
pub fn by_name(name: &str) -> Result<&'static dyn Signature, UnknownName> {
    let known = sig::by_name(name);
    known.and_then(by_info).ok_or(UnknownName { known, suggestion: sig::suggest(name) })
}

/// Returns the scheme of a row of the table, if this build has it.
#[must_use]
pub fn by_info(info: &'static SigInfo) -> Option<&'static dyn Signature> {
    ALL.iter().copied().find(|scheme| core::ptr::eq(scheme.info(), info))
}

/// Returns the scheme that verifies signatures under an identity, if this build has it. Identities
/// of one algorithm may differ in the norm bound that they accept.
#[must_use]
pub fn by_identity(identity: &'static SigIdentity) -> Option<&'static dyn Signature> {
    #[cfg(feature = "falcon")]
    if core::ptr::eq(identity, &sig::ID_FALCON_512_APPENDIX) {
        return Some(&sets::appendix::Falcon512Appendix);
    } else if core::ptr::eq(identity, &sig::ID_FALCON_1024_APPENDIX) {
        return Some(&sets::appendix::Falcon1024Appendix);
    }
    by_info(identity.algorithm)
}

/// Derives the random bytes of a signature from the private key and the message alone: for
/// reproducible signatures of a scheme that has no deterministic form (Falcon). Without the key,
/// they cannot be distinguished from random bytes. SHAKE256 of a label, the key and the message.
///
/// For tests, and for certificates that must be reproducible byte by byte. Two different signatures
/// of Falcon for the same nonce and message reveal the key, so all signers must compute the same
/// numbers, which another version, or a processor with a fault, might not do.
///
/// ```
/// # #[cfg(feature = "falcon")] {
/// let scheme = oaklath_sig::by_name("Falcon-512").unwrap();
/// let coins = oaklath_sig::derived_coins(scheme, b"a private key", b"a message");
/// assert_eq!(coins.len(), scheme.coins_len());
/// # }
/// ```
#[cfg(feature = "alloc")]
#[must_use]
pub fn derived_coins(scheme: &dyn Signature, sk: &[u8], message: &[u8]) -> Zeroizing<Vec<u8>> {
    let mut coins = Zeroizing::new(vec![0; scheme.coins_len()]);
    derive_coins(sk, message, &mut coins);
    coins
}

impl<P: SignatureSet> Signature for P {
    fn info(&self) -> &'static SigInfo {
        P::INFO
    }

    fn seed_len(&self) -> usize {
        P::Seed::LEN
    }

    fn coins_len(&self) -> usize {
        P::Coins::LEN
    }

    fn needs_coins(&self) -> bool {
        P::Scheme::NEEDS_COINS
    }

    fn keypair_from(&self, seed: &[u8], pk: &mut [u8], sk: &mut [u8]) -> Result<(), Error> {
        check_output(pk, P::INFO.public_key, "public key");
        check_output(sk, P::INFO.secret_key, "private key");
        let result = check_input(seed, P::Seed::LEN, Error::SeedLength).and_then(|()| {
            P::SCHEME.keygen(seed, pk, sk);
            pct::check::<P>(pk, sk)
        });
        zero_on_error(result, [pk, sk])
    }

    fn public_key(&self, sk: &[u8], pk: &mut [u8]) -> Result<(), Error> {
        check_output(pk, P::INFO.public_key, "public key");
        let result = check_input(sk, P::INFO.secret_key, Error::SecretKeyLength)
            .and_then(|()| P::SCHEME.public_key(sk, pk));
        zero_on_error(result, [pk])
    }

    fn sign(
        &self,
        sk: &[u8],
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let out = &mut out[..P::INFO.signature];
        let result = check_input(sk, P::INFO.secret_key, Error::SecretKeyLength)
            .and_then(|()| check_coins::<P>(coins))
            .and_then(|()| sign_bytes(P::SCHEME, sk, message, coins, out));
        zero_on_error(result, [out])
    }

    fn verify(&self, pk: &[u8], message: &Message<'_>, signature: &[u8]) -> Result<(), Error> {
        check_input(pk, P::INFO.public_key, Error::PublicKeyLength)?;
        P::SCHEME.verify(pk, message, signature)
    }

    #[cfg(feature = "alloc")]
    fn verify_on_heap(
        &self,
        pk: &[u8],
        message: &Message<'_>,
        signature: &[u8],
    ) -> Result<(), Error> {
        check_input(pk, P::INFO.public_key, Error::PublicKeyLength)?;
        P::SCHEME.verify_on_heap(pk, message, signature)
    }

    #[cfg(feature = "alloc")]
    fn prepare_signer(&self, sk: &[u8]) -> Result<Box<dyn Sign>, Error> {
        Ok(Box::new(ExpandedSigningKey::<P>::from_bytes(sk)?))
    }

    #[cfg(feature = "alloc")]
    fn prepare_low_memory_signer(&self, sk: &[u8]) -> Result<Box<dyn Sign>, Error> {
        if !P::Scheme::HAS_LOW_MEMORY {
            return self.prepare_signer(sk);
        }
        self.public_key(sk, &mut vec![0; P::INFO.public_key])?;
        Ok(Box::new(LowMemorySigner::<P>(Zeroizing::new(sk.to_vec()), PhantomData)))
    }

    #[cfg(feature = "alloc")]
    fn prepare_verifier(&self, pk: &[u8]) -> Result<Box<dyn Verify>, Error> {
        Ok(Box::new(ExpandedVerifyingKey::<P>::from_bytes(pk)?))
    }

    #[cfg(feature = "alloc")]
    fn prepare_checked_signer(&self, sk: &[u8]) -> Result<Box<dyn Sign>, Error> {
        Ok(Box::new(CheckedSigner::new(self, sk)?))
    }
}

/// Verifies many signatures, each of a message and by a key, side by side: neighbours whose keys
/// have one algorithm fill the lanes that a single verification leaves empty. Each has its result,
/// that of [`Verify::verify`]. A program that does not call this does not contain what it takes.
///
/// ```
/// # #[cfg(feature = "ml-dsa")] {
/// use oaklath_sig::{Message, verify_many};
///
/// let scheme = oaklath_sig::by_name("ML-DSA-44")?;
/// let keys = [vec![1; 1312], vec![2; 1312]].map(|pk| scheme.prepare_verifier(&pk));
/// let [first, second] = keys.map(|key| key.expect("every string of its length is a key"));
/// let message = Message::new(b"text");
/// let signed = [(&*first, message, &[0; 2420][..]), (&*second, message, &[0; 2420][..])];
/// let mut results = [Ok(()); 2];
/// verify_many(&signed, &mut results);
/// assert!(results.iter().all(Result::is_err));
///
/// // By several cores, each with its part.
/// std::thread::scope(|scope| {
///     for (signed, results) in signed.chunks(1).zip(results.chunks_mut(1)) {
///         scope.spawn(|| verify_many(signed, results));
///     }
/// });
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// If there is not one result for each signature.
#[cfg(feature = "alloc")]
pub fn verify_many(
    signed: &[(&dyn Verify, Message<'_>, &[u8])],
    mut results: &mut [Result<(), Error>],
) {
    assert_eq!(signed.len(), results.len(), "a result for each signature");
    let type_of = |key: &dyn Verify| (key as &dyn Any).type_id();
    for run in signed.chunk_by(|a, b| type_of(a.0) == type_of(b.0)) {
        let these = results.split_off_mut(..run.len()).expect("a result for each signature");
        if !BATCHES.iter().any(|verify_run| verify_run(run, these)) {
            for ((key, message, signature), result) in run.iter().zip(these) {
                *result = key.verify(message, signature);
            }
        }
    }
}

/// Signs many messages by one key, side by side where the scheme gains from that: ML-DSA and
/// Dilithium. Each has its result, and its signature, which is that of [`Sign::sign`]. A program
/// that does not call this does not contain what it takes. Takes up to 192 KiB of stack.
///
/// ```
/// # #[cfg(feature = "ml-dsa")] {
/// use oaklath_sig::{Message, SigningItem, sign_many};
///
/// let scheme = oaklath_sig::by_name("ML-DSA-44")?;
/// let (mut pk, mut sk) = (vec![0; 1312], vec![0; 2560]);
/// scheme.keypair_from(&[7; 32], &mut pk, &mut sk)?;
/// let key = scheme.prepare_signer(&sk)?;
/// let mut signatures = [[0; 2420]; 3];
/// let items = signatures.iter_mut().zip([b"one", b"two", b"six"]);
/// let mut items: Vec<_> = items
///     .map(|(out, text)| SigningItem { message: Message::new(text), coins: None, out })
///     .collect();
/// let mut results = [Ok(0); 3];
/// sign_many(&*key, &mut items, &mut results);
/// assert_eq!(results, [Ok(2420); 3]);
/// scheme.verify(&pk, &Message::new(b"six"), &signatures[2])?;
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// If there is not one result for each message, or if a place is shorter than
/// [`SigInfo::signature`]; with a signer of [`Signature::prepare_signer`] also if it is longer.
#[cfg(feature = "alloc")]
pub fn sign_many(
    key: &dyn Sign,
    items: &mut [SigningItem<'_>],
    results: &mut [Result<usize, Error>],
) {
    assert_eq!(items.len(), results.len(), "a result for each message");
    if !SIGNERS.iter().any(|sign_items| sign_items(key, items, results)) {
        for (item, result) in items.iter_mut().zip(results) {
            *result = key.sign(&item.message, item.coins, item.out);
        }
    }
}

/// See [`SignItems`].
#[cfg(feature = "alloc")]
fn sign_items<P: SignatureSet>(
    key: &dyn Sign,
    items: &mut [SigningItem<'_>],
    results: &mut [Result<usize, Error>],
) -> bool {
    let key = (key as &dyn Any).downcast_ref::<ExpandedSigningKey<P>>();
    key.map(|key| key.sign_many(items, results)).is_some()
}

/// See [`VerifyRun`].
#[cfg(feature = "alloc")]
fn verify_run<P: SignatureSet>(
    run: &[(&dyn Verify, Message<'_>, &[u8])],
    results: &mut [Result<(), Error>],
) -> bool {
    let key = |i: usize| (run[i].0 as &dyn Any).downcast_ref::<ExpandedVerifyingKey<P>>();
    let signed = |i: usize| (key(i).expect("keys of one type"), run[i].1, run[i].2);
    let is_own = key(0).is_some();
    if is_own {
        ExpandedVerifyingKey::verify_many_bytes(&signed, results);
    }
    is_own
}

#[cfg(feature = "alloc")]
impl<P: SignatureSet> Sign for ExpandedSigningKey<P> {
    fn sign(
        &self,
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let out = &mut out[..P::INFO.signature];
        zero_on_error(self.sign_into(message, coins, out), [out])
    }
}

#[cfg(feature = "alloc")]
impl<P: SignatureSet> Verify for ExpandedVerifyingKey<P> {
    fn verify(&self, message: &Message<'_>, signature: &[u8]) -> Result<(), Error> {
        self.verify_bytes(message, signature)
    }
}

/// An encoded private key that was checked, for signing in little memory.
#[cfg(feature = "alloc")]
struct LowMemorySigner<P>(Zeroizing<Vec<u8>>, PhantomData<P>);

#[cfg(feature = "alloc")]
impl<P: SignatureSet> Sign for LowMemorySigner<P> {
    fn sign(
        &self,
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let out = &mut out[..P::INFO.signature];
        let result = check_coins::<P>(coins)
            .and_then(|()| P::SCHEME.sign_low_memory(&self.0, message, coins, out));
        zero_on_error(result, [out])
    }
}

/// Prints the name of the set and nothing of the key.
#[cfg(feature = "alloc")]
impl<P: SignatureSet> Debug for LowMemorySigner<P> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("LowMemorySigner").field(&P::INFO.name).finish_non_exhaustive()
    }
}

/// A private key whose signatures are verified before they are returned.
#[cfg(feature = "alloc")]
#[derive(Debug)]
struct CheckedSigner {
    signer: Box<dyn Sign>,
    verifier: Box<dyn Verify>,
}

#[cfg(feature = "alloc")]
impl CheckedSigner {
    fn new(scheme: &dyn Signature, sk: &[u8]) -> Result<Self, Error> {
        let mut pk = vec![0; scheme.info().public_key];
        scheme.public_key(sk, &mut pk)?;
        let (signer, verifier) = (scheme.prepare_signer(sk)?, scheme.prepare_verifier(&pk)?);
        Ok(Self { signer, verifier })
    }
}

#[cfg(feature = "alloc")]
impl Sign for CheckedSigner {
    fn sign(
        &self,
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let result = self.signer.sign(message, coins, out).and_then(|len| {
            let verified = self.verifier.verify(message, &out[..len]);
            verified.map(|()| len).map_err(|_| Error::Fault)
        });
        zero_on_error(result, [out])
    }
}
