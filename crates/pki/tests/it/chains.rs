//! Certificates, requests and chains: valid ones verify, and wrong ones are rejected for the right
//! reason.

use std::time::{Duration, SystemTime};

use oaklath_pki::x509_cert::ext::Extension;
use oaklath_pki::{
    Authority, Certificate, CertificateError, ChainError, Identity, KeyError, PrivateKey, Request,
    Signing, Template, VerifyOptions, verify_chain,
};

use crate::common::{
    DAY, altered, built, day, extension, extensions, key, key_of, object_identifier, period,
    template, tlv,
};

const BASIC_CONSTRAINTS: &str = "2.5.29.19";
const KEY_USAGE: &str = "2.5.29.15";
const EXTENDED_KEY_USAGE: &str = "2.5.29.37";
const NAME_CONSTRAINTS: &str = "2.5.29.30";

/// Root, intermediate and entity, with their keys.
struct Chain {
    keys: [PrivateKey; 3],
    root: Certificate,
    middle: Certificate,
    entity: Certificate,
}

fn chain() -> Chain {
    let keys = [1, 2, 3].map(|first| key_of("ML-DSA-44", first));
    let root = template("CN=Root").root(&keys[0]).unwrap();
    let authority = Authority::new(&root, &keys[0]).unwrap();
    let middle = template("CN=Middle").intermediate(&keys[1].public_key(), &authority).unwrap();
    let entity = entity(&keys[2], &middle, &keys[1]);
    Chain { keys, root, middle, entity }
}

fn entity(key: &PrivateKey, issuer: &Certificate, issuer_key: &PrivateKey) -> Certificate {
    let authority = Authority::new(issuer, issuer_key).unwrap();
    let template = template("CN=Entity").dns("door.example").unwrap().dns("*.house.example");
    let template = template.unwrap().ip([192, 0, 2, 1].into()).ip("2001:db8::1".parse().unwrap());
    template.entity(&key.public_key(), &authority).unwrap()
}

fn now() -> VerifyOptions {
    VerifyOptions::at(day(15))
}

impl Chain {
    fn verify(&self, options: &VerifyOptions) -> Result<usize, ChainError> {
        let (middle, root) = (std::slice::from_ref(&self.middle), std::slice::from_ref(&self.root));
        verify_chain(&self.entity, middle, root, options).map(|path| path.len())
    }

    /// Replaces the extensions of the intermediate authority.
    fn with_middle(self, extensions: &[Extension]) -> Self {
        let middle = altered(&self.middle, 3, extensions, &self.keys[0]);
        Self { middle, ..self }
    }

    /// Replaces the extensions of the entity.
    fn with_entity(self, extensions: &[Extension]) -> Self {
        let entity = altered(&self.entity, 3, extensions, &self.keys[1]);
        Self { entity, ..self }
    }
}

/// Returns the extensions of a certificate with this one replaced or added.
fn replaced(certificate: &Certificate, by: Extension) -> Vec<Extension> {
    let mut all = extensions(certificate);
    all.retain(|extension| extension.extn_id != by.extn_id);
    all.push(by);
    all
}

fn name(text: &str) -> String {
    text.to_owned()
}

#[test]
fn good_chains() {
    let chain = chain();
    assert_eq!(chain.verify(&now()), Ok(3));
    let Chain { keys, root, middle, entity: leaf } = &chain;
    let direct = entity(&keys[2], root, &keys[0]);
    let roots = [root.clone()];
    assert_eq!(verify_chain(&direct, &[], &roots, &now()).unwrap(), [&direct, root]);
    // An authority that is itself trusted ends the path, and the order does not matter.
    assert_eq!(
        verify_chain(leaf, &[], std::slice::from_ref(middle), &now()).unwrap(),
        [leaf, middle]
    );
    let others = [direct.clone(), root.clone(), middle.clone()];
    assert_eq!(verify_chain(leaf, &others, &roots, &now()).unwrap(), [leaf, middle, root]);
    assert_eq!(verify_chain(root, &[], &roots, &now()).unwrap(), [root]);
    // A certificate with the same name but another key comes first.
    let stranger = template("CN=Middle").root(&keys[2]).unwrap();
    let both = [stranger, middle.clone()];
    let path = verify_chain(leaf, &both, &roots, &now());
    assert_eq!(path.unwrap(), [leaf, middle, root]);
}

#[test]
fn every_signature_scheme_makes_chains() {
    for identity in built().filter(|identity| identity.scheme().is_some()) {
        // Some take seconds to sign, and chains of all levels are alike.
        if identity.level() > Some(1) && identity.name().contains("SHA") {
            continue;
        }
        let [root_key, key] = [1, 2].map(|first| key(identity, first));
        let root = template("CN=Root").root(&root_key).unwrap();
        let entity = entity(&key, &root, &root_key);
        let path = verify_chain(&entity, &[], std::slice::from_ref(&root), &now().client());
        assert_eq!(path.map(|path| path.len()), Ok(2), "{identity}");
        assert_eq!(entity.signature_identity(), Ok(identity));
        for certificate in [&root, &entity] {
            assert_eq!(Certificate::from_pem(&certificate.to_pem()).as_ref(), Ok(certificate));
        }
    }
}

