//! Bytes on the wire of whole connections, flight by flight, counted on sockets.

use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context, Result, anyhow, bail, ensure};
use oaklath_cli::setup::{SUITE, Setup, Shown, Sides};
use oaklath_cli::testpki::{TestIdentity, TestPki};
use oaklath_cli::wire::{Transport, Wire};
use oaklath_params::{curve, group, sig};
use oaklath_tls::unbuffered::{accept, connect};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, SubjectPublicKeyInfoDer};
use rustls::sign::{CertifiedKey, Signer, SigningKey, SingleCertAndKey};
use rustls::{ClientConfig, Error, ServerConfig, SignatureAlgorithm, SignatureScheme};
use x509_cert::Certificate;
use x509_cert::der::Decode;

use crate::connections::certificates_of;
use crate::published::{TLS_BYTES, number};
use crate::report::{Cell, RATIO, Table};

/// The messages of the two sides, those of wolfSSL's example programs.
const CLIENT_SAYS: &[u8] = b"hello wolfssl!";
const SERVER_SAYS: &[u8] = b"I hear you fa shizzle!";

/// Payload of a TCP segment on Ethernet, in bytes: 1,500 less headers of 40 and time stamps of 12.
const SEGMENT: u64 = 1448;
/// Segments that a sender may send before the first acknowledgement (RFC 6928).
const WINDOW: u64 = 10;

/// The number of tickets that a server of rustls sends by default.
const TICKETS: usize = 2;

/// The totals that `check` compares with.
const RECORDED: &str = include_str!("../data/our_bytes.csv");

/// TCP payload of a connection, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flights {
    /// `ClientHello`.
    pub hello: u64,
    /// `ServerHello` to the server's Finished.
    pub server: u64,
    /// The client's Certificate, if any, to its Finished.
    pub client: u64,
    /// One message each way.
    pub messages: u64,
    /// The closing alerts.
    pub alerts: u64,
    /// The part of all these that is signatures of the handshake, whose length may vary.
    pub signatures: u64,
}

impl Flights {
    /// Returns the sum of all flights.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.hello + self.server + self.client + self.messages + self.alerts
    }
}

/// A wire that records how much was sent before anything was received.
#[derive(Debug)]
struct FirstFlight {
    wire: Wire,
    sent: u64,
}

impl FirstFlight {
    fn new(wire: Wire) -> Self {
        Self { wire, sent: 0 }
    }

    /// Returns the bytes in both directions.
    fn total(&self) -> u64 {
        self.wire.sent + self.wire.received
    }
}

impl Read for FirstFlight {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.wire.received == 0 {
            self.sent = self.wire.sent;
        }
        self.wire.read(buf)
    }
}

impl Write for FirstFlight {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.wire.write(buf)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.wire.flush()
    }
}

/// Makes a connection over sockets and counts its bytes.
///
/// # Errors
/// If the connection fails.
pub fn count(provider: &Arc<CryptoProvider>, pki: &TestPki, shown: Shown) -> Result<Flights> {
    Ok(connection(provider, pki, shown, 0)?.0)
}

/// Returns the flights, and the bytes of session tickets.
fn connection(
    provider: &Arc<CryptoProvider>,
    pki: &TestPki,
    shown: Shown,
    tickets: usize,
) -> Result<(Flights, u64)> {
    let lengths = Arc::new(AtomicUsize::new(0));
    let sides = Sides::new(provider, pki, shown, tickets)?;
    let (mut client, mut server) =
        (ClientConfig::clone(&sides.client), ServerConfig::clone(&sides.server));
    let recorded = |identity| recorded(provider, identity, lengths.clone());
    server.cert_resolver = Arc::new(recorded(&pki.server)?);
    if shown == Shown::Both {
        client.client_auth_cert_resolver = Arc::new(recorded(&pki.client)?);
    }
    let (near, far) = Transport::Sockets.pair()?;
    let (client, server) = thread::scope(|scope| {
        let server = scope.spawn(|| serve(server, FirstFlight::new(far)));
        (call(client, FirstFlight::new(near)), server.join())
    });
    let server = server.map_err(|_| anyhow!("the server panicked"))?;
    // Each side may know only half of the cause.
    let mut flights = match (client, server) {
        (Ok(flights), Ok(())) => flights,
        (Err(client), Err(server)) => bail!("client: {client:#}; server: {server:#}"),
        (Err(error), Ok(())) => return Err(error.context("client")),
        (Ok(_), Err(error)) => return Err(error.context("server")),
    };
    // rustls sends tickets together with its next data.
    let tickets = flights.messages - record(CLIENT_SAYS) - record(SERVER_SAYS);
    flights.messages -= tickets;
    flights.signatures = lengths.load(Ordering::Relaxed) as u64;
    Ok((flights, tickets))
}

