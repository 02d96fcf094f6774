//! The setup of connections: a provider with one group, and the configurations of both sides.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use oaklath_params::{curve, group};
use oaklath_tls::{Builder, KeySharePool};
use rustls::client::Resumption;
use rustls::crypto::{CryptoProvider, SupportedKxGroup};
use rustls::server::WebPkiClientVerifier;
use rustls::version::TLS13;
use rustls::{ClientConfig, ServerConfig};

use crate::curve_group::curve_group;
use crate::peer::suites;
use crate::testpki::TestPki;

/// The default cipher suite, as IANA spells it.
pub const SUITE: &str = "TLS_AES_256_GCM_SHA384";

/// The settings of measurements.
#[derive(Debug)]
pub struct Setup {
    base: CryptoProvider,
    /// How long an operation is repeated for a measurement.
    pub time: Duration,
    added: Vec<(&'static str, &'static dyn SupportedKxGroup)>,
    /// One provider for each group and suite, since providers leak their tables.
    providers: Mutex<BTreeMap<[String; 2], Arc<CryptoProvider>>>,
}

/// Who presents a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The server alone.
    Server,
    /// Client and server.
    Both,
}

/// The configurations of a connection.
#[derive(Clone, Debug)]
pub struct Sides {
    /// The client's configuration.
    pub client: Arc<ClientConfig>,
    /// The server's configuration.
    pub server: Arc<ServerConfig>,
    /// The client's ready key shares, refilled after each connection.
    pub pool: Option<KeySharePool>,
}

impl Setup {
    /// Returns settings with this base provider.
    #[must_use]
    pub fn new(base: CryptoProvider, time: Duration) -> Self {
        Self { base, time, added: Vec::new(), providers: Mutex::default() }
    }

    /// Returns the base provider unchanged.
    #[must_use]
    pub fn base(&self) -> &CryptoProvider {
        &self.base
    }

    /// Returns the base with only this group, ours or a classical one, and only [`SUITE`].
    ///
    /// Names may be of any vocabulary, such as `ECC_SECP256R1`.
    ///
    /// # Errors
    /// If there is no such group.
    pub fn provider(&self, group: &str) -> Result<Arc<CryptoProvider>> {
        self.provider_with(group, SUITE)
    }

    /// Returns [`provider`](Self::provider) with a TLS 1.3 suite in IANA's or wolfSSL's spelling.
    ///
    /// # Errors
    /// If there is no such group or suite.
    pub fn provider_with(&self, group: &str, suite: &str) -> Result<Arc<CryptoProvider>> {
        let mut providers = self.providers.lock().unwrap_or_else(PoisonError::into_inner);
        let key = [group, suite].map(str::to_owned);
        if let Some(known) = providers.get(&key) {
            return Ok(known.clone());
        }
        let built = self.build(group).with_context(|| group.to_owned())?;
        let built = Arc::new(only_suite(built, suite)?);
        providers.insert(key, built.clone());
        Ok(built)
    }

    /// Adds a group that neither the base nor this workspace has.
    #[must_use]
    pub fn with_group(mut self, name: &'static str, group: &'static dyn SupportedKxGroup) -> Self {
        self.added.push((name, group));
        self
    }

    /// Returns a provider with one post-quantum group, as [`provider_with`](Self::provider_with)
    /// does, and a full pool of key shares of that group.
    ///
    /// # Errors
    /// If there is no such group or suite, or if the group is classical.
    pub fn pooled(
        &self,
        group: &str,
        suite: &str,
        capacity: usize,
    ) -> Result<(Arc<CryptoProvider>, KeySharePool)> {
        let builder = Builder::new(self.base.clone()).allow_legacy().groups([group]);
        let (provider, pool) = builder.build_pooled(capacity)?;
        pool.refill()?;
        Ok((Arc::new(only_suite(provider, suite)?), pool))
    }

