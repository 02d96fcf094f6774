//! Sorting in constant time, and the fixed-weight sampling of NTRU that is based on it.
//!
//! Each row holds as many keys as a vector has lanes, and keys stay in registers for three levels
//! of comparisons at a time. First, every column is sorted: eight rows by Batcher's network (Knuth,
//! "The Art of Computer Programming", volume 3, section 5.3.4), then by merging runs, the second of
//! which is read backwards. Then columns are merged by halving bitonic sequences: two columns,
//! four, all. A column that has to be descending for that is complemented while it is sorted. The
//! result is the concatenation of the columns.
#[cfg(oaklath_proof)]
mod proofs;

use oaklath_simd::{A64, I32s, Simd, each, each_group, secret, vectorize};

#[cfg(oaklath_proof)]
pub use proofs::THEOREMS;

/// The largest number of keys that are sorted.
const MAX: usize = 1024;
/// The number of keys that is supported between 512 and [`MAX`].
const FEW: usize = 3 * 256;

/// `Fixed_Type` of NTRU round 3, section 1.10.5. Sorts `trits.len()` keys of 30 bits: the first
/// `weight / 2` carry 1, as many more carry -1, the rest 0; trit i is that of the sorted key i.
/// `trits.len()` is a multiple of 4 and at most 1020; `bytes` is 30/8 times as long. Out of line.
///
/// ```
/// use oaklath_poly::sort::fixed_weight;
/// use oaklath_simd::dispatch;
///
/// let (bytes, mut trits) = ([0xa5; 1905], [0; 508]);
/// dispatch!(s => fixed_weight(s, &bytes, 254, &mut trits));
/// let count = |trit: i16| trits.iter().filter(|t| **t == trit).count();
/// assert_eq!((count(1), count(-1), count(0)), (127, 127, 254));
/// ```
///
/// # Panics
/// If the lengths are not as stated.
#[inline(never)]
pub fn fixed_weight<S: Simd>(s: S, bytes: &[u8], weight: usize, trits: &mut [i16]) {
    let n = trits.len();
    assert!(n.is_multiple_of(4) && n < MAX && 8 * bytes.len() == 30 * n, "30 bits for each key");
    vectorize!(s => {
        secret!(keys: A64<[i32; MAX]>);
        read_keys(bytes, keys);
        // Padding that is larger than every key stays at the end.
        keys[n..].fill(i32::MAX);
        let (ones, rest) = keys.split_at_mut(weight >> 1);
        ones.iter_mut().for_each(|key| *key |= 1);
        rest[..weight >> 1].iter_mut().for_each(|key| *key |= 2);
        match n {
            FEW.. => kinds(s, &mut keys[..], trits),
            512.. => kinds(s, &mut keys[..FEW], trits),
            _ => kinds(s, &mut keys[..512], trits),
        }
    });
}

/// Sorts the keys and writes the trits that they carry.
#[inline(always)]
fn kinds<S: Simd>(s: S, keys: &mut [i32], trits: &mut [i16]) {
    secret!(bytes: [i8; MAX]);
    sort_columns(s, keys);
    Columns::new(s, keys).unroll(
        #[inline(always)]
        |at, v| {
            // The low two bits are 0, 1, or 2, which stands for -1.
            let one = S::I32::splat(s, 1);
            ((v & one) - (v.sra::<1>() & one)).narrow(&mut bytes[at..]);
        },
    );
    trits.iter_mut().zip(bytes.iter()).for_each(|(trit, byte)| *trit = i16::from(*byte));
}

/// Reads fields of 30 bits, four in 15 bytes, and shifts them left by two.
#[inline(always)]
fn read_keys(bytes: &[u8], keys: &mut [i32; MAX]) {
    for (keys, bytes) in keys.as_chunks_mut::<4>().0.iter_mut().zip(bytes.as_chunks::<15>().0) {
        let (low, high) = (bytes.first_chunk().expect("15"), bytes.last_chunk().expect("15"));
        let (low, high) = (u64::from_le_bytes(*low), u64::from_le_bytes(*high));
        // `high` begins at bit 56.
        *keys = [low, low >> 30, high >> 4, high >> 34].map(|key| (key << 2) as i32);
    }
}

