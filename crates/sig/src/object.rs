//! The object-safe layer: bytes in, bytes out, for whatever chooses algorithms by name.
#[cfg(feature = "alloc")]
use alloc::boxed::Box;
use core::fmt::Debug;

use oaklath_params::sig::{self, SigInfo};

#[cfg(feature = "alloc")]
use crate::slh;
use crate::{Error, Message, UnknownName};

/// A signature scheme. Lengths of everything are in [`info`](Self::info), but for those of the random
/// inputs, which are here.
///
/// Inputs of a wrong length are errors. Output buffers that are too short (for a key: of another
/// length) are mistakes of the program: they panic. After an error the outputs are zero.
pub trait Signature: Debug + Send + Sync {
    /// The row of the table.
    fn info(&self) -> &'static SigInfo;

    /// Bytes of randomness that a key pair is made from.
    fn seed_len(&self) -> usize;

    /// Bytes of randomness of a hedged or randomised signature.
    fn coins_len(&self) -> usize;

    /// Key generation.
    ///
    /// # Errors
    /// [`Error::SeedLength`].
    ///
    /// # Panics
    /// If `pk` or `sk` has the wrong length.
    fn keypair_from(&self, seed: &[u8], pk: &mut [u8], sk: &mut [u8]) -> Result<(), Error>;

    /// The public key of a private key, computed anew where it is not simply part of it, and a check
    /// that all parts of the private key belong together.
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`], [`Error::SecretKeyEncoding`], [`Error::SecretKeyInconsistent`].
    ///
    /// # Panics
    /// If `pk` has the wrong length.
    fn public_key(&self, sk: &[u8], pk: &mut [u8]) -> Result<(), Error>;

    /// Signs. Without `coins` the signature is deterministic, with them hedged (in the round-3
    /// schemes randomised). Returns the length of the signature, which is at the beginning of `out`.
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`], [`Error::SecretKeyEncoding`], [`Error::CoinsLength`],
    /// [`Error::ContextLength`], [`Error::DigestLength`], [`Error::MessageForm`].
    ///
    /// # Panics
    /// If `out` is shorter than the longest signature.
    fn sign(
        &self,
        sk: &[u8],
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error>;

    /// Verifies.
    ///
    /// # Errors
    /// [`Error::InvalidSignature`], also where its length is wrong; [`Error::PublicKeyLength`],
    /// [`Error::PublicKeyEncoding`], [`Error::ContextLength`], [`Error::DigestLength`],
    /// [`Error::MessageForm`].
    fn verify(&self, pk: &[u8], message: &Message<'_>, signature: &[u8]) -> Result<(), Error>;

    /// Checks and parses a private key once, for many signatures.
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`], [`Error::SecretKeyEncoding`].
    #[cfg(feature = "alloc")]
    fn prepare_signer(&self, sk: &[u8]) -> Result<Box<dyn Sign>, Error>;

    /// Checks and parses a public key once, for many verifications.
    ///
    /// # Errors
    /// [`Error::PublicKeyLength`], [`Error::PublicKeyEncoding`].
    #[cfg(feature = "alloc")]
    fn prepare_verifier(&self, pk: &[u8]) -> Result<Box<dyn Verify>, Error>;
}

/// A private key ready for use. Erased when dropped.
#[cfg(feature = "alloc")]
pub trait Sign: Debug + Send + Sync {
    /// Signs, as [`Signature::sign`] does.
    ///
    /// # Errors
    /// As [`Signature::sign`], but for the key's.
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

/// A public key ready for use.
#[cfg(feature = "alloc")]
pub trait Verify: Debug + Send + Sync {
    /// Verifies, as [`Signature::verify`] does.
    ///
    /// # Errors
    /// As [`Signature::verify`], but for the key's.
    fn verify(&self, message: &Message<'_>, signature: &[u8]) -> Result<(), Error>;

    /// Verifies many signatures by this key, side by side where the scheme gains from that.
    ///
    /// # Panics
    /// If there is not one result for each signature.
    fn verify_many(&self, signatures: &[(Message<'_>, &[u8])], results: &mut [Result<(), Error>]) {
        assert_eq!(signatures.len(), results.len(), "a result for each signature");
        for ((message, signature), result) in signatures.iter().zip(results) {
            *result = self.verify(message, signature);
        }
    }
}

static ALL: &[&dyn Signature] = &[
    #[cfg(feature = "alloc")]
    &slh::SHA2_128S,
    #[cfg(feature = "alloc")]
    &slh::SHA2_128F,
    #[cfg(feature = "alloc")]
    &slh::SHA2_192S,
    #[cfg(feature = "alloc")]
    &slh::SHA2_192F,
    #[cfg(feature = "alloc")]
    &slh::SHA2_256S,
    #[cfg(feature = "alloc")]
    &slh::SHA2_256F,
    #[cfg(feature = "alloc")]
    &slh::SHAKE_128S,
    #[cfg(feature = "alloc")]
    &slh::SHAKE_128F,
    #[cfg(feature = "alloc")]
    &slh::SHAKE_192S,
    #[cfg(feature = "alloc")]
    &slh::SHAKE_192F,
    #[cfg(feature = "alloc")]
    &slh::SHAKE_256S,
    #[cfg(feature = "alloc")]
    &slh::SHAKE_256F,
    #[cfg(all(feature = "alloc", feature = "legacy"))]
    &slh::SPHINCS_128S,
    #[cfg(all(feature = "alloc", feature = "legacy"))]
    &slh::SPHINCS_128F,
    #[cfg(all(feature = "alloc", feature = "legacy"))]
    &slh::SPHINCS_192S,
    #[cfg(all(feature = "alloc", feature = "legacy"))]
    &slh::SPHINCS_192F,
    #[cfg(all(feature = "alloc", feature = "legacy"))]
    &slh::SPHINCS_256S,
    #[cfg(all(feature = "alloc", feature = "legacy"))]
    &slh::SPHINCS_256F,
];

/// Every signature scheme of this build.
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

/// The scheme of a name in any vocabulary: `ML-DSA-65`, `mldsa65`, `DILITHIUM_LEVEL3`, an OID, a TLS
/// signature scheme; see [`oaklath_params::sig::by_name`].
///
/// # Errors
/// If no algorithm of this build has the name. The error says whether another build has it, or
/// which name is close.
pub fn by_name(name: &str) -> Result<&'static dyn Signature, UnknownName> {
    let known = sig::by_name(name);
    known.and_then(by_info).ok_or(UnknownName { known, suggestion: sig::suggest(name) })
}

/// The scheme of a row of the table, if this build has it.
#[must_use]
pub fn by_info(info: &'static SigInfo) -> Option<&'static dyn Signature> {
    ALL.iter().copied().find(|scheme| core::ptr::eq(scheme.info(), info))
}
