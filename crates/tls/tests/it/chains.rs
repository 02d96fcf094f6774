//! Newly issued post-quantum certificate chains, and configurations with them.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use oaklath_params::Status;
use oaklath_params::sig::{IDENTITIES, SigIdentity};
use oaklath_pki::{Authority, Certificate, Identity, PrivateKey, PublicKey, Template};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{ClientConfig, RootCertStore, ServerConfig, SignatureScheme};

use crate::support::BOTH;

/// Returns every identity of this build except hash-based ones.
pub(crate) fn identities() -> impl Iterator<Item = &'static SigIdentity> {
    compiled().filter(|identity| !is_hash_tree(identity))
}

/// Returns the hash-based identities of the fast kind, which sign within tens of milliseconds; for
/// TLS the small kind is no different.
pub(crate) fn hash_trees() -> impl Iterator<Item = &'static SigIdentity> {
    let is_fast = |id: &&SigIdentity| {
        ["128f", "192f", "256f"].iter().any(|fast| id.algorithm.name.contains(fast))
    };
    compiled().filter(|identity| is_hash_tree(identity)).filter(is_fast)
}

/// Returns every identity of this build.
pub(crate) fn compiled() -> impl Iterator<Item = &'static SigIdentity> {
    IDENTITIES.iter().copied().filter(|identity| oaklath_sig::by_identity(identity).is_some())
}

/// Reports whether an identity is hash-based: its public keys have at most 64 bytes.
pub(crate) fn is_hash_tree(identity: &SigIdentity) -> bool {
    identity.algorithm.public_key <= 64
}

/// Returns the identity with this name.
pub(crate) fn named(name: &str) -> &'static SigIdentity {
    oaklath_params::sig::by_name(name).unwrap().identities().next().unwrap()
}

pub(crate) fn is_legacy(identity: &SigIdentity) -> bool {
    identity.algorithm.status == Status::Legacy
}

pub(crate) fn scheme(identity: &SigIdentity) -> SignatureScheme {
    SignatureScheme::from(identity.codepoint)
}

/// Returns the identity as an algorithm of keys.
pub(crate) fn algorithm(identity: &SigIdentity) -> Identity {
    Identity::by_name(identity.oid.as_str()).unwrap()
}

pub(crate) fn new_key(identity: &SigIdentity) -> PrivateKey {
    PrivateKey::generate(algorithm(identity)).unwrap()
}

/// Encodes a key in the standard form of its algorithm.
pub(crate) fn der(key: &PrivateKey) -> PrivateKeyDer<'static> {
    let der = key.to_der(key.identity().standard_form()).unwrap();
    PrivateKeyDer::try_from(der.to_vec()).unwrap()
}

const DAY: Duration = Duration::from_secs(86_400);

/// Returns the validity from yesterday to tomorrow.
pub(crate) fn validity() -> RangeInclusive<SystemTime> {
    SystemTime::now() - DAY..=SystemTime::now() + DAY
}

/// Returns a validity that ended yesterday.
pub(crate) fn past() -> RangeInclusive<SystemTime> {
    SystemTime::now() - 2 * DAY..=SystemTime::now() - DAY
}

/// Returns a validity that begins tomorrow.
pub(crate) fn future() -> RangeInclusive<SystemTime> {
    SystemTime::now() + DAY..=SystemTime::now() + 2 * DAY
}

/// An authority: a root, or one below a root.
pub(crate) struct Ca {
    pub(crate) certificate: Certificate,
    pub(crate) key: PrivateKey,
}

impl Ca {
    pub(crate) fn root(identity: &SigIdentity) -> Self {
        Self::root_called("CN=Root,O=Test", identity)
    }

    pub(crate) fn root_called(subject: &str, identity: &SigIdentity) -> Self {
        let key = new_key(identity);
        // Covers the validity of everything that the root issues.
        let validity = *past().start()..=*future().end();
        let certificate = Template::new(subject, validity).unwrap().root(&key).unwrap();
        Self { certificate, key }
    }

