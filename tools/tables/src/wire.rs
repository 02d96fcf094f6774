//! What connects two sides: sockets, or memory; and what passes, counted.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// How two sides are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// Sockets over 127.0.0.1 with `TCP_NODELAY`: without it, small records wait for acknowledgements.
    Sockets,
    /// Two queues of bytes.
    Memory,
}

impl Transport {
    /// `sockets` or `memory`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sockets => "sockets",
            Self::Memory => "memory",
        }
    }

    /// A client's and a server's end.
    ///
    /// # Errors
    /// If the system gives no sockets.
    pub fn pair(self) -> io::Result<(Wire, Wire)> {
        match self {
            Self::Sockets => {
                let (client, server) = sockets()?;
                Ok((Wire::Socket(client), Wire::Socket(server)))
            }
            Self::Memory => {
                let (up, down) = <(Arc<Queue>, Arc<Queue>)>::default();
                let client = End { to: up.clone(), from: down.clone() };
                Ok((Wire::Memory(client), Wire::Memory(End { to: down, from: up })))
            }
        }
    }
}

fn sockets() -> io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    // The listener's queue takes the connection; nobody has to accept it at the same time.
    let client = TcpStream::connect(listener.local_addr()?)?;
    loop {
        let (server, peer) = listener.accept()?;
        // Another program may have come first.
        if peer == client.local_addr()? {
            client.set_nodelay(true)?;
            server.set_nodelay(true)?;
            return Ok((client, server));
        }
    }
}

/// One end of a connection. Reading waits; after the other end is gone it gives nothing more.
#[derive(Debug)]
pub enum Wire {
    /// A socket.
    Socket(TcpStream),
    /// Two queues.
    Memory(End),
}

impl Read for Wire {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Socket(socket) => socket.read(buf),
            Self::Memory(end) => Ok(end.from.take(buf)),
        }
    }
}

impl Write for Wire {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        match self {
            Self::Socket(socket) => socket.write(buf),
            Self::Memory(end) => {
                end.to.put(&[io::IoSlice::new(buf)]);
                Ok(buf.len())
            }
        }
    }

    fn write_vectored(&mut self, bufs: &[io::IoSlice<'_>]) -> io::Result<usize> {
        match self {
            Self::Socket(socket) => socket.write_vectored(bufs),
            Self::Memory(end) => {
                end.to.put(bufs);
                Ok(bufs.iter().map(|buf| buf.len()).sum())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// One end of a connection in memory.
#[derive(Debug)]
pub struct End {
    to: Arc<Queue>,
    from: Arc<Queue>,
}

impl Drop for End {
    fn drop(&mut self) {
        self.to.close();
        self.from.close();
    }
}

#[derive(Debug, Default)]
struct Queue {
    /// Bytes under way, and whether no more come.
    state: Mutex<(VecDeque<u8>, bool)>,
    changed: Condvar,
}

impl Queue {
    fn put(&self, bufs: &[io::IoSlice<'_>]) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        bufs.iter().for_each(|buf| state.0.extend(&**buf));
        drop(state);
        self.changed.notify_one();
    }

    fn take(&self, buf: &mut [u8]) -> usize {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let empty = |state: &mut (VecDeque<u8>, bool)| state.0.is_empty() && !state.1;
        let state = self.changed.wait_while(state, empty);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        state.0.read(buf).unwrap_or(0)
    }

    fn close(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).1 = true;
        self.changed.notify_one();
    }
}

/// A wire that counts, turn by turn.
#[derive(Debug)]
pub struct Counted {
    wire: Wire,
    /// Bytes of each turn; this side's at even places, the other's at odd ones.
    turns: Vec<u64>,
}

impl Counted {
    /// From the first byte on.
    #[must_use]
    pub fn new(wire: Wire) -> Self {
        Self { wire, turns: vec![0] }
    }

    /// What passed so far: this side's bytes at even places (0 first where the other begins), the other's
    /// at odd ones.
    #[must_use]
    pub fn turns(&self) -> &[u64] {
        &self.turns
    }

    /// Bytes in both directions.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.turns.iter().sum()
    }

    fn count(&mut self, sent: bool, bytes: usize) {
        let is_ours = self.turns.len() % 2 == 1;
        match self.turns.last_mut() {
            Some(turn) if is_ours == sent => *turn += bytes as u64,
            _ if bytes > 0 => self.turns.push(bytes as u64),
            _ => {}
        }
    }
}

impl Read for Counted {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.wire.read(buf)?;
        self.count(false, n);
        Ok(n)
    }
}

impl Write for Counted {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let n = self.wire.write(buf)?;
        self.count(true, n);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.wire.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_counted() {
        for transport in [Transport::Sockets, Transport::Memory] {
            let (client, server) = transport.pair().unwrap();
            let (mut client, mut server) = (Counted::new(client), Counted::new(server));
            client.write_all(b"three").unwrap();
            client.write_all(b"words").unwrap();
            server.read_exact(&mut [0; 10]).unwrap();
            server.write_all(b"four").unwrap();
            client.read_exact(&mut [0; 4]).unwrap();
            client.write_all(b"!").unwrap();
            assert_eq!((client.turns(), client.total()), (&[10, 4, 1][..], 15));
            server.read_exact(&mut [0]).unwrap();
            assert_eq!(server.turns(), [0, 10, 4, 1], "{}", transport.name());
            drop(client);
            assert_eq!(server.read(&mut [0]).unwrap(), 0);
        }
    }
}
