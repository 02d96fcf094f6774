//! The number-theoretic transform: FIPS 203, Algorithms 9 and 10.
use oaklath_simd::{I16s, Simd, instances, vectorize};

use super::{NttPoly, Poly, Q_INVERSE, barrett, brv, montgomery, multiply, multiply_by, power};
use crate::layer::zeta_indices;

/// 17^brv(i) in Montgomery form.
const ZETAS: [i16; 128] = {
    let mut t = [0; 128];
    let mut i = 0;
    while i < 128 {
        t[i] = montgomery(power(17, brv(i)));
        i += 1;
    }
    t
};

/// 2^32 / 128: undoes the 128 of seven layers and the 2^-16 of a product.
const INVERSE_SCALE: i16 = montgomery(65536 * power(128, 3327));

/// The zetas of a layer on pairs of `W`-lane vectors that went through `transpose` from `W / 2`
/// down to `LEN`, each times `factor`. Zero where there is no such layer inside vectors.
const fn twiddles<const W: usize>(len: usize, factor: i16, inverse: bool) -> [i16; 128] {
    let mut t = [0; 128];
    let (indices, mut i) = (zeta_indices::<W>(len, inverse), 0);
    while i < 128 && len < W {
        t[i] = ZETAS[indices[i]].wrapping_mul(factor);
        i += 1;
    }
    t
}

/// The zetas of one layer inside vectors, plain and divided by q modulo 2^16, forth and back.
struct Layer<const W: usize, const LEN: usize>;

impl<const W: usize, const LEN: usize> Layer<W, LEN> {
    const FORTH: [&[i16; 128]; 2] =
        [&twiddles::<W>(LEN, 1, false), &twiddles::<W>(LEN, Q_INVERSE, false)];
    const BACK: [&[i16; 128]; 2] =
        [&twiddles::<W>(LEN, 1, true), &twiddles::<W>(LEN, Q_INVERSE, true)];
}

type Pair<V> = (V, V);

/// Cooley-Tukey: (a + b z, a - b z).
#[inline(always)]
fn forth<S: Simd>(s: S, (a, b): Pair<S::I16>, z: Pair<S::I16>) -> Pair<S::I16> {
    let t = multiply(s, b, z.0, z.1);
    (a + t, a - t)
}

/// Gentleman-Sande: (a + b, (b - a) z).
#[inline(always)]
fn back<S: Simd>(s: S, (a, b): Pair<S::I16>, z: Pair<S::I16>) -> Pair<S::I16> {
    (a + b, multiply(s, b - a, z.0, z.1))
}

/// One zeta in all lanes.
#[inline(always)]
fn zeta<S: Simd>(s: S, k: usize) -> Pair<S::I16> {
    (S::I16::splat(s, ZETAS[k]), S::I16::splat(s, ZETAS[k].wrapping_mul(Q_INVERSE)))
}

/// The zetas of pair `p` in a layer inside vectors.
#[inline(always)]
fn zetas<S: Simd, const LEN: usize>(s: S, p: usize, inverse: bool) -> Pair<S::I16> {
    let table = match (S::I16::LANES, inverse) {
        (32, false) => Layer::<32, LEN>::FORTH,
        (16, false) => Layer::<16, LEN>::FORTH,
        (_, false) => Layer::<8, LEN>::FORTH,
        (32, true) => Layer::<32, LEN>::BACK,
        (16, true) => Layer::<16, LEN>::BACK,
        (_, true) => Layer::<8, LEN>::BACK,
    };
    let at = p * S::I16::LANES;
    (S::I16::load(s, &table[0][at..]), S::I16::load(s, &table[1][at..]))
}

/// Does the same for each of the first `N` of four, unrolled: a `for` over a register array leaves
/// it on the stack. Layer by layer, so that the pairs hide each other's latencies.
macro_rules! each {
    ($n:ident $i:ident => $e:expr) => {
        each!($n $i => $e; 0 1 2 3)
    };
    ($n:ident $i:ident => $e:expr; $($k:literal)*) => { $(
        if $k < $n {
            const $i: usize = $k;
            $e
        }
    )* };
}

/// The layers inside the pairs of vectors from `p` on, and back to natural order.
#[inline(always)]
fn inside_forth<S: Simd, const N: usize>(
    s: S,
    p: usize,
    mut v: [Pair<S::I16>; N],
) -> [Pair<S::I16>; N] {
    macro_rules! layer {
        ($len:literal) => {
            if $len < S::I16::LANES {
                each!(N I => {
                    let pair = v[I].0.transpose::<$len>(v[I].1);
                    v[I] = forth(s, pair, zetas::<S, $len>(s, p + I, false));
                });
            }
        };
    }
    layer!(16);
    layer!(8);
    layer!(4);
    layer!(2);
    each!(N I => v[I] = v[I].0.ravel(v[I].1));
    v
}

