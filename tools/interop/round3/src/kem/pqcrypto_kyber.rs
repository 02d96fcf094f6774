//! Kyber of PQClean, in the last version that has Kyber-90s.

interop_common::pqcrypto_kyber! { "pqcrypto-kyber 0.7.6":
    "Kyber512"       Kyber512      kyber512
    "Kyber768"       Kyber768      kyber768
    "Kyber1024"      Kyber1024     kyber1024
    "Kyber512-90s"   Kyber512_90s  kyber51290s
    "Kyber768-90s"   Kyber768_90s  kyber76890s
    "Kyber1024-90s"  Kyber1024_90s kyber102490s
}
