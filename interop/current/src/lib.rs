//! Other implementations of the algorithms, each behind the same trait, beside ours: for the
//! differential tests (`tests/`) and the comparison of speed (the binary `compare`).
//!
//! Building needs what the C libraries need: a C compiler, cmake, and libclang for the bindings of
//! liboqs (`libclang-dev` on Debian).

pub mod compare;
pub mod kem;
pub mod random;
