//! Connections over rustls' unbuffered interface: certificates of every length, and malicious
//! peers.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::iter;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use oaklath_tls::unbuffered::{Stream, accept, accept_until, connect, connect_until};
use oaklath_tls::{Deadline, check_chain};
use rustls::crypto::CryptoProvider;
use rustls::{
    AlertDescription, ClientConfig, ClientConnection, Error, HandshakeKind, InvalidMessage,
    ProtocolVersion, ServerConfig, ServerConnection,
};

use crate::chains::{Ca, Issued, client, compiled, is_hash_tree, named, new_key, server, validity};
use crate::support::server as classical_server;
use crate::support::{BOTH, TLS12, bases, client as classical_client, provider};

/// One end of a wire in memory, which is closed when the other end is dropped.
#[derive(Debug)]
struct End {
    to: Option<Sender<Vec<u8>>>,
    from: Receiver<Vec<u8>>,
    rest: VecDeque<u8>,
    /// The number of bytes after which the wire to the other end is cut.
    cut: usize,
    /// The maximum number of bytes per call.
    most: usize,
    /// The offset of a sent byte that is damaged, if any.
    damaged: Option<usize>,
    sent: usize,
    /// How long to wait for the other end.
    patience: Duration,
}

fn wire() -> (End, End) {
    let ((a, from_a), (b, from_b)) = (channel(), channel());
    let end = |to, from| End {
        to: Some(to),
        from,
        rest: VecDeque::new(),
        cut: usize::MAX,
        most: usize::MAX,
        damaged: None,
        sent: 0,
        patience: Duration::from_secs(100),
    };
    (end(a, from_b), end(b, from_a))
}

impl Read for End {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.rest.is_empty() {
            match self.from.recv_timeout(self.patience) {
                Ok(bytes) => self.rest.extend(bytes),
                Err(RecvTimeoutError::Timeout) => return Err(io::ErrorKind::WouldBlock.into()),
                Err(RecvTimeoutError::Disconnected) => {}
            }
        }
        let most = buf.len().min(self.most);
        self.rest.read(&mut buf[..most])
    }
}

