//! The generator of FN-DSA's sampler: SHAKE256, read in order, with 80 bits for each number, of
//! which the lowest is the sign.
use oaklath_hash::sha3::Squeeze;
use oaklath_simd::{Simd, wipe};

use super::stream::{AGAIN, HALF_GAUSSIAN, REFILL, RING, Source, kept};

/// Bytes of a step: about a block, and a divisor of a refill.
const STEP: usize = 128;

/// The generator. Refills serve only to number its bytes. Erased when dropped.
pub(crate) struct ShakeSource {
    stream: Squeeze<136>,
    /// How many bytes have been made.
    made: usize,
    bytes: [u8; RING + AGAIN],
}

impl<S: Simd> Source<S> for ShakeSource {
    const LAST: usize = REFILL - 1;
    const TOP: usize = 6;
    const SIGN: usize = 0;
    /// Numbers have 79 bits.
    const BELOW: u32 = 48;
    const THRESHOLDS: [u128; HALF_GAUSSIAN] = [
        0x51fbfa1769d61c8c051a,
        0x2a69958c0f9fbeedc4f7,
        0x113ee6e849a414e10303,
        0x568baa1bbe3cca57519,
        0x14ac23657799f8fba96,
        0x3ba563aa76ba5eb23a,
        0x8126eaa15bbb574b0,
        0xd0ffee32d6b1ef7c,
        0xfc06c453db21633,
        0xe1fed90206364e,
        0x967926818ff3c,
        0x4a4fc58490ce,
        0x1b32ed4ccd9,
        0x75fb75e32,
        0x17aebf7d,
        0x384c6b,
        0x630a,
        0x81,
    ];

    #[inline(never)]
    fn empty(_: S) -> Self {
        Self { stream: Squeeze::empty(), made: 0, bytes: [0; RING + AGAIN] }
    }

    #[inline(always)]
    fn start(&mut self, seed: &mut Squeeze<136>) {
        self.stream.take_over(seed);
        self.made = 0;
    }

    #[inline(always)]
    fn ready(&self) -> usize {
        self.made >> REFILL.ilog2()
    }

    #[inline(always)]
    fn bytes<const LEN: usize>(&self, n: usize, at: usize) -> &[u8; LEN] {
        kept(&self.bytes, n, at)
    }

    #[inline(always)]
    fn step(&mut self) {
        let at = self.made & (RING - 1);
        self.stream.read(&mut self.bytes[at..at + STEP]);
        if at < AGAIN {
            self.bytes.copy_within(at..at + STEP, RING + at);
        }
        self.made += STEP;
    }

    #[inline(always)]
    fn number(trial: &[u8; 10]) -> u128 {
        let mut bits = [0; 16];
        bits[..10].copy_from_slice(trial);
        u128::from_le_bytes(bits) >> 1
    }
}

impl Drop for ShakeSource {
    fn drop(&mut self) {
        wipe(&mut self.bytes);
    }
}
