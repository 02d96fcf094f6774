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
use std::sync::Arc;
use std::time::Instant;

use rustls::client::UnbufferedClientConnection;
use rustls::pki_types::ServerName;
use rustls::server::{Acceptor, ClientHello, UnbufferedServerConnection};
use rustls::{ClientConfig, CommonState, Error, ServerConfig};

use crate::connection::{Connection, LEFT, Side, failed, left};
use crate::deadline::{Deadline, TimedSocket};

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
    connection: Connection,
    socket: T,
}

impl<T: Read + Write> Stream<T> {
    /// Runs the handshake, of which `incoming` has already been received.
    fn new(side: Side, mut socket: T, incoming: Vec<u8>) -> io::Result<Self> {
        let connection = Connection::handshake(side, incoming, &mut socket)?;
        Ok(Self { connection, socket })
    }

    /// Closes this side of the connection with `close_notify`. The peer may still send, and its
    /// data can be read until it closes its side.
    ///
    /// # Errors
    /// Returns the socket's error, or that of a connection that has failed.
    pub fn close(&mut self) -> io::Result<()> {
        self.connection.close(&mut self.socket)
    }
}

impl<T> Stream<T> {
    /// Returns what was negotiated, and with whom: `protocol_version`, `negotiated_cipher_suite`,
    /// `negotiated_key_exchange_group`, `peer_certificates`, `handshake_kind`, `alpn_protocol`.
    #[must_use]
    pub fn state(&self) -> &CommonState {
        &self.connection.side
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
        Ok(Stream { connection: self.connection, socket: make(self.socket)? })
    }

    /// Returns the socket; data that were received but not yet read from this stream are lost.
    #[must_use]
    pub fn into_socket(self) -> T {
        self.socket
    }
}

impl<T: Read + Write> Read for Stream<T> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.connection.read(&mut self.socket, buf)
    }
}

impl<T: Read + Write> Write for Stream<T> {
    /// Writes at most one record.
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.connection.write(&mut self.socket, buf)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.connection.flush(&mut self.socket)
    }
}

impl<T: fmt::Debug> fmt::Debug for Stream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = match self.connection.side {
            Side::Client(_) => "client",
            Side::Server(_) => "server",
        };
        let mut stream = f.debug_struct("Stream");
        stream.field("side", &side).field("socket", &self.socket).finish_non_exhaustive()
    }
}
