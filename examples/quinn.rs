//! QUIC with quinn: a server and a client in one process, and one message each way.
//!
//! ```text
//! cargo run -p examples --features quinn --bin quinn
//! ```

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use anyhow::{Context, Result};
use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn::{ClientConfig, Endpoint, ServerConfig};
use rustls::RootCertStore;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// The test PKI of this repository: never for production.
const ROOT: &[u8] = include_bytes!("../certs/p256_root_cert.pem");
const CERT: &[u8] = include_bytes!("../certs/p256_server_cert.pem");
const KEY: &[u8] = include_bytes!("../certs/p256_server_key.pem");

#[tokio::main]
async fn main() -> Result<()> {
    let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let server = Endpoint::server(server_config()?, any)?;
    let address = server.local_addr()?;
    let answering = tokio::spawn(serve(server));

    let mut client = Endpoint::client(any)?;
    client.set_default_client_config(client_config()?);
    let connection = client.connect(address, "localhost")?.await?;
    let (mut send, mut receive) = connection.open_bi().await?;
    send.write_all(b"hello").await?;
    send.finish()?;
    println!("{}", String::from_utf8(receive.read_to_end(1024).await?)?);
    connection.close(0u32.into(), b"done");
    client.wait_idle().await;
    answering.await?
}

async fn serve(endpoint: Endpoint) -> Result<()> {
    let connection = endpoint.accept().await.context("the endpoint is closed")?.await?;
    let (mut send, mut receive) = connection.accept_bi().await?;
    let message = String::from_utf8(receive.read_to_end(1024).await?)?;
    send.write_all(format!("you said over QUIC: {message}").as_bytes()).await?;
    send.finish()?;
    connection.closed().await;
    Ok(())
}

/// Configures the server. QUIC's packet keys come from the cipher suites, which are the base's.
fn server_config() -> Result<ServerConfig> {
    let chain = vec![CertificateDer::from_pem_slice(CERT)?];
    let tls = rustls::ServerConfig::builder_with_provider(oaklath::tls::provider())
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .with_no_client_auth()
        .with_single_cert(chain, PrivateKeyDer::from_pem_slice(KEY)?)?;
    Ok(ServerConfig::with_crypto(Arc::new(QuicServerConfig::try_from(tls)?)))
}

fn client_config() -> Result<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(ROOT)?)?;
    let tls = rustls::ClientConfig::builder_with_provider(oaklath::tls::provider())
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(ClientConfig::new(Arc::new(QuicClientConfig::try_from(tls)?)))
}
