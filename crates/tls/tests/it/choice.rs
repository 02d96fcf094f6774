//! Which of several chains a peer gets.

use std::sync::Arc;

use oaklath_tls::{Builder, Chains};
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::WebPkiClientVerifier;
use rustls::sign::CertifiedKey;
use rustls::{
    AlertDescription, ClientConfig, DigitallySignedStruct, DistinguishedName, Error, RootCertStore,
    ServerConfig, SignatureScheme, SupportedProtocolVersion,
};

use crate::chains::{Ca, Issued, named, new_key, trust, validity};
use crate::support::{BOTH, Failure, Pair, TLS12, bases, pki, provider};

/// Returns the classical chain of these tests.
fn classical(provider: &CryptoProvider) -> CertifiedKey {
    let pki = pki();
    CertifiedKey::from_der(pki.chain.clone(), pki.key.clone_key(), provider).unwrap()
}

/// Returns a store that trusts the classical root and these.
fn roots(authorities: &[&Ca]) -> Arc<RootCertStore> {
    let mut roots = RootCertStore::clone(&pki().roots);
    roots.roots.extend(trust(authorities).roots.iter().cloned());
    Arc::new(roots)
}

fn client_without_key(
    provider: &CryptoProvider,
    roots: &Arc<RootCertStore>,
    versions: &[&'static SupportedProtocolVersion],
) -> Arc<ClientConfig> {
    let config = ClientConfig::builder_with_provider(Arc::new(provider.clone()))
        .with_protocol_versions(versions)
        .unwrap()
        .with_root_certificates(roots.clone())
        .with_no_client_auth();
    Arc::new(config)
}

fn server_of(provider: &CryptoProvider, chains: Chains) -> Arc<ServerConfig> {
    let config = ServerConfig::builder_with_provider(Arc::new(provider.clone()))
        .with_protocol_versions(BOTH)
        .unwrap()
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(chains));
    Arc::new(config)
}

/// Connects a client with chains and a server that trusts `roots` and presents the classical chain.
fn with_client_chains(
    client: &CryptoProvider,
    chains: Chains,
    server: &CryptoProvider,
    roots: &Arc<RootCertStore>,
) -> Pair {
    let config = ClientConfig::builder_with_provider(Arc::new(client.clone()))
        .with_protocol_versions(BOTH)
        .unwrap()
        .with_root_certificates(pki().roots.clone())
        .with_client_cert_resolver(Arc::new(chains));
    let provider = Arc::new(server.clone());
    let verifier = WebPkiClientVerifier::builder_with_provider(roots.clone(), provider.clone());
    let server = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(BOTH)
        .unwrap()
        .with_client_cert_verifier(verifier.build().unwrap())
        .with_single_cert(pki().chain.clone(), pki().key.clone_key())
        .unwrap();
    Pair::new(&Arc::new(config), &Arc::new(server))
}

/// Round 3, standard and classical, over one base.
struct Three {
    full: CryptoProvider,
    locked: CryptoProvider,
    /// Without any post-quantum signature.
    old: CryptoProvider,
    dilithium: Issued,
    ml_dsa: Issued,
}

impl Three {
    fn over(base: &CryptoProvider) -> Self {
        let [_, ring, _] = bases();
        let groups = ["x25519"];
        Self {
            full: provider(base, &groups),
            locked: Builder::new(base.clone()).groups(groups).build().unwrap(),
            // Every base verifies what ring does.
            old: CryptoProvider {
                signature_verification_algorithms: ring.signature_verification_algorithms,
                ..ring
            },
            dilithium: Issued::new(named("Dilithium3"), true),
            ml_dsa: Issued::new(named("ML-DSA-65"), true),
        }
    }

    fn chains(&self) -> Chains {
        let [one, two] = [&self.dilithium, &self.ml_dsa].map(|issued| issued.certified(&self.full));
        Chains::new([one, two, classical(&self.full)])
    }

    fn roots(&self) -> Arc<RootCertStore> {
        roots(&[&self.dilithium.root, &self.ml_dsa.root])
    }
}

#[test]
fn a_client_gets_the_first_chain_that_it_can_verify() {
    for base in bases() {
        let three = Three::over(&base);
        let server = server_of(&three.full, three.chains());
        let mut of_tls12 = three.full.clone();
        of_tls12.cipher_suites.retain(|suite| suite.tls13().is_none());
        for (client, versions, chain) in [
            (&three.full, BOTH, &three.dilithium.chain),
            (&three.locked, BOTH, &three.ml_dsa.chain),
            (&three.old, BOTH, &pki().chain),
            (&of_tls12, TLS12, &pki().chain),
        ] {
            let client = client_without_key(client, &three.roots(), versions);
            let mut pair = Pair::new(&client, &server);
            pair.converse().unwrap();
            assert_eq!(pair.client.peer_certificates(), Some(&chain[..]));
        }
    }
}

#[test]
fn a_server_gets_the_first_chain_that_it_can_verify() {
    for base in bases() {
        let three = Three::over(&base);
        for (server, chain) in [
            (&three.full, &three.dilithium.chain),
            (&three.locked, &three.ml_dsa.chain),
            (&three.old, &pki().chain),
        ] {
            let mut pair = with_client_chains(&three.full, three.chains(), server, &three.roots());
            pair.converse().unwrap();
            assert_eq!(pair.server.peer_certificates(), Some(&chain[..]));
        }
    }
}

