//! NEON: words of two Keccak states. `arm.rs` explains why the `unsafe` is sound.
use core::arch::aarch64::*;

use crate::arm::tokens::Neon;
use crate::memory::Erase;
use crate::registers::{lanes, load, store};
use crate::vectors::words::{U64Lanes, U64s};

/// A word of two states.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Two(uint64x2_t);

// SAFETY: registers have no invalid pattern.
unsafe impl Erase for Two {}

operators!(Two BitXor bitxor veorq_u64;);

impl U64s<Neon> for Two {
    one_part!();

    inlined! {
        fn splat(_: Neon, x: u64) -> Self = Self(op!(vdupq_n_u64(x)));
        fn chi(self, b: Self, c: Self) -> Self = Self(op!(veorq_u64(self.0, vbicq_u64(c.0, b.0))));
        fn rol<const N: i32>(self) -> Self = Self(op!(vorrq_u64(
            vshlq_u64(self.0, vdupq_n_s64(i64::from(N))),
            vshlq_u64(self.0, vdupq_n_s64(i64::from(N) - 64)),
        )));
        fn first(self) -> u64 = op!(vgetq_lane_u64::<0>(self.0));
    }
}

impl U64Lanes<Neon, 2> for Two {
    inlined! {
        fn from_array(_: Neon, x: [u64; 2]) -> Self = Self(load(&x));
        fn to_array(self) -> [u64; 2] = lanes(self.0);
        fn select(self, mask: Self, b: Self) -> Self = Self(op!(vbslq_u64(mask.0, b.0, self.0)));
        fn xor_masked(self, mask: Self, x: u64) -> Self =
            Self(op!(veorq_u64(self.0, vandq_u64(mask.0, vdupq_n_u64(x)))));
    }

    #[inline(always)]
    fn load_words(_: Neon, [first, second]: [&[u64; 4]; 2]) -> [Self; 4] {
        let ([a, b], [c, d]): ([_; 2], [_; 2]) = (load(first), load(second));
        op!([
            Self(vtrn1q_u64(a, c)),
            Self(vtrn2q_u64(a, c)),
            Self(vtrn1q_u64(b, d)),
            Self(vtrn2q_u64(b, d)),
        ])
    }
    #[inline(always)]
    fn store_words<const R: usize>(
        [Self(a), Self(b), Self(c), Self(d)]: [Self; 4],
        [first, second]: &mut [[u8; R]; 2],
        at: usize,
    ) {
        store(op!([vtrn1q_u64(a, b), vtrn1q_u64(c, d)]), &mut first[at..]);
        store(op!([vtrn2q_u64(a, b), vtrn2q_u64(c, d)]), &mut second[at..]);
    }
}
