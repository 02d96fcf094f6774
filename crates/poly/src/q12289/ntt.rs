//! The number-theoretic transform. Layers that pair coefficients at least two vectors apart run
//! over memory, two at a time; the others run inside pairs of vectors.
use oaklath_simd::{I16s, Simd, each, instances, vectorize};

use crate::ntt::{Pair, blocks, store_four, zeta_index};

use super::{NttPoly, Poly, Q, Q_INVERSE, modulo, montgomery, multiply_zeta, reduce};

/// The root of order 2048 of the reference and of FN-DSA; it determines the order of public keys.
const ROOT: u64 = 7;

/// ROOT^(i with its 10 bits reversed) in Montgomery form. n = 512 uses the first half, since its
/// root is the square of `ROOT`.
const ZETAS: [i16; 1024] = {
    let (mut t, mut power) = ([0; 1024], 1);
    each!(i in 0..1024_u16 => {
        t[(i.reverse_bits() >> 6) as usize] = montgomery(power);
        power = modulo(power * ROOT);
    });
    assert!(power == Q as u64 - 1, "the root has order 2048");
    t
};

/// Returns the zetas of a layer on pairs of `W`-lane vectors after `transpose` from `W / 2` down to
/// `len`: first plain, then divided by q modulo 2^16. All are zero if that layer is not inside
/// vectors.
const fn twiddles<const N: usize, const W: usize>(len: usize, inverse: bool) -> [i16; N] {
    let mut t = [0; N];
    let mut pair = 0;
    while 2 * pair * W < N && len < W {
        let blocks = blocks::<W>(pair, len);
        each!(i in 0..W => {
            let z = ZETAS[zeta_index(N, len, blocks[i], inverse)];
            t[pair * W + i] = z;
            t[(N >> 1) + pair * W + i] = z.wrapping_mul(Q_INVERSE);
        });
        pair += 1;
    }
    t
}

/// Whether the layer begins with a reduction: forward, layers 4, 6 and 8.
#[inline(always)]
const fn reduces(n: usize, len: usize) -> bool {
    matches!(n.ilog2() - len.ilog2(), 4 | 6 | 8)
}

/// The zetas of one layer inside vectors.
struct Layer<const N: usize, const W: usize, const LEN: usize>;

impl<const N: usize, const W: usize, const LEN: usize> Layer<N, W, LEN> {
    const FORWARD: &[i16; N] = &twiddles::<N, W>(LEN, false);
    const INVERSE: &[i16; N] = &twiddles::<N, W>(LEN, true);
}

/// Computes the Cooley-Tukey butterfly (a + b z, a - b z).
#[inline(always)]
fn forward<S: Simd>(s: S, (a, b): Pair<S::I16>, z: Pair<S::I16>, reduced: bool) -> Pair<S::I16> {
    let t = multiply_zeta(s, b, z.0, z.1);
    let a = if reduced { reduce(s, a) } else { a };
    (a + t, a - t)
}

/// Computes the Gentleman-Sande butterfly (a + b, (b - a) z).
#[inline(always)]
fn inverse<S: Simd>(s: S, (a, b): Pair<S::I16>, z: Pair<S::I16>) -> Pair<S::I16> {
    (reduce(s, a + b), multiply_zeta(s, b - a, z.0, z.1))
}

/// Returns one zeta in all lanes.
#[inline(always)]
fn zeta<S: Simd>(s: S, k: usize) -> Pair<S::I16> {
    (S::I16::splat(s, ZETAS[k]), S::I16::splat(s, ZETAS[k].wrapping_mul(Q_INVERSE)))
}

/// Loads the zetas of pair `p` in a layer inside vectors.
#[inline(always)]
fn zetas<S: Simd, const N: usize, const LEN: usize>(s: S, p: usize, inverse: bool) -> Pair<S::I16> {
    let table = match (S::I16::LANES, inverse) {
        (32, false) => Layer::<N, 32, LEN>::FORWARD,
        (16, false) => Layer::<N, 16, LEN>::FORWARD,
        (_, false) => Layer::<N, 8, LEN>::FORWARD,
        (32, true) => Layer::<N, 32, LEN>::INVERSE,
        (16, true) => Layer::<N, 16, LEN>::INVERSE,
        (_, true) => Layer::<N, 8, LEN>::INVERSE,
    };
    let (plain, divided) = table.split_at(N >> 1);
    let at = p * S::I16::LANES;
    (S::I16::load(s, &plain[at..]), S::I16::load(s, &divided[at..]))
}

