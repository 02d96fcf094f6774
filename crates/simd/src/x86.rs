//! x86-64: the tokens, and what both vector backends share.
//!
//! Why the `unsafe` of the backends is sound: a token is made by [`Level`](crate::Level) after
//! detection only, and vectors are made from tokens or from other vectors only. Each intrinsic is
//! called by a method of a token or of such a vector, so its feature is there. Loads and stores go
//! through references to arrays of the right length.
#![expect(unsafe_code, reason = "the intrinsics of the instruction sets")]
#![expect(missing_debug_implementations, reason = "vectors may hold secrets")]

mod aes;
mod avx2;
mod avx2_i32;
mod avx2_words;
mod avx512;
mod avx512_f64s;
mod avx512_i32;
mod avx512_words;
mod bits;
mod f64s;
mod hash_words;
mod known;
mod sha;
mod sha_unit;

use core::arch::x86_64::*;

use crate::Simd;
use crate::vectors::sealed::Sealed;

/// Proof of AVX2, BMI1/2, FMA, AES and PCLMULQDQ.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Avx2(());

/// Proof of AVX-512 F, BW, VL, DQ, VBMI and VBMI2, and of what [`Avx2`] proves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Avx512(());

impl Avx2 {
    /// The caller has seen the features.
    pub(crate) const fn new() -> Self {
        Self(())
    }
}

impl Avx512 {
    /// The caller has seen the features.
    pub(crate) const fn new() -> Self {
        Self(())
    }
}

/// Proof of the SHA extensions. Independent of the vector level, but not used at `scalar`.
#[derive(Clone, Copy, Debug)]
pub struct ShaNi(());

/// Proof of AES on vectors of 256 bits, beside [`Avx2`].
#[derive(Clone, Copy, Debug)]
struct Vaes(());

macro_rules! has {
    ($feature:tt) => {{
        #[cfg(feature = "std")]
        let has = std::is_x86_feature_detected!($feature);
        #[cfg(not(feature = "std"))]
        let has = cfg!(target_feature = $feature);
        has
    }};
}

impl ShaNi {
    #[inline]
    fn detect() -> Option<Self> {
        // Miri does not know the instructions.
        (!cfg!(miri) && has!("sha")).then_some(Self(()))
    }
}

impl Vaes {
    #[inline]
    fn detect() -> Option<Self> {
        (!cfg!(miri) && has!("vaes")).then_some(Self(()))
    }
}

impl Sealed for Avx2 {}
impl Sealed for Avx512 {}

impl Simd for Avx2 {
    type I16 = avx2::I16x16;
    type I32 = avx2_i32::I32x8;
    type I8 = avx2_i32::I8x32;
    type Bits = bits::Bits4;
    type F64 = f64s::F64x4;
    type FewF64 = f64s::F64x4;
    type C64 = f64s::C64;
    type F32 = f64s::F32x8;
    type One = crate::scalar::One;
    type Four = avx2_words::Four;
    type Eight = avx2_words::Eight;
    type Keccak = Self;
    type Aes = aes::Aes;
    type W32 = hash_words::U32x8;
    type W64 = hash_words::U64x4;
    type Sha = ShaNi;

    #[inline(always)]
    fn vectorize<R>(self, f: impl FnOnce() -> R) -> R {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma,aes,pclmulqdq")]
        fn run<R>(f: impl FnOnce() -> R) -> R {
            f()
        }
        // SAFETY: the token.
        unsafe { run(f) }
    }

    #[inline(always)]
    fn keccak_unit(self) -> Self {
        self
    }

    #[inline(always)]
    fn multiply_bits(self, a: u64, b: u64) -> [u64; 2] {
        bits::multiply(a, b)
    }

    #[inline(always)]
    fn multiply_bit_strings(self, a: &[u64], b: &[u64]) -> [u64; 2] {
        bits::multiply_strings(a, b)
    }

    #[inline(always)]
    fn sha256(self, state: &mut [u32; 8], blocks: &[[u8; 64]]) {
        sha::sha256(state, blocks);
    }

    #[inline(always)]
    fn sha_unit(self) -> Option<ShaNi> {
        ShaNi::detect()
    }
}

impl Simd for Avx512 {
    type I16 = avx512::I16x32;
    type I32 = avx512_i32::I32x16;
    type I8 = avx2_i32::I8x32;
    type Bits = bits::Bits4;
    type F64 = avx512_f64s::F64x8;
    type FewF64 = f64s::F64x4;
    type C64 = f64s::C64;
    type F32 = avx512_f64s::F32x16;
    type One = avx512_words::One;
    type Four = avx512_words::Four;
    type Eight = avx512_words::Eight;
    type Keccak = Self;
    type Aes = aes::Aes;
    type W32 = hash_words::U32x16;
    type W64 = hash_words::U64x8;
    type Sha = ShaNi;

