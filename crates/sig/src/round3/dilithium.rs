//! Dilithium (round 3, version 3.1): the differences from ML-DSA.
use oaklath_hash::keccak::{RATE_256, SUFFIX_SHAKE};
use oaklath_hash::sha3::sponge;

use crate::error::Error;
use crate::message::{Formatted, Message};
use crate::ml_dsa::lanes::ShakeSampling;
use crate::ml_dsa::variant::MlDsaVariant;

/// Dilithium, round 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    not(feature = "dilithium"),
    expect(unreachable_pub, reason = "Dilithium-AES takes its numbers")
)]
pub enum Dilithium {}

impl MlDsaVariant for Dilithium {
    const TR: usize = 32;
    const C_TILDE: [usize; 3] = [32; 3];
    /// The random bytes are rho' itself.
    const COINS: usize = 64;
    type Sampling = ShakeSampling;

    fn seed_suffix(_: &[u8; 2]) -> &[u8] {
        &[]
    }

    /// The message alone: there is no context.
    fn format<'a>(message: &Message<'a>) -> Result<Formatted<'a>, Error> {
        Formatted::round3(message)
    }

    /// rho' of signing: random, or hashed from K and mu.
    fn mask_seed(key: &[u8; 32], coins: Option<&[u8]>, mu: &[u8; 64], rho2: &mut [u8; 64]) {
        match coins {
            Some(random) => rho2.copy_from_slice(random),
            None => sponge::<RATE_256, SUFFIX_SHAKE>(&[key, mu], rho2),
        }
    }
}
