//! The transforms of Falcon, section 3.5: the values of a real polynomial at n / 2 roots of
//! x^n + 1, one of each conjugate pair.
//!
//! Slot j holds the value at exp(i pi (1 + 4 j) / n), real parts in the first half of an array and
//! imaginary parts in the second. In this order, which is not that of the reference, the slots that
//! a split or a merge combines are half an array apart: whole vectors, without shuffles. Each
//! butterfly, and therefore each rounding, is that of the reference.
use core::ops::{Add, Div, Mul, Sub};

use oaklath_simd::{A64, F64s, Simd, each, secret};

use super::fpr::compute;
use super::numbers::Arithmetic;

/// The coefficients or the values of a polynomial.
pub(super) type Reals<C, const N: usize> = A64<[C; N]>;

/// Real and imaginary parts.
pub(super) type ComplexLanes<V> = (V, V);

/// Returns a b.
#[inline(always)]
pub(super) fn times<S, V: F64s<S>>(a: ComplexLanes<V>, b: ComplexLanes<V>) -> ComplexLanes<V> {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

/// Returns a times the conjugate of b.
#[inline(always)]
pub(super) fn times_conjugate<S, V: F64s<S>>(
    a: ComplexLanes<V>,
    b: ComplexLanes<V>,
) -> ComplexLanes<V> {
    (a.0 * b.0 + a.1 * b.1, a.1 * b.0 - a.0 * b.1)
}

#[inline(always)]
pub(super) fn plus<S, V: F64s<S>>(a: ComplexLanes<V>, b: ComplexLanes<V>) -> ComplexLanes<V> {
    (a.0 + b.0, a.1 + b.1)
}

#[inline(always)]
pub(super) fn minus<S, V: F64s<S>>(a: ComplexLanes<V>, b: ComplexLanes<V>) -> ComplexLanes<V> {
    (a.0 - b.0, a.1 - b.1)
}

/// Computes the LDL decomposition of slots: l10 = conj(g01 / g00), d11 = g11 - l10 g01.
#[inline(always)]
pub(super) fn ldl<T>(one: T, g00: (T, T), g01: (T, T), g11: (T, T)) -> [(T, T); 2]
where
    T: Copy + Add<Output = T> + Sub<Output = T> + Mul<Output = T> + Div<Output = T>,
{
    let (a, b, c) = (g00, g01, g11);
    let v = one / (a.0 * a.0 + a.1 * a.1);
    let x = (a.0 * v, a.1 * v);
    let l = (b.0 * x.0 + b.1 * x.1, b.0 * x.1 - b.1 * x.0);
    [l, (c.0 - (l.0 * b.0 - l.1 * b.1), c.1 + (l.1 * b.0 + l.0 * b.1))]
}

/// Splits slots x, and slots y half an array after them, with the roots w of x: returns (x + y) / 2
/// and (x - y) conj(w) / 2.
#[inline(always)]
pub(super) fn halves<S, V: F64s<S>>(
    half: V,
    x: ComplexLanes<V>,
    y: ComplexLanes<V>,
    w: ComplexLanes<V>,
) -> [ComplexLanes<V>; 2] {
    let (a, b) = (plus(x, y), times_conjugate(minus(x, y), w));
    [(a.0 * half, a.1 * half), (b.0 * half, b.1 * half)]
}

/// Loads the slots from `j` on of an array: imaginary parts are half an array after real parts.
#[inline(always)]
pub(super) fn load<S: Simd, V: F64s<S>>(s: S, from: &[V::Cell], j: usize) -> ComplexLanes<V> {
    let (re, im) = from.split_at(from.len() >> 1);
    (V::load(s, &re[j..]), V::load(s, &im[j..]))
}

#[inline(always)]
pub(super) fn store<S: Simd, V: F64s<S>>(x: ComplexLanes<V>, to: &mut [V::Cell], j: usize) {
    let (re, im) = to.split_at_mut(to.len() >> 1);
    x.0.store(&mut re[j..]);
    x.1.store(&mut im[j..]);
}

/// Loads the roots from index `i` on.
#[inline(always)]
pub(super) fn roots<S: Simd, A: Arithmetic>(s: S, i: usize) -> ComplexLanes<A::Lanes<S>> {
    (A::Lanes::<S>::load(s, &A::ROOTS.re[i..]), A::Lanes::<S>::load(s, &A::ROOTS.im[i..]))
}

/// Returns root `i` in all lanes.
#[inline(always)]
pub(super) fn root<S: Simd, A: Arithmetic>(s: S, i: usize) -> ComplexLanes<A::Lanes<S>> {
    (A::Lanes::<S>::splat(s, A::ROOTS.re[i]), A::Lanes::<S>::splat(s, A::ROOTS.im[i]))
}

/// Returns (a + b w, a - b w) or, back, (a + b, (a - b) / w).
#[inline(always)]
fn butterfly<S, V: F64s<S>, const BACK: bool>(
    [a, b]: [ComplexLanes<V>; 2],
    w: ComplexLanes<V>,
) -> [ComplexLanes<V>; 2] {
    if BACK {
        return [plus(a, b), times_conjugate(minus(a, b), w)];
    }
    let b = times(b, w);
    [plus(a, b), minus(a, b)]
}

/// Applies two layers to four slots `half` apart, from `j` on: one pairs neighbours, with the roots
/// `near`, and the other, which is the first one if `far_first`, slots twice as far apart.
#[inline(always)]
fn two_layers<S: Simd, V: F64s<S>, const BACK: bool>(
    s: S,
    f: &mut [V::Cell],
    (j, half): (usize, usize),
    near: [ComplexLanes<V>; 2],
    far: [ComplexLanes<V>; 2],
    far_first: bool,
) {
    let at = |i: usize| load(s, f, j + i * half);
    let (mut a, mut b, mut c, mut d) = (at(0), at(1), at(2), at(3));
    if !far_first {
        [a, b] = butterfly::<S, V, BACK>([a, b], near[0]);
        [c, d] = butterfly::<S, V, BACK>([c, d], near[1]);
    }
    [a, c] = butterfly::<S, V, BACK>([a, c], far[0]);
    [b, d] = butterfly::<S, V, BACK>([b, d], far[1]);
    if far_first {
        [a, b] = butterfly::<S, V, BACK>([a, b], near[0]);
        [c, d] = butterfly::<S, V, BACK>([c, d], near[1]);
    }
    store(a, f, j);
    store(b, f, j + half);
    store(c, f, j + 2 * half);
    store(d, f, j + 3 * half);
}

/// Blocks after the first four layers, which are the rows of the transposition.
const ROWS: usize = 16;

/// Reverses the low `bits` bits of `i`.
#[inline(always)]
fn reversed(i: usize, bits: u32) -> usize {
    i.reverse_bits() >> 1 >> (usize::BITS - 1 - bits)
}

/// Applies the first four layers, or the last four of the inverse: each block has one root.
#[inline(always)]
fn blocks<S: Simd, A: Arithmetic, const N: usize, const BACK: bool>(s: S, f: &mut [A::Cell; N]) {
    each!(pass in 0..2 => {
        // Two layers, of 2^log2 and of twice as many blocks.
        let log2 = if (pass == 0) == BACK { 2 } else { 0 };
        let half = N >> (log2 + 3);
        each!(block in 0..1 << log2 => {
            let j = reversed(block, log2);
            let k = reversed(2 * block, log2 + 1);
            let outer = root::<S, A>(s, (1 << log2) + j);
            let inner = [
                root::<S, A>(s, (2 << log2) + k),
                root::<S, A>(s, (2 << log2) + reversed(2 * block + 1, log2 + 1)),
            ];
            let first = 4 * half * block;
            each!(i in first..first + half, A::Lanes::<S>::LANES => {
                two_layers::<S, A::Lanes<S>, BACK>(s, f, (i, half), inner, [outer; 2], !BACK);
            });
        });
    });
}

/// Applies the layers after the first four, or before the last four of the inverse.
#[inline(always)]
fn slots<S: Simd, A: Arithmetic, const N: usize, const BACK: bool>(s: S, f: &mut [A::Cell; N]) {
    let m = N >> 1;
    // For N = 1024 the number of layers is odd, and the last one is run alone.
    let single = N == 1024;
    if single && BACK {
        one_layer::<S, A, N, true>(s, f);
    }
    each!(pass in 0..2 => {
        let half = if (pass == 0) == BACK { 4 * ROWS } else { ROWS };
        each!(block in 0..m, 4 * half => {
            each!(j in 0..half, A::Lanes::<S>::LANES => {
                // Distances are half, then twice that: the second layer is the outer one.
                let near = [roots::<S, A>(s, half + j); 2];
                let far = [roots::<S, A>(s, 2 * half + j), roots::<S, A>(s, 3 * half + j)];
                two_layers::<S, A::Lanes<S>, BACK>(s, f, (block + j, half), near, far, BACK);
            });
        });
    });
    if single && !BACK {
        one_layer::<S, A, N, false>(s, f);
    }
}

/// Applies the last layer, or the first one of the inverse.
#[inline(always)]
fn one_layer<S: Simd, A: Arithmetic, const N: usize, const BACK: bool>(s: S, f: &mut [A::Cell; N]) {
    let half = N >> 2;
    each!(j in 0..half, A::Lanes::<S>::LANES => {
        let pair = [load::<S, A::Lanes<S>>(s, f, j), load(s, f, j + half)];
        let w = roots::<S, A>(s, half + j);
        let [a, b] = butterfly::<S, A::Lanes<S>, BACK>(pair, w);
        store(a, f, j);
        store(b, f, j + half);
    });
}

/// Transposes the 16 rows, with the indices of rows and columns bit-reversed; or does the inverse.
#[inline(always)]
fn transpose<A: Arithmetic, const N: usize, const BACK: bool>(
    from: &[A::Cell; N],
    to: &mut [A::Cell; N],
) {
    let columns = (N >> 1).wrapping_shr(ROWS.ilog2());
    each!(c in 0..columns => {
        let at = reversed(c, columns.ilog2()) << ROWS.ilog2();
        // The rows are unrolled, so that the places are constants.
        macro_rules! rows { ($($r:literal)*) => { $( {
            let place = const { ($r as usize).reverse_bits() >> (usize::BITS - ROWS.ilog2()) };
            let (natural, transposed) = ($r * columns + c, at + place);
            let half = N >> 1;
            let (i, j) = if BACK { (transposed, natural) } else { (natural, transposed) };
            to[j] = from[i];
            to[half + j] = from[half + i];
        } )* } }
        rows!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    });
}

/// Computes the FFT in place. Out of line.
#[inline(never)]
pub(super) fn fft<A: Arithmetic, const N: usize>(f: &mut [A::Cell; N]) {
    compute!(A::Real, s => {
        secret!(rows: Reals<A::Cell, N>);
        rows.copy_from_slice(&f[..]);
        blocks::<_, A, N, false>(s, rows);
        transpose::<A, N, false>(rows, f);
        slots::<_, A, N, false>(s, f);
    });
}

/// Computes N / 2 times the inverse FFT in place. Out of line.
#[inline(never)]
pub(super) fn inverse_fft<A: Arithmetic, const N: usize>(f: &mut [A::Cell; N]) {
    compute!(A::Real, s => {
        secret!(rows: Reals<A::Cell, N>);
        slots::<_, A, N, true>(s, f);
        transpose::<A, N, true>(f, rows);
        blocks::<_, A, N, true>(s, rows);
        f.copy_from_slice(&rows[..]);
    });
}