/// Keys of different algorithms, and of a KEM.
#[test]
fn mixed_chains() {
    let [root_key, middle_key] = [key_of("SLH-DSA-SHA2-128f", 1), key_of("Dilithium3-AES", 2)];
    let root = template("CN=Root").root(&root_key).unwrap();
    let authority = Authority::new(&root, &root_key).unwrap();
    let middle = template("CN=Middle").intermediate(&middle_key.public_key(), &authority).unwrap();
    let entity = entity(&key_of("ML-KEM-768", 3), &middle, &middle_key);
    let (middle, root) = ([middle], [root]);
    assert_eq!(verify_chain(&entity, &middle, &root, &now()).unwrap().len(), 3);
    // A handshake cannot prove possession of a KEM's key.
    let expected = ChainError::Usage { subject: name("CN=Entity"), expected: "digital signatures" };
    for options in [now().client(), now().server("door.example")] {
        assert_eq!(verify_chain(&entity, &middle, &root, &options).unwrap_err(), expected);
    }
}

#[test]
fn certificates_are_reproducible() {
    let (a, b) = (chain(), chain());
    for (a, b) in [(&a.root, &b.root), (&a.middle, &b.middle), (&a.entity, &b.entity)] {
        assert_eq!(a.as_der(), b.as_der());
    }
    let hedged = || template("CN=X").signing(Signing::Hedged).root(&a.keys[0]).unwrap();
    let (one, two) = (hedged(), hedged());
    assert_ne!(one, two);
    assert_eq!(one.parsed().tbs_certificate(), two.parsed().tbs_certificate());
    // Serial numbers are random unless given: positive, with 16 bytes.
    let random = || Template::new("CN=X", period()).unwrap().root(&a.keys[0]).unwrap();
    let serials =
        [(), ()].map(|()| random().parsed().tbs_certificate().serial_number().as_bytes().to_vec());
    assert_ne!(serials[0], serials[1]);
    assert!(serials.iter().all(|serial| serial.len() == 16 && (0x40..0x80).contains(&serial[0])));
}

#[test]
fn validity_is_that_of_every_certificate_to_the_second() {
    let chain = chain();
    let (second, subject) = (Duration::from_secs(1), || name("CN=Entity"));
    assert_eq!(chain.verify(&VerifyOptions::at(day(10))), Ok(3));
    // The last second belongs to the period.
    let almost = Duration::from_millis(999);
    assert_eq!(chain.verify(&VerifyOptions::at(day(20) + almost)), Ok(3));
    let expected =
        ChainError::NotYetValid { subject: subject(), from: name("2026-01-11T00:00:00Z") };
    assert_eq!(chain.verify(&VerifyOptions::at(day(10) - second)), Err(expected));
    let expected = ChainError::Expired { subject: subject(), until: name("2026-01-21T00:00:00Z") };
    assert_eq!(chain.verify(&VerifyOptions::at(day(20) + second)), Err(expected));

    // Root and intermediate authority have shorter validities than what is below them.
    let short = |subject: &str| {
        let template = Template::new(subject, day(12)..=day(14)).unwrap().serial(&[9]).unwrap();
        template.signing(Signing::Deterministic)
    };
    let root = short("CN=Root").root(&chain.keys[0]).unwrap();
    let authority = Authority::new(&chain.root, &chain.keys[0]).unwrap();
    let middle = short("CN=Middle").intermediate(&chain.keys[1].public_key(), &authority).unwrap();
    for (middle, root, subject) in
        [(&chain.middle, &root, "CN=Root"), (&middle, &chain.root, "CN=Middle")]
    {
        let middle = std::slice::from_ref(middle);
        let verify = |at| {
            verify_chain(&chain.entity, middle, std::slice::from_ref(root), &VerifyOptions::at(at))
        };
        assert!(verify(day(13)).is_ok());
        let subject = || name(subject);
        let from = name("2026-01-13T00:00:00Z");
        assert_eq!(verify(day(11)), Err(ChainError::NotYetValid { subject: subject(), from }));
        let until = name("2026-01-15T00:00:00Z");
        assert_eq!(verify(day(15)), Err(ChainError::Expired { subject: subject(), until }));
    }
}

