//! ML-DSA above its kernels, proven to be FIPS 204 for every input whose XOFs take as many
//! blocks, and whose hints have as many ones, as a case says.
//!
//! The files of `crates/sig/src/ml_dsa` are compiled here once more, as they are shipped, over the
//! opaque Keccak of `tools/prove/opaque` and
//!
//! - `q8380417`: kernels of polynomials that are opaque, too;
//! - `challenge` and `hint`: what looks at the bits of c~ and at positions of hints.
//!
//! `contracts` says what they return, in the functions of FIPS 204; `standard` has its algorithms,
//! line by line, over the same functions. The theorems in `proofs` say that both are the same
//! terms, byte by byte.
#![allow(unfulfilled_lint_expectations, reason = "files of other crates, of which not all is used")]

extern crate alloc;
extern crate oaklath_prove_opaque as oaklath_hash;
extern crate oaklath_prove_opaque as oaklath_simd;
extern crate self as oaklath_poly;

mod challenge;
mod contracts;
mod functions;
mod hint;
mod proofs;
mod q8380417;
mod standard;

#[path = "../../../../crates/sig/src/error.rs"]
#[allow(dead_code, unreachable_pub, reason = "shipped source, of which not all is used")]
mod error;
#[path = "../../../../crates/sig/src/message.rs"]
#[allow(dead_code, unreachable_pub, reason = "shipped source, of which not all is used")]
mod message;
#[path = "../../../../crates/sig/src/scheme.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    unused_qualifications,
    reason = "shipped source, of which not all is used"
)]
mod scheme;

#[path = "../../../../crates/sig/src/ml_dsa"]
#[allow(dead_code, non_snake_case, unreachable_pub, reason = "shipped source")]
mod ml_dsa {
    use crate::{challenge, hint};

    mod expand_a;
    mod expand_mask;
    mod expand_s;
    mod hash;
    mod keygen;
    mod keys;
    mod lanes;
    mod params;
    mod row_hash;
    mod sampler;
    pub(crate) mod scheme;
    mod secrets;
    mod sign;
    mod sign_many;
    pub(crate) mod standard;
    pub(crate) mod variant;
    mod verify;
}

pub use proofs::THEOREMS;