/// The same back: from natural order.
#[inline(always)]
fn inside_back<S: Simd, const N: usize>(
    s: S,
    p: usize,
    mut v: [Pair<S::I16>; N],
) -> [Pair<S::I16>; N] {
    each!(N I => v[I] = v[I].0.unravel(v[I].1));
    macro_rules! layer {
        ($len:literal) => {
            if $len < S::I16::LANES {
                each!(N I => {
                    let (a, b) = back(s, v[I], zetas::<S, $len>(s, p + I, true));
                    let a = if $len == 16 { barrett(s, a) } else { a };
                    v[I] = a.transpose::<$len>(b);
                });
            }
        };
    }
    layer!(2);
    layer!(4);
    layer!(8);
    layer!(16);
    v
}

/// Butterflies of the pairs `r[i], r[j]` with zeta `k`, unrolled likewise.
macro_rules! butterflies {
    ($f:ident $s:ident $r:ident: $($k:expr => $(($i:literal $j:literal))*;)*) => { $( {
        let z = zeta($s, $k);
        $( ($r[$i], $r[$j]) = $f($s, ($r[$i], $r[$j]), z); )*
    } )* };
}

/// Layers 128, 64 and 32 of eight vectors 32 coefficients apart.
#[inline(always)]
fn outer_forth<S: Simd>(s: S, mut r: [S::I16; 8]) -> [S::I16; 8] {
    butterflies!(forth s r:
        1 => (0 4) (1 5) (2 6) (3 7);
        2 => (0 2) (1 3); 3 => (4 6) (5 7);
        4 => (0 1); 5 => (2 3); 6 => (4 5); 7 => (6 7););
    r
}

/// Layers 32, 64 and 128 back.
#[inline(always)]
fn outer_back<S: Simd>(s: S, mut r: [S::I16; 8]) -> [S::I16; 8] {
    butterflies!(back s r:
        7 => (0 1); 6 => (2 3); 5 => (4 5); 4 => (6 7);
        3 => (0 2) (1 3); 2 => (4 6) (5 7);
        1 => (0 4) (1 5) (2 6) (3 7););
    r
}

/// Eight vectors 32 coefficients apart.
#[inline(always)]
fn load8<S: Simd>(s: S, f: &[i16]) -> [S::I16; 8] {
    let at = |i: usize| S::I16::load(s, &f[32 * i..]);
    [at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)]
}

#[inline(always)]
fn store8<S: Simd>(r: [S::I16; 8], f: &mut [i16]) {
    r[0].store(f);
    r[1].store(&mut f[32..]);
    r[2].store(&mut f[64..]);
    r[3].store(&mut f[96..]);
    r[4].store(&mut f[128..]);
    r[5].store(&mut f[160..]);
    r[6].store(&mut f[192..]);
    r[7].store(&mut f[224..]);
}

/// NTT: FIPS 203, Algorithm 9. |f| <= 3329 gives |result| <= 16560. Out of line.
#[inline(never)]
pub fn ntt<S: Simd>(s: S, f: &Poly, f_hat: &mut NttPoly) {
    // No reduction: each of seven layers adds at most 1664.5 + |b| 1664 / 65536: 16546 in the end.
    vectorize!(s => {
        if S::I16::LANES == 32 {
            // All 256 coefficients in registers.
            let [a, b, c, d, e, f, g, h] = outer_forth(s, load8::<S>(s, &f[..]));
            let [a, b, c, d] = inside_forth(s, 0, [(a, b), (c, d), (e, f), (g, h)]);
            store8::<S>([a.0, a.1, b.0, b.1, c.0, c.1, d.0, d.1], &mut f_hat[..]);
            return;
        }
        let mut i = 0;
        while i < 32 {
            store8::<S>(outer_forth(s, load8::<S>(s, &f[i..])), &mut f_hat[i..]);
            i += S::I16::LANES;
        }
        let mut i = 0;
        while i < 256 {
            within_forth(s, i, &mut f_hat[..]);
            i += 4 * S::I16::LANES;
        }
    });
}

/// The layers from 16 down of four vectors at `i`, for fewer than 32 lanes.
#[inline(always)]
fn within_forth<S: Simd>(s: S, i: usize, f: &mut [i16]) {
    let lanes = S::I16::LANES;
    let f = &mut f[i..i + 4 * lanes];
    let load = |n: usize| S::I16::load(s, &f[n * lanes..]);
    let block = 8 + (i >> 5);
    let (mut a, mut b) = ((load(0), load(1)), (load(2), load(3)));
    if lanes == 16 {
        a = forth(s, a, zeta(s, block));
        b = forth(s, b, zeta(s, block + 1));
    } else {
        ((a.0, b.0), (a.1, b.1)) =
            (forth(s, (a.0, b.0), zeta(s, block)), forth(s, (a.1, b.1), zeta(s, block)));
        a = forth(s, a, zeta(s, 2 * block));
        b = forth(s, b, zeta(s, 2 * block + 1));
    }
    let [a, b] = inside_forth(s, i >> (lanes.ilog2() + 1), [a, b]);
    a.0.store(f);
    a.1.store(&mut f[lanes..]);
    b.0.store(&mut f[2 * lanes..]);
    b.1.store(&mut f[3 * lanes..]);
}

