//! A TLS server over plain sockets that requires quantum-safe key exchange.
//!
//! ```text
//! cargo run -p examples --bin server
//! cargo run -p examples --bin server -- 127.0.0.1:4433
//! ```

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// The test certificate of this repository: never for production.
const CERT: &[u8] = include_bytes!("../certs/p256_server_cert.pem");
const KEY: &[u8] = include_bytes!("../certs/p256_server_key.pem");

fn main() -> Result<()> {
    // A client that supports none of the hybrids is rejected.
    let provider =
        oaklath::tls::Builder::new(oaklath::tls::default_base()).post_quantum_only().build()?;
    let chain = vec![CertificateDer::from_pem_slice(CERT)?];
    let config = ServerConfig::builder_with_provider(Arc::new(provider))
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .with_no_client_auth()
        .with_single_cert(chain, PrivateKeyDer::from_pem_slice(KEY)?)?;
    let config = Arc::new(config);

    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:4433".to_owned());
    let listener = TcpListener::bind(&address).with_context(|| format!("cannot use {address}"))?;
    println!("listening on {address}");
    for tcp in listener.incoming() {
        let (tcp, config) = (tcp?, config.clone());
        // A peer that misbehaves only ends its own thread.
        thread::spawn(move || {
            if let Err(error) = serve(tcp, config) {
                eprintln!("error: {error:#}");
            }
        });
    }
    Ok(())
}

/// Serves a connection: answers one line.
fn serve(tcp: TcpStream, config: Arc<ServerConfig>) -> Result<()> {
    tcp.set_nodelay(true)?;
    tcp.set_read_timeout(Some(Duration::from_secs(10)))?;
    let mut stream = StreamOwned::new(ServerConnection::new(config)?, tcp);
    let mut line = String::new();
    BufReader::new(&mut stream).read_line(&mut line)?;
    write!(stream, "you said: {line}")?;
    stream.conn.send_close_notify();
    stream.flush()?;
    Ok(())
}
