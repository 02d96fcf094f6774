//! The SHA extensions as a unit for SHA-256. `x86.rs` explains why the `unsafe` is sound: a `ShaNi`
//! is made only after detecting them, by a holder of a token of AVX2.
use core::arch::x86_64::*;

use crate::registers::{load, store};
use crate::vectors::hash::ShaUnit;
use crate::x86::tokens::ShaNi;

/// Four words.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Words(__m128i);

/// A state: (a, b, e, f) and (c, d, g, h), with the first of each in the highest word.
#[derive(Clone, Copy)]
pub struct State([__m128i; 2]);

operators! {
    Words Add    add    _mm_add_epi32;
    State [two] Add add _mm_add_epi32;
    Words BitXor bitxor _mm_xor_si128;
}

impl ShaUnit for ShaNi {
    type Words = Words;
    type State = State;

    inlined! {
        fn load(self, from: &[u32; 4]) -> Words = Words(load(from));
        fn store(self, words: Words, to: &mut [u32; 4]) = store(words.0, to);
        fn shuffle(self, words: Words, table: &[u8; 16]) -> Words =
            Words(op!(_mm_shuffle_epi8(words.0, load(table))));
    }

    #[inline(always)]
    fn state(self, abcd: Words, efgh: Words) -> State {
        let badc = op!(_mm_shuffle_epi32::<0xB1>(abcd.0));
        let hgfe = op!(_mm_shuffle_epi32::<0x1B>(efgh.0));
        State(op!([_mm_alignr_epi8::<8>(badc, hgfe), _mm_blend_epi16::<0xF0>(hgfe, badc)]))
    }
    #[inline(always)]
    fn words(self, State([abef, cdgh]): State) -> [Words; 2] {
        let feba = op!(_mm_shuffle_epi32::<0x1B>(abef));
        let dchg = op!(_mm_shuffle_epi32::<0xB1>(cdgh));
        op!([Words(_mm_blend_epi16::<0xF0>(feba, dchg)), Words(_mm_alignr_epi8::<8>(dchg, feba))])
    }
    #[inline(always)]
    fn rounds(self, State([abef, cdgh]): State, sums: Words) -> State {
        let cdgh = op!(_mm_sha256rnds2_epu32(cdgh, abef, sums.0));
        let high = op!(_mm_shuffle_epi32::<0x0E>(sums.0));
        State([op!(_mm_sha256rnds2_epu32(abef, cdgh, high)), cdgh])
    }
    #[inline(always)]
    fn schedule(self, w: [Words; 4]) -> Words {
        let x = op!(_mm_sha256msg1_epu32(w[0].0, w[1].0));
        let x = op!(_mm_add_epi32(x, _mm_alignr_epi8::<4>(w[3].0, w[2].0)));
        Words(op!(_mm_sha256msg2_epu32(x, w[3].0)))
    }
}
