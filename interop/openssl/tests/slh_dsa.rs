//! The SLH-DSA chains of the test PKI, as OpenSSL verifies them: keys, certificates, and a damaged
//! signature. OpenSSL 3.6 has no TLS signature scheme for them.
use std::error::Error;
use std::fs::read;
use std::path::Path;

use openssl::pkey::PKey;
use openssl::stack::Stack;
use openssl::x509::store::{X509Store, X509StoreBuilder};
use openssl::x509::{X509, X509StoreContext};

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// Every set of FIPS 205, Table 2.
fn sets() -> impl Iterator<Item = String> {
    ["sha2", "shake"].into_iter().flat_map(|family| {
        ["128s", "128f", "192s", "192f", "256s", "256f"].map(|set| format!("slhdsa_{family}_{set}"))
    })
}

fn file(set: &str, what: &str) -> Outcome<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../certs");
    Ok(read(folder.join(format!("{set}_{what}.pem")))?)
}

fn trust(root: &X509) -> Outcome<X509Store> {
    let mut store = X509StoreBuilder::new()?;
    store.add_cert(root.clone())?;
    Ok(store.build())
}

fn verifies(root: &X509, certificate: &X509) -> Outcome<bool> {
    let (store, chain) = (trust(root)?, Stack::new()?);
    let mut context = X509StoreContext::new()?;
    Ok(context.init(&store, certificate, &chain, |context| context.verify_cert())?)
}

#[test]
fn openssl_verifies_every_chain() -> Outcome {
    let mut tried = 0;
    for set in sets() {
        let root = X509::from_pem(&file(&set, "root_cert")?)?;
        let entity = X509::from_pem(&file(&set, "entity_cert")?)?;
        assert!(verifies(&root, &entity)?, "{set}");
        assert!(root.verify(&*root.public_key()?)?, "{set}");
        for (certificate, key) in [(&root, "root_key"), (&entity, "entity_key")] {
            let key = PKey::private_key_from_pem(&file(&set, key)?)?;
            assert!(key.public_eq(&*certificate.public_key()?), "{set}");
        }
        // The last byte is one of the signature.
        let mut der = entity.to_der()?;
        *der.last_mut().expect("a certificate") ^= 1;
        assert!(!verifies(&root, &X509::from_der(&der)?)?, "{set}");
        tried += 1;
    }
    assert_eq!(tried, 12);
    Ok(())
}
