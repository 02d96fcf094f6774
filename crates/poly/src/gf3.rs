//! Inverses modulo `Phi_n` = 1 + x + ... + x^(n-1) over GF(3), in constant time, by the bit-sliced
//! division steps of Bernstein and Yang ("Fast constant-time gcd computation and modular
//! inversion", TCHES 2019(3), section 6).
//!
//! Coefficient i of a polynomial is bit `i / S` of word `i % S`, with `S = 4 R` words in `R`
//! vectors: word w is word `w / R` of vector `w % R`. So a shift by one coefficient renames vectors
//! and moves the words of only one of them. The masks of a step are computed in vectors, too: going
//! through general-purpose registers would take longer than the rest of the step.
//!
//! A row (f, v) or (g, w) may be multiplied by a unit, so neither row changes its sign in a swap.
#[cfg(oaklath_proof)]
mod proofs;

use oaklath_simd::ct::Mask;
use oaklath_simd::{Bits, I16s, Simd, aligned_frame, each, secret, vectorize};

#[cfg(oaklath_proof)]
pub use proofs::THEOREMS;

/// Computes the inverse of `a`, whose coefficients are -1, 0 or 1, modulo `Phi_n`. If there is no
/// inverse, the result is meaningless. `a` need not be reduced modulo `Phi_n`; the result is. n is
/// odd and at most 256 `R`; `R` is 2, 3 or 4. Out of line.
///
/// ```
/// use oaklath_poly::gf3::invert;
/// use oaklath_simd::dispatch;
///
/// // x x^4 = 1 modulo x^5 - 1, and x^4 = -1 - x - x^2 - x^3.
/// let (a, mut inverse) = ([0, 1, 0, 0, 0], [0; 5]);
/// dispatch!(s => invert::<_, 2>(s, &a, &mut inverse));
/// assert_eq!(inverse, [-1, -1, -1, -1, 0]);
/// ```
///
/// # Panics
/// If the lengths differ.
#[inline(never)]
pub fn invert<S: Simd, const R: usize>(s: S, a: &[i16], inverse: &mut [i16]) {
    assert_eq!(a.len(), inverse.len(), "n coefficients");
    vectorize!(s => invert_inline::<S, R>(s, a, inverse));
}

/// The words of a bit string in memory order: vector by vector.
type Words<const R: usize> = [[u64; 4]; R];
/// The bit planes of a polynomial: the first marks coefficients 1 and -1, the second only -1.
type Planes<const R: usize> = [Words<R>; 2];

#[inline(always)]
fn invert_inline<S: Simd, const R: usize>(s: S, a: &[i16], inverse: &mut [i16]) {
    let n = a.len();
    secret!(coefficients: [i16; 1024], g: Planes<R>, v: Planes<R>);
    // f = Phi_n, g = a reversed.
    let mut f = [[[0; 4]; R]; 2];
    coefficients.fill(0);
    coefficients[..n].fill(1);
    slice_bits::<S, R>(s, coefficients, &mut f);
    coefficients.fill(0);
    let last = a[n - 1];
    each!(i in 0..n - 1 => coefficients[n - 2 - i] = centre(a[i] - last));
    slice_bits::<S, R>(s, coefficients, g);

    let sign = steps::<S, R>(s, 2 * n - 3, &f, g, v);

    unslice_bits::<R>(v, coefficients);
    let sign = sign.select(1, u64::MAX) as i16;
    each!(i in 0..n - 1 => inverse[i] = sign.wrapping_mul(coefficients[n - 2 - i]));
    inverse[n - 1] = 0;
}

/// Reduces -2..=2 modulo 3 to -1..=1.
#[inline(always)]
fn centre(x: i16) -> i16 {
    // A table with two bits for each x + 2, which hold the result plus 1.
    ((0b00_10_01_00_10 >> (2 * (x + 2))) & 3) - 1
}

