//! The reports of `inspect`, as text and as JSON, and that they contain no secrets.

use oaklath_pki::{
    Agreement, Authority, Certificate, Content, Form, Identity, Item, PemError, Request, Signing,
    VerifyOptions, encode_pem, inspect, verify_chain,
};
use serde_json::{Value, json};

use crate::common::{altered, built, day, key, key_of, object_identifier, template, tlv};

fn one(bytes: &[u8]) -> Item {
    let items = inspect(bytes).unwrap();
    assert_eq!(items.len(), 1);
    items.into_iter().next().unwrap()
}

fn json_of(item: &Item) -> Value {
    serde_json::to_value(item).unwrap()
}

#[test]
fn private_keys_of_every_form() {
    for identity in built() {
        let key = key(identity, 0x61);
        for form in Form::ALL.into_iter().filter(|form| form.suits(identity)) {
            let der = key.to_der(form).unwrap();
            let pem = key.to_pem(form).unwrap();
            for (bytes, label) in [(&**der, None), (pem.as_bytes(), Some("PRIVATE KEY"))] {
                let item = one(bytes);
                assert_eq!((item.label.as_deref(), item.length), (label, der.len()));
                let Content::PrivateKey(report) = &item.content else { panic!("{item}") };
                assert_eq!(report.algorithm.name, identity.name());
                assert_eq!(report.algorithm.oid, identity.oid().as_str());
                assert_eq!(report.form.as_deref(), Some(form.as_str()));
                let has_seed = matches!(form, Form::Seed | Form::Both | Form::BareSeed);
                assert_eq!(report.seed, key.seed().filter(|_| has_seed).map(<[u8]>::len));
                let has_key = !matches!(form, Form::Seed | Form::BareSeed);
                assert_eq!(report.expanded, has_key.then(|| key.as_bytes().len()));
                assert_eq!(report.parts, Agreement::Yes);
            }
        }
    }
}

/// Checks for any eight bytes of a secret as hexadecimal, base64, decimal numbers and characters.
#[test]
fn no_secret_is_shown() {
    for name in ["ML-DSA-44", "ML-KEM-512", "Dilithium2", "SLH-DSA-SHA2-128f"] {
        let key = key_of(name, 0x61);
        for form in Form::ALL.into_iter().filter(|form| form.suits(key.identity())) {
            let der = key.to_der(form).unwrap();
            let mut damaged = der.to_vec();
            let last = damaged.len() - 1;
            damaged[last] ^= 1;
            for der in [&**der, &damaged] {
                let item = one(der);
                let shown = [
                    item.to_string(),
                    format!("{item:?}"),
                    json_of(&item).to_string(),
                    format!("{key:?}"),
                    format!("{:?}", oaklath_pki::PrivateKey::from_der(der)),
                ];
                let shown = shown.concat().to_lowercase();
                let secrets = [key.seed().unwrap_or_default(), key.as_bytes()];
                for part in secrets.iter().flat_map(|secret| secret.windows(8).step_by(5)) {
                    for written in spellings(part) {
                        assert!(!shown.contains(&written), "{name} {form}: {written}");
                    }
                }
            }
        }
    }
}

fn spellings(bytes: &[u8]) -> [String; 4] {
    let hex = |between: &str| {
        let pairs: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        pairs.join(between)
    };
    let text: String = bytes.iter().map(|&byte| char::from(byte)).collect();
    let numbers = format!("{bytes:?}");
    [hex(""), hex(":"), numbers.trim_matches(['[', ']']).to_owned(), text.to_lowercase()]
}

#[test]
fn a_private_key_as_text_and_json() {
    let item = one(&key_of("ML-KEM-512", 1).to_der(Form::Both).unwrap());
    let expected = "\
PKCS#8 private key (DER, 1730 bytes)
  private key      ML-KEM-512 (standard, level 1; 2.16.840.1.101.3.4.4.1, standard identifier)
  form             both
  holds            seed 64, private 1632 bytes
  parts agree      yes
";
    assert_eq!(item.to_string(), expected);
    let expected = json!({
        "label": null,
        "length": 1730,
        "content": { "private-key": {
            "algorithm": {
                "name": "ML-KEM-512",
                "oid": "2.16.840.1.101.3.4.4.1",
                "vocabulary": "standard",
                "level": 1,
                "status": "standard",
                "is_built": true,
            },
            "length": 1706,
            "form": "both",
            "seed": 64,
            "expanded": 1632,
            "public": null,
            "parts": "yes",
        }},
    });
    assert_eq!(json_of(&item), expected);
}

