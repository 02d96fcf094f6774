//! Sorting in constant time, and the fixed-weight sampling of NTRU that rests on it.
//!
//! Keys lie in rows of as many as a vector has lanes. Every column is sorted by Batcher's merge
//! exchange (Knuth, "The Art of Computer Programming", volume 3, section 5.2.2, Algorithm M); then
//! columns are merged by halving bitonic sequences: two columns, four, all. What is to be descending
//! for that is complemented while it is sorted. In the end the columns stand one after the other.
use oaklath_simd::{I32s, Simd, secret};

/// The most keys that are sorted.
const MAX: usize = 1024;
/// What lies between 512 and that.
const FEW: usize = 3 * 256;

/// `Fixed_Type` of NTRU round 3, section 1.10.5: `trits.len()` keys of 30 bits, the first
/// `weight / 2` of them for 1 and as many for -1, sorted. What goes with the key in place i is trit
/// i. `trits.len()` is a multiple of four and at most 1020, `bytes` is 30/8 of it. Out of line.
///
/// ```
/// use oaklath_ring::sort::fixed_weight;
/// use oaklath_simd::dispatch;
///
/// let (bytes, mut trits) = ([0xa5; 1905], [0; 508]);
/// dispatch!(s => fixed_weight(s, &bytes, 254, &mut trits));
/// let count = |trit: i16| trits.iter().filter(|t| **t == trit).count();
/// assert_eq!((count(1), count(-1), count(0)), (127, 127, 254));
/// ```
///
/// # Panics
/// If the lengths do not fit.
#[inline(never)]
pub fn fixed_weight<S: Simd>(s: S, bytes: &[u8], weight: usize, trits: &mut [i16]) {
    let n = trits.len();
    assert!(n.is_multiple_of(4) && n < MAX && 8 * bytes.len() == 30 * n, "30 bits a key");
    s.vectorize(
        #[inline(always)]
        || {
            secret!(keys: [i32; MAX]);
            read_keys(bytes, keys);
            // Larger than every key: stays behind.
            keys[n..].fill(i32::MAX);
            let (ones, rest) = keys.split_at_mut(weight >> 1);
            ones.iter_mut().for_each(|key| *key |= 1);
            rest[..weight >> 1].iter_mut().for_each(|key| *key |= 2);
            match n {
                FEW.. => sort(s, keys),
                512.. => sort(s, &mut keys[..FEW]),
                _ => sort(s, &mut keys[..512]),
            }
            for (trit, key) in trits.iter_mut().zip(keys.iter()) {
                let kind = (key & 3) as i16;
                *trit = kind - 3 * (kind >> 1);
            }
        },
    );
}

/// Fields of 30 bits, shifted left by two: four in 15 bytes.
#[inline(always)]
fn read_keys(bytes: &[u8], keys: &mut [i32; MAX]) {
    for (keys, bytes) in keys.as_chunks_mut::<4>().0.iter_mut().zip(bytes.as_chunks::<15>().0) {
        let (low, high) = (bytes.first_chunk().expect("15"), bytes.last_chunk().expect("15"));
        let (low, high) = (u64::from_le_bytes(*low), u64::from_le_bytes(*high));
        // `high` begins at bit 56.
        *keys = [low, low >> 30, high >> 4, high >> 34].map(|key| (key << 2) as i32);
    }
}

/// Sorts 512, 768 or 1024 keys.
#[inline(always)]
fn sort<S: Simd>(s: S, keys: &mut [i32]) {
    let lanes = S::I32::LANES;
    let mut columns = Columns { s, rows: count_rows::<S>(keys), keys };
    // Columns 1, 3, ... descend, then pairs of columns, and so on.
    columns.complement(1);
    columns.merge_exchange();
    let mut width = 1;
    while width < lanes {
        columns.complement(width + 2 * width);
        if width >= 8 {
            columns.halve_lanes::<8>();
        }
        if width >= 4 {
            columns.halve_lanes::<4>();
        }
        if width >= 2 {
            columns.halve_lanes::<2>();
        }
        columns.halve_lanes::<1>();
        columns.halve_columns();
        width *= 2;
    }
    columns.unroll();
}

