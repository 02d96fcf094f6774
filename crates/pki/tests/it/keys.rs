//! Private and public keys: every form of every identity is written and read back, and damaged keys
//! are rejected for the right reason.

use oaklath_kem::Error::DecapsulationKeyHash;
use oaklath_pki::x509_cert::der::asn1::ObjectIdentifier;
use oaklath_pki::{
    Algorithm, Certificate, CertificateError, Form, Identity, KeyError, PemError, PrivateKey,
    Profile, PublicKey, Request, Signing, encode_pem,
};
use oaklath_sig::Error::{
    SecretKeyEncoding, SecretKeyHash, SecretKeyInconsistent, SecretKeyLowBits,
};

use crate::common::{built, key, key_of, object_identifier, template, tlv};

fn refusal(der: &[u8]) -> KeyError {
    PrivateKey::from_der(der).unwrap_err()
}

/// Returns the DER of a key with one bit changed, `before_end` bytes before its end.
fn damaged(key: &PrivateKey, form: Form, before_end: usize) -> Vec<u8> {
    let mut der = key.to_der(form).unwrap().to_vec();
    let at = der.len() - before_end;
    der[at] ^= 1;
    der
}

/// Encodes PKCS#8 of version 0.
fn pkcs8(oid: &[u8], parameters: &[u8], octets: &[u8]) -> Vec<u8> {
    let algorithm = tlv(0x30, &[oid, parameters].concat());
    tlv(0x30, &[&[2, 1, 0], &*algorithm, &tlv(4, octets)].concat())
}

#[test]
fn every_form_of_every_identity_comes_back() {
    for identity in built() {
        let key = key(identity, 3);
        assert_eq!(key.form(), identity.standard_form());
        for form in Form::ALL {
            if !form.suits(identity) {
                let error = KeyError::FormUnavailable { name: identity.name(), form };
                assert_eq!(key.to_der(form).unwrap_err(), error);
                continue;
            }
            let der = key.to_der(form).unwrap();
            let pem = key.to_pem(form).unwrap();
            let read = [PrivateKey::from_der(&der), PrivateKey::from_pem(&pem)];
            for read in read.map(Result::unwrap) {
                assert_eq!((read.identity(), read.form()), (identity, form));
                assert_eq!(read.as_bytes(), key.as_bytes(), "{identity} {form}");
                assert_eq!(read.public_key(), key.public_key());
                let has_seed = matches!(form, Form::Seed | Form::Both | Form::BareSeed);
                assert_eq!(read.seed(), key.seed().filter(|_| has_seed));
                assert_eq!(*read.to_der(form).unwrap(), *der);
            }
        }
    }
}

#[test]
fn a_key_stands_under_every_object_identifier_of_its_algorithm() {
    for identity in built() {
        assert_eq!(identity.in_profile(Profile::Current).unwrap().name(), identity.name());
        let appendix = identity.in_profile(Profile::Appendix);
        match &appendix {
            Ok(found) => {
                assert_eq!((found.name(), found.vocabulary()), (identity.name(), "appendix"));
            }
            Err(error) => {
                let (name, profile) = (identity.name(), Profile::Appendix);
                assert_eq!(*error, KeyError::NotInProfile { name, profile });
            }
        }
        let moved = key(identity, 3).with_identity(appendix.unwrap_or(identity)).unwrap();
        let read = PrivateKey::from_der(&moved.to_der(moved.form()).unwrap()).unwrap();
        assert_eq!((read.identity(), read.public_key()), (moved.identity(), moved.public_key()));
    }
    let [a, b] = ["ML-DSA-44", "ML-DSA-65"].map(|name| Identity::by_name(name).unwrap());
    let error = KeyError::AlgorithmDiffers { expected: b.name(), found: a.name() };
    assert_eq!(key(a, 3).with_identity(b).unwrap_err(), error);
}

