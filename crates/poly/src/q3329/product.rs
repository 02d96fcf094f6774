//! Products in the NTT domain (FIPS 203, Algorithms 11 and 12), which are summed over a row of a
//! matrix in 32 bits and reduced once.
use core::ops::Range;

use oaklath_simd::{A64, I16s, Simd, each};

use super::{NttPoly, Q, Q_INVERSE, brv, canonical, montgomery, multiply, power};
use crate::offset;

/// A factor b prepared for [`dot`]: for each pair (b0, b1) with gamma = 17^(2 brv(i) + 1), the
/// first half holds (b0, gamma b1), the second (b1, b0).
pub type Factor = A64<[[i16; 256]; 2]>;

/// 1 in even lanes and gamma in odd ones, in Montgomery form.
static GAMMA: [i16; 256] = {
    let mut t = [0; 256];
    each!(i in 0..128 => {
        t[2 * i] = montgomery(1);
        t[2 * i + 1] = montgomery(power(17, 2 * brv(i) + 1));
    });
    t
};

/// [`GAMMA`] divided by q modulo 2^16.
static GAMMA_Q: [i16; 256] = {
    let mut t = GAMMA;
    each!(i in 0..256 => t[i] = t[i].wrapping_mul(Q_INVERSE));
    t
};

/// Converts a polynomial to a factor of [`dot`]. For |b| <= 16560: |factor| <= 16560.
#[inline(always)]
pub fn prepare<S: Simd>(s: S, b: &NttPoly, factor: &mut Factor) {
    each!(i in 0..256, S::I16::LANES => {
        let v = S::I16::load(s, &b[i..]);
        let (gamma, gamma_q) = (S::I16::load(s, &GAMMA[i..]), S::I16::load(s, &GAMMA_Q[i..]));
        multiply(s, v, gamma, gamma_q).store(&mut factor[0][i..]);
        v.swap_pairs().store(&mut factor[1][i..]);
    });
}

/// Computes the sum of the products `a_j` `b_j`, divided by 2^16.
/// For 0 <= a <= 4095, |b| <= 16560 and at most four products: |result| <= 9942.
#[inline(always)]
pub fn dot<S: Simd, const K: usize>(
    s: S,
    a: [&[i16; 256]; K],
    b: &[Factor; K],
    result: &mut NttPoly,
) {
    each!(i in 0..256, S::I16::LANES => dot_at(s, &a, b, i).store(&mut result[i..]));
}

/// Computes one vector of [`dot`].
#[inline(always)]
fn dot_at<S: Simd, const K: usize>(
    s: S,
    a: &[&[i16; 256]; K],
    b: &[Factor; K],
    i: usize,
) -> S::I16 {
    // a0 b0 + gamma a1 b1 and a0 b1 + a1 b0 are at most 2 x 4095 x 16560, and four below 2^30.
    let v = S::I16::load(s, &a[0][i..]);
    let mut c0 = v.dot_pairs(S::I16::load(s, &b[0][0][i..]));
    let mut c1 = v.dot_pairs(S::I16::load(s, &b[0][1][i..]));
    each!(j in 1..K => {
        let v = S::I16::load(s, &a[j][i..]);
        c0 = c0 + v.dot_pairs(S::I16::load(s, &b[j][0][i..]));
        c1 = c1 + v.dot_pairs(S::I16::load(s, &b[j][1][i..]));
    });
    // Montgomery reduction: subtract the multiple of q that makes the low halves zero.
    let (q, q_inverse) = (S::I16::splat(s, Q), S::I16::splat(s, Q_INVERSE));
    let q = q.with_odd(S::I16::splat(s, 0));
    let c0 = c0 - S::I16::halves(c0).mullo(q_inverse).dot_pairs(q);
    let c1 = c1 - S::I16::halves(c1).mullo(q_inverse).dot_pairs(q);
    S::I16::high_halves(c0, c1)
}

