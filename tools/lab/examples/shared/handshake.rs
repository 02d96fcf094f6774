//! A client and a server in one program, as small as they can be.

use std::error::Error;
use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::version::TLS13;
use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection};

const ROOT: &[u8] = include_bytes!("../../../../certs/p256_root_cert.pem");
const CERT: &[u8] = include_bytes!("../../../../certs/p256_server_cert.pem");
const KEY: &[u8] = include_bytes!("../../../../certs/p256_server_key.pem");

/// Makes a handshake and prints which group was negotiated.
pub(crate) fn run(provider: CryptoProvider) -> Result<(), Box<dyn Error>> {
    let provider = Arc::new(provider);
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(ROOT)?)?;
    let client = ClientConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(&[&TLS13])?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let chain = vec![CertificateDer::from_pem_slice(CERT)?];
    let server = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&TLS13])?
        .with_no_client_auth()
        .with_single_cert(chain, PrivateKeyDer::from_pem_slice(KEY)?)?;
    let mut client = ClientConnection::new(Arc::new(client), "localhost".try_into()?)?;
    let mut server = ServerConnection::new(Arc::new(server))?;
    while client.is_handshaking() || server.is_handshaking() {
        let (mut flight, mut answer) = (Vec::new(), Vec::new());
        client.write_tls(&mut flight)?;
        let mut flight = &flight[..];
        while !flight.is_empty() {
            server.read_tls(&mut flight)?; // as much as there is room for
            server.process_new_packets()?;
        }
        server.write_tls(&mut answer)?;
        let mut answer = &answer[..];
        while !answer.is_empty() {
            client.read_tls(&mut answer)?;
            client.process_new_packets()?;
        }
    }
    let group = client.negotiated_key_exchange_group().ok_or("no group")?;
    println!("{:?}", group.name());
    Ok(())
}
