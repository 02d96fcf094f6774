//! AVX-512: words of one, four and eight Keccak states, one register per word: 25 of 32 registers.
//! `x86.rs` explains why the `unsafe` is sound.
use core::arch::x86_64::*;

use crate::memory::Erase;
use crate::registers::{lanes, load};
use crate::vectors::words::{U64Lanes, U64s};
use crate::x86::avx2::words::{of_columns, store_columns, transpose};
use crate::x86::known::{ternary_128, ternary_256, ternary_512};
use crate::x86::tokens::Avx512;

macro_rules! words {
    ($($(#[$doc:meta])* $ty:ident $register:ident $xor:ident $ternary:ident $rol:ident $splat:expr,
       $first:expr;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub struct $ty($register);

        operators!($ty BitXor bitxor $xor;);

        // SAFETY: registers have no invalid pattern.
        unsafe impl Erase for $ty {}

        impl U64s<Avx512> for $ty {
            const TERNARY: bool = true;
            one_part!();

            inlined! {
                fn splat(_: Avx512, x: u64) -> Self = Self(op!($splat(x as i64)));
                fn chi(self, b: Self, c: Self) -> Self =
                    Self(op!($ternary::<0xD2>(self.0, b.0, c.0)));
                fn rol<const N: i32>(self) -> Self = Self(op!($rol::<N>(self.0)));
                fn xor3(self, b: Self, c: Self) -> Self =
                    Self(op!($ternary::<0x96>(self.0, b.0, c.0)));
                fn xor5(self, b: Self, c: Self, d: Self, e: Self) -> Self =
                    self.xor3(b, c).xor3(d, e);
                fn first(self) -> u64 = op!(_mm_cvtsi128_si64($first(self.0)) as u64);
            }
        }
    )* };
}
words! {
    /// A word of one state in a vector register: three-operand logic and rotation beat the scalar
    /// unit.
    One __m128i _mm_xor_si128 ternary_128 _mm_rol_epi64 _mm_cvtsi64_si128, |v| v;
    /// A word of four states.
    Four __m256i _mm256_xor_si256 ternary_256 _mm256_rol_epi64 _mm256_set1_epi64x,
        _mm256_castsi256_si128;
    /// A word of eight states.
    Eight __m512i _mm512_xor_si512 ternary_512 _mm512_rol_epi64 _mm512_set1_epi64,
        _mm512_castsi512_si128;
}

impl Eight {
    inlined! {
        pub(in crate::x86) fn join(a: Four, b: Four) -> Self =
            Self(op!(_mm512_inserti64x4::<1>(_mm512_castsi256_si512(a.0), b.0)));
        pub(in crate::x86) fn split(self) -> [Four; 2] = op!([
            Four(_mm512_castsi512_si256(self.0)),
            Four(_mm512_extracti64x4_epi64::<1>(self.0)),
        ]);
    }
}

impl U64Lanes<Avx512, 4> for Four {
    inlined! {
        fn from_array(_: Avx512, x: [u64; 4]) -> Self = Self(load(&x));
        fn to_array(self) -> [u64; 4] = lanes(self.0);
        fn select(self, mask: Self, b: Self) -> Self =
            Self(op!(ternary_256::<0xCA>(mask.0, b.0, self.0)));
        // a ^ (m & x)
        fn xor_masked(self, mask: Self, x: u64) -> Self =
            Self(op!(ternary_256::<0x78>(self.0, mask.0, _mm256_set1_epi64x(x as i64))));
        fn load_words(_: Avx512, rows: [&[u64; 4]; 4]) -> [Self; 4] = of_columns!(Self, rows);
        fn store_words<const R: usize>(w: [Self; 4], to: &mut [[u8; R]; 4], at: usize) =
            store_columns([w[0].0, w[1].0, w[2].0, w[3].0], to, at);
    }
}

impl U64Lanes<Avx512, 8> for Eight {
    inlined! {
        fn from_array(_: Avx512, x: [u64; 8]) -> Self = Self(load(&x));
        fn to_array(self) -> [u64; 8] = lanes(self.0);
        fn select(self, mask: Self, b: Self) -> Self =
            Self(op!(ternary_512::<0xCA>(mask.0, b.0, self.0)));
        fn xor_masked(self, mask: Self, x: u64) -> Self =
            Self(op!(ternary_512::<0x78>(self.0, mask.0, _mm512_set1_epi64(x as i64))));
    }

    #[inline(always)]
    fn load_words(s: Avx512, [a, b, c, d, e, f, g, h]: [&[u64; 4]; 8]) -> [Self; 4] {
        let (low, high) = (Four::load_words(s, [a, b, c, d]), Four::load_words(s, [e, f, g, h]));
        let word = |j: usize| Self::join(low[j], high[j]);
        [word(0), word(1), word(2), word(3)]
    }
    #[inline(always)]
    fn store_words<const R: usize>(w: [Self; 4], to: &mut [[u8; R]; 8], at: usize) {
        let halves = [w[0].split(), w[1].split(), w[2].split(), w[3].split()];
        let half = |i: usize| [halves[0][i].0, halves[1][i].0, halves[2][i].0, halves[3][i].0];
        store_columns(half(0), &mut to[..4], at);
        store_columns(half(1), &mut to[4..], at);
    }
}
