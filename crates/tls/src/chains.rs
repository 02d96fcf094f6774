//! Several certificate chains for one name: RFC 8446, sections 4.2.3, 4.2.4 and 4.4.2.

use std::fmt;
use std::sync::Arc;

use oaklath_pki::x509_cert::der::Encode;
use oaklath_pki::{Algorithm, Certificate};
use rustls::client::ResolvesClientCert;
use rustls::pki_types::CertificateDer;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::{DistinguishedName, SignatureScheme};

/// Certificate chains in order of preference, for servers and clients. Each peer gets the first
/// chain that it can verify: a post-quantum one if it supports that, else a classical one.
///
/// A chain suits a peer if the peer supports the signature scheme of the key. Among suitable
/// chains, those whose certificates are all signed with schemes that the peer supports are
/// preferred, and among these one issued by an authority that the peer asks for, if any. Classical
/// signatures in certificates count as supported, and the signature of a root does not matter.
///
/// Post-quantum schemes require TLS 1.3. A server infers from the cipher suites that a client
/// supports it, since rustls does not show versions here: a client configured for TLS 1.2 alone
/// that still lists suites and schemes of TLS 1.3, as a rustls client does, fails for lack of a
/// suite.
///
/// If no chain suits, a server offers the last, and rustls fails the handshake as it does with a
/// single chain; a client sends none.
///
/// ```
/// use std::sync::Arc;
/// use oaklath_tls::Chains;
/// use rustls::ServerConfig;
/// use rustls::sign::CertifiedKey;
///
/// # use oaklath_pki::{Authority, Identity, PrivateKey, Template};
/// # use rustls::pki_types::{CertificateDer, PrivateKeyDer};
/// # let day = std::time::Duration::from_secs(86400);
/// # let validity = std::time::SystemTime::now()..=std::time::SystemTime::now() + day;
/// # let key = PrivateKey::generate(Identity::by_name("ML-DSA-65").ok_or("no ML-DSA")?)?;
/// # let template = Template::new("CN=localhost", validity)?.dns("localhost")?;
/// # let root = template.root(&key)?;
/// # let leaf = template.entity(&key.public_key(), &Authority::new(&root, &key)?)?;
/// # let post_quantum_chain = vec![CertificateDer::from(leaf.as_der().to_vec())];
/// # let der = key.to_der(oaklath_pki::Form::Seed)?;
/// # let post_quantum_key = PrivateKeyDer::try_from(der.to_vec())?;
/// # let issued = rcgen::generate_simple_self_signed(["localhost".to_string()])?;
/// # let classical_chain = vec![issued.cert.der().clone()];
/// # let classical_key = PrivateKeyDer::try_from(issued.signing_key.serialize_der())?;
/// let provider = oaklath_tls::provider();
/// let chains = Chains::new([
///     CertifiedKey::from_der(post_quantum_chain, post_quantum_key, &provider)?,
///     CertifiedKey::from_der(classical_chain, classical_key, &provider)?,
/// ]);
/// let config = ServerConfig::builder_with_provider(provider)
///     .with_safe_default_protocol_versions()?
///     .with_no_client_auth()
///     .with_cert_resolver(Arc::new(chains));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Chains(Vec<Chain>);

#[derive(Clone, Debug)]
struct Chain {
    key: Arc<CertifiedKey>,
    /// Those schemes of the signatures in the certificates that are ours.
    signatures: Vec<SignatureScheme>,
    /// The issuers of the certificates, in DER.
    issuers: Vec<Vec<u8>>,
}

impl Chains {
    /// Returns a resolver for these chains, the preferred one first. A certificate that cannot be
    /// parsed demands nothing of a peer; [`CertifiedKey::from_der`] has checked the first of each
    /// chain.
    #[must_use]
    pub fn new(chains: impl IntoIterator<Item = CertifiedKey>) -> Self {
        Self(chains.into_iter().map(Chain::new).collect())
    }

