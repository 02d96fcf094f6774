//! Kyber of round 3, version 3.02: the differences from ML-KEM (FIPS 203, appendix C). Kyber hashes
//! m before use, includes the hash of the ciphertext in the shared secret, and does not separate
//! the ranks in key generation.
#![expect(non_snake_case, reason = "notation of FIPS 203")]
use oaklath_hash::blocks::{Blocks, Ends};
use oaklath_hash::keccak::{RATE_256, SUFFIX_SHAKE};
use oaklath_hash::sha3::sponge;
use oaklath_simd::Simd;

use crate::ml_kem::variant::MlKemVariant;

/// Kyber of round 3.
#[derive(Clone, Copy, Debug)]
pub struct Kyber;

impl MlKemVariant for Kyber {
    /// (rho, sigma) <- G(d).
    #[inline(always)]
    fn seed_suffix(_: &[u8; 1]) -> &[u8] {
        &[]
    }

    /// m <- H(m).
    #[inline(always)]
    fn message_from<S: Simd>(s: S, random: &[u8; 32], m: &mut [u8; 32]) {
        Ends::empty().sha3(random).absorb(s, &mut [0; 25], 0, m);
    }

    /// H(c), an input of the KDF.
    #[inline(always)]
    fn rejection_input<'a>(ends: &'a mut Ends, _: &[u8; 32], c: &'a [u8]) -> Blocks<'a> {
        ends.sha3(c)
    }

    /// K' <- z.
    #[inline(always)]
    fn rejection_key<'a>(_: &'a [u8; 32], z: &'a [u8; 32]) -> &'a [u8; 32] {
        z
    }

    /// KDF(K || H(c)): SHAKE256.
    #[inline(always)]
    fn shared_secret<S: Simd>(
        _: S,
        K: &[u8; 32],
        hash_of_c: impl FnOnce() -> [u8; 32],
        shared: &mut [u8; 32],
    ) {
        sponge::<RATE_256, SUFFIX_SHAKE>(&[K, &hash_of_c()], shared);
    }
}
