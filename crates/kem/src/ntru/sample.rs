//! Short polynomials from random bytes: NTRU round 3, section 1.10. The last coefficient is 0.
use oaklath_poly::pow2::Poly;
use oaklath_poly::{sort, trits};
use oaklath_simd::{Simd, ct::Mask};

use super::params::{Family, Params};

/// `Sample_fg`: f and g.
#[inline(always)]
pub(super) fn f_and_g<S: Simd, const L: usize>(
    s: S,
    p: &Params,
    bytes: &[u8],
    f: &mut Poly<L>,
    g: &mut Poly<L>,
) {
    let (first, second) = bytes.split_at(p.uniform());
    ternary(p, first, f);
    match p.family {
        Family::Hps => fixed_weight(s, p, second, g),
        Family::Hrss => {
            ternary(p, second, g);
            make_plus(p, f);
            make_plus(p, g);
        }
    }
}

/// `Sample_rm`: r and m.
#[inline(always)]
pub(super) fn r_and_m<S: Simd, const L: usize>(
    s: S,
    p: &Params,
    bytes: &[u8],
    r: &mut Poly<L>,
    m: &mut Poly<L>,
) {
    let (first, second) = bytes.split_at(p.uniform());
    ternary(p, first, r);
    match p.family {
        Family::Hps => fixed_weight(s, p, second, m),
        Family::Hrss => ternary(p, second, m),
    }
}

/// `Ternary`.
#[inline(always)]
fn ternary<const L: usize>(p: &Params, bytes: &[u8], f: &mut Poly<L>) {
    let (f, rest) = f.as_flattened_mut().split_at_mut(p.n - 1);
    trits::from_bytes(bytes, f);
    rest.fill(0);
}

/// `Fixed_Type`.
#[inline(always)]
fn fixed_weight<S: Simd, const L: usize>(s: S, p: &Params, bytes: &[u8], f: &mut Poly<L>) {
    let (f, rest) = f.as_flattened_mut().split_at_mut(p.n - 1);
    sort::fixed_weight(s, bytes, p.weight(), f);
    rest.fill(0);
}

/// The last step of `Ternary_Plus`: the sum of products of neighbours is made non-negative by
/// negating the even coefficients.
#[inline(always)]
fn make_plus<const L: usize>(p: &Params, f: &mut Poly<L>) {
    let f = &mut f.as_flattened_mut()[..p.n];
    let mut sum = 0_i16;
    for pair in f.windows(2) {
        sum += pair[0] * pair[1];
    }
    let negative = Mask::from_bit(sum as u16 as u64 >> 15).select(1, u64::MAX) as i16;
    for even in f.iter_mut().step_by(2) {
        *even = even.wrapping_mul(negative);
    }
}
