//! Polynomials with big coefficients, and their products modulo x^n + 1.
//!
//! Coefficients are signed integers in two's complement, in limbs of 64 bits; bits that do not fit
//! are dropped at the top. Limb l of coefficient i is word `l n + i`, so that a sum of products
//! over coefficients reads memory in order.
//!
//! In the solver lengths grow as degrees shrink, so that schoolbook products cost about the same at
//! every depth; a number-theoretic transform would be slower where it matters.
use alloc::vec;
use alloc::vec::Vec;

use oaklath_simd::dispatch;
use zeroize::Zeroizing;

/// Returns how many limbs hold `bits` bits.
pub(super) const fn limbs(bits: usize) -> usize {
    bits.div_ceil(64)
}

/// A polynomial, erased when dropped.
pub(super) struct Poly {
    n: usize,
    words: Zeroizing<Vec<u64>>,
}

impl Poly {
    /// Returns `n` coefficients of `limbs` limbs, all zero.
    pub(super) fn new(n: usize, limbs: usize) -> Self {
        Self { n, words: Zeroizing::new(vec![0; n * limbs]) }
    }

    /// Makes a polynomial of small coefficients, a limb each.
    pub(super) fn small(f: impl ExactSizeIterator<Item = i64>) -> Self {
        Self { n: f.len(), words: Zeroizing::new(f.map(|x| x as u64).collect()) }
    }

    pub(super) fn n(&self) -> usize {
        self.n
    }

    pub(super) fn limbs(&self) -> usize {
        self.words.len() >> self.n.ilog2()
    }

    /// Returns limb `l` of all coefficients.
    pub(super) fn row(&self, l: usize) -> &[u64] {
        &self.words[l * self.n..(l + 1) * self.n]
    }

    pub(super) fn row_mut(&mut self, l: usize) -> &mut [u64] {
        &mut self.words[l * self.n..(l + 1) * self.n]
    }

    /// Returns all limbs, row by row.
    pub(super) fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    /// Returns all limbs of a polynomial of one coefficient.
    pub(super) fn integer(&self) -> &[u64] {
        debug_assert_eq!(self.n, 1);
        &self.words
    }

    pub(super) fn integer_mut(&mut self) -> &mut [u64] {
        debug_assert_eq!(self.n, 1);
        &mut self.words
    }

    /// Returns the coefficients of even or, if `odd` is 1, of odd degree.
    pub(super) fn half(&self, odd: usize) -> Self {
        let words = self.words.iter().skip(odd).step_by(2).copied().collect();
        Self { n: self.n >> 1, words: Zeroizing::new(words) }
    }

    /// Makes a polynomial from its coefficients of even and of odd degree.
    pub(super) fn interleave(even: &Self, odd: &Self) -> Self {
        let mut out = Self::new(2 * even.n, even.limbs());
        let pairs = out.words.as_chunks_mut::<2>().0.iter_mut();
        for (pair, (even, odd)) in pairs.zip(even.words.iter().zip(odd.words.iter())) {
            *pair = [*even, *odd];
        }
        out
    }

    /// Reduces each coefficient to its lowest `bits` bits as a signed number, in the fewest limbs.
    pub(super) fn truncate(&mut self, bits: usize) {
        let (n, limbs) = (self.n, limbs(bits));
        self.words.truncate(n * limbs);
        // The top limb holds 1 to 64 of the bits.
        let unused = 64 * limbs - bits;
        for word in self.row_mut(limbs - 1) {
            *word = ((*word << unused) as i64 >> unused) as u64;
        }
    }

    /// Sign-extends the coefficients to `limbs` limbs, no fewer than they have.
    pub(super) fn extend(&mut self, limbs: usize) {
        let mut out = Self::new(self.n, limbs);
        let (n, top) = (self.n, self.limbs() - 1);
        out.words[..self.words.len()].copy_from_slice(&self.words);
        for l in top + 1..limbs {
            let (below, row) = out.words.split_at_mut(l * n);
            let signs = below[top * n..].iter().map(|x| (*x as i64 >> 63) as u64);
            row.iter_mut().zip(signs).for_each(|(word, sign)| *word = sign);
        }
        *self = out;
    }

