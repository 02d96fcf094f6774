//! Later versions of crates that `agreement` also tests: their C code has the same symbols, so that
//! no program can link both.

mod common;

// Version 0.8 of Kyber follows the draft of FIPS 203, which differs in key generation alone.
kems! { pqcrypto_kyber_08: kyber512 is mlkem512; kyber768 is mlkem768; kyber1024 is mlkem1024; }

/// Version 0.5 of Dilithium follows the draft of FIPS 204.
#[test]
fn later_dilithium_has_other_keys() {
    use oaklath_pqcrypto::sign;
    use pqcrypto_dilithium_05 as theirs;
    let pairs = [
        (sign::dilithium2::secret_key_bytes(), theirs::dilithium2::secret_key_bytes()),
        (sign::dilithium3::secret_key_bytes(), theirs::dilithium3::secret_key_bytes()),
        (sign::dilithium5::secret_key_bytes(), theirs::dilithium5::secret_key_bytes()),
    ];
    assert!(pairs.iter().all(|(ours, theirs)| ours != theirs), "{pairs:?}");
}
