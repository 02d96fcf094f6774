//! A client and a server of rustls with a base provider alone.

use std::process::ExitCode;

use peer::{Flags, Outcome};
use rustls::crypto::{CryptoProvider, aws_lc_rs};

mod peer;

fn main() -> ExitCode {
    peer::main(provider)
}

/// Returns the base provider with the one group.
fn provider(flags: &Flags<'_>) -> Outcome<CryptoProvider> {
    let (mut provider, groups) = match flags.value("--base")? {
        "aws-lc-rs" => (aws_lc_rs::default_provider(), aws_lc_rs::ALL_KX_GROUPS),
        "graviola" => (rustls_graviola::default_provider(), rustls_graviola::kx::ALL_KX_GROUPS),
        other => return Err(format!("no base provider is called `{other}`").into()),
    };
    let wanted = flags.group()?;
    provider.kx_groups = groups.iter().copied().filter(|g| g.name() == wanted).collect();
    Ok(provider)
}
