//! The places where round-3 Kyber differs from ML-KEM: FIPS 203, appendix C.
use oaklath_hash::blocks::{Blocks, Ends};
use oaklath_simd::Simd;

/// A variant of the algorithm. [`MlKem`] implements FIPS 203.
pub trait MlKemVariant: Send + Sync + 'static {
    /// Returns the bytes, derived from the rank, that are hashed after d: Algorithm 13, line 1.
    fn seed_suffix(k: &[u8; 1]) -> &[u8];

    /// Writes m, derived from the random bytes of Algorithm 20, line 1.
    fn message_from<S: Simd>(s: S, random: &[u8; 32], m: &mut [u8; 32]);

    /// Returns the blocks that are hashed to `K_bar`: Algorithm 18, line 7.
    fn rejection_input<'a>(ends: &'a mut Ends, z: &[u8; 32], c: &'a [u8]) -> Blocks<'a>;

    /// Returns the replacement of K' for a rejected ciphertext: Algorithm 18, line 10.
    fn rejection_key<'a>(K_bar: &'a [u8; 32], z: &'a [u8; 32]) -> &'a [u8; 32];

    /// Writes the shared secret, derived from K and, in variants that call `hash_of_c`, the hash of
    /// the ciphertext: Algorithm 17, line 3, and Algorithm 18, line 12.
    fn shared_secret<S: Simd>(
        s: S,
        K: &[u8; 32],
        hash_of_c: impl FnOnce() -> [u8; 32],
        shared: &mut [u8; 32],
    );
}

/// FIPS 203.
#[cfg(feature = "ml-kem")]
#[derive(Clone, Copy, Debug)]
pub struct MlKem;

#[cfg(feature = "ml-kem")]
impl MlKemVariant for MlKem {
    /// (rho, sigma) <- G(d || k).
    #[inline(always)]
    fn seed_suffix(k: &[u8; 1]) -> &[u8] {
        k
    }

    /// m is random.
    #[inline(always)]
    fn message_from<S: Simd>(_: S, random: &[u8; 32], m: &mut [u8; 32]) {
        m.copy_from_slice(random);
    }

    /// `K_bar` <- J(z || c).
    #[inline(always)]
    fn rejection_input<'a>(ends: &'a mut Ends, z: &[u8; 32], c: &'a [u8]) -> Blocks<'a> {
        ends.shake(z, c)
    }

    /// K' <- `K_bar`.
    #[inline(always)]
    fn rejection_key<'a>(K_bar: &'a [u8; 32], _: &'a [u8; 32]) -> &'a [u8; 32] {
        K_bar
    }

    /// K is the shared secret.
    #[inline(always)]
    fn shared_secret<S: Simd>(
        _: S,
        K: &[u8; 32],
        _: impl FnOnce() -> [u8; 32],
        shared: &mut [u8; 32],
    ) {
        shared.copy_from_slice(K);
    }
}
