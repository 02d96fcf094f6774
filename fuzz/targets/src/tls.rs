//! Bytes into connections of rustls with our provider. All randomness is fixed, so that what an
//! honest peer said once is right again.

use std::io::{self, Read, Write};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use oaklath_tls::{Builder, unbuffered as blocking};
use rustls::client::Resumption;
use rustls::crypto::{CryptoProvider, GetRandomFailed, SecureRandom, aws_lc_rs};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use rustls::time_provider::TimeProvider;
use rustls::version::TLS13;
use rustls::{
    ClientConfig, ClientConnection, Connection, Error, RootCertStore, ServerConfig,
    ServerConnection,
};

use crate::Seed;

/// Always the same bytes.
#[derive(Debug)]
struct Fixed;

impl SecureRandom for Fixed {
    fn fill(&self, out: &mut [u8]) -> Result<(), GetRandomFailed> {
        (0u8..=255).cycle().zip(out).for_each(|(value, byte)| *byte = value ^ 0x5a);
        Ok(())
    }
}

/// Always the same moment, within the validity of the test PKI.
#[derive(Debug)]
struct Stopped;

impl TimeProvider for Stopped {
    fn current_time(&self) -> Option<UnixTime> {
        Some(UnixTime::since_unix_epoch(Duration::from_secs(1_800_000_000)))
    }
}

struct Configs {
    client: Arc<ClientConfig>,
    server: Arc<ServerConfig>,
}

/// A client and a server of which either shows an ML-DSA certificate.
fn configs() -> &'static Configs {
    static CONFIGS: OnceLock<Configs> = OnceLock::new();
    CONFIGS.get_or_init(|| make().expect("the test PKI"))
}

fn make() -> Result<Configs, Box<dyn std::error::Error>> {
    let base = CryptoProvider { secure_random: &Fixed, ..aws_lc_rs::default_provider() };
    // A KEM alone: curves of the base have randomness of their own.
    let groups = ["MLKEM512", "KYBER_LEVEL1", "NTRU_HPS_LEVEL1", "SABER_LEVEL1"];
    let provider = Arc::new(Builder::new(base).groups(groups).allow_legacy().build()?);
    let der = |pem: &[u8]| CertificateDer::from_pem_slice(pem);
    let chain = vec![der(include_bytes!("../../../certs/mldsa_level2_entity_cert.pem"))?];
    let key = include_bytes!("../../../certs/mldsa_level2_entity_key.pem");
    let key = PrivateKeyDer::from_pem_slice(key)?;
    let mut roots = RootCertStore::empty();
    roots.add(der(include_bytes!("../../../certs/mldsa_level2_root_cert.pem"))?)?;
    let roots = Arc::new(roots);

    let mut client = ClientConfig::builder_with_details(provider.clone(), Arc::new(Stopped))
        .with_protocol_versions(&[&TLS13])?
        .with_root_certificates(roots.clone())
        .with_client_auth_cert(chain.clone(), key.clone_key())?;
    client.resumption = Resumption::disabled();
    let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider.clone()).build()?;
    let mut server = ServerConfig::builder_with_details(provider, Arc::new(Stopped))
        .with_protocol_versions(&[&TLS13])?
        .with_client_cert_verifier(verifier)
        .with_single_cert(chain, key)?;
    server.session_storage = Arc::new(NoServerSessionStorage {});
    server.send_tls13_tickets = 0;
    Ok(Configs { client: Arc::new(client), server: Arc::new(server) })
}

fn new_client() -> Connection {
    ClientConnection::new(configs().client.clone(), host()).expect("a configuration").into()
}

fn host() -> ServerName<'static> {
    "localhost".try_into().expect("a name")
}

fn new_server() -> Connection {
    ServerConnection::new(configs().server.clone()).expect("a configuration").into()
}

/// Bytes into a server.
pub(crate) fn server(data: &[u8]) {
    hears(new_server(), data);
}

/// Bytes into a client.
pub(crate) fn client(data: &[u8]) {
    hears(new_client(), data);
}

/// Takes the bytes in steps of which the first one says the length.
fn hears(mut connection: Connection, data: &[u8]) {
    let Some((step, data)) = data.split_first() else { return };
    let step = if *step == 0 { data.len().max(1) } else { usize::from(*step) };
    said(&mut connection);
    for part in data.chunks(step) {
        if feed(&mut connection, part).is_err() {
            said(&mut connection);
            return;
        }
        said(&mut connection);
    }
}

