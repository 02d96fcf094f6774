//! SABER of PQClean.

interop_common::pqcrypto_kyber! { "pqcrypto-saber 0.1.11" of pqcrypto_saber:
    "LightSaber-KEM" LightSaber lightsaber
    "Saber-KEM"      Saber      saber
    "FireSaber-KEM"  FireSaber  firesaber
}
