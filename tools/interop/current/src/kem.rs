//! The implementations of today, one adapter for each library.

use interop_common::kem::{Decapsulator, Encapsulator, Failure, Implementation, Keys, algorithms};

mod aws_lc;
mod graviola;
mod libcrux;
#[path = "../../common/adapters/oqs.rs"]
mod oqs;
mod pqcrypto;
mod pqcrypto_kyber;
mod purecrypto;
mod rustcrypto;

/// Returns every implementation of `algorithm`.
#[must_use]
pub fn peers(algorithm: &str) -> Vec<Box<dyn Implementation>> {
    let everybody = [
        oqs::implementation(algorithm),
        pqcrypto::implementation(algorithm),
        pqcrypto_kyber::implementation(algorithm),
        aws_lc::implementation(algorithm),
        libcrux::implementation(algorithm),
        rustcrypto::implementation(algorithm),
        graviola::implementation(algorithm),
        purecrypto::implementation(algorithm),
    ];
    everybody.into_iter().flatten().collect()
}

/// The name of liboqs in reports, and a remark on it.
const LIBOQS: &str = "liboqs 0.13 (oqs-sys 0.11)";
const LIBOQS_REMARK: &str =
    "ML-KEM (mlkem-native) checks ek, dk and the hash in every call; Kyber (pq-crystals) nothing";
