//! The number-theoretic transform: FIPS 203, Algorithms 9 and 10.
use oaklath_simd::{I16s, Simd, array, each, instances, vectorize};

use super::{NttPoly, Poly, Q_INVERSE, barrett, brv, montgomery, multiply, multiply_by, power};
use crate::ntt::{Pair, butterflies, each_of, store_four, transform_256};

/// 17^brv(i) in Montgomery form.
const ZETAS: [i16; 128] = array!([0; 128]: i => montgomery(power(17, brv(i))));

/// 2^32 / 128, which cancels the factor 128 of seven layers and the factor 2^-16 of a product.
const INVERSE_SCALE: i16 = montgomery(65536 * power(128, 3327));

/// A zeta, plain and divided by q modulo 2^16.
type Zeta<V> = [V; 2];

transform_256! {
    I16 of i16, lanes 8 16 32; zetas 128 0; layers 16 8 4 2; inverse 2 4 8 16
}

/// Computes the Cooley-Tukey butterfly (a + b z, a - b z).
#[inline(always)]
fn forward<S: Simd>(s: S, (a, b): Pair<S::I16>, z: Zeta<S::I16>) -> Pair<S::I16> {
    let t = multiply(s, b, z[0], z[1]);
    (a + t, a - t)
}

/// Computes the Gentleman-Sande butterfly (a + b, (b - a) z). Reduces the sum at distance 16.
#[inline(always)]
fn inverse<S: Simd, const LEN: usize>(s: S, (a, b): Pair<S::I16>, z: Zeta<S::I16>) -> Pair<S::I16> {
    let sum = if LEN == 16 { barrett(s, a + b) } else { a + b };
    (sum, multiply(s, b - a, z[0], z[1]))
}

/// Computes the butterfly of the last layer.
#[inline(always)]
fn inverse_last<S: Simd>(s: S, pair: Pair<S::I16>) -> Pair<S::I16> {
    inverse::<S, 128>(s, pair, zeta(s, 1))
}

/// Returns one zeta in all lanes.
#[inline(always)]
fn zeta<S: Simd>(s: S, k: usize) -> Zeta<S::I16> {
    [S::I16::splat(s, ZETAS[k]), S::I16::splat(s, ZETAS[k].wrapping_mul(Q_INVERSE))]
}

/// Computes the NTT (FIPS 203, Algorithm 9). For |f| <= 3329: |result| <= 16118. Out of line.
#[inline(never)]
pub fn ntt<S: Simd>(s: S, f: &Poly, f_hat: &mut NttPoly) {
    // No reduction: each of seven layers adds at most 1664.5 + |b| 1664 / 65536, up to 16546.
    vectorize!(s => {
        if const { S::I16::LANES == 32 } {
            // All 256 coefficients fit in registers.
            let [[a, b, c, d, e, f, g, h]] = across_forward(s, [load_eight::<S, 32>(s, &f[..])]);
            let [a, b, c, d] = in_register_forward(s, 0, [(a, b), (c, d), (e, f), (g, h)]);
            store_eight::<S, 32>([a.0, a.1, b.0, b.1, c.0, c.1, d.0, d.1], &mut f_hat[..]);
            return;
        }
        each!(i in 0..32, S::I16::LANES => {
            let [r] = across_forward(s, [load_eight::<S, 32>(s, &f[i..])]);
            store_eight::<S, 32>(r, &mut f_hat[i..]);
        });
        each!(i in 0..256, 4 * S::I16::LANES => within_forward(s, i, &mut f_hat[..]));
    });
}

/// Runs the layers from 16 down on four vectors at `i`, for fewer than 32 lanes.
#[inline(always)]
fn within_forward<S: Simd>(s: S, i: usize, f: &mut [i16]) {
    let lanes = S::I16::LANES;
    let f = &mut f[i..i + 4 * lanes];
    let load = |n: usize| S::I16::load(s, &f[n * lanes..]);
    let block = 8 + (i >> 5);
    let (mut a, mut b) = ((load(0), load(1)), (load(2), load(3)));
    if const { S::I16::LANES == 16 } {
        a = forward(s, a, zeta(s, block));
        b = forward(s, b, zeta(s, block + 1));
    } else {
        ((a.0, b.0), (a.1, b.1)) =
            (forward(s, (a.0, b.0), zeta(s, block)), forward(s, (a.1, b.1), zeta(s, block)));
        a = forward(s, a, zeta(s, 2 * block));
        b = forward(s, b, zeta(s, 2 * block + 1));
    }
    let [a, b] = in_register_forward(s, i >> (lanes.ilog2() + 1), [a, b]);
    store_four::<S>([a.0, a.1, b.0, b.1], f, 0, lanes);
}

