//! AVX2 and AVX-512: words of SHA-256 and SHA-512, a register a word. Why the `unsafe` is sound
//! is in `x86.rs`.
use core::arch::x86_64::*;

use crate::memory::Erase;
use crate::registers::{load, store};
use crate::vectors::hash::HashWords;
use crate::x86::intrinsics::count;
use crate::x86::tokens::Avx2;

/// Words of a type: their token, register, numbers and lanes; sums and splats, shifts to the right
/// and left and their union; and the logic of the backend.
macro_rules! words {
    ($($name:ident $token:ident $register:ident $word:ident $signed:ident $lanes:literal
       $xor:ident $add:ident $splat:ident $srl:ident $sll:ident $or:ident $logic:ident;)*) => { $(
        #[doc = concat!(stringify!($lanes), " words `", stringify!($word), "`.")]
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub struct $name($register);

        // SAFETY: registers have no invalid pattern.
        unsafe impl Erase for $name {}

        operators! {
            $name Add    add    $add;
            $name BitXor bitxor $xor;
        }

        impl HashWords<$token, $word> for $name {
            const LANES: usize = $lanes;
            inlined! {
                fn splat(_: $token, x: $word) -> Self = Self(op!($splat(x as $signed)));
                fn load(_: $token, from: &[$word]) -> Self = Self(load(from));
                fn store(self, to: &mut [$word]) = store(self.0, to);
                // There is no rotation, or none by a count in a register that is known to be
                // constant: LLVM makes one of this.
                fn ror<const N: u32>(self) -> Self =
                    Self(op!($or($srl(self.0, count(N)), $sll(self.0, count($word::BITS - N)))));
                fn shr<const N: u32>(self) -> Self = Self(op!($srl(self.0, count(N))));
                fn shl<const N: u32>(self) -> Self = Self(op!($sll(self.0, count(N))));
            }
            $logic!();
        }
    )* };
}
pub(in crate::x86) use words;

/// Logic that two instruction sets phrase differently.
macro_rules! logic {
    () => {
        inlined! {
            fn choose(self, b: Self, c: Self) -> Self =
                c ^ Self(op!(_mm256_and_si256(self.0, (b ^ c).0)));
            // a where a and b agree, else c. The difference of one round's a and b is that of the
            // next one's b and c: it is computed once.
            fn majority(self, b: Self, c: Self) -> Self =
                b ^ Self(op!(_mm256_and_si256((self ^ b).0, (b ^ c).0)));
        }
    };
}

words! {
    U32x8 Avx2 __m256i u32 i32 8
        _mm256_xor_si256 _mm256_add_epi32 _mm256_set1_epi32
        _mm256_srl_epi32 _mm256_sll_epi32 _mm256_or_si256 logic;
    U64x4 Avx2 __m256i u64 i64 4
        _mm256_xor_si256 _mm256_add_epi64 _mm256_set1_epi64x
        _mm256_srl_epi64 _mm256_sll_epi64 _mm256_or_si256 logic;
}
