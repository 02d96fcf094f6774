//! 64-bit ARM: the NEON backend, and the CPU's units for AES and hashes.
//!
//! Why the `unsafe` of the backend is sound: every target for which this is compiled has NEON.
//! Tokens of further instructions are made only after detection, and values that use these
//! instructions only from such tokens. Each intrinsic is called by a method of a token or of such a
//! value, so the CPU has the feature. Loads and stores check that there is an element for each
//! lane: see `registers.rs`.
#![expect(unsafe_code, reason = "the intrinsics of the instruction sets")]
#![expect(missing_debug_implementations, reason = "vectors may hold secrets")]

mod aes;
mod intrinsics;
mod neon;
mod sha;
pub(crate) mod tokens;