#[test]
fn public_keys_come_back() {
    for identity in built() {
        let public = key(identity, 5).public_key();
        assert_eq!(PublicKey::from_der(&public.to_der()).as_ref(), Ok(&public));
        assert_eq!(PublicKey::from_pem(&public.to_pem()).as_ref(), Ok(&public));
        assert_eq!(PublicKey::new(identity, public.as_bytes()).as_ref(), Ok(&public));
        assert_eq!(public.key_identifier().len(), 20);
        let (name, expected) = (identity.name(), identity.public_key_len());
        for found in [0, expected - 1, expected + 1] {
            let error = KeyError::PublicKeyLength { name, expected, found };
            assert_eq!(PublicKey::new(identity, &vec![0; found]), Err(error));
        }
    }
}

/// A key in every form signs what its public key verifies, or decapsulates what it encapsulates.
#[test]
fn keys_that_were_read_work() {
    for name in ["ML-DSA-65", "ML-KEM-768", "Dilithium3", "Falcon-512", "SLH-DSA-SHAKE-128f"] {
        let key = key_of(name, 1);
        let public = key.public_key();
        for form in Form::ALL.into_iter().filter(|form| form.suits(key.identity())) {
            let key = PrivateKey::from_der(&key.to_der(form).unwrap()).unwrap();
            let Some(kem) = key.identity().kem() else {
                let mut signature = key.sign(b"text", Signing::Hedged).unwrap();
                assert_eq!(public.verify(b"text", &signature), Ok(()));
                signature[40] ^= 1;
                let error = KeyError::Sig(oaklath_sig::Error::InvalidSignature);
                assert_eq!(public.verify(b"text", &signature), Err(error));
                assert!(matches!(key.decapsulator(), Err(KeyError::NoDecapsulation { .. })));
                continue;
            };
            let info = kem.info();
            let mut ciphertext = vec![0; info.ciphertext];
            let [mut theirs, mut ours] = [vec![0; info.shared_secret], vec![0; info.shared_secret]];
            let coins = vec![9; kem.coins_len()];
            let public = public.as_bytes();
            kem.encapsulate_from(&coins, public, &mut ciphertext, &mut theirs).unwrap();
            key.decapsulator().unwrap().decapsulate(&ciphertext, &mut ours).unwrap();
            assert_eq!(ours, theirs);
            let error = KeyError::NoSignatures { name: key.identity().name() };
            assert_eq!(key.sign(b"", Signing::Hedged), Err(error));
        }
    }
}

#[test]
fn ml_dsa_keys_with_one_wrong_part_are_refused() {
    let key = key_of("ML-DSA-44", 1);
    let len = key.as_bytes().len();
    let inconsistent = || Some(KeyError::Sig(SecretKeyInconsistent));
    for (part, at, error) in [
        ("rho", 0, inconsistent()),
        // No other part depends on this secret.
        ("K", 32, None),
        ("tr", 64, Some(KeyError::Sig(SecretKeyHash))),
        ("s1, s2 or t0", 128, Some(KeyError::Sig(SecretKeyEncoding))),
        ("s1, s2 or t0", 129, inconsistent()),
        ("s1, s2 or t0", len - 1, Some(KeyError::Sig(SecretKeyLowBits))),
    ] {
        for form in [Form::Expanded, Form::Bare] {
            let read = PrivateKey::from_der(&damaged(&key, form, len - at));
            assert_eq!(read.err(), error, "{part} at {at}");
        }
        let error = refusal(&damaged(&key, Form::Both, len - at));
        assert_eq!(error, KeyError::SeedAndExpandedDiffer { part });
    }
    // The seed.
    let error = refusal(&damaged(&key, Form::Both, len + 4 + 32));
    assert_eq!(error, KeyError::SeedAndExpandedDiffer { part: "rho" });
}

