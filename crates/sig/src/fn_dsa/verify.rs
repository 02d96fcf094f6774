//! Verification: Falcon, Algorithm 16. Everything here is public.
use oaklath_poly::q12289::{self as ring, Factor, NttPoly, Poly};
use oaklath_simd::{Simd, scratch};

use super::encoding::{decode_public, decode_signature, hash_to_point};
use super::variant::FalconVariant;
use crate::message::Formatted;
use crate::scheme::Empty;

/// A public key ready for products.
#[derive(Clone)]
pub(super) struct ExpandedPublicKey<const N: usize>(Factor<N>);

impl<const N: usize> Empty for ExpandedPublicKey<N> {
    const EMPTY: Self = Self(Factor::new([0; N]));
}

impl<const N: usize> ExpandedPublicKey<N> {
    /// Fills the key from bytes of the right length. Returns nothing if they are not an encoding.
    #[inline(always)]
    pub(super) fn fill<S: Simd, V: FalconVariant>(&mut self, s: S, pk: &[u8]) -> Option<()> {
        scratch!(h_hat: NttPoly<N>);
        decode_public::<S, V, N>(s, pk, h_hat)?;
        ring::prepare(s, h_hat, &mut self.0);
        Some(())
    }

    /// Returns whether a signature is valid: the squared norm of (s1, s2) at most `bound`, and of FN-DSA all
    /// coefficients within theirs.
    #[inline(always)]
    pub(super) fn verify<S: Simd, V: FalconVariant>(
        &self,
        s: S,
        bound: u32,
        message: &Formatted<'_>,
        signature: &[u8],
        padded: usize,
    ) -> bool {
        scratch!(s2: Poly<N>, s2_hat: NttPoly<N>, product_hat: NttPoly<N>);
        scratch!(product: Poly<N>, c: Poly<N>);
        let Some(nonce) = decode_signature::<S, V, N>(s, signature, padded, s2) else {
            return false;
        };
        ring::ntt(s, s2, s2_hat);
        ring::multiply(s, s2_hat, &self.0, product_hat);
        ring::inverse_ntt(s, product_hat, product);
        hash_to_point::<S, V::Format, N>(s, nonce, message, c);
        let within =
            V::LARGEST == u16::MAX || ring::difference_is_within(s, c, product, V::LARGEST);
        let norm = ring::difference_norm(s, c, product) + ring::square_norm(s, s2);
        within && norm <= u64::from(bound)
    }
}
