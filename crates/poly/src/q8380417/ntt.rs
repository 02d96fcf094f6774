//! The number-theoretic transform: FIPS 204, Algorithms 41 and 42.
use oaklath_simd::{I32s, Simd, vectorize};

use super::{NttPoly, Poly, Q_INVERSE, modulo, montgomery, power, q};
use crate::layer::zeta_indices;

/// 1753^brv(i) in Montgomery form.
const ZETAS: [i32; 256] = {
    let mut t = [0; 256];
    let mut i = 0;
    while i < 256 {
        t[i] = montgomery(power(1753, (i as u8).reverse_bits() as u64));
        i += 1;
    }
    t
};

/// The same divided by q modulo 2^32.
const ZETAS_Q: [i32; 256] = {
    let mut t = ZETAS;
    let mut i = 0;
    while i < 256 {
        t[i] = t[i].wrapping_mul(Q_INVERSE);
        i += 1;
    }
    t
};

/// 2^64 / 256: undoes the 256 of eight layers and the 2^-32 of a product and of its own.
const SCALE: i32 = montgomery(power(2, 24));
/// The same times the zeta of the last layer.
const SCALE_ZETA: i32 = montgomery(modulo(power(2, 24) * power(1753, 128)));

/// The zetas of a layer on pairs of `W`-lane vectors that went through `transpose` from `W / 2`
/// down to `LEN`, each times `factor`, and room for a load one lane further. Zero where there is no
/// such layer inside vectors.
const fn twiddles<const W: usize>(len: usize, factor: i32, inverse: bool) -> [i32; 129] {
    let mut t = [0; 129];
    let (indices, mut i) = (zeta_indices::<W>(len, inverse), 0);
    while i < 128 && len < W {
        t[i] = ZETAS[indices[i]].wrapping_mul(factor);
        i += 1;
    }
    t
}

/// The zetas of one layer inside vectors, plain and divided by q modulo 2^32, forth and back.
struct Layer<const W: usize, const LEN: usize>;

impl<const W: usize, const LEN: usize> Layer<W, LEN> {
    const FORTH: [&[i32; 129]; 2] =
        [&twiddles::<W>(LEN, 1, false), &twiddles::<W>(LEN, Q_INVERSE, false)];
    const BACK: [&[i32; 129]; 2] =
        [&twiddles::<W>(LEN, 1, true), &twiddles::<W>(LEN, Q_INVERSE, true)];
}

/// The two inputs or outputs of a butterfly.
type Pair<V> = (V, V);
/// A zeta as [`I32s::mul_montgomery`] takes it.
type Zeta<V> = [V; 4];

/// b z / 2^32 modulo q: |result| < q for |b| < 2^31.
#[inline(always)]
fn multiply<S: Simd>(s: S, b: S::I32, z: Zeta<S::I32>) -> S::I32 {
    b.mul_montgomery(z, q(s))
}

/// Cooley-Tukey: (a + b z, a - b z).
#[inline(always)]
fn forth<S: Simd>(s: S, (a, b): Pair<S::I32>, z: Zeta<S::I32>) -> Pair<S::I32> {
    let t = multiply(s, b, z);
    (a + t, a - t)
}

/// Gentleman-Sande: (a + b, (b - a) z).
#[inline(always)]
fn back<S: Simd>(s: S, (a, b): Pair<S::I32>, z: Zeta<S::I32>) -> Pair<S::I32> {
    (a + b, multiply(s, b - a, z))
}

/// One number in all lanes, and the same divided by q modulo 2^32.
#[inline(always)]
fn constant<S: Simd>(s: S, z: i32, z_q: i32) -> Zeta<S::I32> {
    let (z, z_q) = (S::I32::splat(s, z), S::I32::splat(s, z_q));
    [z, z_q, z, z_q]
}

/// One zeta in all lanes.
#[inline(always)]
fn zeta<S: Simd>(s: S, k: usize) -> Zeta<S::I32> {
    constant(s, ZETAS[k], ZETAS_Q[k])
}

