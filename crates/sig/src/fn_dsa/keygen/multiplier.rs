//! Products of (f, g) with small polynomials, subtracted from big ones: the end of each step of
//! Babai's reduction.
use alloc::vec;
use alloc::vec::Vec;

use oaklath_simd::dispatch;
use zeroize::Zeroizing;

use super::big::{Factor, Poly};

/// A factor of many products with coefficients below 2^31.
pub(super) enum Multiplier {
    /// A factor of small degree, multiplied limb by limb.
    Limbs(Limbs),
    /// A factor of large degree, in digits, whose products are added in vectors.
    Digits(Digits),
}

impl Multiplier {
    /// Makes a factor of coefficients of at most `bits` bits, sign included.
    pub(super) fn new(b: &Poly, bits: usize) -> Self {
        if b.n() < BLOCK { Self::Limbs(Limbs::new(b)) } else { Self::Digits(Digits::new(b, bits)) }
    }

    /// Subtracts `2^shift k b` modulo x^n + 1 from the lowest `limbs` limbs of F. |k| < 2^31.
    pub(super) fn subtract(&self, k: &[i64], shift: usize, F: &mut Poly, limbs: usize) {
        match self {
            Self::Limbs(b) => b.subtract(k, shift, F, limbs),
            Self::Digits(b) => b.subtract(k, shift, F, limbs),
        }
    }
}

/// How many coefficients of a product are computed at a time.
const BLOCK: usize = 16;
/// Bits of a digit: for at most 256 coefficients, the sums of products with k are below 2^63.
const DIGIT: usize = 24;

/// A factor in digits of 24 bits, the last one signed. A row holds one digit of all coefficients.
pub(super) struct Digits {
    n: usize,
    limbs: usize,
    count: usize,
    rows: Zeroizing<Vec<i32>>,
}

impl Digits {
    fn new(b: &Poly, bits: usize) -> Self {
        let (n, count) = (b.n(), bits.div_ceil(DIGIT));
        let digit = |l: usize, i: usize| {
            let (at, shift) = ((DIGIT * l) >> 6, (DIGIT * l) & 63);
            let bits = b.extended(i, at) >> shift | b.extended(i, at + 1) << 1 << (63 - shift);
            let signed = (bits << (64 - DIGIT)) as i64 >> (64 - DIGIT);
            (if l + 1 == count { signed } else { signed & ((1 << DIGIT) - 1) }) as i32
        };
        let mut rows = Zeroizing::new(Vec::with_capacity(count * n));
        for l in 0..count {
            rows.extend((0..n).map(|i| digit(l, i)));
        }
        Self { n, limbs: b.limbs(), count, rows }
    }

    fn subtract(&self, k: &[i64], shift: usize, F: &mut Poly, limbs: usize) {
        let n = self.n;
        // -k and k: coefficient i of the product has coefficient j times the number at n + i - j.
        let signed = k.iter().map(|x| -x).chain(k.iter().copied());
        let k: Zeroizing<Vec<i32>> = Zeroizing::new(signed.map(|x| x as i32).collect());
        let mut sums = Zeroizing::new(vec![0; self.rows.len()]);
        for l in 0..self.count {
            let row = l * n..(l + 1) * n;
            multiply_row(&self.rows[row.clone()], &k, &mut sums[row]);
        }
        let mut product = Poly::new(n, self.limbs + 1);
        self.join(&sums, &mut product);
        F.subtract_shifted(&product, shift, limbs);
    }

    /// Converts digits of any size to limbs.
    fn join(&self, sums: &[i64], product: &mut Poly) {
        let n = self.n;
        for i in 0..n {
            // The sum of the digits so far, from limb l on; the next digit begins at its bit `bit`.
            let (mut sum, mut l, mut bit) = (0_i128, 0, 0);
            for digit in sums.iter().skip(i).step_by(n) {
                sum += i128::from(*digit) << bit;
                bit += DIGIT;
                if bit >= 64 {
                    product.row_mut(l)[i] = sum as u64;
                    (sum, l, bit) = (sum >> 64, l + 1, bit - 64);
                }
            }
            while l <= self.limbs {
                product.row_mut(l)[i] = sum as u64;
                (sum, l) = (sum >> 64, l + 1);
            }
        }
    }
}

