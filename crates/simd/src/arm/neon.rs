//! The NEON backend.
//!
//! The `unsafe` is sound because values are made only from tokens: see `arm.rs`.
mod bits;
mod f64;
mod hash;
mod i16;
mod i32;
mod i8;
mod words;

use crate::arm::aes::Aes;
use crate::arm::tokens::{AesUnit, Neon, Sha2, Sha3};
use crate::scalar::bits::multiply as multiply_portable;
use crate::scalar::hash::Word;
use crate::scalar::words::One;
use crate::split::Split;
use crate::vectorize::{Frames, Token};
use crate::vectors::Simd;
use crate::vectors::sealed::Sealed;

/// The instructions that Keccak permutations use. LLVM forms `EOR3`, `BCAX`, `RAX1` and `XAR` from
/// code written as two or three operations.
#[derive(Clone, Copy, Debug)]
pub enum Keccak {
    /// NEON alone.
    Neon(Neon),
    /// NEON and the instructions for SHA-3.
    Sha3(Sha3),
}

impl Token for Keccak {
    #[inline(always)]
    fn run_in<F: Frames, R>(self, f: impl FnOnce() -> R) -> R {
        match self {
            Self::Neon(token) => token.run_in::<F, R>(f),
            Self::Sha3(token) => token.run_in::<F, R>(f),
        }
    }
}

impl Sealed for Neon {}

impl Simd for Neon {
    type I16 = i16::I16x8;
    type I32 = i32::I32x8;
    type I8 = i8::I8x32;
    type Bits = bits::Bits4;
    type F64 = f64::F64x4;
    type FewF64 = f64::F64x4;
    type C64 = f64::C64;
    type F32 = f64::F32x8;
    type One = One;
    type Four = Split<words::Two, 2>;
    type Eight = Split<words::Two, 4>;
    type Keccak = Keccak;
    type Aes = Aes;
    type W32 = hash::U32x4;
    // The integer unit has rotations; two vector lanes without them are no faster.
    type W64 = Word<u64>;
    type OneW32 = Word<u32>;
    type OneW64 = Word<u64>;
    type Sha = Sha2;

    inlined! {
        fn keccak_unit(self) -> Keccak = Sha3::detect().map_or(Keccak::Neon(self), Keccak::Sha3);

        fn sha_unit(self) -> Option<Sha2> = Sha2::detect();
    }

    #[inline(always)]
    fn multiply_bits(self, a: u64, b: u64) -> [u64; 2] {
        match AesUnit::detect() {
            Some(unit) => bits::multiply(unit, a, b),
            None => multiply_portable(a, b),
        }
    }
}
