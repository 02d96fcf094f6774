//! The last libraries that have all of NIST's round 3, Kyber-90s and Dilithium-AES included, each
//! behind the same traits, for the differential tests (`tests/`) and the comparison of speed (the
//! binary `compare-round3`); see [`interop_common`].
//!
//! Building needs a C compiler, cmake, and libclang for the bindings of liboqs (`libclang-dev` on
//! Debian).

pub mod kem;
pub mod sig;

#[path = "../../common/adapters/oqs_tape.rs"]
mod oqs_tape;
