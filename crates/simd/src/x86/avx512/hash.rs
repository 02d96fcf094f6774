//! AVX-512: words of several states of SHA-2. Why the `unsafe` is sound is in `x86.rs`.
use core::arch::x86_64::*;
use core::ops::{Add, BitXor};

use crate::memory::Erase;
use crate::vectors::hash::HashWords;
use crate::x86::avx2::hash::{logic, words};
use crate::x86::intrinsics::{count, op};
use crate::x86::known::ternary_512;
use crate::x86::tokens::Avx512;

words! {
    U32x16 Avx512 __m512i u32 i32 16
        _mm512_xor_si512 _mm512_add_epi32 _mm512_set1_epi32 _mm512_loadu_si512 _mm512_storeu_si512
        _mm512_srl_epi32 _mm512_sll_epi32 avx512 [avx512];
    U64x8 Avx512 __m512i u64 i64 8
        _mm512_xor_si512 _mm512_add_epi64 _mm512_set1_epi64 _mm512_loadu_si512 _mm512_storeu_si512
        _mm512_srl_epi64 _mm512_sll_epi64 avx512 [avx512];
}
