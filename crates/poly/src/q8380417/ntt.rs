//! The number-theoretic transform: FIPS 204, Algorithms 41 and 42.
use oaklath_simd::{I32s, Simd, array, each, pieces_mut, vectorize};

use super::{NttPoly, Poly, Q_INVERSE, modulo, montgomery, power, q};
use crate::ntt::{Pair, butterflies, each_of, transform_256};

/// 1753^brv(i) in Montgomery form.
const ZETAS: [i32; 256] =
    array!([0; 256]: i => montgomery(power(1753, (i as u8).reverse_bits() as u64)));

/// [`ZETAS`] divided by q modulo 2^32.
const ZETAS_Q: [i32; 256] = array!([0; 256]: i => ZETAS[i].wrapping_mul(Q_INVERSE));

/// 2^64 / 256, which cancels the factor 256 of eight layers and the 2^-32 of a product, twice.
const SCALE: i32 = montgomery(power(2, 24));
/// [`SCALE`] times the zeta of the last layer.
const SCALE_ZETA: i32 = montgomery(modulo(power(2, 24) * power(1753, 128)));

/// A zeta in the form that [`I32s::mul_montgomery`] takes.
type Zeta<V> = [V; 4];

transform_256! {
    I32 of i32, lanes 8 16; zetas 129 0 1; layers 8 4 2 1; inverse 1 2 4 8
}

/// Returns b z / 2^32 modulo q: |result| < q for |b| < 2^31.
#[inline(always)]
fn multiply<S: Simd>(s: S, b: S::I32, z: Zeta<S::I32>) -> S::I32 {
    b.mul_montgomery(z, q(s))
}

/// Computes the Cooley-Tukey butterfly (a + b z, a - b z).
#[inline(always)]
fn forward<S: Simd>(s: S, (a, b): Pair<S::I32>, z: Zeta<S::I32>) -> Pair<S::I32> {
    let t = multiply(s, b, z);
    (a + t, a - t)
}

/// Computes the Gentleman-Sande butterfly (a + b, (b - a) z), which is the same in all layers.
#[inline(always)]
fn inverse<S: Simd, const LEN: usize>(s: S, (a, b): Pair<S::I32>, z: Zeta<S::I32>) -> Pair<S::I32> {
    (a + b, multiply(s, b - a, z))
}

/// Computes the butterfly of the last layer, and scales the results.
#[inline(always)]
fn inverse_last<S: Simd>(s: S, (a, b): Pair<S::I32>) -> Pair<S::I32> {
    let scale = constant(s, SCALE, const { SCALE.wrapping_mul(Q_INVERSE) });
    let scale_zeta = constant(s, SCALE_ZETA, const { SCALE_ZETA.wrapping_mul(Q_INVERSE) });
    (multiply(s, a + b, scale), multiply(s, b - a, scale_zeta))
}

/// Returns one number in all lanes, plain and divided by q modulo 2^32.
#[inline(always)]
fn constant<S: Simd>(s: S, z: i32, z_q: i32) -> Zeta<S::I32> {
    let (z, z_q) = (S::I32::splat(s, z), S::I32::splat(s, z_q));
    [z, z_q, z, z_q]
}

/// Returns one zeta in all lanes.
#[inline(always)]
fn zeta<S: Simd>(s: S, k: usize) -> Zeta<S::I32> {
    constant(s, ZETAS[k], ZETAS_Q[k])
}

/// Computes the NTT (FIPS 204, Algorithm 41). For |f| <= 2^23: |result| <= 42043482. Out of line.
#[inline(never)]
pub fn ntt<S: Simd>(s: S, f: &Poly, f_hat: &mut NttPoly) {
    // No reduction: each of eight layers adds less than q, and 2^23 + 8 q < 2^27.
    vectorize!(s => {
        if const { S::ARRAYS } {
            **f_hat = **f;
            return layers_forward(s, f_hat);
        }
        if const { S::I32::LANES == 16 } {
            // All 256 coefficients fit in registers.
            let columns = [load_eight::<S, 32>(s, &f[..]), load_eight::<S, 32>(s, &f[16..])];
            let [even, odd] = across_forward(s, columns);
            macro_rules! pairs { ($($i:literal)*) => {
                [$( forward(s, (even[$i], odd[$i]), zeta(s, 8 + $i)) ),*]
            } }
            let low = in_register_forward(s, 0, pairs!(0 1 2 3));
            store_pairs::<S>(low, &mut f_hat[..128]);
            let high = in_register_forward(s, 4, pairs!(4 5 6 7));
            store_pairs::<S>(high, &mut f_hat[128..]);
            return;
        }
        each!(i in 0..32, S::I32::LANES => {
            let [r] = across_forward(s, [load_eight::<S, 32>(s, &f[i..])]);
            store_eight::<S, 32>(r, &mut f_hat[i..]);
        });
        each!(block in 0..4 => within_forward(s, block, &mut f_hat[64 * block..]));
    });
}