/// Returns the length of a record: head, content, its type, AES-GCM's tag (RFC 8446, section 5.2).
fn record(content: &[u8]) -> u64 {
    (5 + content.len() + 1 + 16) as u64
}

/// Runs the client; tickets of the server count as messages.
fn call(config: ClientConfig, socket: FirstFlight) -> Result<Flights> {
    let mut tls = connect(Arc::new(config), "localhost".try_into()?, socket)?;
    // A client may send part of its flight before it has received all of the server's.
    let FirstFlight { wire, sent: hello } = tls.socket();
    let (hello, server, client) = (*hello, wire.received, wire.sent - hello);
    tls.write_all(CLIENT_SAYS)?;
    tls.flush()?;
    let mut heard = [0; SERVER_SAYS.len()];
    tls.read_exact(&mut heard)?;
    ensure!(heard == SERVER_SAYS, "the server said something else");
    let said = tls.socket().total();
    tls.close()?;
    ensure!(tls.read(&mut [0])? == 0, "the server speaks out of turn");
    let alerts = tls.socket().total() - said;
    let messages = said - hello - server - client;
    Ok(Flights { hello, server, client, messages, alerts, signatures: 0 })
}

fn serve(config: ServerConfig, socket: FirstFlight) -> Result<()> {
    let mut tls = accept(Arc::new(config), socket)?;
    let mut heard = [0; CLIENT_SAYS.len()];
    tls.read_exact(&mut heard)?;
    ensure!(heard == CLIENT_SAYS, "the client said something else");
    tls.write_all(SERVER_SAYS)?;
    tls.flush()?;
    ensure!(tls.read(&mut [0])? == 0, "the client speaks out of turn");
    Ok(tls.close()?)
}

/// Returns certificate and key of an identity, and the sum of the lengths of all signatures.
fn recorded(
    provider: &CryptoProvider,
    identity: &TestIdentity,
    lengths: Arc<AtomicUsize>,
) -> Result<SingleCertAndKey> {
    let key = provider.key_provider.load_private_key(identity.key()?)?;
    let key = Arc::new(Recorded { key, lengths });
    Ok(CertifiedKey::new(identity.chain()?, key).into())
}

#[derive(Debug)]
struct Recorded {
    key: Arc<dyn SigningKey>,
    lengths: Arc<AtomicUsize>,
}

impl SigningKey for Recorded {
    fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn Signer>> {
        let signer = self.key.choose_scheme(offered)?;
        Some(Box::new(RecordedSigner { signer, lengths: self.lengths.clone() }))
    }

    fn public_key(&self) -> Option<SubjectPublicKeyInfoDer<'_>> {
        self.key.public_key()
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        self.key.algorithm()
    }
}

#[derive(Debug)]
struct RecordedSigner {
    signer: Box<dyn Signer>,
    lengths: Arc<AtomicUsize>,
}

impl Signer for RecordedSigner {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        let signature = self.signer.sign(message)?;
        self.lengths.fetch_add(signature.len(), Ordering::Relaxed);
        Ok(signature)
    }

    fn scheme(&self) -> SignatureScheme {
        self.signer.scheme()
    }
}