/// Multiplies a row of digits by k.
#[inline(never)]
fn multiply_row(row: &[i32], k: &[i32], sums: &mut [i64]) {
    dispatch!(_s => {
        let n = row.len();
        for (block, sums) in sums.as_chunks_mut::<BLOCK>().0.iter_mut().enumerate() {
            let mut sum = [0_i64; BLOCK];
            for (j, digit) in row.iter().enumerate() {
                let k = &k[n + BLOCK * block - j..][..BLOCK];
                for (sum, k) in sum.iter_mut().zip(k) {
                    *sum += i64::from(*k) * i64::from(*digit);
                }
            }
            *sums = sum;
        }
    });
}

/// A factor in limbs.
pub(super) struct Limbs {
    factor: Factor,
    /// The factor's sums times -2^32.
    sums: Poly,
}

/// The logarithm of the number that is added to k to make it positive.
const SHIFT: usize = 32;

impl Limbs {
    fn new(b: &Poly) -> Self {
        let factor = Factor::new(b);
        let mut sums = Poly::new(b.n(), factor.sums.limbs());
        // Negated: they are subtracted from zero.
        sums.subtract_shifted(&factor.sums, SHIFT, factor.sums.limbs());
        Self { factor, sums }
    }

    fn subtract(&self, k: &[i64], shift: usize, F: &mut Poly, limbs: usize) {
        let moved = k.iter().map(|x| (x + (1 << SHIFT)) as u64);
        let moved: Zeroizing<Vec<u64>> = Zeroizing::new(moved.collect());
        let F = F.words_mut();
        match self.factor.n {
            2 => self.subtract_columns::<2>(&moved, shift, F, limbs),
            4 => self.subtract_columns::<4>(&moved, shift, F, limbs),
            _ => self.subtract_columns::<8>(&moved, shift, F, limbs),
        }
    }

    /// Subtracts limb by limb, for n = `N` coefficients.
    #[inline(never)]
    fn subtract_columns<const N: usize>(
        &self,
        moved: &[u64],
        shift: usize,
        F: &mut [u64],
        limbs: usize,
    ) {
        dispatch!(_s => {
            let n = N;
            let (skip, bits) = (shift >> 6, shift & 63);
            let (len, rows) = (self.factor.limbs, &self.factor.rows[..]);
            let moved = &moved[..n];
            let total: u64 = moved.iter().sum();
            for i in 0..n {
                // The product from limb l on: at most n 2^(33 + 64) in absolute value.
                let mut sum = 0_i128;
                let (mut below, mut borrow) = (0, 0);
                let column = F[skip * n..limbs * n].iter_mut().skip(i).step_by(n);
                for (l, word) in column.enumerate() {
                    if l < len {
                        let y = &rows[l * 2 * n + n - 1 - i..][..n];
                        let mut products = 0_u128;
                        for (x, y) in moved.iter().zip(y) {
                            products += u128::from(*x) * u128::from(*y);
                        }
                        sum += products as i128;
                    }
                    if l + 1 == len {
                        sum -= i128::from(total << 63);
                    } else if l == len {
                        sum -= i128::from(total >> 1);
                    }
                    if l < len {
                        sum += i128::from(self.sums.row(l)[i]);
                    } else if l == len {
                        sum += i128::from(self.sums.row(l)[i] as i64);
                    }
                    let above = sum as u64;
                    sum >>= 64;
                    let x = above << bits | below >> 1 >> (63 - bits);
                    below = above;
                    let difference = i128::from(*word) - i128::from(x) + borrow;
                    (*word, borrow) = (difference as u64, difference >> 64);
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::big::limbs;
    use super::super::big::tests::{poly, product, random, values};
    use super::*;
    use oaklath_simd::Level;

    #[test]
    fn differences() {
        let mut state = 7;
        for n in [2, 4, 8, 16, 32, 256] {
            for bits in [24, 31, 62, 93] {
                let b = random(n, bits, &mut state);
                let mut k = random(n, 32, &mut state);
                (k[0], k[1]) = ((1 << 31) - 1, -(1 << 31) + 1);
                let F = random(n, 127, &mut state);
                let multiplier = Multiplier::new(&poly(&b, limbs(bits as usize)), bits as usize);
                let k_small: Vec<i64> = k.iter().map(|x| *x as i64).collect();
                let k_b = product(&k, &b);
                let cases = [0, 5, 64, 70].map(|shift| Level::available().map(move |l| (shift, l)));
                for (shift, level) in cases.into_iter().flatten() {
                    let mut got = poly(&F, 2);
                    level.with(|| multiplier.subtract(&k_small, shift, &mut got, 2));
                    let want = F.iter().zip(&k_b).map(|(F, x)| F.wrapping_sub(x << shift));
                    assert_eq!(
                        values(&got),
                        want.collect::<Vec<_>>(),
                        "{level} {n} {bits} {shift}"
                    );
                }
            }
        }
    }
}
