//! Wrong keys, certificates and signatures: the victim's error, and the alert that it sends.

use std::sync::Arc;

use oaklath_params::sig::SigIdentity;
use oaklath_pki::PublicKey;
use oaklath_tls::Builder;
use rustls::crypto::CryptoProvider;
use rustls::sign::{CertifiedKey, Signer, SigningKey};
use rustls::{
    AlertDescription, CertificateError, Error, PeerIncompatible, PeerMisbehaved,
    SignatureAlgorithm, SignatureScheme,
};

use crate::chains::{
    Ca, Issued, algorithm, client, future, identities, is_legacy, named, new_key, past, scheme,
    server, validity,
};
use crate::support::{Failure, Pair, bases, provider};

/// A key that signs in a wrong way.
#[derive(Debug)]
struct Hostile {
    inner: Arc<dyn SigningKey>,
    /// The scheme that the key claims, whatever is offered.
    claims: SignatureScheme,
    change: fn(&mut Vec<u8>),
}

#[derive(Debug)]
struct HostileSigner {
    inner: Box<dyn Signer>,
    claims: SignatureScheme,
    change: fn(&mut Vec<u8>),
}

impl SigningKey for Hostile {
    fn choose_scheme(&self, _: &[SignatureScheme]) -> Option<Box<dyn Signer>> {
        let all: Vec<_> = identities().map(scheme).collect();
        let inner = self.inner.choose_scheme(&all)?;
        Some(Box::new(HostileSigner { inner, claims: self.claims, change: self.change }))
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        self.inner.algorithm()
    }
}

impl Signer for HostileSigner {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        let mut signature = self.inner.sign(message)?;
        (self.change)(&mut signature);
        Ok(signature)
    }

    fn scheme(&self) -> SignatureScheme {
        self.claims
    }
}

/// Returns the chain and key of `issued`, which claims a scheme and changes signatures.
fn hostile(
    issued: &Issued,
    provider: &CryptoProvider,
    claims: SignatureScheme,
    change: fn(&mut Vec<u8>),
) -> CertifiedKey {
    let inner = issued.certified(provider).key;
    CertifiedKey::new(issued.chain.clone(), Arc::new(Hostile { inner, claims, change }))
}

/// Checks that a peer with `forged` is rejected for this reason and with this alert, as a server
/// and as a client. The honest side presents `honest` and trusts its root.
fn is_refused(
    victim: &CryptoProvider,
    hostile: &CryptoProvider,
    honest: &Issued,
    forged: &CertifiedKey,
    reason: impl Fn(&Error) -> bool,
    alert: AlertDescription,
) {
    let roots = honest.root.roots();
    let own = |provider| honest.certified(provider);

    let bad_server = server(hostile, &roots, forged.clone());
    let mut pair = Pair::new(&client(victim, &roots, own(victim)), &bad_server);
    let failure = pair.run().unwrap_err();
    assert!(matches!(&failure, Failure::Client(error) if reason(error)), "{failure:?}");
    assert_eq!(pair.alert_of(&failure), alert);

    let bad_client = client(hostile, &roots, forged.clone());
    let mut pair = Pair::new(&bad_client, &server(victim, &roots, own(victim)));
    let failure = pair.run().unwrap_err();
    assert!(matches!(&failure, Failure::Server(error) if reason(error)), "{failure:?}");
    assert_eq!(pair.alert_of(&failure), alert);
}