/// Runs the layers of two pairs of vectors from `p` on, then restores natural order.
#[inline(always)]
fn in_register_forward<S: Simd, const N: usize>(s: S, p: usize, f: &mut [i16]) {
    let w = S::I16::LANES;
    let f = &mut f[2 * w * p..2 * w * (p + 2)];
    let load = |n: usize| S::I16::load(s, &f[n * w..]);
    let (mut a, mut b) = ((load(0), load(1)), (load(2), load(3)));
    let (first, reduced) = (zeta_index(N, w, p, false), reduces(N, w));
    a = forward(s, a, zeta(s, first), reduced);
    b = forward(s, b, zeta(s, first + 1), reduced);
    macro_rules! layer {
        ($($len:literal)*) => { $(
            if const { $len < S::I16::LANES } {
                a = a.0.transpose::<$len>(a.1);
                b = b.0.transpose::<$len>(b.1);
                a = forward(s, a, zetas::<S, N, $len>(s, p, false), reduces(N, $len));
                b = forward(s, b, zetas::<S, N, $len>(s, p + 1, false), reduces(N, $len));
            }
        )* };
    }
    layer!(16 8 4 2 1);
    let (a, b) = (a.0.transpose::<1>(a.1), b.0.transpose::<1>(b.1));
    let (a, b) = (a.0.ravel(a.1), b.0.ravel(b.1));
    store_four::<S>([a.0, a.1, b.0, b.1], f, 0, w);
}

/// Inverts the layers of [`in_register_forward`], from natural order.
#[inline(always)]
fn in_register_inverse<S: Simd, const N: usize>(s: S, p: usize, f_hat: &[i16], f: &mut [i16]) {
    let w = S::I16::LANES;
    let f_hat = &f_hat[2 * w * p..2 * w * (p + 2)];
    let load = |n: usize| S::I16::load(s, &f_hat[n * w..]);
    let (a, b) = (load(0).unravel(load(1)), load(2).unravel(load(3)));
    let (mut a, mut b) = (a.0.transpose::<1>(a.1), b.0.transpose::<1>(b.1));
    macro_rules! layer {
        ($($len:literal)*) => { $(
            if const { $len < S::I16::LANES } {
                a = inverse(s, a, zetas::<S, N, $len>(s, p, true));
                b = inverse(s, b, zetas::<S, N, $len>(s, p + 1, true));
                a = a.0.transpose::<$len>(a.1);
                b = b.0.transpose::<$len>(b.1);
            }
        )* };
    }
    layer!(1 2 4 8 16);
    let first = zeta_index(N, w, p, true);
    a = inverse(s, a, zeta(s, first));
    b = inverse(s, b, zeta(s, first - 1));
    store_four::<S>([a.0, a.1, b.0, b.1], &mut f[2 * w * p..2 * w * (p + 2)], 0, w);
}

/// Runs layers `len` and `len / 2` of one block.
#[inline(always)]
fn two_forward<S: Simd, const N: usize>(s: S, f: &mut [i16], len: usize, block: usize) {
    let f = &mut f[2 * len * block..2 * len * (block + 1)];
    let half = len >> 1;
    let (k, l) = (zeta_index(N, len, block, false), zeta_index(N, half, 2 * block, false));
    let (outer, inner) = (zeta(s, k), [zeta(s, l), zeta(s, l + 1)]);
    let (r, t) = (reduces(N, len), reduces(N, half));
    each!(i in 0..half, S::I16::LANES => {
        let load = |n: usize| S::I16::load(s, &f[n * half + i..]);
        let (a, c) = forward(s, (load(0), load(2)), outer, r);
        let (b, d) = forward(s, (load(1), load(3)), outer, r);
        let ((a, b), (c, d)) = (forward(s, (a, b), inner[0], t), forward(s, (c, d), inner[1], t));
        store_four::<S>([a, b, c, d], f, i, half);
    });
}

