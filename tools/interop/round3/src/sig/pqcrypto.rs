//! Dilithium of PQClean, in the last version that has the variants with AES.

interop_common::pqcrypto_sign! { pqcrypto_dilithium "pqcrypto-dilithium 0.4.6"
    "PQClean with AVX2; no checks of keys" false Coins::None;
    "Dilithium2"      Dilithium2     dilithium2
    "Dilithium3"      Dilithium3     dilithium3
    "Dilithium5"      Dilithium5     dilithium5
    "Dilithium2-AES"  Dilithium2Aes  dilithium2aes
    "Dilithium3-AES"  Dilithium3Aes  dilithium3aes
    "Dilithium5-AES"  Dilithium5Aes  dilithium5aes
}
