//! One side of a TLS connection that exchanges messages.

use std::io::{self, Read, Write};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use oaklath_tls::unbuffered::{self, Stream};
use rustls::pki_types::ServerName;
use rustls::server::ClientHello;
use rustls::{ClientConfig, CommonState, ServerConfig};

use crate::wire::Wire;

/// The messages of the two sides, as in wolfSSL's example programs.
pub(crate) const CLIENT_SAYS: &str = "hello wolfssl!";
pub(crate) const SERVER_SAYS: &str = "I hear you fa shizzle!";

const FAILED: &str = "the handshake failed";

/// The maximum number of bytes read; more than any message here has.
const LONGEST: u64 = 1 << 20;

/// One side of a connection, which accepts certificates and signatures of every length.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) tls: Stream<Wire>,
}

impl Link {
    /// Returns the client's side, after its handshake.
    pub(crate) fn connect(
        config: Arc<ClientConfig>,
        name: ServerName<'static>,
        wire: Wire,
    ) -> Result<Self> {
        let tls = unbuffered::connect(config, name, wire).context(FAILED)?;
        Ok(Self { tls })
    }

    /// Returns the server's side, after its handshake.
    pub(crate) fn accept(config: Arc<ServerConfig>, wire: Wire) -> Result<Self> {
        Ok(Self { tls: unbuffered::accept(config, wire).context(FAILED)? })
    }

    /// Like [`accept`](Self::accept), with a configuration chosen by the client's hello.
    pub(crate) fn accept_with(
        choose: impl FnOnce(&ClientHello<'_>) -> Arc<ServerConfig>,
        wire: Wire,
    ) -> Result<Self> {
        Ok(Self { tls: unbuffered::accept_with(choose, wire).context(FAILED)? })
    }

    /// Returns what was negotiated.
    pub(crate) fn state(&self) -> &CommonState {
        self.tls.state()
    }

    pub(crate) fn say(&mut self, message: &str) -> Result<()> {
        self.tls.socket_mut().renew();
        self.tls.write_all(message.as_bytes()).context("cannot send")?;
        self.tls.flush().context("cannot send")
    }

    /// Receives one message, which is at most one record.
    pub(crate) fn hear(&mut self) -> Result<String> {
        let heard = self.hear_if_any()?;
        heard.context("the peer closed instead of speaking")
    }

    /// Receives one message, or nothing if the peer closes.
    pub(crate) fn hear_if_any(&mut self) -> Result<Option<String>> {
        self.tls.socket_mut().renew();
        let mut buf = [0; 1024];
        let n = self.tls.read(&mut buf).context("cannot receive")?;
        Ok((n > 0).then(|| String::from_utf8_lossy(&buf[..n]).into_owned()))
    }

    /// Receives everything until the peer closes or an error occurs, which is returned as well.
    pub(crate) fn hear_all(&mut self) -> (String, io::Result<()>) {
        self.tls.socket_mut().renew();
        let mut bytes = Vec::new();
        let end = (&mut self.tls).take(LONGEST).read_to_end(&mut bytes).map(drop);
        (String::from_utf8_lossy(&bytes).into_owned(), end)
    }

    /// Closes the connection, even if the peer disconnects without `close_notify`, as many do.
    pub(crate) fn leave(&mut self) -> Result<()> {
        self.close().or_else(|error| {
            let io = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>());
            if io.is_some_and(has_left) { Ok(()) } else { Err(error) }
        })
    }

    /// Sends `close_notify` and waits for that of the peer.
    pub(crate) fn close(&mut self) -> Result<()> {
        self.tls.socket_mut().renew();
        self.tls.close().context("cannot close")?;
        let n = self.tls.read(&mut [0]).context("the peer did not close cleanly")?;
        ensure!(n == 0, "the peer sent unexpected data");
        Ok(())
    }
}

/// Reports whether an error means that the peer closed its socket without `close_notify`.
pub(crate) fn has_left(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset)
}
