//! Each side reads what the other has serialized with serde, and writes the same bytes again.

use oaklath_pqcrypto::{kem, sign};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{from_value, to_value};

fn both_ways<A: Serialize + DeserializeOwned, B: Serialize + DeserializeOwned>(theirs: &A) {
    let written = to_value(theirs).unwrap();
    let ours: B = from_value(written.clone()).unwrap();
    assert!(to_value(&ours).unwrap() == written);
    let theirs: A = from_value(to_value(&ours).unwrap()).unwrap();
    assert!(to_value(&theirs).unwrap() == written);
}

#[test]
fn objects_of_kems() {
    use pqcrypto_mlkem::mlkem768::*;
    let (pk, sk) = keypair();
    let (ss, ct) = encapsulate(&pk);
    both_ways::<_, kem::mlkem768::PublicKey>(&pk);
    both_ways::<_, kem::mlkem768::SecretKey>(&sk);
    both_ways::<_, kem::mlkem768::Ciphertext>(&ct);
    both_ways::<_, kem::mlkem768::SharedSecret>(&ss);
}

macro_rules! objects_of_signatures {
    ($peer:ident $module:ident) => {
        #[test]
        fn $module() {
            use $peer::$module::*;
            let (pk, sk) = keypair();
            both_ways::<_, sign::$module::PublicKey>(&pk);
            both_ways::<_, sign::$module::SecretKey>(&sk);
            both_ways::<_, sign::$module::DetachedSignature>(&detached_sign(b"text", &sk));
            both_ways::<_, sign::$module::SignedMessage>(&sign(b"text", &sk));
        }
    };
}
objects_of_signatures! { pqcrypto_mldsa mldsa65 }
objects_of_signatures! { pqcrypto_falcon falcon512 }
