//! Kyber, Kyber-90s, NTRU and SABER as submitted to NIST's round 3, one adapter for each library.

use interop_common::kem::{Failure, Implementation, algorithms};

#[path = "../../common/adapters/oqs.rs"]
mod oqs;
mod pqcrypto_kyber;
#[cfg(feature = "pqcrypto")]
mod pqcrypto_ntru;
#[cfg(feature = "pqcrypto")]
mod pqcrypto_saber;

/// Returns every implementation of `algorithm`.
#[must_use]
pub fn peers(algorithm: &str) -> Vec<Box<dyn Implementation>> {
    let liboqs = || oqs::implementation(algorithm);
    if cfg!(feature = "pqcrypto") && !is_pqclean(algorithm) {
        // Those are measured and tested without the feature.
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

/// Reports whether liboqs and pqcrypto share their code, PQClean's.
#[must_use]
pub fn is_pqclean(algorithm: &str) -> bool {
    algorithm.starts_with("NTRU") || algorithm.ends_with("Saber-KEM")
}

/// The name of liboqs in reports, and a remark on it.
const LIBOQS: &str = "liboqs 0.7.2 (oqs-sys 0.7.2)";
const LIBOQS_REMARK: &str = "pq-crystals or PQClean with AVX2, for the 90s with AES-NI; no checks";
