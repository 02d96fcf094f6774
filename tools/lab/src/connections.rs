//! The parts of measured connections: a base with every published group, keys kept as bytes, and
//! the certificates that a published table names.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use oaklath_cli::setup::Setup;
use oaklath_cli::testpki::{self, TestPki};
use oaklath_params::sig;
use oaklath_tls::Builder;
use rustls::crypto::CryptoProvider;

use crate::classical::FFDHE_2048;

/// Returns a setup over this base provider, with every group of the published tables.
#[must_use]
pub fn setup(base: CryptoProvider, time: Duration) -> Setup {
    Setup::new(base, time).with_group("FFDHE_2048", FFDHE_2048)
}

/// Returns the provider of a group whose keys are kept as bytes, and sign in little memory.
///
/// # Errors
/// If there is no such group.
pub fn low_memory(setup: &Setup, group: &str) -> Result<Arc<CryptoProvider>> {
    let small = Builder::new(setup.base().clone()).allow_legacy().low_memory().build()?;
    let usual = setup.provider(group)?;
    Ok(Arc::new(CryptoProvider { key_provider: small.key_provider, ..(*usual).clone() }))
}

/// Returns the test PKI of a published name: `RSA 2048 bit`, `ECDSA P-256`, `FALCON_LEVEL5`.
///
/// # Errors
/// If there is no such PKI.
pub fn certificates_of(published: &str) -> Result<&'static TestPki> {
    let name = match published {
        "RSA 2048 bit" => testpki::RSA_2048.name,
        "ECDSA P-256" => testpki::P256.name,
        _ => sig::by_name(published).map_or(published, |info| info.name),
    };
    let found = testpki::ALL.iter().copied().find(|pki| pki.name == name);
    found.with_context(|| format!("no certificates of {published}"))
}

#[cfg(test)]
mod tests {
    use oaklath_cli::setup::SUITE;

    use super::*;
    use crate::published::{TLS_BENCH, TLS_BYTES};

    #[test]
    fn everything_published_is_there() {
        let setup = setup(oaklath_tls::default_base(), Duration::ZERO);
        let (of_bench, of_bytes) =
            (TLS_BENCH.rows::<12>().unwrap(), TLS_BYTES.rows::<4>().unwrap());
        let of_bench = of_bench.iter().map(|row| (row[3], row[2]));
        for (name, suite) in of_bench.chain(of_bytes.iter().map(|row| (row[2], row[0]))) {
            let provider = setup.provider_with(name, suite).unwrap();
            assert_eq!(provider.kx_groups.len(), 1, "{name}");
            assert_eq!(provider.cipher_suites.len(), 1, "{suite}");
        }
        for [_, authentication, _, _] in of_bytes {
            certificates_of(authentication).unwrap();
        }
        assert_eq!(certificates_of("FALCON_LEVEL5").unwrap().name, "Falcon-1024");
        assert!(certificates_of("P-521").is_err());
        assert_eq!(setup.base_alone("X25519MLKEM768", SUITE).unwrap().kx_groups.len(), 1);
    }
}
