//! Products in the NTT domain: FIPS 204, Algorithms 45 and 48, summed over a row of a matrix in 64
//! bits and reduced once.
use oaklath_simd::{I32s, Simd};

use super::{NttPoly, Q_INVERSE, each, q};

/// The sum of the products `a_j` `b_j`, divided by 2^32: |result| < q for 0 <= a < q, |b| < 10 q and
/// at most seven products. Out of line.
#[inline(never)]
pub fn dot<S: Simd, const L: usize>(
    s: S,
    a: [&[i32; 256]; L],
    b: &[NttPoly; L],
    result: &mut NttPoly,
) {
    s.vectorize(
        #[inline(always)]
        || each!(S, i => reduce(s, sum(s, &a, b, i)).store(&mut result[i..])),
    );
}

/// The same minus c t, for |c|, |t| < 10 q. Out of line.
#[inline(never)]
pub fn dot_minus<S: Simd, const L: usize>(
    s: S,
    a: [&[i32; 256]; L],
    b: &[NttPoly; L],
    (c, t): (&NttPoly, &NttPoly),
    result: &mut NttPoly,
) {
    s.vectorize(
        #[inline(always)]
        || {
            each!(S, i => {
                let product = S::I32::load(s, &c[i..]).mul_wide(S::I32::load(s, &t[i..]));
                reduce(s, sum(s, &a, b, i) - product).store(&mut result[i..]);
            });
        },
    );
}

/// a b / 2^32: |result| < q for |a|, |b| < 10 q. Out of line.
#[inline(never)]
pub fn multiply_ntt<S: Simd>(s: S, a: &NttPoly, b: &NttPoly, result: &mut NttPoly) {
    s.vectorize(
        #[inline(always)]
        || {
            each!(S, i => {
                let product = S::I32::load(s, &a[i..]).mul_wide(S::I32::load(s, &b[i..]));
                reduce(s, product).store(&mut result[i..]);
            });
        },
    );
}

/// sum += a b / 2^32, which grows by less than q, for 0 <= a < q and |b| < 10 q. Out of line.
#[inline(never)]
pub fn add_product<S: Simd>(s: S, a: &[i32], b: &NttPoly, sum: &mut NttPoly) {
    s.vectorize(
        #[inline(always)]
        || {
            let a = &a[..256];
            each!(S, i => {
                let product = S::I32::load(s, &a[i..]).mul_wide(S::I32::load(s, &b[i..]));
                (S::I32::load(s, &sum[i..]) + reduce(s, product)).store(&mut sum[i..]);
            });
        },
    );
}

/// |f| < 8 q -> |result| < q. Out of line.
#[inline(never)]
pub fn reduce_sum<S: Simd>(s: S, f: &NttPoly, result: &mut NttPoly) {
    s.vectorize(
        #[inline(always)]
        || {
            each!(S, i => {
                // q is 0.1 % below 2^23: the quotient is off by less than one half and that.
                let x = S::I32::load(s, &f[i..]);
                let quotient = (x + S::I32::splat(s, 1 << 22)).sra::<23>();
                (x - quotient.mullo(q(s))).store(&mut result[i..]);
            });
        },
    );
}

/// One vector of a sum of products: at most 7 x 10 q^2, with another product of 100 q^2 below
/// 2^31 q = 256 q^2.
#[inline(always)]
fn sum<S: Simd, const L: usize>(
    s: S,
    a: &[&[i32; 256]; L],
    b: &[NttPoly; L],
    i: usize,
) -> <S::I32 as I32s<S>>::Wide {
    let mut sum = S::I32::load(s, &a[0][i..]).mul_wide(S::I32::load(s, &b[0][i..]));
    let mut j = 1;
    while j < L {
        sum = sum + S::I32::load(s, &a[j][i..]).mul_wide(S::I32::load(s, &b[j][i..]));
        j += 1;
    }
    sum
}

#[inline(always)]
fn reduce<S: Simd>(s: S, sum: <S::I32 as I32s<S>>::Wide) -> S::I32 {
    S::I32::montgomery(sum, q(s), S::I32::splat(s, Q_INVERSE))
}

#[cfg(test)]
mod tests {
    use super::super::{Poly, Q, inverse_ntt, ntt, testing::poly};
    use super::*;
    use oaklath_simd::{Level, dispatch};

