//! Bit strings, for both backends: with AVX-512, LLVM combines two operations into one instruction
//! with three operands. `x86.rs` explains why the `unsafe` is sound.
use core::arch::x86_64::*;

use crate::registers::{lanes, load};
use crate::vectors::bits::Bits;
use crate::x86::intrinsics::opaque_256;
use crate::x86::known::ternary_256;
use crate::x86::tokens::{Avx2, Avx512};

/// 256 bits.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Bits4(__m256i);

operators! {
    Bits4 BitAnd bitand _mm256_and_si256;
    Bits4 BitOr  bitor  _mm256_or_si256;
    Bits4 BitXor bitxor _mm256_xor_si256;
}

macro_rules! bits {
    ($($token:ident |$a:ident, $mask:ident, $b:ident| $select:expr;)*) => { $(
        impl Bits<$token> for Bits4 {
            inlined! {
                fn splat(_: $token, x: u64) -> Self = Self(op!(_mm256_set1_epi64x(x as i64)));
                fn from_words(_: $token, words: &[u64; 4]) -> Self = Self(load(words));
                fn to_words(self) -> [u64; 4] = lanes(self.0);
                // Doubles a word by a sum: LLVM would shift it outside the vector and move it back.
                fn up(self) -> Self = Self(op!({
                    let v = _mm256_permute4x64_epi64::<0b10_01_00_11>(self.0);
                    _mm256_add_epi64(v, _mm256_and_si256(v, _mm256_setr_epi64x(-1, 0, 0, 0)))
                }));
                fn down(self) -> Self = Self(op!(_mm256_srlv_epi64(
                    _mm256_permute4x64_epi64::<0b00_11_10_01>(self.0),
                    _mm256_setr_epi64x(0, 0, 0, 1),
                )));
                fn lowest_everywhere(self, _: $token) -> Self = Self(op!({
                    let word = _mm256_broadcastq_epi64(_mm256_castsi256_si128(self.0));
                    let bit = _mm256_and_si256(word, _mm256_set1_epi64x(1));
                    opaque_256(_mm256_sub_epi64(_mm256_setzero_si256(), bit))
                }));
            }

            #[inline(always)]
            fn select(self, mask: Self, b: Self) -> Self {
                let ($a, $mask, $b) = (self.0, mask.0, b.0);
                Self(op!($select))
            }
        }
    )* };
}
bits! {
    Avx2   |a, mask, b| _mm256_blendv_epi8(a, b, mask);
    // A blend would turn the mask into a predicate first, which takes three cycles.
    Avx512 |a, mask, b| ternary_256::<0xCA>(mask, b, a);
}

/// Multiplies with PCLMULQDQ, which both tokens prove.
#[inline(always)]
pub(in crate::x86) fn multiply(a: u64, b: u64) -> [u64; 2] {
    words(product(a, b))
}

/// Multiplies bit strings; the sum stays in a vector register.
#[inline(always)]
pub(in crate::x86) fn multiply_strings(a: &[u64], b: &[u64]) -> [u64; 2] {
    let mut sum = op!(_mm_setzero_si128());
    for (a, b) in a.iter().zip(b.iter().rev()) {
        sum = op!(_mm_xor_si128(sum, product(*a, *b)));
    }
    words(sum)
}

#[inline(always)]
fn product(a: u64, b: u64) -> __m128i {
    op!(_mm_clmulepi64_si128::<0>(_mm_cvtsi64_si128(a as i64), _mm_cvtsi64_si128(b as i64)))
}

#[inline(always)]
fn words(v: __m128i) -> [u64; 2] {
    op!([_mm_cvtsi128_si64(v) as u64, _mm_extract_epi64::<1>(v) as u64])
}
