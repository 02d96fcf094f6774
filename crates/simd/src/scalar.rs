//! The portable backend: only instructions that every CPU has.
/// Computes bit `i` of a word from lane `i`.
macro_rules! bits {
    ($lanes:literal: $i:ident => $e:expr) => {{
        let mut bits = 0;
        each!($i in 0..$lanes => bits |= u32::from($e) << $i);
        bits
    }};
}

pub(crate) mod aes;
pub(crate) mod bits;
pub(crate) mod f64;
pub(crate) mod hash;
pub(crate) mod i16;
pub(crate) mod i32;
pub(crate) mod i8;
pub(crate) mod sha;
pub(crate) mod words;

use crate::split::Split;
use crate::token::Scalar;
use crate::vectors::Simd;
use crate::vectors::sealed::Sealed;

impl Sealed for Scalar {}

impl Simd for Scalar {
    const ARRAYS: bool = true;

    type I16 = i16::I16x8;
    type I32 = i32::I32x8;
    type I8 = i8::I8x32;
    type Bits = bits::Bits4;
    type F64 = f64::F64;
    type FewF64 = f64::F64;
    type C64 = f64::C64;
    type F32 = f64::F32x8;
    type One = words::One;
    type Four = Split<words::One, 4>;
    type Eight = Split<words::One, 8>;
    type Keccak = Self;
    type Aes = aes::Aes;
    type W32 = hash::Word<u32>;
    type W64 = hash::Word<u64>;
    type OneW64 = hash::Word<u64>;
    type Sha = hash::NoUnit;

    #[inline(always)]
    fn keccak_unit(self) -> Self {
        self
    }
}
