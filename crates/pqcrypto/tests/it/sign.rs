//! Tests of each module of `sign`.
use oaklath_pqcrypto::prelude::*;
use oaklath_pqcrypto::sign;
use oaklath_pqcrypto::traits::Error;

use crate::assert_length_rejected;

macro_rules! test_modules {
    ($($module:ident $public:literal $secret:literal $signature:literal)*) => { $(
        #[test]
        fn $module() {
            use sign::$module::*;
            let sizes = [public_key_bytes(), secret_key_bytes(), signature_bytes()];
            assert_eq!(sizes, [$public, $secret, $signature]);

            let (pk, sk) = keypair();
            let (pk, sk) = (
                PublicKey::from_bytes(pk.as_bytes()).unwrap(),
                SecretKey::from_bytes(sk.as_bytes()).unwrap(),
            );
            let signature = detached_sign(b"a message", &sk.clone());
            let signature = DetachedSignature::from_bytes(signature.as_bytes()).unwrap();
            verify_detached_signature(&signature, b"a message", &pk).unwrap();
            assert!(verify_detached_signature(&signature, b"a massage", &pk).is_err());
            let short = &signature.as_bytes()[..signature.as_bytes().len() - 1];
            let short = DetachedSignature::from_bytes(short).unwrap();
            assert!(verify_detached_signature(&short, b"a message", &pk).is_err());

            let signed = sign(b"a message", &sk);
            let signed = SignedMessage::from_bytes(signed.as_bytes()).unwrap();
            assert_eq!(open(&signed, &pk).unwrap(), b"a message");
            for position in [0, 2, 45, signed.len() - 1] {
                let mut changed = signed.as_bytes().to_vec();
                changed[position] ^= 2;
                let changed = SignedMessage::from_bytes(&changed).unwrap();
                assert!(open(&changed, &pk).is_err(), "byte {position}");
            }
            for len in [0, 1, 2, 41, 42, signed.len() - 1] {
                let cut = SignedMessage::from_bytes(&signed.as_bytes()[..len]).unwrap();
                assert!(open(&cut, &pk).is_err(), "{len} bytes");
            }

            assert_length_rejected(PublicKey::from_bytes(&[0; 3]), "PublicKey", 3, $public);
            assert_length_rejected(SecretKey::from_bytes(&[]), "SecretKey", 0, $secret);
            let long = DetachedSignature::from_bytes(&[0; $signature + 1]);
            assert_length_rejected(long, "DetachedSignature", $signature + 1, $signature);
        }
    )* };
}
test_modules! {
    mldsa44                 1312 2560  2420
    mldsa65                 1952 4032  3309
    mldsa87                 2592 4896  4627
    falcon512                897 1281   752
    falcon1024              1793 2305  1462
    falconpadded512          897 1281   666
    falconpadded1024        1793 2305  1280
    sphincssha2128ssimple     32   64  7856
    sphincssha2128fsimple     32   64 17088
    sphincssha2192ssimple     48   96 16224
    sphincssha2192fsimple     48   96 35664
    sphincssha2256ssimple     64  128 29792
    sphincssha2256fsimple     64  128 49856
    sphincsshake128ssimple    32   64  7856
    sphincsshake128fsimple    32   64 17088
    sphincsshake192ssimple    48   96 16224
    sphincsshake192fsimple    48   96 35664
    sphincsshake256ssimple    64  128 29792
    sphincsshake256fsimple    64  128 49856
    sphincsshake256128ssimple 32   64  7856
    sphincsshake256128fsimple 32   64 17088
    sphincsshake256192ssimple 48   96 16224
    sphincsshake256192fsimple 48   96 35664
    sphincsshake256256ssimple 64  128 29792
    sphincsshake256256fsimple 64  128 49856
    dilithium2              1312 2528  2420
    dilithium3              1952 4000  3293
    dilithium5              2592 4864  4595
    dilithium2aes           1312 2528  2420
    dilithium3aes           1952 4000  3293
    dilithium5aes           2592 4864  4595
}

#[test]
fn signatures_belong_to_their_context() {
    use oaklath_pqcrypto::mldsa44::*;
    let (pk, sk) = keypair();
    let detached = detached_sign_ctx(b"text", b"here", &sk);
    assert!(verify_detached_signature_ctx(&detached, b"text", b"here", &pk).is_ok());
    assert!(verify_detached_signature_ctx(&detached, b"text", b"there", &pk).is_err());
    assert!(verify_detached_signature_ctx(&detached, b"text", &[0; 256], &pk).is_err());
    assert!(verify_detached_signature(&detached, b"text", &pk).is_err());
    let signed = sign_ctx(b"text", b"here", &sk);
    assert_eq!(open_ctx(&signed, b"here", &pk).unwrap(), b"text");
    assert!(open(&signed, &pk).is_err());
}

/// As in PQClean, although both forms are valid Falcon signatures.
#[test]
fn a_signature_of_falcon_has_one_form() {
    use oaklath_pqcrypto::{falcon512, falconpadded512};
    let (pk, sk) = falcon512::keypair();
    let padded_pk = falconpadded512::PublicKey::from_bytes(pk.as_bytes()).unwrap();
    let padded_sk = falconpadded512::SecretKey::from_bytes(sk.as_bytes()).unwrap();

    let padded = falconpadded512::detached_sign(b"text", &padded_sk);
    let same = falcon512::DetachedSignature::from_bytes(padded.as_bytes()).unwrap();
    let is_full = padded.as_bytes()[665] != 0;
    assert_eq!(falcon512::verify_detached_signature(&same, b"text", &pk).is_ok(), is_full);

    let compressed = loop {
        let signature = falcon512::detached_sign(b"text", &sk);
        if signature.as_bytes().len() < 666 {
            break signature;
        }
    };
    let same = falconpadded512::DetachedSignature::from_bytes(compressed.as_bytes()).unwrap();
    assert!(falconpadded512::verify_detached_signature(&same, b"text", &padded_pk).is_err());
}

#[test]
fn secret_keys_that_are_no_encodings_are_rejected() {
    let malformed = sign::mldsa44::SecretKey::from_bytes(&[0xFF; 2560]);
    assert!(matches!(malformed, Err(Error::Malformed { name: "SecretKey" })));
    let public = sign::falcon512::PublicKey::from_bytes(&[0xFF; 897]).unwrap();
    let signature = sign::falcon512::detached_sign(b"text", &sign::falcon512::keypair().1);
    let result = sign::falcon512::verify_detached_signature(&signature, b"text", &public);
    assert!(result.is_err(), "a public key that is none verifies nothing");
}