    fn choose(
        &self,
        schemes: &[SignatureScheme],
        asked: impl Fn(&[u8]) -> bool,
    ) -> Option<Arc<CertifiedKey>> {
        let verifiable =
            |chain: &&&Chain| chain.signatures.iter().all(|scheme| schemes.contains(scheme));
        let suits: Vec<_> =
            self.0.iter().filter(|chain| chain.key.key.choose_scheme(schemes).is_some()).collect();
        let mut best = suits.iter().filter(verifiable);
        let chosen = best
            .clone()
            .find(|chain| chain.issuers.iter().any(|issuer| asked(issuer)))
            .or_else(|| best.next())
            .or_else(|| suits.first());
        chosen.map(|chain| chain.key.clone())
    }
}

impl Chain {
    fn new(key: CertifiedKey) -> Self {
        let (mut signatures, mut issuers) = (Vec::new(), Vec::new());
        let certificates = key.cert.iter().map(|der| Certificate::from_der(der));
        for certificate in certificates.filter_map(Result::ok) {
            issuers.extend(certificate.issuer().to_der());
            let identity = certificate.signature_identity().map(|identity| identity.algorithm());
            if let Ok(Algorithm::Sig(identity)) = identity
                && !certificate.is_self_signed()
            {
                signatures.push(SignatureScheme::from(identity.codepoint));
            }
        }
        Self { key: Arc::new(key), signatures, issuers }
    }
}

impl ResolvesServerCert for Chains {
    // rustls has removed our schemes from a hello that has no cipher suites of TLS 1.3.
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let authorities = hello.certificate_authorities().unwrap_or_default();
        let asked = |issuer: &[u8]| {
            authorities.iter().any(|name: &DistinguishedName| name.as_ref() == issuer)
        };
        let chosen = self.choose(hello.signature_schemes(), asked);
        chosen.or_else(|| self.0.last().map(|chain| chain.key.clone()))
    }
}

impl ResolvesClientCert for Chains {
    fn resolve(
        &self,
        authorities: &[&[u8]],
        schemes: &[SignatureScheme],
    ) -> Option<Arc<CertifiedKey>> {
        self.choose(schemes, |issuer| authorities.contains(&issuer))
    }

    fn has_certs(&self) -> bool {
        !self.0.is_empty()
    }
}

/// The maximum length in bytes of a handshake message that rustls and others accept.
const LONGEST_MESSAGE: usize = 65_535;

/// The error for a chain that is too long for a certificate message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainTooLong {
    /// The length of the chain's message in bytes.
    pub found: usize,
}

impl fmt::Display for ChainTooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = self.found;
        write!(f, "certificates of {found} bytes together, TLS has room for {LONGEST_MESSAGE}")
    }
}

impl std::error::Error for ChainTooLong {}

/// Checks that a peer can accept this chain: a certificate message (RFC 8446, section 4.4.2) of
/// more than 65,535 bytes is rejected by rustls and most others. Only hash-based signatures are so
/// long: two of SLH-DSA-192f or longer do not fit into one chain, so an authority that uses them
/// must be the root, which is not sent in the chain.
///
/// ```
/// use oaklath_tls::check_chain;
/// use oaklath_tls::rustls::pki_types::CertificateDer;
///
/// let certificate = CertificateDer::from(vec![0; 40_000]);
/// assert!(check_chain(std::slice::from_ref(&certificate)).is_ok());
/// let error = check_chain(&[certificate.clone(), certificate]).unwrap_err();
/// assert_eq!(error.found, 80_014);
/// ```
///
/// # Errors
/// [`ChainTooLong`] if the message would be too long.
pub fn check_chain(chain: &[CertificateDer<'_>]) -> Result<(), ChainTooLong> {
    // An empty context and the list's length; for each certificate its length and empty extensions.
    let found = 1 + 3 + chain.iter().map(|certificate| 3 + certificate.len() + 2).sum::<usize>();
    if found <= LONGEST_MESSAGE { Ok(()) } else { Err(ChainTooLong { found }) }
}
