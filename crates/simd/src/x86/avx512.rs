//! The AVX-512 backend. Bytes, bit strings and short vectors of doubles are those of AVX2.
//!
//! The `unsafe` is sound because values are made only from tokens: see `x86.rs`.
mod f64;
mod hash;
mod i16;
mod i32;
mod words;

use crate::scalar::hash::Word;
use crate::vectors::Simd;
use crate::vectors::sealed::Sealed;
use crate::x86::aes::Aes;
use crate::x86::avx2::bits::Bits4;
use crate::x86::avx2::f64::{C64, F64x4};
use crate::x86::avx2::i8::I8x32;
use crate::x86::avx2::units;
use crate::x86::tokens::{Avx512, ShaNi};

impl Sealed for Avx512 {}

impl Simd for Avx512 {
    type I16 = i16::I16x32;
    type I32 = i32::I32x16;
    type I8 = I8x32;
    type Bits = Bits4;
    type F64 = f64::F64x8;
    type FewF64 = F64x4;
    type C64 = C64;
    type F32 = f64::F32x16;
    type One = words::One;
    type Four = words::Four;
    type Eight = words::Eight;
    type Keccak = Self;
    type Aes = Aes;
    type W32 = hash::U32x16;
    type W64 = hash::U64x8;
    type OneW32 = Word<u32>;
    type OneW64 = Word<u64>;
    type Sha = ShaNi;

    units!();
    inlined! {
        fn join(self, a: words::Four, b: words::Four) -> words::Eight = words::Eight::join(a, b);
        fn split(self, word: words::Eight) -> [words::Four; 2] = word.split();
    }
}
