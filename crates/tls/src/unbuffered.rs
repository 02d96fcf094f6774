//! Blocking connections without rustls' limit of 64 KiB per flight: RFC 8446, section 4.
//!
//! A [`rustls::ClientConnection`] buffers at most 65,535 bytes of a flight, and fails the handshake
//! with "message buffer full" if the certificates and the handshake's signature are longer
//! together: two signatures of SLH-DSA-192f (35,664 bytes each) or 256f (49,856), or of the
//! SPHINCS+ sets of those sizes. rustls' [unbuffered interface](rustls::unbuffered) leaves the
//! buffers to the program. [`connect`] and [`accept`] manage them: they run the handshake over a
//! socket and return a [`Stream`] to read from and write to. They accept the same configurations as
//! [`rustls::Stream`], but no early data.
//!
//! A single handshake message, such as that of the certificates, still has at most 65,535 bytes:
//! see [`check_chain`](crate::check_chain).
//!
//! ```
//! # use std::net::{TcpListener, TcpStream};
//! # use std::sync::Arc;
//! # use rustls::pki_types::PrivateKeyDer;
//! # use rustls::{ClientConfig, RootCertStore, ServerConfig};
//! use std::io::{Read, Write};
//! use oaklath_tls::unbuffered::{accept, connect};
//!
//! # let issued = rcgen::generate_simple_self_signed(["localhost".to_string()])?;
//! # let (certificate, key) = (issued.cert.der().clone(), issued.signing_key.serialize_der());
//! # let key = PrivateKeyDer::try_from(key)?;
//! # let mut roots = RootCertStore::empty();
//! # roots.add(certificate.clone())?;
//! # let client = Arc::new(ClientConfig::builder_with_provider(oaklath_tls::provider())
//! #     .with_safe_default_protocol_versions()?
//! #     .with_root_certificates(roots)
//! #     .with_no_client_auth());
//! # let server = Arc::new(ServerConfig::builder_with_provider(oaklath_tls::provider())
//! #     .with_safe_default_protocol_versions()?
//! #     .with_no_client_auth()
//! #     .with_single_cert(vec![certificate], key)?);
//! let listener = TcpListener::bind("127.0.0.1:0")?;
//! let address = listener.local_addr()?;
//! let echo = std::thread::spawn(move || {
//!     let mut tls = accept(server, listener.accept()?.0)?;
//!     let mut heard = String::new();
//!     tls.read_to_string(&mut heard)?;
//!     tls.write_all(heard.as_bytes())?;
//!     tls.close()
//! });
//!
//! let mut tls = connect(client, "localhost".try_into()?, TcpStream::connect(address)?)?;
//! assert_eq!(tls.state().protocol_version(), Some(rustls::ProtocolVersion::TLSv1_3));
//! tls.write_all(b"hello")?;
//! tls.close()?;
//! let mut answer = String::new();
//! tls.read_to_string(&mut answer)?;
//! assert_eq!(answer, "hello");
//! # echo.join().unwrap()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;
use std::io::{self, Read, Write};
use std::ops::Deref;
use std::sync::Arc;
use std::time::Instant;

use rustls::client::UnbufferedClientConnection;
use rustls::pki_types::ServerName;
use rustls::server::{Acceptor, ClientHello, UnbufferedServerConnection};
use rustls::unbuffered::{ConnectionState, EncodeError, EncryptError, UnbufferedStatus};
use rustls::{ClientConfig, CommonState, Error, ServerConfig};

use crate::buffer::Buffer;
use crate::deadline::{Deadline, TimedSocket};

/// The maximum number of bytes of a flight that are buffered: four times the longest message. A
/// flight has two messages that may be long and some short ones, and records add a few percent.
const LONGEST_FLIGHT: usize = 4 * 65_536;

/// The number of bytes to read from the socket at once: a record.
const READ: usize = 16_384 + 256;

/// The number of bytes to read at once in a handshake, most of whose records are shorter: a server
/// has one such buffer for each new connection.
const READ_OF_HANDSHAKE: usize = 2048;

/// The maximum number of the program's bytes in a record.
const RECORD: usize = 16_384;

