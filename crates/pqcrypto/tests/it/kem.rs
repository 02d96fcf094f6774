//! Tests of each module of `kem`.
use oaklath_pqcrypto::kem;
use oaklath_pqcrypto::prelude::*;
use oaklath_pqcrypto::traits::Error;

use crate::assert_length_rejected;

macro_rules! test_modules {
    ($($module:ident $public:literal $secret:literal $ciphertext:literal)*) => { $(
        #[test]
        fn $module() {
            use kem::$module::*;
            let sizes = [public_key_bytes(), secret_key_bytes(), ciphertext_bytes()];
            assert_eq!((sizes, shared_secret_bytes()), ([$public, $secret, $ciphertext], 32));

            let (pk, sk) = keypair();
            assert!(pk != keypair().0, "two pairs");
            let (pk, sk) = (
                PublicKey::from_bytes(pk.as_bytes()).unwrap(),
                SecretKey::from_bytes(sk.as_bytes()).unwrap(),
            );
            let (sent, ct) = encapsulate(&pk);
            let ct = Ciphertext::from_bytes(ct.as_bytes()).unwrap();
            let received = decapsulate(&ct, &sk.clone());
            assert!(sent == received && sent.as_bytes() != [0; 32]);
            assert!(SharedSecret::from_bytes(sent.as_bytes()).unwrap() == sent);

            let mut changed = ct.as_bytes().to_vec();
            changed[$ciphertext / 2] ^= 1;
            let rejected = decapsulate(&Ciphertext::from_bytes(&changed).unwrap(), &sk);
            assert!(rejected != sent, "a changed ciphertext was accepted");

            assert_eq!(format!("{sk:?}"), format!("SecretKey ({} bytes)", $secret));
            assert_length_rejected(PublicKey::from_bytes(&[0; 3]), "PublicKey", 3, $public);
            assert_length_rejected(SecretKey::from_bytes(&[]), "SecretKey", 0, $secret);
            assert_length_rejected(Ciphertext::from_bytes(&[0; 1]), "Ciphertext", 1, $ciphertext);
            assert_length_rejected(SharedSecret::from_bytes(&[0; 31]), "SharedSecret", 31, 32);
        }
    )* };
}
test_modules! {
    mlkem512        800  1632   768
    mlkem768       1184  2400  1088
    mlkem1024      1568  3168  1568
    kyber512        800  1632   768
    kyber768       1184  2400  1088
    kyber1024      1568  3168  1568
    kyber51290s     800  1632   768
    kyber76890s    1184  2400  1088
    kyber102490s   1568  3168  1568
    ntruhps2048509  699   935   699
    ntruhps2048677  930  1234   930
    ntruhps4096821 1230  1590  1230
    ntruhrss701    1138  1450  1138
    lightsaber      672  1568   736
    saber           992  2304  1088
    firesaber      1312  3040  1472
}

/// Keys that would make a function fail that returns no error are rejected when read.
#[test]
fn keys_that_are_no_encodings_are_rejected() {
    use oaklath_pqcrypto::mlkem768::*;
    let is_malformed = |result| matches!(result, Err(Error::Malformed { .. }));
    // Coefficients above 3328; a hash that is not the public key's.
    assert!(is_malformed(PublicKey::from_bytes(&[0xFF; 1184]).map(drop)));
    let mut sk = keypair().1.as_bytes().to_vec();
    sk[1152] ^= 1;
    assert!(is_malformed(SecretKey::from_bytes(&sk).map(drop)));
}
