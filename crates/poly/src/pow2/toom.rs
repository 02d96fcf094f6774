//! Toom-Cook with four parts, then Karatsuba twice: a product of 16 chunks becomes 63 products of
//! one chunk, which are computed in parallel, one in each lane.
//!
//! Precision: with y = x^(4 L) and the product P(y) = `c_0` + ... + `c_6` y^6, the points are 0, 1,
//! -1, 2, -2, 1/2 (times 64) and infinity. `c_4` needs a division by 24, `c_1` and `c_5` one by 2
//! of numbers that have already lost 2 bits: 13 bits remain.
use oaklath_simd::{I16s, Simd, aligned_frame, array, each, vectorize};

use super::{Points, Poly, Products, Room};

/// Multiplies polynomials of `2 M` coefficients by Karatsuba: (a + a' z)(b + b' z) with z = x^M,
/// from a b, a' b' and (a + a')(b + b').
macro_rules! karatsuba {
    ($m:expr, $of_sums:path, $of_parts:path:
     $s:ident, $a:ident, $b:ident, $out:ident, $room:ident) => {{
        let (x, rest) = $room.split_at_mut($m);
        let (y, rest) = rest.split_at_mut($m);
        let (middle, rest) = rest.split_at_mut(2 * $m);
        let (a, b) = ($a.first(2 * $m), $b.first(2 * $m));
        each!(i in 0..$m => {
            (a.load($s, i) + a.load($s, $m + i)).store(&mut x[i]);
            (b.load($s, i) + b.load($s, $m + i)).store(&mut y[i]);
        });
        $of_sums($s, Rows::new(x), Rows::new(y), RowsMut::new(middle), rest);
        // A loop, so that there is one copy of the product.
        each!(part in 0..2 => {
            let (a, b) = (a.from(part * $m).first($m), b.from(part * $m).first($m));
            $of_parts($s, a, b, $out.from(2 * part * $m).first(2 * $m), rest);
        });
        combine_halves::<S, { $m }, _, _>($s, $out, Rows::new(middle));
    }};
}

/// The number of rows of the intermediate table of [`evaluate`] and [`interpolate`]: nine for each
/// of seven points, and an empty one.
const ROWS: usize = 64;

/// Evaluates a polynomial at the 63 points. Uses 64 rows of the room and leaves values of the
/// polynomial in them. Out of line.
///
/// # Panics
/// If the room has fewer than 64 rows.
#[inline(never)]
pub fn evaluate<S: Simd, const L: usize>(
    s: S,
    a: &[[i16; L]; 16],
    points: &mut Points<L>,
    room: &mut [[i16; 32]],
) {
    vectorize!(s => {
        let rows = room.first_chunk_mut().expect("room for all rows");
        each!(at in 0..L, S::I16::LANES => evaluate_columns(s, a, at, points, rows));
    });
}

/// Evaluates one vector of columns of every chunk, from `at` on; columns before it are done.
#[inline(always)]
fn evaluate_columns<S: Simd, const L: usize>(
    s: S,
    a: &[[i16; L]; 16],
    at: usize,
    points: &mut Points<L>,
    rows: &mut [[i16; 32]; ROWS],
) {
    // The last vector overlaps the one before if the number of lanes does not divide `L`.
    let column = if at + S::I16::LANES > L { L.saturating_sub(S::I16::LANES) } else { at };
    let mut p = [[S::I16::splat(s, 0); 4]; 7];
    each!(chunk in 0..4 => {
        let part = |i: usize| S::I16::load_up_to(s, &a[4 * i + chunk][column..]);
        let values = at_points::<S>(part(0), part(1), part(2), part(3));
        each!(point in 0..7 => p[point][chunk] = values[point]);
    });
    for ([a, b, c, d], rows) in p.iter().zip(rows.as_chunks_mut::<9>().0) {
        let (even, odd) = (*a + *c, *b + *d);
        let values = [*a, *b, *c, *d, *a + *b, *c + *d, even, odd, even + odd];
        each!(i in 0..9 => values[i].store(&mut rows[i]));
    }
    rows[63].fill(0);
    each!(block in 0..ROWS, S::I16::LANES => {
        let from = Rows::new(&rows[block..]);
        let mut to = RowsMut { rows: &mut points[column..], at: block };
        // Of the 32 columns, skip those that are done or past the end.
        transpose(s, from, &mut to, [at < column + 16, L > 16]);
    });
}

