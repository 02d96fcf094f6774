//! Base providers, a newly issued PKI, and a pair of connections through memory.

use std::sync::{Arc, Mutex, OnceLock};

use oaklath_params::group::{self, GroupInfo};
use oaklath_tls::Builder;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, KeyUsagePurpose};
use rustls::crypto::cipher::InboundOpaqueMessage;
use rustls::crypto::tls13::OkmBlock;
use rustls::crypto::{CryptoProvider, GetRandomFailed, SecureRandom, SupportedKxGroup};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{
    AlertDescription, CipherSuite, ClientConfig, ClientConnection, Connection, ContentType, Error,
    KeyLog, ProtocolVersion, RootCertStore, ServerConfig, ServerConnection,
    SupportedProtocolVersion,
};

/// The codepoints that must work: the pure groups, then the hybrids.
pub(crate) const CODEPOINTS: [u16; 21] = [
    512, 513, 514, 570, 572, 573, 4585, 4586, 4587, 4588, 4589, 12089, 12090, 12092, 12093, 12107,
    12108, 12109, 12214, 25497, 25498,
];

/// Both versions of TLS.
pub(crate) const BOTH: &[&SupportedProtocolVersion] = rustls::ALL_VERSIONS;
/// TLS 1.2 alone.
pub(crate) const TLS12: &[&SupportedProtocolVersion] = &[&rustls::version::TLS12];

/// The suite whose records these tests can decrypt.
pub(crate) const AES_256: CipherSuite = CipherSuite::TLS13_AES_256_GCM_SHA384;

/// Returns the three base providers.
pub(crate) fn bases() -> [CryptoProvider; 3] {
    [
        rustls::crypto::aws_lc_rs::default_provider(),
        rustls::crypto::ring::default_provider(),
        rustls_graviola::default_provider(),
    ]
}

/// Returns the row with this codepoint.
pub(crate) fn info(codepoint: u16) -> &'static GroupInfo {
    group::by_codepoint(codepoint).unwrap()
}

/// Returns a provider with exactly these groups over `base`.
pub(crate) fn provider(base: &CryptoProvider, groups: &[&str]) -> CryptoProvider {
    Builder::new(base.clone()).groups(groups).allow_legacy().build().unwrap()
}

/// Returns our group with this codepoint over `base`.
pub(crate) fn ours(base: &CryptoProvider, codepoint: u16) -> &'static dyn SupportedKxGroup {
    provider(base, &[&codepoint.to_string()]).kx_groups[0]
}

/// Returns `base` with only this group.
pub(crate) fn only(base: &CryptoProvider, group: &'static dyn SupportedKxGroup) -> CryptoProvider {
    CryptoProvider { kx_groups: vec![group], ..base.clone() }
}

/// A random generator that always fails.
#[derive(Debug)]
pub(crate) struct Broken;

impl SecureRandom for Broken {
    fn fill(&self, _: &mut [u8]) -> Result<(), GetRandomFailed> {
        Err(GetRandomFailed)
    }
}

/// A classical root and one certificate under it, for client and server alike.
pub(crate) struct Pki {
    pub(crate) roots: Arc<RootCertStore>,
    pub(crate) chain: Vec<CertificateDer<'static>>,
    pub(crate) key: PrivateKeyDer<'static>,
}

pub(crate) fn pki() -> &'static Pki {
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

/// Configures a client with a certificate.
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

/// Configures a server that requires a client certificate.
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

/// Two connections and the bytes that each side sent.
pub(crate) struct Pair {
    pub(crate) client: Connection,
    pub(crate) server: Connection,
    pub(crate) client_sent: Vec<u8>,
    pub(crate) server_sent: Vec<u8>,
    /// The change that an attacker between them makes to each flight.
    pub(crate) tamper: fn(&mut [u8]),
    /// The number of the failing side's bytes that the other had read at a failure.
    heard: usize,
    keys: Arc<ClientKeys>,
}

/// A key log that keeps the secret under which the client writes during the handshake.
#[derive(Debug, Default)]
struct ClientKeys(Mutex<Vec<u8>>);

