//! Tests of the Serde form, as JSON.
use oaklath_pqcrypto::prelude::*;
use oaklath_pqcrypto::{falcon512, mldsa44, mlkem512};
use serde_json::{from_value, json, to_value};

#[test]
fn objects_are_arrays_of_bytes() {
    let (pk, sk) = mlkem512::keypair();
    assert_eq!(to_value(pk).unwrap(), json!(pk.as_bytes()));
    let read: mlkem512::SecretKey = from_value(to_value(&sk).unwrap()).unwrap();
    assert!(read == sk);
    let (secret, ct) = mlkem512::encapsulate(&pk);
    assert_eq!(to_value((secret, ct)).unwrap(), json!([secret.as_bytes(), ct.as_bytes()]));

    let (_, sk) = mldsa44::keypair();
    let signed = mldsa44::sign(b"text", &sk);
    assert_eq!(to_value(&signed).unwrap(), json!(signed.as_bytes()));
    let read: mldsa44::SignedMessage = from_value(json!(signed.as_bytes())).unwrap();
    assert_eq!(read.as_bytes(), signed.as_bytes());
}

/// The form has the whole array, and the length of the signature in it.
#[test]
fn a_detached_signature_is_an_array_and_a_length() {
    let (_, sk) = falcon512::keypair();
    let signature = falcon512::detached_sign(b"text", &sk);
    let mut array = signature.as_bytes().to_vec();
    array.resize(752, 0);
    let form = json!([array, signature.as_bytes().len()]);
    assert_eq!(to_value(signature).unwrap(), form);
    let read: falcon512::DetachedSignature = from_value(form).unwrap();
    assert_eq!(read.as_bytes(), signature.as_bytes());
    assert!(from_value::<falcon512::DetachedSignature>(json!([array, 753])).is_err());
}

#[test]
fn what_is_read_is_checked() {
    let error = from_value::<mlkem512::PublicKey>(json!(vec![0xFF; 800])).unwrap_err();
    assert_eq!(error.to_string(), "PublicKey is not an encoding");
    assert!(from_value::<mldsa44::SecretKey>(json!(vec![0xFF; 2560])).is_err());
}
