//! One side of a TLS connection over a socket: handshake, messages, end.

use std::io::{Read, Write};
use std::ops::DerefMut;

use anyhow::{Context, Result, ensure};
use rustls::{ConnectionCommon, SideData, StreamOwned};

use crate::tcp::Counted;

/// What the two sides say, as wolfSSL's example programs do.
pub(crate) const CLIENT_SAYS: &str = "hello wolfssl!";
pub(crate) const SERVER_SAYS: &str = "I hear you fa shizzle!";

/// More than any message here has; a peer that sends more is cut off.
const LONGEST: u64 = 1 << 20;

/// One side of the connection.
#[derive(Debug)]
pub(crate) struct Link<C> {
    tls: StreamOwned<C, Counted>,
}

impl<C: DerefMut<Target = ConnectionCommon<D>>, D: SideData> Link<C> {
    pub(crate) fn new(conn: C, socket: Counted) -> Self {
        Self { tls: StreamOwned::new(conn, socket) }
    }

    /// The connection's state.
    pub(crate) fn conn(&self) -> &C {
        &self.tls.conn
    }

    pub(crate) fn into_inner(self) -> StreamOwned<C, Counted> {
        self.tls
    }

    /// Runs the handshake until this side is done.
    pub(crate) fn handshake(&mut self) -> Result<()> {
        let StreamOwned { conn, sock } = &mut self.tls;
        while conn.is_handshaking() {
            conn.complete_io(sock).context("the handshake failed")?;
        }
        Ok(())
    }

    pub(crate) fn say(&mut self, message: &str) -> Result<()> {
        self.tls.write_all(message.as_bytes()).context("cannot send")?;
        self.tls.flush().context("cannot send")
    }

    /// One message: what one record holds.
    pub(crate) fn hear(&mut self) -> Result<String> {
        let heard = self.hear_if_any()?;
        heard.context("the peer closed instead of speaking")
    }

    /// One message, or nothing if the peer closes.
    pub(crate) fn hear_if_any(&mut self) -> Result<Option<String>> {
        let mut buf = [0; 1024];
        let n = self.tls.read(&mut buf).context("cannot receive")?;
        Ok((n > 0).then(|| String::from_utf8_lossy(&buf[..n]).into_owned()))
    }

    /// Everything up to the peer's end.
    pub(crate) fn hear_all(&mut self) -> Result<String> {
        let mut bytes = Vec::new();
        (&mut self.tls).take(LONGEST).read_to_end(&mut bytes).context("cannot receive")?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Says that nothing more comes and waits until the peer has said so.
    pub(crate) fn close(&mut self) -> Result<()> {
        self.tls.conn.send_close_notify();
        self.tls.flush().context("cannot close")?;
        let n = self.tls.read(&mut [0]).context("the peer did not close cleanly")?;
        ensure!(n == 0, "the peer speaks out of turn");
        Ok(())
    }
}