    fn build(&self, group: &str) -> Result<CryptoProvider> {
        let name = group.trim_start_matches("ECDSA ").trim_start_matches("ECC_");
        let builder = Builder::new(self.base.clone()).allow_legacy();
        let of_base =
            |codepoint| self.base.kx_groups.iter().any(|kx| u16::from(kx.name()) == codepoint);
        let of_neither = match curve::by_name(name) {
            Some(curve) if !of_base(curve.codepoint) => {
                let group = curve_group(curve);
                Some(group.with_context(|| format!("{name} is not in this build"))?)
            }
            _ => self.added.iter().find(|(added, _)| *added == group).map(|(_, group)| *group),
        };
        let provider = match of_neither {
            Some(group) => CryptoProvider { kx_groups: vec![group], ..builder.build()? },
            None => builder.groups([name]).build()?,
        };
        // The first use in a process seeds the random generator, which takes aws-lc-rs 50 ms.
        provider.secure_random.fill(&mut [0; 32]).map_err(|_| anyhow!("no randomness"))?;
        Ok(provider)
    }

    /// Returns the base with only one of its own groups and this cipher suite: our baseline.
    ///
    /// # Errors
    /// If it does not have the group or the suite.
    pub fn base_alone(&self, group: &str, suite: &str) -> Result<Arc<CryptoProvider>> {
        let codepoint = group::by_name(group)
            .map(|info| info.codepoint)
            .or_else(|| curve::by_name(group).map(|curve| curve.codepoint));
        let mut provider = self.base.clone();
        provider.kx_groups.retain(|kx| Some(u16::from(kx.name())) == codepoint);
        ensure!(!provider.kx_groups.is_empty(), "the base has no group {group}");
        Ok(Arc::new(only_suite(provider, suite)?))
    }
}

fn only_suite(mut provider: CryptoProvider, suite: &str) -> Result<CryptoProvider> {
    provider.cipher_suites.retain(|suite| suite.version() == &TLS13);
    provider.cipher_suites = suites::choose(&provider, &[suite.to_owned()])?;
    Ok(provider)
}

impl Sides {
    /// Returns both sides with certificates of `pki`, no resumption, and this many tickets.
    ///
    /// # Errors
    /// If rustls rejects the certificates.
    pub fn new(
        provider: &Arc<CryptoProvider>,
        pki: &TestPki,
        shown: Shown,
        tickets: usize,
    ) -> Result<Self> {
        let roots = Arc::new(pki.roots()?);
        let client = ClientConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[&TLS13])?
            .with_root_certificates(roots.clone());
        let mut client = match shown {
            Shown::Both => client.with_client_auth_cert(pki.client.chain()?, pki.client.key()?)?,
            Shown::Server => client.with_no_client_auth(),
        };
        client.resumption = Resumption::disabled();
        let server = ServerConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[&TLS13])?;
        let server = match shown {
            Shown::Both => server.with_client_cert_verifier(
                WebPkiClientVerifier::builder_with_provider(roots, provider.clone()).build()?,
            ),
            Shown::Server => server.with_no_client_auth(),
        };
        let mut server = server.with_single_cert(pki.server.chain()?, pki.server.key()?)?;
        server.send_tls13_tickets = tickets;
        Ok(Self { client: Arc::new(client), server: Arc::new(server), pool: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base;

    #[test]
    fn groups_of_ours_of_the_base_and_of_neither() {
        let Ok(base) = base::choose(None) else { return };
        let setup = Setup::new((base.provider)(), Duration::ZERO);
        for name in ["KYBER_LEVEL1", "ECC_SECP256R1", "ECC_SECP521R1", "ECDSA SECP256R1"] {
            assert_eq!(setup.provider(name).unwrap().kx_groups.len(), 1, "{name}");
        }
        assert!(setup.provider("ECC_SECP257R1").is_err());
        let group = setup.provider("X25519").unwrap().kx_groups[0];
        let setup = setup.with_group("ECC_SECP257R1", group);
        assert!(setup.provider("ECC_SECP257R1").is_ok());
        assert!(setup.base_alone("KYBER_LEVEL1", SUITE).is_err());
    }

    #[test]
    fn a_base_without_the_suite_is_refused() {
        let Ok(base) = base::choose(None) else { return };
        let mut provider = (base.provider)();
        provider.cipher_suites.clear();
        let error = Setup::new(provider, Duration::ZERO).provider("X25519").unwrap_err();
        assert_eq!(format!("{error:#}"), format!("no cipher suite is called `{SUITE}`"));
    }
}
