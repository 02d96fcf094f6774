//! What Falcon of round 3 and FN-DSA differ in: how bytes hold numbers, what is hashed to a point, where a
//! nonce and the numbers of the sampler come from.
//!
//! FN-DSA is what the crate `fn-dsa` 0.4 makes of it, since no draft of FIPS 206 is public.
use oaklath_hash::keccak::SUFFIX_SHAKE;
use oaklath_hash::sha3::Squeeze;
use oaklath_poly::q12289::Format;
#[cfg(feature = "legacy")]
use oaklath_poly::q12289::FromHigh;
#[cfg(feature = "fn-dsa-draft")]
use oaklath_poly::q12289::FromLow;
#[cfg(feature = "fn-dsa-draft")]
use oaklath_simd::ct;
use oaklath_simd::{Simd, wipe};

#[cfg(feature = "legacy")]
use super::chacha::ChaCha;
#[cfg(feature = "fn-dsa-draft")]
use super::shake::Shake;
use super::stream::Source;
use super::verify::NONCE;
use crate::message::Formatted;
#[cfg(feature = "fn-dsa-draft")]
use crate::message::Representative;
use crate::{Error, Message};

/// Bytes of a hash of a public key.
pub(super) const PUBLIC_HASH: usize = 64;
/// Bytes of a hash of f and g, and of the seed of a signature of FN-DSA.
pub(super) const SECRET_HASH: usize = 40;

/// One of the two schemes.
pub(crate) trait Scheme: Send + Sync + core::fmt::Debug + 'static {
    /// How bytes hold numbers.
    type Format: Format;
    /// The random bytes of the sampler.
    type Source<S: Simd>: Source<S>;

    /// More attempts than a signature with a good key takes.
    const ATTEMPTS: u8;
    /// Bytes of a signature's randomness.
    const COINS: usize;
    /// Bytes at the end of a private key: a hash of the public one.
    const TAIL: usize;
    /// Whether public keys hold the values of h instead of its coefficients.
    const TRANSFORMED: bool;
    /// Whether every signature has the padded format.
    const PADDED: bool;
    /// The largest magnitude of a coefficient of s1. Of s2 it is the format's.
    const LARGEST: u16;

    /// What is hashed to a point, given to a function. `hash` is that of the public key.
    ///
    /// # Errors
    /// Of a form that is not signed.
    fn represent<R>(
        message: &Message<'_>,
        hash: &[u8],
        then: impl FnOnce(&Formatted<'_>) -> R,
    ) -> Result<R, Error>;

    /// Hashes f and g as a private key holds them.
    fn hash_secret(bytes: &[u8], hash: &mut [u8; SECRET_HASH]);

    /// Begins with `COINS` bytes.
    fn begin(
        randomness: &mut Randomness,
        coins: &[u8],
        secret: &[u8; SECRET_HASH],
        message: &Formatted<'_>,
    );

    /// The nonce and the stream of an attempt, one after the other.
    fn attempt(randomness: &mut Randomness, number: u8);
}

/// The randomness of a signature. Erased when dropped.
pub(crate) struct Randomness {
    /// The nonce of an attempt.
    pub(super) nonce: [u8; NONCE],
    /// What the sampler of an attempt begins with.
    pub(super) stream: Squeeze<136>,
    seed: [u8; SECRET_HASH],
}

impl Randomness {
    /// Nothing yet: it begins where it stays.
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

/// Falcon of round 3. A nonce of 40 bytes and a seed of 48 are given, and serve for all attempts.
#[cfg(feature = "legacy")]
#[derive(Debug)]
pub(crate) struct Round3;

#[cfg(feature = "legacy")]
impl Scheme for Round3 {
    type Format = FromHigh;
    type Source<S: Simd> = ChaCha<S>;

    const ATTEMPTS: u8 = u8::MAX;
    const COINS: usize = 88;
    const TAIL: usize = 0;
    const TRANSFORMED: bool = false;
    const PADDED: bool = false;
    const LARGEST: u16 = u16::MAX;

    fn represent<R>(
        message: &Message<'_>,
        _: &[u8],
        then: impl FnOnce(&Formatted<'_>) -> R,
    ) -> Result<R, Error> {
        Ok(then(&Formatted::round3(message)?))
    }

    fn hash_secret(_: &[u8], _: &mut [u8; SECRET_HASH]) {}

    fn begin(randomness: &mut Randomness, coins: &[u8], _: &[u8; SECRET_HASH], _: &Formatted<'_>) {
        let (nonce, seed) = coins.split_at(NONCE);
        randomness.nonce.copy_from_slice(nonce);
        randomness.stream.restart::<SUFFIX_SHAKE>(&[seed]);
    }

    fn attempt(_: &mut Randomness, _: u8) {}
}

/// FN-DSA. The message is hashed with the public key as ML-DSA hashes it, and every attempt has a nonce of its
/// own, by a seed that is hashed from f and g, the message and 40 random bytes.
#[cfg(feature = "fn-dsa-draft")]
#[derive(Debug)]
pub(crate) struct FnDsa;

#[cfg(feature = "fn-dsa-draft")]
impl Scheme for FnDsa {
    type Format = FromLow;
    type Source<S: Simd> = Shake;

    /// So many fail with a probability below 2^-256.
    const ATTEMPTS: u8 = 27;
    const COINS: usize = SECRET_HASH;
    const TAIL: usize = PUBLIC_HASH;
    const TRANSFORMED: bool = true;
    const PADDED: bool = true;
    const LARGEST: u16 = FromLow::LARGEST;

    fn represent<R>(
        message: &Message<'_>,
        hash: &[u8],
        then: impl FnOnce(&Formatted<'_>) -> R,
    ) -> Result<R, Error> {
        let mu = match message {
            Message::Mu(mu) => **mu,
            _ => Representative::Of(Formatted::standard(message)?).mu(hash),
        };
        Ok(then(&Formatted::bare(&mu)))
    }

    fn hash_secret(bytes: &[u8], hash: &mut [u8; SECRET_HASH]) {
        // Where it is: no copy of the state stays.
        let mut stream = Squeeze::<136>::empty();
        stream.restart::<SUFFIX_SHAKE>(&[bytes]);
        stream.read(hash);
    }

    fn begin(
        randomness: &mut Randomness,
        coins: &[u8],
        secret: &[u8; SECRET_HASH],
        message: &Formatted<'_>,
    ) {
        let mut parts = [&[][..]; 7];
        parts[0] = secret;
        parts[1..6].iter_mut().zip(message.pieces()).for_each(|(part, piece)| *part = piece);
        parts[6] = coins;
        randomness.stream.restart::<SUFFIX_SHAKE>(&parts);
        randomness.stream.read(&mut randomness.seed);
    }

    fn attempt(randomness: &mut Randomness, number: u8) {
        let Randomness { nonce, stream, seed } = randomness;
        stream.restart::<SUFFIX_SHAKE>(&[seed, &[number]]);
        stream.read(nonce);
        // It is given away with the signature. That of an attempt that fails says nothing either: it is a hash of
        // what nobody knows.
        nonce.iter_mut().for_each(|x| *x = ct::declassify(u64::from(*x)) as u8);
    }
}