/// Returns the bytes of key and signature in a certificate, and of everything else in it.
fn parts_of(chain: &[CertificateDer<'_>]) -> Result<[u64; 2]> {
    let der = chain.first().context("an empty chain")?;
    let certificate = Certificate::from_der(der)?;
    let key = &certificate.tbs_certificate().subject_public_key_info().subject_public_key;
    // Of an RSA key in DER, only the modulus counts.
    let oid = certificate.tbs_certificate().subject_public_key_info().algorithm.oid.to_string();
    let signature = certificate.signature().raw_bytes().len();
    let key = match sig::by_oid(&oid) {
        None if key.raw_bytes().len() > signature => signature,
        _ => key.raw_bytes().len(),
    };
    Ok([key + signature, der.len() - key - signature].map(|bytes| bytes as u64))
}

/// Returns the lengths in bytes of the shares of client and server in a group of this name.
fn shares(name: &str) -> Result<[u64; 2]> {
    let curve = curve::by_name(name).map(|curve| [curve.public_key; 2]);
    let ours = group::by_name(name).map(|info| [info.client_share(), info.server_share()]);
    let found = ours.or(curve).with_context(|| format!("no group is called {name}"))?;
    Ok(found.map(|bytes| bytes as u64))
}

/// A published row and ours.
struct Row {
    authentication: &'static str,
    group: &'static str,
    shown: Shown,
    published: u64,
    flights: Flights,
    /// Bytes in the flights: of the key shares; of keys and signatures of certificates and
    /// handshake; of the other contents of certificates.
    shares: [u64; 2],
    artifacts: u64,
    certificates: u64,
}

impl Row {
    /// Returns our total without the parts that both have.
    fn rest(&self) -> u64 {
        self.flights.total() - self.shares.iter().sum::<u64>() - self.artifacts
    }

    /// Returns how many bytes ours has more; usually negative.
    fn difference(&self) -> i64 {
        self.flights.total() as i64 - self.published as i64
    }
}

/// Measures every published row.
fn rows(setup: &Setup) -> Result<Vec<Row>> {
    let rows = TLS_BYTES.rows::<4>()?.into_iter().map(|[suite, authentication, group, total]| {
        ensure!(suite == SUITE, "no cipher suite {suite} here");
        let pki = certificates_of(authentication)?;
        let (provider, shares) = (setup.provider(group)?, shares(group)?);
        let published = number(total)? as u64;
        let measured = |shown| -> Result<Row> {
            let context = || format!("{authentication}, {group}");
            let flights = count(&provider, pki, shown).with_context(context)?;
            let mut parts = vec![parts_of(&pki.server.chain()?)?];
            if shown == Shown::Both {
                parts.push(parts_of(&pki.client.chain()?)?);
            }
            let [inside, certificates] =
                [0, 1].map(|i| parts.iter().map(|part| part[i]).sum::<u64>());
            let artifacts = inside + flights.signatures;
            Ok(Row {
                authentication,
                group,
                shown,
                published,
                flights,
                shares,
                artifacts,
                certificates,
            })
        };
        let both = measured(Shown::Both)?;
        // A published total that is too small for the keys and signatures of two sides is that of
        // one.
        match published > both.shares.iter().sum::<u64>() + both.artifacts {
            true => Ok(both),
            false => measured(Shown::Server),
        }
    });
    rows.collect()
}

/// Returns the published totals beside ours, and the parts of the difference.
///
/// # Errors
/// If a connection fails.
pub fn tables(setup: &Setup) -> Result<[Table; 2]> {
    let rows = rows(setup)?;
    Ok([totals(&rows), parts(&rows)])
}

fn totals(rows: &[Row]) -> Table {
    let mut table = Table::new(
        "bytes",
        "Bytes on the wire, beside the published ones",
        &[
            "authentication",
            "certificates of",
            "group",
            "published",
            "ours",
            "difference",
            RATIO,
            "shares",
            "keys and signatures",
            "rest, published",
            "rest, ours",
            "ClientHello",
            "ServerHello … Finished",
            "client … Finished",
            "messages",
            "alerts",
        ],
    );
    for note in NOTES {
        table = table.note(*note);
    }
    for row in rows {
        let &Row { published, flights, artifacts, .. } = row;
        let (total, shares) = (flights.total(), row.shares.iter().sum::<u64>());
        table.push(vec![
            Cell::text(row.authentication),
            Cell::text(if row.shown == Shown::Both { "both" } else { "server" }),
            Cell::text(row.group),
            Cell::Count(published),
            Cell::Count(total),
            signed(row.difference()),
            Cell::Number(published as f64 / total as f64, 2),
            Cell::Count(shares),
            Cell::Count(artifacts),
            Cell::Count(published - shares - artifacts),
            Cell::Count(row.rest()),
            Cell::Count(flights.hello),
            Cell::Count(flights.server),
            Cell::Count(flights.client),
            Cell::Count(flights.messages),
            Cell::Count(flights.alerts),
        ]);
    }
    table
}

fn signed(bytes: i64) -> Cell {
    Cell::Number(bytes as f64, 0)
}

/// The published connections with this curve have four of its points more, apart from their shares,
/// than those with other groups.
const CURVE: &str = "SECP256R1";
const POINTS: i64 = 4 * curve::P256.public_key as i64;

/// Returns where a difference comes from: the group; the certificates, hellos and records, which
/// are the same in all rows of an authentication; the lengths of both sides' Falcon signatures. The
/// sum is the difference.
fn sources(rows: &[Row], row: &Row) -> [i64; 3] {
    let of_group = |row: &Row| if row.group == CURVE { -POINTS } else { 0 };
    let same = |other: &&Row| other.authentication == row.authentication;
    // The first row of another group represents all, or else the only row.
    let other = rows.iter().filter(same).find(|other| other.group != CURVE).unwrap_or(row);
    let of_rest = other.difference() - of_group(other);
    [of_group(row), of_rest, row.difference() - of_group(row) - of_rest]
}

fn parts(rows: &[Row]) -> Table {
    let mut table = Table::new(
        "bytes-parts",
        "Where the difference comes from",
        &[
            "authentication",
            "group",
            "difference",
            "group ",
            "certificates, hellos, records",
            "lengths of signatures",
            "rest, ours",
            "certificates without keys and signatures",
            "ClientHello without share",
            "messages and alerts",
            "other messages, heads, tags",
        ],
    );
    for note in PARTS {
        table = table.note(*note);
    }
    for row in rows {
        let flights = row.flights;
        let hello = flights.hello - row.shares[0];
        let said = flights.messages + flights.alerts;
        let mut cells =
            vec![Cell::text(row.authentication), Cell::text(row.group), signed(row.difference())];
        cells.extend(sources(rows, row).map(signed));
        let other = row.rest() - row.certificates - hello - said;
        cells.extend([row.rest(), row.certificates, hello, said, other].map(Cell::Count));
        table.push(cells);
    }
    table
}

const PARTS: &[&str] = &[
    "In bytes. The three parts of a difference add up to it, and the four parts of our rest add up to that. No \
     difference depends on the group except with SECP256R1, where the published connections have four more points of \
     the curve. Differences by authentication are wolfSSL's: the other contents of its certificates (with RSA-2048 \
     some 1,300 bytes more than with Falcon), the extensions of its hellos, its records. Signatures of Falcon vary \
     in length; the first row of another group than SECP256R1 represents its authentication.",
    "Ours: certificates hold names, validity and extensions; a ClientHello without its share has its record, random \
     bytes, suite and extensions; messages and alerts are two records each; the others are ServerHello, \
     EncryptedExtensions, CertificateRequest, CertificateVerify, Finished, and heads and tags of records.",
];

const NOTES: &[&str] = &[
    "TCP payload of a connection with TLS_AES_256_GCM_SHA384 from first byte to last, counted on sockets: handshake, \
     `hello wolfssl!`, `I hear you fa shizzle!`, closing alerts; no tickets, as in the published figures.",
    "A total is shares + keys and signatures (those of the certificates and of the handshake) + rest; shares, keys and \
     signatures are the same in both, so that the totals differ by the rests. Our rest is what the flights show: names, \
     validity and extensions of certificates, extensions of the hellos, heads and tags of records. Of the published \
     rest only the sum is known; the next table has the parts of the difference.",
    "Signatures of Falcon vary in length by some bytes, so that its rows change a little in each run.",
    "The published totals of Dilithium are too small for keys and signatures of two sides: these are connections in \
     which only the server shows a certificate of Dilithium, and ours are measured likewise. With both sides, ours \
     take the bytes in the table of flights.",
];

/// Connections with today's algorithms, and the strongest of the appendix.
const OWN: &[(&str, &str)] = &[
    ("X25519MLKEM768", "ECDSA P-256"),
    ("X25519MLKEM768", "RSA 2048 bit"),
    ("X25519MLKEM768", "ML-DSA-44"),
    ("X25519MLKEM768", "ML-DSA-65"),
    ("X25519MLKEM768", "ML-DSA-87"),
    ("SecP256r1MLKEM768", "ML-DSA-65"),
    ("SecP384r1MLKEM1024", "ML-DSA-87"),
    ("MLKEM512", "ML-DSA-44"),
    ("MLKEM768", "ML-DSA-65"),
    ("MLKEM1024", "ML-DSA-87"),
    ("X25519MLKEM768", "SLH-DSA-SHA2-128s"),
    ("X25519MLKEM768", "SLH-DSA-SHA2-128f"),
    ("P256_KYBER_LEVEL1", "FALCON_LEVEL1"),
    ("P521_KYBER_LEVEL5", "FALCON_LEVEL5"),
    ("P256_KYBER_LEVEL1", "DILITHIUM_LEVEL2"),
    ("P384_KYBER_LEVEL3", "DILITHIUM_LEVEL3"),
    ("P521_KYBER_LEVEL5", "DILITHIUM_LEVEL5"),
];

/// Returns our own rows: flights as TCP carries them.
///
/// # Errors
/// If a connection fails.
pub fn flights(setup: &Setup) -> Result<Table> {
    let mut table = Table::new(
        "flights",
        "Flights of today's algorithms, both sides with certificates",
        &[
            "group",
            "authentication",
            "ClientHello",
            "segments",
            "ServerHello … Finished",
            "segments ",
            "Certificate … Finished",
            "segments  ",
            "tickets",
            "total",
            "round trips more",
        ],
    )
    .note(format!(
        "A segment has {SEGMENT} bytes. A sender may have {WINDOW} of them in flight before an acknowledgement, so a \
         longer flight takes more round trips. Tickets are the {TICKETS} that a server of rustls sends by default; the \
         total includes them, one message each way and the closing alerts.",
    ));
    for &(group, authentication) in OWN {
        let pki = certificates_of(authentication)?;
        let provider = setup.provider(group)?;
        let made = connection(&provider, pki, Shown::Both, TICKETS);
        let (flights, tickets) = made.with_context(|| format!("{authentication}, {group}"))?;
        let segments = |bytes: u64| Cell::Count(bytes.div_ceil(SEGMENT));
        let flight = [flights.hello, flights.server, flights.client];
        let more: u64 = flight.iter().map(|&bytes| round_trips(bytes) - 1).sum();
        table.push(vec![
            Cell::text(group),
            Cell::text(authentication),
            Cell::Count(flights.hello),
            segments(flights.hello),
            Cell::Count(flights.server),
            segments(flights.server),
            Cell::Count(flights.client),
            segments(flights.client),
            Cell::Count(tickets),
            Cell::Count(flights.total() + tickets),
            Cell::Count(more),
        ]);
    }
    Ok(table)
}

/// Returns how many windows a flight fills; they double with each round trip.
fn round_trips(bytes: u64) -> u64 {
    let (mut left, mut window, mut trips) = (bytes.div_ceil(SEGMENT), WINDOW, 1);
    while left > window {
        left -= window;
        window *= 2;
        trips += 1;
    }
    trips
}

/// Measures every published row and compares it with the recorded one: totals without the
/// signatures of the handshake, whose length varies with Falcon.
///
/// # Errors
/// If a total has changed.
pub fn check(setup: &Setup) -> Result<()> {
    let mut moved = String::new();
    let measured = recorded_form(setup)?;
    let recorded: Vec<_> = RECORDED.lines().filter(|line| !line.starts_with('#')).collect();
    let lines: Vec<_> = measured.lines().collect();
    ensure!(lines.len() == recorded.len(), "{} rows, recorded {}", lines.len(), recorded.len());
    for (measured, recorded) in lines.iter().zip(recorded).filter(|(a, b)| *a != b) {
        writeln!(moved, "  {measured}, recorded {recorded}")?;
    }
    ensure!(moved.is_empty(), "bytes on the wire have changed:\n{moved}");
    Ok(())
}

/// Returns the rows in the form of `data/our_bytes.csv`.
///
/// # Errors
/// If a connection fails.
pub fn recorded_form(setup: &Setup) -> Result<String> {
    let mut text = "authentication,group,bytes without signatures of the handshake\n".to_owned();
    for row in rows(setup)? {
        let bytes = row.flights.total() - row.flights.signatures;
        writeln!(text, "{},{},{bytes}", row.authentication, row.group)?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use oaklath_cli::testpki;

    use super::*;

    fn setup() -> Setup {
        crate::connections::setup(oaklath_tls::default_base(), Duration::ZERO)
    }

    #[test]
    fn no_total_has_moved() {
        check(&setup()).unwrap();
    }

    #[test]
    fn parts_add_up() {
        let rows = rows(&setup()).unwrap();
        assert_eq!(rows.len(), 49);
        for row in &rows {
            let [group, rest, lengths] = sources(&rows, row);
            assert_eq!(group + rest + lengths, row.difference(), "{}", row.group);
            let varies = row.authentication.starts_with("FALCON");
            assert!(lengths.abs() <= if varies { 40 } else { 0 }, "{}: {lengths}", row.group);
            assert!(rest < 0, "{}: {rest}", row.group);
        }
    }

    #[test]
    fn tickets_are_told_apart() {
        let provider = setup().provider("X25519MLKEM768").unwrap();
        let (flights, tickets) = connection(&provider, &testpki::P256, Shown::Server, 1).unwrap();
        let (others, none) = connection(&provider, &testpki::P256, Shown::Server, 0).unwrap();
        assert!(tickets > 50 && none == 0, "{tickets}, {none}");
        assert_eq!(flights.messages, others.messages);
        assert_eq!(others.alerts, 2 * 24);
    }

    #[test]
    fn windows() {
        for (bytes, trips) in [(0, 1), (14_480, 1), (14_481, 2), (43_440, 2), (43_441, 3)] {
            assert_eq!(round_trips(bytes), trips, "{bytes}");
        }
    }
}
