//! The implementations of today, an adapter a library.

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

/// Every implementation of `algorithm`.
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

/// How liboqs is called in reports, and what is to know about it.
const LIBOQS: &str = "liboqs 0.13 (oqs-sys 0.11)";
const LIBOQS_REMARK: &str =
    "ML-KEM (mlkem-native) checks ek, dk and the hash in every call; Kyber (pq-crystals) nothing";
