//! What connections are made of: a provider with one group, and both sides' configurations.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use oaklath_params::{curve, group};
use oaklath_tls::Builder;
use rustls::client::Resumption;
use rustls::crypto::CryptoProvider;
use rustls::server::WebPkiClientVerifier;
use rustls::version::TLS13;
use rustls::{CipherSuite, ClientConfig, ServerConfig};

use crate::classical;
use crate::pki::Pki;

/// The cipher suite of every connection, as IANA spells it.
pub const SUITE: &str = "TLS_AES_256_GCM_SHA384";

/// How to measure.
#[derive(Debug)]
pub struct Setup {
    base: CryptoProvider,
    /// How long an operation is repeated for a figure.
    pub time: Duration,
    /// Providers leak their tables, so that one a group is made.
    providers: Mutex<BTreeMap<String, Arc<CryptoProvider>>>,
}

/// Who shows a certificate.
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
    /// The client's.
    pub client: Arc<ClientConfig>,
    /// The server's.
    pub server: Arc<ServerConfig>,
}

impl Setup {
    /// Over this base provider.
    #[must_use]
    pub fn new(base: CryptoProvider, time: Duration) -> Self {
        Self { base, time, providers: Mutex::default() }
    }

    /// The base provider as it is.
    #[must_use]
    pub fn base(&self) -> &CryptoProvider {
        &self.base
    }

    /// The base with this group, ours or a classical one, and no other, and with one cipher suite.
    ///
    /// Names are of any vocabulary, among them those of the published tables: `ECC_SECP256R1`, `FFDHE_2048`.
    ///
    /// # Errors
    /// If there is no such group.
    pub fn provider(&self, group: &str) -> Result<Arc<CryptoProvider>> {
        let mut providers = self.providers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = providers.get(group) {
            return Ok(known.clone());
        }
        let built = Arc::new(self.build(group).with_context(|| group.to_owned())?);
        providers.insert(group.to_owned(), built.clone());
        Ok(built)
    }

    fn build(&self, group: &str) -> Result<CryptoProvider> {
        let name = group.trim_start_matches("ECDSA ").trim_start_matches("ECC_");
        let builder = Builder::new(self.base.clone()).allow_legacy();
        let of_base =
            |codepoint| self.base.kx_groups.iter().any(|kx| u16::from(kx.name()) == codepoint);
        let foreign = match curve::by_name(name) {
            Some(curve) if !of_base(curve.codepoint) => Some(
                classical::of_curve(curve).ok_or_else(|| anyhow!("{name} is not in this build"))?,
            ),
            Some(_) => None,
            None => (name == "FFDHE_2048").then_some(classical::FFDHE_2048),
        };
        let mut provider = match foreign {
            Some(group) => CryptoProvider { kx_groups: vec![group], ..builder.build()? },
            None => builder.groups([name]).build()?,
        };
        only_suite(&mut provider)?;
        // The first draw of a process seeds the generator, which takes aws-lc-rs 50 ms.
        provider.secure_random.fill(&mut [0; 32]).map_err(|_| anyhow!("no randomness"))?;
        Ok(provider)
    }

    /// The provider of a group whose keys sign with their bytes, in little memory.
    ///
    /// # Errors
    /// If there is no such group.
    pub fn low_memory(&self, group: &str) -> Result<Arc<CryptoProvider>> {
        let small = Builder::new(self.base.clone()).allow_legacy().low_memory().build()?;
        let usual = self.provider(group)?;
        Ok(Arc::new(CryptoProvider { key_provider: small.key_provider, ..(*usual).clone() }))
    }

    /// The base alone with one of its own groups and the same cipher suite: what ours stands beside.
    ///
    /// # Errors
    /// If it does not have the group.
    pub fn base_alone(&self, group: &str) -> Result<Arc<CryptoProvider>> {
        let codepoint = group::by_name(group)
            .map(|info| info.codepoint)
            .or_else(|| curve::by_name(group).map(|curve| curve.codepoint));
        let mut provider = self.base.clone();
        provider.kx_groups.retain(|kx| Some(u16::from(kx.name())) == codepoint);
        ensure!(!provider.kx_groups.is_empty(), "the base has no group {group}");
        only_suite(&mut provider)?;
        Ok(Arc::new(provider))
    }
}

fn only_suite(provider: &mut CryptoProvider) -> Result<()> {
    provider.cipher_suites.retain(|s| s.suite() == CipherSuite::TLS13_AES_256_GCM_SHA384);
    ensure!(!provider.cipher_suites.is_empty(), "the base provider lacks {SUITE}");
    Ok(())
}

impl Sides {
    /// Both sides with certificates of `pki`, no resumption, and that many tickets.
    ///
    /// # Errors
    /// If rustls refuses them.
    pub fn new(
        provider: &Arc<CryptoProvider>,
        pki: &Pki,
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
        Ok(Self { client: Arc::new(client), server: Arc::new(server) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_of_the_published_tables_is_there() {
        let setup = Setup::new(oaklath_tls::default_base(), Duration::ZERO);
        let of_bench = crate::published::TLS_BENCH.rows::<11>().unwrap();
        let of_bytes = crate::published::TLS_BYTES.rows::<4>().unwrap();
        let names = of_bench.iter().map(|row| row[2]).chain(of_bytes.iter().map(|row| row[2]));
        for name in names.chain(["ECDSA SECP256R1"]) {
            assert_eq!(setup.provider(name).unwrap().kx_groups.len(), 1, "{name}");
        }
        assert!(setup.provider("ECC_SECP257R1").is_err());
        assert_eq!(setup.base_alone("X25519MLKEM768").unwrap().kx_groups.len(), 1);
        assert!(setup.base_alone("KYBER_LEVEL1").is_err());
    }
}
