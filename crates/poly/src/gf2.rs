//! Inverses modulo `Phi_n` = 1 + x + ... + x^(n-1) over GF(2) by exponentiation, after Itoh and
//! Tsujii ("A fast algorithm for computing multiplicative inverses in GF(2^m) using normal bases",
//! Information and Computation 78, 1988).
//!
//! n is a prime, so the power 2^k modulo x^n - 1 moves coefficient i to position `2^k i` modulo n,
//! and the order of a unit a modulo `Phi_n` divides 2^(n-1) - 1. Its inverse is the square of
//! a^(2^k - 1) with k = n - 2, which is reached by doubling k and adding 1.
#[cfg(oaklath_proof)]
mod proofs;

use oaklath_simd::{I16s, Simd, each, secret, vectorize};

#[cfg(oaklath_proof)]
pub use proofs::THEOREMS;

/// Computes the inverse of `a` modulo `Phi_n`. Coefficients of `a` are taken modulo 2; those of the
/// inverse are 0 or 1, and the last is 0. If there is no inverse, the result is meaningless. Both
/// slices have 64 `W` coefficients, of which the first n are used; n is a prime with
/// 64 `W` - 63 <= n < 64 `W`, and `W` is at most 16. Out of line.
///
/// ```
/// use oaklath_poly::gf2::invert;
/// use oaklath_simd::dispatch;
///
/// // x x^4 = 1 modulo x^5 - 1, and x^4 = 1 + x + x^2 + x^3.
/// let (mut a, mut inverse) = ([0; 64], [7; 64]);
/// a[1] = 1;
/// dispatch!(s => invert::<_, 1>(s, 5, &a, &mut inverse));
/// assert_eq!(inverse[..6], [1, 1, 1, 1, 0, 0]);
/// ```
///
/// # Panics
/// If n or `W` is out of range, or if a length is not 64 `W`.
#[inline(never)]
pub fn invert<S: Simd, const W: usize>(s: S, n: usize, a: &[i16], inverse: &mut [i16]) {
    assert!(
        a.len() == 64 * W && inverse.len() == 64 * W && n >> 6 == W - 1 && W <= 16,
        "64 W coefficients, of which n are used"
    );
    vectorize!(s => {
        secret!(base: [u64; W], power: [u64; W], t: [u64; W]);
        to_words(s, a, base);
        *power = *base;
        // power = a^(2^k - 1), and 2^k factor = 1 modulo n.
        let (target, half) = (n - 2, (n + 1) >> 1);
        let (mut k, mut factor, mut bit) = (1, half, 1 << target.ilog2());
        while bit > 1 {
            bit >>= 1;
            *t = *power;
            square_times(s, n, (k, factor), t);
            multiply(s, n, t, power);
            (k, factor) = (2 * k, times(n, factor, factor));
            if target & bit != 0 {
                square(s, n, 1, power);
                multiply(s, n, base, power);
                (k, factor) = (k + 1, times(n, factor, half));
            }
        }
        square(s, n, 1, power);
        // Modulo Phi_n, x^(n-1) is the sum of all lower powers.
        let last = (power[W - 1] >> ((n - 1) & 63) & 1).wrapping_neg();
        power.iter_mut().for_each(|word| *word ^= last);
        power[W - 1] &= low_bits(n - 1);
        to_coefficients(s, power, inverse);
    });
}

/// Returns a mask of the bits of the last word that n bits use.
#[inline(always)]
fn low_bits(n: usize) -> u64 {
    (1 << (n & 63)) - 1
}

/// Packs the low bit of each coefficient into words.
#[inline(always)]
fn to_words<S: Simd, const W: usize>(s: S, a: &[i16], words: &mut [u64; W]) {
    for (word, a) in words.iter_mut().zip(a.as_chunks::<64>().0) {
        *word = 0;
        each!(at in 0..64, S::I16::LANES => {
            *word |= u64::from(S::I16::load(s, &a[at..]).sll::<15>().signs()) << at;
        });
    }
}

/// Expands words to coefficients: the inverse of [`to_words`].
#[inline(always)]
fn to_coefficients<S: Simd, const W: usize>(s: S, words: &[u64; W], a: &mut [i16]) {
    for (word, a) in words.iter().zip(a.as_chunks_mut::<64>().0) {
        each!(at in 0..64, S::I16::LANES => {
            S::I16::from_bits(s, (word >> at) as u32, 1).store(&mut a[at..]);
        });
    }
}

/// Computes b := a b modulo x^n - 1. Out of line.
#[inline(never)]
fn multiply<S: Simd, const W: usize>(s: S, n: usize, a: &[u64; W], b: &mut [u64; W]) {
    vectorize!(s => {
        secret!(product: [[u64; W]; 2]);
        let product = product.as_flattened_mut();
        // The product is computed column by column.
        let (mut before, mut k) = (0, 0);
        while k < 2 * W - 1 {
            let (first, last) = (k.saturating_sub(W - 1), k.min(W - 1));
            let [low, high] = s.multiply_bit_strings(&a[first..=last], &b[first..=last]);
            product[k] = low ^ before;
            before = high;
            k += 1;
        }
        product[k] = before;
        fold(n, product, b);
    });
}

