//! Products and quotients in the NTT domain, and norms.
use oaklath_simd::{A64, I16s, Simd, each};

use super::{
    Ntt, NttPoly, Poly, canonical, centred, modulo, montgomery, multiply_by, multiply_montgomery,
    reduce,
};

/// Marks factors prepared for [`multiply`].
#[derive(Clone, Copy, Debug)]
pub struct Ready(Ntt);

/// A factor in the NTT domain, times 2^16 / n.
pub type Factor<const N: usize> = A64<[i16; N], Ready>;

/// Returns 2^16 x / n modulo q, centred.
const fn scale(n: usize, x: u64) -> i16 {
    // 1 / n modulo q is -(q - 1) / n.
    let inverse = 12289 - (12288 >> n.ilog2());
    montgomery(modulo(x) * inverse)
}

/// Converts a polynomial to a factor of [`multiply`]. For any b: |factor| <= 9217.
#[inline(always)]
pub fn prepare<S: Simd, const N: usize>(s: S, b: &NttPoly<N>, factor: &mut Factor<N>) {
    each!(i in 0..N, S::I16::LANES => {
        multiply_by(s, S::I16::load(s, &b[i..]), const { scale(N, 65536) }).store(&mut factor[i..]);
    });
}

/// a b / n, which [`inverse_ntt`](super::inverse_ntt) makes whole. Any a gives |result| <= 10411.
#[inline(always)]
pub fn multiply<S: Simd, const N: usize>(
    s: S,
    a: &NttPoly<N>,
    b: &Factor<N>,
    result: &mut NttPoly<N>,
) {
    each!(i in 0..N, S::I16::LANES => {
        let (a, b) = (S::I16::load(s, &a[i..]), S::I16::load(s, &b[i..]));
        multiply_montgomery(s, a, b).store(&mut result[i..]);
    });
}

/// Computes a / n; [`inverse_ntt`](super::inverse_ntt) cancels this. For any a: |result| <= 9217.
#[inline(always)]
pub fn divide_by_n<S: Simd, const N: usize>(s: S, a: &mut NttPoly<N>) {
    each!(i in 0..N, S::I16::LANES => {
        multiply_by(s, S::I16::load(s, &a[i..]), const { scale(N, 1) }).store(&mut a[i..]);
    });
}

/// Computes a / b, and zero where b is zero, for any a and b: |result| <= 6827.
#[inline(always)]
pub fn divide<S: Simd, const N: usize>(
    s: S,
    a: &NttPoly<N>,
    b: &NttPoly<N>,
    result: &mut NttPoly<N>,
) {
    each!(i in 0..N, S::I16::LANES => {
        let inverse = inverse(s, S::I16::load(s, &b[i..]));
        let a = reduce(s, S::I16::load(s, &a[i..]));
        reduce(s, multiply_montgomery(s, a, inverse)).store(&mut result[i..]);
    });
}

/// Returns 2^16 / b modulo q by b^(q - 2), where q - 2 is 10 followed by twelve ones in binary.
#[inline(always)]
fn inverse<S: Simd>(s: S, b: S::I16) -> S::I16 {
    // Factors are at most 9217, so that products are at most 6145 + 1297.
    let times = |x: S::I16, y: S::I16| multiply_montgomery(s, x, y);
    let b = multiply_by(s, b, montgomery(65536));
    let square = times(b, b);
    let two = times(square, b);
    let three = times(times(two, two), b);
    let mut six = three;
    each!(i in 0..3 => six = times(six, six));
    six = times(six, three);
    let mut power = square;
    each!(half in 0..2 => {
        each!(i in 0..6 => power = times(power, power));
        power = times(power, six);
    });
    power
}

/// Reports whether a value is zero, so that the polynomial has no inverse. The time does not depend
/// on the polynomial.
#[inline(always)]
pub fn has_zero<S: Simd, const N: usize>(s: S, b: &NttPoly<N>) -> bool {
    let mut zero = S::I16::splat(s, 0);
    each!(i in 0..N, S::I16::LANES => {
        zero = zero | (canonical(s, S::I16::load(s, &b[i..])) - S::I16::splat(s, 1));
    });
    zero.any_negative()
}

/// Replaces any f by its representatives 0 <= f < q.
#[inline(always)]
pub fn lift<S: Simd, const N: usize, D>(s: S, f: &mut A64<[i16; N], D>) {
    each!(i in 0..N, S::I16::LANES => canonical(s, S::I16::load(s, &f[i..])).store(&mut f[i..]));
}

/// Replaces any f by its centred representatives: |f| <= 6144.
#[inline(always)]
pub fn centre<S: Simd, const N: usize>(s: S, f: &mut Poly<N>) {
    each!(i in 0..N, S::I16::LANES => centred(s, S::I16::load(s, &f[i..])).store(&mut f[i..]));
}