/// Evaluates a + b y + c y^2 + d y^3 at 0, 1, -1, 2, -2, 1/2 (times 8) and infinity.
#[inline(always)]
fn at_points<S: Simd>(a: S::I16, b: S::I16, c: S::I16, d: S::I16) -> [S::I16; 7] {
    let (even, odd) = (a + c, b + d);
    let (even_2, odd_2) = (a + c.sll::<2>(), (b + d.sll::<2>()).sll::<1>());
    let half = (((a.sll::<1>() + b).sll::<1>()) + c).sll::<1>() + d;
    [a, even + odd, even - odd, even_2 + odd_2, even_2 - odd_2, half, d]
}

/// Transposes a square of as many vectors as a vector has lanes; missing rows are taken as zero.
/// With 32 lanes it computes only the `wanted` halves of the results, one after the other: CPUs
/// with such vectors have enough registers for a half.
#[inline(always)]
fn transpose<S: Simd, const FROM: usize, const TO: usize>(
    s: S,
    from: Rows<'_, FROM>,
    to: &mut RowsMut<'_, TO>,
    wanted: [bool; 2],
) {
    if const { S::I16::LANES == 32 } {
        if wanted[0] {
            transpose_half::<S, FROM, TO, false>(s, from, to);
        }
        if wanted[1] {
            transpose_half::<S, FROM, TO, true>(s, from, to);
        }
    } else {
        transpose_by_fours(s, from, to);
    }
}

/// Computes the first half of 32 results, or the `SECOND`, in registers.
#[inline(always)]
fn transpose_half<S: Simd, const FROM: usize, const TO: usize, const SECOND: bool>(
    s: S,
    from: Rows<'_, FROM>,
    to: &mut RowsMut<'_, TO>,
) {
    let mut v = [S::I16::splat(s, 0); 16];
    each!(i in 0..16 => {
        let (first, second) = from.load_or_zero(s, i).transpose::<16>(from.load_or_zero(s, 16 + i));
        v[i] = if SECOND { second } else { first };
    });
    exchange::<S, 8>(&mut v);
    exchange::<S, 4>(&mut v);
    exchange::<S, 2>(&mut v);
    exchange::<S, 1>(&mut v);
    each!(i in 0..16 => to.store::<S>(if SECOND { 16 + i } else { i }, v[i]));
}

#[inline(always)]
fn exchange<S: Simd, const LEN: usize>(v: &mut [S::I16; 16]) {
    each!(i in 0..16 => {
        if i & LEN == 0 {
            (v[i], v[i + LEN]) = v[i].transpose::<LEN>(v[i + LEN]);
        }
    });
}

/// Computes eight or sixteen results, two exchanges at a time.
#[inline(always)]
fn transpose_by_fours<S: Simd, const FROM: usize, const TO: usize>(
    s: S,
    from: Rows<'_, FROM>,
    to: &mut RowsMut<'_, TO>,
) {
    let lanes = S::I16::LANES;
    let (half, quarter) = (lanes >> 1, lanes >> 2);
    each!(i in 0..quarter => {
        let at = [i, i + quarter, i + half, i + half + quarter];
        let load = |at: usize| from.load_or_zero(s, at);
        let v = [load(at[0]), load(at[1]), load(at[2]), load(at[3])];
        let v = if const { S::I16::LANES == 8 } {
            exchange_4::<S, 4, 2>(v)
        } else {
            exchange_4::<S, 8, 4>(v)
        };
        to.store_all::<S, 4>(at, v);
    });
    let mut i = 0;
    while i < lanes {
        if const { S::I16::LANES == 8 } {
            let (a, b) = to.load(s, i).transpose::<1>(to.load(s, i + 1));
            to.store_all::<S, 2>([i, i + 1], [a, b]);
            i += 2;
        } else {
            let at = [i, i + 1, i + 2, i + 3];
            let v = [to.load(s, i), to.load(s, i + 1), to.load(s, i + 2), to.load(s, i + 3)];
            to.store_all::<S, 4>(at, exchange_4::<S, 2, 1>(v));
            i += 4;
        }
    }
}

