//! How a database is authenticated, and the client by a certificate.

use std::fmt;
use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};

/// What TLS to a database needs: who may vouch for the server, and the cryptography.
///
/// The provider is rustls' own or one with post-quantum groups, as `oaklath_tls::provider()`.
#[derive(Clone)]
pub struct Tls {
    pub(crate) provider: Arc<CryptoProvider>,
    pub(crate) roots: Vec<CertificateDer<'static>>,
    pub(crate) client: Option<(Vec<CertificateDer<'static>>, Arc<PrivatePkcs8KeyDer<'static>>)>,
}

impl Tls {
    /// Servers whose certificates lead to one of these roots, under the name that they are reached
    /// by.
    #[must_use]
    pub fn new(provider: Arc<CryptoProvider>, roots: Vec<CertificateDer<'static>>) -> Self {
        Self { provider, roots, client: None }
    }

    /// With a chain of certificates that the client shows, and its private key. The client
    /// libraries' copies of the key are not erased.
    #[must_use]
    pub fn client(
        mut self,
        chain: Vec<CertificateDer<'static>>,
        key: PrivatePkcs8KeyDer<'static>,
    ) -> Self {
        self.client = Some((chain, Arc::new(key)));
        self
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").field("roots", &self.roots.len()).finish_non_exhaustive()
    }
}
