//! AVX-512: words of several states of SHA-2. `x86.rs` explains why the `unsafe` is sound.
use core::arch::x86_64::*;

use crate::memory::Erase;
use crate::registers::{load, store};
use crate::vectors::hash::HashWords;
use crate::x86::avx2::hash::{columns_of_four, words};
use crate::x86::intrinsics::{count, opaque_512};
use crate::x86::known::ternary_512;
use crate::x86::tokens::Avx512;

/// Implements the logic: any function of three operands is one instruction.
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

/// Implements the logic, and sums that are computed as written.
macro_rules! logic_and_sums {
    () => {
        logic!();
        inlined! {
            fn settled(self) -> Self = Self(op!(opaque_512(self.0)));
        }
    };
}

/// Transposes the 128-bit units of four vectors.
#[inline(always)]
fn transpose_units([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    op!({
        let (even, odd) = (_mm512_shuffle_i64x2::<0x88>(a, b), _mm512_shuffle_i64x2::<0xDD>(a, b));
        let (even_, odd_) =
            (_mm512_shuffle_i64x2::<0x88>(c, d), _mm512_shuffle_i64x2::<0xDD>(c, d));
        [
            _mm512_shuffle_i64x2::<0x88>(even, even_),
            _mm512_shuffle_i64x2::<0x88>(odd, odd_),
            _mm512_shuffle_i64x2::<0xDD>(even, even_),
            _mm512_shuffle_i64x2::<0xDD>(odd, odd_),
        ]
    })
}

#[inline(always)]
fn columns_u32(rows: &[[u32; 16]; 16]) -> [__m512i; 16] {
    op!({
        let mut out = [_mm512_setzero_si512(); 16];
        let mut fours = [[out[0]; 4]; 4];
        each!(i in 0..4 => fours[i] = columns_of_four!(
            _mm512_unpacklo_epi32 _mm512_unpackhi_epi32
            _mm512_unpacklo_epi64 _mm512_unpackhi_epi64
            load(&rows[4 * i]), load(&rows[4 * i + 1]), load(&rows[4 * i + 2]), load(&rows[4 * i + 3])
        ));
        each!(i in 0..4 => {
            let units = transpose_units([fours[0][i], fours[1][i], fours[2][i], fours[3][i]]);
            each!(u in 0..4 => out[4 * u + i] = units[u]);
        });
        out
    })
}

#[inline(always)]
fn columns_u64(rows: &[[u64; 16]; 8]) -> [__m512i; 16] {
    op!({
        let mut out = [_mm512_setzero_si512(); 16];
        each!(at in 0..16, 8 => {
            let row = |i: usize| load(&rows[i][at..]);
            let (mut even, mut odd) = ([out[0]; 4], [out[0]; 4]);
            each!(i in 0..4 => {
                even[i] = _mm512_unpacklo_epi64(row(2 * i), row(2 * i + 1));
                odd[i] = _mm512_unpackhi_epi64(row(2 * i), row(2 * i + 1));
            });
            let (even, odd) = (transpose_units(even), transpose_units(odd));
            each!(i in 0..4 => (out[at + 2 * i], out[at + 2 * i + 1]) = (even[i], odd[i]));
        });
        out
    })
}

words! {
    U32x16 Avx512 __m512i u32 i32 16
        _mm512_xor_si512 _mm512_add_epi32 _mm512_set1_epi32
        _mm512_srl_epi32 _mm512_sll_epi32 _mm512_or_si512 columns_u32 logic_and_sums;
    U64x8 Avx512 __m512i u64 i64 8
        _mm512_xor_si512 _mm512_add_epi64 _mm512_set1_epi64
        _mm512_srl_epi64 _mm512_sll_epi64 _mm512_or_si512 columns_u64 logic;
}
