//! Polynomials as bytes: NTRU round 3, section 1.8.
use oaklath_poly::{bits, trits};
use oaklath_simd::{Simd, vectorize};

use super::params::NtruParams;

/// `pack_S3`: writes the first n - 1 coefficients as trits. Out of line.
#[inline(never)]
pub(super) fn write_trits<S: Simd>(s: S, p: &NtruParams, f: &[i16], bytes: &mut [u8]) {
    vectorize!(s => trits::pack(s, &f[..p.n - 1], bytes));
}

/// `unpack_S3`: reads n - 1 trits; the last coefficient is 0. Out of line.
#[inline(never)]
pub(super) fn read_trits<S: Simd>(s: S, p: &NtruParams, bytes: &[u8], f: &mut [i16]) {
    vectorize!(s => {
        let (f, rest) = f.split_at_mut(p.n - 1);
        trits::unpack(s, bytes, f);
        rest.fill(0);
    });
}

/// `pack_Sq` and `pack_Rq0`: writes the first n - 1 coefficients modulo q.
#[inline(always)]
pub(super) fn write_coefficients<S: Simd>(s: S, p: &NtruParams, f: &[i16], bytes: &mut [u8]) {
    let f = &f[..p.n - 1];
    bits::pack(s, p.log_q as usize, f, bytes);
}

/// `unpack_Sq`: reads n - 1 coefficients; the last one is 0.
#[inline(always)]
pub(super) fn read_coefficients<S: Simd>(s: S, p: &NtruParams, bytes: &[u8], f: &mut [i16]) {
    let (f, rest) = f.split_at_mut(p.n - 1);
    bits::unpack(s, p.log_q as usize, bytes, f);
    rest.fill(0);
}

/// `unpack_Rq0`: reads n - 1 coefficients; the last one is such that their sum is 0.
#[inline(always)]
pub(super) fn read_sum_zero<S: Simd>(s: S, p: &NtruParams, bytes: &[u8], f: &mut [i16]) {
    read_coefficients(s, p, bytes, f);
    let sum = f[..p.n - 1].iter().fold(0_i16, |sum, x| sum.wrapping_add(*x));
    f[p.n - 1] = sum.wrapping_neg();
}

/// Reports whether the bits after the last coefficient are 0.
#[inline(always)]
pub(super) fn ends_with_zero_bits(p: &NtruParams, bytes: &[u8]) -> bool {
    let free = 8 * bytes.len() - (p.n - 1) * p.log_q as usize;
    bytes.last().is_none_or(|last| u32::from(*last) >> (8 - free) == 0)
}
