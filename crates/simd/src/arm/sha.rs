//! SHA-256 by the CPU's unit for it. Why the `unsafe` is sound stands in `arm.rs`: `Sha2` proves the
//! instructions.
use core::arch::aarch64::*;
use core::ops::{Add, BitXor};

use super::{Sha2, load, load_bytes, op};
use crate::{ShaUnit, portable};

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
    fn vectorize<R>(self, f: impl FnOnce() -> R) -> R {
        #[target_feature(enable = "neon,sha2")]
        fn run<R>(f: impl FnOnce() -> R) -> R {
            f()
        }
        // SAFETY: the token.
        unsafe { run(f) }
    }
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

// These two have the unit's instructions by attribute: in between there must not be a function that does
// not, though it be inlined.

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

/// SHA-256's compression: FIPS 180-4, section 6.2.2.
#[inline(always)]
pub(super) fn sha256(unit: Sha2, state: &mut [u32; 8], blocks: &[[u8; 64]]) {
    unit.vectorize(
        #[inline(always)]
        || {
            let [abcd, efgh] = state.as_chunks_mut::<4>().0 else {
                unreachable!("eight are two times four")
            };
            let mut v = unit.state(unit.load(abcd), unit.load(efgh));
            for block in blocks {
                v = v + rounds(unit, v, block);
            }
            let words = unit.words(v);
            unit.store(words[0], abcd);
            unit.store(words[1], efgh);
        },
    );
}

/// All rounds of one block.
#[inline(always)]
fn rounds(unit: Sha2, mut v: State, block: &[u8; 64]) -> State {
    let word = |i: usize| {
        let bytes = op!(vrev32q_u8(load_bytes(&block[16 * i..])));
        Words(op!(vreinterpretq_u32_u8(bytes)))
    };
    let mut w = [word(0), word(1), word(2), word(3)];
    let mut i = 0;
    while i < 16 {
        let k = portable::K[4 * i..].first_chunk().expect("64 constants");
        v = unit.rounds(v, w[0] + unit.load(k));
        // Of the last four rows no further words come.
        let next = if i < 12 { unit.schedule(w) } else { w[0] };
        w = [w[1], w[2], w[3], next];
        i += 1;
    }
    v
}
