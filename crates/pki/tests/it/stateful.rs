//! Stateful keys in SPKI and certificates: RFC 9802.

use std::cell::{Cell, RefCell};

use oaklath_params::stateful::xmss::{XMSS_SHA2_10_256, XMSSMT_SHA2_20_4_256};
use oaklath_params::stateful::{HSS_LMS, XMSS, XMSS_MT};
use oaklath_params::stateful::{StatefulScheme, lms};
use oaklath_pki::{
    Agreement, Authority, Certificate, CertificateError, ChainError, Content, Identity, Issuer,
    KeyError, PrivateKey, PublicKey, Signing, VerifyOptions, inspect, verify_chain,
};
use oaklath_stateful::{
    HssLevels, HssSigningKey, Index, NODE_BYTES, StatefulKey, XmssSigningKey, xmss_seed_len,
};

use crate::common::{day, extensions, key_of, template, tlv};

/// A key whose indices are counted in memory, since it is discarded after the test.
struct Counted {
    scheme: &'static StatefulScheme,
    key: RefCell<Box<dyn StatefulKey>>,
    next: Cell<u64>,
}

impl Counted {
    fn new(scheme: &'static StatefulScheme, key: impl StatefulKey + 'static) -> Self {
        Self { scheme, key: RefCell::new(Box::new(key)), next: Cell::new(0) }
    }
}

impl Issuer for Counted {
    fn public_key(&self) -> Result<PublicKey, KeyError> {
        let identity = Identity::by_name(self.scheme.name).unwrap();
        PublicKey::new(identity, self.key.borrow().public_key())
    }

    fn sign(&self, message: &[u8], _: Signing) -> Result<Vec<u8>, KeyError> {
        let mut key = self.key.borrow_mut();
        let index = Index::from_durable_record(self.next.replace(self.next.get() + 1));
        let mut signature = vec![0; key.signature_len()];
        key.sign_at(index, message, &mut signature)
            .map_err(|error| KeyError::Refused { reason: error.to_string() })?;
        Ok(signature)
    }
}

/// Returns one key of each scheme, and its parameters.
fn keys() -> [(Counted, &'static str); 3] {
    let levels = HssLevels::from(&lms::L2_H10_W4);
    let hss = HssSigningKey::from_seed(&levels, &vec![1; levels.seed_len()], NODE_BYTES).unwrap();
    let xmss = |info| XmssSigningKey::from_seed(info, &vec![2; xmss_seed_len(info)], NODE_BYTES);
    let (one, many) = (&XMSS_SHA2_10_256, &XMSSMT_SHA2_20_4_256);
    [
        (Counted::new(&HSS_LMS, hss), "2 x LMS_SHA256_M32_H10, LMOTS_SHA256_N32_W4"),
        (Counted::new(&XMSS, xmss(one).unwrap()), one.name),
        (Counted::new(&XMSS_MT, xmss(many).unwrap()), many.name),
    ]
}

/// Returns the certificate with its last byte changed, which belongs to the signature.
fn damaged(certificate: &Certificate) -> Certificate {
    let mut der = certificate.as_der().to_vec();
    *der.last_mut().unwrap() ^= 1;
    Certificate::from_der(&der).unwrap()
}

#[test]
fn chains_of_stateful_keys_verify() {
    for (issuer, parameters) in keys() {
        let root = template("CN=Root").root(&issuer).unwrap();
        let authority = Authority::new(&root, &issuer).unwrap();
        let middle_key = key_of("ML-DSA-44", 3);
        let middle =
            template("CN=Middle").intermediate(&middle_key.public_key(), &authority).unwrap();
        let below = Authority::new(&middle, &middle_key).unwrap();
        let key = issuer.public_key().unwrap();
        let entity = template("CN=Firmware").entity(&key, &below).unwrap();

        let (options, roots) = (VerifyOptions::at(day(11)), [root.clone()]);
        let path = verify_chain(&entity, std::slice::from_ref(&middle), &roots, &options).unwrap();
        assert_eq!(path, [&entity, &middle, &root], "{parameters}");
        assert_eq!(entity.public_key().unwrap().parameters().as_deref(), Some(parameters));
        // An entity signs code, and is not a TLS server.
        let oids = extensions(&entity).iter().map(|e| e.extn_id.to_string()).collect::<Vec<_>>();
        assert!(oids.contains(&"2.5.29.37".to_owned()), "{oids:?}");
        let between = [middle.clone()];
        let server = verify_chain(&entity, &between, &roots, &options.clone().server("x"));
        assert!(matches!(server, Err(ChainError::Usage { .. })), "{server:?}");

        let broken = [damaged(&middle)];
        let refused = verify_chain(&entity, &broken, &roots, &options).unwrap_err();
        let error = CertificateError::InvalidSignature;
        assert_eq!(refused, ChainError::Certificate { subject: "CN=Middle".into(), error });
        // Three certificates by two keys: each issuer counts its own indices.
        assert_eq!(issuer.next.get(), 2);
    }
}

#[test]
fn public_keys_are_read_and_written() {
    for (issuer, parameters) in keys() {
        let key = issuer.public_key().unwrap();
        assert_eq!(PublicKey::from_pem(&key.to_pem()), Ok(key.clone()), "{parameters}");
        assert_eq!(key.parameters().as_deref(), Some(parameters));
        let short = &key.as_bytes()[..key.as_bytes().len() - 1];
        let refused = PublicKey::new(key.identity(), short);
        assert!(matches!(refused, Err(KeyError::OfStateful(_))), "{refused:?}");
        let signature = issuer.sign(b"message", Signing::default()).unwrap();
        assert_eq!(key.verify(b"message", &signature), Ok(()));
        let other = Err(KeyError::OfStateful(oaklath_stateful::Error::Invalid));
        assert_eq!(key.verify(b"another", &signature), other);
    }
}

#[test]
fn reports_name_the_parameter_set() {
    for (issuer, parameters) in keys() {
        let root = template("CN=Root").root(&issuer).unwrap();
        let items = inspect(root.as_der()).unwrap();
        let Content::Certificate(report) = &items[0].content else { panic!("{items:?}") };
        assert_eq!(report.public_key.parameters.as_deref(), Some(parameters));
        assert_eq!(report.public_key.valid, Agreement::Yes);
        assert_eq!(report.self_signature, Some(Agreement::Yes));
        assert_eq!(report.signature_algorithm.name, issuer.scheme.name);
        assert!(items[0].to_string().contains(parameters), "{}", items[0]);
    }
}

#[test]
fn private_keys_are_not_in_files() {
    for identity in Identity::stateful() {
        let name = identity.name();
        let refused = Err(KeyError::Stateful { name });
        assert_eq!(PrivateKey::generate(identity).map(drop), refused);
        assert_eq!(PrivateKey::from_seed(identity, &[7; 48]).map(drop), refused);
        let algorithm = tlv(0x30, &crate::common::object_identifier(identity));
        let info = [&[2, 1, 0][..], &algorithm, &tlv(4, &[7; 64])].concat();
        assert_eq!(PrivateKey::from_der(&tlv(0x30, &info)).map(drop), refused);
    }
}
