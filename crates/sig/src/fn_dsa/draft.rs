//! FN-DSA as implemented by the crate `fn-dsa` 0.4, by one of Falcon's authors, since there is no
//! public draft of FIPS 206. **It will change with the standard: keys and signatures made today are
//! for experiments**, and have neither object identifiers nor certificates.
//!
//! | | FN-DSA, where it differs from Falcon of round 3 |
//! |---|---|
//! | bits and words | packed from the low end of bytes on |
//! | hashed to a point | a hash of the public key, domain, context and message, as in ML-DSA |
//! | public key | the values of h in the NTT domain, instead of its coefficients |
//! | private key | ends with the hash of the public one: SHAKE256, 64 bytes |
//! | signature | always padded, 666 or 1280 bytes |
//! | coefficients of a signature | at most 840, in s1 too |
//! | nonce | hashed from f and g, the message and 40 random bytes, anew in each attempt |
//! | numbers of the sampler | 80 bits of SHAKE256 each, and the bytes that decide on acceptance |
//!
//! Keys are those of Falcon for the same seed, not those of `fn-dsa`, whose generator draws other
//! numbers. Signatures equal those of `fn-dsa` for the same 40 random bytes, except for at most one
//! in thousands: if the centre of a number to be sampled is an integer, the last bit of a double
//! decides, and the two libraries round differently. Two libraries must therefore never sign the
//! same message with the same key and the same random bytes. The SIMD level and the arithmetic of
//! this crate make no difference.
use oaklath_hash::keccak::SUFFIX_SHAKE;
use oaklath_hash::sha3::Squeeze;
use oaklath_poly::q12289::{Format, FromLow};
use oaklath_simd::{Simd, ct};

use super::shake::ShakeSource;
use super::variant::{FalconVariant, PUBLIC_HASH, Randomness, SECRET_HASH};
use crate::error::Error;
use crate::message::{Formatted, Message};

/// FN-DSA. The message is hashed with the public key as in ML-DSA, and every attempt has its own
/// nonce, from a seed that is hashed from f and g, the message and 40 random bytes.
#[derive(Debug)]
pub struct FnDsaDraft;

impl FalconVariant for FnDsaDraft {
    type Format = FromLow;
    type Source<S: Simd> = ShakeSource;

    /// All attempts fail with a probability below 2^-256.
    const ATTEMPTS: u8 = 27;
    const COINS: usize = SECRET_HASH;
    const TAIL: usize = PUBLIC_HASH;
    const TRANSFORMED: bool = true;
    const PADDED: bool = true;
    const LARGEST: u16 = FromLow::LARGEST;

    fn format<'a>(message: &Message<'a>, hash: &[u8]) -> Result<Formatted<'a>, Error> {
        Ok(Formatted::of_mu(&match message {
            Message::Mu(mu) => **mu,
            _ => Formatted::standard(message)?.mu(hash),
        }))
    }

    fn hash_secret(bytes: &[u8], hash: &mut [u8; SECRET_HASH]) {
        // Restarted in place, so that no copy of the state remains.
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
        // The nonce is published with the signature. The nonce of a failed attempt reveals nothing
        // either: it is a hash of secrets.
        nonce.iter_mut().for_each(|x| *x = ct::declassify(u64::from(*x)) as u8);
    }
}
