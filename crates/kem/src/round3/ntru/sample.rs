//! Short polynomials from random bytes: NTRU round 3, section 1.10. The last coefficient is 0.
use oaklath_poly::{sort, trits};
use oaklath_simd::{Simd, ct::Mask, vectorize};

use super::params::{NtruFamily, NtruParams};

/// `Sample_fg`: draws f and g. Out of line.
#[inline(never)]
pub(super) fn sample_f_and_g<S: Simd>(
    s: S,
    p: &NtruParams,
    bytes: &[u8],
    f: &mut [i16],
    g: &mut [i16],
) {
    vectorize!(s => {
        let (first, second) = bytes.split_at(p.uniform());
        ternary(s, p, first, f);
        match p.family {
            NtruFamily::Hps => fixed_weight(s, p, second, g),
            NtruFamily::Hrss => {
                ternary(s, p, second, g);
                make_plus(p, f);
                make_plus(p, g);
            }
        }
    });
}

/// `Sample_rm`: draws r and m. Out of line.
#[inline(never)]
pub(super) fn sample_r_and_m<S: Simd>(
    s: S,
    p: &NtruParams,
    bytes: &[u8],
    r: &mut [i16],
    m: &mut [i16],
) {
    vectorize!(s => {
        let (first, second) = bytes.split_at(p.uniform());
        ternary(s, p, first, r);
        match p.family {
            NtruFamily::Hps => fixed_weight(s, p, second, m),
            NtruFamily::Hrss => ternary(s, p, second, m),
        }
    });
}

/// `Ternary`: draws uniform trits.
#[inline(always)]
fn ternary<S: Simd>(s: S, p: &NtruParams, bytes: &[u8], f: &mut [i16]) {
    let (f, rest) = f.split_at_mut(p.n - 1);
    trits::from_bytes(s, bytes, f);
    rest.fill(0);
}

/// `Fixed_Type`: draws trits of fixed weight.
#[inline(always)]
fn fixed_weight<S: Simd>(s: S, p: &NtruParams, bytes: &[u8], f: &mut [i16]) {
    let (f, rest) = f.split_at_mut(p.n - 1);
    sort::fixed_weight(s, bytes, p.weight(), f);
    rest.fill(0);
}

/// The last step of `Ternary_Plus`: negates the even coefficients if the sum of the products of
/// neighbours is negative.
#[inline(always)]
fn make_plus(p: &NtruParams, f: &mut [i16]) {
    let f = &mut f[..p.n];
    let mut sum = 0_i16;
    for pair in f.windows(2) {
        sum += pair[0] * pair[1];
    }
    let negative = Mask::from_bit(sum as u16 as u64 >> 15).select(1, u64::MAX) as i16;
    for even in f.iter_mut().step_by(2) {
        *even = even.wrapping_mul(negative);
    }
}