#[inline(always)]
#[cfg_attr(not(test), expect(clippy::integer_division_remainder_used, reason = "of constants"))]
fn count_rows<S: Simd>(keys: &[i32]) -> usize {
    keys.len() / S::I32::LANES
}

/// Rows of vectors.
struct Columns<'a, S> {
    s: S,
    rows: usize,
    keys: &'a mut [i32],
}

impl<S: Simd> Columns<'_, S> {
    #[inline(always)]
    fn load(&self, row: usize) -> S::I32 {
        S::I32::load(self.s, &self.keys[row * S::I32::LANES..])
    }

    #[inline(always)]
    fn store(&mut self, row: usize, v: S::I32) {
        v.store(&mut self.keys[row * S::I32::LANES..]);
    }

    /// Puts rows a and b in order, in every column.
    #[inline(always)]
    fn exchange(&mut self, a: usize, b: usize) {
        let (low, high) = self.load(a).sort_pair(self.load(b));
        self.store(a, low);
        self.store(b, high);
    }

    /// Complements the lanes whose number has an odd number of bits of `bits`.
    #[inline(always)]
    fn complement(&mut self, bits: usize) {
        let mut mask = [0; 16];
        for (lane, mask) in mask.iter_mut().enumerate() {
            // A last `complement` has a bit that no lane has.
            *mask = -(((lane & bits).count_ones() & 1) as i32);
        }
        let mask = S::I32::load(self.s, &mask);
        let mut row = 0;
        while row < self.rows {
            let v = self.load(row) ^ mask;
            self.store(row, v);
            row += 1;
        }
    }

    /// Sorts every column.
    #[inline(always)]
    fn merge_exchange(&mut self) {
        let mut top = 1;
        while 2 * top < self.rows {
            top *= 2;
        }
        let mut p = top;
        while p > 0 {
            let (mut q, mut r, mut d) = (top, 0, p);
            loop {
                // Runs of p rows, from r on, every 2 p.
                let mut run = r;
                while run < self.rows - d {
                    let mut i = run;
                    while i < (run + p).min(self.rows - d) {
                        self.exchange(i, i + d);
                        i += 1;
                    }
                    run += 2 * p;
                }
                if q == p {
                    break;
                }
                (d, q, r) = (q - p, q >> 1, p);
            }
            p >>= 1;
        }
    }

    /// Compares lanes at a distance of `LEN`.
    #[inline(always)]
    fn halve_lanes<const LEN: usize>(&mut self) {
        let mut row = 0;
        while row < self.rows {
            let (a, b) = self.load(row).transpose::<LEN>(self.load(row + 1));
            let (low, high) = a.sort_pair(b);
            let (a, b) = low.transpose::<LEN>(high);
            self.store(row, a);
            self.store(row + 1, b);
            row += 2;
        }
    }

    /// Sorts columns that are bitonic: by halves while their number is even; three at last.
    #[inline(always)]
    fn halve_columns(&mut self) {
        let mut half = self.rows >> 1;
        loop {
            let mut run = 0;
            while run < self.rows {
                let mut i = run;
                while i < run + half {
                    self.exchange(i, i + half);
                    i += 1;
                }
                run += 2 * half;
            }
            if half & 1 == 1 {
                break;
            }
            half >>= 1;
        }
        if half == 3 {
            let mut run = 0;
            while run < self.rows {
                self.exchange(run, run + 1);
                self.exchange(run + 1, run + 2);
                self.exchange(run, run + 1);
                run += 3;
            }
        }
    }

    /// Columns as rows.
    #[inline(always)]
    fn unroll(&mut self) {
        secret!(whole: [i32; MAX]);
        let lanes = S::I32::LANES;
        let mut row = 0;
        while row < self.rows {
            let mut lane = 0;
            while lane < lanes {
                whole[lane * self.rows + row] = self.keys[row * lanes + lane];
                lane += 1;
            }
            row += 1;
        }
        self.keys.copy_from_slice(&whole[..self.keys.len()]);
    }
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
            sort(s, keys);
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
                // Zeros and ones in every number: by the principle of that name these are the hard
                // ones of a network.
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
