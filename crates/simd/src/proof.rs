//! A backend whose lanes are unknowns: a kernel that runs on it computes nothing but records on a
//! [`Tape`](tape::Tape) what it does to every lane. `tools/prove` then proves theorems about the
//! tape, for all inputs at once. Compiled only with `--cfg oaklath_proof`, which only unpublished
//! packages such as `tools/prove/simd` and `tools/prove/poly` set.
//!
//! The kernel is the shipped source: it is generic over [`Simd`], and [`Proof`] is one more token.
//! Kernels are straight-line except for public loops, which `cargo xtask prove --branches` checks
//! ([`memory`]), so one tape describes a kernel completely; where it makes a decision
//! ([`I16s::any_negative`](crate::I16s::any_negative)), there is a tape for each answer.
//!
//! Operations of the traits are recorded as their documentation defines them, in terms of a few
//! primitive ones ([`Op`](tape::Op)): `mulhi(a, b)` as `High(MulWide(a, b))`, and so on. What the
//! documentation requires of the caller is recorded as a [`Duty`](tape::Duty), to be proven like
//! the rest.
//!
//! What is above the kernels is recorded in the same way, with kernels that have theorems as
//! [opaque calls](call::OpaqueCall).
//!
//! # What is trusted
//! First, each operation of a real backend does what its documentation says where the duties hold:
//! the tests of this crate compare all backends. Second, the tape records the same operations: the
//! proofs of kernels evaluate it on random inputs and compare it with real backends. (A tape with
//! [opaque calls](call::OpaqueCall) cannot be evaluated.)
#![expect(missing_debug_implementations, reason = "vectors of names")]
mod bits;
pub mod call;
mod f32;
mod hash;
mod i16;
mod i32;
mod i8;
pub mod io;
pub mod memory;
pub mod record;
pub mod tape;
mod vector;
mod words;

use crate::scalar::aes::Aes;
use crate::scalar::f64::{C64, F64};
use crate::scalar::hash::NoUnit;
use crate::split::Split;
use crate::vectorize::{Frames, Token};
use crate::vectors::Simd;
use crate::vectors::sealed::Sealed;
pub use vector::Number;
use vector::Vector;

/// The token: `L` lanes of 16 bits, `W` of 32, Keccak words of `P` states in a register.
#[derive(Clone, Copy, Debug)]
pub struct Proof<const L: usize, const W: usize, const P: usize>;
/// The token with the lanes of the portable backend.
pub type Proof8 = Proof<8, 8, 1>;
/// The token with the lanes of NEON, whose words of hashes alone differ from the portable ones.
pub type ProofNeon = Proof<8, 8, 2>;
/// The token with the lanes of AVX2.
pub type Proof16 = Proof<16, 8, 4>;
/// The token with the lanes of AVX-512.
pub type Proof32 = Proof<32, 16, 8>;

impl<const L: usize, const W: usize, const P: usize> Token for Proof<L, W, P> {
    fn run_in<F: Frames, R>(self, f: impl FnOnce() -> R) -> R {
        f()
    }
}

impl<const L: usize, const W: usize, const P: usize> Sealed for Proof<L, W, P> {}

/// Implements the recording backends, one per row: the lanes, the types for four and eight Keccak
/// states, and the messages of SHA-256 and SHA-512 in a register, as in the real backends.
macro_rules! backends {
    ($($l:literal $w:literal $p:literal: $four:ty, $eight:ty, $w32:literal $w64:literal;)*) => { $(
        /// Doubles are those of the portable backend: a computation with unknowns there is detected
        /// at the next load.
        impl Simd for Proof<$l, $w, $p> {
            type I16 = Vector<16, $l>;
            type I32 = Vector<32, $w>;
            type I8 = Vector<8, 32>;
            type Bits = Vector<64, 4>;
            type F64 = F64;
            type FewF64 = F64;
            type C64 = C64;
            type F32 = f32::NoSingles<$w>;
            type One = Vector<64, 1>;
            type Four = $four;
            type Eight = $eight;
            type Keccak = Self;
            type Aes = Aes;
            type W32 = Vector<32, $w32>;
            type W64 = Vector<64, $w64>;
            type OneW32 = Vector<32, 1>;
            type OneW64 = Vector<64, 1>;
            type Sha = NoUnit;

            fn keccak_unit(self) -> Self {
                self
            }

            #[track_caller]
            fn multiply_bits(self, a: u64, b: u64) -> [u64; 2] {
                bits::multiply(a, b)
            }
        }
    )* };
}
backends! {
    8 8 1: Split<Vector<64, 1>, 4>, Split<Vector<64, 1>, 8>, 1 1;
    8 8 2: Split<Vector<64, 2>, 2>, Split<Vector<64, 2>, 4>, 4 1;
    16 8 4: Vector<64, 4>, Split<Vector<64, 4>, 2>, 8 4;
    32 16 8: Vector<64, 4>, Vector<64, 8>, 16 8;
}
