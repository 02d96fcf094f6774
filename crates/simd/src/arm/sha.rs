//! SHA-256 with the CPU's instructions for it. `arm.rs` explains why the `unsafe` is sound: `Sha2`
//! proves the instructions.
use core::arch::aarch64::*;

use crate::arm::tokens::Sha2;
use crate::registers::{load, store};
use crate::vectors::hash::ShaUnit;

/// Four words.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Words(uint32x4_t);

/// A state: the words a to d and e to h.
#[derive(Clone, Copy)]
pub struct State([uint32x4_t; 2]);

operators! {
    Words Add    add    vaddq_u32;
    State [two] Add add vaddq_u32;
    Words BitXor bitxor veorq_u32;
}

impl ShaUnit for Sha2 {
    type Words = Words;
    type State = State;

    inlined! {
        fn load(self, from: &[u32; 4]) -> Words = Words(load(from));
        fn store(self, words: Words, to: &mut [u32; 4]) = store(words.0, to);
        fn shuffle(self, words: Words, table: &[u8; 16]) -> Words =
            Words(op!({
                let bytes = vqtbl1q_u8(vreinterpretq_u8_u32(words.0), load(table));
                vreinterpretq_u32_u8(bytes)
            }));
        fn state(self, abcd: Words, efgh: Words) -> State = State([abcd.0, efgh.0]);
        fn words(self, state: State) -> [Words; 2] = [Words(state.0[0]), Words(state.0[1])];
        fn rounds(self, state: State, sums: Words) -> State = op!(four_rounds(state, sums));
        fn schedule(self, words: [Words; 4]) -> Words = op!(four_words(words));
    }
}

// These two functions have the unit's instructions by attribute. No function without them may come
// in between, even if it is inlined.

#[inline]
#[target_feature(enable = "neon,sha2")]
fn four_rounds(State([abcd, efgh]): State, sums: Words) -> State {
    State([vsha256hq_u32(abcd, efgh, sums.0), vsha256h2q_u32(efgh, abcd, sums.0)])
}

#[inline]
#[target_feature(enable = "neon,sha2")]
fn four_words(w: [Words; 4]) -> Words {
    Words(vsha256su1q_u32(vsha256su0q_u32(w[0].0, w[1].0), w[2].0, w[3].0))
}
