//! A quantum-safe TLS client over a plain socket.
//!
//! ```text
//! cargo run -p examples --bin server
//! cargo run -p examples --bin client
//! cargo run -p examples --bin client -- 127.0.0.1:4433 localhost
//! ```

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use anyhow::{Context, Result};
use oaklath::params::group;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

/// The test root of this repository. A client for the internet uses the crate `webpki-roots` or
/// `rustls-native-certs` instead.
const ROOT: &[u8] = include_bytes!("../certs/p256_root_cert.pem");

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let address = args.next().unwrap_or_else(|| "127.0.0.1:4433".to_owned());
    let name = args.next().unwrap_or_else(|| "localhost".to_owned());

    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(ROOT)?)?;
    // X25519MLKEM768 first; a server that has no post-quantum group gets a classical one.
    let config = ClientConfig::builder_with_provider(oaklath::tls::provider())
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();

    let tcp = TcpStream::connect(&address).with_context(|| format!("cannot reach {address}"))?;
    tcp.set_nodelay(true)?;
    let tls = ClientConnection::new(Arc::new(config), name.try_into()?)?;
    let mut stream = StreamOwned::new(tls, tcp);
    stream.write_all(b"hello\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    print!("{answer}");

    let chosen = stream.conn.negotiated_key_exchange_group().context("no group")?.name();
    match group::by_codepoint(chosen.into()) {
        Some(group) => println!("key exchange: {}, quantum-safe", group.name),
        None => println!("key exchange: {chosen:?}, classical"),
    }
    Ok(())
}