    #[inline(always)]
    fn vectorize<R>(self, f: impl FnOnce() -> R) -> R {
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,\
                      avx2,bmi1,bmi2,lzcnt,popcnt,fma,aes,pclmulqdq")]
        fn run<R>(f: impl FnOnce() -> R) -> R {
            f()
        }
        // SAFETY: the token.
        unsafe { run(f) }
    }

    #[inline(always)]
    fn join(self, a: avx512_words::Four, b: avx512_words::Four) -> avx512_words::Eight {
        avx512_words::Eight::join(a, b)
    }

    #[inline(always)]
    fn split(self, word: avx512_words::Eight) -> [avx512_words::Four; 2] {
        word.split()
    }

    #[inline(always)]
    fn keccak_unit(self) -> Self {
        self
    }

    #[inline(always)]
    fn multiply_bits(self, a: u64, b: u64) -> [u64; 2] {
        bits::multiply(a, b)
    }

    #[inline(always)]
    fn multiply_bit_strings(self, a: &[u64], b: &[u64]) -> [u64; 2] {
        bits::multiply_strings(a, b)
    }

    #[inline(always)]
    fn sha256(self, state: &mut [u32; 8], blocks: &[[u8; 64]]) {
        sha::sha256(state, blocks);
    }

    #[inline(always)]
    fn sha_unit(self) -> Option<ShaNi> {
        ShaNi::detect()
    }
}

/// The one place that turns "somebody holds the proof" into "the instruction exists".
macro_rules! op {
    ($($e:tt)*) => {
        // SAFETY: reached through a token or a vector made from one: see the head of `x86.rs`.
        unsafe { $($e)* }
    };
}
pub(crate) use op;

/// Operators that are one instruction.
macro_rules! operators {
    ($($ty:ident $trait:ident $method:ident $intrinsic:ident;)*) => { $(
        impl $trait for $ty {
            type Output = Self;
            #[inline(always)]
            fn $method(self, b: Self) -> Self {
                Self(op!($intrinsic(self.0, b.0)))
            }
        }
    )* };
}
pub(crate) use operators;

/// A shift count in a register: constants of the form `64 - N` cannot be const arguments, and
/// LLVM folds this one to an immediate.
#[inline(always)]
fn count(n: u32) -> __m128i {
    op!(_mm_cvtsi32_si128(n as i32))
}

/// 32 bytes of a table.
#[inline(always)]
fn load256<T, const N: usize>(table: &[T; N]) -> __m256i {
    const { assert!(size_of::<T>() * N >= 32) };
    op!(_mm256_loadu_si256(table.as_ptr().cast()))
}

/// 64 bytes of a table.
#[inline(always)]
fn load512<T, const N: usize>(table: &[T; N]) -> __m512i {
    const { assert!(size_of::<T>() * N >= 64) };
    op!(_mm512_loadu_si512(table.as_ptr().cast()))
}

/// The first 16 bytes.
#[inline(always)]
fn load128(from: &[u8]) -> __m128i {
    let from = from.first_chunk::<16>().expect("16 bytes");
    op!(_mm_loadu_si128(from.as_ptr().cast()))
}

/// The first `N` bytes of `v` to the first of `to`.
#[inline(always)]
fn store_bytes<const N: usize>(v: __m128i, to: &mut [u8]) {
    // SAFETY: both are 16 bytes without an invalid pattern.
    let bytes: [u8; 16] = unsafe { core::mem::transmute(v) };
    if N > 8 {
        to[..8].copy_from_slice(&bytes[..8]);
        to[8..N].copy_from_slice(&bytes[8..N]);
    } else {
        to[..N].copy_from_slice(&bytes[..N]);
    }
}

/// One `transpose` by `len` on two vectors held as arrays: what tables of indices are made with.
const fn transpose_table<const W: usize>(v: [[i16; W]; 2], len: usize) -> [[i16; W]; 2] {
    let mut out = v;
    let mut i = 0;
    while i < W {
        if i & len == 0 {
            out[1][i] = v[0][i + len];
        } else {
            out[0][i] = v[1][i - len];
        }
        i += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables of indices are what the operation does: even blocks of both go to the first, odd ones to the second.
    #[test]
    fn tables_of_transposes() {
        let start: [[i16; 32]; 2] = [0, 32].map(|first| core::array::from_fn(|i| first + i as i16));
        for len in [1, 2, 4, 8, 16] {
            let [even, odd] = transpose_table(start, len);
            for i in 0..32 {
                let from = |block: usize| start[i / len % 2][i % len + len * block];
                let of_pair = (i / len) & !1;
                assert_eq!((even[i], odd[i]), (from(of_pair), from(of_pair + 1)), "{len} {i}");
            }
            assert_eq!(transpose_table([even, odd], len), start, "its own inverse");
        }
    }
}
