//! What is below a scheme that is proven: `tools/prove/kem` and `tools/prove/sig` compile the files
//! of ML-KEM and ML-DSA once more, as they are shipped, in a world of which this crate is a lower
//! storey. For them it is `oaklath_simd` and `oaklath_hash`. It passes on what is there, except
//!
//! - `keccak`: the permutation is opaque, any function of 25 words. The files of `crates/hash` that
//!   absorb and squeeze are compiled over it;
//! - `lanes`: they remember what each was started with, which says which XOF a block is of;
//! - `ct`: a comparison of strings is a decision, of which both answers are recorded;
//! - `dispatch`: what computes runs on the recording backend.
//!
//! Kernels of polynomials are opaque, too, in the crates of the schemes: what the theorem about a
//! kernel takes for granted is a duty of each call, and the range it proves is that of what the
//! call returns. So strings and polynomials are in memory as names of terms. A standard's
//! algorithms are written line by line over the same functions ([`Algorithm`]), and the theorems
//! say that both are the same terms, byte by byte ([`prove`]).
#![allow(missing_debug_implementations, reason = "no use")]
#![allow(unfulfilled_lint_expectations, reason = "files of another crate")]

extern crate self as oaklath_hash;
extern crate self as oaklath_simd;

mod algorithm;
mod filters;
mod functions;
pub mod keccak;
pub mod lanes;
mod multiples;
mod ranges;
mod theorems;

#[path = "../../../../crates/hash/src/blocks.rs"]
pub mod blocks;
#[path = "../../../../crates/hash/src/schedule.rs"]
pub mod schedule;
#[path = "../../../../crates/hash/src/sha3.rs"]
pub mod sha3;

/// Comparisons are decisions.
pub mod ct {
    use oaklath_prove_simd::ct;
    use oaklath_prove_simd::proof::call::OpaqueCall;

    pub use ct::{Mask, declassify_bool, declassify_bytes, declassify_words};

    /// Whether strings differ.
    ///
    /// # Panics
    /// If the lengths differ.
    #[track_caller]
    pub fn differ(a: &[u8], b: &[u8]) -> Mask {
        assert_eq!(a.len(), b.len(), "lengths are equal");
        let answer = OpaqueCall::new("differ").reads(a).reads(b).decides();
        Mask::from_bit(answer.into())
    }
}

/// At the recording backend with the lanes of the current proof.
#[macro_export]
macro_rules! dispatch {
    ($s:ident => $e:expr) => {
        match $crate::LANES.get() {
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

pub use algorithm::{Algorithm, Bytes, Polynomial, Vector};
pub use filters::{Kept, NUMBERS_BELOW_Q, SMALL_NIBBLES, filter};
pub use functions::{add, each_pair, inverse_ntt, ntt, subtract};
pub use multiples::Multiples;
pub use oaklath_prove_simd::*;
pub use ranges::{given, given_in_case, results, results_of_case};
pub use theorems::{Contracts, LANES, Scripts, input, output, prove};