/// Applies the exchanges by `A` and by `B` to four vectors that are `B` apart, `A` = 2 `B`.
#[inline(always)]
fn exchange_4<S: Simd, const A: usize, const B: usize>([a, b, c, d]: [S::I16; 4]) -> [S::I16; 4] {
    let ((a, c), (b, d)) = (a.transpose::<A>(c), b.transpose::<A>(d));
    let ((a, b), (c, d)) = (a.transpose::<B>(b), c.transpose::<B>(d));
    [a, b, c, d]
}

/// Multiplies the small polynomials. Out of line.
#[inline(never)]
pub fn multiply<S: Simd, const L: usize>(
    s: S,
    a: &Points<L>,
    b: &Points<L>,
    products: &mut Products<L>,
    room: &mut Room<L>,
) {
    vectorize!(s => {
        // Otherwise n = 677 takes an eighth longer.
        aligned_frame!();
        // Two levels of Karatsuba use 4 M rows each, with M = L / 2 and L / 4.
        let (room, out) = (room.as_flattened_mut(), products.as_flattened_mut());
        each!(at in 0..ROWS, S::I16::LANES => {
            let (a, b) = (Rows { rows: &**a, at }, Rows { rows: &**b, at });
            small::<S, L>(s, a, b, RowsMut { rows: out, at }, room);
        });
    });
}

/// Adds the product of `a` and `b` for chunks of 16, or stores it if it is the `first`: the outer
/// products of one level of Karatsuba go to `products`, the middle one to the room, from where
/// [`interpolate_negacyclic`] adds it. Out of line.
#[inline(never)]
pub fn add_product<S: Simd>(
    s: S,
    a: &Points<16>,
    b: &Points<16>,
    products: &mut Products<16>,
    room: &mut Room<32>,
    first: bool,
) {
    vectorize!(s => {
        aligned_frame!();
        let (out, (middle, sums)) = (products.as_flattened_mut(), middle_of(room));
        each!(at in 0..ROWS, S::I16::LANES => {
            let (a, b) = (Rows { rows: &**a, at }, Rows { rows: &**b, at });
            let out = RowsMut { rows: &mut *out, at };
            add_sixteens(s, a, b, out, RowsMut { rows: &mut *middle, at }, sums, first);
        });
    });
}

/// Returns the part of the room that is free between calls of [`add_product`] for one sum.
#[inline(always)]
pub fn free_of(room: &mut Room<32>) -> &mut [[i16; 32]] {
    let (_, free) = middle_of(room);
    free.as_flattened_mut().as_chunks_mut().0
}

/// Splits the room into the rows of the middle products and the free rest.
#[inline(always)]
fn middle_of(room: &mut Room<32>) -> (&mut [[i16; ROWS]], &mut [[i16; ROWS]]) {
    let rows = room.as_flattened_mut().as_flattened_mut();
    rows.as_chunks_mut().0.split_at_mut(16)
}

