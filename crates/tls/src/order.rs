//! A server that chooses the key exchange group by its own order of preference.

use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::server::ClientHello;
use rustls::{NamedGroup, ServerConfig};

/// Configurations of one server, each with one group. Each client gets the one with the group that
/// the server prefers.
///
/// A server of rustls takes the first group *of the client's list* that it supports
/// (`choose_suite_and_kx_group` in `server/hs.rs` of rustls 0.23), so that a client which lists
/// `X25519` before `X25519MLKEM768` connects without post-quantum key exchange, although both sides
/// support it; rustls itself lists them so without its feature `prefer-post-quantum`. A provider
/// cannot change that, but a configuration with one group can: this type keeps one for each group,
/// and [`choose`](Self::choose) selects one by the client's hello. If the client sent no share for
/// that group, rustls asks for one (`HelloRetryRequest`), which costs a round trip.
///
/// To reject classical groups altogether, a server needs
/// [`Builder::post_quantum_only`](crate::Builder::post_quantum_only) instead.
///
/// With blocking sockets and [`unbuffered::accept_with`](crate::unbuffered::accept_with):
///
/// ```no_run
/// # fn chain() -> Vec<rustls::pki_types::CertificateDer<'static>> { Vec::new() }
/// # fn key() -> rustls::pki_types::PrivateKeyDer<'static> { vec![0x30].try_into().unwrap() }
/// use std::net::TcpListener;
/// use oaklath_tls::{ServerOrder, unbuffered};
/// use rustls::ServerConfig;
///
/// let order = ServerOrder::new(&oaklath_tls::provider(), |provider| {
///     ServerConfig::builder_with_provider(provider)
///         .with_safe_default_protocol_versions()?
///         .with_no_client_auth()
///         .with_single_cert(chain(), key())
/// })?;
/// let listener = TcpListener::bind("127.0.0.1:4433")?;
/// for socket in listener.incoming() {
///     let tls = unbuffered::accept_with(|hello| order.choose(hello), socket?)?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// With rustls' own connections the choice is made between
/// [`Acceptor::accept`](rustls::server::Acceptor::accept) and
/// [`Accepted::into_connection`](rustls::server::Accepted::into_connection); with tokio:
///
/// ```text
/// let start = tokio_rustls::LazyConfigAcceptor::new(Acceptor::default(), socket).await?;
/// let config = order.choose(&start.client_hello());
/// let tls = start.into_stream(config).await?;
/// ```
#[derive(Clone, Debug)]
pub struct ServerOrder {
    /// The groups in the server's order, each with a configuration that has no other.
    alone: Vec<(NamedGroup, Arc<ServerConfig>)>,
    /// A configuration with all groups: for TLS 1.2, and for the alert to a client that has none.
    all: Arc<ServerConfig>,
}

impl ServerOrder {
    /// Creates the configurations: `configure` is called with the provider, and with each of its
    /// groups alone. All share one session store and one ticketer. A certificate resolver that is
    /// created once and cloned keeps one key for all.
    ///
    /// # Errors
    /// Those of `configure`.
    pub fn new<E>(
        provider: &CryptoProvider,
        mut configure: impl FnMut(Arc<CryptoProvider>) -> Result<ServerConfig, E>,
    ) -> Result<Self, E> {
        let all = configure(Arc::new(provider.clone()))?;
        let mut alone = Vec::with_capacity(provider.kx_groups.len());
        for &group in &provider.kx_groups {
            let provider = CryptoProvider { kx_groups: vec![group], ..provider.clone() };
            let mut config = configure(Arc::new(provider))?;
            config.session_storage = all.session_storage.clone();
            config.ticketer = all.ticketer.clone();
            alone.push((group.name(), Arc::new(config)));
        }
        Ok(Self { alone, all: Arc::new(all) })
    }

    /// Returns the configuration for a client.
    #[must_use]
    pub fn choose(&self, hello: &ClientHello<'_>) -> Arc<ServerConfig> {
        let suites = &self.all.crypto_provider().cipher_suites;
        let is_tls13 = suites
            .iter()
            .any(|suite| suite.tls13().is_some() && hello.cipher_suites().contains(&suite.suite()));
        let offered = hello.named_groups().filter(|_| is_tls13).unwrap_or_default();
        let best = self.alone.iter().find(|(group, _)| offered.contains(group));
        best.map_or(&self.all, |(_, config)| config).clone()
    }
}