    /// Writes bits `31 j` to `31 j + 30`, which must be within the limbs, of all coefficients.
    pub(super) fn digit(&self, j: usize, out: &mut [u32]) {
        let (at, shift) = ((31 * j) >> 6, (31 * j) & 63);
        let low = self.row(at);
        // If there is no limb above, none of its bits are needed.
        let high = if at + 1 < self.limbs() { self.row(at + 1) } else { low };
        for (out, (low, high)) in out.iter_mut().zip(low.iter().zip(high)) {
            *out = (low >> shift | high << 1 << (63 - shift)) as u32 & (u32::MAX >> 1);
        }
    }

    /// Subtracts `2^shift b`, with `b` sign-extended, from the lowest `limbs` limbs of each
    /// coefficient.
    pub(super) fn subtract_shifted(&mut self, b: &Self, shift: usize, limbs: usize) {
        let (skip, bits) = (shift >> 6, shift & 63);
        let n = self.n;
        for i in 0..n {
            let (mut borrow, mut below) = (false, 0);
            for l in skip..limbs {
                let above = b.extended(i, l - skip);
                let x = above << bits | below >> 1 >> (63 - bits);
                below = above;
                let word = &mut self.words[l * n + i];
                let (difference, first) = word.overflowing_sub(x);
                let (difference, second) = difference.overflowing_sub(u64::from(borrow));
                (*word, borrow) = (difference, first | second);
            }
        }
    }

    /// Returns limb `l` of coefficient `i`, sign-extended.
    #[inline(always)]
    pub(super) fn extended(&self, i: usize, l: usize) -> u64 {
        let limbs = self.limbs();
        if l < limbs {
            self.words[l * self.n + i]
        } else {
            (self.words[(limbs - 1) * self.n + i] as i64 >> 63) as u64
        }
    }

    /// Negates all coefficients.
    pub(super) fn negate(&mut self) {
        let n = self.n;
        for i in 0..n {
            let mut carry = true;
            for word in self.words.iter_mut().skip(i).step_by(n) {
                (*word, carry) = (!*word).overflowing_add(u64::from(carry));
            }
        }
    }

    /// Subtracts `x b` modulo x^n + 1. Both polynomials have the same number of limbs.
    pub(super) fn subtract_times_x(&mut self, b: &Self) {
        let n = self.n;
        let mut shifted = Self::new(n, b.limbs());
        let mut last = Self { n: 1, words: Zeroizing::new(vec![0; b.limbs()]) };
        for l in 0..b.limbs() {
            shifted.row_mut(l)[1..].copy_from_slice(&b.row(l)[..n - 1]);
            last.words[l] = b.row(l)[n - 1];
        }
        last.negate();
        for l in 0..b.limbs() {
            shifted.row_mut(l)[0] = last.words[l];
        }
        let limbs = self.limbs();
        self.subtract_shifted(&shifted, 0, limbs);
    }
}

/// A factor b of many products, with precomputed values. Products are of unsigned numbers: of
/// `a + A` and of `b + B`, with A and B powers of two, and with `-b + B` where a product wraps
/// around x^n = -1. The excess is subtracted afterwards.
pub(super) struct Factor {
    pub(super) n: usize,
    pub(super) limbs: usize,
    /// Row by row: `b + B` by descending degree, n - 1 to 0, then `-b + B`, n - 1 to 1, and an
    /// unused word.
    pub(super) rows: Zeroizing<Vec<u64>>,
    /// The coefficients of `b (1 + x + ... + x^(n-1))`, with one more limb than b.
    pub(super) sums: Poly,
}

/// The top bit of a limb. Adding it is the same as flipping it.
const TOP: u64 = 1 << 63;

impl Factor {
    pub(super) fn new(b: &Poly) -> Self {
        let (n, limbs) = (b.n, b.limbs());
        let mut negative = Poly { n, words: b.words.clone() };
        negative.negate();
        let mut rows = Zeroizing::new(vec![0; 2 * n * limbs]);
        for l in 0..limbs {
            let flip = if l == limbs - 1 { TOP } else { 0 };
            let (first, second) = rows[2 * n * l..2 * n * (l + 1)].split_at_mut(n);
            for (to, from) in first.iter_mut().zip(b.row(l).iter().rev()) {
                *to = from ^ flip;
            }
            for (to, from) in second.iter_mut().zip(negative.row(l)[1..].iter().rev()) {
                *to = from ^ flip;
            }
        }
        Self { n, limbs, rows, sums: Self::sums(b) }
    }