impl Write for End {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let n = buf.len().min(self.most);
        let mut bytes = buf[..n].to_vec();
        if let Some(byte) = self.damaged.and_then(|at| bytes.get_mut(at.checked_sub(self.sent)?)) {
            *byte ^= 1;
        }
        bytes.truncate(self.cut.saturating_sub(self.sent));
        self.sent += n;
        if let Some(to) = &self.to {
            let _ = to.send(bytes);
        }
        if self.sent >= self.cut {
            self.to = None;
        }
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

type Handshake = io::Result<Stream<End>>;

/// Runs a handshake between two threads.
fn shake(
    client: &Arc<ClientConfig>,
    server: &Arc<ServerConfig>,
    (of_client, of_server): (End, End),
) -> (Handshake, Handshake) {
    let server = server.clone();
    let server = thread::spawn(move || accept(server, of_server));
    let client = connect(client.clone(), "localhost".try_into().unwrap(), of_client);
    (client, server.join().unwrap())
}

/// Returns the configurations of two sides that present this chain and trust its root.
fn both(provider: &CryptoProvider, issued: &Issued) -> (Arc<ClientConfig>, Arc<ServerConfig>) {
    let roots = issued.root.roots();
    let client = client(provider, &roots, issued.certified(provider));
    (client, server(provider, &roots, issued.certified(provider)))
}

fn small() -> (Arc<ClientConfig>, Arc<ServerConfig>) {
    let [base, ..] = bases();
    both(&provider(&base, &["X25519MLKEM768"]), &Issued::new(named("ML-DSA-44"), false))
}

/// Returns the configurations with the largest flights: 101 KB from each side.
fn large() -> (Arc<ClientConfig>, Arc<ServerConfig>) {
    let [base, ..] = bases();
    let issued = Issued::new(named("SLH-DSA-SHA2-256f"), false);
    both(&provider(&base, &["X25519MLKEM768"]), &issued)
}

/// Returns the TLS error inside an I/O error.
fn tls_error(error: &io::Error) -> Option<&Error> {
    error.get_ref()?.downcast_ref()
}

/// Exchanges a message each way, and closes both sides.
fn converse(client: &mut Stream<End>, server: &mut Stream<End>) {
    client.write_all(b"hello").unwrap();
    client.close().unwrap();
    let mut heard = String::new();
    server.read_to_string(&mut heard).unwrap();
    assert_eq!(heard, "hello");
    server.write_all(b"there").unwrap();
    server.close().unwrap();
    heard.clear();
    client.read_to_string(&mut heard).unwrap();
    assert_eq!(heard, "there");
}

#[test]
fn every_hash_tree_authenticates_both_sides() {
    let [base, ..] = bases();
    let provider = provider(&base, &["X25519MLKEM768"]);
    let sets: Vec<_> = compiled().filter(|identity| is_hash_tree(identity)).collect();
    assert_eq!(sets.len(), 12 + 6);
    for identity in sets {
        let issued = Issued::new(identity, false);
        let (client, server) = both(&provider, &issued);
        let (client, server) = shake(&client, &server, wire());
        let (mut client, mut server) = (client.unwrap(), server.unwrap());
        for side in [&client, &server] {
            let state = side.state();
            assert_eq!(state.protocol_version(), Some(ProtocolVersion::TLSv1_3));
            assert_eq!(state.peer_certificates(), Some(&issued.chain[..]));
            let group = state.negotiated_key_exchange_group().unwrap().name();
            assert_eq!(u16::from(group), 4588);
            // More than the signatures of the certificate and of the handshake.
            assert!(side.socket().sent > 2 * identity.algorithm.signature);
        }
        converse(&mut client, &mut server);
    }
}

/// Shows why these connections are needed.
#[test]
fn buffered_connections_take_no_such_flight() {
    let (client, server) = large();
    let (mut of_client, mut of_server) = wire();
    let server = thread::spawn(move || {
        let mut server = ServerConnection::new(server).unwrap();
        while server.is_handshaking() {
            server.complete_io(&mut of_server)?;
        }
        Ok::<_, io::Error>(())
    });
    let mut client = ClientConnection::new(client, "localhost".try_into().unwrap()).unwrap();
    let error = loop {
        if let Err(error) = client.complete_io(&mut of_client) {
            break error;
        }
    };
    assert_eq!(error.to_string(), "message buffer full");
    drop(of_client);
    server.join().unwrap().unwrap_err();
}

/// Two long signatures do not fit into a certificate message: an error both here and at a peer.
#[test]
fn a_chain_that_is_too_long() {
    let [base, ..] = bases();
    let provider = provider(&base, &["X25519MLKEM768"]);
    let identity = named("SLH-DSA-SHA2-192f");
    let (root, key) = (Ca::root(identity), new_key(identity));
    let between = root.below(identity);
    let chain = vec![between.entity(&key.public_key(), validity()), between.der()];
    check_chain(&chain[..1]).unwrap();
    let error = check_chain(&chain).unwrap_err();
    assert_eq!(error.found, 4 + 5 + chain[0].len() + 5 + chain[1].len());
    let (client, server) = both(&provider, &Issued { root, chain, key });
    let (client, server) = shake(&client, &server, wire());
    let error = client.unwrap_err();
    let expected = Error::InvalidMessage(InvalidMessage::HandshakePayloadTooLarge);
    assert_eq!(tls_error(&error), Some(&expected));
    server.unwrap_err();
}

/// The sockets pass a few bytes at a time, and records have every length.
#[test]
fn data_of_every_length_through_narrow_sockets() {
    let (client, server) = small();
    for most in [1, 7, 4096] {
        let (mut of_client, mut of_server) = wire();
        (of_client.most, of_server.most) = (most, most);
        let (client, server) = shake(&client, &server, (of_client, of_server));
        let (mut client, mut server) = (client.unwrap(), server.unwrap());
        let data: Vec<u8> = (0..100_000_u32).map(|i| (i ^ i >> 8) as u8).collect();
        for len in [1, 16_383, 16_384, 16_385, data.len()] {
            for from_client in [true, false] {
                let (from, to) = match from_client {
                    true => (&mut client, &mut server),
                    false => (&mut server, &mut client),
                };
                from.write_all(&data[..len]).unwrap();
                let mut read = vec![0; len];
                to.read_exact(&mut read).unwrap();
                assert!(read == data[..len]);
            }
        }
        assert_eq!(client.write(&[]).unwrap(), 0);
        assert_eq!(client.read(&mut []).unwrap(), 0);
        converse(&mut client, &mut server);
        let error = client.write(b"more").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotConnected);
        assert_eq!(client.read(&mut [0; 8]).unwrap(), 0);
    }
}

