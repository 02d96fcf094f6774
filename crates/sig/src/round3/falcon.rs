//! Falcon of NIST's third round: specification 1.2, with the parameters of the code of 2021-11-01.
//!
//! Keys and signatures are bit for bit those of the reference for the same random bytes, at every
//! SIMD level and with either arithmetic. Signatures are compressed; verification also accepts the
//! padded and the constant-time format. Signing is randomised: two signatures of one message with
//! one nonce and different seeds would reveal the key. The implementation shared with FN-DSA is in
//! [`fn_dsa`](crate::fn_dsa).
use oaklath_hash::keccak::SUFFIX_SHAKE;
use oaklath_poly::q12289::FromHigh;
use oaklath_simd::Simd;

use self::chacha::ChaChaSource;
use crate::error::Error;
use crate::fn_dsa::variant::{FalconVariant, NONCE, Randomness, SECRET_HASH};
use crate::message::{Formatted, Message};

pub(crate) mod chacha;

/// Falcon of round 3. The given nonce of 40 bytes and seed of 48 bytes serve for all attempts.
#[derive(Debug)]
pub struct Falcon;

impl FalconVariant for Falcon {
    type Format = FromHigh;
    type Source<S: Simd> = ChaChaSource<S>;

    const ATTEMPTS: u8 = u8::MAX;
    const COINS: usize = 88;
    const TAIL: usize = 0;
    const TRANSFORMED: bool = false;
    const PADDED: bool = false;
    const LARGEST: u16 = u16::MAX;

    fn format<'a>(message: &Message<'a>, _: &[u8]) -> Result<Formatted<'a>, Error> {
        Formatted::round3(message)
    }

    fn hash_secret(_: &[u8], _: &mut [u8; SECRET_HASH]) {}

    fn begin(randomness: &mut Randomness, coins: &[u8], _: &[u8; SECRET_HASH], _: &Formatted<'_>) {
        let (nonce, seed) = coins.split_at(NONCE);
        randomness.nonce.copy_from_slice(nonce);
        randomness.stream.restart::<SUFFIX_SHAKE>(&[seed]);
    }

    fn attempt(_: &mut Randomness, _: u8) {}
}
