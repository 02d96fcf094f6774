//! Verification: Falcon, Algorithm 16. Everything here is public.
use oaklath_poly::q12289::{self as ring, Factor, NttPoly, Poly};
use oaklath_simd::{Simd, scratch};

use super::encoding::{decode_public, decode_signature};
use super::variant::{FalconVariant, NONCE, PUBLIC_HASH};
use crate::scheme::Empty;

/// A public key prepared for products.
#[derive(Clone)]
#[expect(missing_debug_implementations, reason = "it is behind keys that print their set")]
pub struct FnDsaVerifyingKey<const N: usize> {
    h: Factor<N>,
    /// The hash of the key, if the variant hashes messages with it.
    pub(super) hash: [u8; PUBLIC_HASH],
}

impl<const N: usize> Empty for FnDsaVerifyingKey<N> {
    const EMPTY: Self = Self { h: Factor::new([0; N]), hash: [0; PUBLIC_HASH] };
}

impl<const N: usize> FnDsaVerifyingKey<N> {
    /// Fills the polynomial from an encoded key of the right length. Returns `None` if the encoding
    /// is invalid.
    #[inline(always)]
    pub(super) fn fill<S: Simd, V: FalconVariant>(&mut self, s: S, pk: &[u8]) -> Option<()> {
        scratch!(h_hat: NttPoly<N>);
        decode_public::<S, V, N>(s, pk, h_hat)?;
        ring::prepare(s, h_hat, &mut self.h);
        Some(())
    }

    /// Returns whether a signature is valid: the squared norm of (s1, s2) must be at most `bound`
    /// and, for FN-DSA, all coefficients must be within their bounds. `point` writes what nonce and
    /// message are hashed to.
    #[inline(always)]
    pub(super) fn verify<S: Simd, V: FalconVariant>(
        &self,
        s: S,
        bound: u32,
        (signature, padded): (&[u8], usize),
        point: impl FnOnce(&[u8; NONCE], &mut Poly<N>),
    ) -> bool {
        scratch!(s2: Poly<N>, s2_hat: NttPoly<N>, product_hat: NttPoly<N>);
        scratch!(product: Poly<N>, c: Poly<N>);
        let Some(nonce) = decode_signature::<S, V, N>(s, signature, padded, s2) else {
            return false;
        };
        ring::ntt(s, s2, s2_hat);
        ring::multiply(s, s2_hat, &self.h, product_hat);
        ring::inverse_ntt(s, product_hat, product);
        point(nonce, c);
        let within =
            V::LARGEST == u16::MAX || ring::difference_is_within(s, c, product, V::LARGEST);
        let norm = ring::difference_norm(s, c, product) + ring::square_norm(s, s2);
        within && norm <= u64::from(bound)
    }
}