/// Converts a polynomial to bit planes. Out of line.
#[inline(never)]
fn slice_bits<S: Simd, const R: usize>(s: S, a: &[i16; 1024], planes: &mut Planes<R>) {
    vectorize!(s => {
        secret!(lanes: [i16; 64]);
        each!(vector in 0..R => each!(word in 0..4 => {
            // The coefficients of one word, contiguous.
            each!(bit in 0..64 => lanes[bit] = a[(4 * bit + word) * R + vector]);
            let (mut nonzero, mut negative) = (0, 0);
            each!(at in 0..64, S::I16::LANES => {
                let v = S::I16::load(s, &lanes[at..]);
                negative |= u64::from(v.signs()) << at;
                nonzero |= u64::from((v | (S::I16::splat(s, 0) - v)).signs()) << at;
            });
            planes[0][vector][word] = nonzero;
            planes[1][vector][word] = negative;
        }));
    });
}

/// Converts bit planes to a polynomial: the inverse of [`slice_bits`].
#[inline(always)]
fn unslice_bits<const R: usize>(planes: &Planes<R>, a: &mut [i16; 1024]) {
    each!(bit in 0..64 => each!(word in 0..4 => each!(vector in 0..R => {
        let nonzero = (planes[0][vector][word] >> bit & 1) as i16;
        let negative = (planes[1][vector][word] >> bit & 1) as i16;
        a[(4 * bit + word) * R + vector] = nonzero - 2 * negative;
    })));
}

/// What one step does, as masks with all bits set or none.
#[derive(Clone, Copy)]
struct Step<B> {
    /// Set if the multiplier c is not 0.
    nonzero: B,
    /// Set if c is -1.
    negative: B,
    /// Set if the rows are swapped.
    swap: B,
}

/// Computes g + c f for elements in two planes.
macro_rules! add_multiple {
    ($g:expr, $f:expr, $step:expr) => {{
        let (g, f, c) = ($g, $f, $step);
        let y0 = f[0] & c.nonzero;
        let y1 = (f[1] & c.nonzero) ^ (f[0] & c.negative);
        // Addition with six operations: Boothby and Bradshaw, arXiv:0901.1413, section 3.
        let (x, y) = (g[0] ^ y1, g[1] ^ y0);
        [(x ^ g[1]) | (y ^ y1), x & y]
    }};
}

/// Two bit-sliced polynomials in vectors.
struct Pair<S: Simd, const R: usize> {
    f: [[S::Bits; 2]; R],
    g: [[S::Bits; 2]; R],
}

impl<S: Simd, const R: usize> Pair<S, R> {
    #[inline(always)]
    fn new(s: S, f: &Planes<R>, g: &Planes<R>) -> Self {
        let zero = [S::Bits::splat(s, 0); 2];
        let mut pair = Self { f: [zero; R], g: [zero; R] };
        each!(r in 0..R => {
            pair.f[r] = [S::Bits::from_words(s, &f[0][r]), S::Bits::from_words(s, &f[1][r])];
            pair.g[r] = [S::Bits::from_words(s, &g[0][r]), S::Bits::from_words(s, &g[1][r])];
        });
        pair
    }

    /// Computes a step: c = -g(0) f(0); if delta > 0 and g(0) != 0, swaps and negates delta.
    #[inline(always)]
    fn step(&self, s: S, delta: &mut i64) -> Step<S::Bits> {
        let (f, g) = (self.f[0], self.g[0]);
        // f(0) is never 0, so c is 0 only if g(0) is.
        let nonzero = g[0].lowest_everywhere(s);
        let negative = ((g[0] & (f[1] ^ g[1])) ^ g[0]).lowest_everywhere(s);
        // Off the critical path: there is a whole step of time to move this mask to a vector.
        let positive = Mask::from_bit((-*delta) as u64 >> 63).select(0, u64::MAX);
        let swap = Mask::from_bit(g[0].to_words()[0] & positive);
        *delta = swap.select(*delta as u64, (-*delta) as u64) as i64 + 1;
        Step { nonzero, negative, swap: nonzero & S::Bits::splat(s, positive) }
    }

