//! Polynomials as bytes: NTRU round 3, section 1.8.
use oaklath_poly::pow2::Poly;
use oaklath_poly::{bits, trits};
use oaklath_simd::Simd;

use super::params::Params;

/// `pack_S3`: the first n - 1 coefficients.
#[inline(always)]
pub(super) fn write_trits<const L: usize>(p: &Params, f: &Poly<L>, bytes: &mut [u8]) {
    trits::pack(&f.as_flattened()[..p.n - 1], bytes);
}

/// `unpack_S3`: the last coefficient is 0.
#[inline(always)]
pub(super) fn read_trits<S: Simd, const L: usize>(s: S, p: &Params, bytes: &[u8], f: &mut Poly<L>) {
    let (f, rest) = f.as_flattened_mut().split_at_mut(p.n - 1);
    trits::unpack(s, bytes, f);
    rest.fill(0);
}

/// `pack_Sq` and `pack_Rq0`: the first n - 1 coefficients modulo q.
#[inline(always)]
pub(super) fn write_coefficients<S: Simd, const L: usize>(
    s: S,
    p: &Params,
    f: &Poly<L>,
    bytes: &mut [u8],
) {
    let f = &f.as_flattened()[..p.n - 1];
    match p.log_q {
        11 => bits::pack::<_, 11>(s, f, bytes),
        12 => bits::pack::<_, 12>(s, f, bytes),
        _ => bits::pack::<_, 13>(s, f, bytes),
    }
}

/// `unpack_Sq`: the last coefficient is 0.
#[inline(always)]
pub(super) fn read_coefficients<S: Simd, const L: usize>(
    s: S,
    p: &Params,
    bytes: &[u8],
    f: &mut Poly<L>,
) {
    let (f, rest) = f.as_flattened_mut().split_at_mut(p.n - 1);
    match p.log_q {
        11 => bits::unpack::<_, 11>(s, bytes, f),
        12 => bits::unpack::<_, 12>(s, bytes, f),
        _ => bits::unpack::<_, 13>(s, bytes, f),
    }
    rest.fill(0);
}

/// `unpack_Rq0`: the last coefficient makes the sum of all 0.
#[inline(always)]
pub(super) fn read_sum_zero<S: Simd, const L: usize>(
    s: S,
    p: &Params,
    bytes: &[u8],
    f: &mut Poly<L>,
) {
    read_coefficients(s, p, bytes, f);
    let f = f.as_flattened_mut();
    let sum = f[..p.n - 1].iter().fold(0_i16, |sum, x| sum.wrapping_add(*x));
    f[p.n - 1] = sum.wrapping_neg();
}

/// Whether the bits after the last coefficient are 0.
#[inline(always)]
pub(super) fn ends_with_zero_bits(p: &Params, bytes: &[u8]) -> bool {
    let free = 8 * bytes.len() - (p.n - 1) * p.log_q as usize;
    bytes.last().is_none_or(|last| u32::from(*last) >> (8 - free) == 0)
}
