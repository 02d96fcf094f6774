//! NEON: bit strings. `arm.rs` explains why the `unsafe` is sound.
use core::arch::aarch64::*;

use crate::arm::intrinsics::halves;
use crate::arm::tokens::{AesUnit, Neon};
use crate::registers::{lanes, load};
use crate::vectors::bits::Bits;

/// 256 bits.
#[derive(Clone, Copy)]
pub struct Bits4([uint64x2_t; 2]);

operators! {
    Bits4 [two] BitAnd bitand vandq_u64;
    Bits4 [two] BitOr  bitor  vorrq_u64;
    Bits4 [two] BitXor bitxor veorq_u64;
}

impl Bits<Neon> for Bits4 {
    inlined! {
        fn splat(_: Neon, x: u64) -> Self = Self([op!(vdupq_n_u64(x)); 2]);
        fn from_words(_: Neon, words: &[u64; 4]) -> Self = Self(load(words));
        fn to_words(self) -> [u64; 4] = lanes(self.0);
        fn select(self, mask: Self, b: Self) -> Self =
            Self(halves!(I => vbslq_u64(mask.0[I], b.0[I], self.0[I])));
    }

    #[inline(always)]
    fn up(self) -> Self {
        let [low, high] = self.0;
        Self(op!([
            vshlq_u64(vextq_u64::<1>(high, low), load(&[1_i64, 0])),
            vextq_u64::<1>(low, high),
        ]))
    }
    #[inline(always)]
    fn down(self) -> Self {
        let [low, high] = self.0;
        Self(op!([
            vextq_u64::<1>(low, high),
            vshlq_u64(vextq_u64::<1>(high, low), load(&[0_i64, -1])),
        ]))
    }
}

/// Multiplies polynomials over GF(2).
#[inline(always)]
pub(super) fn multiply(_: AesUnit, a: u64, b: u64) -> [u64; 2] {
    #[target_feature(enable = "neon,aes")]
    fn run(a: u64, b: u64) -> [u64; 2] {
        let product = vmull_p64(a, b);
        [product as u64, (product >> 64) as u64]
    }
    op!(run(a, b))
}
