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

// The columns are written out: of loops with long bodies, which opt-level 2 does not unroll, arrays
// of rows would stay on the stack.

#[inline(always)]
fn columns_u32(rows: &[[u32; 16]; 16]) -> [__m512i; 16] {
    macro_rules! four {
        ($a:literal $b:literal $c:literal $d:literal) => {
            columns_of_four!(
                _mm512_unpacklo_epi32 _mm512_unpackhi_epi32
                _mm512_unpacklo_epi64 _mm512_unpackhi_epi64
                load(&rows[$a]), load(&rows[$b]), load(&rows[$c]), load(&rows[$d])
            )
        };
    }
    op!({
        let [a, b, c, d] = [four!(0 1 2 3), four!(4 5 6 7), four!(8 9 10 11), four!(12 13 14 15)];
        let units = [
            transpose_units([a[0], b[0], c[0], d[0]]),
            transpose_units([a[1], b[1], c[1], d[1]]),
            transpose_units([a[2], b[2], c[2], d[2]]),
            transpose_units([a[3], b[3], c[3], d[3]]),
        ];
        array!([_mm512_setzero_si512(); 16]: i => units[i & 3][i >> 2])
    })
}

#[inline(always)]
fn columns_u64(rows: &[[u64; 16]; 8]) -> [__m512i; 16] {
    macro_rules! pairs {
        ($unpack:ident $at:literal) => {
            transpose_units([
                $unpack(load(&rows[0][$at..]), load(&rows[1][$at..])),
                $unpack(load(&rows[2][$at..]), load(&rows[3][$at..])),
                $unpack(load(&rows[4][$at..]), load(&rows[5][$at..])),
                $unpack(load(&rows[6][$at..]), load(&rows[7][$at..])),
            ])
        };
    }
    op!({
        let columns = [
            [pairs!(_mm512_unpacklo_epi64 0), pairs!(_mm512_unpackhi_epi64 0)],
            [pairs!(_mm512_unpacklo_epi64 8), pairs!(_mm512_unpackhi_epi64 8)],
        ];
        array!([_mm512_setzero_si512(); 16]: i => columns[i >> 3][i & 1][(i >> 1) & 3])
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
