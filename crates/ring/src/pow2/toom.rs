//! Toom-Cook in four parts, then twice Karatsuba: a product of 16 chunks becomes 63 products of one
//! chunk, which run side by side, one in each lane.
//!
//! Precision: with y the fourth part of the polynomial and P(y) = `c_0` + ... + `c_6` y^6 the product,
//! the points are 0, 1, -1, 2, -2, 1/2 (times 64) and infinity; `c_4` needs a division by 24, `c_1`
//! and `c_5` one by 2 of numbers that have lost 2 bits: 13 bits remain.
use oaklath_simd::{I16s, Simd, scratch};

use super::{Points, Poly, Products};

/// Karatsuba on polynomials of `2 M` coefficients: (a + a' z)(b + b' z) with z = x^M, from a b, a' b'
/// and (a + a')(b + b').
macro_rules! karatsuba {
    ($m:expr, $product:path: $s:ident, $a:ident, $b:ident, $out:ident) => {{
        let zero = S::I16::splat($s, 0);
        let (mut x, mut y, mut middle) = ([zero; $m], [zero; $m], [[zero; $m]; 2]);
        let (a_low, a_high) = $a[..2 * $m].split_at($m);
        let (b_low, b_high) = $b[..2 * $m].split_at($m);
        let mut i = 0;
        while i < $m {
            x[i] = a_low[i] + a_high[i];
            y[i] = b_low[i] + b_high[i];
            i += 1;
        }
        let (low, high) = $out[..4 * $m].split_at_mut(2 * $m);
        $product($s, &x, &y, middle.as_flattened_mut());
        $product($s, a_low, b_low, low);
        $product($s, a_high, b_high, high);
        let middle = middle.as_flattened();
        i = 0;
        while i < $m {
            // Rows M + i and 2 M + i get what the middle has more than both ends.
            let (inner, outer) = (low[$m + i] - high[i], middle[i] - low[i]);
            low[$m + i] = inner + outer;
            high[i] = middle[$m + i] - inner - high[$m + i];
            i += 1;
        }
    }};
}

/// Rows of the table that [`evaluate`] and [`interpolate`] go through: nine for each of seven points,
/// and an empty one.
const ROWS: usize = 64;

/// Values of a polynomial at the 63 points. Out of line.
#[inline(never)]
pub fn evaluate<S: Simd, const L: usize>(s: S, a: &Poly<L>, points: &mut Points<L>) {
    s.vectorize(
        #[inline(always)]
        || {
            let mut at = 0;
            while at < L {
                // The last vector overlaps the one before where lanes do not divide a chunk.
                let column =
                    if at + S::I16::LANES > L { L.saturating_sub(S::I16::LANES) } else { at };
                evaluate_columns(s, a, column, points);
                at += S::I16::LANES;
            }
        },
    );
}

/// One vector of columns of every chunk.
#[inline(always)]
fn evaluate_columns<S: Simd, const L: usize>(
    s: S,
    a: &Poly<L>,
    column: usize,
    points: &mut Points<L>,
) {
    let mut rows = [S::I16::splat(s, 0); ROWS];
    let mut chunk = 0;
    while chunk < 4 {
        let part = |i: usize| load_columns::<S, L>(s, &a[4 * i + chunk], column);
        let values = at_points::<S>(part(0), part(1), part(2), part(3));
        let mut point = 0;
        while point < 7 {
            rows[9 * point + chunk] = values[point];
            point += 1;
        }
        chunk += 1;
    }
    let mut point = 0;
    while point < 7 {
        let row = 9 * point;
        rows[row + 4] = rows[row] + rows[row + 1];
        rows[row + 5] = rows[row + 2] + rows[row + 3];
        rows[row + 6] = rows[row] + rows[row + 2];
        rows[row + 7] = rows[row + 1] + rows[row + 3];
        rows[row + 8] = rows[row + 6] + rows[row + 7];
        point += 1;
    }
    let mut block = 0;
    while block < ROWS {
        transpose::<S>(&mut rows[block..block + S::I16::LANES]);
        let mut i = 0;
        while i < S::I16::LANES && column + i < L {
            rows[block + i].store(&mut points[column + i][block..]);
            i += 1;
        }
        block += S::I16::LANES;
    }
}

/// Columns of a chunk; those after its end are zero.
#[inline(always)]
fn load_columns<S: Simd, const L: usize>(s: S, chunk: &[i16; L], column: usize) -> S::I16 {
    if L >= S::I16::LANES {
        S::I16::load(s, &chunk[column..])
    } else {
        let mut whole = [0; 32];
        whole[..L].copy_from_slice(chunk);
        S::I16::load(s, &whole)
    }
}