/// Computes the three products of eight coefficients that Karatsuba on sixteen needs; they are
/// stored if `first`, else added.
#[inline(always)]
fn add_sixteens<S: Simd>(
    s: S,
    a: Rows<'_, ROWS>,
    b: Rows<'_, ROWS>,
    mut out: RowsMut<'_, ROWS>,
    middle: RowsMut<'_, ROWS>,
    sums: &mut [[i16; ROWS]],
    first: bool,
) {
    let (x, rest) = sums.split_at_mut(8);
    let y = &mut rest[..8];
    let (a, b) = (a.first(16), b.first(16));
    each!(i in 0..8 => {
        (a.load(s, i) + a.load(s, 8 + i)).store(&mut x[i]);
        (b.load(s, i) + b.load(s, 8 + i)).store(&mut y[i]);
    });
    let (x, y) = (Rows::new(x), Rows::new(y));
    if first {
        columns::<S, 8, 8, ROWS, true>(s, x, y, middle);
        columns::<S, 8, 8, ROWS, true>(s, a, b, out.first(16));
        columns::<S, 8, 8, ROWS, true>(s, a.from(8), b.from(8), out.from(16));
    } else {
        columns::<S, 8, 8, ROWS, false>(s, x, y, middle);
        columns::<S, 8, 8, ROWS, false>(s, a, b, out.first(16));
        columns::<S, 8, 8, ROWS, false>(s, a.from(8), b.from(8), out.from(16));
    }
}

/// Finishes Karatsuba on polynomials of `2 M` coefficients: adds to `out`, which holds both outer
/// products, the middle product minus these.
#[inline(always)]
fn combine_halves<S: Simd, const M: usize, const STRIDE: usize, const OF_MIDDLE: usize>(
    s: S,
    mut out: RowsMut<'_, STRIDE>,
    middle: Rows<'_, OF_MIDDLE>,
) {
    let (mut out, middle) = (out.first(4 * M), middle.first(2 * M));
    each!(i in 0..M => {
        let inner = out.load(s, M + i) - out.load(s, 2 * M + i);
        let low = inner + middle.load(s, i) - out.load(s, i);
        let high = middle.load(s, M + i) - inner - out.load(s, 3 * M + i);
        out.store::<S>(M + i, low);
        out.store::<S>(2 * M + i, high);
    });
}

/// Rows to read from, a vector of each from column `at` on.
#[derive(Clone, Copy)]
struct Rows<'a, const STRIDE: usize> {
    rows: &'a [[i16; STRIDE]],
    at: usize,
}

/// Rows to write to, a vector of each from column `at` on.
struct RowsMut<'a, const STRIDE: usize> {
    rows: &'a mut [[i16; STRIDE]],
    at: usize,
}

impl<'a, const STRIDE: usize> Rows<'a, STRIDE> {
    #[inline(always)]
    fn new(rows: &'a [[i16; STRIDE]]) -> Self {
        Self { rows, at: 0 }
    }

    #[inline(always)]
    fn load<S: Simd>(self, s: S, i: usize) -> S::I16 {
        S::I16::load(s, &self.rows[i][self.at..])
    }

    #[inline(always)]
    fn load_or_zero<S: Simd>(self, s: S, i: usize) -> S::I16 {
        if i < self.rows.len() { self.load(s, i) } else { S::I16::splat(s, 0) }
    }

    /// Returns the first `n` rows, so that the compiler sees a constant length.
    #[inline(always)]
    fn first(self, n: usize) -> Self {
        Self { rows: &self.rows[..n], ..self }
    }

    /// Returns the rows from `i` on.
    #[inline(always)]
    fn from(self, i: usize) -> Self {
        Self { rows: &self.rows[i..], ..self }
    }
}

impl<'a, const STRIDE: usize> RowsMut<'a, STRIDE> {
    #[inline(always)]
    fn new(rows: &'a mut [[i16; STRIDE]]) -> Self {
        Self { rows, at: 0 }
    }

    #[inline(always)]
    fn load<S: Simd>(&self, s: S, i: usize) -> S::I16 {
        S::I16::load(s, &self.rows[i][self.at..])
    }

    #[inline(always)]
    fn store<S: Simd>(&mut self, i: usize, v: S::I16) {
        v.store(&mut self.rows[i][self.at..]);
    }

    #[inline(always)]
    fn store_all<S: Simd, const N: usize>(&mut self, at: [usize; N], v: [S::I16; N]) {
        each!(i in 0..N => self.store::<S>(at[i], v[i]));
    }

