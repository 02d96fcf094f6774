//! Sockets whose reads and writes end at a deadline, however little a peer sends until then.

use std::io::{self, Read, Write};
use std::net::TcpStream;
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// A socket with timeouts for reads and writes.
pub trait TimedSocket: Read + Write {
    /// Returns how long a read and a write may take; `None` means without limit.
    ///
    /// # Errors
    /// Returns the socket's error.
    fn timeouts(&self) -> io::Result<[Option<Duration>; 2]>;

    /// Sets how long a read and a write may take; neither may be zero.
    ///
    /// # Errors
    /// Returns the socket's error.
    fn set_timeouts(&self, timeouts: [Option<Duration>; 2]) -> io::Result<()>;
}

macro_rules! timed_sockets {
    ($($(#[$attribute:meta])* $socket:ty;)*) => {$(
        $(#[$attribute])*
        impl TimedSocket for $socket {
            fn timeouts(&self) -> io::Result<[Option<Duration>; 2]> {
                Ok([self.read_timeout()?, self.write_timeout()?])
            }

            fn set_timeouts(&self, [read, write]: [Option<Duration>; 2]) -> io::Result<()> {
                self.set_read_timeout(read)?;
                self.set_write_timeout(write)
            }
        }
    )*};
}

timed_sockets! {
    TcpStream;
    #[cfg(unix)]
    UnixStream;
}

/// A socket with a deadline: reads and writes that are not finished by then fail with
/// [`io::ErrorKind::TimedOut`]. Shorter timeouts of the socket itself remain in effect, with the
/// errors of the socket.
///
/// A socket's timeout bounds a single read, so a peer that sends a byte now and then can hold the
/// reader for ever; a deadline bounds all reads together, in [`unbuffered`](crate::unbuffered)
/// connections and in those of rustls:
///
/// ```
/// use std::io::{ErrorKind, Read};
/// use std::net::{TcpListener, TcpStream};
/// use std::time::{Duration, Instant};
/// use oaklath_tls::Deadline;
///
/// let listener = TcpListener::bind("127.0.0.1:0")?;
/// let silent = TcpStream::connect(listener.local_addr()?)?;
/// let at = Instant::now() + Duration::from_millis(20);
/// let mut socket = Deadline::new(listener.accept()?.0, at)?;
/// assert_eq!(socket.read(&mut [0]).unwrap_err().kind(), ErrorKind::TimedOut);
/// # drop(silent);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Deadline<T> {
    socket: T,
    /// The socket's own timeouts.
    own: [Option<Duration>; 2],
    at: Instant,
}

impl<T: TimedSocket> Deadline<T> {
    /// Gives a socket a deadline.
    ///
    /// # Errors
    /// If the socket's timeouts cannot be read.
    pub fn new(socket: T, at: Instant) -> io::Result<Self> {
        let own = socket.timeouts()?;
        Ok(Self { socket, own, at })
    }

    /// Sets another deadline.
    pub fn set(&mut self, at: Instant) {
        self.at = at;
    }

    /// Returns the socket and restores its own timeouts.
    ///
    /// # Errors
    /// If the timeouts cannot be set.
    pub fn into_inner(self) -> io::Result<T> {
        self.socket.set_timeouts(self.own)?;
        Ok(self.socket)
    }

    /// Does what the socket's own timeout `own` bounds, too.
    fn in_time<R>(
        &mut self,
        own: Option<Duration>,
        act: impl FnOnce(&mut T) -> io::Result<R>,
    ) -> io::Result<R> {
        let over = || io::Error::new(io::ErrorKind::TimedOut, "the deadline has passed");
        let left = self.at.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(over());
        }
        self.socket
            .set_timeouts(self.own.map(|own| Some(own.map_or(left, |own| own.min(left)))))?;
        act(&mut self.socket).map_err(|error| match error.kind() {
            // Unix reports a timeout like a non-blocking socket that is not ready.
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
                if own.is_none_or(|own| own >= left) =>
            {
                over()
            }
            _ => error,
        })
    }
}

impl<T: TimedSocket> Read for Deadline<T> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let [read, _] = self.own;
        self.in_time(read, |socket| socket.read(buf))
    }
}

impl<T: TimedSocket> Write for Deadline<T> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let [_, write] = self.own;
        self.in_time(write, |socket| socket.write(buf))
    }

    fn flush(&mut self) -> io::Result<()> {
        let [_, write] = self.own;
        self.in_time(write, T::flush)
    }
}
