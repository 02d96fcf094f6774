//! One TLS 1.3 connection between two threads of this process, over sockets, both sides
//! authenticated, with everything about it that is worth telling.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use oaklath_tables::pki::{self, Pki};
use rustls::crypto::CryptoProvider;
use rustls::server::WebPkiClientVerifier;
use rustls::version::TLS13;
use rustls::{CipherSuite, ClientConfig, ProtocolVersion, ServerConfig};

use crate::link::{CLIENT_SAYS, Link, SERVER_SAYS};
use crate::tcp::{self, Counted};

/// The cipher suite of every connection, as IANA spells it.
pub(crate) const SUITE: &str = "TLS_AES_256_GCM_SHA384";

/// What is known of a connection after it has closed.
pub(crate) struct Report {
    /// Codepoint of the group that both sides negotiated.
    pub(crate) group: u16,
    /// From the client's start to the moment when the second side was done.
    pub(crate) handshake: Duration,
    /// TCP payload of the whole connection, in bytes.
    pub(crate) client_to_server: u64,
    pub(crate) server_to_client: u64,
    /// Subjects of the certificates that the other side verified.
    pub(crate) server_subject: String,
    pub(crate) client_subject: String,
    /// The messages as they arrived.
    pub(crate) client_said: String,
    pub(crate) server_said: String,
}

/// Connects a client and a server that both use `provider` and have their certificates from `pki`.
pub(crate) fn connect(provider: CryptoProvider, pki: &Pki) -> Result<Report> {
    // The first draw of a process seeds the generator, which takes aws-lc-rs 50 ms: not a part of
    // any handshake.
    provider.secure_random.fill(&mut [0; 32]).map_err(|_| anyhow!("no randomness"))?;
    let provider = Arc::new(only_suite(provider)?);
    let client = client_config(provider.clone(), pki).context("client")?;
    let server = server_config(provider, pki).context("server")?;
    let (client_tcp, server_tcp) = tcp::pair().context("no sockets on 127.0.0.1")?;

    let (client, server) = thread::scope(|scope| {
        let server = scope.spawn(|| serve(server, server_tcp));
        let client = scope.spawn(|| call(client, client_tcp));
        (joined(client.join()), joined(server.join()))
    });
    let (client, server) = match (client, server) {
        (Ok(client), Ok(server)) => (client, server),
        // Each side may know only half of what went wrong.
        (Err(client), Err(server)) => {
            return Err(anyhow!("client: {client:#}; server: {server:#}"));
        }
        (Err(error), Ok(_)) => return Err(error.context("client")),
        (Ok(_), Err(error)) => return Err(error.context("server")),
    };

    ensure!(
        client.group == server.group,
        "the sides disagree on the group: {} and {}",
        client.group,
        server.group
    );
    ensure!(
        (client.sent, client.received) == (server.received, server.sent),
        "the sides count different bytes"
    );
    Ok(Report {
        group: client.group,
        handshake: client.done.max(server.done) - client.started,
        client_to_server: client.sent,
        server_to_client: client.received,
        server_subject: client.peer,
        client_subject: server.peer,
        client_said: server.heard,
        server_said: client.heard,
    })
}

/// `provider` with no cipher suite but [`SUITE`].
fn only_suite(mut provider: CryptoProvider) -> Result<CryptoProvider> {
    provider.cipher_suites.retain(|s| s.suite() == CipherSuite::TLS13_AES_256_GCM_SHA384);
    ensure!(!provider.cipher_suites.is_empty(), "the base provider lacks {SUITE}");
    Ok(provider)
}

fn client_config(provider: Arc<CryptoProvider>, pki: &Pki) -> Result<ClientConfig> {
    Ok(ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&TLS13])?
        .with_root_certificates(pki.roots()?)
        .with_client_auth_cert(pki.client.chain()?, pki.client.key()?)?)
}