/// Sorts 512, 768 or 1024 keys, to be read column by column. Out of line, so that there is one copy
/// for all lengths.
#[inline(never)]
fn sort_columns<S: Simd>(s: S, keys: &mut [i32]) {
    vectorize!(s => {
        let mut columns = Columns::new(s, keys);
        // Columns 1, 3, ... are descending, then every other pair of columns, and so on.
        columns.sort_eights(columns.parity(1));
        let mut run = 8;
        while run < columns.rows {
            columns.merge(run);
            run *= 2;
        }
        let mut width = 1;
        while width < S::I32::LANES {
            // In the last step, no lane number has the bit `2 * width`.
            columns.halve_lanes(width, columns.parity(width + 2 * width));
            columns.halve(columns.rows);
            width *= 2;
        }
    });
}

/// Keys in rows of one vector.
struct Columns<'a, S> {
    s: S,
    rows: usize,
    keys: &'a mut [i32],
}

impl<'a, S: Simd> Columns<'a, S> {
    #[inline(always)]
    fn new(s: S, keys: &'a mut [i32]) -> Self {
        Self { s, rows: keys.len() >> S::I32::LANES.ilog2(), keys }
    }

    /// Returns a mask of the lanes whose number has an odd number of ones among `bits`.
    #[inline(always)]
    fn parity(&self, bits: usize) -> S::I32 {
        let mut mask = [0; 16];
        for (lane, mask) in mask.iter_mut().enumerate() {
            *mask = -(((lane & bits).count_ones() & 1) as i32);
        }
        S::I32::load(self.s, &mask)
    }

    /// Complements the lanes of the mask and sorts groups of eight rows.
    #[inline(always)]
    fn sort_eights(&mut self, mask: S::I32) {
        macro_rules! network {
            ($v:ident: $(($a:literal, $b:literal),)*) => {
                $(($v[$a], $v[$b]) = $v[$a].sort_pair($v[$b]);)*
            };
        }
        each_group::<S, 8, false>(
            self.s,
            self.keys,
            1,
            #[inline(always)]
            |mut v| {
                each!(i in 0..8 => v[i] = v[i] ^ mask);
                #[rustfmt::skip]
                network!(v:
                    (0, 1), (2, 3), (4, 5), (6, 7), (0, 2), (1, 3), (4, 6), (5, 7), (1, 2), (5, 6),
                    (0, 4), (1, 5), (2, 6), (3, 7), (2, 4), (3, 5), (1, 2), (3, 4), (5, 6),
                );
                v
            },
        );
    }

    /// Merges pairs of sorted runs. The last run may have no partner, or one of half its length.
    #[inline(always)]
    fn merge(&mut self, run: usize) {
        let whole = self.rows & !(2 * run - 1);
        let (pairs, rest) = self.keys.split_at_mut(whole * S::I32::LANES);
        merge_pairs::<S, 8>(self.s, pairs, run >> 2);
        if self.rows - whole > run {
            merge_pairs::<S, 6>(self.s, rest, run >> 2);
        }
        self.halve(run >> 2);
    }