#[test]
fn ml_kem_keys_with_one_wrong_part_are_refused() {
    let key = key_of("ML-KEM-512", 1);
    let (len, public) = (key.as_bytes().len(), key.public_key().as_bytes().len());
    let s = len - public - 64;
    let inconsistent = || Some(KeyError::Inconsistent);
    let hash = || Some(KeyError::Kem(DecapsulationKeyHash));
    for (part, at, error) in [
        ("s", 0, inconsistent()),
        ("s", s - 1, inconsistent()),
        ("ek", s, hash()),
        ("ek", s + public - 1, hash()),
        ("H(ek)", len - 64, hash()),
        // Nothing depends on z.
        ("z", len - 32, None),
        ("z", len - 1, None),
    ] {
        for form in [Form::Expanded, Form::Bare] {
            let read = PrivateKey::from_der(&damaged(&key, form, len - at));
            assert_eq!(read.err(), error, "{part} at {at}");
        }
        let error = refusal(&damaged(&key, Form::Both, len - at));
        assert_eq!(error, KeyError::SeedAndExpandedDiffer { part });
    }
    // The seed: d, then z.
    for (at, part) in [(64, "s"), (1, "z")] {
        let error = refusal(&damaged(&key, Form::Both, len + 4 + at));
        assert_eq!(error, KeyError::SeedAndExpandedDiffer { part });
    }
}

#[test]
fn the_public_key_beside_a_private_key_must_be_its_own() {
    for identity in built() {
        let (own, other) = (key(identity, 1).public_key(), key(identity, 2).public_key());
        let key = key(identity, 1);
        let mut octets = key.to_der(Form::Oqs).unwrap().to_vec();
        let at = octets.len() - own.as_bytes().len();
        octets[at..].copy_from_slice(other.as_bytes());
        assert_eq!(refusal(&octets), KeyError::PublicKeyDiffers, "{identity}");
        // Version 1 of PKCS#8 has a field for the public key.
        let with = |public: &PublicKey, version: u8| {
            let algorithm = tlv(0x30, &object_identifier(identity));
            let public = tlv(0x81, &[&[0], public.as_bytes()].concat());
            let private = tlv(4, key.as_bytes());
            tlv(0x30, &[&[2, 1, version], &*algorithm, &private, &public].concat())
        };
        assert_eq!(PrivateKey::from_der(&with(&own, 1)).unwrap().form(), Form::Bare);
        assert_eq!(refusal(&with(&other, 1)), KeyError::PublicKeyDiffers);
        assert!(matches!(refusal(&with(&own, 0)), KeyError::Malformed(_)));
    }
}

#[test]
fn wrong_algorithms_are_refused() {
    let key = key_of("Dilithium2", 1);
    let name = key.identity().name();
    let octets = tlv(4, &[key.as_bytes(), key.public_key().as_bytes()].concat());
    let oid = |name| object_identifier(Identity::by_name(name).unwrap());
    let own = pkcs8(&oid("Dilithium2"), &[], &octets);
    assert_eq!(PrivateKey::from_der(&own).unwrap().public_key(), key.public_key());

    // The same length, but another algorithm.
    let error = refusal(&pkcs8(&oid("Dilithium2-AES"), &[], &octets));
    assert_eq!(error, KeyError::Sig(SecretKeyInconsistent));
    let error = refusal(&pkcs8(&oid("ML-DSA-44"), &[], &octets));
    let found = octets.len();
    let expected = KeyError::Contents { name: "ML-DSA-44", found, seed: Some(32), expanded: 2560 };
    assert_eq!(error, expected);

    let rsa = [6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0xd, 1, 1, 1];
    let oid_of_rsa = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
    let unsupported = KeyError::UnsupportedAlgorithm { oid: oid_of_rsa };
    assert_eq!(refusal(&pkcs8(&rsa, &[5, 0], &octets)), unsupported);
    let null = refusal(&pkcs8(&oid("Dilithium2"), &[5, 0], &octets));
    assert_eq!(null, KeyError::Parameters { name });

    let spki = |oid: &[u8], parameters: &[u8], unused: u8| {
        let algorithm = tlv(0x30, &[oid, parameters].concat());
        let bits = tlv(3, &[&[unused], key.public_key().as_bytes()].concat());
        tlv(0x30, &[algorithm, bits].concat())
    };
    let read = |der: &[u8]| PublicKey::from_der(der);
    assert_eq!(read(&spki(&oid("Dilithium2"), &[], 0)), Ok(key.public_key()));
    assert_eq!(read(&spki(&oid("Dilithium2"), &[5, 0], 0)), Err(KeyError::Parameters { name }));
    assert_eq!(read(&spki(&rsa, &[5, 0], 0)), Err(unsupported));
    assert!(read(&spki(&oid("Dilithium2"), &[], 1)).is_err());
    assert!(matches!(
        read(&spki(&oid("ML-DSA-65"), &[], 0)),
        Err(KeyError::PublicKeyLength { name: "ML-DSA-65", expected: 1952, found: 1312 })
    ));
}

