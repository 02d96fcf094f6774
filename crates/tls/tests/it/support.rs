//! Base providers, a PKI made on the spot, and a pair of connections that talk through memory.

use std::sync::{Arc, OnceLock};

use oaklath_params::group::{self, GroupInfo};
use oaklath_tls::Builder;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, KeyUsagePurpose};
use rustls::crypto::{CryptoProvider, SupportedKxGroup};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{
    ClientConfig, ClientConnection, Connection, Error, RootCertStore, ServerConfig,
    ServerConnection, SupportedProtocolVersion,
};

/// The codepoints that must work: the pure groups, then the hybrids.
pub(crate) const CODEPOINTS: [u16; 18] = [
    512, 513, 514, 570, 572, 573, 4587, 4588, 4589, 12089, 12090, 12092, 12093, 12107, 12108,
    12109, 25497, 25498,
];

/// Both versions of TLS.
pub(crate) const BOTH: &[&SupportedProtocolVersion] = rustls::ALL_VERSIONS;
/// TLS 1.2 alone.
pub(crate) const TLS12: &[&SupportedProtocolVersion] = &[&rustls::version::TLS12];

/// The three base providers.
pub(crate) fn bases() -> [CryptoProvider; 3] {
    [
        rustls::crypto::aws_lc_rs::default_provider(),
        rustls::crypto::ring::default_provider(),
        rustls_graviola::default_provider(),
    ]
}

/// The row of this codepoint.
pub(crate) fn info(codepoint: u16) -> &'static GroupInfo {
    group::by_codepoint(codepoint).unwrap()
}

/// Exactly these groups over `base`.
pub(crate) fn provider(base: &CryptoProvider, groups: &[&str]) -> CryptoProvider {
    Builder::new(base.clone()).groups(groups).allow_legacy().build().unwrap()
}

/// Our group of this codepoint over `base`.
pub(crate) fn ours(base: &CryptoProvider, codepoint: u16) -> &'static dyn SupportedKxGroup {
    provider(base, &[&codepoint.to_string()]).kx_groups[0]
}

/// `base` with this group alone.
pub(crate) fn only(base: &CryptoProvider, group: &'static dyn SupportedKxGroup) -> CryptoProvider {
    CryptoProvider { kx_groups: vec![group], ..base.clone() }
}

/// A root and one certificate under it, for client and server alike.
struct Pki {
    roots: Arc<RootCertStore>,
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
}

fn pki() -> &'static Pki {
    static PKI: OnceLock<Pki> = OnceLock::new();
    PKI.get_or_init(|| {
        let mut root = CertificateParams::new([]).unwrap();
        root.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        root.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let root_key = KeyPair::generate().unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(root.self_signed(&root_key).unwrap().der().clone()).unwrap();

        let key = KeyPair::generate().unwrap();
        let leaf = CertificateParams::new(["localhost".to_owned()]).unwrap();
        let leaf = leaf.signed_by(&key, &Issuer::new(root, root_key)).unwrap();
        Pki {
            roots: Arc::new(roots),
            chain: vec![leaf.der().clone()],
            key: PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
        }
    })
}

