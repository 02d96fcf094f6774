//! ML-DSA of PQClean. Its C functions draw their randomness themselves, so that its keys and
//! signatures are not reproducible.

interop_common::pqcrypto_sign! { pqcrypto_mldsa "pqcrypto-mldsa 0.1.2"
    "PQClean with AVX2; no checks of keys" false Coins::Own("getrandom, the system's");
    "ML-DSA-44"  MlDsa44  mldsa44
    "ML-DSA-65"  MlDsa65  mldsa65
    "ML-DSA-87"  MlDsa87  mldsa87
}