/// Computes a := a^(2^k) modulo x^n - 1 by k squarings. Out of line.
#[inline(never)]
fn square<S: Simd, const W: usize>(s: S, n: usize, k: usize, a: &mut [u64; W]) {
    vectorize!(s => {
        secret!(product: [[u64; W]; 2]);
        let product = product.as_flattened_mut();
        each!(_i in 0..k => {
            for (pair, a) in product.as_chunks_mut::<2>().0.iter_mut().zip(a.iter()) {
                *pair = s.multiply_bits(*a, *a);
            }
            fold(n, product, a);
        });
    });
}

/// Reduces a product of 2 `W` words modulo x^n - 1.
#[inline(always)]
fn fold<const W: usize>(n: usize, product: &[u64], a: &mut [u64; W]) {
    // n bits are W - 1 words and this many bits.
    let shift = n & 63;
    each!(i in 0..W => {
        a[i] = product[i] ^ (product[i + W - 1] >> shift | product[i + W] << (64 - shift));
    });
    a[W - 1] &= low_bits(n);
}

/// Computes a := a^(2^k) modulo x^n - 1, with 2^k factor = 1 modulo n.
#[inline(always)]
fn square_times<S: Simd, const W: usize>(
    s: S,
    n: usize,
    (k, factor): (usize, usize),
    a: &mut [u64; W],
) {
    // Up to eight squarings take less time than one permutation.
    if k <= 8 {
        square(s, n, k, a);
    } else {
        permute(s, n, factor, a);
    }
}

/// Moves the bit at position `factor i` modulo n to each position i. Positions are public.
#[inline(always)]
fn permute<S: Simd, const W: usize>(s: S, n: usize, factor: usize, a: &mut [u64; W]) {
    secret!(from: [u64; 16]);
    from.fill(0);
    from[..W].copy_from_slice(a);
    // The source positions of one vector, and their distance to those of the next.
    let (mut places, mut place) = ([0; 32], 0);
    for to in &mut places[..S::I16::LANES] {
        *to = place as i16;
        place = modulo(n, place + factor);
    }
    let (mut places, modulus) = (S::I16::load(s, &places), S::I16::splat(s, n as i16));
    let step = S::I16::splat(s, place as i16);
    for word in a.iter_mut() {
        *word = 0;
        each!(at in 0..64, S::I16::LANES => {
            *word |= u64::from(places.pick_bits(from)) << at;
            let next = places + step;
            places = next.min_unsigned(next - modulus);
        });
    }
    a[W - 1] &= low_bits(n);
}

/// Returns a b modulo n, for public numbers below n.
#[inline(always)]
fn times(n: usize, a: usize, b: usize) -> usize {
    let (mut product, mut bit) = (0, 1 << n.ilog2());
    while bit > 0 {
        product = modulo(n, 2 * product);
        product = modulo(n, product + if b & bit == 0 { 0 } else { a });
        bit >>= 1;
    }
    product
}

/// Returns x modulo n, for x < 2 n.
#[inline(always)]
fn modulo(n: usize, x: usize) -> usize {
    x.min(x.wrapping_sub(n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use oaklath_simd::{Level, dispatch};
    use std::vec::Vec;

    fn check<const W: usize>(n: usize) {
        let mut x = n as u32;
        for level in Level::available() {
            for case in 0..4 {
                let mut a: Vec<i16> = core::iter::repeat_with(|| {
                    x = x.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
                    (x >> 12) as i16
                })
                .take(n)
                .collect();
                match case {
                    // A constant, and a polynomial that is constant once it is reduced.
                    0 => a[1..].fill(0),
                    1 => a[1..].fill(1),
                    _ => {}
                }
                if case < 2 {
                    a[0] = 1 - a[1];
                }
                a.resize(64 * W, 0);
                let mut b = std::vec![7; 64 * W];
                dispatch!(level, s => invert::<_, W>(s, n, &a, &mut b));
                let mut c = std::vec![0; n];
                for i in 0..n {
                    for j in 0..n {
                        c[(i + j) % n] ^= a[i] & b[j] & 1;
                    }
                }
                let one = c.iter().enumerate().all(|(i, x)| (x ^ c[n - 1]) == i16::from(i == 0));
                let reduced = b.iter().all(|x| x & !1 == 0) && b[n - 1..].iter().all(|x| *x == 0);
                assert!(one && reduced, "{level} {n} {case}");
            }
        }
    }

    #[test]
    fn products_with_inverses_are_one() {
        check::<8>(509);
        check::<11>(677);
        check::<11>(701);
        check::<13>(821);
    }
}