/// Wycheproof's cases 28 of SPKI and 38 of PKCS#8 for ML-DSA-44: a leading zero in the last arc.
#[test]
fn object_identifiers_have_one_encoding() {
    let key = key_of("ML-DSA-44", 1);
    let oid = object_identifier(key.identity());
    assert_eq!(oid, [0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03, 0x11]);
    let longer = [0x06, 0x0a, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03, 0x80, 0x11];
    let error = KeyError::IdentifierEncoding { name: "ML-DSA-44" };
    assert_eq!(refusal(&pkcs8(&longer, &[], &tlv(0x80, key.seed().unwrap()))), error);
    let spki = |oid: &[u8]| {
        let bits = tlv(3, &[&[0], key.public_key().as_bytes()].concat());
        tlv(0x30, &[tlv(0x30, oid), bits].concat())
    };
    assert_eq!(PublicKey::from_der(&spki(&oid)), Ok(key.public_key()));
    assert_eq!(PublicKey::from_der(&spki(&longer)), Err(error.clone()));

    // Also outside the signed part: a certificate or a request has only one encoding.
    let certificate = template("CN=X").root(&key).unwrap();
    let request = Request::new(&key, "CN=X", &[], Signing::Deterministic).unwrap();
    let outside = |der: &[u8]| {
        let at = der.windows(oid.len()).rposition(|part| part == oid).unwrap() - 2;
        let inner = [&der[4..at], &tlv(0x30, &longer), &der[at + 2 + oid.len()..]].concat();
        tlv(0x30, &inner)
    };
    let read = Request::from_der(&outside(request.as_der())).unwrap();
    assert_eq!(read.verify(), Err(CertificateError::Key(error.clone())));
    let read = Certificate::from_der(&outside(certificate.as_der())).unwrap();
    assert_eq!(read.signature_identity(), Err(error));
    assert!(read.verify_signature(&key.public_key()).is_err());
}

/// The structure that Bouncy Castle 1.84 writes under the current object identifiers.
#[test]
fn falcon_keys_of_bouncy_castle() {
    for (name, short, long) in [("Falcon-512", 384, 512), ("Falcon-1024", 640, 1024)] {
        let key = key_of(name, 1);
        let (private, public) = (key.as_bytes(), key.public_key());
        let (f, rest) = private[1..].split_at(short);
        let (g, capital_f) = rest.split_at(short);
        assert_eq!(capital_f.len(), long);
        let h = |public: &[u8]| tlv(0x30, &tlv(4, public));
        let structure = |version, h: &[u8]| {
            let parts = [f, g, capital_f].map(|part| tlv(4, part)).concat();
            let octets = tlv(0x30, &[&[2, 1, version], &*parts, h].concat());
            pkcs8(&object_identifier(key.identity()), &[], &octets)
        };
        let whole = structure(0, &h(&public.as_bytes()[1..]));
        let read = PrivateKey::from_der(&whole).unwrap();
        assert_eq!(
            (read.form(), read.as_bytes(), &read.public_key()),
            (Form::Parts, private, &public)
        );
        assert_eq!(*key.to_der(Form::Parts).unwrap(), whole);
        assert!(PrivateKey::from_der(&structure(0, &[])).is_ok());
        let mut other = public.as_bytes()[1..].to_vec();
        other[9] ^= 1;
        assert_eq!(refusal(&structure(0, &h(&other))), KeyError::PublicKeyDiffers);
        for wrong in [structure(1, &[]), structure(0, &h(&other[1..])), structure(0, &[5, 0])] {
            assert!(matches!(refusal(&wrong), KeyError::Contents { .. }));
        }
    }
}

