//! A connection of rustls' unbuffered interface: its state machine, and the buffers that rustls
//! leaves to the program. No part depends on the socket's type, so that it is compiled once.

use std::io::{self, Read, Write};
use std::ops::Deref;

use rustls::client::UnbufferedClientConnection;
use rustls::server::UnbufferedServerConnection;
use rustls::unbuffered::{ConnectionState, EncodeError, EncryptError, UnbufferedStatus};
use rustls::{CommonState, Error};

use crate::buffer::Buffer;

/// The maximum number of bytes of a flight that are buffered: four times the longest message. A
/// flight has two messages that may be long and some short ones, and records add a few percent.
const LONGEST_FLIGHT: usize = 4 * 65_536;

/// The number of bytes to read from the socket at once: the longest record of TLS 1.3.
const READ: usize = 5 + 16_384 + 256;

/// The number of bytes to read at once in a handshake, most of whose records are shorter: a server
/// has one such buffer for each new connection.
const READ_OF_HANDSHAKE: usize = 2048;

/// The maximum number of the program's bytes in a record.
const RECORD: usize = 16_384;

pub(crate) const LEFT: &str = "the peer left during the handshake";

/// The initial room for a message, which grows if necessary.
const ROOM: usize = 1024;

/// The maximum number of bytes that a record adds to the program's: a header, a type (TLS 1.3) or a
/// nonce (TLS 1.2), and a tag.
const OVERHEAD: usize = 5 + 8 + 16;

/// A blocking socket.
pub(crate) trait Socket: Read + Write {}

impl<T: Read + Write> Socket for T {}

/// The state of a connection without its socket, which each method takes.
pub(crate) struct Connection {
    pub(crate) side: Side,
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

/// The side of the connection that this is.
pub(crate) enum Side {
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

impl Connection {
    /// Runs the handshake, of which `incoming` has already been received.
    pub(crate) fn handshake(
        side: Side,
        incoming: Vec<u8>,
        socket: &mut dyn Socket,
    ) -> io::Result<Self> {
        let (outgoing, received) = Default::default();
        let mut connection = Self {
            side,
            incoming: incoming.into(),
            outgoing,
            received,
            peer_closed: false,
            closed: false,
            failure: None,
        };
        loop {
            connection.turn(socket, Wish::Nothing, &mut [])?;
            if !connection.side.is_handshaking() {
                return Ok(connection);
            }
            connection.receive(socket, LEFT)?;
        }
    }

    /// Closes this side with `close_notify`.
    pub(crate) fn close(&mut self, socket: &mut dyn Socket) -> io::Result<()> {
        while let Step::Data(_) = self.turn(socket, Wish::Close, &mut [])? {}
        self.closed = true;
        self.flush(socket)
    }

    /// Reads what the peer sent; 0 bytes after its `close_notify`.
    pub(crate) fn read(&mut self, socket: &mut dyn Socket, buf: &mut [u8]) -> io::Result<usize> {
        while self.received.is_empty() {
            if self.peer_closed || buf.is_empty() {
                return Ok(0);
            }
            match self.turn(socket, Wish::Nothing, buf)? {
                Step::Data(0) => {}
                Step::Data(read) => return Ok(read),
                _ if self.peer_closed => {}
                _ => self.receive(socket, "the peer left without close_notify")?,
            }
        }
        Ok(self.received.take(buf))
    }

    /// Writes at most one record.
    pub(crate) fn write(&mut self, socket: &mut dyn Socket, buf: &[u8]) -> io::Result<usize> {
        let buf = &buf[..buf.len().min(RECORD)];
        if buf.is_empty() {
            return Ok(0);
        }
        let closed = || io::Error::new(io::ErrorKind::NotConnected, "the connection was closed");
        if self.closed {
            return Err(closed());
        }
        loop {
            match self.turn(socket, Wish::Encrypt(buf), &mut [])? {
                Step::Ready => {
                    // The bytes are taken even if they are not sent now: the next call sends them.
                    let _ = self.send(socket);
                    return Ok(buf.len());
                }
                Step::Data(_) => {}
                _ => return Err(closed()),
            }
        }
    }

    pub(crate) fn flush(&mut self, socket: &mut dyn Socket) -> io::Result<()> {
        self.send(socket)?;
        socket.flush()
    }

    /// Runs the state machine until it has data, accepts data or needs input, and sends its output.
    /// Data go into `buf`, and to `received` once `buf` is full.
    fn turn(
        &mut self,
        socket: &mut dyn Socket,
        wish: Wish<'_>,
        buf: &mut [u8],
    ) -> io::Result<Step> {
        self.send(socket)?;
        if let Some(error) = &self.failure {
            return Err(failed(error.clone()));
        }
        loop {
            let (discard, step) = self.step(true, wish, buf);
            self.incoming.discard(discard);
            match step {
                Ok(Step::Moved) => {}
                Ok(Step::Transmit) => self.send(socket)?,
                Ok(Step::PeerClosed) => self.peer_closed = true,
                Ok(step) => return Ok(step),
                Err(error) => return Err(self.fail(socket, error)),
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
    fn fail(&mut self, socket: &mut dyn Socket, error: Error) -> io::Error {
        // Only writes the alert: with the same records, rustls would fail again.
        while self.side.wants_write() {
            if self.step(false, Wish::Nothing, &mut []).1.is_err() {
                break;
            }
        }
        self.failure = Some(error.clone());
        // The program gets the reason, even if the alert cannot be sent.
        let _ = self.send(socket);
        failed(error)
    }

    /// Sends all pending records. Those that the socket does not accept stay for the next call.
    fn send(&mut self, socket: &mut dyn Socket) -> io::Result<()> {
        if self.outgoing.is_empty() {
            return Ok(());
        }
        while !self.outgoing.is_empty() {
            match socket.write(self.outgoing.held()) {
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
        socket.flush()
    }

    /// Waits for more from the peer; `end` is the message of the error if the peer disconnects.
    fn receive(&mut self, socket: &mut dyn Socket, end: &'static str) -> io::Result<()> {
        if self.incoming.held().len() >= LONGEST_FLIGHT {
            let error = format!("a flight of more than {LONGEST_FLIGHT} bytes");
            return Err(self.fail(socket, Error::General(error)));
        }
        let room = if self.side.is_handshaking() { READ_OF_HANDSHAKE } else { READ };
        loop {
            match socket.read(self.incoming.room(room)) {
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

pub(crate) fn failed(error: Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

pub(crate) fn left(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, what)
}