    /// Returns the first `n` rows.
    #[inline(always)]
    fn first(&mut self, n: usize) -> RowsMut<'_, STRIDE> {
        RowsMut { rows: &mut self.rows[..n], at: self.at }
    }

    /// Returns the rows from `i` on.
    #[inline(always)]
    fn from(&mut self, i: usize) -> RowsMut<'_, STRIDE> {
        RowsMut { rows: &mut self.rows[i..], at: self.at }
    }
}

/// Computes one product in each lane: `out` has twice the rows of `a`, and its last row is zero.
#[inline(always)]
fn small<S: Simd, const L: usize>(
    s: S,
    a: Rows<'_, ROWS>,
    b: Rows<'_, ROWS>,
    mut out: RowsMut<'_, ROWS>,
    room: &mut [[i16; 32]],
) {
    match L {
        32 => karatsuba!(16, halves::<S, 8, 32>, halves::<S, 8, ROWS>: s, a, b, out, room),
        44 => karatsuba!(22, halves::<S, 11, 32>, halves::<S, 11, ROWS>: s, a, b, out, room),
        52 => karatsuba!(26, halves::<S, 13, 32>, halves::<S, 13, ROWS>: s, a, b, out, room),
        _ => const { assert!(matches!(L, 32 | 44 | 52), "chunks of 32, 44 or 52") },
    }
}

/// Multiplies polynomials of `2 M` coefficients by Karatsuba.
#[inline(always)]
fn halves<S: Simd, const M: usize, const STRIDE: usize>(
    s: S,
    a: Rows<'_, STRIDE>,
    b: Rows<'_, STRIDE>,
    mut out: RowsMut<'_, STRIDE>,
    room: &mut [[i16; 32]],
) {
    karatsuba!(M, school::<S, M, 32>, school::<S, M, STRIDE>: s, a, b, out, room);
}

/// Computes a schoolbook product, with as many rows of b at once as registers hold.
#[inline(always)]
fn school<S: Simd, const M: usize, const STRIDE: usize>(
    s: S,
    a: Rows<'_, STRIDE>,
    b: Rows<'_, STRIDE>,
    mut out: RowsMut<'_, STRIDE>,
    _: &mut [[i16; 32]],
) {
    match M {
        8 => columns::<S, M, 8, STRIDE, true>(s, a, b, out),
        11 => {
            columns::<S, M, 6, STRIDE, true>(s, a, b, out.first(22));
            columns::<S, M, 5, STRIDE, false>(s, a, b.from(6), out.from(6));
        }
        13 => {
            columns::<S, M, 9, STRIDE, true>(s, a, b, out.first(26));
            columns::<S, M, 4, STRIDE, false>(s, a, b.from(9), out.from(9));
        }
        _ => const { assert!(matches!(M, 8 | 11 | 13), "8, 11 or 13 coefficients") },
    }
}

/// Computes the product with the first `K` rows of b, stored if `FIRST`, else added. It goes row by
/// row of a, and the accumulators move down by one place each time, so that everything kept in
/// registers is indexed by constants.
#[inline(always)]
fn columns<S: Simd, const M: usize, const K: usize, const STRIDE: usize, const FIRST: bool>(
    s: S,
    a: Rows<'_, STRIDE>,
    b: Rows<'_, STRIDE>,
    mut out: RowsMut<'_, STRIDE>,
) {
    let (a, b) = (a.first(M), b.first(K));
    let mut out = out.first(if FIRST { 2 * M } else { M + K });
    let zero = S::I16::splat(s, 0);
    let (mut y, mut sums) = ([zero; K], [zero; K]);
    each!(j in 0..K => {
        y[j] = b.load(s, j);
        if !FIRST {
            sums[j] = out.load(s, j);
        }
    });
    each!(i in 0..M => {
        let x = a.load(s, i);
        out.store::<S>(i, sums[0] + x.mullo(y[0]));
        each!(j in 1..K => sums[j - 1] = sums[j] + x.mullo(y[j]));
        sums[K - 1] = if FIRST { zero } else { out.load(s, i + K) };
    });
    // The last K rows; the rest are zero, for other products to be added.
    each!(j in 0..K => out.store::<S>(M + j, sums[j]));
    if FIRST {
        each!(j in K..M => out.store::<S>(M + j, zero));
    }
}