    /// Sorts bitonic blocks of rows by halving while their length is even; it may end at three. Out
    /// of line.
    #[inline(never)]
    fn halve(&mut self, mut block: usize) {
        vectorize!(self.s => {
            while block & 1 == 0 {
                // Three levels at a time, and fewer where rows are farthest apart.
                match block.trailing_zeros() {
                    1 | 4 | 7 => {
                        block >>= 1;
                        self.levels::<2>(block);
                    }
                    2 | 5 => {
                        block >>= 2;
                        self.levels::<4>(block);
                    }
                    _ => {
                        block >>= 3;
                        self.levels::<8>(block);
                    }
                }
            }
            if block == 3 {
                each_group::<S, 3, false>(
                    self.s,
                    self.keys,
                    1,
                    #[inline(always)]
                    |[a, b, c]| {
                        let (a, b) = a.sort_pair(b);
                        let (b, c) = b.sort_pair(c);
                        let (a, b) = a.sort_pair(b);
                        [a, b, c]
                    },
                );
            }
        });
    }

    /// Does one, two or three levels on groups of `N` rows, which are `step` apart.
    #[inline(always)]
    fn levels<const N: usize>(&mut self, step: usize) {
        each_group::<S, N, false>(
            self.s,
            self.keys,
            step,
            #[inline(always)]
            |mut v| {
                if const { N == 8 } {
                    level::<S, N, 4>(&mut v);
                }
                if const { N >= 4 } {
                    level::<S, N, 2>(&mut v);
                }
                level::<S, N, 1>(&mut v);
                v
            },
        );
    }

    /// Complements the lanes of the mask and compares lanes at distance `width`, at half that
    /// distance, and so on.
    #[inline(always)]
    fn halve_lanes(&mut self, width: usize, mask: S::I32) {
        match width {
            1 => self.halve_lanes_from::<1>(mask),
            2 => self.halve_lanes_from::<2>(mask),
            4 => self.halve_lanes_from::<4>(mask),
            _ if const { S::I32::LANES > 8 } => self.halve_lanes_from::<8>(mask),
            _ => unreachable!("below the number of lanes"),
        }
    }

    #[inline(always)]
    fn halve_lanes_from<const WIDTH: usize>(&mut self, mask: S::I32) {
        each_group::<S, 2, false>(
            self.s,
            self.keys,
            1,
            #[inline(always)]
            |[a, b]| {
                let (mut a, mut b) = (a ^ mask, b ^ mask);
                if const { WIDTH >= 8 } {
                    (a, b) = across::<S, 8>(a, b);
                }
                if const { WIDTH >= 4 } {
                    (a, b) = across::<S, 4>(a, b);
                }
                if const { WIDTH >= 2 } {
                    (a, b) = across::<S, 2>(a, b);
                }
                (a, b) = across::<S, 1>(a, b);
                [a, b]
            },
        );
    }

    /// Passes vectors of the concatenated columns to `write`, each with the index of its first key.
    #[inline(always)]
    fn unroll(&self, mut write: impl FnMut(usize, S::I32)) {
        let lanes = S::I32::LANES;
        each!(row in 0..self.rows, lanes => {
            let mut v = [S::I32::splat(self.s, 0); 16];
            each!(i in 0..lanes => v[i] = S::I32::load(self.s, &self.keys[(row + i) * lanes..]));
            if const { S::I32::LANES == 16 } {
                transpose::<S, 8>(&mut v);
            }
            transpose::<S, 4>(&mut v);
            transpose::<S, 2>(&mut v);
            transpose::<S, 1>(&mut v);
            each!(i in 0..lanes => write(i * self.rows + row, v[i]));
        });
    }
}

/// Does the first three levels of merges of runs of four quarters: compares each row with that as
/// far from the other end, then by halves and quarters. If `N` is 6, the last two quarters are past
/// the end: they count as the largest possible keys, which stay in place.
#[inline(always)]
fn merge_pairs<S: Simd, const N: usize>(s: S, keys: &mut [i32], quarter: usize) {
    each_group::<S, N, true>(
        s,
        keys,
        quarter,
        #[inline(always)]
        |mut rows| {
            let mut v = [S::I32::splat(s, i32::MAX); 8];
            each!(k in 0..N => v[k] = rows[k]);
            each!(k in 0..4 => (v[k], v[7 - k]) = v[k].sort_pair(v[7 - k]));
            level::<S, 8, 2>(&mut v);
            level::<S, 8, 1>(&mut v);
            each!(k in 0..N => rows[k] = v[k]);
            rows
        },
    );
}

