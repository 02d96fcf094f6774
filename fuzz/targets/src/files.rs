//! Decoders of what files hold.

use std::time::{Duration, SystemTime};

use oaklath_pki::{
    Authority, Certificate, Form, Identity, PrivateKey, PublicKey, Request, Signing, Template,
    VerifyOptions, decode_pem, encode_pem, inspect, verify_chain,
};

use crate::Seed;

/// A public key in DER.
pub(crate) fn spki(data: &[u8]) {
    if let Ok(key) = PublicKey::from_der(data) {
        let der = key.to_der();
        let again = PublicKey::from_der(&der).expect("what was written");
        assert_eq!((again == key, again.to_der() == der), (true, true));
        let _ = key.verify(b"fuzz", data);
    }
}

/// A private key in DER, in every form.
pub(crate) fn pkcs8(data: &[u8]) {
    let Ok(key) = PrivateKey::from_der(data) else { return };
    for form in [Form::Seed, Form::Expanded, Form::Both, Form::Bare, Form::Oqs] {
        let Ok(der) = key.to_der(form) else { continue };
        let again = PrivateKey::from_der(&der).expect("what was written");
        assert!(again.as_bytes() == key.as_bytes() && again.public_key() == key.public_key());
    }
}

/// A certificate in DER: read, inspected, verified under itself and under the root of the seeds.
pub(crate) fn certificate(data: &[u8]) {
    let Ok(certificate) = Certificate::from_der(data) else { return };
    assert_eq!(certificate.as_der(), data);
    assert_eq!(Certificate::from_pem(&certificate.to_pem()).as_ref(), Ok(&certificate));
    if let Ok(key) = certificate.public_key() {
        let _ = certificate.verify_signature(&key);
    }
    let options = VerifyOptions::at(noon()).server("localhost");
    let intermediates = [certificate.clone()];
    for roots in [[root()], [certificate.clone()]] {
        let _ = verify_chain(&certificate, &intermediates, &roots, &options);
    }
    inspected(data);
}

/// A request in DER.
pub(crate) fn request(data: &[u8]) {
    let Ok(request) = Request::from_der(data) else { return };
    assert_eq!(request.as_der(), data);
    if request.verify().is_ok()
        && let Ok(template) = Template::for_request(&request, day())
        && let Ok(key) = request.public_key()
    {
        let root = root();
        let authority = Authority::new(&root, root_key()).expect("a root");
        let _ = template.signing(Signing::Deterministic).entity(&key, &authority);
    }
    inspected(data);
}

/// PEM of anything.
pub(crate) fn pem(data: &[u8]) {
    inspected(data);
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(blocks) = decode_pem(text) {
        let written: String = blocks
            .iter()
            .map(|block| encode_pem(&block.label, &block.bytes).as_str().to_owned())
            .collect();
        let again = decode_pem(&written).expect("what was written");
        assert_eq!(again.len(), blocks.len());
        let same = again.iter().zip(&blocks);
        assert!(same.into_iter().all(|(one, two)| one.bytes == two.bytes));
    }
    let _ = PrivateKey::from_pem(text);
    let _ = PublicKey::from_pem(text);
    let _ = Certificate::all_from_pem(text);
    let _ = Request::from_pem(text);
}

/// Whatever it is can be told.
fn inspected(data: &[u8]) {
    for item in inspect(data).unwrap_or_default() {
        assert!(!item.to_string().is_empty());
    }
}

fn noon() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000)
}

fn day() -> std::ops::RangeInclusive<SystemTime> {
    noon() - Duration::from_secs(43_200)..=noon() + Duration::from_secs(43_200)
}

fn key(name: &str) -> PrivateKey {
    let identity = Identity::by_name(name).expect("an algorithm");
    let len = identity.scheme().map(|scheme| scheme.seed_len());
    let len = len.or_else(|| identity.kem().map(|kem| kem.seed_len())).expect("its code");
    PrivateKey::from_seed(identity, &vec![6; len]).expect("a seed")
}

fn root_key() -> &'static PrivateKey {
    static KEY: std::sync::OnceLock<PrivateKey> = std::sync::OnceLock::new();
    KEY.get_or_init(|| key("ML-DSA-44"))
}

fn template(subject: &str) -> Template {
    let template = Template::new(subject, day()).expect("a subject");
    template.serial(&[7]).expect("a number").signing(Signing::Deterministic)
}

fn root() -> Certificate {
    static ROOT: std::sync::OnceLock<Certificate> = std::sync::OnceLock::new();
    ROOT.get_or_init(|| template("CN=Root,O=Fuzz").root(root_key()).expect("a root")).clone()
}

fn entity() -> Certificate {
    let template = template("CN=localhost").dns("localhost").expect("a name");
    let (root, key) = (root(), key("SLH-DSA-SHA2-128f"));
    let authority = Authority::new(&root, root_key()).expect("a root");
    template.entity(&key.public_key(), &authority).expect("a certificate")
}

/// The algorithms of small keys, and one of each other family.
const NAMES: [&str; 5] =
    ["ML-DSA-44", "ML-KEM-512", "SLH-DSA-SHA2-128f", "SLH-DSA-SHAKE-256f", "Dilithium2"];

pub(crate) fn spki_seeds() -> Vec<Seed> {
    NAMES.iter().map(|name| (name.to_lowercase(), key(name).public_key().to_der())).collect()
}

pub(crate) fn pkcs8_seeds() -> Vec<Seed> {
    let mut seeds = Vec::new();
    for name in NAMES {
        let key = key(name);
        for form in [Form::Seed, Form::Both, Form::Bare, Form::Oqs] {
            // Those of many kilobytes are the same in kind.
            if let Ok(der) = key.to_der(form)
                && der.len() < 2000
            {
                let name = format!("{}-{}", name.to_lowercase(), form.as_str());
                seeds.push((name, der.to_vec()));
            }
        }
    }
    seeds
}

pub(crate) fn certificate_seeds() -> Vec<Seed> {
    let der = |certificate: Certificate| certificate.as_der().to_vec();
    vec![("root".to_owned(), der(root())), ("entity".to_owned(), der(entity()))]
}

pub(crate) fn request_seeds() -> Vec<Seed> {
    let names = ["localhost", "127.0.0.1"];
    let request = Request::new(&key("ML-DSA-44"), "CN=Fuzz", &names, Signing::Deterministic);
    vec![("ml-dsa-44".to_owned(), request.expect("a request").as_der().to_vec())]
}

pub(crate) fn pem_seeds() -> Vec<Seed> {
    let key = key("ML-DSA-44");
    let private = key.to_pem(Form::Seed).expect("a form").as_str().to_owned();
    let chain = private.clone() + "text between\r\n" + &entity().to_pem();
    let broken = private.replace("-----END", "----END").replace('\n', "\r\n ");
    let seeds = [
        ("private", private),
        ("public", key.public_key().to_pem()),
        ("chain", chain),
        ("broken", broken),
    ];
    seeds.map(|(name, text)| (name.to_owned(), text.into_bytes())).to_vec()
}
