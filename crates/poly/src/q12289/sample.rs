//! Hashing to a polynomial: Falcon, section 3.7, Algorithm 3.
use oaklath_simd::{I16s, Simd, each};

use super::{Format, Q};

/// The length of a block of the XOF, SHAKE256, in bytes.
pub const BLOCK: usize = 136;

/// The bound 5 q: 16-bit numbers that are not below it are rejected.
const BOUND: u16 = 5 * Q as u16;

/// Continues `HashToPoint` at coefficient `n` with one block of the XOF. Returns the new number of
/// coefficients, which is the length of `c` when it is complete. 0 <= c < q. The time reveals which
/// numbers are rejected: only for hashes that need not be secret.
#[inline(always)]
pub fn reject_block_vartime<S: Simd, F: Format>(
    s: S,
    block: &[u8; BLOCK],
    c: &mut [i16],
    n: usize,
) -> usize {
    // 68 numbers, padded with rejected ones; `good` has room for the rest of the last vector.
    let (mut numbers, mut good) = ([-1; 96], [0; 128]);
    for (number, bytes) in numbers.iter_mut().zip(block.as_chunks::<2>().0) {
        *number = F::number(*bytes) as i16;
    }
    let splat = |x: u16| S::I16::splat(s, x as i16);
    let q = Q as u16;
    let mut m = 0;
    each!(at in 0..68, S::I16::LANES => {
        let x = S::I16::load(s, &numbers[at..]);
        // 1 for rejected numbers, else 0, times 2^14, which is more than q.
        let rejected = (x - x.min_unsigned(splat(BOUND - 1))).min_unsigned(splat(1)).sll::<14>();
        let x = x.min_unsigned(x - splat(4 * q));
        let x = x.min_unsigned(x - splat(2 * q));
        let x = x.min_unsigned(x - splat(q));
        m = (x + rejected).append_below_vartime(Q, &mut good, m);
    });
    let m = m.min(c.len() - n);
    c[n..n + m].copy_from_slice(&good[..m]);
    n + m
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::q12289::{FromHigh, FromLow};
    use oaklath_simd::{Level, dispatch};
    use std::vec::Vec;

    #[test]
    fn every_number_is_reduced_or_rejected() {
        Level::available().for_each(|level| every_number::<FromHigh>(level, u16::to_be_bytes));
        Level::available().for_each(|level| every_number::<FromLow>(level, u16::to_le_bytes));
    }

    fn every_number<F: Format>(level: Level, bytes_of: fn(u16) -> [u8; 2]) {
        for first in (0..=u16::MAX).step_by(68) {
            let numbers: Vec<u16> = (0..68).map(|i| first.wrapping_add(i)).collect();
            let bytes: Vec<u8> = numbers.iter().flat_map(|x| bytes_of(*x)).collect();
            let block = bytes.first_chunk().unwrap();
            let good = numbers.iter().filter(|x| **x < 61445);
            let want: Vec<i16> = good.map(|x| (*x % 12289) as i16).collect();
            let mut c = [-1; 100];
            let n = dispatch!(level, s => reject_block_vartime::<_, F>(s, block, &mut c, 3));
            assert_eq!(c[3..n], want, "{level} {first}");
            assert_eq!((n, c[n]), (3 + want.len(), -1), "{level} {first}");
            let mut c = [0; 40];
            let n = dispatch!(level, s => reject_block_vartime::<_, F>(s, block, &mut c, 7));
            let m = want.len().min(33);
            assert_eq!((n, &c[7..n]), (7 + m, &want[..m]), "{level}: no more than fit");
        }
    }
}
