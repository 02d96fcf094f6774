//! Products in the NTT domain (FIPS 204, Algorithms 45 and 48), which are summed over a row of a
//! matrix in 64 bits and reduced once.
use oaklath_simd::{I32s, Simd, each, vectorize};

use super::sample::Entry;
use super::{NttPoly, Q_INVERSE, q};

/// Evaluates an expression with the row `a` and the factors `b` as arrays, whose length is one of
/// the ranks l of FIPS 204, table 1: a sum stays in registers only if its loop is unrolled.
macro_rules! unrolled {
    ($a:ident $b:ident => $e:expr; $($l:literal)*) => {
        match $b.len() {
            $( $l => {
                let a: &[Entry; $l] = $a.first_chunk().expect("an entry for each factor");
                let a: [&[i32; 256]; $l] = first_coefficients(a);
                let ($a, $b) = (&a, $b.first_chunk::<$l>().expect("a factor for each entry"));
                $e
            } )*
            _ => panic!("the number of factors is a rank of FIPS 204, table 1"),
        }
    };
}

/// Writes the sum of the products `a_j` `b_j`, divided by 2^32: |result| <= 5334849 for 0 <= a < q
/// and |b| < 10 q. Out of line.
///
/// # Panics
/// If there are not 4, 5 or 7 factors, or if the row has fewer entries.
#[inline(never)]
pub fn dot<S: Simd>(s: S, a: &[Entry], b: &[NttPoly], result: &mut NttPoly) {
    vectorize!(s => {
        unrolled!(a b => {
            each!(i in 0..256, S::I32::LANES => reduce(s, sum(s, a, b, i)).store(&mut result[i..]));
        }; 4 5 7);
    });
}

/// Writes the sum of [`dot`] minus c t, for |c|, |t| < 10 q: |result| <= 6970051, which is below q.
/// Out of line.
///
/// # Panics
/// If there are not 4, 5 or 7 factors, or if the row has too few entries.
#[inline(never)]
pub fn dot_minus<S: Simd>(
    s: S,
    a: &[Entry],
    b: &[NttPoly],
    (c, t): (&NttPoly, &NttPoly),
    result: &mut NttPoly,
) {
    vectorize!(s => {
        unrolled!(a b => {
            each!(i in 0..256, S::I32::LANES => {
                let product = S::I32::load(s, &c[i..]).mul_wide(S::I32::load(s, &t[i..]));
                reduce(s, sum(s, a, b, i) - product).store(&mut result[i..]);
            });
        }; 4 5 7);
    });
}

/// Computes a b / 2^32: |result| <= 5825410 for |a|, |b| < 10 q. Out of line.
#[inline(never)]
pub fn multiply_ntt<S: Simd>(s: S, a: &NttPoly, b: &NttPoly, result: &mut NttPoly) {
    vectorize!(s => {
        each!(i in 0..256, S::I32::LANES => {
            let product = S::I32::load(s, &a[i..]).mul_wide(S::I32::load(s, &b[i..]));
            reduce(s, product).store(&mut result[i..]);
        });
    });
}

/// Adds a b / 2^32, which is less than q, to `sum`, for 0 <= a < q and |b| < 10 q: |sum| is at most
/// 63016646 if it was below 7 q. Out of line.
#[inline(never)]
pub fn add_product<S: Simd>(s: S, a: &[i32], b: &NttPoly, sum: &mut NttPoly) {
    vectorize!(s => {
        let a = &a[..256];
        each!(i in 0..256, S::I32::LANES => {
            let product = S::I32::load(s, &a[i..]).mul_wide(S::I32::load(s, &b[i..]));
            (S::I32::load(s, &sum[i..]) + reduce(s, product)).store(&mut sum[i..]);
        });
    });
}

/// Reduces |f| < 8 q to |result| <= 4251641. Out of line.
#[inline(never)]
pub fn reduce_sum<S: Simd>(s: S, f: &NttPoly, result: &mut NttPoly) {
    vectorize!(s => {
        each!(i in 0..256, S::I32::LANES => {
            // q is 0.1 % below 2^23, so the quotient is off by little more than one half.
            let x = S::I32::load(s, &f[i..]);
            let quotient = (x + S::I32::splat(s, 1 << 22)).sra::<23>();
            (x - quotient.mullo(q(s))).store(&mut result[i..]);
        });
    });
}