#[test]
fn issuers_must_be_there() {
    let chain = chain();
    let not_found = |subject: &str, issuer: &str| {
        Err(ChainError::IssuerNotFound { subject: name(subject), issuer: name(issuer) })
    };
    let (middle, root) = ([chain.middle.clone()], [chain.root.clone()]);
    let verify = |middle, root| verify_chain(&chain.entity, middle, root, &now());
    assert_eq!(verify(&[], &root), not_found("CN=Entity", "CN=Middle"));
    assert_eq!(verify(&middle, &[]), not_found("CN=Middle", "CN=Root"));
    // A root with that name but another key, so the key identifiers differ.
    let other = [template("CN=Root").root(&chain.keys[2]).unwrap()];
    assert_eq!(verify(&middle, &other), not_found("CN=Middle", "CN=Root"));
    // An entity is its own root only if it is trusted.
    assert_eq!(verify_chain(&root[0], &[], &[], &now()), not_found("CN=Root", "CN=Root"));
}

#[test]
fn signatures_of_other_keys_are_refused() {
    let chain = chain();
    let invalid =
        |subject: &str, error| Err(ChainError::Certificate { subject: name(subject), error });
    // Signed with the wrong key under the right names.
    let entity = altered(&chain.entity, 3, &extensions(&chain.entity), &chain.keys[0]);
    let wrong = Chain { entity, ..self::chain() };
    assert_eq!(wrong.verify(&now()), invalid("CN=Entity", CertificateError::InvalidSignature));
    let middle = altered(&chain.middle, 3, &extensions(&chain.middle), &chain.keys[2]);
    let wrong = Chain { middle, ..self::chain() };
    assert_eq!(wrong.verify(&now()), invalid("CN=Middle", CertificateError::InvalidSignature));
    let root = altered(&chain.root, 3, &extensions(&chain.root), &chain.keys[2]);
    let wrong = Chain { root, ..self::chain() };
    assert_eq!(wrong.verify(&now()), invalid("CN=Root", CertificateError::InvalidSignature));

    // The algorithm of the signature differs inside and outside, or is not that of the key.
    let dilithium = key_of("Dilithium2", 1);
    let entity = altered(&chain.entity, 3, &extensions(&chain.entity), &dilithium);
    let wrong = Chain { entity, ..self::chain() };
    let error = CertificateError::SignatureAlgorithmsDiffer;
    assert_eq!(wrong.verify(&now()), invalid("CN=Entity", error));
    let root = template("CN=Root").root(&chain.keys[0]).unwrap();
    let error = CertificateError::IssuerAlgorithm { signature: "ML-DSA-44", key: "Dilithium2" };
    assert_eq!(root.verify_signature(&dilithium.public_key()), Err(error));
}

/// Changes bytes of the signed part and of the signature.
#[test]
fn tampered_certificates_are_refused() {
    let chain = chain();
    let key = chain.keys[1].public_key();
    assert_eq!(chain.entity.verify_signature(&key), Ok(()));
    let der = chain.entity.as_der();
    let mut refused = 0;
    for at in (0..der.len()).step_by(7) {
        let mut der = der.to_vec();
        der[at] ^= 0x10;
        // Either it does not parse, or its signature is wrong.
        let Ok(certificate) = Certificate::from_der(&der) else { continue };
        assert!(certificate.verify_signature(&key).is_err(), "{at}");
        refused += 1;
    }
    assert!(refused > der.len() / 14);
}

#[test]
fn truncated_certificates_and_requests_are_errors() {
    let chain = chain();
    let request = Request::new(&chain.keys[2], "CN=X", &["x.example"], Signing::Deterministic);
    let request = request.unwrap();
    let (certificate, request) = (chain.entity.as_der(), request.as_der());
    for len in 0..certificate.len() {
        let error = Certificate::from_der(&certificate[..len]).unwrap_err();
        assert!(matches!(error, CertificateError::Malformed(_)));
    }
    for len in 0..request.len() {
        let error = Request::from_der(&request[..len]).unwrap_err();
        assert!(matches!(error, CertificateError::Malformed(_)));
    }
    assert!(Certificate::from_der(&[certificate, &[0]].concat()).is_err());
    assert!(Request::from_der(&[request, &[0]].concat()).is_err());
    assert!(matches!(Certificate::from_pem("x"), Err(CertificateError::Pem(_))));
}

#[test]
fn issuers_must_be_authorities() {
    let expected = || Err(ChainError::NotAuthority { subject: name("CN=Middle") });
    let with = |extension: Extension| {
        let chain = chain();
        let all = replaced(&chain.middle, extension);
        chain.with_middle(&all).verify(&now())
    };
    // cA is false; no cA; a key usage without keyCertSign; one with it.
    assert_eq!(with(extension(BASIC_CONSTRAINTS, true, &[0x30, 0])), expected());
    assert_eq!(with(extension(KEY_USAGE, true, &[3, 2, 1, 2])), expected());
    assert_eq!(with(extension(KEY_USAGE, true, &[3, 2, 2, 4])), Ok(3));
    let without = |oid: &str| {
        let chain = chain();
        let mut all = extensions(&chain.middle);
        all.retain(|extension| extension.extn_id.to_string() != oid);
        chain.with_middle(&all).verify(&now())
    };
    assert_eq!(without(BASIC_CONSTRAINTS), expected());
    assert_eq!(without(KEY_USAGE), Ok(3));

    // An entity that issues.
    let chain = chain();
    let not_authority = Authority::new(&chain.entity, &chain.keys[2]).unwrap_err();
    assert_eq!(not_authority, CertificateError::NotAuthority);
    let other_key = Authority::new(&chain.root, &chain.keys[2]).unwrap_err();
    assert_eq!(other_key, CertificateError::AuthorityKey);
}

