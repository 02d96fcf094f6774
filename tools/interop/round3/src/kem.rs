//! Kyber, Kyber-90s, NTRU and SABER as submitted to NIST's round 3, an adapter a library.

use interop_common::kem::{Failure, Implementation, algorithms};

#[path = "../../common/adapters/oqs.rs"]
mod oqs;
mod pqcrypto_kyber;
#[cfg(feature = "pqcrypto")]
mod pqcrypto_ntru;
#[cfg(feature = "pqcrypto")]
mod pqcrypto_saber;

/// Every implementation of `algorithm`.
#[must_use]
pub fn peers(algorithm: &str) -> Vec<Box<dyn Implementation>> {
    let liboqs = || oqs::implementation(algorithm);
    if cfg!(feature = "pqcrypto") && !is_pqclean(algorithm) {
        // Measured and tested without the feature.
        return Vec::new();
    }
    let everybody = [
        if cfg!(feature = "pqcrypto") { None } else { liboqs() },
        pqcrypto_kyber::implementation(algorithm),
        #[cfg(feature = "pqcrypto")]
        pqcrypto_ntru::implementation(algorithm),
        #[cfg(feature = "pqcrypto")]
        pqcrypto_saber::implementation(algorithm),
    ];
    everybody.into_iter().flatten().collect()
}

/// Whether liboqs and pqcrypto have the same code: PQClean's.
#[must_use]
pub fn is_pqclean(algorithm: &str) -> bool {
    algorithm.starts_with("NTRU") || algorithm.ends_with("Saber-KEM")
}

/// How liboqs is called in reports, and what is to know about it.
const LIBOQS: &str = "liboqs 0.7.2 (oqs-sys 0.7.2)";
const LIBOQS_REMARK: &str = "pq-crystals or PQClean with AVX2, for the 90s with AES-NI; no checks";
