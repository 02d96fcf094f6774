//! The portable backend: bit strings.
#![expect(missing_debug_implementations, reason = "bits may be secrets")]
use core::ops::{BitAnd, BitOr, BitXor};

use crate::vectors::bits::Bits;

/// 256 bits.
#[derive(Clone, Copy)]
pub struct Bits4([u64; 4]);

macro_rules! operators {
    ($($trait:ident $method:ident;)*) => { $(
        impl $trait for Bits4 {
            type Output = Self;
            #[inline(always)]
            fn $method(self, b: Self) -> Self {
                let (a, b) = (self.0, b.0);
                Self([a[0].$method(b[0]), a[1].$method(b[1]), a[2].$method(b[2]), a[3].$method(b[3])])
            }
        }
    )* };
}
operators! {
    BitAnd bitand;
    BitOr  bitor;
    BitXor bitxor;
}

impl<S> Bits<S> for Bits4 {
    #[inline(always)]
    fn splat(_: S, x: u64) -> Self {
        Self([x; 4])
    }
    #[inline(always)]
    fn from_words(_: S, words: &[u64; 4]) -> Self {
        Self(*words)
    }
    #[inline(always)]
    fn to_words(self) -> [u64; 4] {
        self.0
    }
    #[inline(always)]
    fn select(self, mask: Self, b: Self) -> Self {
        self ^ (mask & (self ^ b))
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

/// The product of polynomials over GF(2): Karatsuba on halves of 32 bits.
#[inline(always)]
pub(crate) fn multiply(a: u64, b: u64) -> [u64; 2] {
    let (a_high, b_high) = (a >> 32, b >> 32);
    let (low, high) = (multiply_halves(a, b), multiply_halves(a_high, b_high));
    let middle = multiply_halves(a ^ a_high, b ^ b_high) ^ low ^ high;
    [low ^ middle << 32, high ^ middle >> 32]
}

/// The product of the low halves, by multiplication of numbers: of every fourth bit at a time, so
/// that the sums of at most eight bits do not reach their neighbours.
#[inline(always)]
fn multiply_halves(a: u64, b: u64) -> u64 {
    const FOURTH: u64 = 0x1111_1111_1111_1111;
    let every = |x: u64, i: u32| x & 0xffff_ffff & FOURTH << i;
    let (mut product, mut place) = (0, 0);
    while place < 4 {
        let (mut sum, mut i) = (0, 0);
        while i < 4 {
            sum ^= every(a, i).wrapping_mul(every(b, (place + 4 - i) & 3));
            i += 1;
        }
        product |= sum & FOURTH << place;
        place += 1;
    }
    product
}