/// a + b y + c y^2 + d y^3 at 0, 1, -1, 2, -2, 1/2 (times 8), infinity.
#[inline(always)]
fn at_points<S: Simd>(a: S::I16, b: S::I16, c: S::I16, d: S::I16) -> [S::I16; 7] {
    let (even, odd) = (a + c, b + d);
    let (even_2, odd_2) = (a + c.sll::<2>(), (b + d.sll::<2>()).sll::<1>());
    let half = (((a.sll::<1>() + b).sll::<1>()) + c).sll::<1>() + d;
    [a, even + odd, even - odd, even_2 + odd_2, even_2 - odd_2, half, d]
}

/// Transposes a square of `LANES` vectors.
#[inline(always)]
fn transpose<S: Simd>(v: &mut [S::I16]) {
    if S::I16::LANES == 32 {
        exchange::<S, 16>(v);
    }
    if S::I16::LANES >= 16 {
        exchange::<S, 8>(v);
    }
    exchange::<S, 4>(v);
    exchange::<S, 2>(v);
    exchange::<S, 1>(v);
}

#[inline(always)]
fn exchange<S: Simd, const LEN: usize>(v: &mut [S::I16]) {
    let mut i = 0;
    while i < S::I16::LANES {
        if i & LEN == 0 {
            (v[i], v[i + LEN]) = v[i].transpose::<LEN>(v[i + LEN]);
        }
        i += 1;
    }
}

/// Products of the small polynomials, added to what is there if `ADD`. Out of line.
#[inline(never)]
pub fn multiply<S: Simd, const L: usize, const ADD: bool>(
    s: S,
    a: &Points<L>,
    b: &Points<L>,
    products: &mut Products<L>,
) {
    s.vectorize(
        #[inline(always)]
        || {
            let zero = S::I16::splat(s, 0);
            let mut lanes = 0;
            while lanes < ROWS {
                let (mut x, mut y, mut out) = ([zero; L], [zero; L], [[zero; L]; 2]);
                let mut i = 0;
                while i < L {
                    x[i] = S::I16::load(s, &a[i][lanes..]);
                    y[i] = S::I16::load(s, &b[i][lanes..]);
                    i += 1;
                }
                small(s, &x, &y, &mut out);
                let rows = products.as_flattened_mut();
                i = 0;
                while i < 2 * L {
                    let row = &mut rows[i][lanes..];
                    let v = out.as_flattened()[i];
                    let v = if ADD { v + S::I16::load(s, row) } else { v };
                    v.store(row);
                    i += 1;
                }
                lanes += S::I16::LANES;
            }
        },
    );
}

/// One product in each lane: `out` has twice the length of `a` and `b`, its last vector is zero.
#[inline(always)]
fn small<S: Simd, const L: usize>(
    s: S,
    a: &[S::I16; L],
    b: &[S::I16; L],
    out: &mut [[S::I16; L]; 2],
) {
    let out = out.as_flattened_mut();
    match L {
        16 => halves::<S, 8>(s, a, b, out),
        32 => karatsuba!(16, halves::<S, 8>: s, a, b, out),
        44 => karatsuba!(22, halves::<S, 11>: s, a, b, out),
        52 => karatsuba!(26, halves::<S, 13>: s, a, b, out),
        _ => const { assert!(matches!(L, 16 | 32 | 44 | 52), "chunks of 16, 32, 44 or 52") },
    }
}

/// Karatsuba on polynomials of `2 M` coefficients. Out of line.
#[inline(never)]
fn halves<S: Simd, const M: usize>(s: S, a: &[S::I16], b: &[S::I16], out: &mut [S::I16]) {
    s.vectorize(
        #[inline(always)]
        || karatsuba!(M, school::<S, M>: s, a, b, out),
    );
}

/// The product row by row: the accumulators move down by one place a row, so that all that stays in
/// registers is addressed by constants. Out of line.
#[inline(never)]
fn school<S: Simd, const M: usize>(s: S, a: &[S::I16], b: &[S::I16], out: &mut [S::I16]) {
    s.vectorize(
        #[inline(always)]
        || {
            let b: &[S::I16; M] = b.first_chunk().expect("M vectors");
            let zero = S::I16::splat(s, 0);
            let mut sums = [zero; M];
            let mut i = 0;
            while i < M {
                let x = a[i];
                out[i] = sums[0] + x.mullo(b[0]);
                let mut j = 1;
                while j < M {
                    sums[j - 1] = sums[j] + x.mullo(b[j]);
                    j += 1;
                }
                sums[M - 1] = zero;
                i += 1;
            }
            i = 0;
            while i < M {
                out[M + i] = sums[i];
                i += 1;
            }
        },
    );
}