#[test]
fn sessions_are_resumed() {
    let [base, ..] = bases();
    for versions in [BOTH, TLS12] {
        let provider = provider(&base, &["X25519MLKEM768", "secp256r1"]);
        let client = classical_client(provider.clone(), versions);
        let server = classical_server(provider, versions);
        for kind in [HandshakeKind::Full, HandshakeKind::Resumed] {
            let (client, server) = shake(&client, &server, wire());
            let (mut client, mut server) = (client.unwrap(), server.unwrap());
            assert_eq!(client.state().handshake_kind(), Some(kind));
            assert_eq!(server.state().handshake_kind(), Some(kind));
            converse(&mut client, &mut server);
        }
    }
}

/// If the wire is cut at any point, both sides get an error and neither waits.
#[test]
fn a_wire_that_is_cut() {
    let (client, server) = small();
    let (one, two) = shake(&client, &server, wire());
    let (of_client, of_server) = (one.unwrap().socket().sent, two.unwrap().socket().sent);
    // The last bytes of the server are tickets, without which the client's handshake is complete.
    for cut in (0..of_server - 3000).step_by(997) {
        let (one, mut two) = wire();
        two.cut = cut;
        let (one, two) = shake(&client, &server, (one, two));
        assert_eq!(one.unwrap_err().kind(), io::ErrorKind::UnexpectedEof, "{cut} of {of_server}");
        two.unwrap_err();
    }
    for cut in (0..of_client).step_by(997) {
        let (mut one, two) = wire();
        one.cut = cut;
        let (one, two) = shake(&client, &server, (one, two));
        assert_eq!(two.unwrap_err().kind(), io::ErrorKind::UnexpectedEof, "{cut} of {of_client}");
        // The client's handshake may have been complete before the server's.
        if let Ok(mut one) = one {
            assert_eq!(one.read(&mut [0]).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        }
    }
}

#[test]
fn long_flights_that_are_cut_or_damaged() {
    let (client, server) = large();
    for place in [40_000, 70_000, 99_000] {
        let (one, mut two) = wire();
        two.cut = place;
        let (one, two) = shake(&client, &server, (one, two));
        assert_eq!(one.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        two.unwrap_err();

        let (one, mut two) = wire();
        two.damaged = Some(place);
        let (one, two) = shake(&client, &server, (one, two));
        assert_eq!(tls_error(&one.unwrap_err()), Some(&Error::DecryptError));
        // The alert arrived.
        let expected = Error::AlertReceived(AlertDescription::BadRecordMac);
        assert_eq!(tls_error(&two.unwrap_err()), Some(&expected));
    }
}

/// A silent peer causes a timeout of the socket, by which no data are lost.
#[test]
fn a_silent_peer() {
    let (client, server) = small();
    let (mut one, two) = wire();
    one.patience = Duration::from_millis(200);
    let silent = connect(client.clone(), "localhost".try_into().unwrap(), one).unwrap_err();
    assert_eq!(silent.kind(), io::ErrorKind::WouldBlock);
    drop(two);

    let (client, server) = shake(&client, &server, wire());
    let (mut client, mut server) = (client.unwrap(), server.unwrap());
    client.socket_mut().patience = Duration::from_millis(10);
    let mut read = [0; 5];
    assert_eq!(client.read(&mut read).unwrap_err().kind(), io::ErrorKind::WouldBlock);
    server.write_all(b"hello").unwrap();
    client.read_exact(&mut read).unwrap();
    assert_eq!(&read, b"hello");
    // The peer disconnects without close_notify: an error, not the end of the data.
    drop(server);
    assert_eq!(client.read(&mut read).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
}

/// Returns a client's error after an answer in the clear, whose sender then disconnects or waits.
fn answered(answer: &[u8], leaves: bool) -> io::Error {
    let (client, _) = small();
    let (one, mut two) = wire();
    two.write_all(answer).unwrap();
    if leaves {
        two.to = None;
    }
    let error = connect(client, "localhost".try_into().unwrap(), one).unwrap_err();
    drop(two);
    error
}

#[test]
fn answers_of_ill_will() {
    // No answer, and a close_notify, which anybody can forge.
    for answer in [&[][..], &[21, 3, 3, 0, 2, 1, 0]] {
        assert_eq!(answered(answer, true).kind(), io::ErrorKind::UnexpectedEof);
    }
    let answered = |answer| answered(answer, false);
    let error = answered(&[21, 3, 3, 0, 2, 2, 40]);
    let expected = Error::AlertReceived(AlertDescription::HandshakeFailure);
    assert_eq!(tls_error(&error), Some(&expected));
    // A record that is too long, bytes that are not a record, a message that is too long.
    let error = answered(&[22, 3, 3, 0xff, 0xff]);
    assert_eq!(tls_error(&error), Some(&Error::InvalidMessage(InvalidMessage::MessageTooLarge)));
    let error = answered(b"HTTP/1.1 400 Bad Request\r\n\r\n");
    assert!(matches!(tls_error(&error), Some(Error::InvalidMessage(_))), "{error:?}");
    let error = answered(&[22, 3, 3, 0, 4, 2, 1, 0, 0]);
    let expected = Error::InvalidMessage(InvalidMessage::HandshakePayloadTooLarge);
    assert_eq!(tls_error(&error), Some(&expected));
    // A message with one record for each byte.
    let mut answer = vec![22, 3, 3, 0, 4, 2, 0, 0xff, 0xff];
    (0..0xfff0).for_each(|_| answer.extend([22, 3, 3, 0, 1, 0]));
    let error = answered(&answer);
    let expected = Error::General("a flight of more than 262144 bytes".to_owned());
    assert_eq!(tls_error(&error), Some(&expected));
}

#[test]
fn early_data_is_refused() {
    let (_, server) = small();
    let mut server = ServerConfig::clone(&server);
    server.max_early_data_size = 1;
    let (_other, end) = wire();
    assert!(matches!(
        tls_error(&accept(Arc::new(server), end).unwrap_err()),
        Some(Error::General(_))
    ));
}

/// Returns the two ends of a TCP connection.
fn sockets() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    (client, listener.accept().unwrap().0)
}

/// A byte now and then, always before the socket's own timeout, does not prolong the handshake.
#[test]
fn a_handshake_ends_at_its_deadline() {
    let (client, server) = small();
    let hello = {
        let mut hello = Vec::new();
        let name = "localhost".try_into().unwrap();
        ClientConnection::new(client.clone(), name).unwrap().write_tls(&mut hello).unwrap();
        hello
    };
    let drip = |mut peer: TcpStream| {
        let hello = hello.clone();
        thread::spawn(move || {
            let sent = hello.iter().take_while(|&&byte| {
                thread::sleep(Duration::from_millis(20));
                peer.write_all(&[byte]).is_ok()
            });
            assert!(sent.count() < hello.len(), "all of it was waited for");
        })
    };
    let deadline = || Instant::now() + Duration::from_millis(200);
    let own = Some(Duration::from_secs(100));

    let (peer, socket) = sockets();
    socket.set_read_timeout(own).unwrap();
    let dripping = drip(peer);
    let error = accept_until(server.clone(), socket, deadline()).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    dripping.join().unwrap();

    // The peer of a client sends a record that is never complete.
    let (peer, socket) = sockets();
    let dripping = drip(peer);
    let name = || "localhost".try_into().unwrap();
    let error = connect_until(client.clone(), name(), socket, deadline()).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    dripping.join().unwrap();

    // A handshake in time, after which the socket has its own timeouts again.
    let (of_client, of_server) = sockets();
    of_server.set_read_timeout(own).unwrap();
    let at = Instant::now() + Duration::from_secs(100);
    let server = thread::spawn(move || accept_until(server, of_server, at).unwrap());
    let client = connect_until(client, name(), of_client, at).unwrap();
    let server = server.join().unwrap();
    assert_eq!(server.socket().read_timeout().unwrap(), own);
    assert_eq!(server.socket().write_timeout().unwrap(), None);
    assert_eq!(client.socket().read_timeout().unwrap(), None);
    // A deadline in the past.
    let (_peer, socket) = sockets();
    let (_, server) = small();
    let error = accept_until(server, socket, Instant::now()).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
}

#[test]
fn own_timeouts_keep_their_errors() {
    let (_peer, socket) = sockets();
    socket.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
    let without = (&socket).read(&mut [0]).unwrap_err();
    let mut socket = Deadline::new(socket, Instant::now() + Duration::from_secs(100)).unwrap();
    let with = socket.read(&mut [0]).unwrap_err();
    assert_eq!((with.kind(), with.raw_os_error()), (without.kind(), without.raw_os_error()));
    // Writes have the deadline alone.
    socket.set(Instant::now() + Duration::from_millis(200));
    let error = iter::repeat_with(|| socket.write(&[0; 1 << 20])).find_map(Result::err).unwrap();
    assert_eq!(error.to_string(), "the deadline has passed");
}
