//! ML-DSA as a variant: FIPS 204, where Dilithium of round 3 differs.
use oaklath_hash::keccak::{RATE_256, SUFFIX_SHAKE};
use oaklath_hash::sha3::sponge;

use super::lanes::ShakeSampling;
use super::params::SEED;
use super::variant::MlDsaVariant;
use crate::error::Error;
use crate::message::{Formatted, Message};

/// ML-DSA, FIPS 204.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MlDsaStandard {}

impl MlDsaVariant for MlDsaStandard {
    const TR: usize = 64;
    const C_TILDE: [usize; 3] = [32, 48, 64];
    const COINS: usize = 32;
    type Sampling = ShakeSampling;

    /// Algorithm 6, line 1: k and l separate the sets.
    fn seed_suffix(dimensions: &[u8; 2]) -> &[u8] {
        dimensions
    }

    /// Algorithms 2 and 4.
    fn format<'a>(message: &Message<'a>) -> Result<Formatted<'a>, Error> {
        Formatted::standard(message)
    }

    /// Algorithm 7, line 7: rho'' <- H(K || rnd || mu, 64), where rnd is zero in the deterministic
    /// variant.
    fn mask_seed(key: &[u8; SEED], coins: Option<&[u8]>, mu: &[u8; 64], rho2: &mut [u8; 64]) {
        let rnd = coins.unwrap_or(&[0; 32]);
        sponge::<RATE_256, SUFFIX_SHAKE>(&[key, rnd, mu], rho2);
    }
}