#[test]
fn certificates_of_version_1_are_no_authorities() {
    let chain = chain();
    let root = altered(&chain.root, 1, &[], &chain.keys[0]);
    assert_eq!(root.verify_signature(&chain.keys[0].public_key()), Ok(()));
    let chain = Chain { root, ..chain };
    let expected = ChainError::NotAuthority { subject: name("CN=Root") };
    assert_eq!(chain.verify(&now()), Err(expected.clone()));
    // Version 1 with the extensions of an authority, which it must not have.
    let root = altered(&chain.root, 1, &extensions(&self::chain().root), &chain.keys[0]);
    assert_eq!(Chain { root, ..chain }.verify(&now()), Err(expected));
    // An entity may be of version 1.
    let Chain { keys, root, middle, entity } = self::chain();
    let entity = altered(&entity, 1, &[], &keys[1]);
    assert_eq!(Chain { keys, root, middle, entity }.verify(&now()), Ok(3));
}

#[test]
fn path_lengths_hold() {
    let chain = chain();
    let of_root = |allowed| template("CN=Root").path_len(allowed).root(&chain.keys[0]).unwrap();
    let [none, one] = [0, 1].map(of_root);
    // The entity does not count.
    let direct = entity(&chain.keys[2], &none, &chain.keys[0]);
    assert!(verify_chain(&direct, &[], std::slice::from_ref(&none), &now()).is_ok());
    let verify = |entity: &Certificate, middle: &[Certificate], root: &Certificate| {
        let path = verify_chain(entity, middle, std::slice::from_ref(root), &now());
        path.map(|path| path.len())
    };
    let middle = [chain.middle.clone()];
    assert_eq!(verify(&chain.entity, &middle, &one), Ok(3));
    let exceeded =
        |subject: &str, allowed| Err(ChainError::PathLength { subject: name(subject), allowed });
    assert_eq!(verify(&chain.entity, &middle, &none), exceeded("CN=Root", 0));

    // Another authority below the intermediate one.
    let authority = Authority::new(&chain.middle, &chain.keys[1]).unwrap();
    let key = key_of("ML-DSA-44", 4);
    let lower = template("CN=Lower").intermediate(&key.public_key(), &authority).unwrap();
    let leaf = entity(&chain.keys[2], &lower, &key);
    let middle = [chain.middle.clone(), lower];
    assert_eq!(verify(&leaf, &middle, &chain.root), Ok(4));
    assert_eq!(verify(&leaf, &middle, &one), exceeded("CN=Root", 1));

    // It is not even issued.
    let authority = Authority::new(&none, &chain.keys[0]).unwrap();
    let refused = template("CN=Middle").intermediate(&chain.keys[1].public_key(), &authority);
    assert_eq!(refused, Err(CertificateError::PathLength));
}

#[test]
fn unknown_critical_extensions_are_refused() {
    let refused = |subject: &str, extension: &str| {
        let (subject, extension) = (name(subject), name(extension));
        Err(ChainError::CriticalExtension { subject, extension })
    };
    let unknown = |critical| extension("1.2.3.4", critical, &[5, 0]);
    for (critical, in_entity, in_middle) in [
        (true, refused("CN=Entity", "1.2.3.4"), refused("CN=Middle", "1.2.3.4")),
        (false, Ok(3), Ok(3)),
    ] {
        let chain = chain();
        let all = replaced(&chain.entity, unknown(critical));
        assert_eq!(chain.with_entity(&all).verify(&now()), in_entity);
        let chain = self::chain();
        let all = replaced(&chain.middle, unknown(critical));
        assert_eq!(chain.with_middle(&all).verify(&now()), in_middle);
    }
    let chain = chain();
    let all = replaced(&chain.middle, extension(NAME_CONSTRAINTS, false, &[0x30, 0]));
    let expected = refused("CN=Middle", "id-ce-nameConstraints (2.5.29.30)");
    assert_eq!(chain.with_middle(&all).verify(&now()), expected);
}