/// More than `32 L`, and room for vectors that begin before its end.
const ROOM: usize = 32 * 52 + 128;

/// The polynomial of the products modulo x^n - 1, right modulo 2^13. Coefficients from n on are zero.
/// n is at most `16 L` and more than `16 L` - 64. Out of line.
#[inline(never)]
pub fn interpolate_cyclic<S: Simd, const L: usize>(
    s: S,
    n: usize,
    products: &Products<L>,
    out: &mut Poly<L>,
) {
    s.vectorize(
        #[inline(always)]
        || {
            scratch!(whole: [i16; ROOM]);
            interpolate(s, products, whole);
            let out = out.as_flattened_mut();
            let mut i = 0;
            while i < 16 * L {
                let sum = S::I16::load(s, &whole[i..]) + S::I16::load(s, &whole[n + i..]);
                sum.store(&mut out[i..]);
                i += S::I16::LANES;
            }
            out[n..].fill(0);
        },
    );
}

/// The polynomial of the products modulo x^256 + 1, right modulo 2^13. Out of line.
#[inline(never)]
pub fn interpolate_negacyclic<S: Simd>(s: S, products: &Products<16>, out: &mut Poly<16>) {
    s.vectorize(
        #[inline(always)]
        || {
            scratch!(whole: [i16; ROOM]);
            interpolate(s, products, whole);
            let out = out.as_flattened_mut();
            let mut i = 0;
            while i < 256 {
                let sum = S::I16::load(s, &whole[i..]) - S::I16::load(s, &whole[256 + i..]);
                sum.store(&mut out[i..]);
                i += S::I16::LANES;
            }
        },
    );
}

/// The whole product, of 32 L - 1 coefficients.
#[inline(always)]
fn interpolate<S: Simd, const L: usize>(s: S, products: &Products<L>, whole: &mut [i16; ROOM]) {
    whole.fill(0);
    let rows = products.as_flattened();
    let zero = S::I16::splat(s, 0);
    let mut column = 0;
    while column < 2 * L {
        let mut v = [zero; ROWS];
        let mut block = 0;
        while block < ROWS {
            let mut i = 0;
            while i < S::I16::LANES && column + i < 2 * L {
                v[block + i] = S::I16::load(s, &rows[column + i][block..]);
                i += 1;
            }
            transpose::<S>(&mut v[block..block + S::I16::LANES]);
            block += S::I16::LANES;
        }
        // chunks[i][k]: coefficient k of the polynomial in y, of which chunk i.
        let mut chunks = [[zero; 7]; 7];
        let mut point = 0;
        while point < 7 {
            let values = combine::<S>(&v[9 * point..9 * point + 9]);
            let mut i = 0;
            while i < 7 {
                chunks[i][point] = values[i];
                i += 1;
            }
            point += 1;
        }
        let mut i = 0;
        while i < 7 {
            chunks[i] = from_points(s, &chunks[i]);
            i += 1;
        }
        // Chunk i of coefficient k stands at 4 k + i: the last three meet the first of the next.
        let mut at = 0;
        while at < 31 {
            let (k, i) = (at >> 2, at & 3);
            let first = if k < 7 { chunks[i][k] } else { zero };
            let sum = if i < 3 && k > 0 { first + chunks[4 + i][k - 1] } else { first };
            let to = &mut whole[at * L + column..];
            (S::I16::load(s, to) + sum).store(to);
            at += 1;
        }
        column += S::I16::LANES;
    }
}

/// Karatsuba back: the nine products of a point as seven chunks.
#[inline(always)]
fn combine<S: Simd>(p: &[S::I16]) -> [S::I16; 7] {
    let (low, high, middle) = (p[4] - p[0] - p[1], p[5] - p[2] - p[3], p[8] - p[6] - p[7]);
    // What meets in the middle: p1 - p2, once from each side.
    let inner = p[1] - p[2];
    [p[0], low, p[6] - p[0] + inner, middle - low - high, p[7] - inner - p[3], high, p[3]]
}

