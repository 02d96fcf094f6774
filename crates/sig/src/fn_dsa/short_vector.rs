//! The target of `ffSampling`, and the short vector (s1, s2) that follows from the sampled
//! coordinates.
use oaklath_poly::q12289::Poly;
use oaklath_simd::arrays::map;
use oaklath_simd::{F64s, Simd, ct, each};

use super::fft::{ComplexLanes, inverse_fft, load, plus, store, times};
use super::fpr::compute;
use super::numbers::Arithmetic;
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
pub(super) fn target<A: Arithmetic, const N: usize>(
    c: &Poly<N>,
    column: [&[A::Cell; N]; 2],
    [t0, t1]: [&mut [A::Cell; N]; 2],
) {
    tree::row::<A, N>(c, false, t0);
    compute!(A::Real, s => times_column::<_, A>(s, map(column, |x| &x[..]), [t0, t1]));
}

/// Computes (t0, t1) = (t0 b11, -t0 b01) / q.
#[inline(always)]
fn times_column<S: Simd, A: Arithmetic>(
    s: S,
    [b01, b11]: [&[A::Cell]; 2],
    [t0, t1]: [&mut [A::Cell]; 2],
) {
    let scale = |x: f64| A::Lanes::<S>::splat(s, A::constant(x));
    let (plus, minus) = (scale(INV_Q), scale(-INV_Q));
    each!(j in 0..t0.len() >> 1, A::Lanes::<S>::LANES => {
        let at = |x: &[A::Cell]| -> ComplexLanes<A::Lanes<S>> { load(s, x, j) };
        let x = at(t0);
        let (a, b) = (times(x, at(b11)), times(x, at(b01)));
        store((a.0 * plus, a.1 * plus), t0, j);
        store((b.0 * minus, b.1 * minus), t1, j);
    });
}

/// Computes z0 x + z1 y, transformed back and rounded to integers. `sum` is memory.
pub(super) fn combination<A: Arithmetic, const N: usize>(
    z: [&[A::Cell; N]; 2],
    column: [&[A::Cell; N]; 2],
    sum: &mut [A::Cell; N],
    to: &mut Poly<N>,
) {
    let (z, column) = (map(z, |z| &z[..]), map(column, |x| &x[..]));
    compute!(A::Real, s => {
        combine::<_, A>(s, z, column, sum);
        inverse_fft::<A, N>(sum);
        rounded::<_, A>(s, sum, &mut to[..]);
    });
}

/// Computes z0 x + z1 y.
#[inline(always)]
fn combine<S: Simd, A: Arithmetic>(
    s: S,
    [z0, z1]: [&[A::Cell]; 2],
    [x, y]: [&[A::Cell]; 2],
    sum: &mut [A::Cell],
) {
    each!(j in 0..sum.len() >> 1, A::Lanes::<S>::LANES => {
        let at = |x: &[A::Cell]| -> ComplexLanes<A::Lanes<S>> { load(s, x, j) };
        store(plus(times(at(z0), at(x)), times(at(z1), at(y))), sum, j);
    });
}

/// Divides by n / 2 what an inverse transform left too large by it, and rounds to integers.
#[inline(always)]
fn rounded<S: Simd, A: Arithmetic>(s: S, from: &[A::Cell], to: &mut [i16]) {
    let inverse = if from.len() == 512 { 2.0 / 512.0 } else { 2.0 / 1024.0 };
    let scale = A::Lanes::<S>::splat(s, A::constant(inverse));
    each!(i in 0..from.len(), A::Lanes::<S>::LANES => {
        (A::Lanes::<S>::load(s, &from[i..]) * scale).round(&mut to[i..]);
    });
}

/// Replaces c by s1, which is c minus the combination of the first column.
pub(super) fn subtract<const N: usize>(c: &mut Poly<N>, combination: &Poly<N>) {
    c.iter_mut().zip(combination.iter()).for_each(|(c, x)| *c = c.wrapping_sub(*x));
}

/// Replaces the combination of the second column by s2, its negative. Returns whether (s1, s2) is
/// short enough to be published, which is public. Coefficients of s2 may still be too large for
/// the encoding.
pub(super) fn finish_s2<V: FalconVariant, const N: usize>(s1: &Poly<N>, s2: &mut Poly<N>) -> bool {
    s2.iter_mut().for_each(|x| *x = x.wrapping_neg());
    let within = s1.iter().fold(true, |within, x| within & (x.unsigned_abs() <= V::LARGEST));
    ct::declassify_bool(within & (norm(&s1[..]) + norm(&s2[..]) <= const { signing_bound(N) }))
}

/// Returns the squared norm.
fn norm(f: &[i16]) -> u64 {
    f.iter().fold(0, |norm, x| norm + (i32::from(*x) * i32::from(*x)) as u64)
}
