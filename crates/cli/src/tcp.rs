//! TCP sockets that count what passes, and a connected pair of them over loopback.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::time::Duration;

/// Longer than any handshake here takes; a peer that stands still is an error then.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A socket that counts its payload.
#[derive(Debug)]
pub(crate) struct Counted {
    socket: TcpStream,
    pub(crate) received: u64,
    pub(crate) sent: u64,
}

impl Counted {
    /// A connected socket, from its first byte on.
    pub(crate) fn new(socket: TcpStream) -> io::Result<Self> {
        // Nagle's algorithm would hold small records back until the peer acknowledges.
        socket.set_nodelay(true)?;
        socket.set_read_timeout(Some(TIMEOUT))?;
        socket.set_write_timeout(Some(TIMEOUT))?;
        Ok(Self { socket, received: 0, sent: 0 })
    }
}

impl Read for Counted {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.socket.read(buf).map_err(told)?;
        self.received += n as u64;
        Ok(n)
    }
}

impl Write for Counted {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let n = self.socket.write(buf).map_err(told)?;
        self.sent += n as u64;
        Ok(n)
    }

    fn write_vectored(&mut self, bufs: &[io::IoSlice<'_>]) -> io::Result<usize> {
        let n = self.socket.write_vectored(bufs).map_err(told)?;
        self.sent += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.socket.flush()
    }
}

/// Unix tells the end of the time as if the socket did not block, and a peer that is gone as if our
/// own output were closed, which is no failure of a program.
fn told(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            let message = format!("nothing moved for {} seconds", TIMEOUT.as_secs());
            io::Error::new(io::ErrorKind::TimedOut, message)
        }
        io::ErrorKind::BrokenPipe => {
            io::Error::new(io::ErrorKind::ConnectionReset, "the peer closed the connection")
        }
        _ => error,
    }
}

/// A client's and a server's socket, connected over 127.0.0.1 at a port that was free.
pub(crate) fn pair() -> io::Result<(Counted, Counted)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    // The listener's queue takes the connection; nobody has to accept it at the same time.
    let client = TcpStream::connect(listener.local_addr()?)?;
    loop {
        let (server, peer) = listener.accept()?;
        // Another program may have come first.
        if peer == client.local_addr()? {
            return Ok((Counted::new(client)?, Counted::new(server)?));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_count_the_same() {
        let (mut client, mut server) = pair().unwrap();
        client.write_all(b"twelve bytes").unwrap();
        server.read_exact(&mut [0; 12]).unwrap();
        server.write_all(b"four").unwrap();
        client.read_exact(&mut [0; 4]).unwrap();
        assert_eq!((client.sent, client.received), (12, 4));
        assert_eq!((server.sent, server.received), (4, 12));
    }

    #[test]
    fn a_peer_that_is_gone_is_not_a_closed_pipe() {
        let (mut client, server) = pair().unwrap();
        drop(server);
        // The first bytes may still leave; the answer to them is a reset.
        let error = (0..1000).find_map(|_| {
            std::thread::sleep(Duration::from_millis(1));
            client.write_all(b"is anybody there?").err()
        });
        assert_eq!(error.unwrap().kind(), io::ErrorKind::ConnectionReset);
        assert_eq!(told(io::ErrorKind::BrokenPipe.into()).kind(), io::ErrorKind::ConnectionReset);
        assert_eq!(told(io::ErrorKind::WouldBlock.into()).kind(), io::ErrorKind::TimedOut);
    }
}