#[test]
fn broken_private_keys_say_what_is_wrong() {
    let key = key_of("ML-DSA-44", 1);
    let mut der = key.to_der(Form::Both).unwrap().to_vec();
    let last = der.len() - 1;
    der[last] ^= 1;
    let item = one(&der);
    let line =
        "parts agree      no: private key whose seed gives another expanded key: s1, s2 or t0";
    assert!(item.to_string().contains(line), "{item}");
    let reason = json_of(&item)["content"]["private-key"]["parts"]["no"].clone();
    assert!(reason.as_str().unwrap().ends_with("s1, s2 or t0 differs"));

    // An unknown form.
    let algorithm = tlv(0x30, &object_identifier(key.identity()));
    let item = one(&tlv(0x30, &[&[2, 1, 0], &*algorithm, &tlv(4, &[1; 9])].concat()));
    let text = item.to_string();
    assert!(text.contains("form             not known\n  holds            9 bytes\n"), "{text}");
    assert!(text.contains("private key of 9 bytes in no known form"), "{text}");
}

#[test]
fn algorithms_that_are_not_built_or_not_known() {
    let mut keys = Identity::all().filter(|identity| !identity.is_built()).map(|identity| {
        let octets = tlv(4, &vec![0x77; identity.private_key_len()]);
        let algorithm = tlv(0x30, &object_identifier(identity));
        (identity, one(&tlv(0x30, &[&[2, 1, 0], &*algorithm, &octets].concat())))
    });
    keys.by_ref().for_each(|(identity, item)| {
        let text = item.to_string();
        assert!(text.contains("; not in this build)"), "{text}");
        assert!(text.contains("form             bare"), "{text}");
        let reason = format!("parts agree      not checked: {} is not in", identity.name());
        assert!(text.contains(&reason), "{text}");
    });
    let rsa = [6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0xd, 1, 1, 1, 5, 0];
    let item = one(&tlv(0x30, &[&[2, 1, 0], &*tlv(0x30, &rsa), &tlv(4, &[1; 9])].concat()));
    let text = item.to_string();
    let line = "private key      rsaEncryption (1.2.840.113549.1.1.1), not an algorithm of Oaklath";
    assert!(text.contains(line), "{text}");
}

fn certificate() -> Certificate {
    let keys = [1, 2].map(|first| key_of("ML-DSA-44", first));
    let root = template("CN=Root,O=Example").root(&keys[0]).unwrap();
    let authority = Authority::new(&root, &keys[0]).unwrap();
    let entity = template("CN=Entity").dns("door.example").unwrap().ip([192, 0, 2, 1].into());
    entity.entity(&keys[1].public_key(), &authority).unwrap()
}

#[test]
fn certificates_as_text() {
    let item = one(certificate().to_pem().as_bytes());
    let text = item.to_string();
    let algorithm = "ML-DSA-44 (standard, level 2; 2.16.840.1.101.3.4.3.17, standard identifier)";
    let lines = [
        "  version          3",
        "  serial number    07",
        "  subject          CN=Entity",
        "  issuer           CN=Root,O=Example",
        "  valid from       2026-01-11T00:00:00Z",
        "  valid until      2026-01-21T00:00:00Z",
        &format!("  public key       {algorithm}"),
        "                   1312 bytes",
        "  key is valid     yes",
        &format!("  signature        {algorithm}"),
        "                   2420 bytes",
        "  extensions       id-ce-basicConstraints (critical): no authority",
        "                   id-ce-keyUsage (critical): digitalSignature",
        "                   id-ce-extKeyUsage: serverAuth, clientAuth",
        "                   id-ce-subjectAltName: door.example, 192.0.2.1",
    ];
    let mut rest = text.lines();
    assert!(rest.next().unwrap().starts_with("X.509 certificate (PEM CERTIFICATE, "));
    for line in lines {
        assert!(rest.any(|found| found == line), "{line}\nin\n{text}");
    }
    // The root signed it, so there is no line about a self-signature.
    assert!(!text.contains("verifies itself"));
}

/// A terminal that shows a report or an error neither obeys a name nor reorders it.
#[test]
fn names_are_escaped() {
    let (given, shown) =
        ("CN=\u{9b}2J\u{202e}\u{85}e\u{301}\\, O'B", "CN=\\u{9b}2J\\u{202e}\\u{85}e\u{301}\\, O'B");
    let root = template(given).root(&key_of("ML-DSA-44", 1)).unwrap();
    let Content::Certificate(report) = one(root.as_der()).content else { panic!("{root:?}") };
    assert_eq!((&*report.subject, &*report.issuer), (shown, shown));
    assert!(format!("{root:?}").contains(shown));
    let error = verify_chain(&root, &[], &[], &VerifyOptions::at(day(0))).unwrap_err();
    assert!(error.to_string().contains(shown), "{error}");
    let error = verify_chain(&root, &[], &[], &VerifyOptions::at(day(15))).unwrap_err();
    assert_eq!(error.to_string().matches(shown).count(), 2, "{error}");
}