/// Computes the inverse NTT (FIPS 203, Algorithm 10) times 2^16, which cancels the 2^-16 of
/// [`dot`](super::dot). For |f| <= 9942: |result| <= 16864. Out of line.
#[inline(never)]
pub fn inverse_ntt<S: Simd>(s: S, f_hat: &NttPoly, f: &mut Poly) {
    // Scaled inputs are at most 1920, and sums of four layers 16 x 1920 = 30720. These are reduced
    // to 2160, beside products of at most 2445; sums of three more layers are at most 8 x 2445,
    // and by the theorem, which knows which sums there are, 16864.
    vectorize!(s => {
        if const { S::I16::LANES == 32 } {
            let pairs = [
                load_scaled(s, &f_hat[..]),
                load_scaled(s, &f_hat[64..]),
                load_scaled(s, &f_hat[128..]),
                load_scaled(s, &f_hat[192..]),
            ];
            let [a, b, c, d] = in_register_inverse(s, 0, pairs);
            let [r] = across_inverse(s, [[a.0, a.1, b.0, b.1, c.0, c.1, d.0, d.1]]);
            store_eight::<S, 32>(r, &mut f[..]);
            return;
        }
        each!(i in 0..256, 4 * S::I16::LANES => within_inverse(s, i, &f_hat[..], &mut f[..]));
        each!(i in 0..32, S::I16::LANES => {
            let [r] = across_inverse(s, [load_eight::<S, 32>(s, &f[i..])]);
            store_eight::<S, 32>(r, &mut f[i..]);
        });
    });
}

/// Loads two vectors, times 2^16 / 128.
#[inline(always)]
fn load_scaled<S: Simd>(s: S, f: &[i16]) -> Pair<S::I16> {
    let (a, b) = (S::I16::load(s, f), S::I16::load(s, &f[S::I16::LANES..]));
    (multiply_by(s, a, INVERSE_SCALE), multiply_by(s, b, INVERSE_SCALE))
}

/// Runs the layers up to 16 on four vectors at `i`, for fewer than 32 lanes.
#[inline(always)]
fn within_inverse<S: Simd>(s: S, i: usize, f_hat: &[i16], f: &mut [i16]) {
    let lanes = S::I16::LANES;
    let (f_hat, f) = (&f_hat[i..i + 4 * lanes], &mut f[i..i + 4 * lanes]);
    let pairs = [load_scaled(s, f_hat), load_scaled(s, &f_hat[2 * lanes..])];
    let [mut a, mut b] = in_register_inverse(s, i >> (lanes.ilog2() + 1), pairs);
    let block = 15 - (i >> 5);
    if const { S::I16::LANES == 16 } {
        a = inverse::<S, 16>(s, a, zeta(s, block));
        b = inverse::<S, 16>(s, b, zeta(s, block - 1));
    } else {
        a = inverse::<S, 8>(s, a, zeta(s, 2 * block + 1));
        b = inverse::<S, 8>(s, b, zeta(s, 2 * block));
        let z = zeta(s, block);
        ((a.0, b.0), (a.1, b.1)) =
            (inverse::<S, 16>(s, (a.0, b.0), z), inverse::<S, 16>(s, (a.1, b.1), z));
    }
    store_four::<S>([a.0, a.1, b.0, b.1], f, 0, lanes);
}

instances!(S => ntt::<S>, inverse_ntt::<S>);

#[cfg(test)]
mod tests {
    use super::*;
    use oaklath_simd::{Level, dispatch};
    use std::vec::Vec;

