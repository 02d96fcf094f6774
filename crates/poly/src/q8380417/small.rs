//! Products of a challenge, which has few terms +-1, and a polynomial with small coefficients, as
//! sums of windows of bytes (PSPM, arXiv 2306.01989, without its packing). There is no reduction
//! modulo q, so results can be compared with the bounds of FIPS 204 directly.
use core::fmt;

use oaklath_simd::{A64, I8s, I32s, Simd, each, vectorize};

use super::Poly;

/// A small polynomial s as the bytes s || -s || s without the first one: x^i s begins at 511 - i,
/// and -x^i s at 255 - i. A second copy is half a cache line off, so that any 32 bytes are within
/// a line in one of the two copies.
pub type Small = A64<[i8; 1600]>;

/// The offset of the second copy.
pub(super) const COPY: u16 = 3 * 256 + 32;

/// Prepares a polynomial for [`multiply_small`].
#[inline(always)]
pub fn fill_small(f: &[i8; 256], small: &mut Small) {
    let (first, second) = small.split_at_mut(COPY as usize);
    first[..255].copy_from_slice(&f[1..]);
    for (x, f) in first[255..511].iter_mut().zip(f) {
        *x = f.wrapping_neg();
    }
    first[511..767].copy_from_slice(f);
    second[..767].copy_from_slice(&first[..767]);
}

/// A challenge c: its coefficients, and for each term the window of [`Small`].
#[derive(Clone, Copy)]
pub struct Challenge {
    /// The coefficients: -1, 0 or 1.
    pub c: [i8; 256],
    /// The number of terms.
    pub(super) terms: usize,
    /// The offsets of windows whose even pieces of 32 bytes do not cross cache lines.
    pub(super) even: [u16; 64],
    /// The offsets of windows whose odd pieces do not.
    pub(super) odd: [u16; 64],
}

/// Does not print the terms, since those of rejected attempts are not published.
impl fmt::Debug for Challenge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Challenge").finish_non_exhaustive()
    }
}

/// A product: for each coefficient two 8-bit summands, or one and a zero.
pub type Sums = A64<[[i8; 256]; 2], Challenge>;

impl Challenge {
    /// A challenge without terms.
    pub const EMPTY: Self = Self { c: [0; 256], terms: 0, even: [0; 64], odd: [0; 64] };

    /// Finds the terms of `self.c`, of which there are at most 64.
    #[inline(always)]
    pub fn index<S: Simd>(&mut self, s: S) {
        let mut n = 0;
        each!(i in 0..256, S::I8::LANES => {
            let mut bits = S::I8::load(s, &self.c[i..]).nonzero();
            while bits != 0 {
                let position = i + bits.trailing_zeros() as usize;
                let window = if self.c[position] < 0 { 255 } else { 511 } - position as u16;
                // A piece of 32 bytes is within a line if it begins in its first half.
                self.even[n] = if window & 63 > 32 { window + COPY } else { window };
                self.odd[n] = if (window + 32) & 63 > 32 { window + COPY } else { window };
                n += 1;
                bits &= bits - 1;
            }
        });
        self.terms = n;
    }
}

/// Computes the sum of the windows of some terms.
#[inline(always)]
fn sum_windows<S: Simd>(s: S, small: &Small, even: &[u16], odd: &[u16], sum: &mut [i8; 256]) {
    let mut a = [S::I8::splat(s, 0); 8];
    for (even, odd) in even.iter().zip(odd) {
        // A window begins at 0..512 of one of the copies; the minimum tells the compiler.
        let (even, odd) = (usize::from(*even).min(1344), usize::from(*odd).min(1344));
        let (even, odd) = (&small[even..even + 256], &small[odd..odd + 256]);
        macro_rules! add { ($($i:literal $from:ident)*) => { $(
            a[$i] = a[$i] + S::I8::load(s, &$from[32 * $i..]);
        )* } }
        add!(0 even 1 odd 2 even 3 odd 4 even 5 odd 6 even 7 odd);
    }
    macro_rules! store { ($($i:literal)*) => { $( a[$i].store(&mut sum[32 * $i..]); )* } }
    store!(0 1 2 3 4 5 6 7);
}

