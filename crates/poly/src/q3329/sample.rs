//! Sampling: FIPS 203, Algorithms 7 (uniform, by rejection) and 8 (centred binomial).
use oaklath_simd::{A64, I16s, Simd, each};

use super::{Ntt, Poly, Q, montgomery};
use crate::offset;

/// A sampled entry of the matrix: 256 coefficients in the NTT domain, and room for the vector that
/// the sampler writes past them.
pub type Entry = A64<[i16; 288], Ntt>;

/// The length in bytes of a row of XOF output: one block of 168 bytes, then 24 bytes 0xff, which
/// the sampler rejects, so that whole vectors can be read.
pub const ROW: usize = 192;

/// Continues `SampleNTT` (FIPS 203, Algorithm 7) at coefficient `n` with one block of the XOF.
/// Returns the new number of coefficients: 256 if the entry is complete. For public data only.
#[inline(always)]
pub fn reject_block_vartime<S: Simd>(s: S, row: &[u8; ROW], entry: &mut Entry, n: usize) -> usize {
    let (mut n, mut at) = (n, 0);
    while n < 256 && at < ROW {
        n = S::I16::unpack::<12>(s, &row[at..]).append_below_vartime(Q, &mut entry[..], n);
        at += offset::<12>(S::I16::LANES);
    }
    n.min(256)
}

/// Continues sampling like [`reject_block_vartime`], but with any multiple of three bytes: for the
/// one entry in a hundred that needs a fourth block.
pub fn reject_bytes_vartime(bytes: &[u8], entry: &mut Entry, mut n: usize) -> usize {
    for bytes in bytes.as_chunks::<3>().0 {
        let [a, b, c] = bytes.map(i16::from);
        for x in [a | (b & 15) << 8, b >> 4 | c << 4] {
            if x < Q && n < 256 {
                entry[n] = x;
                n += 1;
            }
        }
    }
    n
}

/// Tabulates the number of ones in the low two bits minus that in the next two, times `factor`.
const fn table_2(factor: i16) -> [i16; 16] {
    let mut t = [0; 16];
    each!(n in 0..16 => {
        let low = (n & 3_i16).count_ones() as i16;
        t[n as usize] = times(low - (n >> 2).count_ones() as i16, factor);
    });
    t
}

/// Tabulates the number of ones in three bits, times `factor`.
const fn table_3(factor: i16) -> [i16; 16] {
    let mut t = [0; 16];
    each!(n in 0..8 => t[n as usize] = times((n as i16).count_ones() as i16, factor));
    t
}

/// Returns x times `factor` modulo q, centred.
const fn times(x: i16, factor: i16) -> i16 {
    let r = (x as i32 * factor as i32).rem_euclid(Q as i32) as i16;
    if 2 * r > Q { r - Q } else { r }
}

/// `SamplePolyCBD_2` (FIPS 203, Algorithm 8) of the first 128 bytes, multiplied by 2^16 with
/// `MONTGOMERY`. |f| <= 2, or 1241 with `MONTGOMERY`.
#[inline(always)]
pub fn cbd_2<S: Simd, const MONTGOMERY: bool>(s: S, bytes: &[u8], f: &mut Poly) {
    let table = if MONTGOMERY { const { &table_2(montgomery(1)) } } else { const { &table_2(1) } };
    let bytes = &bytes[..128];
    each!(i in 0..256, S::I16::LANES => {
        S::I16::unpack::<4>(s, &bytes[offset::<4>(i)..]).lookup(table).store(&mut f[i..]);
    });
}