fn server_config(provider: Arc<CryptoProvider>, pki: &Pki) -> Result<ServerConfig> {
    let roots = Arc::new(pki.roots()?);
    let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider.clone()).build()?;
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&TLS13])?
        .with_client_cert_verifier(verifier)
        .with_single_cert(pki.server.chain()?, pki.server.key()?)?;
    // Nobody resumes here, and the published byte counts have no tickets either.
    config.send_tls13_tickets = 0;
    Ok(config)
}

/// What one side knows at the end.
struct Side {
    started: Instant,
    done: Instant,
    group: u16,
    peer: String,
    heard: String,
    sent: u64,
    received: u64,
}

fn call(config: ClientConfig, tcp: Counted) -> Result<Side> {
    let started = Instant::now();
    let mut link = Link::connect(Arc::new(config), "localhost".try_into()?, tcp)?;
    let done = Instant::now();
    link.say(CLIENT_SAYS)?;
    let heard = link.hear()?;
    link.close()?;
    side(&link, started, done, heard)
}

fn serve(config: ServerConfig, tcp: Counted) -> Result<Side> {
    let started = Instant::now();
    let mut link = Link::accept(Arc::new(config), tcp)?;
    let done = Instant::now();
    let heard = link.hear()?;
    link.say(SERVER_SAYS)?;
    link.close()?;
    side(&link, started, done, heard)
}

/// What there is to report.
fn side(link: &Link, started: Instant, done: Instant, heard: String) -> Result<Side> {
    let state = link.state();
    ensure!(state.protocol_version() == Some(ProtocolVersion::TLSv1_3), "not TLS 1.3");
    let group = state.negotiated_key_exchange_group().context("no group was negotiated")?;
    let certs = state.peer_certificates().context("the peer did not authenticate")?;
    let peer = pki::subject(certs.first().context("the peer sent no certificate")?)?;
    let (sent, received) = link.counts();
    Ok(Side { started, done, group: u16::from(group.name()), peer, heard, sent, received })
}

/// The result of a thread; a panic has printed its message already.
fn joined<T>(result: thread::Result<Result<T>>) -> Result<T> {
    result.unwrap_or_else(|_| Err(anyhow!("a thread of the demo panicked")))
}

#[cfg(test)]
mod tests {
    use oaklath_tables::pki::{ML_DSA_65, P256};

    use super::*;
    use crate::base;

    /// Every base of the build with every PKI, over the base's own groups.
    #[test]
    fn both_sides_authenticate_and_are_heard() {
        for base in base::ALL {
            let report = connect((base.provider)(), &P256).unwrap();
            assert_eq!(report.server_subject, "CN=P-256 test server,O=Oaklath");
            assert_eq!(report.client_subject, "CN=P-256 test client,O=Oaklath");
            assert_eq!(report.client_said, CLIENT_SAYS);
            assert_eq!(report.server_said, SERVER_SAYS);
            assert!(report.handshake < Duration::from_secs(10));
        }
    }

    /// A root that issued neither leaf: an error at once, and it says why.
    #[test]
    fn an_unknown_issuer_is_refused() {
        let Ok(base) = base::choose(None) else { return };
        let pki = Pki { root: ML_DSA_65.root, ..P256.clone() };
        let Err(error) = connect((base.provider)(), &pki) else { panic!("it connected") };
        let text = format!("{error:#}");
        assert!(text.starts_with("client: the handshake failed: "), "{text}");
        assert!(text.contains("UnknownIssuer"), "{text}");
        assert!(text.contains("server: the handshake failed: "), "{text}");
    }

    #[test]
    fn a_base_without_the_suite_is_refused() {
        let Ok(base) = base::choose(None) else { return };
        let mut provider = (base.provider)();
        provider.cipher_suites.clear();
        let Err(error) = connect(provider, &P256) else { panic!("it connected") };
        assert_eq!(error.to_string(), format!("the base provider lacks {SUITE}"));
    }
}