/// This includes extensions that are not read otherwise.
#[test]
fn two_extensions_of_one_kind_are_rejected() {
    let twice = |certificate: &Certificate, oid: &str| {
        let mut all = extensions(certificate);
        let found = all.iter().find(|extension| extension.extn_id.to_string() == oid);
        let value = match oid {
            EXTENDED_KEY_USAGE => tlv(0x30, &[6, 4, 0x55, 0x1d, 0x25, 0]),
            _ => tlv(0x30, &tlv(0x82, b"x")),
        };
        let second = found.cloned().unwrap_or_else(|| extension(oid, false, &value));
        all.extend([second.clone(), second]);
        all
    };
    for (oid, known) in [
        (BASIC_CONSTRAINTS, "id-ce-basicConstraints (2.5.29.19)"),
        (KEY_USAGE, "id-ce-keyUsage (2.5.29.15)"),
        (EXTENDED_KEY_USAGE, "id-ce-extKeyUsage (2.5.29.37)"),
        ("2.5.29.17", "id-ce-subjectAltName (2.5.29.17)"),
        ("2.5.29.14", "id-ce-subjectKeyIdentifier (2.5.29.14)"),
        ("2.5.29.35", "id-ce-authorityKeyIdentifier (2.5.29.35)"),
        ("1.2.3.4", "1.2.3.4"),
    ] {
        let expected = |subject: &str| {
            let (subject, extension) = (name(subject), name(known));
            Err(ChainError::DuplicateExtension { subject, extension })
        };
        let chain = chain();
        let all = twice(&chain.entity, oid);
        assert_eq!(chain.with_entity(&all).verify(&now()), expected("CN=Entity"));
        if oid == BASIC_CONSTRAINTS || oid == KEY_USAGE {
            continue; // read earlier for an authority
        }
        let chain = self::chain();
        let all = twice(&chain.middle, oid);
        let error = chain.with_middle(&all).verify(&now()).unwrap_err();
        // With two identifiers the key is not compared, so the search reaches this check.
        assert_eq!(Err(error), expected("CN=Middle"), "{oid}");
    }
}

/// This includes extensions of an entity, which are not read otherwise.
#[test]
fn known_extensions_have_their_structure() {
    for oid in [BASIC_CONSTRAINTS, KEY_USAGE, EXTENDED_KEY_USAGE, "2.5.29.14", "2.5.29.35"] {
        let chain = chain();
        let all = replaced(&chain.entity, extension(oid, false, &[5, 0]));
        let error = chain.with_entity(&all).verify(&now()).unwrap_err();
        let is_malformed =
            matches!(&error, ChainError::Certificate { error: CertificateError::Malformed(_), .. });
        assert!(is_malformed, "{oid}: {error}");
    }
}

#[test]
fn extensions_need_version_3() {
    for version in [1, 2] {
        let Chain { keys, root, middle, entity } = chain();
        let entity = altered(&entity, version, &extensions(&entity), &keys[1]);
        let chain = Chain { keys, root, middle, entity };
        let error = ChainError::Version { subject: name("CN=Entity"), found: version };
        assert_eq!(chain.verify(&now()), Err(error));
    }
    // The default version is encoded explicitly.
    let Chain { keys, entity, .. } = chain();
    let der = altered(&entity, 1, &[], &keys[1]).as_der().to_vec();
    let tbs = 4 + 4; // after the headers of the certificate and of its signed part
    let inner = [&[0xa0, 3, 2, 1, 0], &der[tbs..]].concat();
    let grown = |at: usize, by: usize| {
        let len = usize::from(der[at + 2]) << 8 | usize::from(der[at + 3]);
        [&der[at..at + 2], &((len + by) as u16).to_be_bytes()].concat()
    };
    let with_version = [grown(0, 5), grown(4, 5), inner].concat();
    let error = Certificate::from_der(&with_version).unwrap_err();
    assert!(matches!(error, CertificateError::Malformed(_)), "{error}");
    assert!(Certificate::from_der(&der).is_ok());
}

/// Nobody may have a certificate for all of `com`.
#[test]
fn wildcards_have_two_labels_behind_them() {
    let san = |names: &str| extension("2.5.29.17", false, &tlv(0x30, &tlv(0x82, names.as_bytes())));
    for (wildcard, host, expected) in [
        ("*.com", "house.com", false),
        ("*.", "house.", false),
        ("*", "house", false),
        ("*.house.com", "a.house.com", true),
    ] {
        let chain = chain();
        let all = replaced(&chain.entity, san(wildcard));
        let verified = chain.with_entity(&all).verify(&now().server(host));
        assert_eq!(verified.is_ok(), expected, "{wildcard}");
        let made = template("CN=X").dns(wildcard);
        assert_eq!(made.is_ok(), expected, "{wildcard}");
    }
    // Nor is one issued if a request asks for it.
    let key = key_of("ML-DSA-44", 1);
    let request = Request::new(&key, "CN=X", &["x.example"], Signing::Deterministic).unwrap();
    let mut der = request.as_der().to_vec();
    let at = der.windows(9).position(|part| part == b"x.example").unwrap();
    der[at..at + 9].copy_from_slice(b"*.exampl\x1b");
    let forged = signed(signed_part(&der), &key);
    let error = Template::for_request(&forged, period()).unwrap_err();
    assert_eq!(error, CertificateError::DnsName { found: name("*.exampl\u{1b}") });
}

