//! AVX-512: words of several states of SHA-2. Why the `unsafe` is sound is in `x86.rs`.
use core::arch::x86_64::*;

use crate::memory::Erase;
use crate::registers::{load, store};
use crate::vectors::hash::HashWords;
use crate::x86::avx2::hash::words;
use crate::x86::intrinsics::count;
use crate::x86::known::ternary_512;
use crate::x86::tokens::Avx512;

/// Any function of three operands is one instruction.
macro_rules! logic {
    () => {
        inlined! {
            fn choose(self, b: Self, c: Self) -> Self =
                Self(op!(ternary_512::<0xCA>(self.0, b.0, c.0)));
            fn majority(self, b: Self, c: Self) -> Self =
                Self(op!(ternary_512::<0xE8>(self.0, b.0, c.0)));
            fn xor3(self, b: Self, c: Self) -> Self =
                Self(op!(ternary_512::<0x96>(self.0, b.0, c.0)));
        }
    };
}

words! {
    U32x16 Avx512 __m512i u32 i32 16
        _mm512_xor_si512 _mm512_add_epi32 _mm512_set1_epi32
        _mm512_srl_epi32 _mm512_sll_epi32 _mm512_or_si512 logic;
    U64x8 Avx512 __m512i u64 i64 8
        _mm512_xor_si512 _mm512_add_epi64 _mm512_set1_epi64
        _mm512_srl_epi64 _mm512_sll_epi64 _mm512_or_si512 logic;
}