/// Toom-Cook back: the seven coefficients from the values at the points.
#[inline(always)]
fn from_points<S: Simd>(s: S, v: &[S::I16; 7]) -> [S::I16; 7] {
    // 1/3, 1/9 and 1/15 modulo 2^16.
    let third = S::I16::splat(s, -21845);
    let ninth = S::I16::splat(s, -29127);
    let fifteenth = S::I16::splat(s, -4369);
    let (c0, c6) = (v[0], v[6]);
    let ends = (c0 + c6).sll::<1>();
    // 2 (c2 + c4) and 8 (c2 + 4 c4).
    let even = v[1] + v[2] - ends;
    let even_2 = v[3] + v[4] - c0.sll::<1>() - c6.sll::<7>();
    let c4 = (even_2 - even.sll::<2>()).srl::<3>().mullo(third);
    let c2 = even.srl::<1>() - c4;
    // c1 + c3 + c5, c1 + 4 c3 + 16 c5 and 16 c1 + 4 c3 + c5.
    let odd = (v[1] - v[2]).srl::<1>();
    let odd_2 = (v[3] - v[4]).srl::<2>();
    let odd_half = (v[5] - c0.sll::<6>() - c2.sll::<4>() - c4.sll::<2>() - c6).srl::<1>();
    let difference = (odd_2 - odd_half).mullo(fifteenth);
    let sum = (odd_2 + odd_half - odd.sll::<3>()).mullo(ninth);
    let c5 = (sum + difference).srl::<1>();
    [c0, sum - c5, c2, odd - sum, c4, c5, c6]
}

#[cfg(test)]
mod tests {
    use super::*;
    use oaklath_simd::{A64, Level, dispatch};

    fn poly<const L: usize>(mut x: u32, n: usize) -> Poly<L> {
        let mut f = Poly::new([[0; L]; 16]);
        for c in &mut f.as_flattened_mut()[..n] {
            x = x.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
            *c = if x >> 30 == 0 { i16::MIN } else { (x >> 12) as i16 };
        }
        f
    }

    /// `x^n` is `wrap`, 1 or -1.
    fn schoolbook(a: &[i16], b: &[i16], n: usize, wrap: i16) -> std::vec::Vec<i16> {
        let mut c = std::vec![0_i16; n];
        for i in 0..n {
            for j in 0..n {
                let p = a[i].wrapping_mul(b[j]);
                let p = if i + j < n { p } else { p.wrapping_mul(wrap) };
                c[(i + j) % n] = c[(i + j) % n].wrapping_add(p);
            }
        }
        c
    }

    fn check<const L: usize>(
        n: usize,
        wrap: i16,
        interpolate: impl Fn(Level, &Products<L>, &mut Poly<L>),
    ) {
        for level in Level::available() {
            for seed in 0..3 {
                let f: [Poly<L>; 4] = core::array::from_fn(|i| poly(4 * seed + i as u32, n));
                let mut points = [Points::<L>::new([[0; 64]; L]); 4];
                let mut products = Products::<L>::new([[[7; 64]; L]; 2]);
                dispatch!(level, s => {
                    for (f, points) in f.iter().zip(&mut points) {
                        evaluate(s, f, points);
                    }
                    multiply::<_, L, false>(s, &points[0], &points[1], &mut products);
                    multiply::<_, L, true>(s, &points[2], &points[3], &mut products);
                });
                let mut out = Poly::new([[1; L]; 16]);
                interpolate(level, &products, &mut out);
                let [a, b, c, d] = f.each_ref().map(|f| f.as_flattened());
                let (x, y) = (schoolbook(a, b, n, wrap), schoolbook(c, d, n, wrap));
                for (i, out) in out.as_flattened().iter().enumerate() {
                    let want = if i < n { x[i].wrapping_add(y[i]) } else { 0 };
                    assert_eq!(out & 0x1fff, want & 0x1fff, "{level} {n} {i}");
                }
            }
        }
    }

    #[test]
    fn sums_of_products() {
        let negacyclic = |level, products: &_, out: &mut _| {
            dispatch!(level, s => interpolate_negacyclic(s, products, out));
        };
        check::<16>(256, -1, negacyclic);
        check::<32>(
            509,
            1,
            |level, p, out| dispatch!(level, s => interpolate_cyclic(s, 509, p, out)),
        );
        check::<44>(
            677,
            1,
            |level, p, out| dispatch!(level, s => interpolate_cyclic(s, 677, p, out)),
        );
        check::<44>(
            701,
            1,
            |level, p, out| dispatch!(level, s => interpolate_cyclic(s, 701, p, out)),
        );
        check::<52>(
            821,
            1,
            |level, p, out| dispatch!(level, s => interpolate_cyclic(s, 821, p, out)),
        );
        let _ = A64::<[u64; 8]>::new([0; 8]);
    }
}
