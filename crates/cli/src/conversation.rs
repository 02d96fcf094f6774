//! TLS connections between two threads of this process, with a message each way.

use std::sync::Arc;
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use rustls::{ClientConfig, ProtocolVersion, ServerConfig};

use crate::connection::{CLIENT_SAYS, Link, SERVER_SAYS};
use crate::progress::joined;
use crate::setup::Sides;
use crate::testpki;
use crate::wire::{Transport, Wire};

/// One side's report of a connection after it has closed.
pub(crate) struct SideReport {
    pub(crate) started: Instant,
    /// The time at which the side's handshake was complete.
    pub(crate) done: Instant,
    /// The codepoint of the negotiated group.
    pub(crate) group: u16,
    /// The subject of the certificate that the side verified.
    pub(crate) peer: String,
    /// The message as it arrived.
    pub(crate) heard: String,
    /// The TCP payload of the whole connection, in bytes.
    pub(crate) sent: u64,
    pub(crate) received: u64,
}

/// Connects the two sides over sockets, with a message each way; returns the client's report first.
pub(crate) fn converse(sides: &Sides) -> Result<[SideReport; 2]> {
    let wires = Transport::Sockets.pair().context("no sockets on 127.0.0.1")?;
    let (client, server) = thread::scope(|scope| {
        let server = scope.spawn(|| serve(sides.server.clone(), wires.1));
        let client = scope.spawn(|| call(sides.client.clone(), wires.0));
        (joined(client.join()), joined(server.join()))
    });
    let (client, server) = match (client, server) {
        // Each side may know only part of the cause.
        (Err(client), Err(server)) => bail!("client: {client:#}; server: {server:#}"),
        (client, server) => (client.context("client")?, server.context("server")?),
    };
    let (group, other) = (client.group, server.group);
    ensure!(group == other, "the sides disagree on the group: {group} and {other}");
    let (counts, others) = ((client.sent, client.received), (server.received, server.sent));
    ensure!(counts == others, "the sides count different bytes");
    Ok([client, server])
}

fn call(config: Arc<ClientConfig>, wire: Wire) -> Result<SideReport> {
    let started = Instant::now();
    let mut link = Link::connect(config, "localhost".try_into()?, wire)?;
    let done = Instant::now();
    link.say(CLIENT_SAYS)?;
    let heard = link.hear()?;
    report(link, [started, done], heard)
}

fn serve(config: Arc<ServerConfig>, wire: Wire) -> Result<SideReport> {
    let started = Instant::now();
    let mut link = Link::accept(config, wire)?;
    let done = Instant::now();
    let heard = link.hear()?;
    link.say(SERVER_SAYS)?;
    report(link, [started, done], heard)
}

/// Closes the connection and returns the report.
fn report(mut link: Link, [started, done]: [Instant; 2], heard: String) -> Result<SideReport> {
    link.close()?;
    let state = link.state();
    ensure!(state.protocol_version() == Some(ProtocolVersion::TLSv1_3), "not TLS 1.3");
    let group = state.negotiated_key_exchange_group().context("no group was negotiated")?;
    let certs = state.peer_certificates().context("the peer did not authenticate")?;
    let peer = testpki::subject(certs.first().context("the peer sent no certificate")?)?;
    let Wire { sent, received, .. } = *link.tls.socket();
    Ok(SideReport { started, done, group: group.name().into(), peer, heard, sent, received })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::base;
    use crate::setup::{Setup, Shown};
    use crate::testpki::{ML_DSA_65, P256, TestPki};

    fn sides(base: &base::Base, pki: &TestPki) -> Sides {
        let setup = Setup::new((base.provider)(), Duration::ZERO);
        Sides::new(&setup.provider("X25519").unwrap(), pki, Shown::Both, 0).unwrap()
    }

    /// Tests every base of the build, with a group of its own.
    #[test]
    fn both_sides_authenticate_and_are_heard() {
        for base in base::ALL {
            let [client, server] = converse(&sides(base, &P256)).unwrap();
            assert_eq!(client.peer, "CN=P-256 test server,O=Oaklath");
            assert_eq!(server.peer, "CN=P-256 test client,O=Oaklath");
            assert_eq!([&*server.heard, &*client.heard], [CLIENT_SAYS, SERVER_SAYS]);
        }
    }

    /// A root that issued neither leaf causes an error at once, with the reason.
    #[test]
    fn an_unknown_issuer_is_refused() {
        let Ok(base) = base::choose(None) else { return };
        let pki = TestPki { root: ML_DSA_65.root, ..P256.clone() };
        let Err(error) = converse(&sides(base, &pki)) else { panic!("it connected") };
        let text = format!("{error:#}");
        assert!(text.starts_with("client: the handshake failed: "), "{text}");
        assert!(text.contains("UnknownIssuer"), "{text}");
        assert!(text.contains("server: the handshake failed: "), "{text}");
    }
}
