//! Tests the rows of `crates/pqcrypto/compatibility.md`.

mod common;

kems! { pqcrypto_mlkem: mlkem512 mlkem768 mlkem1024 }
kems! { pqcrypto_kyber: kyber512 kyber768 kyber1024 kyber51290s kyber76890s kyber102490s }
kems! { pqcrypto_ntru: ntruhps2048509 ntruhps2048677 ntruhps4096821 ntruhrss701 }
kems! { pqcrypto_saber: lightsaber saber firesaber }

signatures! { pqcrypto_mldsa 1: mldsa44 mldsa65 mldsa87 }
contexts! { pqcrypto_mldsa: mldsa44_ctx mldsa44 mldsa65_ctx mldsa65 mldsa87_ctx mldsa87 }
signatures! { pqcrypto_falcon 1: falcon512 falcon1024 falconpadded512 falconpadded1024 }
signatures! { pqcrypto_dilithium 1:
    dilithium2 dilithium3 dilithium5 dilithium2aes dilithium3aes dilithium5aes
}
signatures! { pqcrypto_sphincsplus_06 100:
    sphincsshake256128ssimple sphincsshake256128fsimple sphincsshake256192ssimple
    sphincsshake256192fsimple sphincsshake256256ssimple sphincsshake256256fsimple
}

/// Tests that SPHINCS+ 3.1 and SLH-DSA have the same keys: the root, checked when a secret key is
/// read, is that of the seeds. Signatures choose other leaves, and are rejected.
macro_rules! equal_keys_alone {
    ($($module:ident)*) => { $(
        #[test]
        fn $module() {
            use oaklath_pqcrypto::sign::$module as ours;
            use pqcrypto_sphincsplus::$module as theirs;
            for _ in 0..common::cases(100) {
                let (pk, sk) = theirs::keypair();
                let our_pk = ours::PublicKey::from_bytes(pk.as_bytes()).unwrap();
                let our_sk = ours::SecretKey::from_bytes(sk.as_bytes()).unwrap();
                let by_us = ours::detached_sign(b"text", &our_sk);
                assert!(ours::verify_detached_signature(&by_us, b"text", &our_pk).is_ok());
                let to_them = theirs::DetachedSignature::from_bytes(by_us.as_bytes()).unwrap();
                assert!(theirs::verify_detached_signature(&to_them, b"text", &pk).is_err());
                let by_them = theirs::detached_sign(b"text", &sk);
                let to_us = ours::DetachedSignature::from_bytes(by_them.as_bytes()).unwrap();
                assert!(ours::verify_detached_signature(&to_us, b"text", &our_pk).is_err());
            }
        }
    )* };
}

mod sphincs_3_1 {
    use crate::common;
    use oaklath_pqcrypto::prelude::*;
    use pqcrypto_traits::sign::{DetachedSignature as _, PublicKey as _, SecretKey as _};

    equal_keys_alone! {
        sphincssha2128ssimple sphincssha2128fsimple sphincssha2192ssimple sphincssha2192fsimple
        sphincssha2256ssimple sphincssha2256fsimple sphincsshake128ssimple sphincsshake128fsimple
        sphincsshake192ssimple sphincsshake192fsimple sphincsshake256ssimple sphincsshake256fsimple
    }
}