/// A socket over which a peer has said everything it says, and leaves.
struct Wire<'a> {
    heard: &'a [u8],
    /// The most bytes at a time.
    step: usize,
}

impl Read for Wire<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let room = out.len().min(self.step);
        self.heard.read(&mut out[..room])
    }
}

impl Write for Wire<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Bytes into a blocking connection of ours, of a server or a client by the first byte: it comes as
/// far as one of rustls itself.
pub(crate) fn unbuffered(data: &[u8]) {
    let [side, step, heard @ ..] = data else { return };
    let step = if *step == 0 { heard.len().max(1) } else { usize::from(*step) };
    let wire = Wire { heard, step };
    let (opened, mut other) = match side.is_multiple_of(2) {
        true => (blocking::accept(configs().server.clone(), wire), new_server()),
        false => (blocking::connect(configs().client.clone(), host(), wire), new_client()),
    };
    let (mut completes, mut fails) = (false, false);
    said(&mut other);
    for part in heard.chunks(step) {
        fails = feed(&mut other, part).is_err();
        completes |= !other.is_handshaking();
        if fails {
            break;
        }
        said(&mut other);
    }
    // What fails behind the handshake may fail ours within, which looks further ahead.
    assert!(opened.is_ok() == completes || fails && completes, "{:?}", opened.err());
    let Ok(mut stream) = opened else { return };
    let mut out = [0; 64];
    while stream.read(&mut out).is_ok_and(|n| n > 0) {}
    let _ = stream.close();
}

fn feed(connection: &mut Connection, mut bytes: &[u8]) -> Result<(), Error> {
    while !bytes.is_empty() {
        if connection.read_tls(&mut bytes).is_err() {
            return Err(Error::General("a full buffer".to_owned()));
        }
        connection.process_new_packets()?;
    }
    Ok(())
}

fn said(connection: &mut Connection) -> Vec<u8> {
    let mut wire = Vec::new();
    while connection.wants_write() {
        connection.write_tls(&mut wire).expect("memory takes all");
    }
    wire
}

/// What an honest client and an honest server say to each other, all that each side says in one.
fn conversation() -> (Vec<u8>, Vec<u8>) {
    let (mut client, mut server) = (new_client(), new_server());
    let (mut from_client, mut from_server) = (Vec::new(), Vec::new());
    while client.is_handshaking() || server.is_handshaking() {
        let wire = said(&mut client);
        feed(&mut server, &wire).expect("an honest client");
        from_client.extend(wire);
        let wire = said(&mut server);
        feed(&mut client, &wire).expect("an honest server");
        from_server.extend(wire);
    }
    (from_client, from_server)
}

pub(crate) fn server_seeds() -> Vec<Seed> {
    seeds(conversation().0)
}

pub(crate) fn client_seeds() -> Vec<Seed> {
    seeds(conversation().1)
}

pub(crate) fn unbuffered_seeds() -> Vec<Seed> {
    let (from_client, from_server) = conversation();
    vec![
        ("client".to_owned(), [&[0, 0], &*from_client].concat()),
        ("client-in-steps".to_owned(), [&[0, 100], &*from_client].concat()),
        ("server".to_owned(), [&[1, 0], &*from_server].concat()),
        ("alert".to_owned(), vec![1, 0, 21, 3, 3, 0, 2, 2, 40]),
    ]
}

/// A whole conversation, and its first record in steps.
fn seeds(stream: Vec<u8>) -> Vec<Seed> {
    let first = 5 + (usize::from(stream[3]) << 8) + usize::from(stream[4]);
    vec![
        ("whole".to_owned(), [&[0], &*stream].concat()),
        ("hello".to_owned(), [&[100], &stream[..first]].concat()),
        ("alert".to_owned(), vec![0, 21, 3, 3, 0, 2, 2, 40]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without this the seeds would end at the first record.
    #[test]
    fn a_conversation_can_be_replayed() {
        let (from_client, from_server) = conversation();
        let (mut client, mut server) = (new_client(), new_server());
        said(&mut client);
        feed(&mut client, &from_server).unwrap();
        feed(&mut server, &from_client).unwrap();
        assert!(!client.is_handshaking() && !server.is_handshaking());
    }
}