/// Computes c s: with `split` as two sums of half the terms each, else as one sum. |s| times the
/// number of terms of a sum must be at most 127. Out of line.
#[inline(never)]
pub fn multiply_small<S: Simd>(s: S, split: bool, small: &Small, c: &Challenge, sums: &mut Sums) {
    vectorize!(s => {
        let half = if split { c.terms.div_ceil(2) } else { c.terms };
        let [first, second] = &mut **sums;
        sum_windows(s, small, &c.even[..half], &c.odd[..half], first);
        if split {
            let rest = half..c.terms;
            sum_windows(s, small, &c.even[rest.clone()], &c.odd[rest], second);
        } else {
            second.fill(0);
        }
    });
}

/// Converts small coefficients to a polynomial.
#[inline(always)]
pub fn widen<S: Simd>(s: S, f: &[i8; 256], wide: &mut Poly) {
    each!(i in 0..256, S::I32::LANES => S::I32::widen(s, &f[i..]).store(&mut wide[i..]));
}

/// Loads one vector of a product.
#[inline(always)]
pub(super) fn widen_sums<S: Simd>(s: S, sums: &Sums, i: usize) -> S::I32 {
    S::I32::widen(s, &sums[0][i..]) + S::I32::widen(s, &sums[1][i..])
}

#[cfg(test)]
mod tests {
    use super::super::testing::poly;
    use super::*;
    use oaklath_simd::{Level, dispatch};

    fn check(split: bool, level: Level, seed: u64, terms: usize, eta: i32) {
        let mut challenge = Challenge::EMPTY;
        for (i, position) in poly(seed, 256).iter().take(terms).enumerate() {
            challenge.c[*position as usize] =
                if (seed + i as u64).is_multiple_of(3) { -1 } else { 1 };
        }
        let f = poly(seed + 5, 2 * eta + 1).map(|c| (c - eta) as i8);
        let (mut small, mut sums) = (Small::new([0; 1600]), Sums::new([[99; 256]; 2]));
        fill_small(&f, &mut small);
        dispatch!(level, s => challenge.index(s));
        dispatch!(level, s => multiply_small(s, split, &small, &challenge, &mut sums));
        let mut want = [0; 256];
        for (i, c) in challenge.c.iter().enumerate() {
            for (j, f) in f.iter().enumerate() {
                let product = i32::from(*c) * i32::from(*f);
                want[(i + j) % 256] += if i + j < 256 { product } else { -product };
            }
        }
        let got: [i32; 256] =
            core::array::from_fn(|i| i32::from(sums[0][i]) + i32::from(sums[1][i]));
        assert_eq!(got, want, "{level}");
    }

    #[test]
    fn windows_are_products() {
        for level in Level::available() {
            for seed in 0..30 {
                check(true, level, seed, 49, 4);
                check(false, level, seed, 60, 2);
                check(false, level, seed, 39, 2);
            }
        }
    }

    /// Checks that no sum overflows if all terms have one sign and all coefficients are largest.
    #[test]
    fn the_largest_sums() {
        for level in Level::available() {
            for (terms, eta, split) in [(49, 4, true), (60, 2, false)] {
                let mut challenge = Challenge::EMPTY;
                challenge.c[..terms].fill(1);
                let (mut small, mut sums) = (Small::new([0; 1600]), Sums::new([[0; 256]; 2]));
                fill_small(&[eta; 256], &mut small);
                dispatch!(level, s => challenge.index(s));
                dispatch!(level, s => multiply_small(s, split, &small, &challenge, &mut sums));
                let last = i32::from(sums[0][255]) + i32::from(sums[1][255]);
                assert_eq!(last, terms as i32 * i32::from(eta), "{level}");
            }
        }
    }

    #[test]
    fn challenges_are_not_printed() {
        assert_eq!(std::format!("{:?}", Challenge::EMPTY), "Challenge { .. }");
    }
}