    pub(crate) fn below(&self, identity: &SigIdentity) -> Self {
        let key = new_key(identity);
        let template = Template::new("CN=Intermediate,O=Test", validity()).unwrap();
        let certificate = template.intermediate(&key.public_key(), &self.authority()).unwrap();
        Self { certificate, key }
    }

    pub(crate) fn authority(&self) -> Authority<'_> {
        Authority::new(&self.certificate, &self.key).unwrap()
    }

    /// Issues a certificate for `localhost`.
    pub(crate) fn entity(
        &self,
        key: &PublicKey,
        validity: RangeInclusive<SystemTime>,
    ) -> CertificateDer<'static> {
        let template = Template::new("CN=localhost", validity).unwrap().dns("localhost").unwrap();
        let entity = template.entity(key, &self.authority()).unwrap();
        CertificateDer::from(entity.as_der().to_vec())
    }

    pub(crate) fn der(&self) -> CertificateDer<'static> {
        CertificateDer::from(self.certificate.as_der().to_vec())
    }

    /// Returns a store that trusts only this authority.
    pub(crate) fn roots(&self) -> Arc<RootCertStore> {
        trust(&[self])
    }
}

/// Returns a store that trusts these authorities.
pub(crate) fn trust(authorities: &[&Ca]) -> Arc<RootCertStore> {
    let mut roots = RootCertStore::empty();
    for authority in authorities {
        roots.add(authority.der()).unwrap();
    }
    Arc::new(roots)
}

/// A root, a chain below it without the root, and the key of its first certificate.
pub(crate) struct Issued {
    pub(crate) root: Ca,
    pub(crate) chain: Vec<CertificateDer<'static>>,
    pub(crate) key: PrivateKey,
}

impl Issued {
    /// Issues an entity under a root of another algorithm.
    pub(crate) fn under(root: &SigIdentity, identity: &SigIdentity) -> Self {
        let (root, key) = (Ca::root(root), new_key(identity));
        let chain = vec![root.entity(&key.public_key(), validity())];
        Self { root, chain, key }
    }

    /// Issues root and entity, with an intermediate authority between them if requested.
    pub(crate) fn new(identity: &SigIdentity, intermediate: bool) -> Self {
        if !intermediate {
            return Self::under(identity, identity);
        }
        let (root, key) = (Ca::root(identity), new_key(identity));
        let between = root.below(identity);
        let chain = vec![between.entity(&key.public_key(), validity()), between.der()];
        Self { root, chain, key }
    }

    pub(crate) fn certified(&self, provider: &CryptoProvider) -> CertifiedKey {
        CertifiedKey::from_der(self.chain.clone(), der(&self.key), provider).unwrap()
    }
}

/// Configures a client that trusts `roots` and presents a certificate.
pub(crate) fn client(
    provider: &CryptoProvider,
    roots: &Arc<RootCertStore>,
    own: CertifiedKey,
) -> Arc<ClientConfig> {
    let config = ClientConfig::builder_with_provider(Arc::new(provider.clone()))
        .with_protocol_versions(BOTH)
        .unwrap()
        .with_root_certificates(roots.clone())
        .with_client_cert_resolver(Arc::new(SingleCertAndKey::from(own)));
    Arc::new(config)
}

/// Configures a server that requires a client certificate under `roots`, and presents its own.
pub(crate) fn server(
    provider: &CryptoProvider,
    roots: &Arc<RootCertStore>,
    own: CertifiedKey,
) -> Arc<ServerConfig> {
    let provider = Arc::new(provider.clone());
    let verifier = WebPkiClientVerifier::builder_with_provider(roots.clone(), provider.clone());
    let config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(BOTH)
        .unwrap()
        .with_client_cert_verifier(verifier.build().unwrap())
        .with_cert_resolver(Arc::new(SingleCertAndKey::from(own)));
    Arc::new(config)
}
