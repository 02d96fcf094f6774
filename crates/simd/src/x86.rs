//! x86-64: the backends AVX2 and AVX-512, and the CPU's units.
//!
//! Why the `unsafe` of the backends is sound: a token is made by [`Level`](crate::Level) after
//! detection only, and vectors are made from tokens or from other vectors only. Each intrinsic is
//! called by a method of a token or of such a vector, so its feature is there. Loads and stores see
//! to it that there is an element for each lane: `registers.rs`.
#![expect(unsafe_code, reason = "the intrinsics of the instruction sets")]
#![expect(missing_debug_implementations, reason = "vectors may hold secrets")]

mod aes;
mod avx2;
mod avx512;
mod intrinsics;
mod known;
mod sha;
pub(crate) mod tokens;
