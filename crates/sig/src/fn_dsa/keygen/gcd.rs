//! Inverses of big odd integers modulo each other, in constant time: the division steps of
//! Bernstein and Yang ("Fast constant-time gcd computation and modular inversion", TCHES 2019(3))
//! in the variant with delta = 1/2 at the start, 62 steps at a time (as described by Wuille for
//! libsecp256k1).
//!
//! Integers are in limbs of 62 bits, lowest first, of which the last is signed.
use alloc::vec;
use alloc::vec::Vec;

use oaklath_simd::ct::Mask;
use oaklath_simd::{ct, dispatch};
use zeroize::Zeroizing;

const LIMB: u64 = u64::MAX >> 2;

/// An integer, erased when dropped.
type Integer = Zeroizing<Vec<i64>>;
/// A nonnegative integer in limbs of 64 bits, erased when dropped.
type Unsigned = Zeroizing<Vec<u64>>;

/// Returns how many rounds of 62 steps suffice for integers of `bits` bits: the bound that Wuille
/// has proved for the variant (safegcd-bounds).
#[expect(clippy::integer_division_remainder_used, reason = "of a public length")]
const fn rounds(bits: usize) -> usize {
    ((45_907 * bits + 26_313) / 19_929).div_ceil(62)
}

/// Returns u and v with `x u - y v = 1`, `0 <= u < y` and `0 <= v < x`, for positive odd integers x
/// and y with the same number of 64-bit limbs and at most `bits` bits. Returns `None` if x and y
/// have a common factor, which is public.
pub(super) fn bezout(x: &[u64], y: &[u64], bits: usize) -> Option<(Unsigned, Unsigned)> {
    dispatch!(_s => {
        let u = invert(x, y, bits)?;
        let mut v = Zeroizing::new(vec![0; x.len()]);
        exact_quotient(x, &u, y, &mut v);
        Some((u, v))
    })
}

/// Returns the inverse of x modulo y.
#[inline(always)]
fn invert(x: &[u64], y: &[u64], bits: usize) -> Option<Unsigned> {
    // Two bits more: for the sign, and for values up to 2 y.
    let len = limbs62(bits + 2);
    let modulus = split(y, len);
    let (mut f, mut g) = (modulus.clone(), split(x, len));
    let (mut d, mut e) = (Zeroizing::new(vec![0; len]), Zeroizing::new(vec![0; len]));
    e[0] = 1;
    let inverse = inverse62(modulus[0] as u64);
    // -(delta + 1/2).
    let mut zeta = -1;
    for _ in 0..rounds(bits) {
        let matrix = steps(&mut zeta, f[0] as u64, g[0] as u64);
        apply(&matrix, &mut f, &mut g);
        apply_modulo(&matrix, &modulus, inverse, &mut d, &mut e);
    }
    // Now g = 0 and f is the greatest common divisor or its negative.
    let negative = (f[len - 1] >> 63) as u64;
    let mut other = 0;
    for (i, limb) in f.iter().enumerate() {
        let is = if i == len - 1 { *limb as u64 } else { *limb as u64 & LIMB };
        let minus_one = if i == len - 1 { u64::MAX } else { LIMB };
        let one = u64::from(i == 0);
        other |= is ^ Mask::from_bit(negative & 1).select(one, minus_one);
    }
    if Mask::from_nonzero(other).declassify() {
        return None;
    }
    normalize(&mut d, negative, &modulus);
    Some(join(&d, y.len()))
}

/// Returns how many limbs of 62 bits hold `bits` bits.
const fn limbs62(bits: usize) -> usize {
    bits.div_ceil(62)
}

/// Converts an unsigned integer to limbs of 62 bits.
fn split(x: &[u64], len: usize) -> Integer {
    let limb = |at: usize| x.get(at).copied().unwrap_or(0);
    let part = |i: usize| {
        let (at, shift) = ((62 * i) >> 6, (62 * i) & 63);
        ((limb(at) >> shift | limb(at + 1) << 1 << (63 - shift)) & LIMB) as i64
    };
    Zeroizing::new((0..len).map(part).collect())
}

/// Converts a nonnegative integer back to limbs of 64 bits.
#[expect(clippy::integer_division_remainder_used, reason = "of public numbers")]
fn join(x: &[i64], len: usize) -> Unsigned {
    let limb = |at: usize| x.get(at).map_or(0, |x| *x as u64);
    let part = |i: usize| {
        let (at, shift) = (64 * i / 62, 64 * i % 62);
        // The shift is even, so at most 60: the two limbs hold at least 64 bits.
        limb(at) >> shift | limb(at + 1) << (62 - shift)
    };
    Zeroizing::new((0..len).map(part).collect())
}

