//! The signature schemes of today, one adapter for each library.

use interop_common::kem::Failure;
use interop_common::sig::{Coins, Implementation, Keys, Signer, Verifier, algorithms};

mod aws_lc;
mod fips205;
mod fn_dsa;
mod libcrux;
#[path = "../../common/adapters/oqs_sig.rs"]
mod oqs;
mod pqcrypto;
mod purecrypto;
mod purecrypto_falcon;
mod purecrypto_slh;
mod rustcrypto;
mod rustcrypto_slh;
mod sphincs;

/// Returns every implementation of `algorithm`.
#[must_use]
pub fn peers(algorithm: &str) -> Vec<Box<dyn Implementation>> {
    let everybody = [
        oqs::implementation(algorithm),
        pqcrypto::implementation(algorithm),
        aws_lc::implementation(algorithm),
        libcrux::implementation(algorithm),
        rustcrypto::implementation(algorithm),
        purecrypto::implementation(algorithm),
        purecrypto_slh::implementation(algorithm),
        purecrypto_falcon::implementation(algorithm),
        fn_dsa::implementation(algorithm),
        sphincs::implementation(algorithm),
        rustcrypto_slh::implementation(algorithm),
        fips205::implementation(algorithm),
    ];
    everybody.into_iter().flatten().collect()
}

/// The name of liboqs in reports, and a remark on it.
const LIBOQS: &str = "liboqs 0.13 (oqs-sys 0.11)";
const LIBOQS_REMARK: &str = "pq-crystals with AVX2, for Falcon PQClean; no checks of keys";
