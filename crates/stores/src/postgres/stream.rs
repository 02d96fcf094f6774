//! TLS for the PostgreSQL client, with rustls.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream as Inner;

use crate::tls::Tls;

/// A maker of connections with one configuration.
#[derive(Clone)]
pub(super) struct Connector(Arc<ClientConfig>);

/// A connector to one server.
pub(super) struct ToServer {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
}

/// A connection.
pub(super) struct Stream<S>(Inner<S>);

impl Connector {
    /// Returns a connector, which always authenticates the server.
    pub(super) fn new(tls: &Tls) -> Result<Self, rustls::Error> {
        let mut roots = RootCertStore::empty();
        for root in &tls.roots {
            roots.add(root.clone())?;
        }
        let config = ClientConfig::builder_with_provider(Arc::clone(&tls.provider))
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots);
        let config = match &tls.client {
            Some((chain, key)) => {
                config.with_client_auth_cert(chain.clone(), key.clone_key().into())?
            }
            None => config.with_no_client_auth(),
        };
        Ok(Self(Arc::new(config)))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for Connector {
    type Stream = Stream<S>;
    type TlsConnect = ToServer;
    type Error = rustls::pki_types::InvalidDnsNameError;

    fn make_tls_connect(&mut self, domain: &str) -> Result<ToServer, Self::Error> {
        let name = ServerName::try_from(domain)?.to_owned();
        Ok(ToServer { config: Arc::clone(&self.0), name })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for ToServer {
    type Stream = Stream<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Stream<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        let connector = TlsConnector::from(self.config);
        Box::pin(async move { connector.connect(self.name, stream).await.map(Stream) })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Stream<S> {
    /// Offers no channel binding: the server is authenticated by its certificate.
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Stream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Stream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
