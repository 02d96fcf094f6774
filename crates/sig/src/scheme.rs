//! The traits of families of signature schemes and of their parameter sets, over which the typed
//! and the object-safe layer are written once.
use core::fmt::Debug;

#[cfg(feature = "alloc")]
use oaklath_hash::keccak::{RATE_256, SUFFIX_SHAKE};
#[cfg(feature = "alloc")]
use oaklath_hash::sha3::sponge;
use oaklath_params::sig::SigInfo;
use zeroize::Zeroize;

use crate::error::Error;
use crate::message::Message;

/// A parameter set of a signature scheme. Sealed: implemented by the types of this crate that are
/// named after a set, such as `MlDsa65`, `SlhDsaShake128f`, `FnDsa512` or `Falcon512`, each enabled
/// by the feature of its family.
///
/// ```
/// # #[cfg(feature = "ml-dsa")] {
/// use oaklath_sig::{MlDsa65, SignatureSet};
/// assert_eq!(MlDsa65::INFO.signature, 3309);
/// # }
/// ```
pub trait SignatureSet: SetParts + Copy + Default + Debug + Send + Sync + 'static {
    /// The row of the set in the table: names, sizes, level, status.
    const INFO: &'static SigInfo;
}

/// The types of a set. Cannot be named outside this crate; seeds, coins and keys are arrays of
/// bytes.
pub trait SetParts {
    /// The random bytes from which a key pair is made.
    type Seed: Bytes;
    /// The random bytes of a signature.
    type Coins: Bytes;
    type PublicKey: Bytes;
    type SecretKey: Bytes;
    type Signature: SignatureBuffer;
    type Scheme: SignatureScheme;
    const SCHEME: &'static Self::Scheme;
}

/// A byte string of fixed length.
pub trait Bytes:
    AsRef<[u8]> + AsMut<[u8]> + Zeroize + Clone + Debug + Send + Sync + 'static
{
    const LEN: usize;
    const ZERO: Self;
}

impl<const N: usize> Bytes for [u8; N] {
    const LEN: usize = N;
    const ZERO: Self = [0; N];
}

/// Memory for a signature: an array or, for long signatures and those of varying length, the heap.
pub trait SignatureBuffer: AsRef<[u8]> + AsMut<[u8]> + Clone + Send + Sync + 'static {
    /// Returns `len` zeros.
    fn zeros(len: usize) -> Self;
    /// Keeps the first `len` bytes.
    fn truncate(&mut self, len: usize);
}

impl<const N: usize> SignatureBuffer for [u8; N] {
    #[inline(always)]
    fn zeros(_: usize) -> Self {
        [0; N]
    }
    #[inline(always)]
    fn truncate(&mut self, len: usize) {
        debug_assert_eq!(len, N, "signatures of one length");
    }
}

#[cfg(feature = "alloc")]
impl SignatureBuffer for alloc::vec::Vec<u8> {
    fn zeros(len: usize) -> Self {
        alloc::vec![0; len]
    }
    fn truncate(&mut self, len: usize) {
        self.truncate(len);
    }
}

