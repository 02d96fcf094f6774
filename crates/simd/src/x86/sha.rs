//! The SHA extensions as a unit for SHA-256. Why the `unsafe` is sound is in `x86.rs`: whoever
//! makes a `ShaNi` has seen them and holds a token of AVX2.
use core::arch::x86_64::*;
use core::ops::{Add, BitXor};

use crate::vectors::hash::ShaUnit;
use crate::x86::intrinsics::op;
use crate::x86::tokens::ShaNi;

/// Four words.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Words(__m128i);

/// (a, b, e, f) and (c, d, g, h), the first in the highest word.
#[derive(Clone, Copy)]
pub struct State {
    abef: __m128i,
    cdgh: __m128i,
}

impl Add for Words {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self(op!(_mm_add_epi32(self.0, b.0)))
    }
}

impl BitXor for Words {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, b: Self) -> Self {
        Self(op!(_mm_xor_si128(self.0, b.0)))
    }
}

impl Add for State {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self {
            abef: op!(_mm_add_epi32(self.abef, b.abef)),
            cdgh: op!(_mm_add_epi32(self.cdgh, b.cdgh)),
        }
    }
}

impl ShaUnit for ShaNi {
    type Words = Words;
    type State = State;

    #[inline(always)]
    fn load(self, from: &[u32; 4]) -> Words {
        Words(op!(_mm_loadu_si128(from.as_ptr().cast())))
    }
    #[inline(always)]
    fn store(self, words: Words, to: &mut [u32; 4]) {
        op!(_mm_storeu_si128(to.as_mut_ptr().cast(), words.0));
    }
    #[inline(always)]
    fn shuffle(self, words: Words, table: &[u8; 16]) -> Words {
        Words(op!(_mm_shuffle_epi8(words.0, _mm_loadu_si128(table.as_ptr().cast()))))
    }
    #[inline(always)]
    fn state(self, abcd: Words, efgh: Words) -> State {
        let badc = op!(_mm_shuffle_epi32::<0xB1>(abcd.0));
        let hgfe = op!(_mm_shuffle_epi32::<0x1B>(efgh.0));
        State {
            abef: op!(_mm_alignr_epi8::<8>(badc, hgfe)),
            cdgh: op!(_mm_blend_epi16::<0xF0>(hgfe, badc)),
        }
    }
    #[inline(always)]
    fn words(self, state: State) -> [Words; 2] {
        let feba = op!(_mm_shuffle_epi32::<0x1B>(state.abef));
        let dchg = op!(_mm_shuffle_epi32::<0xB1>(state.cdgh));
        [
            Words(op!(_mm_blend_epi16::<0xF0>(feba, dchg))),
            Words(op!(_mm_alignr_epi8::<8>(dchg, feba))),
        ]
    }
    #[inline(always)]
    fn rounds(self, state: State, sums: Words) -> State {
        let cdgh = op!(_mm_sha256rnds2_epu32(state.cdgh, state.abef, sums.0));
        let high = op!(_mm_shuffle_epi32::<0x0E>(sums.0));
        let abef = op!(_mm_sha256rnds2_epu32(state.abef, cdgh, high));
        State { abef, cdgh }
    }
    #[inline(always)]
    fn schedule(self, w: [Words; 4]) -> Words {
        let x = op!(_mm_sha256msg1_epu32(w[0].0, w[1].0));
        let x = op!(_mm_add_epi32(x, _mm_alignr_epi8::<4>(w[3].0, w[2].0)));
        Words(op!(_mm_sha256msg2_epu32(x, w[3].0)))
    }
}
