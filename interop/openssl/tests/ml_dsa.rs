//! Mutual authentication with every ML-DSA set, OpenSSL as server and as client, over
//! `X25519MLKEM768`, on loopback sockets.
use std::error::Error;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::thread;

use openssl::ssl::{
    Ssl, SslContext, SslContextBuilder, SslFiletype, SslMethod, SslStream, SslVerifyMode,
    SslVersion,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection, StreamOwned,
};

type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

const GROUP: &str = "X25519MLKEM768";
const SETS: [&str; 3] = ["mldsa_level2", "mldsa_level3", "mldsa_level5"];

fn file(set: &str, what: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../certs");
    folder.join(format!("{set}_{what}.pem")).display().to_string()
}

fn chain(set: &str) -> Outcome<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)> {
    let certificate = CertificateDer::from_pem_file(file(set, "entity_cert"))?;
    Ok((vec![certificate], PrivateKeyDer::from_pem_file(file(set, "entity_key"))?))
}

fn roots(set: &str) -> Outcome<Arc<RootCertStore>> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(file(set, "root_cert"))?)?;
    Ok(Arc::new(roots))
}

fn our_provider() -> Outcome<Arc<rustls::crypto::CryptoProvider>> {
    let builder = oaklath_tls::Builder::new(oaklath_tls::default_base());
    Ok(Arc::new(builder.groups([GROUP]).build()?))
}

/// OpenSSL's side of either role: our chain, our root, a peer that must authenticate.
fn openssl_context(set: &str) -> Outcome<SslContext> {
    let mut context = SslContextBuilder::new(SslMethod::tls())?;
    context.set_min_proto_version(Some(SslVersion::TLS1_3))?;
    context.set_groups_list(GROUP)?;
    context.set_certificate_file(file(set, "entity_cert"), SslFiletype::PEM)?;
    context.set_private_key_file(file(set, "entity_key"), SslFiletype::PEM)?;
    context.set_ca_file(file(set, "root_cert"))?;
    context.set_verify(SslVerifyMode::PEER | SslVerifyMode::FAIL_IF_NO_PEER_CERT);
    Ok(context.build())
}

/// Five bytes each way, over a connection whose handshake they complete.
fn talk(mut stream: impl Read + Write, first: bool) -> Outcome {
    let mut heard = [0; 5];
    if first {
        stream.write_all(b"hello")?;
        stream.flush()?;
    }
    stream.read_exact(&mut heard)?;
    assert_eq!(&heard, b"hello");
    if !first {
        stream.write_all(b"hello")?;
        stream.flush()?;
    }
    Ok(())
}

fn openssl_talks(set: &str, tcp: TcpStream, server: bool) -> Outcome {
    let context = openssl_context(set)?;
    let mut stream = SslStream::new(Ssl::new(&context)?, tcp)?;
    if server {
        stream.accept()?
    } else {
        stream.connect()?
    }
    assert!(stream.ssl().peer_certificate().is_some());
    talk(stream, !server)
}

#[test]
fn the_version_is_3_6() {
    let version = openssl::version::version();
    assert!(version.starts_with("OpenSSL 3.6."), "{version}");
}

#[test]
fn openssl_is_the_server() -> Outcome {
    for set in SETS {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let server = thread::spawn(move || openssl_talks(set, listener.accept()?.0, true));
        let (chain, key) = chain(set)?;
        let config = ClientConfig::builder_with_provider(our_provider()?)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots(set)?)
            .with_client_auth_cert(chain, key)?;
        let client = ClientConnection::new(Arc::new(config), "localhost".try_into()?)?;
        talk(StreamOwned::new(client, TcpStream::connect(address)?), true)?;
        server.join().expect("the server does not panic")?;
    }
    Ok(())
}

#[test]
fn openssl_is_the_client() -> Outcome {
    for set in SETS {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let client = thread::spawn(move || openssl_talks(set, TcpStream::connect(address)?, false));
        let (provider, roots) = (our_provider()?, roots(set)?);
        let verifier =
            WebPkiClientVerifier::builder_with_provider(roots, provider.clone()).build()?;
        let (chain, key) = chain(set)?;
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_client_cert_verifier(verifier)
            .with_single_cert(chain, key)?;
        let server = ServerConnection::new(Arc::new(config))?;
        talk(StreamOwned::new(server, listener.accept()?.0), false)?;
        client.join().expect("the client does not panic")?;
    }
    Ok(())
}
