//! What a family of signature schemes implements, and what a parameter set of it says: the typed
//! layer and the layer of names are written once over these traits.
use core::fmt::Debug;

#[cfg(feature = "alloc")]
use oaklath_hash::sha3::Shake256;
use oaklath_params::sig::SigInfo;
use zeroize::Zeroize;

use crate::error::Error;
use crate::message::Message;

/// A parameter set of a signature scheme. Sealed: the types of this crate that are named after a
/// set, such as `MlDsa65`, `SlhDsaShake128f`, `FnDsa512` or `Falcon512`, each with the feature of
/// its family.
///
/// ```
/// # #[cfg(feature = "ml-dsa")] {
/// use oaklath_sig::{MlDsa65, SignatureSet};
/// assert_eq!(MlDsa65::INFO.signature, 3309);
/// # }
/// ```
pub trait SignatureSet: SetParts + Copy + Default + Debug + Send + Sync + 'static {
    /// Its row in the table: names, sizes, level, status.
    const INFO: &'static SigInfo;
}

/// What a set is made of. Not nameable outside this crate; seeds, coins and keys are arrays of
/// bytes.
pub trait SetParts {
    /// The random bytes that a key pair is made from.
    type Seed: Bytes;
    /// The random bytes of a signature.
    type Coins: Bytes;
    type PublicKey: Bytes;
    type SecretKey: Bytes;
    type Signature: SignatureBuffer;
    type Scheme: SignatureScheme;
    const SCHEME: &'static Self::Scheme;
}

/// Byte strings of one length.
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

/// Room for a signature: an array, or for long signatures and those whose length varies the heap.
pub trait SignatureBuffer: AsRef<[u8]> + AsMut<[u8]> + Clone + Send + Sync + 'static {
    /// `len` zeros.
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

/// A family of signature schemes with the numbers of a parameter set. All keys and random inputs
/// have the lengths of the set, and so do outputs; signatures to verify have any. Expanded keys
/// begin as `EMPTY` and are filled where they stay, since a key that is moved leaves a copy behind.
pub trait SignatureScheme: Debug + Send + Sync + 'static {
    /// A private key expanded for many signatures.
    type SigningKey: Empty + Send + Sync + 'static;
    /// A public key expanded for many verifications.
    type VerifyingKey: Empty + Clone + Send + Sync + 'static;
    /// Whether every signature takes randomness: there is no deterministic form.
    const NEEDS_COINS: bool = false;
    /// Whether [`sign_low_memory`](Self::sign_low_memory) differs from [`sign`](Self::sign).
    const HAS_LOW_MEMORY: bool = false;

    /// Writes both keys of a seed.
    fn keygen(&self, seed: &[u8], pk: &mut [u8], sk: &mut [u8]);

    /// Computes the public key of a private one, and checks that the parts of that one agree.
    ///
    /// # Errors
    /// Those of [`Signature::public_key`](crate::Signature::public_key), except of a length.
    fn public_key(&self, sk: &[u8], pk: &mut [u8]) -> Result<(), Error>;

    /// Checks the encoding of a public key.
    ///
    /// # Errors
    /// [`Error::PublicKeyEncoding`].
    fn check_public_key(&self, _pk: &[u8]) -> Result<(), Error> {
        Ok(())
    }

    /// Signs with the bytes of a private key. Returns the length of the signature.
    ///
    /// # Errors
    /// Those of [`Signature::sign`](crate::Signature::sign), except of a length.
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
    /// As [`sign`](Self::sign).
    fn sign_low_memory(
        &self,
        sk: &[u8],
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        self.sign(sk, message, coins, out)
    }

    /// Verifies with the bytes of a public key.
    ///
    /// # Errors
    /// Those of [`Signature::verify`](crate::Signature::verify), except of the key's length.
    fn verify(&self, pk: &[u8], message: &Message<'_>, signature: &[u8]) -> Result<(), Error>;

    /// Verifies as [`verify`](Self::verify) does, with the largest part of its memory on the heap.
    ///
    /// # Errors
    /// As [`verify`](Self::verify).
    #[cfg(feature = "alloc")]
    fn verify_on_heap(
        &self,
        pk: &[u8],
        message: &Message<'_>,
        signature: &[u8],
    ) -> Result<(), Error> {
        self.verify(pk, message, signature)
    }

    /// Expands the bytes of a private key.
    ///
    /// # Errors
    /// [`Error::SecretKeyEncoding`], [`Error::SecretKeyInconsistent`].
    fn expand_signing(&self, key: &mut Self::SigningKey, sk: &[u8]) -> Result<(), Error>;

    /// Signs as [`sign`](Self::sign) does, with an expanded key.
    ///
    /// # Errors
    /// As [`sign`](Self::sign).
    fn sign_expanded(
        &self,
        key: &Self::SigningKey,
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error>;

    /// Signs one of many messages. Returns the length of the signature.
    ///
    /// # Errors
    /// As [`sign`](Self::sign).
    fn sign_item(
        &self,
        key: &Self::SigningKey,
        item: &mut SigningItem<'_>,
    ) -> Result<usize, Error> {
        self.sign_expanded(key, &item.message, item.coins, item.out)
    }

    /// Signs many messages, side by side where the scheme gains from that.
    fn sign_many(
        &self,
        key: &Self::SigningKey,
        items: &mut [SigningItem<'_>],
        results: &mut [Result<usize, Error>],
    ) {
        for (item, result) in items.iter_mut().zip(results) {
            *result = self.sign_item(key, item);
        }
    }

    /// Expands the bytes of a public key.
    ///
    /// # Errors
    /// [`Error::PublicKeyEncoding`].
    fn expand_verifying(&self, key: &mut Self::VerifyingKey, pk: &[u8]) -> Result<(), Error>;

    /// Verifies as [`verify`](Self::verify) does, with an expanded key.
    ///
    /// # Errors
    /// As [`verify`](Self::verify).
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
#[derive(Debug)]
pub struct SigningItem<'a> {
    /// The message.
    pub message: Message<'a>,
    /// Randomness: as [`Signature::sign`](crate::Signature::sign) takes it.
    pub coins: Option<&'a [u8]>,
    /// Where the signature goes: to the beginning.
    pub out: &'a mut [u8],
}

/// A signature before it is verified: by which key, of which message, its bytes.
pub(crate) type SignedBy<'a, K> = (&'a K, Message<'a>, &'a [u8]);

/// A key without contents yet.
pub trait Empty {
    /// The empty key.
    const EMPTY: Self;
}

/// Signs with the bytes of a key as the features of this build say.
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

/// Fills random bytes for a signature that depend on the private key and the message alone.
#[cfg(feature = "alloc")]
pub(crate) fn derive_coins(sk: &[u8], message: &[u8], coins: &mut [u8]) {
    let hash = Shake256::new().chain(b"oaklath derived coins").chain(sk);
    hash.chain(message).finish().read(coins);
}

/// The result of a verification.
pub(crate) fn valid(good: bool) -> Result<(), Error> {
    if good { Ok(()) } else { Err(Error::InvalidSignature) }
}
