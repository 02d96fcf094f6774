//! Tests of whose order of groups counts, over real sockets.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use oaklath_tls::unbuffered::{accept, accept_with, connect};
use oaklath_tls::{BuildError, Builder, ServerOrder};
use rustls::crypto::CryptoProvider;
use rustls::server::Acceptor;
use rustls::version::TLS13;
use rustls::{
    AlertDescription, ClientConfig, ClientConnection, Error, HandshakeKind, ServerConfig,
    SupportedProtocolVersion,
};

use crate::support::{BOTH, TLS12, bases, client, pki, provider};

const X25519: u16 = 29;
const P256: u16 = 23;
const X25519_ML_KEM_768: u16 = 4588;
const P384_ML_KEM_1024: u16 = 4589;

fn configured(
    provider: Arc<CryptoProvider>,
    versions: &[&'static SupportedProtocolVersion],
) -> Result<ServerConfig, Error> {
    ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(versions)?
        .with_no_client_auth()
        .with_single_cert(pki().chain.clone(), pki().key.clone_key())
}

/// Returns the two ends of a connection.
fn sockets() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    (client, listener.accept().unwrap().0)
}

/// How a server accepts.
#[derive(Clone)]
enum Server {
    One(Arc<ServerConfig>),
    Ordered(ServerOrder),
    /// With a buffered connection of rustls.
    Buffered(ServerOrder),
}

impl Server {
    /// Accepts a connection, and sends a byte.
    fn serve(self, mut socket: TcpStream) -> io::Result<()> {
        match self {
            Self::One(config) => accept(config, socket)?.write_all(b"!"),
            Self::Ordered(order) => {
                accept_with(|hello| order.choose(hello), socket)?.write_all(b"!")
            }
            Self::Buffered(order) => {
                let mut acceptor = Acceptor::default();
                let accepted = loop {
                    acceptor.read_tls(&mut socket)?;
                    if let Some(accepted) = acceptor.accept().map_err(|_| io::ErrorKind::Other)? {
                        break accepted;
                    }
                };
                let config = order.choose(&accepted.client_hello());
                let mut tls = match accepted.into_connection(config) {
                    Ok(tls) => tls,
                    Err((_, mut alert)) => return alert.write_all(&mut socket),
                };
                tls.complete_io(&mut socket)?;
                tls.writer().write_all(b"!")?;
                tls.complete_io(&mut socket).map(drop)
            }
        }
    }
}

/// Returns the group of a connection and the kind of its handshake, or the alert.
fn connected(
    client: &Arc<ClientConfig>,
    server: &Server,
) -> Result<(u16, HandshakeKind), AlertDescription> {
    let (of_client, of_server) = sockets();
    let server = server.clone();
    let server = thread::spawn(move || server.serve(of_server));
    let result = connect(client.clone(), "localhost".try_into().unwrap(), of_client);
    let result = result.and_then(|mut tls| {
        // The session tickets come before this byte.
        tls.read_exact(&mut [0])?;
        let group = tls.state().negotiated_key_exchange_group().unwrap().name().into();
        Ok((group, tls.state().handshake_kind().unwrap()))
    });
    drop(server.join().unwrap());
    result.map_err(|error| match error.get_ref().and_then(|error| error.downcast_ref()) {
        Some(Error::AlertReceived(alert)) => *alert,
        other => panic!("{other:?}"),
    })
}

/// Lists of clients, and the group with a server that follows the client's order, has its own
/// order, or requires post-quantum groups.
const LISTS: [(&[&str], [Option<u16>; 3]); 6] = [
    (
        &["X25519", "X25519MLKEM768"],
        [Some(X25519), Some(X25519_ML_KEM_768), Some(X25519_ML_KEM_768)],
    ),
    (&["MLKEM512", "X25519MLKEM768"], [Some(X25519_ML_KEM_768); 3]),
    (
        &["P-256", "SecP384r1MLKEM1024"],
        [Some(P256), Some(P384_ML_KEM_1024), Some(P384_ML_KEM_1024)],
    ),
    // As rustls lists them without `prefer-post-quantum`.
    (
        &["X25519", "P-256", "P-384", "X25519MLKEM768"],
        [Some(X25519), Some(X25519_ML_KEM_768), Some(X25519_ML_KEM_768)],
    ),
    (&["P-256"], [Some(P256), Some(P256), None]),
    (&["MLKEM768"], [None; 3]),
];

#[test]
fn a_server_follows_prefers_or_insists() {
    for base in bases() {
        let follows = Builder::new(base.clone()).build().unwrap();
        let insists = Builder::new(base.clone()).post_quantum_only().build().unwrap();
        let one = |provider| Arc::new(configured(Arc::new(provider), &[&TLS13]).unwrap());
        let order = ServerOrder::new(&follows, |provider| configured(provider, BOTH)).unwrap();
        for (list, [following, preferring, insisting]) in LISTS {
            let client = client(provider(&base, list), BOTH);
            for (server, expected) in [
                (Server::One(one(follows.clone())), following),
                (Server::Ordered(order.clone()), preferring),
                (Server::Buffered(order.clone()), preferring),
                (Server::One(one(insists.clone())), insisting),
            ] {
                let group = connected(&client, &server).map(|(group, _)| group);
                assert_eq!(group, expected.ok_or(AlertDescription::HandshakeFailure), "{list:?}");
            }
        }
    }
}

