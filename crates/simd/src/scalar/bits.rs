//! The portable backend: bit strings.
#![expect(missing_debug_implementations, reason = "bits may be secrets")]

use crate::vectors::bits::Bits;

/// 256 bits.
#[derive(Clone, Copy)]
pub struct Bits4([u64; 4]);

operators! {
    Bits4 [lanes] BitAnd bitand u64::bitand;
    Bits4 [lanes] BitOr  bitor  u64::bitor;
    Bits4 [lanes] BitXor bitxor u64::bitxor;
}

impl<S> Bits<S> for Bits4 {
    inlined! {
        fn splat(_: S, x: u64) -> Self = Self([x; 4]);
        fn from_words(_: S, words: &[u64; 4]) -> Self = Self(*words);
        fn to_words(self) -> [u64; 4] = self.0;
        fn select(self, mask: Self, b: Self) -> Self = self ^ (mask & (self ^ b));
    }

    #[inline(always)]
    fn up(self) -> Self {
        let a = self.0;
        Self([a[3] << 1, a[0], a[1], a[2]])
    }
    #[inline(always)]
    fn down(self) -> Self {
        let a = self.0;
        Self([a[1], a[2], a[3], a[0] >> 1])
    }
}

/// Multiplies polynomials over GF(2): Karatsuba on halves of 32 bits.
#[inline(always)]
pub(crate) fn multiply(a: u64, b: u64) -> [u64; 2] {
    let (a_high, b_high) = (a >> 32, b >> 32);
    let (low, high) = (multiply_halves(a, b), multiply_halves(a_high, b_high));
    let middle = multiply_halves(a ^ a_high, b ^ b_high) ^ low ^ high;
    [low ^ middle << 32, high ^ middle >> 32]
}

/// Multiplies the low halves as integers, with every fourth bit at a time, so that sums of at most
/// eight bits do not overflow into the next ones.
#[inline(always)]
fn multiply_halves(a: u64, b: u64) -> u64 {
    const FOURTH: u64 = 0x1111_1111_1111_1111;
    let every = |x: u64, i: u32| x & 0xffff_ffff & FOURTH << i;
    let mut product = 0;
    each!(place in 0..4 => {
        let mut sum = 0;
        each!(i in 0..4 => sum ^= every(a, i).wrapping_mul(every(b, (place + 4 - i) & 3)));
        product |= sum & FOURTH << place;
    });
    product
}