/// Runs the layers one after the other, as in the standard, and the last four on pairs of vectors:
/// for arrays, which would be in memory in unrolled code as well, and that is seven times as long.
#[inline(always)]
pub(super) fn layers_forward<S: Simd>(s: S, f: &mut [i32; 256]) {
    let lanes = S::I32::LANES;
    let (mut k, mut len) = (1, 128);
    while len > lanes {
        for block in pieces_mut(f, 2 * len) {
            let z = zeta(s, k);
            each_pair(s, block, |pair| forward(s, pair, z));
            k += 1;
        }
        len >>= 1;
    }
    for (p, block) in pieces_mut(f, 2 * lanes).enumerate() {
        each_pair(s, block, |pair| {
            let [pair] = in_register_forward(s, p, [forward(s, pair, zeta(s, k + p))]);
            pair
        });
    }
}

/// Inverts [`layers_forward`], and scales the results.
#[inline(always)]
pub(super) fn layers_inverse<S: Simd>(s: S, f: &mut [i32; 256]) {
    let lanes = S::I32::LANES;
    let (mut k, mut len) = (128 >> lanes.ilog2(), 2 * lanes);
    for (p, block) in pieces_mut(f, len).enumerate() {
        each_pair(s, block, |pair| {
            let [pair] = in_register_inverse(s, p, [pair]);
            inverse::<S, 8>(s, pair, zeta(s, 2 * k - 1 - p))
        });
    }
    while len < 128 {
        for block in pieces_mut(f, 2 * len) {
            k -= 1;
            let z = zeta(s, k);
            each_pair(s, block, |pair| inverse::<S, 16>(s, pair, z));
        }
        len <<= 1;
    }
    each_pair(s, f, |pair| inverse_last(s, pair));
}

/// Applies a butterfly to each vector of the first half of `f` and that of the second.
#[inline(always)]
fn each_pair<S: Simd>(s: S, f: &mut [i32], butterfly: impl Fn(Pair<S::I32>) -> Pair<S::I32>) {
    let (first, second) = f.split_at_mut(f.len() >> 1);
    let lanes = S::I32::LANES;
    for (a, b) in pieces_mut(first, lanes).zip(pieces_mut(second, lanes)) {
        let pair = butterfly((S::I32::load(s, a), S::I32::load(s, b)));
        pair.0.store(a);
        pair.1.store(b);
    }
}

/// Runs the layers up to 16 on four pairs of vectors of 16 lanes, from pair `p` on.
#[inline(always)]
fn inverse_to_16<S: Simd>(s: S, p: usize, f_hat: &[i32]) -> [Pair<S::I32>; 4] {
    macro_rules! pairs { ($($i:literal)*) => { [$(
        (S::I32::load(s, &f_hat[32 * $i..]), S::I32::load(s, &f_hat[32 * $i + 16..]))
    ),*] } }
    let [a, b, c, d] = in_register_inverse(s, p, pairs!(0 1 2 3));
    [
        inverse::<S, 16>(s, a, zeta(s, 15 - p)),
        inverse::<S, 16>(s, b, zeta(s, 14 - p)),
        inverse::<S, 16>(s, c, zeta(s, 13 - p)),
        inverse::<S, 16>(s, d, zeta(s, 12 - p)),
    ]
}

