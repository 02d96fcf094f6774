//! SPHINCS+ 3.1 of PQClean, SLH-DSA's near relative, with the same keys and the same work; only the
//! order of the bits that choose leaves differs. Its C functions draw their randomness themselves.

interop_common::pqcrypto_sign! { pqcrypto_sphincsplus "pqcrypto-sphincsplus 0.7.2"
    "PQClean's SPHINCS+ 3.1, portable; no checks of keys" true Coins::Own("getrandom, the system's");
    "SLH-DSA-SHA2-128s"   Sha2Small128   sphincssha2128ssimple
    "SLH-DSA-SHA2-128f"   Sha2Fast128    sphincssha2128fsimple
    "SLH-DSA-SHA2-192s"   Sha2Small192   sphincssha2192ssimple
    "SLH-DSA-SHA2-192f"   Sha2Fast192    sphincssha2192fsimple
    "SLH-DSA-SHA2-256s"   Sha2Small256   sphincssha2256ssimple
    "SLH-DSA-SHA2-256f"   Sha2Fast256    sphincssha2256fsimple
    "SLH-DSA-SHAKE-128s"  ShakeSmall128  sphincsshake128ssimple
    "SLH-DSA-SHAKE-128f"  ShakeFast128   sphincsshake128fsimple
    "SLH-DSA-SHAKE-192s"  ShakeSmall192  sphincsshake192ssimple
    "SLH-DSA-SHAKE-192f"  ShakeFast192   sphincsshake192fsimple
    "SLH-DSA-SHAKE-256s"  ShakeSmall256  sphincsshake256ssimple
    "SLH-DSA-SHAKE-256f"  ShakeFast256   sphincsshake256fsimple
}
