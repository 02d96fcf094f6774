//! AVX-512: words of one, four and eight Keccak states, one register a word: 25 of 32 registers.
//! Why the `unsafe` is sound is in `x86.rs`.
use core::arch::x86_64::*;
use core::ops::BitXor;

use crate::memory::Erase;
use crate::vectors::words::{U64Lanes, U64s};
use crate::x86::avx2::words::{store, transpose};
use crate::x86::intrinsics::{load256, load512, op};
use crate::x86::known::{ternary_128, ternary_256, ternary_512};
use crate::x86::tokens::Avx512;

/// A word of one state in a vector register: three-operand logic and rotation beat the scalar unit.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct One(__m128i);

/// A word of four states.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Four(__m256i);

/// A word of eight states.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Eight(__m512i);

macro_rules! words {
    ($($ty:ident $xor:ident $ternary:ident $rol:ident $splat:expr, $first:expr;)*) => { $(
        impl BitXor for $ty {
            type Output = Self;
            #[inline(always)]
            fn bitxor(self, b: Self) -> Self {
                Self(op!($xor(self.0, b.0)))
            }
        }

        // SAFETY: registers have no invalid pattern.
        unsafe impl Erase for $ty {}

        impl U64s<Avx512> for $ty {
            type Part = Self;
            const PARTS: usize = 1;
            const TERNARY: bool = true;
            #[inline(always)]
            fn part(self, _: usize) -> Self {
                self
            }
            #[inline(always)]
            fn set_part(&mut self, _: usize, part: Self) {
                *self = part;
            }
            #[inline(always)]
            fn splat(_: Avx512, x: u64) -> Self {
                Self(op!($splat(x as i64)))
            }
            #[inline(always)]
            fn chi(self, b: Self, c: Self) -> Self {
                Self(op!($ternary::<0xD2>(self.0, b.0, c.0)))
            }
            #[inline(always)]
            fn rol<const N: i32>(self) -> Self {
                Self(op!($rol::<N>(self.0)))
            }
            #[inline(always)]
            fn xor3(self, b: Self, c: Self) -> Self {
                Self(op!($ternary::<0x96>(self.0, b.0, c.0)))
            }
            #[inline(always)]
            fn xor5(self, b: Self, c: Self, d: Self, e: Self) -> Self {
                let abc = op!($ternary::<0x96>(self.0, b.0, c.0));
                Self(op!($ternary::<0x96>(abc, d.0, e.0)))
            }
            #[inline(always)]
            fn first(self) -> u64 {
                op!(_mm_cvtsi128_si64($first(self.0)) as u64)
            }
        }
    )* };
}
words! {
    One _mm_xor_si128 ternary_128 _mm_rol_epi64 _mm_cvtsi64_si128, |v| v;
    Four _mm256_xor_si256 ternary_256 _mm256_rol_epi64 _mm256_set1_epi64x,
        _mm256_castsi256_si128;
    Eight _mm512_xor_si512 ternary_512 _mm512_rol_epi64 _mm512_set1_epi64,
        _mm512_castsi512_si128;
}

impl Eight {
    #[inline(always)]
    pub(in crate::x86) fn join(a: Four, b: Four) -> Self {
        Self(op!(_mm512_inserti64x4::<1>(_mm512_castsi256_si512(a.0), b.0)))
    }
    #[inline(always)]
    pub(in crate::x86) fn split(self) -> [Four; 2] {
        op!([Four(_mm512_castsi512_si256(self.0)), Four(_mm512_extracti64x4_epi64::<1>(self.0)),])
    }
}

impl U64Lanes<Avx512, 4> for Four {
    #[inline(always)]
    fn from_array(_: Avx512, x: [u64; 4]) -> Self {
        Self(load256(&x))
    }
    #[inline(always)]
    fn to_array(self) -> [u64; 4] {
        // SAFETY: both are 32 bytes without an invalid pattern.
        unsafe { core::mem::transmute(self.0) }
    }
    #[inline(always)]
    fn select(self, mask: Self, b: Self) -> Self {
        Self(op!(ternary_256::<0xCA>(mask.0, b.0, self.0)))
    }
    #[inline(always)]
    fn xor_masked(self, mask: Self, x: u64) -> Self {
        let x = op!(_mm256_set1_epi64x(x as i64));
        // a ^ (m & x)
        Self(op!(ternary_256::<0x78>(self.0, mask.0, x)))
    }
    #[inline(always)]
    fn load_words(_: Avx512, [a, b, c, d]: [&[u64; 4]; 4]) -> [Self; 4] {
        let [a, b, c, d] = transpose([load256(a), load256(b), load256(c), load256(d)]);
        [Self(a), Self(b), Self(c), Self(d)]
    }
    #[inline(always)]
    fn store_words<const R: usize>(words: [Self; 4], to: &mut [[u8; R]; 4], at: usize) {
        let rows = transpose([words[0].0, words[1].0, words[2].0, words[3].0]);
        let mut lane = 0;
        while lane < 4 {
            store(rows[lane], &mut to[lane][at..at + 32]);
            lane += 1;
        }
    }
}

impl U64Lanes<Avx512, 8> for Eight {
    #[inline(always)]
    fn from_array(_: Avx512, x: [u64; 8]) -> Self {
        Self(load512(&x))
    }
    #[inline(always)]
    fn to_array(self) -> [u64; 8] {
        // SAFETY: both are 64 bytes without an invalid pattern.
        unsafe { core::mem::transmute(self.0) }
    }
    #[inline(always)]
    fn select(self, mask: Self, b: Self) -> Self {
        Self(op!(ternary_512::<0xCA>(mask.0, b.0, self.0)))
    }
    #[inline(always)]
    fn xor_masked(self, mask: Self, x: u64) -> Self {
        let x = op!(_mm512_set1_epi64(x as i64));
        Self(op!(ternary_512::<0x78>(self.0, mask.0, x)))
    }
    #[inline(always)]
    fn load_words(s: Avx512, [a, b, c, d, e, f, g, h]: [&[u64; 4]; 8]) -> [Self; 4] {
        let (low, high) = (Four::load_words(s, [a, b, c, d]), Four::load_words(s, [e, f, g, h]));
        let word = |j: usize| Self::join(low[j], high[j]);
        [word(0), word(1), word(2), word(3)]
    }
    #[inline(always)]
    fn store_words<const R: usize>(words: [Self; 4], to: &mut [[u8; R]; 8], at: usize) {
        let low = |i: usize| op!(_mm512_castsi512_si256(words[i].0));
        let high = |i: usize| op!(_mm512_extracti64x4_epi64::<1>(words[i].0));
        let lanes = transpose([low(0), low(1), low(2), low(3)]);
        let more = transpose([high(0), high(1), high(2), high(3)]);
        let mut lane = 0;
        while lane < 4 {
            store(lanes[lane], &mut to[lane][at..at + 32]);
            store(more[lane], &mut to[lane + 4][at..at + 32]);
            lane += 1;
        }
    }
}
