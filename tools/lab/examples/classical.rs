//! TLS with the base provider alone: the baseline for the size of a program.

#[path = "shared/handshake.rs"]
mod handshake;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut provider = rustls::crypto::aws_lc_rs::default_provider();
    provider.kx_groups.retain(|group| group.name() == rustls::NamedGroup::secp256r1);
    handshake::run(provider)
}