/// Encodes the coefficients `range` of the sum of `a_j` `b_j` / 2^16 plus e with 12 bits each, at
/// their places in the 384 `bytes`. Both ends of the range are multiples of `LANES`; |e| <= 16560.
#[inline(always)]
pub fn dot_encode_12<S: Simd, const K: usize>(
    s: S,
    a: [&[i16; 256]; K],
    b: &[Factor; K],
    e: &NttPoly,
    range: Range<usize>,
    bytes: &mut [u8],
) {
    let mut i = range.start;
    while i < range.end && i < 256 {
        // 9942 + 16560 < 2^15.
        let t = dot_at(s, &a, b, i) + S::I16::load(s, &e[i..]);
        canonical(s, t).pack::<12>(&mut bytes[offset::<12>(i)..]);
        i += S::I16::LANES;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::q3329::{Poly, inverse_ntt, ntt};
    use oaklath_simd::{Level, dispatch};
    use std::vec::Vec;

    fn poly(mut x: u32, bound: i16) -> Poly {
        let mut f = [0; 256];
        for c in &mut f {
            x = x.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
            *c = ((x >> 12) % (bound as u32)) as i16;
        }
        Poly::new(f)
    }

    /// Returns a b modulo x^256 + 1 and 3329.
    fn schoolbook(a: &Poly, b: &Poly) -> Vec<i64> {
        let mut c = std::vec![0; 256];
        for (i, a) in a.iter().enumerate() {
            for (j, b) in b.iter().enumerate() {
                let sign = if i + j < 256 { 1 } else { -1 };
                c[(i + j) % 256] += sign * i64::from(*a) * i64::from(*b);
            }
        }
        c.iter().map(|c| c.rem_euclid(3329)).collect()
    }

    #[test]
    fn sums_of_products() {
        #[inline(always)]
        fn product<S: Simd>(s: S, a: &[Poly; 2], b: &[Poly; 2], out: &mut (Poly, [u8; 384])) {
            let mut hats = [NttPoly::new([0; 256]); 4];
            let mut factors = [Factor::new([[0; 256]; 2]); 2];
            for j in 0..2 {
                ntt(s, &a[j], &mut hats[j]);
                ntt(s, &b[j], &mut hats[2 + j]);
                prepare(s, &hats[2 + j], &mut factors[j]);
            }
            for j in 0..2 {
                ntt(s, &a[j], &mut hats[j]);
                hats[j].iter_mut().for_each(|x| *x = x.rem_euclid(3329));
            }
            let mut sum = NttPoly::new([0; 256]);
            let rows = [&*hats[0], &*hats[1]];
            dot(s, rows, &factors, &mut sum);
            inverse_ntt(s, &sum, &mut out.0);
            dot_encode_12(s, rows, &factors, &hats[2], 0..32, &mut out.1);
            dot_encode_12(s, rows, &factors, &hats[2], 32..256, &mut out.1);
            for (i, bytes) in out.1.chunks(3).enumerate() {
                let got = i32::from(bytes[0]) | i32::from(bytes[1] & 15) << 8;
                let want = i32::from(sum[2 * i]) + i32::from(hats[2][2 * i]);
                assert_eq!(got, want.rem_euclid(3329), "{s:?}");
                let got = i32::from(bytes[1] >> 4) | i32::from(bytes[2]) << 4;
                let want = i32::from(sum[2 * i + 1]) + i32::from(hats[2][2 * i + 1]);
                assert_eq!(got, want.rem_euclid(3329), "{s:?}");
            }
        }
        for level in Level::available() {
            for seed in 0..10 {
                let a = [poly(4 * seed, 3329), poly(4 * seed + 1, 3329)];
                let b = [poly(4 * seed + 2, 3), poly(4 * seed + 3, 3329)];
                let mut out = (Poly::new([0; 256]), [0; 384]);
                dispatch!(level, s => product(s, &a, &b, &mut out));
                let (x, y) = (schoolbook(&a[0], &b[0]), schoolbook(&a[1], &b[1]));
                for i in 0..256 {
                    let got = i64::from(out.0[i]).rem_euclid(3329);
                    assert_eq!(got, (x[i] + y[i]) % 3329, "{level} {i}");
                }
            }
        }
    }

    /// Checks four products of the largest factors: the sum fits 32 bits, the result its range.
    #[test]
    fn the_largest_sum() {
        #[inline(always)]
        fn largest<S: Simd>(s: S, a: &[i16; 256], b: i16, sum: &mut NttPoly) {
            let mut factors = [Factor::new([[0; 256]; 2]); 4];
            for factor in &mut factors {
                prepare(s, &NttPoly::new([b; 256]), factor);
            }
            dot(s, [a; 4], &factors, sum);
        }
        let a = [4095; 256];
        for level in Level::available() {
            for b in [16560, -16560] {
                let mut sum = NttPoly::new([0; 256]);
                dispatch!(level, s => largest(s, &a, b, &mut sum));
                assert!(sum.iter().all(|x| x.abs() <= 9942), "{level} {b}");
                for (i, pair) in sum.as_chunks::<2>().0.iter().enumerate() {
                    let gamma = power(17, 2 * brv(i) + 1) as i64;
                    let ab = 4 * 4095 * i64::from(b);
                    let want = [ab * (1 + gamma), 2 * ab];
                    for (x, want) in pair.iter().zip(want) {
                        assert_eq!(((i64::from(*x) << 16) - want) % 3329, 0, "{level} {b} {i}");
                    }
                }
            }
        }
    }
}
