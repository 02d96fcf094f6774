//! An HTTPS server with axum: `curl --cacert certs/p256_root_cert.pem https://localhost:8443/`.
//!
//! ```text
//! cargo run -p examples --features axum --bin axum
//! ```

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Result;
use axum::Router;
use axum::routing::get;
use axum_server::tls_rustls::RustlsConfig;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// The test certificate of this repository: never for production.
const CERT: &[u8] = include_bytes!("../certs/p256_server_cert.pem");
const KEY: &[u8] = include_bytes!("../certs/p256_server_key.pem");

#[tokio::main]
async fn main() -> Result<()> {
    let chain = vec![CertificateDer::from_pem_slice(CERT)?];
    let mut config = ServerConfig::builder_with_provider(oaklath::tls::provider())
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, PrivateKeyDer::from_pem_slice(KEY)?)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];

    let app = Router::new().route("/", get(|| async { "hello over post-quantum TLS\n" }));
    let address = SocketAddr::from(([127, 0, 0, 1], 8443));
    println!("listening on https://localhost:8443/");
    axum_server::bind_rustls(address, RustlsConfig::from_config(Arc::new(config)))
        .serve(app.into_make_service())
        .await?;
    Ok(())
}