/// NTT^-1: FIPS 203, Algorithm 10, times 2^16, which cancels the 2^-16 of [`dot`](super::dot).
/// |f| <= 9943 gives |result| <= 19560. Out of line.
#[inline(never)]
pub fn inverse_ntt<S: Simd>(s: S, f_hat: &NttPoly, f: &mut Poly) {
    // Scaled first: at most 1920. Four layers of sums: 16 x 1920 = 30720. Then one half is reduced
    // to 2186, the other is a product, at most 2445; three more layers of sums: 8 x 2445.
    vectorize!(s => {
        if S::I16::LANES == 32 {
            let pairs = [
                load_scaled(s, &f_hat[..]),
                load_scaled(s, &f_hat[64..]),
                load_scaled(s, &f_hat[128..]),
                load_scaled(s, &f_hat[192..]),
            ];
            let [a, b, c, d] = inside_back(s, 0, pairs);
            let r = outer_back(s, [a.0, a.1, b.0, b.1, c.0, c.1, d.0, d.1]);
            store8::<S>(r, &mut f[..]);
            return;
        }
        let mut i = 0;
        while i < 256 {
            within_back(s, i, &f_hat[..], &mut f[..]);
            i += 4 * S::I16::LANES;
        }
        let mut i = 0;
        while i < 32 {
            let r = outer_back(s, load8::<S>(s, &f[i..]));
            store8::<S>(r, &mut f[i..]);
            i += S::I16::LANES;
        }
    });
}

/// Two vectors times 2^16 / 128.
#[inline(always)]
fn load_scaled<S: Simd>(s: S, f: &[i16]) -> Pair<S::I16> {
    let (a, b) = (S::I16::load(s, f), S::I16::load(s, &f[S::I16::LANES..]));
    (multiply_by(s, a, INVERSE_SCALE), multiply_by(s, b, INVERSE_SCALE))
}

/// The layers up to 16 of four vectors at `i`, for fewer than 32 lanes.
#[inline(always)]
fn within_back<S: Simd>(s: S, i: usize, f_hat: &[i16], f: &mut [i16]) {
    let lanes = S::I16::LANES;
    let (f_hat, f) = (&f_hat[i..i + 4 * lanes], &mut f[i..i + 4 * lanes]);
    let pairs = [load_scaled(s, f_hat), load_scaled(s, &f_hat[2 * lanes..])];
    let [mut a, mut b] = inside_back(s, i >> (lanes.ilog2() + 1), pairs);
    let block = 15 - (i >> 5);
    if lanes == 16 {
        a = back(s, a, zeta(s, block));
        b = back(s, b, zeta(s, block - 1));
        (a.0, b.0) = (barrett(s, a.0), barrett(s, b.0));
    } else {
        a = back(s, a, zeta(s, 2 * block + 1));
        b = back(s, b, zeta(s, 2 * block));
        ((a.0, b.0), (a.1, b.1)) =
            (back(s, (a.0, b.0), zeta(s, block)), back(s, (a.1, b.1), zeta(s, block)));
        (a.0, a.1) = (barrett(s, a.0), barrett(s, a.1));
    }
    a.0.store(f);
    a.1.store(&mut f[lanes..]);
    b.0.store(&mut f[2 * lanes..]);
    b.1.store(&mut f[3 * lanes..]);
}

instances!(S => ntt::<S>, inverse_ntt::<S>);

#[cfg(test)]
mod tests {
    use super::*;
    use oaklath_simd::{Level, dispatch};
    use std::vec::Vec;

    /// The textbook loop of Algorithm 9 on numbers that cannot overflow.
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
                assert!(f_hat.iter().all(|x| x.abs() <= 16560));
                let got: Vec<i64> = f_hat.iter().map(|x| i64::from(*x).rem_euclid(3329)).collect();
                assert_eq!(got, reference(&f), "{level}");

                // Back, from the largest representatives a product can have.
                f_hat.iter_mut().for_each(|x| *x = *x % 3329 + if *x < 0 { -6614 } else { 6614 });
                let want = reference(&f);
                let shifted = |(x, want): (&i16, &i64)| {
                    let shift = if *x < 0 { -6614 } else { 6614 };
                    i64::from(*x) - shift - want
                };
                assert!(f_hat.iter().zip(&want).all(|pair| shifted(pair) % 3329 == 0));
                assert!(f_hat.iter().all(|x| x.abs() <= 9943));
                let mut g = Poly::new([0; 256]);
                dispatch!(level, s => inverse_ntt(s, &f_hat, &mut g));
                assert!(g.iter().all(|x| x.abs() <= 19560));
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

    /// The tables are those that their functions give at run time, too, and whatever the width of
    /// vectors, each zeta of a layer stands there once for each of its butterflies.
    #[test]
    fn tables_hold_each_zeta_for_its_butterflies() {
        fn check<const W: usize, const LEN: usize>() {
            let zeta = |i: usize| montgomery(power(17, brv((128 + i) / LEN)));
            let mut want: Vec<i16> = (0..128).map(zeta).collect();
            want.sort_unstable();
            for (inverse, [plain, divided]) in
                [(false, Layer::<W, LEN>::FORTH), (true, Layer::<W, LEN>::BACK)]
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
