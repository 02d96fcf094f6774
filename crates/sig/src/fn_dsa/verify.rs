//! Verification: Falcon, Algorithm 16. Everything here is public.
use oaklath_poly::q12289::{self as ring, Factor, NttPoly, Poly};
use oaklath_simd::{dispatch, scratch};

use super::encoding::decode_public;
use super::variant::{FalconVariant, PUBLIC_HASH};
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
    pub(super) fn fill<V: FalconVariant>(&mut self, pk: &[u8]) -> Option<()> {
        scratch!(h_hat: NttPoly<N>);
        decode_public::<V, N>(pk, h_hat)?;
        dispatch!(s => ring::prepare(s, h_hat, &mut self.h));
        Some(())
    }

    /// Returns whether s2 of a signature is valid for c, to which nonce and message are hashed: the
    /// squared norm of (s1, s2) must be at most `bound`, and coefficients of s1 at most `largest`.
    pub(super) fn is_short(&self, s2: &Poly<N>, c: &Poly<N>, (bound, largest): (u32, u16)) -> bool {
        dispatch!(s => {
            scratch!(s2_hat: NttPoly<N>, product_hat: NttPoly<N>, product: Poly<N>);
            ring::ntt(s, s2, s2_hat);
            ring::multiply(s, s2_hat, &self.h, product_hat);
            ring::inverse_ntt(s, product_hat, product);
            let within =
                largest == u16::MAX || ring::difference_is_within(s, c, product, largest);
            let norm = ring::difference_norm(s, c, product) + ring::square_norm(s, s2);
            within && norm <= u64::from(bound)
        })
    }
}