/// Computes a polynomial from its products modulo x^n - 1, correct modulo 2^13. Coefficients from n
/// on are zero. `16 L` - 64 < n <= `16 L`. Out of line.
#[inline(never)]
pub fn interpolate_cyclic<S: Simd, const L: usize>(
    s: S,
    n: usize,
    products: &Products<L>,
    out: &mut [[i16; L]; 16],
    room: &mut Room<L>,
) {
    vectorize!(s => {
        let whole = interpolate(s, products, room.as_flattened_mut());
        let out = out.as_flattened_mut();
        each!(i in 0..16 * L, S::I16::LANES => {
            let sum = S::I16::load(s, &whole[i..]) + S::I16::load(s, &whole[n + i..]);
            sum.store(&mut out[i..]);
        });
        out[n..].fill(0);
    });
}

/// Computes a polynomial modulo x^256 + 1 from the products that [`add_product`] has summed,
/// correct modulo 2^13. Out of line.
#[inline(never)]
pub fn interpolate_negacyclic<S: Simd>(
    s: S,
    products: &mut Products<16>,
    out: &mut Poly<16>,
    room: &mut Room<32>,
) {
    vectorize!(s => {
        let (middle, _) = middle_of(room);
        each!(at in 0..ROWS, S::I16::LANES => {
            let out = RowsMut { rows: products.as_flattened_mut(), at };
            combine_halves::<S, 8, _, _>(s, out, Rows { rows: &*middle, at });
        });
        let whole = interpolate(s, products, room.as_flattened_mut());
        let out = out.as_flattened_mut();
        each!(i in 0..256, S::I16::LANES => {
            let sum = S::I16::load(s, &whole[i..]) - S::I16::load(s, &whole[256 + i..]);
            sum.store(&mut out[i..]);
        });
    });
}

/// Computes the whole product, of 32 L - 1 coefficients, in the room.
#[inline(always)]
fn interpolate<'a, S: Simd, const L: usize>(
    s: S,
    products: &Products<L>,
    room: &'a mut [[i16; 32]],
) -> &'a [i16] {
    let lanes = S::I16::LANES;
    // First the 63 rows of one vector of columns, where each nine are combined to seven; then the
    // product, with space for the last vectors if the number of lanes does not divide `2 L`.
    let (rows, whole) = room.split_at_mut(ROWS);
    let beyond = if L.is_multiple_of(16) { 0 } else { 32 };
    let whole = &mut whole.as_flattened_mut()[..32 * L + beyond];
    whole.fill(0);
    each!(column in 0..2 * L, lanes => {
        each!(block in 0..ROWS, lanes => {
            let from = Rows { rows: &products.as_flattened()[column..], at: block };
            let mut to = RowsMut::new(&mut rows[block..block + lanes]);
            transpose(s, from, &mut to, [true; 2]);
        });
        for p in rows.as_chunks_mut::<9>().0 {
            let zero = S::I16::splat(s, 0);
            let values = combine::<S>(&array!([zero; 9]: i => S::I16::load(s, &p[i])));
            each!(i in 0..7 => values[i].store(&mut p[i]));
        }
        add_chunks::<S, L>(s, rows, whole, column);
    });
    whole
}

/// Adds chunk i of coefficient k of the polynomial in y at chunk 4 k + i, one vector of columns.
#[inline(always)]
fn add_chunks<S: Simd, const L: usize>(s: S, rows: &[[i16; 32]], whole: &mut [i16], column: usize) {
    let rows: &[_; ROWS] = rows.first_chunk().expect("all rows");
    each!(i in 0..7 => {
        let load = |point: usize| S::I16::load(s, &rows[9 * point + i]);
        let v = [load(0), load(1), load(2), load(3), load(4), load(5), load(6)];
        let values = from_points(s, &v);
        each!(k in 0..7 => {
            let to = &mut whole[(4 * k + i) * L + column..];
            (S::I16::load(s, to) + values[k]).store(to);
        });
    });
}