/// Runs a check for every identity over every base.
fn everywhere(check: impl Fn(&'static SigIdentity, &CryptoProvider)) {
    for base in bases() {
        let provider = provider(&base, &["X25519MLKEM768"]);
        for identity in identities() {
            check(identity, &provider);
        }
    }
}

fn is_bad_signature(error: &Error) -> bool {
    *error == Error::InvalidCertificate(CertificateError::BadSignature)
}

#[test]
fn another_key_than_the_certificates() {
    everywhere(|identity, provider| {
        let honest = Issued::new(identity, false);
        let key = Issued::new(identity, false).certified(provider).key;
        let forged = CertifiedKey::new(honest.chain.clone(), key);
        let alert = AlertDescription::DecryptError;
        is_refused(provider, provider, &honest, &forged, is_bad_signature, alert);
    });
}

#[test]
fn changed_signatures_of_handshakes() {
    let changes: [fn(&mut Vec<u8>); 6] = [
        |signature| signature[0] ^= 1,
        |signature| {
            let middle = signature.len() / 2;
            signature[middle] ^= 0x80;
        },
        |signature| *signature.last_mut().unwrap() ^= 1,
        |signature| signature.truncate(signature.len() - 1),
        // A zero could turn a compressed signature into the padded format.
        |signature| signature.push(1),
        Vec::clear,
    ];
    everywhere(|identity, provider| {
        let honest = Issued::new(identity, false);
        for change in changes {
            let forged = hostile(&honest, provider, scheme(identity), change);
            let alert = AlertDescription::DecryptError;
            is_refused(provider, provider, &honest, &forged, is_bad_signature, alert);
        }
    });
}

/// The last byte of a certificate belongs to its signature.
#[test]
fn changed_signatures_of_certificates() {
    everywhere(|identity, provider| {
        for intermediate in [false, true] {
            let honest = Issued::new(identity, intermediate);
            for which in 0..honest.chain.len() {
                for from_end in [1, identity.algorithm.signature / 2] {
                    let mut chain = honest.chain.clone();
                    let mut der = chain[which].to_vec();
                    let at = der.len() - from_end;
                    der[at] ^= 1;
                    chain[which] = der.into();
                    let forged = CertifiedKey::new(chain, honest.certified(provider).key);
                    let alert = AlertDescription::DecryptError;
                    is_refused(provider, provider, &honest, &forged, is_bad_signature, alert);
                }
            }
        }
    });
}

#[test]
fn certificates_out_of_their_time() {
    everywhere(|identity, provider| {
        let honest = Issued::new(identity, false);
        for validity in [past(), future()] {
            let entity = honest.root.entity(&honest.key.public_key(), validity);
            let forged = CertifiedKey::new(vec![entity], honest.certified(provider).key);
            let reason = |error: &Error| {
                matches!(
                    error,
                    Error::InvalidCertificate(
                        CertificateError::ExpiredContext { .. }
                            | CertificateError::NotValidYetContext { .. }
                    )
                )
            };
            let alert = AlertDescription::CertificateExpired;
            is_refused(provider, provider, &honest, &forged, reason, alert);
        }
    });
}

#[test]
fn a_root_that_nobody_trusts() {
    everywhere(|identity, provider| {
        let honest = Issued::new(identity, false);
        // A root of another name, and one of the same name with another key.
        let stranger = Ca::root_called("CN=Stranger", identity);
        let entity = stranger.entity(&honest.key.public_key(), validity());
        let forged = CertifiedKey::new(vec![entity], honest.certified(provider).key);
        let reason =
            |error: &Error| *error == Error::InvalidCertificate(CertificateError::UnknownIssuer);
        is_refused(provider, provider, &honest, &forged, reason, AlertDescription::UnknownCA);

        let impostor = Ca::root(identity);
        let entity = impostor.entity(&honest.key.public_key(), validity());
        let forged = CertifiedKey::new(vec![entity], honest.certified(provider).key);
        let alert = AlertDescription::DecryptError;
        is_refused(provider, provider, &honest, &forged, is_bad_signature, alert);
    });
}

/// Returns another identity whose public keys have the same length.
fn twin(identity: &SigIdentity) -> Option<&'static SigIdentity> {
    let same = |other: &&SigIdentity| {
        other.oid != identity.oid && other.algorithm.public_key == identity.algorithm.public_key
    };
    identities().find(same)
}

/// The certificate assigns the key to another algorithm, so the signature's scheme does not match
/// the certificate, or matches it but does not verify. (Falcon has two identities: a signature of
/// one is valid under the other, and a certificate may use either.)
#[test]
fn the_object_identifier_of_another_key() {
    everywhere(|identity, provider| {
        let other = |twin: &&SigIdentity| twin.algorithm != identity.algorithm;
        let Some(twin) = twin(identity).filter(other) else { return };
        let honest = Issued::new(identity, false);
        let key = honest.key.public_key();
        let renamed = PublicKey::new(algorithm(twin), key.as_bytes()).unwrap();
        let entity = honest.root.entity(&renamed, validity());
        let alert = AlertDescription::DecryptError;
        let inner = honest.certified(provider).key;
        for (claims, differs) in [(scheme(identity), true), (scheme(twin), false)] {
            let inner = inner.clone();
            let key = Arc::new(Hostile { inner, claims, change: |_| () });
            let forged = CertifiedKey::new(vec![entity.clone()], key);
            let reason = |error: &Error| match error {
                Error::InvalidCertificate(
                    CertificateError::UnsupportedSignatureAlgorithmForPublicKeyContext { .. },
                ) => differs,
                error => !differs && is_bad_signature(error),
            };
            is_refused(provider, provider, &honest, &forged, reason, alert);
        }
    });
}

