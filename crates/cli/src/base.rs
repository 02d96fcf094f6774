//! The base providers of this build. They provide cipher suites, signatures, randomness and
//! classical groups; the quantum-safe groups are added to them.

use anyhow::{Context, Result, anyhow};
use rustls::crypto::CryptoProvider;

use crate::failure::{usage, with_hint};

/// A base provider.
#[derive(Debug)]
pub struct Base {
    /// The name on the command line.
    pub name: &'static str,
    /// Returns the provider.
    pub provider: fn() -> CryptoProvider,
    /// Returns the provider with every group of its own, to measure it by itself.
    pub alone: fn() -> CryptoProvider,
}

/// The base providers of this build, the preferred one first.
pub static ALL: &[Base] = &[
    #[cfg(feature = "aws-lc-rs")]
    Base {
        name: "aws-lc-rs",
        provider: rustls::crypto::aws_lc_rs::default_provider,
        alone: aws_lc_rs_alone,
    },
    #[cfg(feature = "ring")]
    Base {
        name: "ring",
        provider: rustls::crypto::ring::default_provider,
        alone: rustls::crypto::ring::default_provider,
    },
    #[cfg(feature = "graviola")]
    Base {
        name: "graviola",
        provider: rustls_graviola::default_provider,
        alone: rustls_graviola::default_provider,
    },
];

/// Returns aws-lc-rs with all its groups; its default omits rarely used ones.
#[cfg(feature = "aws-lc-rs")]
fn aws_lc_rs_alone() -> CryptoProvider {
    use rustls::crypto::aws_lc_rs::{ALL_KX_GROUPS, default_provider};
    CryptoProvider { kx_groups: ALL_KX_GROUPS.to_vec(), ..default_provider() }
}

/// Returns the base with this name, or the preferred one.
///
/// # Errors
/// If this build does not have it.
pub fn choose(name: Option<&str>) -> Result<&'static Base> {
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

#[cfg(test)]
mod tests {
    use oaklath_params::group;

    use super::*;

    #[test]
    fn alone_a_base_has_no_fewer_groups() {
        for base in ALL {
            let codepoints = |provider: fn() -> CryptoProvider| -> Vec<u16> {
                provider().kx_groups.iter().map(|kx| kx.name().into()).collect()
            };
            let alone = codepoints(base.alone);
            assert!(codepoints(base.provider).iter().all(|kx| alone.contains(kx)), "{}", base.name);
            let has_all = base.name == "aws-lc-rs";
            assert!(!has_all || alone.contains(&group::MLKEM1024.codepoint));
        }
    }
}