    /// Computes (f, g) := (f or g, g + c f).
    #[inline(always)]
    fn apply(&mut self, step: &Step<S::Bits>) {
        each!(r in 0..R => {
            let (f, g) = (self.f[r], self.g[r]);
            self.g[r] = add_multiple!(g, f, step);
            self.f[r][0] = f[0].select(step.swap, g[0]);
            self.f[r][1] = f[1].select(step.swap, g[1]);
        });
    }

    /// Computes g := g / x, for g with constant coefficient 0.
    #[inline(always)]
    fn shift_down(&mut self) {
        let first = self.g[0];
        each!(r in 1..R => self.g[r - 1] = self.g[r]);
        self.g[R - 1] = [first[0].down(), first[1].down()];
    }

    /// Computes f := x f.
    #[inline(always)]
    fn shift_up(&mut self) {
        let last = self.f[R - 1];
        let mut r = R - 1;
        while r > 0 {
            self.f[r] = self.f[r - 1];
            r -= 1;
        }
        self.f[0] = [last[0].up(), last[1].up()];
    }
}

/// Runs all steps; writes v, and returns whether it has to be negated.
#[inline(always)]
fn steps<S: Simd, const R: usize>(
    s: S,
    total: usize,
    f: &Planes<R>,
    g: &Planes<R>,
    v: &mut Planes<R>,
) -> Mask {
    aligned_frame!();
    let mut one = [[[0; 4]; R]; 2];
    one[0][0][0] = 1;
    let zero = [[[0; 4]; R]; 2];
    let (mut fg, mut vw) = (Pair::<S, R>::new(s, f, g), Pair::<S, R>::new(s, &zero, &one));
    let mut delta = 1;
    for _ in 0..total {
        let step = fg.step(s, &mut delta);
        fg.apply(&step);
        fg.shift_down();
        vw.shift_up();
        vw.apply(&step);
    }
    each!(r in 0..R => {
        v[0][r] = vw.f[r][0].to_words();
        v[1][r] = vw.f[r][1].to_words();
    });
    Mask::from_bit(fg.f[0][1].to_words()[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use oaklath_simd::{Level, dispatch};
    use std::vec::Vec;

    fn random(x: &mut u32) -> u32 {
        *x = x.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
        *x >> 12
    }

    /// Returns a b modulo `Phi_n` and 3.
    fn product(a: &[i16], b: &[i16]) -> Vec<i32> {
        let n = a.len();
        let mut c = std::vec![0; n];
        for i in 0..n {
            for j in 0..n {
                c[(i + j) % n] += i32::from(a[i]) * i32::from(b[j]);
            }
        }
        let last = c[n - 1];
        c.iter().map(|c| (c - last).rem_euclid(3)).collect()
    }

    fn check<const R: usize>(n: usize) {
        let mut x = n as u32;
        for level in Level::available() {
            for case in 0..4 {
                let coefficient = |x: &mut u32| (random(x) % 3) as i16 - 1;
                let mut a: Vec<i16> = (0..n).map(|_| coefficient(&mut x)).collect();
                match case {
                    0 => a[n - 1] = 0,
                    // A constant, and a polynomial that is constant once it is reduced.
                    1 => a[1..].fill(0),
                    2 => a[1..].fill(1),
                    _ => {}
                }
                if case == 1 || case == 2 {
                    a[0] = 1 - a[1];
                }
                let mut b = std::vec![7; n];
                dispatch!(level, s => invert::<_, R>(s, &a, &mut b));
                let one = product(&a, &b);
                assert!(one[0] == 1 && one[1..].iter().all(|c| *c == 0), "{level} {n} {case}");
                assert!(b.iter().all(|b| b.abs() <= 1) && b[n - 1] == 0);
            }
        }
    }

    #[test]
    fn products_with_inverses_are_one() {
        check::<2>(509);
        check::<3>(677);
        check::<3>(701);
        check::<4>(821);
        check::<2>(5);
    }
}