/// Computes one vector of a sum of products: at most 7 x 10 q^2, and with another product of
/// 100 q^2 still below 2^31 q, about 256 q^2.
#[inline(always)]
fn sum<S: Simd, const L: usize>(
    s: S,
    a: &[&[i32; 256]; L],
    b: &[NttPoly; L],
    i: usize,
) -> <S::I32 as I32s<S>>::Wide {
    let mut sum = S::I32::load(s, &a[0][i..]).mul_wide(S::I32::load(s, &b[0][i..]));
    each!(j in 1..L => {
        sum = sum + S::I32::load(s, &a[j][i..]).mul_wide(S::I32::load(s, &b[j][i..]));
    });
    sum
}

/// Returns the coefficients of entries, without the room that the sampler needs.
#[inline(always)]
fn first_coefficients<const L: usize>(row: &[Entry; L]) -> [&[i32; 256]; L] {
    let mut polys = [const { &[0; 256] }; L];
    each!(j in 0..L => polys[j] = row[j].first_chunk().expect("256 coefficients"));
    polys
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

    fn entry(f: &[i32; 256]) -> Entry {
        let mut entry = Entry::new([0; _]);
        entry[..256].copy_from_slice(f);
        entry
    }

    /// Returns a b modulo x^256 + 1, with coefficients that are congruent modulo q.
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
        let a = [1, 2, 7, 8].map(|seed| poly(seed, Q));
        let b = [poly(3, 1 << 20), poly(4, 9), poly(9, Q), poly(10, 5)];
        let (c, t) = (poly(5, 2), poly(6, Q));
        let products: [_; 4] = core::array::from_fn(|j| schoolbook(&a[j], &b[j]));
        let ct = schoolbook(&c, &t);
        for level in Level::available() {
            let hat = |f: &Poly| {
                let mut f_hat = NttPoly::new([0; 256]);
                dispatch!(level, s => ntt(s, f, &mut f_hat));
                f_hat
            };
            let row = a.each_ref().map(|f| entry(&hat(f).map(|x| x.rem_euclid(Q))));
            let b_hat = b.each_ref().map(hat);
            let (c_hat, t_hat) = (hat(&c), hat(&t));
            let (mut sum, mut f) = (NttPoly::new([0; 256]), Poly::new([0; 256]));
            let mut check = |sum: &NttPoly, want: &dyn Fn(usize) -> i64| {
                assert!(sum.iter().all(|x| x.abs() < Q));
                dispatch!(level, s => inverse_ntt(s, sum, &mut f));
                for i in 0..256 {
                    assert_eq!((i64::from(f[i]) - want(i)) % i64::from(Q), 0, "{level} {i}");
                }
            };
            let sum_of_products = |i: usize| products.iter().map(|product| product[i]).sum::<i64>();
            dispatch!(level, s => dot(s, &row, &b_hat, &mut sum));
            check(&sum, &sum_of_products);
            dispatch!(level, s => dot_minus(s, &row, &b_hat, (&c_hat, &t_hat), &mut sum));
            check(&sum, &|i| sum_of_products(i) - ct[i]);
            dispatch!(level, s => multiply_ntt(s, &c_hat, &t_hat, &mut sum));
            check(&sum, &|i| ct[i]);
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

    /// Checks seven products of the largest factors and one more.
    #[test]
    fn the_largest_sum() {
        let a = [(); 7].map(|()| entry(&[Q - 1; 256]));
        for level in Level::available() {
            for b in [10 * Q - 1, 1 - 10 * Q] {
                let b_hat = [const { NttPoly::new([0; 256]) }; 7].map(|_| NttPoly::new([b; 256]));
                let (c, t) = (NttPoly::new([-b; 256]), NttPoly::new([10 * Q - 1; 256]));
                let mut sum = NttPoly::new([0; 256]);
                dispatch!(level, s => dot_minus(s, &a, &b_hat, (&c, &t), &mut sum));
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