#[test]
fn roots_say_whether_they_verify() {
    let keys = [1, 2].map(|first| key_of("Dilithium2", first));
    let root = template("CN=Root").path_len(1).root(&keys[0]).unwrap();
    let text = one(root.as_der()).to_string();
    assert!(text.contains("verifies itself  yes"), "{text}");
    assert!(text.contains("(critical): authority, at most 1 below it"), "{text}");
    assert!(text.contains("id-ce-keyUsage (critical): keyCertSign, cRLSign"), "{text}");
    assert!(text.contains("(legacy, level 2; 1.3.6.1.4.1.2.267.7.4.4, appendix identifier)"));
    let wrong = altered(&root, 3, &crate::common::extensions(&root), &keys[1]);
    let item = one(wrong.as_der());
    let text = item.to_string();
    assert!(text.contains("verifies itself  no: signature does not verify"), "{text}");
    let report = &json_of(&item)["content"]["certificate"];
    assert_eq!(report["self_signature"]["no"], "signature does not verify");
    assert_eq!(report["version"], 3);
    let bare = altered(&root, 1, &[], &keys[0]);
    let report = &json_of(&one(bare.as_der()))["content"]["certificate"];
    assert_eq!((&report["version"], &report["self_signature"]), (&json!(1), &json!("yes")));
}

#[test]
fn requests_and_public_keys() {
    let key = key_of("ML-DSA-44", 1);
    let request = Request::new(&key, "CN=X", &["x.example"], Signing::Deterministic).unwrap();
    for bytes in [request.as_der(), request.to_pem().as_bytes()] {
        let item = one(bytes);
        let text = item.to_string();
        assert!(text.starts_with("PKCS#10 certification request ("), "{text}");
        assert!(text.contains("verifies itself  yes"), "{text}");
        assert!(text.contains("extensions       id-ce-subjectAltName: x.example"), "{text}");
        assert_eq!(json_of(&item)["content"]["request"]["self_signature"], "yes");
    }
    let public = key.public_key();
    for bytes in [&*public.to_der(), public.to_pem().as_bytes()] {
        let Content::PublicKey(report) = one(bytes).content else { panic!() };
        assert_eq!((report.length, report.valid), (1312, Agreement::Yes));
        let identifier = report.key_identifier.unwrap().replace(':', "");
        let own: String =
            public.key_identifier().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(identifier, own);
    }
}

#[test]
fn files_of_several_blocks_and_strange_ones() {
    let key = key_of("ML-DSA-44", 1);
    let text = [
        certificate().to_pem(),
        key.to_pem(Form::Seed).unwrap().to_string(),
        encode_pem("ENCRYPTED PRIVATE KEY", &[1]).to_string(),
        encode_pem("DH PARAMETERS", &[1]).to_string(),
        encode_pem("CERTIFICATE", &[1]).to_string(),
    ];
    let items = inspect(text.concat().as_bytes()).unwrap();
    let kinds: Vec<&str> = items.iter().map(|item| item.content.kind()).collect();
    let unknown = "not known";
    let expected = ["X.509 certificate", "PKCS#8 private key", unknown, unknown, unknown];
    assert_eq!(kinds, expected);
    assert!(items[2].to_string().contains("private key is encrypted"));
    assert!(items[3].to_string().contains("a PEM label that is not known here"));
    assert!(items[4].to_string().contains("not a certificate"));
    // The digit 0 is also the first byte of DER.
    let text = format!("0 s:CN=first\n{}", text.concat());
    assert_eq!(inspect(text.as_bytes()).unwrap().len(), kinds.len());
    assert_eq!(inspect(b"hello"), Err(PemError::NoBlock));
    assert_eq!(inspect(&[0xff, 0xfe]), Err(PemError::NoBlock));
    assert!(matches!(one(&[0x30, 0]).content, Content::Unknown { .. }));
}

/// Whatever the bytes are, there is a report or an error.
#[test]
fn truncated_and_changed_files_never_panic() {
    let certificate = certificate();
    let request = Request::new(&key_of("ML-DSA-44", 1), "CN=X", &["x"], Signing::Deterministic);
    let request = request.unwrap();
    let key = key_of("ML-DSA-44", 1).to_der(Form::Seed).unwrap();
    for der in [certificate.as_der(), request.as_der(), &key] {
        for len in 1..der.len() {
            assert!(matches!(one(&der[..len]).content, Content::Unknown { .. }), "{len}");
        }
        for at in 1..der.len().min(600) {
            for bit in [1, 0x80] {
                let mut der = der.to_vec();
                der[at] ^= bit;
                assert!(!one(&der).to_string().is_empty());
            }
        }
    }
}