/// Returns the inverse of an odd number modulo 2^62.
fn inverse62(x: u64) -> u64 {
    inverse64(x) & LIMB
}

/// Returns the inverse of an odd number modulo 2^64.
fn inverse64(x: u64) -> u64 {
    // Three bits are correct at first; each iteration doubles their number.
    let mut inverse = x;
    for _ in 0..5 {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(x.wrapping_mul(inverse)));
    }
    inverse
}

/// The matrix of `(f, g) = matrix (f, g) / 2^62`, whose rows have absolute sums of at most 2^62.
struct ReductionMatrix {
    f: [i64; 2],
    g: [i64; 2],
}

/// Does 62 division steps on the lowest limbs.
#[inline(always)]
fn steps(zeta: &mut i64, mut f: u64, mut g: u64) -> ReductionMatrix {
    let (mut u, mut v, mut q, mut r) = (1_u64, 0_u64, 0_u64, 1_u64);
    let mut z = *zeta as u64;
    for _ in 0..62 {
        // If delta is positive and g is odd, (f, g) becomes (g, (g - f) / 2), else (f, (g + g_0 f)
        // / 2).
        let positive = ct::word((z as i64 >> 63) as u64);
        let odd = ct::word((g & 1).wrapping_neg());
        let negate = |x: u64| (x ^ positive).wrapping_sub(positive);
        g = g.wrapping_add(negate(f) & odd);
        q = q.wrapping_add(negate(u) & odd);
        r = r.wrapping_add(negate(v) & odd);
        let swap = positive & odd;
        z = (z ^ swap).wrapping_sub(1);
        f = f.wrapping_add(g & swap);
        u = u.wrapping_add(q & swap);
        v = v.wrapping_add(r & swap);
        g >>= 1;
        u <<= 1;
        v <<= 1;
    }
    *zeta = z as i64;
    ReductionMatrix { f: [u as i64, v as i64], g: [q as i64, r as i64] }
}

#[inline(always)]
fn wide(a: i64, b: i64) -> i128 {
    i128::from(a) * i128::from(b)
}

#[inline(always)]
fn apply(matrix: &ReductionMatrix, f: &mut [i64], g: &mut [i64]) {
    let ([u, v], [q, r]) = (matrix.f, matrix.g);
    // The lowest 62 bits of both sums are zero.
    let (mut x, mut y) = (0, 0);
    let len = f.len();
    let g = &mut g[..len];
    for i in 0..len {
        x += wide(u, f[i]) + wide(v, g[i]);
        y += wide(q, f[i]) + wide(r, g[i]);
        if i > 0 {
            (f[i - 1], g[i - 1]) = ((x as u64 & LIMB) as i64, (y as u64 & LIMB) as i64);
        }
        (x, y) = (x >> 62, y >> 62);
    }
    (f[len - 1], g[len - 1]) = (x as i64, y as i64);
}

/// Applies the matrix to (d, e) modulo `modulus`, whose inverse modulo 2^62 is `inverse`. Keeps
/// -2 modulus < d, e < modulus.
#[inline(always)]
fn apply_modulo(
    matrix: &ReductionMatrix,
    modulus: &[i64],
    inverse: u64,
    d: &mut [i64],
    e: &mut [i64],
) {
    let ([u, v], [q, r]) = (matrix.f, matrix.g);
    let len = d.len();
    let (e, modulus) = (&mut e[..len], &modulus[..len]);
    // Adds the modulus once for each negative number, and subtracts the multiple of it that makes
    // the lowest 62 bits zero.
    let (d_sign, e_sign) = (d[len - 1] >> 63, e[len - 1] >> 63);
    let mut x = wide(u, d[0]) + wide(v, e[0]);
    let mut y = wide(q, d[0]) + wide(r, e[0]);
    let times = |negative: i64, sum: i128| {
        let excess = inverse.wrapping_mul(sum as u64).wrapping_add(negative as u64) & LIMB;
        negative.wrapping_sub(excess as i64)
    };
    let d_times = times((u & d_sign) + (v & e_sign), x);
    let e_times = times((q & d_sign) + (r & e_sign), y);
    x = (x + wide(d_times, modulus[0])) >> 62;
    y = (y + wide(e_times, modulus[0])) >> 62;
    for i in 1..len {
        x += wide(u, d[i]) + wide(v, e[i]) + wide(d_times, modulus[i]);
        y += wide(q, d[i]) + wide(r, e[i]) + wide(e_times, modulus[i]);
        (d[i - 1], e[i - 1]) = ((x as u64 & LIMB) as i64, (y as u64 & LIMB) as i64);
        (x, y) = (x >> 62, y >> 62);
    }
    (d[len - 1], e[len - 1]) = (x as i64, y as i64);
}