/// `SamplePolyCBD_3` (FIPS 203, Algorithm 8) of the first 192 bytes, multiplied by 2^16 with
/// `MONTGOMERY`. |f| <= 3, or 2285 with `MONTGOMERY`.
#[inline(always)]
pub fn cbd_3<S: Simd, const MONTGOMERY: bool>(s: S, bytes: &[u8], f: &mut Poly) {
    let table = if MONTGOMERY { const { &table_3(montgomery(1)) } } else { const { &table_3(1) } };
    let bytes = &bytes[..192];
    each!(i in 0..256, S::I16::LANES => {
        let v = S::I16::unpack::<6>(s, &bytes[offset::<6>(i)..]);
        let low = (v & S::I16::splat(s, 7)).lookup(table);
        (low - v.srl::<3>().lookup(table)).store(&mut f[i..]);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use oaklath_simd::{Level, dispatch};
    use std::vec;
    use std::vec::Vec;

    fn bytes(n: usize, mut x: u32) -> Vec<u8> {
        let mut next = || {
            x = x.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
            (x >> 16) as u8
        };
        (0..n).map(|_| next()).collect()
    }

    #[test]
    fn rejection_equals_the_plain_loop() {
        for level in Level::available() {
            for seed in 0..50 {
                let stream = bytes(504, seed);
                let (mut want, mut got) = (Entry::new([0; 288]), Entry::new([-1; 288]));
                let all = reject_bytes_vartime(&stream, &mut want, 0);
                let mut n = 0;
                for block in stream.chunks(168) {
                    let mut row = [0xff; ROW];
                    row[..168].copy_from_slice(block);
                    n = dispatch!(level, s => reject_block_vartime(s, &row, &mut got, n));
                }
                assert_eq!((n, &got[..n]), (all, &want[..all]), "{level}");
            }
        }
    }

    /// From each number of coefficients on: of blocks of which some, all and none are kept.
    #[test]
    fn rejection_ends_at_256() {
        let blocks = [bytes(168, 1), bytes(168, 2), vec![0x55; 168], vec![0xff; 168]];
        for level in Level::available() {
            for (block, n) in blocks.iter().flat_map(|block| (0..=256).map(move |n| (block, n))) {
                let mut row = [0xff; ROW];
                row[..168].copy_from_slice(block);
                let fields = block.as_chunks::<3>().0.iter().flat_map(|bytes| {
                    let [a, b, c] = bytes.map(i16::from);
                    [a + 256 * (b % 16), b / 16 + 16 * c]
                });
                let want: Vec<i16> = fields.filter(|x| *x < Q).take(256 - n).collect();
                let mut entries = [Entry::new([7; 288]); 2];
                let [first, second] = &mut entries;
                let end = dispatch!(level, s => reject_block_vartime(s, &row, first, n));
                assert_eq!((end, &first[n..end]), (n + want.len(), &want[..]), "{level}, {n}");
                assert!(first[..n].iter().all(|x| *x == 7), "{level}, {n}");
                let end = reject_bytes_vartime(block, second, n);
                assert_eq!((end, &second[n..end]), (n + want.len(), &want[..]), "{n}");
            }
        }
    }

    #[test]
    fn binomial_by_bits() {
        fn want(bytes: &[u8], eta: usize, factor: i64) -> Vec<i64> {
            let bit = |i: usize| i64::from(bytes[i / 8] >> (i % 8) & 1);
            let sum = |at: usize| (at..at + eta).map(bit).sum::<i64>();
            let f = |i: usize| (sum(2 * eta * i) - sum(2 * eta * i + eta)) * factor;
            (0..256).map(|i| f(i).rem_euclid(3329)).collect()
        }
        let canonical =
            |f: &Poly| -> Vec<i64> { f.iter().map(|x| i64::from(*x).rem_euclid(3329)).collect() };
        for level in Level::available() {
            for seed in 0..20 {
                let bytes = bytes(192, seed);
                let mut f = Poly::new([0; 256]);
                dispatch!(level, s => cbd_2::<_, false>(s, &bytes, &mut f));
                assert!(f.iter().all(|x| x.abs() <= 2));
                assert_eq!(canonical(&f), want(&bytes, 2, 1), "{level}");
                dispatch!(level, s => cbd_2::<_, true>(s, &bytes, &mut f));
                assert_eq!(canonical(&f), want(&bytes, 2, 65536), "{level}");
                dispatch!(level, s => cbd_3::<_, false>(s, &bytes, &mut f));
                assert!(f.iter().all(|x| x.abs() <= 3));
                assert_eq!(canonical(&f), want(&bytes, 3, 1), "{level}");
                dispatch!(level, s => cbd_3::<_, true>(s, &bytes, &mut f));
                assert!(f.iter().all(|x| x.abs() <= 2285));
                assert_eq!(canonical(&f), want(&bytes, 3, 65536), "{level}");
            }
        }
    }

    /// Checks every entry of the tables for lookups, plain and times 2^16.
    #[test]
    fn tables_of_every_index() {
        let ones = |n: usize| n.count_ones() as i16;
        let scaled = |x: i16| (i64::from(x) << 16).rem_euclid(3329);
        let (two, three) = (table_2(montgomery(1)), table_3(montgomery(1)));
        for n in 0..16 {
            let difference = ones(n & 3) - ones(n >> 2);
            let sum = if n < 8 { ones(n) } else { 0 };
            assert_eq!((table_2(1)[n], table_3(1)[n]), (difference, sum));
            assert_eq!(i64::from(two[n]).rem_euclid(3329), scaled(difference), "{n}");
            assert_eq!(i64::from(three[n]).rem_euclid(3329), scaled(sum), "{n}");
            assert!(two[n].abs() <= 1664 && three[n].abs() <= 1664);
        }
    }
}
