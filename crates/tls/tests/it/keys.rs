//! What loads, what signs, and what is offered.

use std::sync::Arc;

use oaklath_params::sig::{IDENTITIES, SigIdentity};
use oaklath_pki::{Form, Identity, PrivateKey};
use oaklath_tls::Builder;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer, SignatureVerificationAlgorithm};
use rustls::sign::{Signer, SigningKey};
use rustls::{Error, InconsistentKeys, ServerConfig, SignatureScheme};

use crate::chains::{
    Issued, algorithm, client, der, identities, is_legacy, named, new_key, scheme, server,
};
use crate::support::{Broken, Failure, Pair, bases};

fn full(base: &CryptoProvider) -> CryptoProvider {
    Builder::new(base.clone()).allow_legacy().build().unwrap()
}

fn locked(base: &CryptoProvider) -> CryptoProvider {
    Builder::new(base.clone()).build().unwrap()
}

fn load(
    provider: &CryptoProvider,
    key: PrivateKeyDer<'static>,
) -> Result<Arc<dyn SigningKey>, Error> {
    provider.key_provider.load_private_key(key)
}

fn pkcs8(der: &[u8]) -> PrivateKeyDer<'static> {
    PrivatePkcs8KeyDer::from(der.to_vec()).into()
}

fn schemes(provider: &CryptoProvider) -> Vec<SignatureScheme> {
    provider.signature_verification_algorithms.supported_schemes()
}

#[test]
fn keys_load_in_every_form() {
    for base in bases() {
        let provider = full(&base);
        for identity in identities() {
            let key = new_key(identity);
            for form in Form::ALL.into_iter().filter(|form| form.suits(algorithm(identity))) {
                let loaded = load(&provider, pkcs8(&key.to_der(form).unwrap())).unwrap();
                let spki = loaded.public_key().unwrap();
                assert_eq!(spki.as_ref(), key.public_key().to_der(), "{form}");
                assert!(loaded.choose_scheme(&schemes(&base)[..1]).is_none());
                let signer = loaded.choose_scheme(&schemes(&provider)).unwrap();
                assert_eq!(signer.scheme(), scheme(identity));
                assert!(format!("{loaded:?} {signer:?}").contains(identity.algorithm.name));
            }
        }
    }
}

#[test]
fn keys_that_are_wrong_say_why() {
    let [base, ..] = bases();
    let provider = full(&base);
    let refuse = |der: &[u8]| match load(&provider, pkcs8(der)) {
        Err(Error::General(text)) => text,
        other => panic!("{other:?}"),
    };
    // The last byte of a key that is stored with its seed is changed.
    let mut both = new_key(named("ML-DSA-65")).to_der(Form::Both).unwrap();
    *both.last_mut().unwrap() ^= 1;
    assert!(refuse(&both).contains("seed"), "{}", refuse(&both));
    // The seed is one byte short, and so are the three lengths that enclose it.
    let mut short = new_key(named("ML-DSA-44")).to_der(Form::Seed).unwrap().to_vec();
    short.pop();
    let lengths = [1, short.len() - 34, short.len() - 32];
    assert_eq!(lengths.map(|at| short[at]), [52, 34, 32]);
    for at in lengths {
        short[at] -= 1;
    }
    assert!(refuse(&short).contains("ML-DSA-44"), "{}", refuse(&short));
    // A key that cannot sign.
    let kem = PrivateKey::generate(Identity::by_name("ML-KEM-768").unwrap()).unwrap();
    assert!(refuse(&kem.to_der(Form::Seed).unwrap()).contains("ML-KEM-768 makes no signatures"));
}

#[test]
fn foreign_keys_are_the_bases() {
    let key = rcgen::KeyPair::generate().unwrap().serialize_der();
    for base in bases() {
        let provider = full(&base);
        let (own, ours) =
            (load(&base, pkcs8(&key)).unwrap(), load(&provider, pkcs8(&key)).unwrap());
        assert_eq!(own.algorithm(), ours.algorithm());
        assert_eq!(own.public_key(), ours.public_key());
        for bad in [&[][..], &[0x30, 0], &key[1..]] {
            let formats = [
                pkcs8(bad),
                PrivateKeyDer::Sec1(bad.to_vec().into()),
                PrivateKeyDer::Pkcs1(bad.to_vec().into()),
            ];
            for bad in formats {
                let own = load(&base, bad.clone_key()).unwrap_err();
                assert_eq!(load(&provider, bad).unwrap_err(), own);
            }
        }
    }
}

