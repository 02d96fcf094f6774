//! 64-bit ARM: the NEON backend, and the CPU's units for AES and hashes.
//!
//! Why the `unsafe` of the backend is sound: every target for which this is compiled has
//! NEON. The tokens of further instructions are made after detection only, and what holds
//! them comes from them. Each intrinsic is called by a method of a token or of such a value, so its
//! feature is there. Loads and stores see to it that there is an element for each lane:
//! `registers.rs`.
#![expect(unsafe_code, reason = "the intrinsics of the instruction sets")]
#![expect(missing_debug_implementations, reason = "vectors may hold secrets")]

mod aes;
mod intrinsics;
mod neon;
mod sha;
pub(crate) mod tokens;