/// Inverts Karatsuba: combines the nine products of a point to seven chunks.
#[inline(always)]
fn combine<S: Simd>(p: &[S::I16; 9]) -> [S::I16; 7] {
    let (low, high, middle) = (p[4] - p[0] - p[1], p[5] - p[2] - p[3], p[8] - p[6] - p[7]);
    // p[1] - p[2] is part of two chunks, with opposite signs.
    let inner = p[1] - p[2];
    [p[0], low, p[6] - p[0] + inner, middle - low - high, p[7] - inner - p[3], high, p[3]]
}

/// Inverts Toom-Cook: computes the seven coefficients from the values at the points.
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
    use oaklath_simd::{Level, dispatch};

    fn poly<const L: usize>(mut x: u32, n: usize) -> Poly<L> {
        let mut f = Poly::new([[0; L]; 16]);
        for c in &mut f.as_flattened_mut()[..n] {
            x = x.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
            *c = if x >> 30 == 0 { i16::MIN } else { (x >> 12) as i16 };
        }
        f
    }

    /// Returns a b modulo x^n - `wrap`, which is 1 or -1.
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

    fn check_cyclic<const L: usize>(n: usize) {
        for level in Level::available() {
            for seed in 0..3 {
                let f: [Poly<L>; 2] = core::array::from_fn(|i| poly(4 * seed + i as u32, n));
                let mut points = [Points::<L>::new([[0; 64]; L]); 2];
                let mut products = Products::<L>::new([[[7; 64]; L]; 2]);
                let mut room = Room::new([[[7; 32]; L]; 3]);
                let mut out = Poly::new([[1; L]; 16]);
                dispatch!(level, s => {
                    evaluate(s, &f[0], &mut points[0], room.as_flattened_mut());
                    evaluate(s, &f[1], &mut points[1], room.as_flattened_mut());
                    multiply(s, &points[0], &points[1], &mut products, &mut room);
                    interpolate_cyclic(s, n, &products, &mut out, &mut room);
                });
                let want = schoolbook(f[0].as_flattened(), f[1].as_flattened(), n, 1);
                for (i, out) in out.as_flattened().iter().enumerate() {
                    let want = want.get(i).copied().unwrap_or(0);
                    assert_eq!(out & 0x1fff, want & 0x1fff, "{level} {n} {i}");
                }
            }
        }
    }

    #[test]
    fn products_modulo_x_n_minus_1() {
        check_cyclic::<32>(509);
        check_cyclic::<44>(677);
        check_cyclic::<44>(701);
        check_cyclic::<52>(821);
    }

    #[test]
    fn sums_of_products_modulo_x_256_plus_1() {
        for level in Level::available() {
            let f: [Poly<16>; 6] = core::array::from_fn(|i| poly(i as u32, 256));
            let mut points = [Points::<16>::new([[0; 64]; 16]); 6];
            let mut products = Products::<16>::new([[[7; 64]; 16]; 2]);
            let mut room = Room::new([[[7; 32]; 32]; 3]);
            let mut out = Poly::new([[1; 16]; 16]);
            dispatch!(level, s => {
                for (f, points) in f.iter().zip(&mut points) {
                    evaluate(s, f, points, room.as_flattened_mut());
                }
                for j in 0..3 {
                    let (a, b) = (&points[j], &points[3 + j]);
                    add_product(s, a, b, &mut products, &mut room, j == 0);
                }
                interpolate_negacyclic(s, &mut products, &mut out, &mut room);
            });
            let product =
                |i: usize| schoolbook(f[i].as_flattened(), f[3 + i].as_flattened(), 256, -1);
            let (x, y, z) = (product(0), product(1), product(2));
            for (i, out) in out.as_flattened().iter().enumerate() {
                let want = x[i].wrapping_add(y[i]).wrapping_add(z[i]);
                assert_eq!(out & 0x1fff, want & 0x1fff, "{level} {i}");
            }
        }
    }
}