    /// a b modulo x^256 + 1 and q.
    fn schoolbook(a: &Poly, b: &Poly) -> [i64; 256] {
        let mut c = [0; 256];
        for (i, a) in a.iter().enumerate() {
            for (j, b) in b.iter().enumerate() {
                let product = i64::from(*a) * i64::from(*b) % i64::from(Q);
                c[(i + j) % 256] += if i + j < 256 { product } else { -product };
            }
        }
        c
    }

    #[test]
    fn sums_of_products() {
        let (a, b) = ([poly(1, Q), poly(2, Q)], [poly(3, 1 << 20), poly(4, 9)]);
        let (c, t) = (poly(5, 2), poly(6, Q));
        let products = [schoolbook(&a[0], &b[0]), schoolbook(&a[1], &b[1]), schoolbook(&c, &t)];
        for level in Level::available() {
            let hat = |f: &Poly| {
                let mut f_hat = NttPoly::new([0; 256]);
                dispatch!(level, s => ntt(s, f, &mut f_hat));
                f_hat
            };
            let a_hat = [&a[0], &a[1]].map(|f| hat(f).map(|x| x.rem_euclid(Q)));
            let b_hat = [hat(&b[0]), hat(&b[1])];
            let (c_hat, t_hat) = (hat(&c), hat(&t));
            let (mut sum, mut f) = (NttPoly::new([0; 256]), Poly::new([0; 256]));
            let mut check = |sum: &NttPoly, want: &dyn Fn(usize) -> i64| {
                assert!(sum.iter().all(|x| x.abs() < Q));
                dispatch!(level, s => inverse_ntt(s, sum, &mut f));
                for i in 0..256 {
                    assert_eq!((i64::from(f[i]) - want(i)) % i64::from(Q), 0, "{level} {i}");
                }
            };
            let rows = [&a_hat[0], &a_hat[1]];
            dispatch!(level, s => dot(s, rows, &b_hat, &mut sum));
            check(&sum, &|i| products[0][i] + products[1][i]);
            dispatch!(level, s => dot_minus(s, rows, &b_hat, (&c_hat, &t_hat), &mut sum));
            check(&sum, &|i| products[0][i] + products[1][i] - products[2][i]);
            dispatch!(level, s => multiply_ntt(s, &c_hat, &t_hat, &mut sum));
            check(&sum, &|i| products[2][i]);
        }
    }

    #[test]
    fn sums_that_grow() {
        let (a, b) = (poly(1, Q), NttPoly::new(poly(2, Q).map(|x| 9 * x - 4 * Q)));
        for level in Level::available() {
            let (mut one, mut sum) = (NttPoly::new([0; 256]), NttPoly::new([0; 256]));
            for n in 1..=7 {
                dispatch!(level, s => add_product(s, &a[..], &b, &mut sum));
                dispatch!(level, s => reduce_sum(s, &sum, &mut one));
                for i in 0..256 {
                    let want = n * i64::from(a[i]) * i64::from(b[i]);
                    assert!(one[i].abs() < Q, "{level}");
                    assert_eq!(((i64::from(one[i]) << 32) - want) % i64::from(Q), 0, "{level}");
                }
            }
            for x in [8 * Q - 1, 1 - 8 * Q, 1 << 22, -(1 << 22), Q / 2, -Q / 2] {
                dispatch!(level, s => reduce_sum(s, &NttPoly::new([x; 256]), &mut one));
                assert!(one[0].abs() < Q && (one[0] - x) % Q == 0, "{level} {x}");
            }
        }
    }

    /// Seven products of the largest factors and one more.
    #[test]
    fn the_largest_sum() {
        let a = [Q - 1; 256];
        for level in Level::available() {
            for b in [10 * Q - 1, 1 - 10 * Q] {
                let b_hat = [const { NttPoly::new([0; 256]) }; 7].map(|_| NttPoly::new([b; 256]));
                let (c, t) = (NttPoly::new([-b; 256]), NttPoly::new([10 * Q - 1; 256]));
                let mut sum = NttPoly::new([0; 256]);
                dispatch!(level, s => dot_minus(s, [&a; 7], &b_hat, (&c, &t), &mut sum));
                let b = i64::from(b);
                let want = 7 * i64::from(Q - 1) * b + b * i64::from(10 * Q - 1);
                for x in sum.iter() {
                    assert!(x.abs() < Q);
                    assert_eq!(((i64::from(*x) << 32) - want) % i64::from(Q), 0, "{level}");
                }
            }
        }
    }
}