/// Stores four pairs of vectors of 16 lanes.
#[inline(always)]
fn store_pairs<S: Simd>(v: [Pair<S::I32>; 4], f: &mut [i32]) {
    macro_rules! store { ($($i:literal)*) => { $(
        v[$i].0.store(&mut f[32 * $i..]);
        v[$i].1.store(&mut f[32 * $i + 16..]);
    )* } }
    store!(0 1 2 3);
}

/// Runs the layers from 16 down on 64 coefficients in eight vectors: enough to hide latencies.
#[inline(always)]
fn within_forward<S: Simd>(s: S, block: usize, f: &mut [i32]) {
    let [a, b, c, d, e, f_, g, h] = load_eight::<S, 8>(s, f);
    let z = [zeta(s, 8 + 2 * block), zeta(s, 9 + 2 * block)];
    let ((a, c), (b, d)) = (forward(s, (a, c), z[0]), forward(s, (b, d), z[0]));
    let ((e, g), (f_, h)) = (forward(s, (e, g), z[1]), forward(s, (f_, h), z[1]));
    let k = 16 + 4 * block;
    let pairs = [
        forward(s, (a, b), zeta(s, k)),
        forward(s, (c, d), zeta(s, k + 1)),
        forward(s, (e, f_), zeta(s, k + 2)),
        forward(s, (g, h), zeta(s, k + 3)),
    ];
    let [a, b, c, d] = in_register_forward(s, 4 * block, pairs);
    store_eight::<S, 8>([a.0, a.1, b.0, b.1, c.0, c.1, d.0, d.1], f);
}

/// Computes the inverse NTT (FIPS 204, Algorithm 42) times 2^32, which cancels the 2^-32 of
/// [`dot`](super::dot). For |f| < q: |result| <= 6176123. Out of line.
#[inline(never)]
pub fn inverse_ntt<S: Simd>(s: S, f_hat: &NttPoly, f: &mut Poly) {
    // No reduction: sums of eight layers are below 256 q, which is 0.1 % less than 2^31.
    vectorize!(s => {
        if const { S::ARRAYS } {
            **f = **f_hat;
            return layers_inverse(s, f);
        }
        if const { S::I32::LANES == 16 } {
            let [a, b, c, d] = inverse_to_16(s, 0, &f_hat[..128]);
            let [e, f_, g, h] = inverse_to_16(s, 4, &f_hat[128..]);
            let even = [a.0, b.0, c.0, d.0, e.0, f_.0, g.0, h.0];
            let odd = [a.1, b.1, c.1, d.1, e.1, f_.1, g.1, h.1];
            let [even, odd] = across_inverse(s, [even, odd]);
            store_eight::<S, 32>(even, &mut f[..]);
            store_eight::<S, 32>(odd, &mut f[16..]);
            return;
        }
        each!(block in 0..4 => {
            within_inverse(s, block, &f_hat[64 * block..], &mut f[64 * block..]);
        });
        each!(i in 0..32, S::I32::LANES => {
            let [r] = across_inverse(s, [load_eight::<S, 32>(s, &f[i..])]);
            store_eight::<S, 32>(r, &mut f[i..]);
        });
    });
}

/// Runs the layers up to 16 on 64 coefficients in eight vectors.
#[inline(always)]
fn within_inverse<S: Simd>(s: S, block: usize, f_hat: &[i32], f: &mut [i32]) {
    let [a, b, c, d, e, f_, g, h] = load_eight::<S, 8>(s, f_hat);
    let [a, b, c, d] = in_register_inverse(s, 4 * block, [(a, b), (c, d), (e, f_), (g, h)]);
    let k = 31 - 4 * block;
    let (a, b) = (inverse::<S, 8>(s, a, zeta(s, k)), inverse::<S, 8>(s, b, zeta(s, k - 1)));
    let (c, d) = (inverse::<S, 8>(s, c, zeta(s, k - 2)), inverse::<S, 8>(s, d, zeta(s, k - 3)));
    let z = [zeta(s, 15 - 2 * block), zeta(s, 14 - 2 * block)];
    let (even, odd) =
        (inverse::<S, 16>(s, (a.0, b.0), z[0]), inverse::<S, 16>(s, (a.1, b.1), z[0]));
    let (even2, odd2) =
        (inverse::<S, 16>(s, (c.0, d.0), z[1]), inverse::<S, 16>(s, (c.1, d.1), z[1]));
    let low = [even.0, odd.0, even.1, odd.1];
    let high = [even2.0, odd2.0, even2.1, odd2.1];
    store_eight::<S, 8>([low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3]], f);
}