    /// Computes Algorithm 9 by its textbook loop, on numbers that cannot overflow.
    fn reference(f: &Poly) -> Vec<i64> {
        let mut f: Vec<i64> = f.iter().map(|x| i64::from(*x)).collect();
        let (mut k, mut len) = (1, 128);
        while len >= 2 {
            for start in (0..256).step_by(2 * len) {
                let zeta = power(17, brv(k)) as i64;
                k += 1;
                for j in start..start + len {
                    let t = zeta * f[j + len] % 3329;
                    (f[j], f[j + len]) = ((f[j] + t) % 3329, (f[j] - t).rem_euclid(3329));
                }
            }
            len /= 2;
        }
        f.iter().map(|x| x.rem_euclid(3329)).collect()
    }

    fn polynomials() -> impl Iterator<Item = Poly> {
        let mut x: u32 = 1;
        let mut random = move || {
            x = x.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
            ((x >> 8) % 6659) as i16 - 3329
        };
        let extremes = [-3329, -1664, 0, 1664, 3329].map(|x| Poly::new([x; 256]));
        extremes.into_iter().chain((0..50).map(move |_| {
            let mut f = [0; 256];
            f.iter_mut().for_each(|c| *c = random());
            Poly::new(f)
        }))
    }

    #[test]
    fn equals_the_textbook_and_stays_in_range() {
        for level in Level::available() {
            for f in polynomials() {
                let mut f_hat = NttPoly::new([0; 256]);
                dispatch!(level, s => ntt(s, &f, &mut f_hat));
                assert!(f_hat.iter().all(|x| x.abs() <= 16118));
                let got: Vec<i64> = f_hat.iter().map(|x| i64::from(*x).rem_euclid(3329)).collect();
                assert_eq!(got, reference(&f), "{level}");

                // The way back, from the largest representatives that a product can have.
                f_hat.iter_mut().for_each(|x| *x = *x % 3329 + if *x < 0 { -6614 } else { 6614 });
                let want = reference(&f);
                let shifted = |(x, want): (&i16, &i64)| {
                    let shift = if *x < 0 { -6614 } else { 6614 };
                    i64::from(*x) - shift - want
                };
                assert!(f_hat.iter().zip(&want).all(|pair| shifted(pair) % 3329 == 0));
                assert!(f_hat.iter().all(|x| x.abs() <= 9942));
                let mut g = Poly::new([0; 256]);
                dispatch!(level, s => inverse_ntt(s, &f_hat, &mut g));
                assert!(g.iter().all(|x| x.abs() <= 16864));
                let mut again = NttPoly::new([0; 256]);
                let mut reduced = Poly::new([0; 256]);
                reduced.iter_mut().zip(g.iter()).for_each(|(r, g)| *r = *g % 3329);
                dispatch!(level, s => ntt(s, &reduced, &mut again));
                for (a, b) in again.iter().zip(f_hat.iter()) {
                    let (a, b) = (i64::from(*a), i64::from(*b) << 16);
                    assert_eq!((a - b) % 3329, 0, "{level}");
                }
            }
        }
    }

    /// Checks that the tables equal what their function returns at run time, and that for each
    /// width of vectors they hold each zeta of a layer once for each of its butterflies.
    #[test]
    fn tables_hold_each_zeta_for_its_butterflies() {
        fn check<const W: usize, const LEN: usize>() {
            let zeta = |i: usize| montgomery(power(17, brv((128 + i) / LEN)));
            let mut want: Vec<i16> = (0..128).map(zeta).collect();
            want.sort_unstable();
            for (inverse, [plain, divided]) in
                [(false, Layer::<W, LEN>::FORWARD), (true, Layer::<W, LEN>::INVERSE)]
            {
                assert_eq!(*plain, twiddles::<W>(LEN, 1, inverse));
                assert_eq!(*divided, plain.map(|zeta| zeta.wrapping_mul(Q_INVERSE)));
                let mut zetas = plain.to_vec();
                zetas.sort_unstable();
                assert_eq!(zetas, want, "{W} lanes at distance {LEN}");
            }
        }
        check::<8, 2>();
        check::<8, 4>();
        check::<16, 2>();
        check::<16, 4>();
        check::<16, 8>();
        check::<32, 2>();
        check::<32, 4>();
        check::<32, 8>();
        check::<32, 16>();
        assert_eq!(twiddles::<8>(8, 1, false), [0; 128]);
    }
}