#[test]
fn a_key_of_another_certificate_is_refused() {
    for identity in identities() {
        let (one, other) = (Issued::new(identity, false), new_key(identity));
        for base in bases() {
            let config = ServerConfig::builder_with_provider(Arc::new(full(&base)))
                .with_safe_default_protocol_versions()
                .unwrap()
                .with_no_client_auth();
            let error = config.clone().with_single_cert(one.chain.clone(), der(&other)).err();
            assert_eq!(error, Some(InconsistentKeys::KeyMismatch.into()));
            config.with_single_cert(one.chain.clone(), der(&one.key)).unwrap();
        }
    }
}

/// Checks the order: standard schemes, the base's own, round 3, without duplicates.
#[test]
fn the_order_of_preference() {
    for base in bases() {
        let rows = |legacy| {
            let compiled = |id: &&'static SigIdentity| oaklath_sig::by_identity(id).is_some();
            let rows = IDENTITIES.iter().copied().filter(compiled);
            rows.filter(move |id| is_legacy(id) == legacy).map(scheme).collect::<Vec<_>>()
        };
        let (standard, legacy) = (rows(false), rows(true));
        assert!(standard.contains(&SignatureScheme::ML_DSA_44) && legacy.len() >= 6);
        let mut own = schemes(&base);
        own.retain(|scheme| !standard.contains(scheme));
        let expected = [standard.clone(), own.clone()].concat();
        assert_eq!(schemes(&locked(&base)), expected);
        assert_eq!(schemes(&full(&base)), [expected, legacy].concat());

        // No object identifier has two algorithms, and every scheme also verifies certificates.
        let built = full(&base).signature_verification_algorithms;
        for identity in identities() {
            let mapped = verifier(&full(&base), identity);
            let id = mapped.public_key_alg_id();
            assert_eq!(built.all.iter().filter(|alg| alg.signature_alg_id() == id).count(), 1);
            assert!(!mapped.fips());
        }
    }
}

/// Returns the only algorithm for the scheme of an identity.
fn verifier(
    provider: &CryptoProvider,
    identity: &SigIdentity,
) -> &'static dyn SignatureVerificationAlgorithm {
    let mut mapping = provider.signature_verification_algorithms.mapping.iter();
    let (_, algorithms) = mapping.find(|(own, _)| *own == scheme(identity)).unwrap();
    assert_eq!(algorithms.len(), 1);
    algorithms[0]
}

#[test]
fn round_3_keys_and_signatures_need_leave() {
    for base in bases() {
        let provider = locked(&base);
        let verified = provider.signature_verification_algorithms.all;
        for identity in identities() {
            let loaded = load(&provider, der(&new_key(identity)));
            assert_eq!(loaded.is_err(), is_legacy(identity));
            assert_eq!(schemes(&provider).contains(&scheme(identity)), !is_legacy(identity));
            let id = verifier(&full(&base), identity).signature_alg_id();
            let is_verified = verified.iter().any(|algorithm| algorithm.signature_alg_id() == id);
            assert_eq!(is_verified, !is_legacy(identity));
            if let Err(error) = loaded {
                let text = error.to_string();
                let name = identity.algorithm.name;
                assert!(text.contains(name) && text.contains("allow_legacy"), "{text}");
            }
        }
    }
}

fn signer(provider: &CryptoProvider, key: &PrivateKey) -> Box<dyn Signer> {
    let key = load(provider, der(key)).unwrap();
    key.choose_scheme(&schemes(provider)).unwrap()
}

/// Every signature uses the base's randomness, and two signatures of one message differ.
#[test]
fn signatures_are_random() {
    for base in bases() {
        let (good, bad) =
            (full(&base), full(&CryptoProvider { secure_random: &Broken, ..base.clone() }));
        for identity in identities() {
            let key = new_key(identity);
            let signer_of_good = signer(&good, &key);
            let [one, two] = [(); 2].map(|()| signer_of_good.sign(b"message").unwrap());
            assert_ne!(one, two);
            for signature in [one, two] {
                key.public_key().verify(b"message", &signature).unwrap();
            }
            let error = signer(&bad, &key).sign(b"message").unwrap_err();
            assert_eq!(error, Error::FailedToGetRandomBytes);
        }
    }
}

/// A failure of the random generator ends a handshake.
#[test]
fn a_handshake_without_randomness_fails() {
    let issued = Issued::new(named("ML-DSA-44"), false);
    let [base, ..] = bases();
    let (good, bad) =
        (full(&base), full(&CryptoProvider { secure_random: &Broken, ..base.clone() }));
    let roots = issued.root.roots();
    let client = client(&good, &roots, issued.certified(&good));
    let server = server(&good, &roots, issued.certified(&bad));
    let failure = Pair::new(&client, &server).run().unwrap_err();
    assert_eq!(failure, Failure::Server(Error::FailedToGetRandomBytes));
}