/// Returns the signed part of a request.
fn signed_part(der: &[u8]) -> &[u8] {
    let len = usize::from(der[6]) << 8 | usize::from(der[7]);
    &der[4..8 + len]
}

/// Returns a request with this signed part.
fn signed(part: &[u8], key: &PrivateKey) -> Request {
    let algorithm = tlv(0x30, &object_identifier(key.identity()));
    let signature = key.sign(part, Signing::Deterministic).unwrap();
    let signature = tlv(3, &[&[0], &*signature].concat());
    Request::from_der(&tlv(0x30, &[part, &algorithm, &signature].concat())).unwrap()
}

/// RFC 5280, sections 4.1.2.6 and 4.2.1.6.
#[test]
fn without_a_subject_there_are_names_and_they_are_critical() {
    let (key, chain) = (key_of("ML-DSA-44", 1), chain());
    let nameless = |names: &[&str]| {
        let request = Request::new(&key, "CN=X", names, Signing::Deterministic).unwrap();
        let part = signed_part(request.as_der());
        // The header has 4 bytes, the version 3, the subject 14.
        let part = tlv(0x30, &[&part[4..7], &[0x30, 0], &part[21..]].concat());
        Template::for_request(&signed(&part, &key), period()).unwrap()
    };
    let authority = Authority::new(&chain.middle, &chain.keys[1]).unwrap();
    let missing = || Err(CertificateError::Subject { found: String::new() });
    assert_eq!(nameless(&[]).entity(&key.public_key(), &authority), missing());
    let named = nameless(&["door.example"]);
    let entity = named.entity(&key.public_key(), &authority).unwrap();
    assert!(entity.subject().is_empty());
    let names = extensions(&entity).into_iter().find(|e| e.extn_id.to_string() == "2.5.29.17");
    assert!(names.unwrap().critical);
    assert_eq!(named.intermediate(&key.public_key(), &authority), missing());
    assert_eq!(named.root(&key), missing());
    let chain = Chain { entity, ..chain };
    assert_eq!(chain.verify(&now().server("door.example")), Ok(3));
}

#[test]
fn ip_addresses_of_requests_have_4_or_16_bytes() {
    let key = key_of("ML-DSA-44", 1);
    let request = Request::new(&key, "CN=X", &["192.0.2.1"], Signing::Deterministic).unwrap();
    let mut der = request.as_der().to_vec();
    let at = der.windows(6).position(|part| part == [0x87, 4, 192, 0, 2, 1]).unwrap();
    der[at..at + 6].copy_from_slice(&[0x87, 1, 192, 0x87, 1, 2]);
    let error = Template::for_request(&signed(signed_part(&der), &key), period()).unwrap_err();
    assert_eq!(error, CertificateError::IpAddress { found: 1 });
}

#[test]
fn issuers_are_valid_when_they_issue() {
    let chain = chain();
    let authority = Authority::new(&chain.root, &chain.keys[0]).unwrap();
    let key = chain.keys[1].public_key();
    for (from, expected) in [(9, false), (10, true), (20, true), (21, false)] {
        let template = Template::new("CN=X", day(from)..=day(30)).unwrap();
        let made = [template.entity(&key, &authority), template.intermediate(&key, &authority)];
        for made in made {
            assert_eq!(made.is_ok(), expected, "{from}");
            if let Err(error) = made {
                let (from, until) = (name("2026-01-11T00:00:00Z"), name("2026-01-21T00:00:00Z"));
                assert_eq!(error, CertificateError::IssuerValidity { from, until });
            }
        }
    }
}

#[test]
fn hosts() {
    let chain = chain();
    let yes = ["door.example", "DOOR.Example", "door.example.", "a.house.example", "192.0.2.1"];
    for host in yes.into_iter().chain(["2001:db8::1", "2001:0db8:0::1"]) {
        assert_eq!(chain.verify(&now().server(host)), Ok(3), "{host}");
    }
    let no = ["example", "x.door.example", "house.example", "a.b.house.example", ".house.example"];
    for host in no.into_iter().chain(["192.0.2.2", "2001:db8::2", "Entity", ""]) {
        let error = chain.verify(&now().server(host)).unwrap_err();
        let found = ["door.example", "*.house.example", "192.0.2.1", "2001:db8::1"].map(name);
        let expected = ChainError::Host { expected: name(host), found: found.to_vec() };
        assert_eq!(error, expected);
    }
    // The common name does not count as a host name.
    let entity = template("CN=door.example");
    let authority = Authority::new(&chain.middle, &chain.keys[1]).unwrap();
    let entity = entity.entity(&chain.keys[2].public_key(), &authority).unwrap();
    let error = Chain { entity, ..chain }.verify(&now().server("door.example")).unwrap_err();
    assert_eq!(error, ChainError::Host { expected: name("door.example"), found: Vec::new() });
}

