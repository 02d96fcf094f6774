//! A client and a server of rustls with the groups and certificates of 2022: every KEM and every
//! signature is liboqs' of that time. Numbers and object identifiers are those of OQS-OpenSSL 1.1.1
//! and wolfSSL.

use std::process::ExitCode;

use peer::{Flags, Outcome};
use rustls::crypto::{CryptoProvider, aws_lc_rs};

mod groups;
mod oqs;
#[path = "../../../rustls/src/peer.rs"]
mod peer;
mod signatures;

fn main() -> ExitCode {
    peer::main(provider)
}

/// Returns a provider of only the old groups and certificates, over aws-lc-rs' cipher suites.
fn provider(flags: &Flags<'_>) -> Outcome<CryptoProvider> {
    Ok(CryptoProvider {
        kx_groups: vec![groups::by_codepoint(flags.group()?)?],
        signature_verification_algorithms: signatures::verification(),
        key_provider: &signatures::Keys,
        ..aws_lc_rs::default_provider()
    })
}
