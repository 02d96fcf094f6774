//! ARM of 64 bits: the tokens, and what the files of the backend share.
//!
//! Why the `unsafe` of the backend is sound: NEON is part of what every target has for which this is
//! compiled. The tokens of further instructions are made after detection only, and what holds them
//! comes from them. Each intrinsic is called by a method of a token or of such a value, so its feature is there.
//! Loads and stores go through references to arrays of the right length.
#![expect(unsafe_code, reason = "the intrinsics of the instruction sets")]
#![expect(missing_debug_implementations, reason = "vectors may hold secrets")]

mod aes;
mod bits;
mod f64s;
mod hash_words;
mod neon;
mod neon_i32;
mod neon_words;
mod sha;

use core::arch::aarch64::*;

use crate::Simd;
use crate::scalar_hash::Word;
use crate::vectorize::{Frames, Token};
use crate::vectors::sealed::Sealed;

/// Proof of NEON.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Neon(());

impl Neon {
    /// Whoever runs has the features.
    pub(crate) const fn new() -> Self {
        Self(())
    }
}

/// Proof of the instructions for SHA-256.
#[derive(Clone, Copy, Debug)]
pub struct Sha2(());

/// Proof of the instructions for SHA-3: three-operand logic, and rotation of a sum.
#[derive(Clone, Copy, Debug)]
pub struct Sha3(());

/// Proof of the instructions for AES, and of those for products of polynomials over GF(2).
#[derive(Clone, Copy, Debug)]
struct AesUnit(());

macro_rules! detected {
    ($($token:ident $feature:tt;)*) => { $(
        impl $token {
            #[inline]
            fn detect() -> Option<Self> {
                #[cfg(feature = "std")]
                let has = std::arch::is_aarch64_feature_detected!($feature);
                #[cfg(not(feature = "std"))]
                let has = cfg!(target_feature = $feature);
                has.then_some(Self(()))
            }
        }
    )* };
}
detected! {
    Sha2 "sha2";
    Sha3 "sha3";
    AesUnit "aes";
}

/// What permutations of Keccak run with. LLVM makes `EOR3`, `BCAX`, `RAX1` and `XAR` of what is written
/// as two or three operations.
#[derive(Clone, Copy, Debug)]
pub enum Keccak {
    /// NEON alone.
    Neon(Neon),
    /// The instructions for SHA-3.
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
    type I16 = neon::I16x8;
    type I32 = neon_i32::I32x8;
    type I8 = neon_i32::I8x32;
    type Bits = bits::Bits4;
    type F64 = f64s::F64x4;
    type FewF64 = f64s::F64x4;
    type C64 = f64s::C64;
    type F32 = f64s::F32x8;
    type One = crate::scalar::One;
    type Four = neon_words::Four;
    type Eight = neon_words::Eight;
    type Keccak = Keccak;
    type Aes = aes::Aes;
    type W32 = hash_words::U32x4;
    // The integer unit rotates, and two lanes that do not are no faster.
    type W64 = Word<u64>;
    type Sha = Sha2;

    #[inline(always)]
    fn vectorize<R>(self, f: impl FnOnce() -> R) -> R {
        #[target_feature(enable = "neon")]
        fn run<R>(f: impl FnOnce() -> R) -> R {
            f()
        }
        // SAFETY: the token.
        unsafe { run(f) }
    }

    #[inline(always)]
    fn keccak_unit(self) -> Keccak {
        Sha3::detect().map_or(Keccak::Neon(self), Keccak::Sha3)
    }

    #[inline(always)]
    fn multiply_bits(self, a: u64, b: u64) -> [u64; 2] {
        match AesUnit::detect() {
            Some(unit) => bits::multiply(unit, a, b),
            None => crate::scalar_bits::multiply(a, b),
        }
    }

    #[inline(always)]
    fn sha256(self, state: &mut [u32; 8], blocks: &[[u8; 64]]) {
        match Sha2::detect() {
            Some(unit) => sha::sha256(unit, state, blocks),
            None => crate::portable::sha256(state, blocks),
        }
    }

    #[inline(always)]
    fn sha_unit(self) -> Option<Sha2> {
        Sha2::detect()
    }
}

/// The one place that turns "somebody holds the proof" into "the instruction exists".
macro_rules! op {
    ($($e:tt)*) => {
        // SAFETY: reached through a token or a value made from one: see the head of `arm.rs`.
        unsafe { $($e)* }
    };
}
use op;

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
use operators;

/// Operators that are one instruction a register, on two registers.
macro_rules! operators_of_two {
    ($($ty:ident $trait:ident $method:ident $intrinsic:ident;)*) => { $(
        impl $trait for $ty {
            type Output = Self;
            #[inline(always)]
            fn $method(self, b: Self) -> Self {
                let (a, b) = (self.0, b.0);
                Self(op!([$intrinsic(a[0], b[0]), $intrinsic(a[1], b[1])]))
            }
        }
    )* };
}
use operators_of_two;

/// 16 bytes of a table.
#[inline(always)]
fn load<T, const N: usize>(table: &[T; N]) -> uint8x16_t {
    const { assert!(size_of::<T>() * N >= 16) };
    op!(vld1q_u8(table.as_ptr().cast()))
}

/// The first 16 bytes.
#[inline(always)]
fn load_bytes(from: &[u8]) -> uint8x16_t {
    load(from.first_chunk::<16>().expect("16 bytes"))
}

/// The first eight bytes.
#[inline(always)]
fn first8(from: &[u8]) -> u64 {
    u64::from_le_bytes(*from.first_chunk().expect("8 bytes"))
}