#[test]
fn purposes() {
    // id-kp-serverAuth, id-kp-clientAuth, anyExtendedKeyUsage.
    let oid = |last: &[u8]| [&[6, 8, 0x2b, 6, 1, 5, 5, 7, 3][..], last].concat();
    let (server, client) = (oid(&[1]), oid(&[2]));
    let any = vec![6, 4, 0x55, 0x1d, 0x25, 0];
    let usage = |oid: &[u8]| extension(EXTENDED_KEY_USAGE, false, &tlv(0x30, oid));
    let as_server = now().server("door.example");
    for (oid, is_server, is_client) in
        [(&server, true, false), (&client, false, true), (&any, true, true)]
    {
        let (chain, other) = (chain(), chain());
        let in_entity = replaced(&chain.entity, usage(oid));
        let in_middle = replaced(&other.middle, usage(oid));
        let chains = [
            ("CN=Entity", chain.with_entity(&in_entity)),
            ("CN=Middle", other.with_middle(&in_middle)),
        ];
        for (subject, chain) in chains {
            assert_eq!(chain.verify(&now()), Ok(3));
            for (options, holds, expected) in [
                (&as_server, is_server, "TLS servers"),
                (&now().client(), is_client, "TLS clients"),
            ] {
                let refused = Err(ChainError::Usage { subject: name(subject), expected });
                let expected = if holds { Ok(3) } else { refused };
                assert_eq!(chain.verify(options), expected);
            }
        }
    }
    // A key that may not sign.
    let chain = chain();
    let all = replaced(&chain.entity, extension(KEY_USAGE, true, &[3, 2, 5, 0x20]));
    let chain = chain.with_entity(&all);
    assert_eq!(chain.verify(&now()), Ok(3));
    let expected = ChainError::Usage { subject: name("CN=Entity"), expected: "digital signatures" };
    assert_eq!(chain.verify(&as_server), Err(expected));
}

/// Searches end even with loops of certificates that sign each other, and with many of one name.
#[test]
fn searches_end() {
    let keys = [1, 2, 3].map(|first| key_of("ML-DSA-44", first));
    let [root, other] = ["CN=A", "CN=B"].map(|subject| template(subject).root(&keys[0]).unwrap());
    let by = |certificate, subject: &str| {
        let authority = Authority::new(certificate, &keys[0]).unwrap();
        template(subject).intermediate(&keys[0].public_key(), &authority).unwrap()
    };
    let leaf = entity(&keys[2], &root, &keys[0]);
    let cross = [by(&root, "CN=B"), by(&other, "CN=A")];
    let error = verify_chain(&leaf, &cross, &[], &now()).unwrap_err();
    assert!(matches!(error, ChainError::IssuerNotFound { .. }));

    let many: Vec<Certificate> = (1..=60)
        .flat_map(|serial| {
            [(&root, "CN=B"), (&other, "CN=A")].map(|(issuer, subject)| {
                let authority = Authority::new(issuer, &keys[0]).unwrap();
                let template = template(subject).serial(&[serial]).unwrap();
                template.intermediate(&keys[0].public_key(), &authority).unwrap()
            })
        })
        .collect();
    // Without a limit there are 60^9 paths.
    assert_eq!(verify_chain(&leaf, &many, &[], &now()), Err(ChainError::TooLong));
}

#[test]
fn requests() {
    for name in ["ML-DSA-65", "Dilithium2-AES"] {
        let key = key_of(name, 1);
        let names = ["door.example", "192.0.2.1"];
        let request = Request::new(&key, "CN=Entity", &names, Signing::Deterministic).unwrap();
        let request = Request::from_pem(&request.to_pem()).unwrap();
        assert_eq!(request.verify(), Ok(()));
        assert_eq!(request.public_key(), Ok(key.public_key()));
        assert_eq!(request.subject().to_string(), "CN=Entity");

        let chain = chain();
        let authority = Authority::new(&chain.middle, &chain.keys[1]).unwrap();
        let template = Template::for_request(&request, period()).unwrap();
        let entity = template.entity(&request.public_key().unwrap(), &authority).unwrap();
        let chain = Chain { entity, ..chain };
        for host in names {
            assert_eq!(chain.verify(&now().server(host)), Ok(3));
        }
        assert!(chain.verify(&now().server("other.example")).is_err());

        let mut der = request.as_der().to_vec();
        let at = der.len() - 100;
        der[at] ^= 1;
        let tampered = Request::from_der(&der).unwrap();
        assert_eq!(tampered.verify(), Err(CertificateError::InvalidSignature));
        let error = Template::for_request(&tampered, period()).unwrap_err();
        assert_eq!(error, CertificateError::InvalidSignature);
    }
    let kem = key_of("ML-KEM-512", 1);
    let no_signatures = || CertificateError::Key(KeyError::NoSignatures { name: "ML-KEM-512" });
    let refused = Request::new(&kem, "CN=X", &[], Signing::Hedged).unwrap_err();
    assert_eq!(refused, no_signatures());
    assert_eq!(template("CN=X").root(&kem), Err(no_signatures()));
}

