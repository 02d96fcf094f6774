//! The AVX2 backend.
//!
//! The `unsafe` is sound because values are made only from tokens: see `x86.rs`.
pub(super) mod bits;
pub(super) mod f64;
pub(super) mod hash;
mod i16;
pub(super) mod i32;
pub(super) mod i8;
pub(super) mod words;

use crate::scalar::hash::Word;
use crate::scalar::words::One;
use crate::split::Split;
use crate::vectors::Simd;
use crate::vectors::sealed::Sealed;
use crate::x86::aes::Aes;
use crate::x86::tokens::{Avx2, ShaNi};

/// Implements what both backends use of the CPU besides vectors.
macro_rules! units {
    () => {
        inlined! {
            fn keccak_unit(self) -> Self = self;
            fn multiply_bits(self, a: u64, b: u64) -> [u64; 2] =
                crate::x86::avx2::bits::multiply(a, b);
            fn multiply_bit_strings(self, a: &[u64], b: &[u64]) -> [u64; 2] =
                crate::x86::avx2::bits::multiply_strings(a, b);
            fn sha_unit(self) -> Option<ShaNi> = ShaNi::detect();
        }
    };
}
pub(super) use units;

impl Sealed for Avx2 {}

impl Simd for Avx2 {
    type I16 = i16::I16x16;
    type I32 = i32::I32x8;
    type I8 = i8::I8x32;
    type Bits = bits::Bits4;
    type F64 = f64::F64x4;
    type FewF64 = f64::F64x4;
    type C64 = f64::C64;
    type F32 = f64::F32x8;
    type One = One;
    type Four = words::Four;
    type Eight = Split<words::Four, 2>;
    type Keccak = Self;
    type Aes = Aes;
    type W32 = hash::U32x8;
    type W64 = hash::U64x4;
    type OneW32 = Word<u32>;
    type OneW64 = Word<u64>;
    type Sha = ShaNi;

    units!();
}
