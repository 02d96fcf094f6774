//! SHA-256 by the CPU's unit for it. Why the `unsafe` is sound is in `arm.rs`: `Sha2` proves the
//! instructions.
use core::arch::aarch64::*;
use core::ops::{Add, BitXor};

use crate::arm::intrinsics::{load, op};
use crate::arm::tokens::Sha2;
use crate::vectors::hash::ShaUnit;

/// Four words.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Words(uint32x4_t);

/// The words a to d and e to h.
#[derive(Clone, Copy)]
pub struct State {
    abcd: uint32x4_t,
    efgh: uint32x4_t,
}

impl Add for Words {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self(op!(vaddq_u32(self.0, b.0)))
    }
}

impl BitXor for Words {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, b: Self) -> Self {
        Self(op!(veorq_u32(self.0, b.0)))
    }
}

impl Add for State {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self { abcd: op!(vaddq_u32(self.abcd, b.abcd)), efgh: op!(vaddq_u32(self.efgh, b.efgh)) }
    }
}

impl ShaUnit for Sha2 {
    type Words = Words;
    type State = State;

    #[inline(always)]
    fn load(self, from: &[u32; 4]) -> Words {
        Words(op!(vld1q_u32(from.as_ptr())))
    }
    #[inline(always)]
    fn store(self, words: Words, to: &mut [u32; 4]) {
        op!(vst1q_u32(to.as_mut_ptr(), words.0));
    }
    #[inline(always)]
    fn shuffle(self, words: Words, table: &[u8; 16]) -> Words {
        Words(op!(vreinterpretq_u32_u8(vqtbl1q_u8(vreinterpretq_u8_u32(words.0), load(table)))))
    }
    #[inline(always)]
    fn state(self, abcd: Words, efgh: Words) -> State {
        State { abcd: abcd.0, efgh: efgh.0 }
    }
    #[inline(always)]
    fn words(self, state: State) -> [Words; 2] {
        [Words(state.abcd), Words(state.efgh)]
    }
    #[inline(always)]
    fn rounds(self, state: State, sums: Words) -> State {
        op!(four_rounds(state, sums))
    }
    #[inline(always)]
    fn schedule(self, words: [Words; 4]) -> Words {
        op!(four_words(words))
    }
}

// These two have the unit's instructions by attribute: in between there must not be a function that
// does not, though it be inlined.

#[inline]
#[target_feature(enable = "neon,sha2")]
fn four_rounds(State { abcd, efgh }: State, sums: Words) -> State {
    State { abcd: vsha256hq_u32(abcd, efgh, sums.0), efgh: vsha256h2q_u32(efgh, abcd, sums.0) }
}

#[inline]
#[target_feature(enable = "neon,sha2")]
fn four_words(w: [Words; 4]) -> Words {
    Words(vsha256su1q_u32(vsha256su0q_u32(w[0].0, w[1].0), w[2].0, w[3].0))
}