/// The signature of a certificate is of another algorithm than its issuer's key.
#[test]
fn the_object_identifier_of_another_signature() {
    everywhere(|identity, provider| {
        let Some(twin) = twin(identity) else { return };
        let honest = Issued::new(identity, false);
        let impostor = Ca::root(twin);
        let entity = impostor.entity(&honest.key.public_key(), validity());
        let forged = CertifiedKey::new(vec![entity], honest.certified(provider).key);
        let reason = |error: &Error| {
            matches!(
                error,
                Error::InvalidCertificate(
                    CertificateError::UnsupportedSignatureAlgorithmForPublicKeyContext { .. }
                )
            )
        };
        let alert = AlertDescription::DecryptError;
        is_refused(provider, provider, &honest, &forged, reason, alert);
    });
}

/// Returns a provider without round-3 algorithms and one with all of them, over each base.
fn locked_and_full() -> impl Iterator<Item = [CryptoProvider; 2]> {
    let groups = ["X25519MLKEM768"];
    bases().into_iter().map(move |base| {
        [Builder::new(base.clone()).groups(groups).build().unwrap(), provider(&base, &groups)]
    })
}

/// Legacy signatures in a handshake that did not offer them.
#[test]
fn schemes_that_were_not_offered() {
    for [locked, full] in locked_and_full() {
        let honest = Issued::new(named("ML-DSA-44"), false);
        for identity in identities().filter(|identity| is_legacy(identity)) {
            let entity = new_key(identity);
            let forged = Issued {
                chain: vec![honest.root.entity(&entity.public_key(), validity())],
                root: Ca::root(identity),
                key: entity,
            };
            let forged = hostile(&forged, &full, scheme(identity), |_| ());
            let reason = |error: &Error| {
                *error == PeerMisbehaved::SignedHandshakeWithUnadvertisedSigScheme.into()
            };
            let alert = AlertDescription::IllegalParameter;
            is_refused(&locked, &full, &honest, &forged, reason, alert);
        }
    }
}

/// Legacy signatures in certificates, under a root that is trusted.
#[test]
fn certificates_signed_in_schemes_that_were_not_offered() {
    for [locked, full] in locked_and_full() {
        for identity in identities().filter(|identity| is_legacy(identity)) {
            let honest = Issued::under(identity, named("ML-DSA-44"));
            let reason = |error: &Error| {
                matches!(
                    error,
                    Error::InvalidCertificate(
                        CertificateError::UnsupportedSignatureAlgorithmContext { .. }
                    )
                )
            };
            let alert = AlertDescription::DecryptError;
            let forged = honest.certified(&full);
            is_refused(&locked, &full, &honest, &forged, reason, alert);
        }
    }
}

/// An honest peer has only legacy keys: a server cannot sign, and a client presents nothing.
#[test]
fn no_scheme_in_common() {
    for [locked, full] in locked_and_full() {
        let honest = Issued::new(named("ML-DSA-65"), false);
        let roots = honest.root.roots();
        for identity in identities().filter(|identity| is_legacy(identity)) {
            let legacy = Issued::new(identity, false);
            let client_of_locked = client(&locked, &roots, honest.certified(&locked));
            let mut pair =
                Pair::new(&client_of_locked, &server(&full, &roots, legacy.certified(&full)));
            let failure = pair.run().unwrap_err();
            let error = PeerIncompatible::NoSignatureSchemesInCommon.into();
            assert_eq!(failure, Failure::Server(error));
            assert_eq!(pair.alert_of(&failure), AlertDescription::HandshakeFailure);

            let server_of_locked = server(&locked, &roots, honest.certified(&locked));
            let mut pair =
                Pair::new(&client(&full, &roots, legacy.certified(&full)), &server_of_locked);
            let failure = pair.run().unwrap_err();
            assert_eq!(failure, Failure::Server(Error::NoCertificatesPresented));
            assert_eq!(pair.alert_of(&failure), AlertDescription::CertificateRequired);
        }
    }
}