/// A chain whose key suits a peer but whose certificates do not comes after one that suits.
#[test]
fn all_signatures_of_a_chain_count() {
    for base in bases() {
        let three = Three::over(&base);
        let key = new_key(named("ML-DSA-44"));
        let between = three.dilithium.root.below(named("ML-DSA-87"));
        let chain = vec![between.entity(&key.public_key(), validity()), between.der()];
        let mixed = Issued { root: Ca::root(named("ML-DSA-44")), chain, key };
        let chains = || [mixed.certified(&three.full), three.ml_dsa.certified(&three.full)];

        let server = server_of(&three.full, Chains::new(chains()));
        for (client, chain) in [(&three.full, &mixed.chain), (&three.locked, &three.ml_dsa.chain)] {
            let client = client_without_key(client, &three.roots(), BOTH);
            let mut pair = Pair::new(&client, &server);
            pair.converse().unwrap();
            assert_eq!(pair.client.peer_certificates(), Some(&chain[..]));
        }

        // If there is no other chain, it is presented anyway.
        let [mixed, _] = chains();
        let server = server_of(&three.full, Chains::new([mixed, classical(&three.full)]));
        let mut only_ml_dsa = three.locked.clone();
        only_ml_dsa.signature_verification_algorithms.mapping =
            &only_ml_dsa.signature_verification_algorithms.mapping[..3];
        let client = client_without_key(&only_ml_dsa, &three.roots(), BOTH);
        let failure = Pair::new(&client, &server).run().unwrap_err();
        assert!(matches!(failure, Failure::Client(Error::InvalidCertificate(_))), "{failure:?}");

        // The signature of a root does not matter.
        let mut with_root = three.ml_dsa.certified(&three.full);
        with_root.cert.push(Ca::root(named("Dilithium2")).der());
        let chains = Chains::new([with_root.clone(), classical(&three.full)]);
        let client = client_without_key(&three.locked, &three.roots(), BOTH);
        let mut pair = Pair::new(&client, &server_of(&three.full, chains));
        pair.converse().unwrap();
        assert_eq!(pair.client.peer_certificates(), Some(&with_root.cert[..]));
    }
}

/// A verifier that sends the names of the authorities it trusts.
#[derive(Debug)]
struct Telling(Arc<WebPkiServerVerifier>, Vec<DistinguishedName>);

impl ServerCertVerifier for Telling {
    fn verify_server_cert(
        &self,
        entity: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.0.verify_server_cert(entity, others, name, ocsp, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }

    fn root_hint_subjects(&self) -> Option<&[DistinguishedName]> {
        Some(&self.1)
    }
}

/// Of two suitable chains, the one under the authority that the peer names is chosen.
#[test]
fn authorities_that_are_asked_for() {
    for base in bases() {
        let Three { full, .. } = Three::over(&base);
        let issued = |subject: &str| {
            let root = Ca::root_called(subject, named("ML-DSA-44"));
            let key = new_key(named("ML-DSA-44"));
            Issued { chain: vec![root.entity(&key.public_key(), validity())], root, key }
        };
        let both = [issued("CN=One"), issued("CN=Two")];
        let chains = || Chains::new(both.iter().map(|issued| issued.certified(&full)));
        for wanted in &both {
            let roots = wanted.root.roots();
            let mut pair = with_client_chains(&full, chains(), &full, &roots);
            pair.converse().unwrap();
            assert_eq!(pair.server.peer_certificates(), Some(&wanted.chain[..]));

            let provider = Arc::new(full.clone());
            let verifier =
                WebPkiServerVerifier::builder_with_provider(roots.clone(), provider.clone());
            let verifier = Telling(verifier.build().unwrap(), roots.subjects());
            let client = ClientConfig::builder_with_provider(provider)
                .with_safe_default_protocol_versions()
                .unwrap()
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(verifier))
                .with_no_client_auth();
            let mut pair = Pair::new(&Arc::new(client), &server_of(&full, chains()));
            pair.converse().unwrap();
            assert_eq!(pair.client.peer_certificates(), Some(&wanted.chain[..]));
        }
    }
}

#[test]
fn no_chain_suits() {
    for base in bases() {
        let three = Three::over(&base);
        let legacy = || Chains::new([three.dilithium.certified(&three.full)]);

        let client = client_without_key(&three.locked, &three.roots(), BOTH);
        let mut pair = Pair::new(&client, &server_of(&three.full, legacy()));
        let failure = pair.run().unwrap_err();
        assert_eq!(pair.alert_of(&failure), AlertDescription::HandshakeFailure);

        let mut pair = with_client_chains(&three.full, legacy(), &three.locked, &three.roots());
        let failure = pair.run().unwrap_err();
        assert_eq!(failure, Failure::Server(Error::NoCertificatesPresented));
        assert_eq!(pair.alert_of(&failure), AlertDescription::CertificateRequired);

        let mut pair = Pair::new(&client, &server_of(&three.full, Chains::new([])));
        let failure = pair.run().unwrap_err();
        assert_eq!(pair.alert_of(&failure), AlertDescription::AccessDenied);
    }
}
