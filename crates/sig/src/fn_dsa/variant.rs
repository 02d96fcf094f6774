//! The differences of FN-DSA and Falcon of round 3: how bytes hold numbers, what is hashed to a
//! point, and the sources of the nonce and of the sampler's numbers.
use core::fmt::Debug;

use oaklath_hash::sha3::Squeeze;
use oaklath_poly::q12289::Format;
use oaklath_simd::{Simd, wipe};

use super::stream::Source;
use crate::error::Error;
use crate::message::{Formatted, Message};

/// Bytes of a nonce.
pub(crate) const NONCE: usize = 40;
/// Bytes of a hash of a public key.
pub(crate) const PUBLIC_HASH: usize = 64;
/// Bytes of a hash of f and g, and of the seed of a signature of FN-DSA.
pub(crate) const SECRET_HASH: usize = 40;

/// FN-DSA or Falcon.
pub(crate) trait FalconVariant: Debug + Send + Sync + 'static {
    /// How bytes hold numbers.
    type Format: Format;
    /// The random bytes of the sampler.
    type Source<S: Simd>: Source<S>;

    /// The limit on attempts, which signatures with valid keys do not reach.
    const ATTEMPTS: u8;
    /// Bytes of a signature's randomness.
    const COINS: usize;
    /// Bytes at the end of a private key: the hash of the public key.
    const TAIL: usize;
    /// Whether public keys hold the values of h instead of its coefficients.
    const TRANSFORMED: bool;
    /// Whether every signature has the padded format.
    const PADDED: bool;
    /// The largest magnitude of a coefficient of s1. That of s2 depends on the format.
    const LARGEST: u16;

    /// Returns the input of the hash to a point. `hash` is that of the public key.
    ///
    /// # Errors
    /// If the variant does not sign messages in this form.
    fn format<'a>(message: &Message<'a>, hash: &[u8]) -> Result<Formatted<'a>, Error>;

    /// Hashes f and g as a private key holds them.
    fn hash_secret(bytes: &[u8], hash: &mut [u8; SECRET_HASH]);

    /// Starts the randomness of a signature from `COINS` bytes.
    fn begin(
        randomness: &mut Randomness,
        coins: &[u8],
        secret: &[u8; SECRET_HASH],
        message: &Formatted<'_>,
    );

    /// Derives the nonce and the stream of the next attempt.
    fn attempt(randomness: &mut Randomness, number: u8);
}

/// The randomness of a signature. Erased when dropped.
pub(crate) struct Randomness {
    /// The nonce of an attempt.
    pub(crate) nonce: [u8; NONCE],
    /// The stream with which the sampler of an attempt starts.
    pub(crate) stream: Squeeze<136>,
    pub(crate) seed: [u8; SECRET_HASH],
}

impl Randomness {
    /// Returns empty randomness, which is started in place.
    #[inline(always)]
    pub(super) fn empty() -> Self {
        Self { nonce: [0; NONCE], stream: Squeeze::empty(), seed: [0; SECRET_HASH] }
    }
}

impl Drop for Randomness {
    fn drop(&mut self) {
        wipe(&mut self.seed);
    }
}