/// Maps -2 modulus < d < modulus to 0 <= d < modulus, negated if `negate` is all ones.
#[inline(always)]
fn normalize(d: &mut [i64], negate: u64, modulus: &[i64]) {
    let negate = ct::word(negate) as i64;
    for last in [false, true] {
        // Adds the modulus to a negative d; after the first turn -modulus < d < modulus.
        let add = ct::word((d[d.len() - 1] >> 63) as u64) as i64;
        let negate = if last { 0 } else { negate };
        let len = d.len();
        let mut carry = 0_i64;
        for i in 0..len {
            let x = ((d[i] + (modulus[i] & add)) ^ negate) - negate + carry;
            (d[i], carry) = if i < len - 1 { (x & LIMB as i64, x >> 62) } else { (x, 0) };
        }
    }
}

/// Computes the exact quotient `v = (x u - 1) / y` for odd y, modulo a power of two.
#[inline(always)]
fn exact_quotient(x: &[u64], u: &[u64], y: &[u64], v: &mut [u64]) {
    let len = v.len();
    // The lowest `len` limbs of the product.
    let mut rest = Zeroizing::new(vec![0_u64; len]);
    for i in 0..len {
        let mut carry = 0;
        for (rest, u) in rest[i..].iter_mut().zip(u) {
            let sum = u128::from(x[i]) * u128::from(*u) + u128::from(*rest) + carry;
            (*rest, carry) = (sum as u64, sum >> 64);
        }
    }
    let mut borrow = true;
    for word in rest.iter_mut() {
        (*word, borrow) = word.overflowing_sub(u64::from(borrow));
    }
    let inverse = inverse64(y[0]);
    for i in 0..len {
        let digit = rest[i].wrapping_mul(inverse);
        v[i] = digit;
        // The carry is subtracted from the next limb; it is at most 2^64 - 1.
        let mut carry = 0_u64;
        for (rest, y) in rest[i..].iter_mut().zip(y) {
            let product = u128::from(digit) * u128::from(*y) + u128::from(carry);
            let (difference, borrow) = rest.overflowing_sub(product as u64);
            (*rest, carry) = (difference, (product >> 64) as u64 + u64::from(borrow));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oaklath_simd::Level;

    /// Returns x u - y v modulo 2^(64 len).
    fn combination(x: &[u64], u: &[u64], y: &[u64], v: &[u64]) -> Vec<u64> {
        let mut out = vec![0_u64; x.len()];
        for (minus, a, b) in [(false, x, u), (true, y, v)] {
            for i in 0..a.len() {
                for j in 0..a.len() - i {
                    let product = u128::from(a[i]) * u128::from(b[j]);
                    let (mut low, mut high) = (product as u64, (product >> 64) as u64);
                    for word in &mut out[i + j..] {
                        let carry;
                        (*word, carry) = if minus {
                            word.overflowing_sub(low)
                        } else {
                            word.overflowing_add(low)
                        };
                        (low, high) = (high.wrapping_add(u64::from(carry)), 0);
                    }
                }
            }
        }
        out
    }

    fn less(a: &[u64], b: &[u64]) -> bool {
        a.iter().rev().lt(b.iter().rev())
    }

    #[test]
    fn random_integers_and_common_factors() {
        let mut state = 5_u64;
        let mut next = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            state ^ state >> 29
        };
        let mut found = 0;
        for round in 0..60 {
            let len = 1 + round % 9;
            let bits = 64 * len - (round % 5) - 1;
            let mut integer = || -> Vec<u64> {
                let mut x: Vec<u64> = (0..len).map(|_| next()).collect();
                x[0] |= 1;
                x[len - 1] &= u64::MAX >> (64 * len - bits);
                x
            };
            let (x, y) = (integer(), integer());
            for level in Level::available() {
                let Some((u, v)) = level.with(|| bezout(&x, &y, bits)) else {
                    continue;
                };
                found += 1;
                let mut one = vec![0; len];
                one[0] = 1;
                assert_eq!(combination(&x, &u, &y, &v), one, "{level}");
                assert!(less(&u, &y) && less(&v, &x), "{level}");
            }
        }
        // Two odd numbers have no common factor with probability 8 / pi^2.
        assert!(found >= 20 * Level::available().count(), "{found}");
        let none = bezout(&[15, 0], &[21, 0], 70);
        assert!(none.is_none(), "both are multiples of 3");
        let (u, v) = bezout(&[15, 0], &[77, 0], 70).unwrap();
        assert_eq!((u[..] == [36, 0], v[..] == [7, 0]), (true, true));
    }
}
