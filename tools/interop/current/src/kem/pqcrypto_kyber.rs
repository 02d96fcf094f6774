//! Kyber of PQClean, in the last version before it became a draft of ML-KEM.

interop_common::pqcrypto_kyber! { "pqcrypto-kyber 0.7.9":
    "Kyber512"   Kyber512   kyber512
    "Kyber768"   Kyber768   kyber768
    "Kyber1024"  Kyber1024  kyber1024
}
