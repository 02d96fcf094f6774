//! NEON: bit strings. Why the `unsafe` is sound is in `arm.rs`.
use core::arch::aarch64::*;
use core::ops::{BitAnd, BitOr, BitXor};

use crate::arm::intrinsics::{load, op, operators_of_two};
use crate::arm::tokens::{AesUnit, Neon};
use crate::vectors::bits::Bits;

/// 256 bits.
#[derive(Clone, Copy)]
pub struct Bits4([uint64x2_t; 2]);

operators_of_two! {
    Bits4 BitAnd bitand vandq_u64;
    Bits4 BitOr  bitor  vorrq_u64;
    Bits4 BitXor bitxor veorq_u64;
}

/// Counts of a shift, one for each word.
#[inline(always)]
fn counts(counts: &[i64; 2]) -> int64x2_t {
    op!(vreinterpretq_s64_u8(load(counts)))
}

impl Bits<Neon> for Bits4 {
    #[inline(always)]
    fn splat(_: Neon, x: u64) -> Self {
        Self([op!(vdupq_n_u64(x)); 2])
    }
    #[inline(always)]
    fn from_words(_: Neon, words: &[u64; 4]) -> Self {
        Self(op!([vld1q_u64(words.as_ptr()), vld1q_u64(words.as_ptr().add(2))]))
    }
    #[inline(always)]
    fn to_words(self) -> [u64; 4] {
        // SAFETY: both are 32 bytes without an invalid pattern.
        unsafe { core::mem::transmute(self.0) }
    }
    #[inline(always)]
    fn select(self, mask: Self, b: Self) -> Self {
        Self(op!([
            vbslq_u64(mask.0[0], b.0[0], self.0[0]),
            vbslq_u64(mask.0[1], b.0[1], self.0[1]),
        ]))
    }
    #[inline(always)]
    fn up(self) -> Self {
        let [low, high] = self.0;
        Self(op!([
            vshlq_u64(vextq_u64::<1>(high, low), counts(&[1, 0])),
            vextq_u64::<1>(low, high),
        ]))
    }
    #[inline(always)]
    fn down(self) -> Self {
        let [low, high] = self.0;
        Self(op!([
            vextq_u64::<1>(low, high),
            vshlq_u64(vextq_u64::<1>(high, low), counts(&[0, -1])),
        ]))
    }
}

/// The product of polynomials over GF(2).
#[inline(always)]
pub(super) fn multiply(_: AesUnit, a: u64, b: u64) -> [u64; 2] {
    #[target_feature(enable = "neon,aes")]
    fn run(a: u64, b: u64) -> [u64; 2] {
        let product = vmull_p64(a, b);
        [product as u64, (product >> 64) as u64]
    }
    op!(run(a, b))
}
