//! AVX2 and AVX-512: words of SHA-256 and SHA-512, one register per word. `x86.rs` explains why the
//! `unsafe` is sound.
use core::arch::x86_64::*;

use crate::memory::Erase;
use crate::registers::{load, store};
use crate::vectors::hash::HashWords;
use crate::x86::avx2::words::transpose;
use crate::x86::intrinsics::count;
use crate::x86::tokens::Avx2;

/// Defines types of words: the token, register, integer types and lanes; XOR, sum and splat; right
/// and left shifts and OR; the columns of rows; and the logic of the backend.
macro_rules! words {
    ($($name:ident $token:ident $register:ident $word:ident $signed:ident $lanes:literal
       $xor:ident $add:ident $splat:ident $srl:ident $sll:ident $or:ident
       $columns:ident $logic:ident;)*) => { $(
        #[doc = concat!(stringify!($lanes), " words of type `", stringify!($word), "`.")]
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
                // AVX2 has no rotation, and that of AVX-512 takes no count of this form: LLVM
                // forms one from the shifts.
                fn ror<const N: u32>(self) -> Self =
                    Self(op!($or($srl(self.0, count(N)), $sll(self.0, count($word::BITS - N)))));
                fn shr<const N: u32>(self) -> Self = Self(op!($srl(self.0, count(N))));
                fn shl<const N: u32>(self) -> Self = Self(op!($sll(self.0, count(N))));
            }
            #[inline(always)]
            fn columns(s: $token, rows: &[[$word; 16]]) -> [Self; 16] {
                let columns = $columns(rows.first_chunk().expect("a row for each lane"));
                array!([Self::splat(s, 0); 16]: i => Self(columns[i]))
            }
            $logic!();
        }
    )* };
}
pub(in crate::x86) use words;

/// Transposes the 128-bit units of four rows of 32-bit words: unit `u` of vector `i` has word
/// `4 * u + i` of each row.
macro_rules! columns_of_four {
    ($low32:ident $high32:ident $low64:ident $high64:ident $a:expr, $b:expr, $c:expr, $d:expr) => {{
        let (ab, cd) = ($low32($a, $b), $low32($c, $d));
        let (ab_, cd_) = ($high32($a, $b), $high32($c, $d));
        [$low64(ab, cd), $high64(ab, cd), $low64(ab_, cd_), $high64(ab_, cd_)]
    }};
}
pub(in crate::x86) use columns_of_four;

#[inline(always)]
fn columns_u32(rows: &[[u32; 16]; 8]) -> [__m256i; 16] {
    op!({
        let mut out = [_mm256_setzero_si256(); 16];
        each!(at in 0..16, 8 => {
            let half = |i: usize| load(&rows[i][at..]);
            macro_rules! columns {
                ($($i:literal)*) => { columns_of_four!(
                    _mm256_unpacklo_epi32 _mm256_unpackhi_epi32
                    _mm256_unpacklo_epi64 _mm256_unpackhi_epi64 $(half($i)),*
                ) };
            }
            let (low, high) = (columns!(0 1 2 3), columns!(4 5 6 7));
            each!(i in 0..4 => {
                out[at + i] = _mm256_permute2x128_si256::<0x20>(low[i], high[i]);
                out[at + 4 + i] = _mm256_permute2x128_si256::<0x31>(low[i], high[i]);
            });
        });
        out
    })
}

#[inline(always)]
fn columns_u64(rows: &[[u64; 16]; 4]) -> [__m256i; 16] {
    let mut out = [op!(_mm256_setzero_si256()); 16];
    each!(at in 0..16, 4 => {
        let square = transpose(array!([out[0]; 4]: i => load(&rows[i][at..])));
        each!(i in 0..4 => out[at + i] = square[i]);
    });
    out
}

/// Implements the logic that the two instruction sets express differently.
macro_rules! logic {
    () => {
        inlined! {
            fn choose(self, b: Self, c: Self) -> Self =
                c ^ Self(op!(_mm256_and_si256(self.0, (b ^ c).0)));
            // a where a and b agree, else c. The XOR of a and b in one round is that of b and c in
            // the next: it is computed once.
            fn majority(self, b: Self, c: Self) -> Self =
                b ^ Self(op!(_mm256_and_si256((self ^ b).0, (b ^ c).0)));
        }
    };
}

words! {
    U32x8 Avx2 __m256i u32 i32 8
        _mm256_xor_si256 _mm256_add_epi32 _mm256_set1_epi32
        _mm256_srl_epi32 _mm256_sll_epi32 _mm256_or_si256 columns_u32 logic;
    U64x4 Avx2 __m256i u64 i64 4
        _mm256_xor_si256 _mm256_add_epi64 _mm256_set1_epi64x
        _mm256_srl_epi64 _mm256_sll_epi64 _mm256_or_si256 columns_u64 logic;
}