/// Returns the squared norm of the centred c - t, for 0 <= c < q and |t| <= 8705.
#[inline(always)]
pub fn difference_norm<S: Simd, const N: usize>(s: S, c: &Poly<N>, t: &Poly<N>) -> u64 {
    // |c - t| < 2^15.
    norm::<S, N>(
        #[inline(always)]
        |i| centred(s, S::I16::load(s, &c[i..]) - S::I16::load(s, &t[i..])),
    )
}

/// Reports whether no coefficient of the centred c - t exceeds `largest` in magnitude, which is at
/// most 6144, for 0 <= c < q and |t| <= 8705.
#[inline(always)]
pub fn difference_is_within<S: Simd, const N: usize>(
    s: S,
    c: &Poly<N>,
    t: &Poly<N>,
    largest: u16,
) -> bool {
    let bound = S::I16::splat(s, largest as i16);
    let mut beyond = S::I16::splat(s, 0);
    each!(i in 0..N, S::I16::LANES => {
        let x = centred(s, S::I16::load(s, &c[i..]) - S::I16::load(s, &t[i..]));
        beyond = beyond | (bound - x) | (bound + x);
    });
    !beyond.any_negative()
}

/// Returns the squared norm, for |f| <= 6144.
#[inline(always)]
pub fn square_norm<S: Simd, const N: usize>(s: S, f: &Poly<N>) -> u64 {
    norm::<S, N>(
        #[inline(always)]
        |i| S::I16::load(s, &f[i..]),
    )
}

