//! The default provider, over the base of the first base feature that is on.

use std::sync::{Arc, OnceLock};

use rustls::crypto::CryptoProvider;

use crate::builder::Builder;

/// Returns the provider over [`default_base`], with the standard groups first; built only once.
///
/// To make it rustls' default, for code that does not choose a provider:
///
/// ```
/// oaklath_tls::provider().as_ref().clone().install_default().expect("no provider before ours");
/// ```
#[must_use]
#[expect(clippy::missing_panics_doc, reason = "the bases of the features have every curve needed")]
pub fn provider() -> Arc<CryptoProvider> {
    static PROVIDER: OnceLock<Arc<CryptoProvider>> = OnceLock::new();
    let build = || {
        let built = Builder::new(default_base()).build();
        Arc::new(built.expect("every base has the curves of the standard groups"))
    };
    PROVIDER.get_or_init(build).clone()
}

/// Returns this build's base provider, by features: aws-lc-rs, else ring, else graviola.
#[must_use]
pub fn default_base() -> CryptoProvider {
    #[cfg(feature = "aws-lc-rs")]
    return rustls::crypto::aws_lc_rs::default_provider();
    #[cfg(all(feature = "ring", not(feature = "aws-lc-rs")))]
    return rustls::crypto::ring::default_provider();
    #[cfg(not(any(feature = "ring", feature = "aws-lc-rs")))]
    return rustls_graviola::default_provider();
}