/// Sorts pairs of vectors at distance `HALF`.
#[inline(always)]
fn level<S: Simd, const N: usize, const HALF: usize>(v: &mut [S::I32; N]) {
    each!(k in 0..N => {
        if k & HALF == 0 {
            (v[k], v[k + HALF]) = v[k].sort_pair(v[k + HALF]);
        }
    });
}

/// Sorts pairs of lanes at distance `LEN`.
#[inline(always)]
fn across<S: Simd, const LEN: usize>(a: S::I32, b: S::I32) -> (S::I32, S::I32) {
    let (a, b) = a.transpose::<LEN>(b);
    let (low, high) = a.sort_pair(b);
    low.transpose::<LEN>(high)
}

/// Does one exchange of the transposition of as many vectors as a vector has lanes.
#[inline(always)]
fn transpose<S: Simd, const LEN: usize>(v: &mut [S::I32; 16]) {
    each!(i in 0..S::I32::LANES => {
        if i & LEN == 0 {
            (v[i], v[i + LEN]) = v[i].transpose::<LEN>(v[i + LEN]);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use oaklath_simd::{Level, dispatch};
    use std::vec::Vec;

    fn keys(mut x: u32, n: usize, mask: i32) -> Vec<i32> {
        let next = || {
            x = x.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
            (x ^ x >> 16) as i32 & mask
        };
        core::iter::repeat_with(next).take(n).collect()
    }

    #[test]
    fn sorted() {
        #[inline(always)]
        fn run<S: Simd>(s: S, keys: &mut [i32]) {
            let mut sorted = std::vec![0; keys.len()];
            sort_columns(s, keys);
            Columns::new(s, keys).unroll(|at, v| v.store(&mut sorted[at..]));
            keys.copy_from_slice(&sorted);
        }
        for level in Level::available() {
            for n in [512, 768, 1024] {
                for (seed, mask) in [(1, -1), (2, -1), (3, i32::MIN | 3), (4, 1)] {
                    let mut keys = keys(seed, n, mask);
                    let mut want = keys.clone();
                    want.sort_unstable();
                    dispatch!(level, s => run(s, &mut keys));
                    assert!(keys == want, "{level} {n} {seed}");
                }
                // Every number of ones among zeros: by the zero-one principle, such inputs are the
                // critical ones of a network.
                for ones in 0..n {
                    let mut keys: Vec<i32> = (0..n).map(|i| i32::from(i * 37 % n < ones)).collect();
                    dispatch!(level, s => run(s, &mut keys));
                    assert!(keys.is_sorted(), "{level} {n} {ones}");
                }
            }
        }
    }

    #[test]
    fn fixed_weights_by_the_definition() {
        for (n, weight) in [(508, 254), (676, 254), (820, 510)] {
            let bytes: Vec<u8> =
                keys(n as u32, 30 * n / 8, -1).iter().map(|x| (x >> 8) as u8).collect();
            let field = |i: usize| {
                (0..30).fold(0, |x, bit| {
                    let at = 30 * i + bit;
                    x | u32::from(bytes[at / 8] >> (at % 8) & 1) << bit
                })
            };
            let kind = |i: usize| if i < weight / 2 { 1 } else { 2 * u32::from(i < weight) };
            let mut want: Vec<i32> = (0..n).map(|i| (field(i) << 2 | kind(i)) as i32).collect();
            want.sort_unstable();
            for level in Level::available() {
                let mut trits = std::vec![9; n];
                dispatch!(level, s => fixed_weight(s, &bytes, weight, &mut trits));
                for (trit, key) in trits.iter().zip(&want) {
                    assert_eq!(*trit, [0, 1, -1][*key as usize & 3], "{level} {n}");
                }
            }
        }
    }
}
