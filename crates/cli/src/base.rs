//! The base providers of this build: they bring cipher suites, signatures, randomness and classical
//! groups; the quantum-safe groups are layered on top.

use anyhow::{Context, Result, anyhow};
use rustls::crypto::CryptoProvider;

use crate::failure::{usage, with_hint};

/// A base provider.
pub(crate) struct Base {
    pub(crate) name: &'static str,
    pub(crate) provider: fn() -> CryptoProvider,
}

/// What this build has, the preferred one first.
pub(crate) static ALL: &[Base] = &[
    #[cfg(feature = "aws-lc-rs")]
    Base { name: "aws-lc-rs", provider: rustls::crypto::aws_lc_rs::default_provider },
    #[cfg(feature = "ring")]
    Base { name: "ring", provider: rustls::crypto::ring::default_provider },
    #[cfg(feature = "graviola")]
    Base { name: "graviola", provider: rustls_graviola::default_provider },
];

/// The base of this name, or the preferred one.
pub(crate) fn choose(name: Option<&str>) -> Result<&'static Base> {
    let Some(first) = ALL.first() else {
        let error = anyhow!("this build has no base provider for TLS");
        return Err(with_hint(error, "build with the feature `aws-lc-rs`, `ring` or `graviola`"));
    };
    let Some(name) = name else { return Ok(first) };
    ALL.iter()
        .find(|base| base.name.eq_ignore_ascii_case(name))
        .with_context(|| format!("no base provider `{name}` in this build"))
        .map_err(|error| {
            let names: Vec<_> = ALL.iter().map(|base| base.name).collect();
            usage(with_hint(error, format!("it has: {}", names.join(", "))))
        })
}
