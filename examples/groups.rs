//! Groups: which a TLS provider offers, in which order; and one of them without TLS.
//!
//! ```text
//! cargo run -p examples --bin groups
//! cargo run -p examples --bin groups -- SecP384r1MLKEM1024 X25519MLKEM768
//! ```

use anyhow::{Context, Result};
use getrandom::SysRng;
use oaklath::hybrid::Group;
use oaklath::params::group;
use oaklath::tls;

fn main() -> Result<()> {
    let mut names: Vec<_> = std::env::args().skip(1).collect();
    if names.is_empty() {
        names = ["X25519MLKEM768", "SecP384r1MLKEM1024"].map(str::to_owned).into();
    }

    // For TLS: without a classical group in the list, a handshake with a peer that has no
    // post-quantum one fails.
    let provider = tls::Builder::new(tls::default_base()).groups(&names).build()?;
    for offered in &provider.kx_groups {
        let info = group::by_codepoint(offered.name().into()).context("a classical group")?;
        println!("{} ({:#06x}), {:?}", info.name, info.codepoint, info.status);
    }
    // Superseded groups need a feature, and `allow_legacy` besides.
    let legacy = tls::Builder::new(tls::default_base()).groups(["p256_kyber512"]).build();
    println!("p256_kyber512: {}", legacy.expect_err("a legacy group"));

    // Without TLS: the shares travel, and the secret is keying material.
    let group = Group::by_name(&names[0])?;
    let client = group.generate(&mut SysRng)?;
    let answer = group.respond(&mut SysRng, client.share())?;
    let share = client.share().len();
    let secret = client.finish(&answer.share)?;
    assert_eq!(secret.as_bytes(), answer.secret.as_bytes());
    println!("{share} bytes to the server, {} back", answer.share.len());
    Ok(())
}