const LEFT: &str = "the peer left during the handshake";

/// The initial room for a message, which grows if necessary.
const ROOM: usize = 1024;

/// The number of bytes that a record adds to the program's: a header, a type and a tag.
const OVERHEAD: usize = 5 + 1 + 16;

/// Runs the handshake of a client over a connected socket, which must be a blocking one.
///
/// The socket's own timeouts bound how long a peer may be silent. They do not bound the handshake,
/// which a peer that sends a byte now and then can prolong at will: [`connect_until`] does.
///
/// # Errors
/// Returns the socket's error, [`io::ErrorKind::UnexpectedEof`] if the peer disconnects, or
/// [`io::ErrorKind::InvalidData`] with a [`rustls::Error`] inside if the handshake fails, in which
/// case the peer is sent an alert if there is one.
pub fn connect<T: Read + Write>(
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
    socket: T,
) -> io::Result<Stream<T>> {
    let client = UnbufferedClientConnection::new(config, name).map_err(failed)?;
    Stream::new(Side::Client(client), socket, Vec::new())
}

/// Connects as [`connect`] does, with a handshake that ends by `deadline`, whatever the server
/// sends until then. Afterwards the socket has its own timeouts again.
///
/// # Errors
/// Those of [`connect`], and [`io::ErrorKind::TimedOut`].
pub fn connect_until<T: TimedSocket>(
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
    socket: T,
    deadline: Instant,
) -> io::Result<Stream<T>> {
    connect(config, name, Deadline::new(socket, deadline)?)?.with_socket(Deadline::into_inner)
}

/// Runs the handshake of a server over a connected socket, which must be a blocking one.
///
/// A public server needs a deadline: a client that sends a byte now and then can hold this function
/// for ever, but not [`accept_until`].
///
/// # Errors
/// Those of [`connect`]; a configuration that accepts early data is an error, too.
pub fn accept<T: Read + Write>(config: Arc<ServerConfig>, socket: T) -> io::Result<Stream<T>> {
    Stream::new(server(config)?, socket, Vec::new())
}

/// Accepts as [`accept`] does, with a handshake that ends by `deadline`, whatever the client sends
/// until then. Afterwards the socket has its own timeouts again.
///
/// ```
/// # fn config() -> std::sync::Arc<rustls::ServerConfig> { unreachable!() }
/// use std::net::TcpStream;
/// use std::time::{Duration, Instant};
/// use oaklath_tls::unbuffered::{Stream, accept_until};
///
/// fn serve(socket: TcpStream) -> std::io::Result<Stream<TcpStream>> {
///     accept_until(config(), socket, Instant::now() + Duration::from_secs(10))
/// }
/// ```
///
/// # Errors
/// Those of [`accept`], and [`io::ErrorKind::TimedOut`].
pub fn accept_until<T: TimedSocket>(
    config: Arc<ServerConfig>,
    socket: T,
    deadline: Instant,
) -> io::Result<Stream<T>> {
    accept(config, Deadline::new(socket, deadline)?)?.with_socket(Deadline::into_inner)
}

/// Accepts as [`accept`] does, with a configuration that is chosen by the client's hello: by its
/// groups ([`ServerOrder`](crate::ServerOrder)) or by the server name in it. A [`Deadline`] around
/// the socket bounds the handshake.
///
/// # Errors
/// Those of [`accept`].
pub fn accept_with<T: Read + Write>(
    choose: impl FnOnce(&ClientHello<'_>) -> Arc<ServerConfig>,
    mut socket: T,
) -> io::Result<Stream<T>> {
    let (mut acceptor, mut incoming) = (Acceptor::default(), Vec::new());
    let config = loop {
        let mut kept = Kept { socket: &mut socket, incoming: &mut incoming };
        match acceptor.read_tls(&mut kept) {
            Ok(0) => return Err(left(LEFT)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        match acceptor.accept() {
            Ok(None) => {}
            Ok(Some(accepted)) => break choose(&accepted.client_hello()),
            Err((error, mut alert)) => {
                // The program gets the reason, even if the alert cannot be sent.
                let _ = alert.write_all(&mut socket);
                return Err(failed(error));
            }
        }
    };
    Stream::new(server(config)?, socket, incoming)
}

/// A socket that keeps a copy of what is read from it.
struct Kept<'a, T> {
    socket: &'a mut T,
    incoming: &'a mut Vec<u8>,
}

impl<T: Read> Read for Kept<'_, T> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.socket.read(buf)?;
        self.incoming.extend_from_slice(&buf[..read]);
        Ok(read)
    }
}

