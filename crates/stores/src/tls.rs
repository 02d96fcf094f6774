//! How a database is authenticated.

use std::fmt;
use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::pki_types::CertificateDer;

/// What TLS to a database needs: who may vouch for the server, and the cryptography.
///
/// The provider is rustls' own or one with post-quantum groups, as `oaklath_tls::provider()`.
#[derive(Clone)]
pub struct Tls {
    pub(crate) provider: Arc<CryptoProvider>,
    pub(crate) roots: Vec<CertificateDer<'static>>,
}

impl Tls {
    /// Servers whose certificates lead to one of these roots, under the name that they are reached
    /// by.
    #[must_use]
    pub fn new(provider: Arc<CryptoProvider>, roots: Vec<CertificateDer<'static>>) -> Self {
        Self { provider, roots }
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").field("roots", &self.roots.len()).finish_non_exhaustive()
    }
}