#[test]
fn what_cannot_stand_in_a_certificate() {
    for subject in ["", "door.example", "CN", "X=y", "CN=a,"] {
        let error = Template::new(subject, period()).err();
        assert_eq!(error, Some(CertificateError::Subject { found: name(subject) }), "{subject}");
    }
    let long = format!("{}.example", "a".repeat(64));
    for host in ["", "a b", "ä.example", "*", "a.*.b", "*a.b", "a..b", ".a", &long] {
        let error = template("CN=X").dns(host).err();
        assert_eq!(error, Some(CertificateError::DnsName { found: name(host) }));
    }
    for serial in [&[][..], &[0], &[0, 0], &[1; 21]] {
        let error = template("CN=X").serial(serial).err();
        assert_eq!(error, Some(CertificateError::SerialNumber), "{serial:?}");
    }
    let far = SystemTime::UNIX_EPOCH + 8100 * 366 * DAY;
    let before = SystemTime::UNIX_EPOCH - DAY;
    for wrong in [day(2)..=day(1), day(1)..=far, before..=day(1)] {
        let error = Template::new("CN=X", wrong).err();
        assert_eq!(error, Some(CertificateError::Validity));
    }
}

/// RFC 5280, section 4.1.2.5: `UTCTime` until 2049, `GeneralizedTime` from 2050 on.
#[test]
fn times_beyond_2049() {
    let key = key_of("ML-DSA-44", 1);
    let root = |until| Template::new("CN=X", day(0)..=until).unwrap().root(&key).unwrap();
    // 2050-01-01 is 8766 days after 2026-01-01.
    for (until, tag) in [(day(8766) - Duration::from_secs(1), 0x17), (day(8766), 0x18)] {
        let der = root(until);
        let der = der.as_der();
        let from = der.windows(2).position(|bytes| bytes == [0x17, 13]).unwrap();
        assert_eq!(der[from + 15], tag);
    }
    let root = root(day(36500));
    let at = VerifyOptions::at(day(36499));
    assert!(verify_chain(&root, &[], std::slice::from_ref(&root), &at).is_ok());
}

/// A trusted certificate that was signed by an older key of the same issuer is not self-signed, and
/// its signature is not verified.
#[test]
fn trusted_certificates_that_name_an_older_key() {
    let [old_key, new_key, key] = [1, 2, 3].map(|first| key_of("ML-DSA-44", first));
    let old = template("CN=Root").root(&old_key).unwrap();
    let authority = Authority::new(&old, &old_key).unwrap();
    let new = template("CN=Root").intermediate(&new_key.public_key(), &authority).unwrap();
    assert!(new.is_self_issued() && !new.is_self_signed() && old.is_self_signed());
    let leaf = entity(&key, &new, &new_key);
    let path = verify_chain(&leaf, &[], std::slice::from_ref(&new), &now());
    assert_eq!(path.unwrap(), [&leaf, &new]);
    // And a path through both: an authority that renewed its key does not count for path lengths.
    let old = template("CN=Root").path_len(0).root(&old_key).unwrap();
    let (middle, roots) = ([new], [old]);
    assert_eq!(verify_chain(&leaf, &middle, &roots, &now()).unwrap().len(), 3);
}

/// A classical algorithm is named, not reported as invalid.
#[test]
fn unsupported_algorithms_are_named() {
    let chain = chain();
    // The identifier of ML-DSA-44 becomes the next free one of NIST's arc, of the same length.
    let own = object_identifier(Identity::by_name("ML-DSA-44").unwrap());
    let other = [&own[..own.len() - 1], &[1]].concat();
    let mut der = chain.entity.as_der().to_vec();
    for at in 0..der.len() - own.len() {
        if der[at..at + own.len()] == own {
            der[at..at + own.len()].copy_from_slice(&other);
        }
    }
    let entity = Certificate::from_der(&der).unwrap();
    let error = Chain { entity, ..chain }.verify(&now()).unwrap_err();
    let ChainError::UnsupportedAlgorithm { subject, algorithm } = error else { panic!("{error}") };
    assert_eq!(subject, "CN=Entity");
    assert!(algorithm.contains("2.16.840.1.101.3.4.3.1"), "{algorithm}");
}