/// Runs the inverses of layers `len / 2` and `len` of one block.
#[inline(always)]
fn two_inverse<S: Simd, const N: usize>(s: S, f: &mut [i16], len: usize, block: usize) {
    let f = &mut f[2 * len * block..2 * len * (block + 1)];
    let half = len >> 1;
    let (k, l) = (zeta_index(N, len, block, true), zeta_index(N, half, 2 * block, true));
    let (outer, inner) = (zeta(s, k), [zeta(s, l), zeta(s, l - 1)]);
    each!(i in 0..half, S::I16::LANES => {
        let load = |n: usize| S::I16::load(s, &f[n * half + i..]);
        let (a, b) = inverse(s, (load(0), load(1)), inner[0]);
        let (c, d) = inverse(s, (load(2), load(3)), inner[1]);
        let ((a, c), (b, d)) = (inverse(s, (a, c), outer), inverse(s, (b, d), outer));
        store_four::<S>([a, b, c, d], f, i, half);
    });
}

/// NTT. |f| <= 9560 gives |result| <= 23823, and 32077 for N = 1024. Out of line.
#[inline(never)]
pub fn ntt<S: Simd, const N: usize>(s: S, f: &Poly<N>, f_hat: &mut NttPoly<N>) {
    // A layer gives |a| + 6145 + |b| / 10.67 at most: 30923 before the first reduction, 25858 and
    // less before the others, and after a tenth layer 32077: whatever takes it takes any number.
    vectorize!(s => {
        f_hat.copy_from_slice(&f[..]);
        let w = S::I16::LANES;
        let mut len = N >> 1;
        // If the number of layers over memory is odd, one runs alone.
        if (len.ilog2() - w.ilog2()) & 1 == 1 {
            let z = zeta(s, 1);
            each!(i in 0..len, w => {
                let pair = (S::I16::load(s, &f_hat[i..]), S::I16::load(s, &f_hat[len + i..]));
                let (a, b) = forward(s, pair, z, false);
                a.store(&mut f_hat[i..]);
                b.store(&mut f_hat[len + i..]);
            });
            len >>= 1;
        }
        while len > w {
            let mut block = 0;
            while 2 * len * block < N {
                two_forward::<S, N>(s, &mut f_hat[..], len, block);
                block += 1;
            }
            len >>= 2;
        }
        let mut p = 0;
        while 2 * w * p < N {
            in_register_forward::<S, N>(s, p, &mut f_hat[..]);
            p += 2;
        }
    });
}

/// Computes N times the inverse NTT. For |`f_hat`| <= 13653: |result| <= 8194. Out of line.
#[inline(never)]
pub fn inverse_ntt<S: Simd, const N: usize>(s: S, f_hat: &NttPoly<N>, f: &mut Poly<N>) {
    // A sum or difference of two is at most 27306. The sum is reduced to at most 8194; the product
    // of the difference is at most 6145 + 27306 / 10.67 = 8705.
    vectorize!(s => {
        let w = S::I16::LANES;
        let mut p = 0;
        while 2 * w * p < N {
            in_register_inverse::<S, N>(s, p, &f_hat[..], &mut f[..]);
            p += 2;
        }
        let mut len = 4 * w;
        while len < N {
            let mut block = 0;
            while 2 * len * block < N {
                two_inverse::<S, N>(s, &mut f[..], len, block);
                block += 1;
            }
            len <<= 2;
        }
        let (z, half, mut i) = (zeta(s, 1), N >> 1, 0);
        // If the number of layers over memory is odd, one runs alone.
        if (half.ilog2() - w.ilog2()) & 1 == 1 {
            while i < half {
                let pair = (S::I16::load(s, &f[i..]), S::I16::load(s, &f[half + i..]));
                let (a, b) = inverse(s, pair, z);
                a.store(&mut f[i..]);
                b.store(&mut f[half + i..]);
                i += w;
            }
        }
    });
}

instances!(S => ntt::<S, 512>, ntt::<S, 1024>, inverse_ntt::<S, 512>, inverse_ntt::<S, 1024>);

#[cfg(test)]
mod tests {
    use super::*;
    use oaklath_simd::{Level, dispatch};

    fn poly<const N: usize>(mut x: u32, bound: i32) -> Poly<N> {
        let mut f = [0; N];
        for c in &mut f {
            x = x.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
            *c = ((x >> 8) as i32 % (2 * bound + 1) - bound) as i16;
        }
        Poly::new(f)
    }

    /// Returns the value at root `i` by Horner's rule.
    fn evaluated<const N: usize>(f: &Poly<N>, i: usize) -> i64 {
        let bits = N.ilog2();
        let exponent = 2 * ((i as u32).reverse_bits() >> (32 - bits)) as usize + 1;
        let root = (0..exponent * (1024 / N)).fold(1, |p, _| p * ROOT as i64 % 12289);
        f.iter().rev().fold(0, |value, c| (value * root + i64::from(*c)).rem_euclid(12289))
    }

