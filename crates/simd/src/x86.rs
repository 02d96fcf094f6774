//! x86-64: the backends AVX2 and AVX-512, and the CPU's units.
//!
//! Why the `unsafe` of the backends is sound: [`Level`](crate::Level) makes a token only after
//! detection, and vectors are made only from tokens or from other vectors. Each intrinsic is called
//! by a method of a token or of such a vector, so the CPU has the feature. Loads and stores check
//! that there is an element for each lane: see `registers.rs`.
#![expect(unsafe_code, reason = "the intrinsics of the instruction sets")]
#![expect(missing_debug_implementations, reason = "vectors may hold secrets")]

mod aes;
mod avx2;
mod avx512;
mod intrinsics;
mod known;
mod sha;
pub(crate) mod tokens;