#[cfg(test)]
mod tests {
    use super::super::{Q, testing::poly};
    use super::*;
    use oaklath_simd::{Level, dispatch};

    /// Returns f at every power 1753^(2 brv(i) + 1), which defines the NTT: FIPS 204, section 2.5.
    fn values(f: &Poly) -> [i64; 256] {
        let q = i64::from(Q);
        core::array::from_fn(|i| {
            let root = power(1753, 2 * u64::from((i as u8).reverse_bits()) + 1) as i64;
            f.iter().rev().fold(0, |sum, c| (sum * root + i64::from(*c)).rem_euclid(q))
        })
    }

    #[test]
    fn there_and_back() {
        let mut largest = poly(0, 2);
        largest.iter_mut().for_each(|c| *c = if *c == 0 { 1 << 23 } else { -(1 << 23) });
        for f in [poly(1, Q), poly(2, 3), largest, Poly::new([1 << 23; 256])] {
            let want = values(&f);
            for level in Level::available() {
                let mut f_hat = NttPoly::new([0; 256]);
                dispatch!(level, s => ntt(s, &f, &mut f_hat));
                assert!(f_hat.iter().all(|x| x.abs() < (1 << 23) + 8 * Q));
                let got = f_hat.map(|x| i64::from(x).rem_euclid(i64::from(Q)));
                assert_eq!(got, want, "{level}");
                f_hat.iter_mut().for_each(|x| *x %= Q);
                let mut g = Poly::new([0; 256]);
                dispatch!(level, s => inverse_ntt(s, &f_hat, &mut g));
                for (g, f) in g.iter().zip(f.iter()) {
                    assert!(g.abs() < Q);
                    let want = (i64::from(*f) << 32).rem_euclid(i64::from(Q));
                    assert_eq!(i64::from(*g).rem_euclid(i64::from(Q)), want, "{level}");
                }
            }
        }
    }

    /// Checks that no sum overflows for the largest numbers that the inverse takes.
    #[test]
    fn the_inverse_of_extremes() {
        for level in Level::available() {
            for f_hat in [[Q - 1; 256], [1 - Q; 256]] {
                let mut f = Poly::new([0; 256]);
                dispatch!(level, s => inverse_ntt(s, &NttPoly::new(f_hat), &mut f));
                let want = (i64::from(f_hat[0]) << 32).rem_euclid(i64::from(Q));
                assert_eq!(i64::from(f[0]).rem_euclid(i64::from(Q)), want, "{level}");
                assert!(f[1..].iter().all(|x| *x == 0), "{level}: a constant");
            }
        }
    }

    /// Checks that the tables equal what their function returns at run time, and that for each
    /// width of vectors they hold each zeta of a layer once for each of its butterflies.
    #[test]
    fn tables_hold_each_zeta_for_its_butterflies() {
        fn check<const W: usize, const LEN: usize>() {
            let zeta = |i: usize| {
                montgomery(power(1753, u64::from((((128 + i) / LEN) as u8).reverse_bits())))
            };
            let mut want: [i32; 128] = core::array::from_fn(zeta);
            want.sort_unstable();
            for (inverse, [plain, divided]) in
                [(false, Layer::<W, LEN>::FORWARD), (true, Layer::<W, LEN>::INVERSE)]
            {
                assert_eq!(*plain, twiddles::<W>(LEN, 1, inverse));
                assert_eq!(*divided, plain.map(|zeta| zeta.wrapping_mul(Q_INVERSE)));
                let mut zetas: [i32; 128] = *plain.first_chunk().expect("128 zetas and room");
                zetas.sort_unstable();
                assert_eq!(zetas, want, "{W} lanes at distance {LEN}");
            }
        }
        check::<8, 1>();
        check::<8, 2>();
        check::<8, 4>();
        check::<16, 1>();
        check::<16, 2>();
        check::<16, 4>();
        check::<16, 8>();
        assert_eq!(twiddles::<8>(8, 1, false), [0; 129]);
    }
}