    fn check<const N: usize>() {
        let extreme = [9560, -9560, 6144, 1];
        for level in Level::available() {
            for seed in 0..20 {
                let f = match extreme.get(seed as usize) {
                    Some(x) => Poly::new([*x; N]),
                    None => poly::<N>(seed, 9560),
                };
                let mut f_hat = NttPoly::new([0; N]);
                dispatch!(level, s => ntt(s, &f, &mut f_hat));
                let most = if N == 512 { 23823 } else { 32077 };
                assert!(f_hat.iter().all(|x| x.unsigned_abs() <= most), "{level}");
                for i in (0..N).step_by(37) {
                    let want = evaluated(&f, i);
                    assert_eq!(i64::from(f_hat[i]).rem_euclid(12289), want, "{level} {N} {i}");
                }
                let mut reduced = NttPoly::new([0; N]);
                reduced.iter_mut().zip(f_hat.iter()).for_each(|(r, x)| *r = *x % 12289);
                let mut back = Poly::new([0; N]);
                dispatch!(level, s => inverse_ntt(s, &reduced, &mut back));
                assert!(back.iter().all(|x| x.unsigned_abs() <= 8194), "{level}");
                for (a, b) in back.iter().zip(f.iter()) {
                    let want = i64::from(*b) * N as i64;
                    assert_eq!((i64::from(*a) - want) % 12289, 0, "{level} {N}");
                }
            }
        }
    }

    #[test]
    fn forward_and_inverse() {
        check::<512>();
        check::<1024>();
    }

    /// Checks that the results stay in range for the largest inputs of the inverse.
    #[test]
    fn extremes_back() {
        for level in Level::available() {
            for x in [13653, -13653] {
                for alternate in [false, true] {
                    let sign = |i: usize| if alternate && i & 1 == 1 { -1 } else { 1 };
                    let f_hat = NttPoly::new(core::array::from_fn::<_, 1024, _>(|i| x * sign(i)));
                    let mut f = Poly::new([0; 1024]);
                    dispatch!(level, s => inverse_ntt(s, &f_hat, &mut f));
                    assert!(f.iter().all(|x| x.unsigned_abs() <= 8194), "{level}");
                }
            }
        }
    }

    /// Checks that the tables equal what their function returns at run time, and that for each
    /// width of vectors they hold each zeta of a layer once for each of its butterflies.
    #[test]
    fn tables_hold_each_zeta_for_its_butterflies() {
        fn check<const N: usize, const W: usize, const LEN: usize>() {
            let mut powers = std::vec![1];
            (1..1024).for_each(|i| powers.push(modulo(powers[i - 1] * ROOT)));
            let zeta = |i: usize| {
                let k = (N / 2 + i) / LEN;
                montgomery(powers[usize::from((k as u16).reverse_bits() >> 6)])
            };
            let mut want: std::vec::Vec<i16> = (0..N / 2).map(zeta).collect();
            want.sort_unstable();
            for (inverse, table) in
                [(false, Layer::<N, W, LEN>::FORWARD), (true, Layer::<N, W, LEN>::INVERSE)]
            {
                assert_eq!(*table, twiddles::<N, W>(LEN, inverse));
                let (plain, divided) = table.split_at(N / 2);
                let pairs = || plain.iter().zip(divided);
                assert!(pairs().all(|(z, z_q)| z.wrapping_mul(Q_INVERSE) == *z_q));
                let mut zetas = plain.to_vec();
                zetas.sort_unstable();
                assert_eq!(zetas, want, "{N}: {W} lanes at distance {LEN}");
            }
        }
        check::<512, 8, 1>();
        check::<512, 8, 4>();
        check::<512, 16, 2>();
        check::<512, 32, 16>();
        check::<1024, 8, 2>();
        check::<1024, 16, 1>();
        check::<1024, 16, 8>();
        check::<1024, 32, 4>();
        assert_eq!(twiddles::<512, 8>(8, false), [0; 512]);
    }

    /// Forward, layers 4, 6 and 8 begin with a reduction.
    #[test]
    fn layers_that_reduce() {
        for n in [512, 1024_usize] {
            let layers = (1..=n.ilog2()).filter(|layer| reduces(n, n >> layer));
            assert!(layers.eq([4, 6, 8]));
        }
    }
}
