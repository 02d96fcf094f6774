//! How a database, and optionally the client, is authenticated by TLS.

use std::fmt;
use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};

/// The settings of TLS to a database: the trusted roots and the cryptography.
///
/// The provider is rustls' own or one with post-quantum groups, such as `oaklath_tls::provider()`.
#[derive(Clone)]
pub struct Tls {
    pub(crate) provider: Arc<CryptoProvider>,
    pub(crate) roots: Vec<CertificateDer<'static>>,
    pub(crate) client: Option<(Vec<CertificateDer<'static>>, Arc<PrivatePkcs8KeyDer<'static>>)>,
}

impl Tls {
    /// Accepts servers whose certificates chain to one of these roots and name the host of the
    /// address.
    #[must_use]
    pub fn new(provider: Arc<CryptoProvider>, roots: Vec<CertificateDer<'static>>) -> Self {
        Self { provider, roots, client: None }
    }

    /// Sets a certificate chain that the client presents, and its private key. The copies of the
    /// key in the client libraries are not erased.
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