/// Returns the sum of the squares of all coefficients in vectors `at(i)`, for |x| <= 6144.
#[inline(always)]
fn norm<S: Simd, const N: usize>(at: impl Fn(usize) -> S::I16) -> u64 {
    let (mut sum, mut i) = (0_u64, 0);
    while i < N {
        // The sum of 16 dot products of pairs, each at most 2 * 6144^2, is below 2^31.
        let x = at(i);
        let mut squares = x.dot_pairs(x);
        let mut n = 1;
        i += S::I16::LANES;
        while n < 16 && i < N {
            let x = at(i);
            squares = squares + x.dot_pairs(x);
            i += S::I16::LANES;
            n += 1;
        }
        let mut halves = [0; 32];
        S::I16::halves(squares).store(&mut halves);
        each!(lane in 0..S::I16::LANES, 2 => {
            let (low, high) = (halves[lane] as u16, halves[lane + 1] as u16);
            // Without a branch on overflow, which there is not, in any profile.
            sum = sum.wrapping_add(u64::from(low) | u64::from(high) << 16);
        });
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::q12289::{inverse_ntt, ntt};
    use oaklath_simd::{Level, dispatch};
    use std::vec::Vec;

    fn poly<const N: usize>(mut x: u32, bound: i32) -> Poly<N> {
        let mut f = [0; N];
        for c in &mut f {
            x = x.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
            *c = ((x >> 8) as i32 % (2 * bound + 1) - bound) as i16;
        }
        Poly::new(f)
    }

    fn schoolbook<const N: usize>(a: &Poly<N>, b: &Poly<N>) -> Vec<i64> {
        let mut c = std::vec![0; N];
        for (i, a) in a.iter().enumerate() {
            for (j, b) in b.iter().enumerate() {
                let sign = if i + j < N { 1 } else { -1 };
                c[(i + j) % N] += sign * i64::from(*a) * i64::from(*b);
            }
        }
        c.iter().map(|c| c.rem_euclid(12289)).collect()
    }

    #[inline(always)]
    fn product<S: Simd, const N: usize>(s: S, a: &Poly<N>, b: &Poly<N>, quotient: bool) -> Poly<N> {
        let (mut a_hat, mut b_hat) = (NttPoly::new([0; N]), NttPoly::new([0; N]));
        ntt(s, a, &mut a_hat);
        ntt(s, b, &mut b_hat);
        let (mut factor, mut c_hat) = (Factor::new([0; N]), NttPoly::new([0; N]));
        let mut c = Poly::new([0; N]);
        if quotient {
            divide(s, &a_hat, &b_hat, &mut c_hat);
            assert!(c_hat.iter().all(|x| x.unsigned_abs() <= 6827));
            prepare(s, &c_hat, &mut factor);
            c_hat = NttPoly::new([1; N]);
            multiply(s, &c_hat.clone(), &factor, &mut c_hat);
        } else {
            prepare(s, &b_hat, &mut factor);
            assert!(factor.iter().all(|x| x.unsigned_abs() <= 9217));
            multiply(s, &a_hat, &factor, &mut c_hat);
            assert!(c_hat.iter().all(|x| x.unsigned_abs() <= 10411));
        }
        inverse_ntt(s, &c_hat, &mut c);
        centre(s, &mut c);
        assert!(c.iter().all(|x| x.unsigned_abs() <= 6144));
        c
    }

    fn check<const N: usize>() {
        for level in Level::available() {
            for seed in 0..5 {
                let (a, b) = (poly::<N>(seed, 2047), poly::<N>(seed + 100, 6144));
                let c = dispatch!(level, s => product(s, &a, &b, false));
                let got: Vec<i64> = c.iter().map(|c| i64::from(*c).rem_euclid(12289)).collect();
                assert_eq!(got, schoolbook(&a, &b), "{level}");
                // (a / b) b = a, for the first b that has an inverse.
                let invertible = |b: &Poly<N>| {
                    let mut b_hat = NttPoly::new([0; N]);
                    dispatch!(level, s => ntt(s, b, &mut b_hat));
                    !dispatch!(level, s => has_zero(s, &b_hat))
                };
                let b = (seed..).map(|i| poly::<N>(200 + i, 6144)).find(invertible).unwrap();
                let c = dispatch!(level, s => product(s, &a, &b, true));
                let want: Vec<i64> = a.iter().map(|c| i64::from(*c).rem_euclid(12289)).collect();
                assert_eq!(schoolbook(&c, &b), want, "{level}");
            }
        }
    }

    #[test]
    fn differences_beyond_a_bound() {
        for level in Level::available() {
            for seed in 0..4 {
                // c - t is x modulo q, with 0 <= c < q.
                let (x, t) = (poly::<512>(seed, 840), poly::<512>(seed + 50, 2416));
                let within = |x: &Poly<512>| {
                    let mut c = Poly::new([0; 512]);
                    for ((c, x), t) in c.iter_mut().zip(x.iter()).zip(t.iter()) {
                        *c = (x + t).rem_euclid(12289);
                    }
                    dispatch!(level, s => difference_is_within(s, &c, &t, 840))
                };
                assert!(within(&x), "{level}");
                for at in (0..512).step_by(19) {
                    for (beyond, want) in [(840, true), (-840, true), (841, false), (-841, false)] {
                        let mut x = x;
                        x[at] = beyond;
                        assert_eq!(within(&x), want, "{level} {at} {beyond}");
                    }
                    for beyond in [-6144, 6144] {
                        let mut x = x;
                        x[at] = beyond;
                        assert!(!within(&x), "{level} {at} {beyond}");
                    }
                }
            }
        }
    }

    #[test]
    fn products_and_quotients() {
        check::<512>();
        check::<1024>();
    }

    #[test]
    fn a_zero_is_found_anywhere() {
        for level in Level::available() {
            for at in (0..512).step_by(5) {
                for x in [0, 12289, -12289, 24578] {
                    let mut f = NttPoly::new([1; 512]);
                    f[(at + 1) % 512] = -1;
                    assert!(!dispatch!(level, s => has_zero(s, &f)), "{level}");
                    f[at] = x;
                    assert!(dispatch!(level, s => has_zero(s, &f)), "{level}");
                }
            }
        }
    }

    #[test]
    fn norms() {
        let of = |f: &mut dyn Iterator<Item = i64>| f.map(|x| (x * x) as u64).sum::<u64>();
        for level in Level::available() {
            for seed in 0..20 {
                let (mut c, t) = (poly::<1024>(seed, 6144), poly::<1024>(seed + 50, 8705));
                c.iter_mut().for_each(|c| *c += 6144);
                let centred = |(c, t): (&i16, &i16)| {
                    (i64::from(*c) - i64::from(*t) + 6144).rem_euclid(12289) - 6144
                };
                let want = of(&mut c.iter().zip(t.iter()).map(centred));
                assert_eq!(dispatch!(level, s => difference_norm(s, &c, &t)), want, "{level}");
                let t = poly::<512>(seed, 2047);
                let want = of(&mut t.iter().map(|x| i64::from(*x)));
                assert_eq!(dispatch!(level, s => square_norm(s, &t)), want, "{level}");
            }
            let largest = Poly::new([-6144; 1024]);
            let norm = dispatch!(level, s => square_norm(s, &largest));
            assert_eq!(norm, 1024 * 6144 * 6144, "{level}");
        }
    }

    /// Checks the factors of products, 2^16 x / n.
    #[test]
    fn scales() {
        for n in [512, 1024] {
            for x in [1, 7, 12288, 65536] {
                let product = i64::from(scale(n, x)) * n as i64;
                assert_eq!((product - 65536 * x as i64) % 12289, 0, "{x} / {n}");
            }
        }
    }
}