/// Public keys, which need only lengths, are read; what needs the algorithm is rejected by name.
#[test]
fn algorithms_that_are_not_built_are_named() {
    for identity in Identity::all().filter(|identity| !identity.is_built()) {
        let not_built = KeyError::NotBuilt { name: identity.name() };
        let octets = vec![1; identity.private_key_len()];
        assert_eq!(refusal(&pkcs8(&object_identifier(identity), &[], &octets)), not_built);
        assert_eq!(PrivateKey::generate(identity).unwrap_err(), not_built);
        let public = PublicKey::new(identity, &vec![1; identity.public_key_len()]).unwrap();
        assert_eq!(PublicKey::from_der(&public.to_der()).as_ref(), Ok(&public));
        assert_eq!(public.verify(b"", b""), Err(not_built));
    }
}

#[test]
fn a_coefficient_of_q_in_an_encapsulation_key_is_refused() {
    let identity = Identity::by_name("ML-KEM-512").unwrap();
    let bytes = [&[0xff; 768][..], &[0; 32]].concat();
    let error = KeyError::Kem(oaklath_kem::Error::EncapsulationKeyNotCanonical);
    assert_eq!(PublicKey::new(identity, &bytes), Err(error));
}

#[test]
fn truncated_keys_and_trailing_bytes_are_errors() {
    for name in ["ML-DSA-44", "ML-KEM-512", "Dilithium2", "SLH-DSA-SHA2-128f"] {
        let key = key_of(name, 1);
        for form in Form::ALL.into_iter().filter(|form| form.suits(key.identity())) {
            let der = key.to_der(form).unwrap();
            for len in 0..der.len() {
                assert!(matches!(refusal(&der[..len]), KeyError::Malformed(_)), "{form} {len}");
            }
            assert!(matches!(refusal(&[&**der, &[0]].concat()), KeyError::Malformed(_)));

            // Cuts inside the octet string, with correct lengths around it.
            let octets = pkcs8_octets(&der);
            let oid = object_identifier(key.identity());
            for len in (0..octets.len()).chain([octets.len() + 1]) {
                // Another form has this length.
                if Some(len) == key.identity().seed_len() || len == key.as_bytes().len() {
                    continue;
                }
                let mut octets = octets.to_vec();
                octets.resize(len, 0);
                let error = refusal(&pkcs8(&oid, &[], &octets));
                assert!(matches!(error, KeyError::Contents { .. }), "{name} {form} {len}: {error}");
            }
        }
        let der = key.public_key().to_der();
        for len in 0..der.len() {
            assert!(matches!(PublicKey::from_der(&der[..len]), Err(KeyError::Malformed(_))));
        }
        assert!(PublicKey::from_der(&[&*der, &[0]].concat()).is_err());
    }
}

/// Returns the octets of `privateKey`, which are at the end of the structure.
fn pkcs8_octets(der: &[u8]) -> &[u8] {
    let starts = (0..der.len()).filter(|&at| der[at] == 4);
    let header = |at: usize| match der.get(at + 1)? {
        &len @ 0..=0x7f => Some((2, usize::from(len))),
        0x81 => Some((3, usize::from(*der.get(at + 2)?))),
        0x82 => Some((4, usize::from(*der.get(at + 2)?) << 8 | usize::from(*der.get(at + 3)?))),
        _ => None,
    };
    let whole = starts.filter_map(|at| header(at).map(|(skip, len)| (at + skip, len)));
    let mut whole = whole.filter(|(start, len)| start + len == der.len());
    &der[whole.next().unwrap().0..]
}