    /// Returns the sums: `b_0 - b_1 - ... - b_(n-1)`, then each `2 b_i` more than the one before.
    fn sums(b: &Poly) -> Poly {
        let (n, limbs) = (b.n, b.limbs() + 1);
        let mut sums = Poly::new(n, limbs);
        let mut sum = Zeroizing::new(vec![0_u64; limbs]);
        let mut add = |i: usize, twice: bool, minus: bool, out: Option<&mut Poly>| {
            for _ in 0..1 + u32::from(twice) {
                let mut carry = minus;
                for (l, sum) in sum.iter_mut().enumerate() {
                    let x = if minus { !b.extended(i, l) } else { b.extended(i, l) };
                    let (x, first) = sum.overflowing_add(x);
                    let (x, second) = x.overflowing_add(u64::from(carry));
                    (*sum, carry) = (x, first | second);
                }
            }
            if let Some(out) = out {
                for (l, sum) in sum.iter().enumerate() {
                    out.row_mut(l)[i] = *sum;
                }
            }
        };
        for i in 1..n {
            add(i, false, true, None);
        }
        add(0, false, false, Some(&mut sums));
        for i in 1..n {
            add(i, true, false, Some(&mut sums));
        }
        sums
    }

    /// Returns the lowest `limbs` limbs of `a b` modulo x^n + 1.
    pub(super) fn multiply(&self, a: &Poly, limbs: usize) -> Poly {
        let mut flipped = Poly { n: a.n, words: a.words.clone() };
        flipped.row_mut(a.limbs() - 1).iter_mut().for_each(|word| *word ^= TOP);
        let mut out = Poly::new(self.n, limbs);
        by_degree(self, &flipped.words, &mut out.words);
        self.correct(&flipped, 64 * a.limbs() - 1, &mut out);
        out
    }

    /// Subtracts the excess: A times the sums of b, and B times the sum of the other factor, to
    /// which `A = 2^shift` was added.
    fn correct(&self, a: &Poly, shift: usize, out: &mut Poly) {
        let mut sum = Poly::new(1, a.limbs() + 1);
        let mut carry = 0;
        for l in 0..a.limbs() {
            carry += a.row(l).iter().map(|x| u128::from(*x)).sum::<u128>();
            sum.words[l] = carry as u64;
            carry >>= 64;
        }
        sum.words[a.limbs()] = carry as u64;
        let limbs = out.limbs();
        out.subtract_shifted(&self.sums, shift, limbs);
        let mut all = Poly::new(self.n, sum.limbs());
        for l in 0..sum.limbs() {
            all.row_mut(l).fill(sum.words[l]);
        }
        out.subtract_shifted(&all, 64 * self.limbs - 1, limbs);
    }
}

/// Computes the sums of unsigned products, by code compiled for each small degree.
fn by_degree(b: &Factor, a: &[u64], out: &mut [u64]) {
    match b.n {
        1 => columns::<1>(b, a, out),
        2 => columns::<2>(b, a, out),
        4 => columns::<4>(b, a, out),
        8 => columns::<8>(b, a, out),
        _ => columns::<0>(b, a, out),
    }
}

