//! The target of `ffSampling`, and the short vector (s1, s2) that follows from the sampled
//! coordinates.
use oaklath_poly::q12289::Poly;
use oaklath_simd::{F64s, Simd};

use super::fft::{ComplexLanes, inverse_fft, load, plus, store, times};
use super::numbers::Numbers;
use super::tree;
use super::variant::FalconVariant;

/// Returns the largest squared norm of a published signature: the current `verification_bound`.
const fn signing_bound(n: usize) -> u64 {
    use oaklath_params::sig::{ID_FALCON_512, ID_FALCON_1024};
    let identity = if n == 512 { &ID_FALCON_512 } else { &ID_FALCON_1024 };
    identity.verification_bound.expect("every identity of Falcon has one") as u64
}

/// 1 / q.
const INV_Q: f64 = 1.0 / 12289.0;

/// Computes (t0, t1) = (c, 0) B^-1 = (c b11, -c b01) / q from the second column of the basis.
#[inline(always)]
pub(super) fn target<S: Simd, A: Numbers<S>, const N: usize>(
    s: S,
    c: &Poly<N>,
    [b01, b11]: [&[A::Cell; N]; 2],
    [t0, t1]: [&mut [A::Cell; N]; 2],
) {
    tree::row::<S, A, N>(s, c, false, t0);
    let scale = |x: f64| A::Lanes::splat(s, A::constant(x));
    let (plus, minus) = (scale(INV_Q), scale(-INV_Q));
    let mut j = 0;
    while j < N >> 1 {
        let at = |x: &[A::Cell; N]| -> ComplexLanes<A::Lanes> { load(s, x, j) };
        let x = at(t0);
        let (a, b) = (times(x, at(b11)), times(x, at(b01)));
        store((a.0 * plus, a.1 * plus), t0, j);
        store((b.0 * minus, b.1 * minus), t1, j);
        j += A::Lanes::LANES;
    }
}

/// Computes z0 x + z1 y, transformed back.
#[inline(always)]
pub(super) fn combine<S: Simd, A: Numbers<S>, const N: usize>(
    s: S,
    [z0, z1]: [&[A::Cell; N]; 2],
    [x, y]: [&[A::Cell; N]; 2],
    sum: &mut [A::Cell; N],
) {
    let mut j = 0;
    while j < N >> 1 {
        let at = |x: &[A::Cell; N]| -> ComplexLanes<A::Lanes> { load(s, x, j) };
        store(plus(times(at(z0), at(x)), times(at(z1), at(y))), sum, j);
        j += A::Lanes::LANES;
    }
    inverse_fft::<S, A, N>(s, sum);
}

/// Divides by N / 2 what an inverse transform left too large by it, and rounds to integers.
#[inline(always)]
pub(super) fn rounded<S: Simd, A: Numbers<S>, const N: usize>(
    s: S,
    from: &[A::Cell; N],
    to: &mut Poly<N>,
) {
    let scale = A::Lanes::splat(s, A::constant(const { 2.0 / N as f64 }));
    let mut i = 0;
    while i < N {
        (A::Lanes::load(s, &from[i..]) * scale).round(&mut to[i..]);
        i += A::Lanes::LANES;
    }
}

/// Returns whether (s1, s2) is short enough to be published. Coefficients of s2 may still be too
/// large for the encoding.
#[inline(always)]
pub(super) fn are_short<V: FalconVariant, const N: usize>(s1: &Poly<N>, s2: &Poly<N>) -> bool {
    let within = s1.iter().fold(true, |within, x| within & (x.unsigned_abs() <= V::LARGEST));
    within & (norm(s1) + norm(s2) <= const { signing_bound(N) })
}

/// Returns the squared norm.
#[inline(always)]
fn norm<const N: usize>(f: &Poly<N>) -> u64 {
    f.iter().fold(0, |norm, x| norm + (i32::from(*x) * i32::from(*x)) as u64)
}
