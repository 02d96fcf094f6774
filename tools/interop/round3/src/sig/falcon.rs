//! Falcon of PQClean: the code of 2021-11-01, from which the known answers are.

interop_common::pqcrypto_sign! { pqcrypto_falcon "pqcrypto-falcon 0.4.1"
    "PQClean with AVX2; no checks of keys" false Coins::Own("getrandom, the system's");
    "Falcon-512"   Falcon512   falcon512
    "Falcon-1024"  Falcon1024  falcon1024
}
