//! A client and a server of rustls with the flags and the printouts of `oaklath client` and
//! `oaklath server`: one connection with mutual authentication, TLS 1.3 and one group of key
//! exchange, a message each way. The calling program passes in the provider.

use std::collections::HashMap;
use std::error::Error;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::version::TLS13;
use rustls::{
    ClientConfig, ClientConnection, CommonState, NamedGroup, RootCertStore, ServerConfig,
    ServerConnection, StreamOwned,
};

const CLIENT_SAYS: &str = "hello wolfssl!";
const SERVER_SAYS: &str = "I hear you fa shizzle!";

/// Longer than any handshake takes, a slow signature included; a peer that stalls longer is an
/// error.
const TIMEOUT: Duration = Duration::from_secs(60);

pub(crate) type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// Returns the provider for a program's connections, with the one group of its flags.
type Provide = fn(&Flags<'_>) -> Outcome<CryptoProvider>;

/// Makes one connection, as the command line says.
pub(crate) fn main(provide: Provide) -> ExitCode {
    match run(provide) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(provide: Provide) -> Outcome {
    let args: Vec<_> = std::env::args().skip(1).collect();
    let [role, flags @ ..] = &args[..] else {
        return Err("expected `client` or `server`".into());
    };
    let pairs = flags.chunks_exact(2).map(|pair| (&*pair[0], &*pair[1]));
    let flags = Flags(pairs.collect());
    let address = format!("{}:{}", flags.value("-h")?, flags.value("-p")?);
    match &**role {
        "client" => client(&address, &flags, provide(&flags)?),
        "server" => server(&address, &flags, provide(&flags)?),
        other => Err(format!("expected `client` or `server`, found `{other}`").into()),
    }
}

/// The command line's flags with their values.
pub(crate) struct Flags<'a>(HashMap<&'a str, &'a str>);

impl Flags<'_> {
    pub(crate) fn value(&self, flag: &str) -> Outcome<&str> {
        self.0.get(flag).copied().ok_or_else(|| format!("`{flag}` is missing").into())
    }

    /// Returns the code point of the only group.
    pub(crate) fn group(&self) -> Outcome<NamedGroup> {
        Ok(self.value("--pqc")?.parse::<u16>()?.into())
    }

    fn roots(&self) -> Outcome<Arc<RootCertStore>> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(self.value("-A")?)?)?;
        Ok(Arc::new(roots))
    }

    fn chain(&self) -> Outcome<Vec<CertificateDer<'static>>> {
        Ok(vec![CertificateDer::from_pem_file(self.value("-c")?)?])
    }

    fn key(&self) -> Outcome<PrivateKeyDer<'static>> {
        Ok(PrivateKeyDer::from_pem_file(self.value("-k")?)?)
    }
}

fn client(address: &str, flags: &Flags<'_>, provider: CryptoProvider) -> Outcome {
    let config = ClientConfig::builder_with_provider(provider.into())
        .with_protocol_versions(&[&TLS13])?
        .with_root_certificates(flags.roots()?)
        .with_client_auth_cert(flags.chain()?, flags.key()?)?;
    let client = ClientConnection::new(Arc::new(config), "localhost".try_into()?)?;
    let mut tls = StreamOwned::new(client, limited(TcpStream::connect(address)?)?);
    tls.write_all(CLIENT_SAYS.as_bytes())?;
    hear(&mut tls, SERVER_SAYS)?;
    tell(&tls.conn);
    tls.conn.send_close_notify();
    Ok(tls.flush()?)
}

fn server(address: &str, flags: &Flags<'_>, provider: CryptoProvider) -> Outcome {
    let provider = Arc::new(provider);
    let verifier =
        WebPkiClientVerifier::builder_with_provider(flags.roots()?, provider.clone()).build()?;
    let config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&TLS13])?
        .with_client_cert_verifier(verifier)
        .with_single_cert(flags.chain()?, flags.key()?)?;
    let listener = TcpListener::bind(address)?;
    println!("listening on {}", listener.local_addr()?);
    let server = ServerConnection::new(Arc::new(config))?;
    let mut tls = StreamOwned::new(server, limited(listener.accept()?.0)?);
    hear(&mut tls, CLIENT_SAYS)?;
    tell(&tls.conn);
    tls.write_all(SERVER_SAYS.as_bytes())?;
    tls.conn.send_close_notify();
    Ok(tls.flush()?)
}

fn limited(socket: TcpStream) -> Outcome<TcpStream> {
    socket.set_nodelay(true)?;
    socket.set_read_timeout(Some(TIMEOUT))?;
    socket.set_write_timeout(Some(TIMEOUT))?;
    Ok(socket)
}

/// Prints what was negotiated.
fn tell(conn: &CommonState) {
    if let Some(suite) = conn.negotiated_cipher_suite() {
        println!("SSL cipher suite is {:?}", suite.suite());
    }
    if let Some(group) = conn.negotiated_key_exchange_group() {
        println!("SSL curve name is {:?}", group.name());
    }
}

/// Reads one message, which must be the expected one.
fn hear(mut tls: impl Read, expected: &str) -> Outcome {
    let mut buffer = [0; 1024];
    let n = tls.read(&mut buffer)?;
    let heard = String::from_utf8_lossy(&buffer[..n]);
    println!("{heard}");
    if heard != expected {
        return Err(format!("expected the message `{expected}`, found `{heard}`").into());
    }
    Ok(())
}
