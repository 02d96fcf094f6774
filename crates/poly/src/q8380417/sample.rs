//! Sampling: FIPS 204, section 7.3.
use oaklath_simd::{A64, I32s, Simd, each};

use super::{Ntt, Poly, Q};
use crate::offset;

/// A sampled entry of the matrix: 256 coefficients 0 <= x < q in the NTT domain, and room for the
/// vector that the sampler writes past them.
pub type Entry<Tag = Ntt> = A64<[i32; 272], Tag>;

/// The length in bytes of a row of XOF output: one block of 168 bytes, then 24 bytes 0xff, which
/// the sampler rejects, so that whole vectors can be read.
pub const ROW: usize = 192;
/// The number of bytes of a row that come from the XOF.
const BLOCK: usize = 168;

/// Continues `RejNTTPoly` (FIPS 204, Algorithm 30) at coefficient `n` with one block of the XOF.
/// Returns the new number of coefficients: 256 if the entry is complete. For public data only.
#[inline(always)]
pub fn reject_block_vartime<S: Simd>(s: S, row: &[u8; ROW], entry: &mut Entry, n: usize) -> usize {
    let (mut n, mut at) = (n, 0);
    while n < 256 && at < BLOCK {
        let x = S::I32::unpack::<24>(s, &row[at..]) & S::I32::splat(s, (1 << 23) - 1);
        n = x.append_below_vartime(Q, &mut entry[..], n);
        at += offset::<24>(S::I32::LANES);
    }
    n.min(256)
}

/// Continues `RejBoundedPoly` (FIPS 204, Algorithm 31) at coefficient `n` with a block of the XOF,
/// of 136 bytes or any multiple of 8. Returns the new number of coefficients, which are still
/// nibbles: [`finish_nibbles`](super::sample::finish_nibbles) converts them to small numbers. The
/// time reveals which nibbles are rejected, which does not reveal the others.
#[inline(always)]
pub fn reject_nibbles_vartime<S: Simd>(
    s: S,
    eta: i32,
    block: &[u8],
    f: &mut Entry<()>,
    n: usize,
) -> usize {
    let bound = if eta == 2 { 15 } else { 9 };
    let (mut n, mut at) = (n, 0);
    while n < 256 && at < block.len() {
        n = S::I32::unpack::<4>(s, &block[at..]).append_below_vartime(bound, &mut f[..], n);
        at += offset::<4>(S::I32::LANES);
    }
    n.min(256)
}

/// `CoeffFromHalfByte` (FIPS 204, Algorithm 15) of nibbles that were not rejected: |f| <= eta,
/// which is 2 or 4.
#[inline(always)]
pub fn finish_nibbles<S: Simd>(s: S, eta: i32, nibbles: &Entry<()>, f: &mut Poly) {
    // For eta = 2, nibbles are reduced modulo 5; for eta = 4, they are below 9 and stay.
    let modulo_5 = S::I32::splat(s, if eta == 2 { -1 } else { 0 });
    each!(i in 0..256, S::I32::LANES => {
        let x = S::I32::load(s, &nibbles[i..]);
        // 205 x / 2^10 is x / 5, rounded down, for x < 16.
        let fifth = x.mullo(S::I32::splat(s, 205)).sra::<10>();
        let x = x - ((fifth + fifth.sll::<2>()) & modulo_5);
        (S::I32::splat(s, eta) - x).store(&mut f[i..]);
    });
}

#[cfg(test)]
mod tests {
    use super::super::decode_mask;
    use super::super::testing::bytes;
    use super::*;
    use oaklath_simd::{Level, dispatch};
    use std::vec::Vec;

    #[test]
    fn matrix_entries_equal_the_plain_loop() {
        for level in Level::available() {
            for seed in 0..50 {
                let mut stream = bytes(840, seed);
                // Only numbers near the top of the range are rejected: make some.
                stream.iter_mut().skip(2).step_by(30).for_each(|b| *b = 0xff);
                let three = |b: &[u8]| {
                    i32::from(b[0]) | i32::from(b[1]) << 8 | i32::from(b[2] & 0x7f) << 16
                };
                let want: Vec<i32> =
                    stream.chunks(3).map(three).filter(|x| *x < Q).take(256).collect();
                let (mut entry, mut n) = (Entry::new([-1; 272]), 0);
                for block in stream.chunks(168) {
                    let mut row = [0xff; ROW];
                    row[..168].copy_from_slice(block);
                    n = dispatch!(level, s => reject_block_vartime(s, &row, &mut entry, n));
                }
                assert_eq!((n, &entry[..n]), (want.len(), &want[..]), "{level}");
            }
        }
    }

    fn small(eta: i32, level: Level, seed: u64, blocks: usize) {
        let stream = bytes(136 * blocks, seed);
        let nibbles = stream.iter().flat_map(|b| [b & 15, b >> 4]).map(i32::from);
        // The definition of FIPS 204, Algorithm 15.
        let want: Vec<i32> = if eta == 2 {
            nibbles.filter(|x| *x < 15).map(|x| 2 - x % 5).take(256).collect()
        } else {
            nibbles.filter(|x| *x < 9).map(|x| 4 - x).take(256).collect()
        };
        let (mut raw, mut n) = (Entry::new([0; 272]), 0);
        for block in stream.chunks(136) {
            n = dispatch!(level, s => reject_nibbles_vartime(s, eta, block, &mut raw, n));
        }
        let mut f = Poly::new([0; 256]);
        dispatch!(level, s => finish_nibbles(s, eta, &raw, &mut f));
        assert_eq!((n, &f[..n]), (want.len(), &want[..]), "{level}");
    }

    #[test]
    fn small_polynomials_equal_the_plain_loop() {
        for level in Level::available() {
            for seed in 0..30 {
                small(2, level, seed, 2);
                small(4, level, seed, 2);
                small(4, level, seed, 1);
            }
        }
    }

    #[test]
    fn masks() {
        for level in Level::available() {
            let mut f = Poly::new([0; 256]);
            dispatch!(level, s => decode_mask(s, 20, &[0; 640], &mut f));
            assert_eq!(*f, [1 << 19; 256]);
            dispatch!(level, s => decode_mask(s, 18, &[0xff; 576], &mut f));
            assert_eq!(*f, [1 - (1 << 17); 256]);
        }
    }
}