#[test]
fn truncated_pem_is_an_error() {
    let text = key_of("ML-KEM-512", 1).to_pem(Form::Seed).unwrap();
    for len in 0..text.trim_end().len() {
        assert!(matches!(PrivateKey::from_pem(&text[..len]), Err(KeyError::Pem(_))), "{len}");
    }
}

#[test]
fn labels_of_private_keys() {
    let key = key_of("Dilithium2", 1);
    let der = key.to_der(Form::Oqs).unwrap();
    for label in ["PRIVATE KEY", "DILITHIUM2 PRIVATE KEY", "DILITHIUM_LEVEL2 PRIVATE KEY"] {
        let read = PrivateKey::from_pem(&encode_pem(label, &der)).unwrap();
        assert_eq!(read.public_key(), key.public_key(), "{label}");
    }
    let read = |label| PrivateKey::from_pem(&encode_pem(label, &der)).unwrap_err();
    assert_eq!(read("ENCRYPTED PRIVATE KEY"), KeyError::Encrypted);
    for label in ["PUBLIC KEY", "RSA PRIVATE KEY", "XPRIVATE KEY", " PRIVATE KEY"] {
        let found = vec![label.trim_start().to_owned()];
        match read(label) {
            KeyError::Pem(PemError::Label { expected: "PRIVATE KEY", found: labels }) => {
                assert_eq!(labels.iter().map(|l| l.trim()).collect::<Vec<_>>(), found);
            }
            error => panic!("{label}: {error}"),
        }
    }
    // Another block in front, as OpenSSL writes for curves.
    let text = [encode_pem("EC PARAMETERS", &[5, 0]), key.to_pem(Form::Oqs).unwrap()];
    let text = text.map(|text| text.to_string()).concat();
    assert_eq!(PrivateKey::from_pem(&text).unwrap().public_key(), key.public_key());
}

#[test]
fn forms_with_a_seed_need_the_seed() {
    let key = key_of("ML-DSA-44", 1);
    let read = PrivateKey::from_der(&key.to_der(Form::Expanded).unwrap()).unwrap();
    for form in [Form::Seed, Form::Both, Form::BareSeed] {
        assert_eq!(read.to_der(form).unwrap_err(), KeyError::NoSeed { form });
    }
    for form in [Form::Expanded, Form::Oqs, Form::Bare] {
        assert_eq!(*read.to_der(form).unwrap(), *key.to_der(form).unwrap());
    }
}

#[test]
fn seeds_have_one_length() {
    for identity in built() {
        let len = key(identity, 0).seed().map_or(0, <[u8]>::len);
        for wrong in [len + 1, 1] {
            let error = PrivateKey::from_seed(identity, &vec![0; wrong]).unwrap_err();
            let is_length = match identity.algorithm() {
                Algorithm::Kem(_) => {
                    matches!(error, KeyError::Kem(oaklath_kem::Error::SeedLength { .. }))
                }
                _ => matches!(error, KeyError::Sig(oaklath_sig::Error::SeedLength { .. })),
            };
            assert!(is_length, "{identity}: {error}");
        }
    }
}

#[test]
fn generated_keys_differ() {
    for name in ["ML-DSA-44", "ML-KEM-512", "Dilithium2", "SLH-DSA-SHA2-128f"] {
        let identity = Identity::by_name(name).unwrap();
        let [a, b] = [(), ()].map(|()| PrivateKey::generate(identity).unwrap());
        assert_ne!(a.as_bytes(), b.as_bytes());
        assert_ne!(a.public_key(), b.public_key());
        let shown = format!("{a:?}");
        assert_eq!(shown, format!("PrivateKey({identity}, {})", identity.standard_form()));
    }
}