/// Computes the sums limb by limb. `N` is n, or 0 for any n. Out of line.
#[inline(never)]
fn columns<const N: usize>(b: &Factor, a: &[u64], out: &mut [u64]) {
    dispatch!(_s => {
        let n = if N == 0 { b.n } else { N };
        let (a_limbs, b_limbs) = (a.len() >> n.ilog2(), b.limbs);
        for i in 0..n {
            let (mut low, mut high) = (0_u128, 0_u64);
            for (c, out) in out.iter_mut().skip(i).step_by(n).enumerate() {
                let first = c.saturating_sub(b_limbs - 1);
                for l in first..a_limbs.min(c + 1) {
                    let x = &a[l * n..][..n];
                    let y = &b.rows[(c - l) * 2 * n + n - 1 - i..][..n];
                    for (x, y) in x.iter().zip(y) {
                        let product = u128::from(*x) * u128::from(*y);
                        let (sum, carry) = low.overflowing_add(product);
                        (low, high) = (sum, high + u64::from(carry));
                    }
                }
                *out = low as u64;
                (low, high) = (low >> 64 | u128::from(high) << 64, 0);
            }
        }
    });
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use oaklath_simd::Level;

    /// Returns random coefficients of `bits` bits, sign included.
    pub(in super::super) fn random(n: usize, bits: u32, state: &mut u64) -> Vec<i128> {
        let mut next = || {
            *state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            u128::from(*state ^ *state >> 29)
        };
        (0..n).map(|_| (next() << 64 | next()) as i128 >> (128 - bits)).collect()
    }

    pub(in super::super) fn poly(a: &[i128], limbs: usize) -> Poly {
        let mut out = Poly::new(a.len(), limbs);
        for l in 0..limbs {
            let limb = |x: &i128| (x >> (64 * l).min(127)) as u64;
            out.row_mut(l).iter_mut().zip(a).for_each(|(out, x)| *out = limb(x));
        }
        out
    }

    /// Returns the lowest 128 bits of each coefficient.
    pub(in super::super) fn values(a: &Poly) -> Vec<i128> {
        let limb = |i: usize, l: usize| i128::from(a.extended(i, l));
        (0..a.n()).map(|i| limb(i, 0) | limb(i, 1) << 64).collect()
    }

    pub(in super::super) fn product(a: &[i128], b: &[i128]) -> Vec<i128> {
        let n = a.len();
        let mut out = vec![0_i128; n];
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                let sign = if i + j < n { 1 } else { -1 };
                let at = &mut out[(i + j) % n];
                *at = at.wrapping_add(x.wrapping_mul(*y).wrapping_mul(sign));
            }
        }
        out
    }

    #[test]
    fn products() {
        let mut state = 1;
        for n in [1, 2, 4, 8, 16, 32] {
            for (a_bits, b_bits) in [(60, 50), (64, 64), (20, 101), (101, 20), (128, 128)] {
                let a = random(n, a_bits, &mut state);
                let b = random(n, b_bits, &mut state);
                let limbs = |bits| limbs(bits as usize);
                let factor = Factor::new(&poly(&b, limbs(b_bits)));
                let a_poly = poly(&a, limbs(a_bits));
                for level in Level::available() {
                    let got = level.with(|| factor.multiply(&a_poly, 2));
                    assert_eq!(values(&got), product(&a, &b), "{level} {n} {a_bits} {b_bits}");
                }
            }
        }
    }

    #[test]
    fn halves_shifts_and_lengths() {
        let mut state = 2;
        for n in [2, 4, 16] {
            let a = random(n, 100, &mut state);
            let mut b = poly(&a, 2);
            let back = Poly::interleave(&b.half(0), &b.half(1));
            assert_eq!(values(&back), a);
            let mut x = vec![0; n];
            x[1] = -1;
            let mut sum = Poly::new(n, 2);
            sum.subtract_times_x(&b);
            assert_eq!(values(&sum), product(&a, &x));
            b.subtract_shifted(&poly(&a, 2), 3, 2);
            let want = |x: &i128| x - (x << 3);
            assert_eq!(values(&b), a.iter().map(want).collect::<Vec<_>>());
            b.truncate(70);
            let cut = |x: &i128| want(x) << 58 >> 58;
            assert_eq!(values(&b), a.iter().map(cut).collect::<Vec<_>>());
            b.truncate(31);
            b.extend(2);
            let cut = |x: &i128| want(x) << 97 >> 97;
            assert_eq!(values(&b), a.iter().map(cut).collect::<Vec<_>>());
        }
    }

    #[test]
    fn digits() {
        let a = random(4, 120, &mut 3);
        let mut digit = [0; 4];
        for j in 0..4 {
            poly(&a, 2).digit(j, &mut digit);
            let want = |x: &i128| (x >> (31 * j)) as u32 & (u32::MAX >> 1);
            assert_eq!(digit.to_vec(), a.iter().map(want).collect::<Vec<_>>(), "{j}");
        }
    }
}