/// A family of signature schemes with the parameters of a set. All keys, random inputs and outputs
/// must have the lengths of the set; signatures to be verified may have any. Expanded keys start as
/// `EMPTY` and are filled in place, since moving a key would leave a copy behind.
pub trait SignatureScheme: Debug + Send + Sync + 'static {
    /// A private key expanded for many signatures.
    type SigningKey: Empty + Send + Sync + 'static;
    /// A public key expanded for many verifications.
    type VerifyingKey: Empty + Clone + Send + Sync + 'static;
    /// Whether every signature needs randomness: there is no deterministic form.
    const NEEDS_COINS: bool = false;
    /// Whether [`sign_low_memory`](Self::sign_low_memory) differs from [`sign`](Self::sign).
    const HAS_LOW_MEMORY: bool = false;

    /// Writes both keys that a seed yields.
    fn keygen(&self, seed: &[u8], pk: &mut [u8], sk: &mut [u8]);

    /// Computes the public key of a private key, and checks that the parts of the latter agree.
    ///
    /// # Errors
    /// Those of [`Signature::public_key`](crate::Signature::public_key) that concern no length.
    fn public_key(&self, sk: &[u8], pk: &mut [u8]) -> Result<(), Error>;

    /// Checks the encoding of a public key.
    ///
    /// # Errors
    /// [`Error::PublicKeyEncoding`].
    fn check_public_key(&self, _pk: &[u8]) -> Result<(), Error> {
        Ok(())
    }

    /// Signs with an encoded private key. Returns the length of the signature.
    ///
    /// # Errors
    /// Those of [`Signature::sign`](crate::Signature::sign), except for wrong lengths.
    fn sign(
        &self,
        sk: &[u8],
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error>;

    /// Signs as [`sign`](Self::sign) does, in less memory.
    ///
    /// # Errors
    /// Those of [`sign`](Self::sign).
    fn sign_low_memory(
        &self,
        sk: &[u8],
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        self.sign(sk, message, coins, out)
    }

    /// Verifies with an encoded public key.
    ///
    /// # Errors
    /// Those of [`Signature::verify`](crate::Signature::verify), except for the length of the key.
    fn verify(&self, pk: &[u8], message: &Message<'_>, signature: &[u8]) -> Result<(), Error>;

    /// Verifies as [`verify`](Self::verify) does, with the largest part of its memory on the heap.
    ///
    /// # Errors
    /// Those of [`verify`](Self::verify).
    #[cfg(feature = "alloc")]
    fn verify_on_heap(
        &self,
        pk: &[u8],
        message: &Message<'_>,
        signature: &[u8],
    ) -> Result<(), Error> {
        self.verify(pk, message, signature)
    }

    /// Expands an encoded private key.
    ///
    /// # Errors
    /// [`Error::SecretKeyEncoding`], [`Error::SecretKeyInconsistent`].
    fn expand_signing(&self, key: &mut Self::SigningKey, sk: &[u8]) -> Result<(), Error>;

    /// Signs as [`sign`](Self::sign) does, with an expanded key.
    ///
    /// # Errors
    /// Those of [`sign`](Self::sign).
    fn sign_expanded(
        &self,
        key: &Self::SigningKey,
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error>;

    /// Signs many messages, side by side where the scheme gains from that.
    fn sign_many(
        &self,
        key: &Self::SigningKey,
        items: &mut [SigningItem<'_>],
        results: &mut [Result<usize, Error>],
    ) {
        for (item, result) in items.iter_mut().zip(results) {
            *result = self.sign_expanded(key, &item.message, item.coins, item.out);
        }
    }

    /// Expands an encoded public key.
    ///
    /// # Errors
    /// [`Error::PublicKeyEncoding`].
    fn expand_verifying(&self, key: &mut Self::VerifyingKey, pk: &[u8]) -> Result<(), Error>;

    /// Verifies as [`verify`](Self::verify) does, with an expanded key.
    ///
    /// # Errors
    /// Those of [`verify`](Self::verify).
    fn verify_expanded(
        &self,
        key: &Self::VerifyingKey,
        message: &Message<'_>,
        signature: &[u8],
    ) -> Result<(), Error>;

    /// Verifies signatures side by side, as many as there are results. `signed` returns those of
    /// their numbers.
    fn verify_many<'a>(
        &self,
        signed: &dyn Fn(usize) -> SignedBy<'a, Self::VerifyingKey>,
        results: &mut [Result<(), Error>],
    );
}

/// A message to be signed by [`sign_many`](crate::sign_many), and the place of its signature.
#[expect(missing_debug_implementations, reason = "it holds secrets")]
pub struct SigningItem<'a> {
    /// The message.
    pub message: Message<'a>,
    /// Randomness: as [`Signature::sign`](crate::Signature::sign) takes it.
    pub coins: Option<&'a [u8]>,
    /// Where the signature goes: to the beginning, if it is shorter than the longest one.
    pub out: &'a mut [u8],
}

/// A signature before it is verified: by which key, of which message, its bytes.
pub(crate) type SignedBy<'a, K> = (&'a K, Message<'a>, &'a [u8]);

/// A key that has no contents yet.
pub trait Empty {
    /// The empty key.
    const EMPTY: Self;
}

/// Signs with an encoded key, in little memory if the feature `low-memory` is enabled.
pub(crate) fn sign_bytes<S: SignatureScheme>(
    scheme: &S,
    sk: &[u8],
    message: &Message<'_>,
    coins: Option<&[u8]>,
    out: &mut [u8],
) -> Result<usize, Error> {
    if cfg!(feature = "low-memory") {
        scheme.sign_low_memory(sk, message, coins, out)
    } else {
        scheme.sign(sk, message, coins, out)
    }
}

/// Derives the random bytes of a signature from the private key and the message alone.
#[cfg(feature = "alloc")]
pub(crate) fn derive_coins(sk: &[u8], message: &[u8], coins: &mut [u8]) {
    sponge::<RATE_256, SUFFIX_SHAKE>(&[b"oaklath derived coins", sk, message], coins);
}

/// Converts the outcome of a verification to a result.
pub(crate) fn valid(good: bool) -> Result<(), Error> {
    if good { Ok(()) } else { Err(Error::InvalidSignature) }
}