/// A missing share is asked for once; sessions are resumed, whichever configuration created them.
#[test]
fn an_order_asks_for_shares_and_shares_sessions() {
    let [base, ..] = bases();
    let both = Builder::new(base.clone()).build().unwrap();
    let order = ServerOrder::new(&both, |provider| configured(provider, BOTH)).unwrap();
    let of_client = provider(&base, &["X25519", "X25519MLKEM768"]);
    let config = client(of_client, BOTH);
    let server = Server::Ordered(order.clone());
    let first = connected(&config, &server);
    assert_eq!(first, Ok((X25519_ML_KEM_768, HandshakeKind::FullWithHelloRetryRequest)));
    let second = connected(&config, &server).unwrap();
    assert_eq!(second.1, HandshakeKind::Resumed);
    // The same sessions and tickets in another configuration of the order.
    let chosen = |groups: &[&str]| {
        let client = client(provider(&base, groups), BOTH);
        let mut client = ClientConnection::new(client, "localhost".try_into().unwrap()).unwrap();
        let (mut hello, mut acceptor) = (Vec::new(), Acceptor::default());
        client.write_tls(&mut hello).unwrap();
        acceptor.read_tls(&mut &hello[..]).unwrap();
        order.choose(&acceptor.accept().unwrap().unwrap().client_hello())
    };
    let [one, other] = [&["X25519", "X25519MLKEM768"][..], &["X25519"]].map(chosen);
    assert!(!Arc::ptr_eq(&one, &other));
    assert!(Arc::ptr_eq(&one.session_storage, &other.session_storage));
    assert!(Arc::ptr_eq(&one.ticketer, &other.ticketer));
    // TLS 1.2 has the classical groups, whatever is preferred.
    let old = client(provider(&base, &["X25519MLKEM768", "P-256"]), TLS12);
    assert_eq!(connected(&old, &server).map(|(group, _)| group), Ok(P256));
}

#[test]
fn what_is_no_hello_gets_an_alert() {
    let [base, ..] = bases();
    let order = ServerOrder::new(&base, |provider| configured(provider, BOTH)).unwrap();
    for sent in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[22, 3, 1, 0, 4, 1, 0, 0, 0]] {
        let (mut client, server) = sockets();
        client.write_all(sent).unwrap();
        let error = accept_with(|hello| order.choose(hello), server).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        let mut answer = Vec::new();
        client.read_to_end(&mut answer).unwrap();
        assert_eq!(answer, [21, 3, 3, 0, 2, 2, u8::from(AlertDescription::DecodeError)]);
    }
    // Nothing; a close_notify and more data; a hello that does not end, in records of one byte.
    let after_close = [&[21, 3, 3, 0, 2, 1, 0][..], &[22, 3, 1, 0, 4, 1, 0, 0, 0]].concat();
    let mut endless = [&[22, 3, 1, 0, 4, 1, 0, 0xff, 0xff][..]].concat();
    (0..0xfff0).for_each(|_| endless.extend([22, 3, 1, 0, 1, 0]));
    for sent in [Vec::new(), after_close, endless] {
        let (mut client, server) = sockets();
        let client = thread::spawn(move || client.write_all(&sent));
        let error = accept_with(|hello| order.choose(hello), server).unwrap_err();
        let kinds = [io::ErrorKind::UnexpectedEof, io::ErrorKind::InvalidData];
        assert!(kinds.contains(&error.kind()), "{error}");
        drop(client.join().unwrap());
    }
}

#[test]
fn who_insists_names_no_classical_group() {
    for base in bases() {
        let insisting = || Builder::new(base.clone()).post_quantum_only();
        let error = insisting().groups(["X25519MLKEM768", "P-256"]).build().unwrap_err();
        assert_eq!(error, BuildError::Classical { name: "P-256".to_owned() });
        assert_eq!(insisting().groups(["MLKEM768"]).build().unwrap().kx_groups.len(), 1);
        assert_eq!(insisting().build().unwrap().kx_groups.len(), 3);
        // Pure ML-KEM is included by name only, even if the base has it.
        let of_base = CryptoProvider {
            kx_groups: provider(&base, &["MLKEM768", "X25519"]).kx_groups,
            ..base.clone()
        };
        let built = Builder::new(of_base).build().unwrap();
        let groups: Vec<u16> = built.kx_groups.iter().map(|group| group.name().into()).collect();
        assert_eq!(groups, [X25519_ML_KEM_768, 4587, P384_ML_KEM_1024, X25519]);
    }
}