fn server(config: Arc<ServerConfig>) -> io::Result<Side> {
    if config.max_early_data_size != 0 {
        return Err(failed(Error::General("early data needs rustls' own interface".to_owned())));
    }
    Ok(Side::Server(UnbufferedServerConnection::new(config).map_err(failed)?))
}

/// A TLS connection over a socket, after its handshake.
///
/// Reading returns 0 bytes after the peer's `close_notify`, and an error if the peer disconnects
/// without one. Dropping a stream does not notify the peer: [`close`](Self::close) does.
pub struct Stream<T> {
    side: Side,
    socket: T,
    /// Records that were read but not yet processed.
    incoming: Buffer,
    /// Records to be sent.
    outgoing: Buffer,
    /// Data from the peer for which the caller's buffer had no room.
    received: Buffer,
    peer_closed: bool,
    closed: bool,
    /// The error that ended the connection, if any.
    failure: Option<Error>,
}

enum Side {
    Client(UnbufferedClientConnection),
    Server(UnbufferedServerConnection),
}

impl Deref for Side {
    type Target = CommonState;

    fn deref(&self) -> &CommonState {
        match self {
            Self::Client(client) => client,
            Self::Server(server) => server,
        }
    }
}

/// The action to take once the connection accepts data.
#[derive(Clone, Copy)]
enum Wish<'a> {
    Nothing,
    Encrypt(&'a [u8]),
    Close,
}

/// The outcome of a step of rustls' state machine.
enum Step {
    /// The state machine can continue.
    Moved,
    /// `outgoing` must be sent.
    Transmit,
    /// The number of bytes written to the caller's buffer; the rest is in `received`.
    Data(usize),
    /// The peer has closed its side.
    PeerClosed,
    /// The state machine needs input.
    Input,
    /// The connection accepts data, and the wish is fulfilled.
    Ready,
}

impl<T: Read + Write> Stream<T> {
    /// Runs the handshake, of which `incoming` has already been received.
    fn new(side: Side, socket: T, incoming: Vec<u8>) -> io::Result<Self> {
        let (outgoing, received) = Default::default();
        let mut stream = Self {
            side,
            socket,
            incoming: incoming.into(),
            outgoing,
            received,
            peer_closed: false,
            closed: false,
            failure: None,
        };
        loop {
            stream.turn(Wish::Nothing, &mut [])?;
            if !stream.side.is_handshaking() {
                return Ok(stream);
            }
            stream.receive(LEFT)?;
        }
    }

    /// Closes this side of the connection with `close_notify`. The peer may still send, and its
    /// data can be read until it closes its side.
    ///
    /// # Errors
    /// Returns the socket's error, or that of a connection that has failed.
    pub fn close(&mut self) -> io::Result<()> {
        while let Step::Data(_) = self.turn(Wish::Close, &mut [])? {}
        self.closed = true;
        self.flush()
    }

    /// Runs the state machine until it has data, accepts data or needs input, and sends its output.
    /// Data go into `buf`, and to `received` once `buf` is full.
    fn turn(&mut self, wish: Wish<'_>, buf: &mut [u8]) -> io::Result<Step> {
        self.send()?;
        if let Some(error) = &self.failure {
            return Err(failed(error.clone()));
        }
        loop {
            let (discard, step) = self.step(true, wish, buf);
            self.incoming.discard(discard);
            match step {
                Ok(Step::Moved) => {}
                Ok(Step::Transmit) => self.send()?,
                Ok(Step::PeerClosed) => self.peer_closed = true,
                Ok(step) => return Ok(step),
                Err(error) => return Err(self.fail(error)),
            }
        }
    }