/// The zetas of pair `p` in a layer inside vectors.
#[inline(always)]
fn zetas<S: Simd, const LEN: usize>(s: S, p: usize, inverse: bool) -> Zeta<S::I32> {
    let table = match (S::I32::LANES, inverse) {
        (16, false) => Layer::<16, LEN>::FORTH,
        (_, false) => Layer::<8, LEN>::FORTH,
        (16, true) => Layer::<16, LEN>::BACK,
        (_, true) => Layer::<8, LEN>::BACK,
    };
    let at = p * S::I32::LANES;
    macro_rules! load {
        ($i:literal $at:expr) => {
            S::I32::load(s, &table[$i][$at..])
        };
    }
    [load!(0 at), load!(1 at), load!(0 at + 1), load!(1 at + 1)]
}

/// Does the same for each of the first `N` of four, unrolled: a `for` over a register array leaves
/// it on the stack. Layer by layer, so that the pairs hide each other's latencies.
macro_rules! each_pair {
    ($n:ident $i:ident => $e:expr) => {
        each_pair!($n $i => $e; 0 1 2 3)
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
    mut v: [Pair<S::I32>; N],
) -> [Pair<S::I32>; N] {
    macro_rules! layers {
        ($($len:literal)*) => { $(
            if $len < S::I32::LANES {
                each_pair!(N I => {
                    let pair = v[I].0.transpose::<$len>(v[I].1);
                    v[I] = forth(s, pair, zetas::<S, $len>(s, p + I, false));
                });
            }
        )* };
    }
    layers!(8 4 2 1);
    each_pair!(N I => v[I] = v[I].0.ravel(v[I].1));
    v
}

/// The same back: from natural order.
#[inline(always)]
fn inside_back<S: Simd, const N: usize>(
    s: S,
    p: usize,
    mut v: [Pair<S::I32>; N],
) -> [Pair<S::I32>; N] {
    each_pair!(N I => v[I] = v[I].0.unravel(v[I].1));
    macro_rules! layers {
        ($($len:literal)*) => { $(
            if $len < S::I32::LANES {
                each_pair!(N I => {
                    let (a, b) = back(s, v[I], zetas::<S, $len>(s, p + I, true));
                    v[I] = a.transpose::<$len>(b);
                });
            }
        )* };
    }
    layers!(1 2 4 8);
    v
}

/// Butterflies of the pairs `r[i], r[j]` with zeta `k`, unrolled likewise.
macro_rules! butterflies {
    ($f:ident $s:ident $r:ident: $($k:expr => $(($i:literal $j:literal))*;)*) => { $( {
        let z = zeta($s, $k);
        $( each_column!(N I => ($r[I][$i], $r[I][$j]) = $f($s, ($r[I][$i], $r[I][$j]), z)); )*
    } )* };
}

/// Does the same for one or two columns of registers, unrolled: two give more that waits for
/// nothing.
macro_rules! each_column {
    ($n:ident $i:ident => $e:expr) => {
        {
            const $i: usize = 0;
            $e;
        }
        if $n == 2 {
            const $i: usize = 1;
            $e;
        }
    };
}

/// Layers 128, 64 and 32 of eight vectors 32 coefficients apart.
#[inline(always)]
fn outer_forth<S: Simd, const N: usize>(s: S, mut r: [[S::I32; 8]; N]) -> [[S::I32; 8]; N] {
    butterflies!(forth s r:
        1 => (0 4) (1 5) (2 6) (3 7);
        2 => (0 2) (1 3); 3 => (4 6) (5 7);
        4 => (0 1); 5 => (2 3); 6 => (4 5); 7 => (6 7););
    r
}

/// Layers 32, 64 and 128 back, and the scale of the whole.
#[inline(always)]
fn outer_back<S: Simd, const N: usize>(s: S, mut r: [[S::I32; 8]; N]) -> [[S::I32; 8]; N] {
    butterflies!(back s r:
        7 => (0 1); 6 => (2 3); 5 => (4 5); 4 => (6 7);
        3 => (0 2) (1 3); 2 => (4 6) (5 7););
    let scale = constant(s, SCALE, const { SCALE.wrapping_mul(Q_INVERSE) });
    let scale_zeta = constant(s, SCALE_ZETA, const { SCALE_ZETA.wrapping_mul(Q_INVERSE) });
    macro_rules! last {
        ($(($i:literal $j:literal))*) => { $(
            each_column!(N I => {
                let (a, b) = (r[I][$i], r[I][$j]);
                (r[I][$i], r[I][$j]) = (multiply(s, a + b, scale), multiply(s, b - a, scale_zeta));
            });
        )* };
    }
    last!((0 4) (1 5) (2 6) (3 7));
    r
}

/// Eight vectors 32 coefficients apart.
#[inline(always)]
fn load8<S: Simd>(s: S, f: &[i32]) -> [S::I32; 8] {
    macro_rules! load { ($($i:literal)*) => { [$( S::I32::load(s, &f[32 * $i..]) ),*] } }
    load!(0 1 2 3 4 5 6 7)
}

#[inline(always)]
fn store8<S: Simd>(r: [S::I32; 8], f: &mut [i32]) {
    r[0].store(f);
    r[1].store(&mut f[32..]);
    r[2].store(&mut f[64..]);
    r[3].store(&mut f[96..]);
    r[4].store(&mut f[128..]);
    r[5].store(&mut f[160..]);
    r[6].store(&mut f[192..]);
    r[7].store(&mut f[224..]);
}

/// NTT: FIPS 204, Algorithm 41. |f| <= 2^23 gives |result| < 2^23 + 8 q. Out of line.
#[inline(never)]
pub fn ntt<S: Simd>(s: S, f: &Poly, f_hat: &mut NttPoly) {
    // No reduction: each of eight layers adds less than q; 9 q < 2^27.
    vectorize!(s => {
        if S::I32::LANES == 16 {
            // All 256 coefficients in registers.
            let columns = [load8::<S>(s, &f[..]), load8::<S>(s, &f[16..])];
            let [even, odd] = outer_forth(s, columns);
            macro_rules! pairs { ($($i:literal)*) => {
                [$( forth(s, (even[$i], odd[$i]), zeta(s, 8 + $i)) ),*]
            } }
            let low = inside_forth(s, 0, pairs!(0 1 2 3));
            store_pairs::<S>(low, &mut f_hat[..128]);
            let high = inside_forth(s, 4, pairs!(4 5 6 7));
            store_pairs::<S>(high, &mut f_hat[128..]);
            return;
        }
        let mut i = 0;
        while i < 32 {
            let [r] = outer_forth(s, [load8::<S>(s, &f[i..])]);
            store8::<S>(r, &mut f_hat[i..]);
            i += S::I32::LANES;
        }
        let mut block = 0;
        while block < 4 {
            within_forth(s, block, &mut f_hat[64 * block..]);
            block += 1;
        }
    });
}

/// The layers up to 16 of four pairs of vectors of 16 lanes, from pair `p` on.
#[inline(always)]
fn back_to_16<S: Simd>(s: S, p: usize, f_hat: &[i32]) -> [Pair<S::I32>; 4] {
    macro_rules! pairs { ($($i:literal)*) => { [$(
        (S::I32::load(s, &f_hat[32 * $i..]), S::I32::load(s, &f_hat[32 * $i + 16..]))
    ),*] } }
    let [a, b, c, d] = inside_back(s, p, pairs!(0 1 2 3));
    [
        back(s, a, zeta(s, 15 - p)),
        back(s, b, zeta(s, 14 - p)),
        back(s, c, zeta(s, 13 - p)),
        back(s, d, zeta(s, 12 - p)),
    ]
}

/// Four pairs of vectors of 16 lanes.
#[inline(always)]
fn store_pairs<S: Simd>(v: [Pair<S::I32>; 4], f: &mut [i32]) {
    macro_rules! store { ($($i:literal)*) => { $(
        v[$i].0.store(&mut f[32 * $i..]);
        v[$i].1.store(&mut f[32 * $i + 16..]);
    )* } }
    store!(0 1 2 3);
}

/// The layers from 16 down of 64 coefficients in eight vectors: fewer would wait for each other.
#[inline(always)]
fn within_forth<S: Simd>(s: S, block: usize, f: &mut [i32]) {
    let [a, b, c, d, e, f_, g, h] = load_eight::<S>(s, f);
    let z = [zeta(s, 8 + 2 * block), zeta(s, 9 + 2 * block)];
    let ((a, c), (b, d)) = (forth(s, (a, c), z[0]), forth(s, (b, d), z[0]));
    let ((e, g), (f_, h)) = (forth(s, (e, g), z[1]), forth(s, (f_, h), z[1]));
    let k = 16 + 4 * block;
    let pairs = [
        forth(s, (a, b), zeta(s, k)),
        forth(s, (c, d), zeta(s, k + 1)),
        forth(s, (e, f_), zeta(s, k + 2)),
        forth(s, (g, h), zeta(s, k + 3)),
    ];
    let [a, b, c, d] = inside_forth(s, 4 * block, pairs);
    store_eight::<S>([a.0, a.1, b.0, b.1, c.0, c.1, d.0, d.1], f);
}

/// Eight vectors of eight lanes.
#[inline(always)]
fn load_eight<S: Simd>(s: S, f: &[i32]) -> [S::I32; 8] {
    macro_rules! load { ($($i:literal)*) => { [$( S::I32::load(s, &f[8 * $i..]) ),*] } }
    load!(0 1 2 3 4 5 6 7)
}

#[inline(always)]
fn store_eight<S: Simd>(r: [S::I32; 8], f: &mut [i32]) {
    macro_rules! store { ($($i:literal)*) => { $( r[$i].store(&mut f[8 * $i..]); )* } }
    store!(0 1 2 3 4 5 6 7);
}

/// NTT^-1: FIPS 204, Algorithm 42, times 2^32, which cancels the 2^-32 of [`dot`](super::dot).
/// |f| < q gives |result| < q. Out of line.
#[inline(never)]
pub fn inverse_ntt<S: Simd>(s: S, f_hat: &NttPoly, f: &mut Poly) {
    // No reduction: sums of eight layers are below 256 q, which is 0.1 % less than 2^31.
    vectorize!(s => {
        if S::I32::LANES == 16 {
            let [a, b, c, d] = back_to_16(s, 0, &f_hat[..128]);
            let [e, f_, g, h] = back_to_16(s, 4, &f_hat[128..]);
            let even = [a.0, b.0, c.0, d.0, e.0, f_.0, g.0, h.0];
            let odd = [a.1, b.1, c.1, d.1, e.1, f_.1, g.1, h.1];
            let [even, odd] = outer_back(s, [even, odd]);
            store8::<S>(even, &mut f[..]);
            store8::<S>(odd, &mut f[16..]);
            return;
        }
        let mut block = 0;
        while block < 4 {
            within_back(s, block, &f_hat[64 * block..], &mut f[64 * block..]);
            block += 1;
        }
        let mut i = 0;
        while i < 32 {
            let [r] = outer_back(s, [load8::<S>(s, &f[i..])]);
            store8::<S>(r, &mut f[i..]);
            i += S::I32::LANES;
        }
    });
}

/// The layers up to 16 of 64 coefficients in eight vectors.
#[inline(always)]
fn within_back<S: Simd>(s: S, block: usize, f_hat: &[i32], f: &mut [i32]) {
    let [a, b, c, d, e, f_, g, h] = load_eight::<S>(s, f_hat);
    let [a, b, c, d] = inside_back(s, 4 * block, [(a, b), (c, d), (e, f_), (g, h)]);
    let k = 31 - 4 * block;
    let (a, b) = (back(s, a, zeta(s, k)), back(s, b, zeta(s, k - 1)));
    let (c, d) = (back(s, c, zeta(s, k - 2)), back(s, d, zeta(s, k - 3)));
    let z = [zeta(s, 15 - 2 * block), zeta(s, 14 - 2 * block)];
    let (even, odd) = (back(s, (a.0, b.0), z[0]), back(s, (a.1, b.1), z[0]));
    let (even2, odd2) = (back(s, (c.0, d.0), z[1]), back(s, (c.1, d.1), z[1]));
    let low = [even.0, odd.0, even.1, odd.1];
    let high = [even2.0, odd2.0, even2.1, odd2.1];
    store_eight::<S>([low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3]], f);
}

#[cfg(test)]
mod tests {
    use super::super::{Q, testing::poly};
    use super::*;
    use oaklath_simd::{Level, dispatch};

    /// f at every power 1753^(2 brv(i) + 1): what the transform is, by FIPS 204, section 2.5.
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

    /// The largest numbers that the inverse takes: no sum overflows.
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

    /// The tables are those that their functions give at run time, too, and whatever the width of
    /// vectors, each zeta of a layer stands there once for each of its butterflies.
    #[test]
    fn tables_hold_each_zeta_for_its_butterflies() {
        fn check<const W: usize, const LEN: usize>() {
            let zeta = |i: usize| {
                montgomery(power(1753, u64::from((((128 + i) / LEN) as u8).reverse_bits())))
            };
            let mut want: [i32; 128] = core::array::from_fn(zeta);
            want.sort_unstable();
            for (inverse, [plain, divided]) in
                [(false, Layer::<W, LEN>::FORTH), (true, Layer::<W, LEN>::BACK)]
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
