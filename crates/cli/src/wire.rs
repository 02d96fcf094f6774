//! The transport between two sides of TLS, sockets or memory, with a count of the bytes.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use oaklath_tls::Deadline;

use crate::capture::{Capture, Tap};

/// The time limit of reads and writes, longer than any measured handshake takes.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The kind of connection between two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// Sockets over 127.0.0.1.
    Sockets,
    /// Two queues of bytes in memory.
    Memory,
}

impl Transport {
    /// Returns a client's and a server's end.
    ///
    /// # Errors
    /// If the system cannot create sockets.
    pub fn pair(self) -> io::Result<(Wire, Wire)> {
        match self {
            Self::Sockets => sockets(),
            Self::Memory => {
                let ((up, at_server), (down, at_client)) = (channel(), channel());
                let client = WireEnd::Memory { to: up, from: at_client, unread: VecDeque::new() };
                let server = WireEnd::Memory { to: down, from: at_server, unread: VecDeque::new() };
                Ok((Wire::of(client), Wire::of(server)))
            }
        }
    }
}

fn sockets() -> io::Result<(Wire, Wire)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    // The listener's queue holds the connection until it is accepted below.
    let client = TcpStream::connect(listener.local_addr()?)?;
    loop {
        let (server, peer) = listener.accept()?;
        // Another program may have connected first.
        if peer == client.local_addr()? {
            client.set_nodelay(true)?;
            server.set_nodelay(true)?;
            // No timeouts are set, since each wait would then need a timer; a thread that ends
            // closes its socket.
            return Ok([client, server].map(|socket| Wire::of(WireEnd::Socket(socket))).into());
        }
    }
}

/// One end of a connection, which counts the bytes. Reading blocks; in memory, it returns 0 bytes
/// once the other end is dropped.
#[derive(Debug)]
pub struct Wire {
    end: WireEnd,
    /// The number of bytes that were read.
    pub received: u64,
    /// The number of bytes that were written.
    pub sent: u64,
    tap: Option<Tap>,
    poll: Duration,
    /// The time limit of a step.
    limit: Duration,
}

#[derive(Debug)]
enum WireEnd {
    Socket(TcpStream),
    /// A socket to a peer that may be slow or malicious.
    Peer(Deadline<TcpStream>),
    Memory {
        to: Sender<Vec<u8>>,
        from: Receiver<Vec<u8>>,
        unread: VecDeque<u8>,
    },
}

impl Wire {
    /// Returns the end at a connected socket.
    ///
    /// # Errors
    /// If the socket's options cannot be set.
    pub fn new(socket: TcpStream) -> io::Result<Self> {
        // Nagle's algorithm would hold small records back until the peer acknowledges earlier ones.
        socket.set_nodelay(true)?;
        socket.set_read_timeout(Some(TIMEOUT))?;
        socket.set_write_timeout(Some(TIMEOUT))?;
        Ok(Self::of(WireEnd::Socket(socket)))
    }

    /// Returns the end at a socket connected to another program. `limit` bounds the handshake, and
    /// each later step that begins with [`renew`](Self::renew).
    pub(crate) fn of_peer(
        socket: TcpStream,
        limit: Duration,
        capture: &Arc<Capture>,
    ) -> io::Result<Self> {
        socket.set_nodelay(true)?;
        let tap = capture.tap(socket.local_addr()?, socket.peer_addr()?);
        let socket = Deadline::new(socket, Instant::now() + limit)?;
        Ok(Self { tap, limit, ..Self::of(WireEnd::Peer(socket)) })
    }

    /// Begins a step, which restarts the time limit.
    pub(crate) fn renew(&mut self) {
        if let WireEnd::Peer(socket) = &mut self.end {
            socket.set(Instant::now() + self.limit);
        }
    }

    /// Sets how long a read asks a socket again and again before the thread sleeps, on Linux:
    /// to wake a sleeping thread takes longer than to encrypt a record.
    #[must_use]
    pub fn polling(self, poll: Duration) -> Self {
        Self { poll, ..self }
    }

    fn of(end: WireEnd) -> Self {
        Self { end, received: 0, sent: 0, tap: None, poll: Duration::ZERO, limit: TIMEOUT }
    }
}

impl Read for Wire {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = match &mut self.end {
            WireEnd::Socket(socket) => match poll(socket, buf, self.poll)? {
                Some(n) => Ok(n),
                None => socket.read(buf),
            },
            WireEnd::Peer(socket) => socket.read(buf),
            WireEnd::Memory { from, unread, .. } => {
                while unread.is_empty() {
                    let Ok(bytes) = from.recv() else { return Ok(0) };
                    *unread = bytes.into();
                }
                unread.read(buf)
            }
        };
        let n = read.map_err(|error| explain(error, self.limit))?;
        self.received += n as u64;
        if let Some(tap) = &mut self.tap {
            tap.bytes(1, &buf[..n]);
        }
        Ok(n)
    }
}