impl KeyLog for ClientKeys {
    fn log(&self, label: &str, _: &[u8], secret: &[u8]) {
        if label == "CLIENT_HANDSHAKE_TRAFFIC_SECRET" {
            *self.0.lock().unwrap() = secret.to_vec();
        }
    }
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
        let keys = Arc::new(ClientKeys::default());
        let mut client = ClientConfig::clone(client);
        client.key_log = keys.clone();
        Self {
            client: ClientConnection::new(Arc::new(client), name).unwrap().into(),
            server: ServerConnection::new(server.clone()).unwrap().into(),
            client_sent: Vec::new(),
            server_sent: Vec::new(),
            tamper: |_| (),
            heard: 0,
            keys,
        }
    }

    /// Delivers everything until both sides are silent. At the first failure the alert is written,
    /// but not delivered.
    pub(crate) fn run(&mut self) -> Result<(), Failure> {
        let Self { client, server, client_sent, server_sent, tamper, heard, .. } = self;
        loop {
            let before = client_sent.len() + server_sent.len();
            *heard = server_sent.len();
            deliver(client, server, client_sent, server_sent, *tamper).map_err(Failure::Server)?;
            *heard = client_sent.len();
            deliver(server, client, server_sent, client_sent, *tamper).map_err(Failure::Client)?;
            if client_sent.len() + server_sent.len() == before {
                return Ok(());
            }
        }
    }

    /// Runs the handshake and passes a message each way.
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

    /// Returns the alert in the client's last record, its first under handshake keys: RFC 8446,
    /// sections 5.2 and 7.3. The suite must be [`AES_256`].
    pub(crate) fn last_encrypted_alert_of_client(&self, base: &CryptoProvider) -> u8 {
        const HEADER: usize = 5;
        const ALERT: u8 = 2 + 1 + 16; // level and description, content type, tag
        let suite = base.cipher_suites.iter().find(|suite| suite.suite() == AES_256).unwrap();
        let suite = suite.tls13().unwrap();
        let secret = OkmBlock::new(&self.keys.0.lock().unwrap());
        let expander = suite.hkdf_provider.expander_for_okm(&secret);
        let (mut key, mut iv) = ([0; 32], [0; 12]);
        expander.expand_slice(&[&[0, 32, 9], b"tls13 key", &[0]], &mut key).unwrap();
        expander.expand_slice(&[&[0, 12, 8], b"tls13 iv", &[0]], &mut iv).unwrap();

        let record = &self.client_sent[self.client_sent.len() - HEADER - usize::from(ALERT)..];
        assert_eq!(record[..HEADER], [23, 3, 3, 0, ALERT]);
        let mut body = record[HEADER..].to_vec();
        let (kind, version) = (ContentType::ApplicationData, ProtocolVersion::TLSv1_2);
        let message = InboundOpaqueMessage::new(kind, version, &mut body);
        let mut decrypter = suite.aead_alg.decrypter(key.into(), iv.into());
        let plain = decrypter.decrypt(message, 0).unwrap();
        assert_eq!((plain.typ, plain.payload.len()), (ContentType::Alert, 2));
        plain.payload[1]
    }

    /// Returns the alert that the failing side sent, as the other reads it.
    pub(crate) fn alert_of(&mut self, failure: &Failure) -> AlertDescription {
        let (deaf, mut wire) = match failure {
            Failure::Client(_) => (&mut self.server, &self.client_sent[self.heard..]),
            Failure::Server(_) => (&mut self.client, &self.server_sent[self.heard..]),
        };
        while !wire.is_empty() {
            deaf.read_tls(&mut wire).unwrap();
            match deaf.process_new_packets() {
                Ok(_) => {}
                Err(Error::AlertReceived(alert)) => return alert,
                Err(error) => panic!("{error:?}"),
            }
        }
        panic!("no alert")
    }

    /// Returns the group, on which both sides must agree.
    pub(crate) fn group(&self) -> u16 {
        let [client, server] = [&self.client, &self.server]
            .map(|side| side.negotiated_key_exchange_group().unwrap().name().into());
        assert_eq!(client, server);
        client
    }
}

/// Delivers the output of `from` to `to`. After a failure of `to`, its alert is in `answered`.
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

/// Returns the alert in the clear that ends this stream of records: RFC 8446, sections 5.1 and 6.
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