    /// Passes the records that were read, or none, to rustls and handles its state.
    fn step(
        &mut self,
        shows_records: bool,
        wish: Wish<'_>,
        buf: &mut [u8],
    ) -> (usize, Result<Step, Error>) {
        let Self { side, incoming, outgoing, received, .. } = self;
        let incoming = if shows_records { incoming.held() } else { &mut [] };
        match side {
            Side::Client(client) => {
                step(client.process_tls_records(incoming), wish, outgoing, buf, received)
            }
            Side::Server(server) => {
                step(server.process_tls_records(incoming), wish, outgoing, buf, received)
            }
        }
    }

    /// Ends the connection with an error, and sends the alert if there is one.
    fn fail(&mut self, error: Error) -> io::Error {
        // Only writes the alert: with the same records, rustls would fail again.
        while self.side.wants_write() {
            if self.step(false, Wish::Nothing, &mut []).1.is_err() {
                break;
            }
        }
        self.failure = Some(error.clone());
        // The program gets the reason, even if the alert cannot be sent.
        let _ = self.send();
        failed(error)
    }

    /// Sends all pending records. Those that the socket does not accept stay for the next call.
    fn send(&mut self) -> io::Result<()> {
        if self.outgoing.is_empty() {
            return Ok(());
        }
        while !self.outgoing.is_empty() {
            match self.socket.write(self.outgoing.held()) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(sent) => self.outgoing.discard(sent),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        if self.side.is_handshaking() {
            // Frees the memory: the next flight is the peer's, or is short.
            self.outgoing = Buffer::default();
        }
        self.socket.flush()
    }

    /// Waits for more from the peer; `end` is the message of the error if the peer disconnects.
    fn receive(&mut self, end: &'static str) -> io::Result<()> {
        if self.incoming.held().len() >= LONGEST_FLIGHT {
            let error = format!("a flight of more than {LONGEST_FLIGHT} bytes");
            return Err(self.fail(Error::General(error)));
        }
        let room = if self.side.is_handshaking() { READ_OF_HANDSHAKE } else { READ };
        loop {
            match self.socket.read(self.incoming.room(room)) {
                Ok(0) => return Err(left(end)),
                Ok(read) => {
                    self.incoming.hold(read);
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl<T> Stream<T> {
    /// Returns what was negotiated, and with whom: `protocol_version`, `negotiated_cipher_suite`,
    /// `negotiated_key_exchange_group`, `peer_certificates`, `handshake_kind`, `alpn_protocol`.
    #[must_use]
    pub fn state(&self) -> &CommonState {
        &self.side
    }

    /// Returns the socket.
    #[must_use]
    pub fn socket(&self) -> &T {
        &self.socket
    }

    /// Returns the socket, to set its timeouts; reading or writing there breaks the connection.
    pub fn socket_mut(&mut self) -> &mut T {
        &mut self.socket
    }

    /// Replaces the socket by one that `make` creates from it.
    fn with_socket<U>(self, make: impl FnOnce(T) -> io::Result<U>) -> io::Result<Stream<U>> {
        let Self { side, socket, incoming, outgoing, received, .. } = self;
        let Self { peer_closed, closed, failure, .. } = self;
        let socket = make(socket)?;
        Ok(Stream { side, socket, incoming, outgoing, received, peer_closed, closed, failure })
    }

    /// Returns the socket; data that were received but not yet read from this stream are lost.
    #[must_use]
    pub fn into_socket(self) -> T {
        self.socket
    }
}

impl<T: Read + Write> Read for Stream<T> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while self.received.is_empty() {
            if self.peer_closed || buf.is_empty() {
                return Ok(0);
            }
            match self.turn(Wish::Nothing, buf)? {
                Step::Data(0) => {}
                Step::Data(read) => return Ok(read),
                _ if self.peer_closed => {}
                _ => self.receive("the peer left without close_notify")?,
            }
        }
        Ok(self.received.take(buf))
    }
}

impl<T: Read + Write> Write for Stream<T> {
    /// Writes at most one record.
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let buf = &buf[..buf.len().min(RECORD)];
        if buf.is_empty() {
            return Ok(0);
        }
        let closed = || io::Error::new(io::ErrorKind::NotConnected, "the connection was closed");
        if self.closed {
            return Err(closed());
        }
        loop {
            match self.turn(Wish::Encrypt(buf), &mut [])? {
                Step::Ready => {
                    // The bytes are taken even if sending fails; the next call returns that error.
                    let _ = self.send();
                    return Ok(buf.len());
                }
                Step::Data(_) => {}
                _ => return Err(closed()),
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.send()?;
        self.socket.flush()
    }
}

impl<T: fmt::Debug> fmt::Debug for Stream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = match self.side {
            Side::Client(_) => "client",
            Side::Server(_) => "server",
        };
        let mut stream = f.debug_struct("Stream");
        stream.field("side", &side).field("socket", &self.socket).finish_non_exhaustive()
    }
}

/// Handles a state, and returns how many bytes of the input are used up.
fn step<D>(
    status: UnbufferedStatus<'_, '_, D>,
    wish: Wish<'_>,
    outgoing: &mut Buffer,
    buf: &mut [u8],
    received: &mut Buffer,
) -> (usize, Result<Step, Error>) {
    let UnbufferedStatus { mut discard, state } = status;
    let handle = || match state? {
        ConnectionState::EncodeTlsData(mut data) => {
            append(outgoing, ROOM, |room| data.encode(room).map_err(Refused::from))?;
            Ok(Step::Moved)
        }
        ConnectionState::TransmitTlsData(data) => {
            data.done();
            Ok(Step::Transmit)
        }
        ConnectionState::ReadTraffic(mut traffic) => {
            let mut taken = 0;
            while let Some(record) = traffic.next_record() {
                let record = record?;
                discard += record.discard;
                let room = &mut buf[taken..];
                let (now, later) = record.payload.split_at(record.payload.len().min(room.len()));
                room[..now.len()].copy_from_slice(now);
                taken += now.len();
                received.append(later);
            }
            Ok(Step::Data(taken))
        }
        ConnectionState::WriteTraffic(mut traffic) => {
            match wish {
                Wish::Nothing => {}
                Wish::Encrypt(data) => {
                    append(outgoing, data.len() + OVERHEAD, |room| {
                        traffic.encrypt(data, room).map_err(Refused::from)
                    })?;
                }
                Wish::Close => {
                    append(outgoing, ROOM, |room| {
                        traffic.queue_close_notify(room).map_err(Refused::from)
                    })?;
                }
            }
            Ok(Step::Ready)
        }
        ConnectionState::PeerClosed => Ok(Step::PeerClosed),
        ConnectionState::BlockedHandshake | ConnectionState::Closed => Ok(Step::Input),
        // Early data, which is never enabled here.
        other => Err(Error::General(format!("an unexpected state: {other:?}"))),
    };
    let step = handle();
    (discard, step)
}

/// The reason why rustls did not write a record.
enum Refused {
    /// The buffer is too small; this many bytes are needed.
    Room(usize),
    Other,
}

impl From<EncodeError> for Refused {
    fn from(error: EncodeError) -> Self {
        match error {
            EncodeError::InsufficientSize(error) => Self::Room(error.required_size),
            EncodeError::AlreadyEncoded => Self::Other,
        }
    }
}

impl From<EncryptError> for Refused {
    fn from(error: EncryptError) -> Self {
        match error {
            EncryptError::InsufficientSize(error) => Self::Room(error.required_size),
            EncryptError::EncryptExhausted => Self::Other,
        }
    }
}

/// Appends what `put` writes, with as much room as it requires.
fn append(
    outgoing: &mut Buffer,
    mut room: usize,
    mut put: impl FnMut(&mut [u8]) -> Result<usize, Refused>,
) -> Result<(), Error> {
    loop {
        match put(outgoing.room(room)) {
            Ok(written) => {
                outgoing.hold(written);
                return Ok(());
            }
            Err(Refused::Room(required)) if required > room => room = required,
            Err(_) => return Err(Error::EncryptError),
        }
    }
}

fn failed(error: Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

fn left(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, what)
}
