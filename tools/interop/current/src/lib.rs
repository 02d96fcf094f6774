//! Other implementations of today, each behind the same trait, for the differential tests
//! (`tests/`) and the comparison of speed (the binary `compare`); see [`interop_common`].
//!
//! Building needs what the C libraries need: a C compiler, cmake, and libclang for the bindings of
//! liboqs (`libclang-dev` on Debian).

pub mod kem;
pub mod sig;
pub mod stateful;

#[path = "../../common/adapters/oqs_tape.rs"]
mod oqs_tape;
