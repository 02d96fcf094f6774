//! The functions of the ring with the numbers of a set: which of their two variants, chosen when
//! this is compiled.
use oaklath_poly::q8380417::{self as ring, Challenge, Entry, Poly, Small, Sums};
use oaklath_simd::Simd;

use super::params::Params;

/// A matrix of `K` times `L` polynomials.
pub(super) struct Shape<const K: usize, const L: usize>;

impl<const K: usize, const L: usize> Shape<K, L> {
    pub(super) const P: Params = Params::of(K, L);

    #[inline(always)]
    pub(super) fn encode_eta<S: Simd>(s: S, f: &Poly, bytes: &mut [u8]) {
        if const { Self::P.eta == 2 } {
            ring::encode_eta::<S, 2>(s, f, bytes);
        } else {
            ring::encode_eta::<S, 4>(s, f, bytes);
        }
    }

    #[inline(always)]
    pub(super) fn decode_eta<S: Simd>(s: S, bytes: &[u8], f: &mut [i8; 256]) -> bool {
        if const { Self::P.eta == 2 } {
            ring::decode_eta::<S, 2>(s, bytes, f)
        } else {
            ring::decode_eta::<S, 4>(s, bytes, f)
        }
    }

    #[inline(always)]
    pub(super) fn reject_nibbles_vartime<S: Simd>(
        s: S,
        block: &[u8],
        f: &mut Entry<()>,
        n: usize,
    ) -> usize {
        if const { Self::P.eta == 2 } {
            ring::reject_nibbles_vartime::<S, 2>(s, block, f, n)
        } else {
            ring::reject_nibbles_vartime::<S, 4>(s, block, f, n)
        }
    }

    #[inline(always)]
    pub(super) fn finish_nibbles<S: Simd>(s: S, nibbles: &Entry<()>, f: &mut Poly) {
        if const { Self::P.eta == 2 } {
            ring::finish_nibbles::<S, 2>(s, nibbles, f);
        } else {
            ring::finish_nibbles::<S, 4>(s, nibbles, f);
        }
    }

    #[inline(always)]
    pub(super) fn decode_mask<S: Simd>(s: S, bytes: &[u8], f: &mut Poly) {
        if const { Self::P.z_bits == 18 } {
            ring::decode_mask::<S, 18>(s, bytes, f);
        } else {
            ring::decode_mask::<S, 20>(s, bytes, f);
        }
    }

    #[inline(always)]
    pub(super) fn encode_z<S: Simd>(s: S, f: &Poly, bytes: &mut [u8]) {
        if const { Self::P.z_bits == 18 } {
            ring::encode_z::<S, 18>(s, f, bytes);
        } else {
            ring::encode_z::<S, 20>(s, f, bytes);
        }
    }

    #[inline(always)]
    pub(super) fn decode_z<S: Simd>(s: S, bytes: &[u8], f: &mut Poly) -> bool {
        let bound = const { Self::P.z_bound() };
        if const { Self::P.z_bits == 18 } {
            ring::decode_z::<S, 18>(s, bytes, f, bound)
        } else {
            ring::decode_z::<S, 20>(s, bytes, f, bound)
        }
    }

    #[inline(always)]
    pub(super) fn decompose_encode<S: Simd>(s: S, w: &mut Poly, w1: &mut [u8]) {
        if const { Self::P.m == 16 } {
            ring::decompose_encode::<S, 16>(s, w, w1);
        } else {
            ring::decompose_encode::<S, 44>(s, w, w1);
        }
    }

    #[inline(always)]
    pub(super) fn use_hint_encode<S: Simd>(s: S, w: &Poly, hint: &[i8; 256], w1: &mut [u8]) {
        if const { Self::P.m == 16 } {
            ring::use_hint_encode::<S, 16>(s, w, hint, w1);
        } else {
            ring::use_hint_encode::<S, 44>(s, w, hint, w1);
        }
    }

    #[inline(always)]
    pub(super) fn make_hint<S: Simd>(
        s: S,
        r0: &Poly,
        ct0: &Poly,
        w1: &[u8],
        positions: &mut [u8],
        n: usize,
    ) -> Option<usize> {
        if const { Self::P.m == 16 } {
            ring::make_hint::<S, 16>(s, r0, ct0, w1, positions, n)
        } else {
            ring::make_hint::<S, 44>(s, r0, ct0, w1, positions, n)
        }
    }

    #[inline(always)]
    pub(super) fn multiply_small<S: Simd>(s: S, f: &Small, c: &Challenge, sums: &mut Sums) {
        if const { Self::P.wide_sums() } {
            ring::multiply_small::<S, true>(s, f, c, sums);
        } else {
            ring::multiply_small::<S, false>(s, f, c, sums);
        }
    }
}
