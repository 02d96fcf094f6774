//! An HTTPS request with reqwest, to the server of the example `axum` or to a URL.
//!
//! ```text
//! cargo run -p examples --features reqwest --bin reqwest
//! ```

use anyhow::{Result, anyhow};
use reqwest::{Certificate, Client};

/// The test root of this repository; a client for the internet omits it.
const ROOT: &[u8] = include_bytes!("../certs/p256_root_cert.pem");

#[tokio::main]
async fn main() -> Result<()> {
    // Must come before anything else needs a provider: with several in the dependency graph, rustls
    // cannot choose one by itself.
    let provider = oaklath::tls::provider().as_ref().clone();
    provider.install_default().map_err(|_| anyhow!("a provider is installed already"))?;

    let url = std::env::args().nth(1).unwrap_or_else(|| "https://localhost:8443/".to_owned());
    let root = Certificate::from_pem(ROOT)?;
    let client = Client::builder().tls_certs_merge([root]).https_only(true).build()?;
    let answer = client.get(&url).send().await?.error_for_status()?;
    print!("{}", answer.text().await?);
    Ok(())
}
