//! Groups: which ones a TLS provider offers, in which order, and which ones it does not; and one of
//! them without TLS.
//!
//! ```text
//! cargo run -p examples --bin groups
//! cargo run -p examples --bin groups -- SecP384r1MLKEM1024 X25519MLKEM768
//! ```

use std::sync::Arc;

use anyhow::{Context, Result};
use getrandom::SysRng;
use oaklath::hybrid::Group;
use oaklath::params::group;
use oaklath::tls;
use rustls::crypto::CryptoProvider;
use rustls::server::Acceptor;
use rustls::{ClientConfig, ClientConnection, RootCertStore};

fn main() -> Result<()> {
    let mut names: Vec<_> = std::env::args().skip(1).collect();
    if names.is_empty() {
        names = ["X25519MLKEM768", "SecP384r1MLKEM1024"].map(str::to_owned).into();
    }

    // For TLS: without a classical group in the list, handshakes with peers that have no
    // post-quantum group fail.
    let provider = tls::Builder::new(tls::default_base()).groups(&names).build()?;
    for offered in &provider.kx_groups {
        let info = group::by_codepoint(offered.name().into()).context("a classical group")?;
        println!("{} ({:#06x}), {:?}", info.name, info.codepoint, info.status);
    }
    // Superseded groups need a feature and also `allow_legacy`.
    let legacy = tls::Builder::new(tls::default_base()).groups(["p256_kyber512"]).build();
    println!("p256_kyber512: {}", legacy.expect_err("a legacy group"));

    // A client that also offers a curve may be asked for it (HelloRetryRequest); one that offers
    // none is not. This is the hello of a client with `post_quantum_only`, as a server reads it.
    let hello = client_hello(tls::Builder::new(tls::default_base()).post_quantum_only().build()?)?;
    println!("offered: {hello:?}");
    assert!(hello.iter().all(|offered| group::by_codepoint(*offered).is_some()));

    // Without TLS: the shares are exchanged, and the secret is keying material.
    let group = Group::by_name(&names[0])?;
    let client = group.generate(&mut SysRng)?;
    let answer = group.respond(&mut SysRng, client.share())?;
    let share = client.share().len();
    let secret = client.finish(&answer.share)?;
    assert_eq!(secret.as_bytes(), answer.secret.as_bytes());
    println!("{share} bytes to the server, {} back", answer.share.len());
    Ok(())
}

/// Returns the groups in the `ClientHello` of a client with this provider.
fn client_hello(provider: CryptoProvider) -> Result<Vec<u16>> {
    let config = ClientConfig::builder_with_provider(Arc::new(provider))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth();
    let mut client = ClientConnection::new(Arc::new(config), "localhost".try_into()?)?;
    let (mut wire, mut server) = (Vec::new(), Acceptor::default());
    while client.wants_write() {
        client.write_tls(&mut wire)?;
    }
    server.read_tls(&mut &*wire)?;
    let accepted = server.accept().map_err(|(error, _)| error)?.context("half a hello")?;
    let groups = accepted.client_hello().named_groups().context("no list of groups")?.to_vec();
    Ok(groups.into_iter().map(u16::from).collect())
}
