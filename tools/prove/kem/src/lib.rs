//! ML-KEM above its kernels, proven to be FIPS 203 for every input whose XOFs have as many numbers
//! below q in each block as a case says: all as many, or each as many as its own.
//!
//! The files of `crates/kem/src/ml_kem` and those of `crates/hash` that absorb and squeeze are
//! compiled here once more, as they are shipped, in a world of which this crate is the lower
//! storeys: for them it is `oaklath_simd`, `oaklath_hash` and `oaklath_poly`. It passes on what is
//! there, except
//!
//! - `keccak`: the permutation is opaque, any function of 25 words;
//! - `q3329`: so are the kernels of polynomials. What the theorem about a kernel takes for
//!   granted is a duty of each call, and the range it proves is that of what the call returns;
//! - `ct`: a comparison of strings is a decision, of which both answers are recorded;
//! - `dispatch`: what computes runs on the recording backend.
//!
//! So strings and polynomials are in memory as names of terms. `contracts` says what a kernel
//! returns, in the functions of FIPS 203 and in the words of its own theorem; `standard` has the
//! algorithms of FIPS 203, line by line, over the same functions. The theorems in `proofs` say
//! that both are the same terms, byte by byte.
#![allow(unfulfilled_lint_expectations, reason = "files of other crates, of which not all is used")]

extern crate self as oaklath_hash;
extern crate self as oaklath_poly;
extern crate self as oaklath_simd;

mod contracts;
mod functions;
mod keccak;
mod proofs;
mod q3329;
mod standard;

#[path = "../../../../crates/hash/src/blocks.rs"]
#[allow(dead_code, unreachable_pub, reason = "shipped source, of which not all is used")]
mod blocks;
#[path = "../../../../crates/kem/src/error.rs"]
#[allow(dead_code, unreachable_pub, reason = "shipped source, of which not all is used")]
mod error;
#[path = "../../../../crates/hash/src/lanes.rs"]
#[allow(dead_code, unreachable_pub, reason = "shipped source, of which not all is used")]
mod lanes;
#[path = "../../../../crates/hash/src/schedule.rs"]
#[allow(unreachable_pub, reason = "shipped source")]
mod schedule;
#[path = "../../../../crates/kem/src/scheme.rs"]
#[allow(dead_code, unreachable_pub, reason = "shipped source, of which not all is used")]
mod scheme;
#[path = "../../../../crates/hash/src/sha3.rs"]
#[allow(dead_code, unreachable_pub, reason = "shipped source, of which not all is used")]
mod sha3;

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
    mod tasks;
    pub(crate) mod variant;
}

/// Comparisons are decisions.
mod ct {
    use oaklath_prove_simd::ct;
    use oaklath_prove_simd::proof::call::OpaqueCall;

    pub(crate) use ct::{Mask, declassify_bytes};

    /// Whether strings differ.
    #[track_caller]
    pub(crate) fn differ(a: &[u8], b: &[u8]) -> Mask {
        assert_eq!(a.len(), b.len(), "lengths are equal");
        let answer = OpaqueCall::new("differ").reads(a).reads(b).decides();
        Mask::from_bit(answer.into())
    }
}

/// At the recording backend with the lanes of the current proof.
macro_rules! dispatch {
    ($s:ident => $e:expr) => {
        match $crate::proofs::LANES.get() {
            8 => {
                let $s = $crate::proof::Proof8 {};
                $e
            }
            16 => {
                let $s = $crate::proof::Proof16 {};
                $e
            }
            _ => {
                let $s = $crate::proof::Proof32 {};
                $e
            }
        }
    };
}
use dispatch;

use oaklath_prove_simd::*;
pub use proofs::THEOREMS;