/// A client with a certificate.
pub(crate) fn client(
    provider: CryptoProvider,
    versions: &[&'static SupportedProtocolVersion],
) -> Arc<ClientConfig> {
    let pki = pki();
    let config = ClientConfig::builder_with_provider(Arc::new(provider))
        .with_protocol_versions(versions)
        .unwrap()
        .with_root_certificates(pki.roots.clone())
        .with_client_auth_cert(pki.chain.clone(), pki.key.clone_key())
        .unwrap();
    Arc::new(config)
}

/// A server that insists on a client certificate.
pub(crate) fn server(
    provider: CryptoProvider,
    versions: &[&'static SupportedProtocolVersion],
) -> Arc<ServerConfig> {
    let pki = pki();
    let provider = Arc::new(provider);
    let verifier = WebPkiClientVerifier::builder_with_provider(pki.roots.clone(), provider.clone());
    let config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(versions)
        .unwrap()
        .with_client_cert_verifier(verifier.build().unwrap())
        .with_single_cert(pki.chain.clone(), pki.key.clone_key())
        .unwrap();
    Arc::new(config)
}

/// Two connections and what passed between them.
pub(crate) struct Pair {
    pub(crate) client: Connection,
    pub(crate) server: Connection,
    pub(crate) client_sent: Vec<u8>,
    pub(crate) server_sent: Vec<u8>,
    /// What an attacker between them does to each flight.
    pub(crate) tamper: fn(&mut [u8]),
}

/// Which side gave up, and why.
#[derive(Debug, PartialEq)]
pub(crate) enum Failure {
    Client(Error),
    Server(Error),
}

impl Pair {
    pub(crate) fn new(client: &Arc<ClientConfig>, server: &Arc<ServerConfig>) -> Self {
        let name = "localhost".try_into().unwrap();
        Self {
            client: ClientConnection::new(client.clone(), name).unwrap().into(),
            server: ServerConnection::new(server.clone()).unwrap().into(),
            client_sent: Vec::new(),
            server_sent: Vec::new(),
            tamper: |_| (),
        }
    }

    /// Passes everything on until both sides are silent. At the first failure the alert is still
    /// written, but not delivered.
    pub(crate) fn run(&mut self) -> Result<(), Failure> {
        let Self { client, server, client_sent, server_sent, tamper } = self;
        loop {
            let before = client_sent.len() + server_sent.len();
            deliver(client, server, client_sent, server_sent, *tamper).map_err(Failure::Server)?;
            deliver(server, client, server_sent, client_sent, *tamper).map_err(Failure::Client)?;
            if client_sent.len() + server_sent.len() == before {
                return Ok(());
            }
        }
    }

    /// Runs to the end of the handshake and passes a message each way.
    pub(crate) fn converse(&mut self) -> Result<(), Failure> {
        use std::io::{Read, Write};
        self.run()?;
        assert!(!self.client.is_handshaking() && !self.server.is_handshaking());
        for (text, from_client) in [(b"hello", true), (b"there", false)] {
            let (from, to) = match from_client {
                true => (&mut self.client, &mut self.server),
                false => (&mut self.server, &mut self.client),
            };
            from.writer().write_all(text).unwrap();
            let mut log = [Vec::new(), Vec::new()];
            let [sent, answered] = &mut log;
            deliver(from, to, sent, answered, self.tamper).unwrap();
            let mut read = [0; 5];
            to.reader().read_exact(&mut read).unwrap();
            assert_eq!(&read, text);
        }
        Ok(())
    }

    /// The group that both sides name.
    pub(crate) fn group(&self) -> u16 {
        let [client, server] = [&self.client, &self.server]
            .map(|side| side.negotiated_key_exchange_group().unwrap().name().into());
        assert_eq!(client, server);
        client
    }
}

/// Hands what `from` has to say to `to`. After a failure of `to` its alert is in `answered`.
fn deliver(
    from: &mut Connection,
    to: &mut Connection,
    sent: &mut Vec<u8>,
    answered: &mut Vec<u8>,
    tamper: fn(&mut [u8]),
) -> Result<(), Error> {
    let start = sent.len();
    while from.wants_write() {
        from.write_tls(sent).unwrap();
    }
    tamper(&mut sent[start..]);
    let mut wire = &sent[start..];
    while !wire.is_empty() {
        to.read_tls(&mut wire).unwrap();
        if let Err(error) = to.process_new_packets() {
            while to.wants_write() {
                to.write_tls(answered).unwrap();
            }
            return Err(error);
        }
    }
    Ok(())
}

/// The alert in the clear that ends this stream of records: RFC 8446, sections 5.1 and 6.
pub(crate) fn last_alert(mut records: &[u8]) -> Option<u8> {
    let mut alert = None;
    while let [kind, _, _, high, low, rest @ ..] = records {
        let (body, rest) = rest.split_at(usize::from(u16::from_be_bytes([*high, *low])));
        alert = match (kind, body) {
            (21, [2, description]) => Some(*description),
            _ => None,
        };
        records = rest;
    }
    alert
}
