//! Dilithium, SPHINCS+ and Falcon as submitted to NIST's round 3 (versions 3.1, 3 and 1.2), one
//! adapter for each library.

use interop_common::kem::Failure;
use interop_common::sig::{Coins, Implementation, algorithms};

mod falcon;
#[path = "../../common/adapters/oqs_sig.rs"]
mod oqs;
mod pqcrypto;

/// Returns every implementation of `algorithm`.
#[must_use]
pub fn peers(algorithm: &str) -> Vec<Box<dyn Implementation>> {
    let everybody = [
        oqs::implementation(algorithm),
        pqcrypto::implementation(algorithm),
        falcon::implementation(algorithm),
    ];
    everybody.into_iter().flatten().collect()
}

/// The name of liboqs in reports, and a remark on it.
const LIBOQS: &str = "liboqs 0.7.2 (oqs-sys 0.7.2)";
const LIBOQS_REMARK: &str =
    "the submissions' code with AVX2 where liboqs has it, for AES with AES-NI; no checks of keys";
