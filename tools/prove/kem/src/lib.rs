//! ML-KEM above its kernels, proven to be FIPS 203 for every input whose XOFs take as many blocks,
//! in key generation with as many numbers below q in each, as a case says.
//!
//! The files of `crates/kem/src/ml_kem` are compiled here once more, as they are shipped, over the
//! opaque Keccak of `tools/prove/opaque` and `q3329`, kernels of polynomials that are opaque, too.
//! `contracts` says what a kernel returns, in the functions of FIPS 203 and in the words of its own
//! theorem; `standard` has the algorithms of FIPS 203, line by line, over the same functions. The
//! theorems in `proofs` say that both are the same terms, byte by byte.
#![allow(unfulfilled_lint_expectations, reason = "files of other crates, of which not all is used")]

extern crate oaklath_prove_opaque as oaklath_hash;
extern crate oaklath_prove_opaque as oaklath_simd;
extern crate self as oaklath_poly;

mod contracts;
mod functions;
mod proofs;
mod q3329;
mod standard;

#[path = "../../../../crates/kem/src/error.rs"]
#[allow(dead_code, unreachable_pub, reason = "shipped source, of which not all is used")]
mod error;
#[path = "../../../../crates/kem/src/scheme.rs"]
#[allow(dead_code, unreachable_pub, reason = "shipped source, of which not all is used")]
mod scheme;

#[path = "../../../../crates/kem/src/ml_kem"]
#[allow(dead_code, non_snake_case, unreachable_pub, reason = "shipped source")]
mod ml_kem {
    mod fo;
    mod hashes;
    mod keygen;
    mod keys;
    mod lanes;
    pub(crate) mod memory;
    pub(crate) mod module_kem;
    mod params;
    mod pke;
    mod plan;
    mod rows;
    mod tasks;
    pub(crate) mod variant;
}

pub use proofs::THEOREMS;