impl Write for Wire {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let written = match &mut self.end {
            WireEnd::Socket(socket) => socket.write(buf),
            WireEnd::Peer(socket) => socket.write(buf),
            WireEnd::Memory { to, .. } => {
                // If the peer is gone, nobody reads the data, and they can be dropped.
                let _ = to.send(buf.to_vec());
                Ok(buf.len())
            }
        };
        let n = written.map_err(|error| explain(error, self.limit))?;
        self.sent += n as u64;
        if let Some(tap) = &mut self.tap {
            tap.bytes(0, &buf[..n]);
        }
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads what arrives within `time`. Other threads of the same core may run meanwhile.
#[cfg(all(target_os = "linux", feature = "tools"))]
fn poll(socket: &TcpStream, buf: &mut [u8], time: Duration) -> io::Result<Option<usize>> {
    use std::thread;

    use rustix::io::Errno;
    use rustix::net::{RecvFlags, recv};
    let start = Instant::now();
    while start.elapsed() < time {
        match recv(socket, &mut *buf, RecvFlags::DONTWAIT) {
            Ok((read, _)) => return Ok(Some(read)),
            Err(Errno::AGAIN | Errno::INTR) => thread::yield_now(),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(None)
}

#[cfg(not(all(target_os = "linux", feature = "tools")))]
fn poll(_: &TcpStream, _: &mut [u8], _: Duration) -> io::Result<Option<usize>> {
    Ok(None)
}

/// Converts errors. Unix reports a timeout like a non-blocking socket that is not ready, and a peer
/// that is gone as a closed pipe, which this program would ignore as if its own output were closed.
fn explain(error: io::Error, limit: Duration) -> io::Error {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            let message = format!("the peer took more than {} seconds", limit.as_secs());
            io::Error::new(io::ErrorKind::TimedOut, message)
        }
        io::ErrorKind::BrokenPipe => {
            io::Error::new(io::ErrorKind::ConnectionReset, "the peer closed the connection")
        }
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn both_ends_count_the_same() {
        for transport in [Transport::Sockets, Transport::Memory] {
            let (mut client, mut server) = transport.pair().unwrap();
            client.write_all(b"twelve").unwrap();
            client.write_all(b" bytes").unwrap();
            server.read_exact(&mut [0; 12]).unwrap();
            server.write_all(b"four").unwrap();
            client.read_exact(&mut [0; 4]).unwrap();
            assert_eq!((client.sent, client.received), (12, 4));
            assert_eq!((server.sent, server.received), (4, 12));
            drop(client);
            assert_eq!(server.read(&mut [0]).unwrap(), 0, "{transport:?}");
        }
    }

    /// A read that polls returns what is there, and sleeps once its time is over.
    #[test]
    fn polling_reads_the_same() {
        let (mut client, server) = Transport::Sockets.pair().unwrap();
        let mut server = server.polling(Duration::from_millis(1));
        client.write_all(b"here").unwrap();
        let mut read = [0; 8];
        assert_eq!(server.read(&mut read).unwrap(), 4);
        let later = thread::spawn(move || {
            thread::sleep(Duration::from_millis(20));
            client.write_all(b"later").unwrap();
        });
        assert_eq!(server.read(&mut read).unwrap(), 5);
        assert_eq!(&read[..5], b"later");
        later.join().unwrap();
        assert_eq!(server.read(&mut read).unwrap(), 0, "the other end is gone");
    }

    #[test]
    fn a_peer_that_is_gone_is_not_a_closed_pipe() {
        let (mut client, server) = Transport::Sockets.pair().unwrap();
        drop(server);
        // The first bytes may still be sent, and are answered by a reset.
        let error = (0..1000).find_map(|_| {
            thread::sleep(Duration::from_millis(1));
            client.write_all(b"is anybody there?").err()
        });
        assert_eq!(error.unwrap().kind(), io::ErrorKind::ConnectionReset);
        assert_eq!(
            explain(io::ErrorKind::BrokenPipe.into(), TIMEOUT).kind(),
            io::ErrorKind::ConnectionReset
        );
        let waited = explain(io::ErrorKind::WouldBlock.into(), TIMEOUT);
        assert_eq!(waited.kind(), io::ErrorKind::TimedOut);
    }
}
