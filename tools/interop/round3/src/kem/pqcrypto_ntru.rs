//! NTRU of PQClean.

interop_common::pqcrypto_kyber! { "pqcrypto-ntru 0.5.8" of pqcrypto_ntru:
    "NTRU-HPS-2048-509" NtruHps2048509 ntruhps2048509
    "NTRU-HPS-2048-677" NtruHps2048677 ntruhps2048677
    "NTRU-HPS-4096-821" NtruHps4096821 ntruhps4096821
    "NTRU-HRSS-701"     NtruHrss701    ntruhrss701
}
