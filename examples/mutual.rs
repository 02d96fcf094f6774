//! A client and a server with post-quantum certificates on both sides, over a loopback socket.
//!
//! ```text
//! cargo run -p examples --bin mutual
//! cargo run -p examples --bin mutual -- ML-DSA-87
//! ```

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, anyhow};
use oaklath::pki::{Authority, Certificate, Identity, PrivateKey, Template};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection, StreamOwned,
};

fn main() -> Result<()> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "ML-DSA-65".to_owned());
    let algorithm = Identity::by_name(&name).context("no algorithm of this name")?;
    let authority = TestAuthority::new(algorithm)?;
    let client = Arc::new(client(&authority)?);
    let server = Arc::new(server(&authority)?);

    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let server = thread::spawn(move || serve(&listener.accept()?.0, server));
    println!("{}", call(&TcpStream::connect(address)?, client)?);
    server.join().map_err(|_| anyhow!("the server panicked"))?
}

/// A root and its private key, which issues certificates.
struct TestAuthority {
    root: Certificate,
    key: PrivateKey,
}

/// A chain of certificates and the key of the first, as rustls expects them.
type Credentials = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

impl TestAuthority {
    fn new(algorithm: Identity) -> Result<Self> {
        let key = PrivateKey::generate(algorithm)?;
        let root = Template::new("CN=Example root", Self::validity())?.root(&key)?;
        Ok(Self { root, key })
    }

    fn validity() -> std::ops::RangeInclusive<SystemTime> {
        SystemTime::now()..=SystemTime::now() + Duration::from_secs(86_400)
    }

    /// Issues a certificate for this name. In a program both it and the key come from PEM files:
    /// `oaklath keygen` and `oaklath cert` write them.
    fn issue(&self, name: &str) -> Result<Credentials> {
        let key = PrivateKey::generate(self.key.identity())?;
        let entity = Template::new(&format!("CN={name}"), Self::validity())?
            .dns(name)?
            .entity(&key.public_key(), &Authority::new(&self.root, &self.key)?)?;
        let chain = vec![CertificateDer::from(entity.as_der().to_vec())];
        let key = key.to_der(key.identity().standard_form())?;
        let key = PrivateKeyDer::try_from(key.to_vec()).map_err(|error| anyhow!(error))?;
        Ok((chain, key))
    }

    /// Returns a store that trusts only this authority.
    fn roots(&self) -> Result<Arc<RootCertStore>> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from(self.root.as_der().to_vec()))?;
        Ok(Arc::new(roots))
    }
}

fn client(authority: &TestAuthority) -> Result<ClientConfig> {
    let (chain, key) = authority.issue("client.example")?;
    let config = ClientConfig::builder_with_provider(oaklath::tls::provider())
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .with_root_certificates(authority.roots()?)
        .with_client_auth_cert(chain, key)?;
    Ok(config)
}

fn server(authority: &TestAuthority) -> Result<ServerConfig> {
    let provider = oaklath::tls::provider();
    let roots = authority.roots()?;
    let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider.clone()).build()?;
    let (chain, key) = authority.issue("server.example")?;
    let config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .with_client_cert_verifier(verifier)
        .with_single_cert(chain, key)?;
    Ok(config)
}

/// Serves a connection: tells the client who it is.
fn serve(tcp: &TcpStream, config: Arc<ServerConfig>) -> Result<()> {
    tcp.set_nodelay(true)?;
    let mut connection = ServerConnection::new(config)?;
    connection.complete_io(&mut &*tcp)?;
    let chain = connection.peer_certificates().context("no certificate")?;
    let client = Certificate::from_der(&chain[0])?;
    let mut stream = StreamOwned::new(connection, tcp);
    write!(stream, "{}, by {}", client.subject(), client.signature_identity()?)?;
    stream.conn.send_close_notify();
    stream.flush()?;
    Ok(())
}

/// Connects, and returns the names of both sides as the other sees them.
fn call(tcp: &TcpStream, config: Arc<ClientConfig>) -> Result<String> {
    tcp.set_nodelay(true)?;
    let mut stream =
        StreamOwned::new(ClientConnection::new(config, "server.example".try_into()?)?, tcp);
    let mut client = String::new();
    stream.read_to_string(&mut client)?;
    let chain = stream.conn.peer_certificates().context("no certificate")?;
    let server = Certificate::from_der(&chain[0])?;
    let signed = server.signature_identity()?;
    Ok(format!("client: {client}\nserver: {}, by {signed}", server.subject()))
}
