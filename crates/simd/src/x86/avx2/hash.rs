//! AVX2 and AVX-512: words of SHA-256 and SHA-512, a register a word. Why the `unsafe` is sound
//! is in `x86.rs`.
use core::arch::x86_64::*;
use core::ops::{Add, BitXor};

use crate::memory::Erase;
use crate::vectors::hash::HashWords;
use crate::x86::intrinsics::{count, op};
use crate::x86::tokens::Avx2;

/// Logic that two instruction sets phrase differently.
macro_rules! logic {
    (avx2) => {
        #[inline(always)]
        fn choose(self, b: Self, c: Self) -> Self {
            let bc = b ^ c;
            c ^ Self(op!(_mm256_and_si256(self.0, bc.0)))
        }
        #[inline(always)]
        fn majority(self, b: Self, c: Self) -> Self {
            // a where a and b agree, else c. The difference of one round's a and b is that of the
            // next one's b and c: it is computed once.
            let (ab, bc) = (self ^ b, b ^ c);
            b ^ Self(op!(_mm256_and_si256(ab.0, bc.0)))
        }
        #[inline(always)]
        fn xor3(self, b: Self, c: Self) -> Self {
            self ^ b ^ c
        }
    };
    (avx512) => {
        #[inline(always)]
        fn choose(self, b: Self, c: Self) -> Self {
            Self(op!(ternary_512::<0xCA>(self.0, b.0, c.0)))
        }
        #[inline(always)]
        fn majority(self, b: Self, c: Self) -> Self {
            Self(op!(ternary_512::<0xE8>(self.0, b.0, c.0)))
        }
        #[inline(always)]
        fn xor3(self, b: Self, c: Self) -> Self {
            Self(op!(ternary_512::<0x96>(self.0, b.0, c.0)))
        }
    };
}

macro_rules! words {
    ($($name:ident $token:ident $register:ident $word:ident $signed:ident $lanes:literal
       $xor:ident $add:ident $splat:ident $load:ident $store:ident $srl:ident $sll:ident
       $set:ident [$($logic:tt)*];)*) => { $(
        #[doc = concat!(stringify!($lanes), " words `", stringify!($word), "`.")]
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub struct $name($register);

        // SAFETY: registers have no invalid pattern.
        unsafe impl Erase for $name {}

        impl Add for $name {
            type Output = Self;
            #[inline(always)]
            fn add(self, b: Self) -> Self {
                Self(op!($add(self.0, b.0)))
            }
        }

        impl BitXor for $name {
            type Output = Self;
            #[inline(always)]
            fn bitxor(self, b: Self) -> Self {
                Self(op!($xor(self.0, b.0)))
            }
        }

        impl HashWords<$token, $word> for $name {
            const LANES: usize = $lanes;
            #[inline(always)]
            fn splat(_: $token, x: $word) -> Self {
                Self(op!($splat(x as $signed)))
            }
            #[inline(always)]
            fn load(_: $token, from: &[$word]) -> Self {
                let from = from.first_chunk::<$lanes>().expect("a word for each lane");
                Self(op!($load(from.as_ptr().cast())))
            }
            #[inline(always)]
            fn store(self, to: &mut [$word]) {
                let to = to.first_chunk_mut::<$lanes>().expect("a word for each lane");
                op!($store(to.as_mut_ptr().cast(), self.0));
            }
            #[inline(always)]
            fn columns(s: $token, rows: &[[$word; 16]]) -> [Self; 16] {
                let rows = rows.first_chunk::<$lanes>().expect("a row for each lane");
                let (mut out, mut i) = ([Self::splat(s, 0); 16], 0);
                while i < 16 {
                    let (mut column, mut lane) = ([0; $lanes], 0);
                    while lane < $lanes {
                        column[lane] = rows[lane][i];
                        lane += 1;
                    }
                    out[i] = Self::load(s, &column);
                    i += 1;
                }
                out
            }
            #[inline(always)]
            fn ror<const N: u32>(self) -> Self {
                words!($set self N $srl $sll $word)
            }
            #[inline(always)]
            fn shr<const N: u32>(self) -> Self {
                Self(op!($srl(self.0, count(N))))
            }
            #[inline(always)]
            fn shl<const N: u32>(self) -> Self {
                Self(op!($sll(self.0, count(N))))
            }
            logic!($($logic)*);
        }
    )* };
    // There is no rotation.
    (avx2 $v:ident $n:ident $srl:ident $sll:ident $word:ident) => {
        Self(op!(_mm256_or_si256(
            $srl($v.0, count($n)),
            $sll($v.0, count($word::BITS - $n))
        )))
    };
    // Nor one by a count in a register that is known to be constant: LLVM makes one of this.
    (avx512 $v:ident $n:ident $srl:ident $sll:ident $word:ident) => {
        Self(op!(_mm512_or_si512(
            $srl($v.0, count($n)),
            $sll($v.0, count($word::BITS - $n))
        )))
    };
}
pub(in crate::x86) use {logic, words};

words! {
    U32x8 Avx2 __m256i u32 i32 8
        _mm256_xor_si256 _mm256_add_epi32 _mm256_set1_epi32 _mm256_loadu_si256 _mm256_storeu_si256
        _mm256_srl_epi32 _mm256_sll_epi32 avx2 [avx2];
    U64x4 Avx2 __m256i u64 i64 4
        _mm256_xor_si256 _mm256_add_epi64 _mm256_set1_epi64x _mm256_loadu_si256 _mm256_storeu_si256
        _mm256_srl_epi64 _mm256_sll_epi64 avx2 [avx2];
}
