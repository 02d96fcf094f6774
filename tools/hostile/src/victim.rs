//! The attacked side: a connection of rustls with our provider, in memory. Everything that it puts
//! on the wire is read as a peer would read it, whatever keys it has derived.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use oaklath_measure::count_allocations;
use rustls::{ClientConnection, Connection, Error, KeyLog, ServerConnection};

use crate::outcome::Outcome;
use crate::schedule::Traffic;
use crate::target::Target;
use crate::wire::{
    ALERT, APPLICATION_DATA, HANDSHAKE, MESSAGE_HEADER, RECORD_HEADER, record_bounds,
};

/// The level of an alert that ends a connection: RFC 8446, section 6.
const FATAL: u8 = 2;

/// The role of a victim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Client,
    Server,
}

impl Role {
    pub(crate) fn other(self) -> Self {
        match self {
            Self::Client => Self::Server,
            Self::Server => Self::Client,
        }
    }

    /// Returns the name of the role in the protocol.
    pub(crate) fn side(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
        }
    }
}

/// The secrets that a victim logs, with which its records are opened: its keys may differ from the
/// attacker's.
#[derive(Debug, Default)]
struct Secrets(Mutex<BTreeMap<String, Vec<u8>>>);

impl KeyLog for Secrets {
    fn log(&self, label: &str, _: &[u8], secret: &[u8]) {
        if let Ok(mut all) = self.0.lock() {
            all.insert(label.to_owned(), secret.to_vec());
        }
    }
}

impl Secrets {
    fn traffic(&self, label: &str) -> Option<Traffic> {
        self.0.lock().ok()?.get(label).map(|secret| Traffic::new(secret))
    }
}

/// A connection under attack.
pub(crate) struct Victim {
    conn: Connection,
    role: Role,
    secrets: Arc<Secrets>,
    /// Bytes on the wire that are not yet a whole record.
    wire: Vec<u8>,
    /// The key of its records, and whether that key is for application data.
    traffic: Option<Traffic>,
    application: bool,
    /// Handshake bytes that are not yet a whole message.
    partial: Vec<u8>,
    messages: Vec<Vec<u8>>,
    read: usize,
    alerts: Vec<Vec<u8>>,
    /// Whether it panicked, and its error.
    panicked: bool,
    pub(crate) error: Option<Error>,
    /// The time and the peak memory, in bytes, that its work has cost so far.
    pub(crate) time: Duration,
    pub(crate) peak: usize,
}

impl Victim {
    /// Makes a victim of either role.
    pub(crate) fn of(role: Role, target: &Target) -> Self {
        match role {
            Role::Client => Self::client(target),
            Role::Server => Self::server(target),
        }
    }

    /// Makes a server that waits for a `ClientHello`.
    pub(crate) fn server(target: &Target) -> Self {
        Self::new(Role::Server, |secrets| {
            let mut config = (*target.server).clone();
            config.key_log = secrets;
            let server = ServerConnection::new(Arc::new(config));
            server.expect("a server's configuration").into()
        })
    }

    /// Makes a client that has sent its `ClientHello` with a share of the group.
    pub(crate) fn client(target: &Target) -> Self {
        Self::client_with(&target.client)
    }

    /// Makes a client that supports the group and has sent a share of another one.
    pub(crate) fn client_of_another_group(target: &Target) -> Self {
        Self::client_with(&target.retried_client)
    }

    fn client_with(config: &rustls::ClientConfig) -> Self {
        Self::new(Role::Client, |secrets| {
            let mut config = config.clone();
            config.key_log = secrets;
            let name = "localhost".try_into().expect("a name");
            let client = ClientConnection::new(Arc::new(config), name);
            client.expect("a client's configuration").into()
        })
    }

    fn new(role: Role, connect: impl FnOnce(Arc<Secrets>) -> Connection) -> Self {
        let secrets = Arc::new(Secrets::default());
        let start = Instant::now();
        let (conn, memory) = count_allocations(|| connect(secrets.clone()));
        let mut victim = Self {
            conn,
            role,
            secrets,
            wire: Vec::new(),
            traffic: None,
            application: false,
            partial: Vec::new(),
            messages: Vec::new(),
            read: 0,
            alerts: Vec::new(),
            panicked: false,
            error: None,
            time: start.elapsed(),
            peak: memory.peak,
        };
        victim.listen();
        victim
    }

    /// Gives it bytes, unless it has ended already.
    pub(crate) fn hear(&mut self, bytes: &[u8]) {
        if self.has_ended() {
            return;
        }
        let (conn, start) = (&mut self.conn, Instant::now());
        let ((result, wire), memory) = count_allocations(|| {
            let result = catch_unwind(AssertUnwindSafe(|| feed(conn, bytes)));
            let mut wire = Vec::new();
            while conn.wants_write() {
                conn.write_tls(&mut wire).expect("memory takes all");
            }
            (result, wire)
        });
        self.time += start.elapsed();
        self.peak = self.peak.max(memory.peak);
        match result {
            Ok(result) => self.error = result.err(),
            Err(_) => self.panicked = true,
        }
        self.wire.extend_from_slice(&wire);
        self.listen();
    }

    /// Reports whether it has given up.
    pub(crate) fn has_ended(&self) -> bool {
        self.panicked || self.error.is_some()
    }

    /// Returns the next handshake message that it sent.
    pub(crate) fn next_message(&mut self) -> Option<Vec<u8>> {
        let message = self.messages.get(self.read)?.clone();
        self.read += 1;
        Some(message)
    }

    /// Returns its state after all that it has heard. An alert must be the only one, fatal, and its
    /// last record.
    pub(crate) fn outcome(&self) -> Outcome {
        match (&*self.alerts, &self.error) {
            _ if self.panicked => Outcome::Panicked,
            ([], None) if self.conn.is_handshaking() => Outcome::Waits,
            ([], None) => Outcome::Connected,
            ([], Some(_)) => Outcome::Closes,
            ([alert], Some(_)) if alert.len() == 2 && alert[0] == FATAL => Outcome::Alert(alert[1]),
            _ => Outcome::Babbles,
        }
    }

    /// Reads what it has put on the wire.
    fn listen(&mut self) {
        while self.conn.wants_write() {
            self.conn.write_tls(&mut self.wire).expect("memory takes all");
        }
        let wire = std::mem::take(&mut self.wire);
        let bounds = record_bounds(&wire);
        let end = bounds.last().map_or(0, |(_, end)| *end);
        for (start, end) in bounds {
            let record = &wire[start..end];
            let (kind, content) = match record[0] {
                APPLICATION_DATA => self.open(record),
                kind => (kind, record[RECORD_HEADER..].to_vec()),
            };
            match kind {
                HANDSHAKE => self.assemble(&content),
                ALERT => self.alerts.push(content),
                _ => {}
            }
        }
        self.wire = wire[end..].to_vec();
    }

    /// Opens a protected record with the keys of its handshake, then with those of its application
    /// data.
    fn open(&mut self, record: &[u8]) -> (u8, Vec<u8>) {
        let side = self.role.side().to_uppercase();
        if self.traffic.is_none() {
            self.traffic = self.secrets.traffic(&format!("{side}_HANDSHAKE_TRAFFIC_SECRET"));
        }
        let opened = self.traffic.as_mut().and_then(|traffic| traffic.open(record));
        opened.unwrap_or_else(|| {
            assert!(!self.application, "a record under unknown keys");
            self.application = true;
            self.traffic = self.secrets.traffic(&format!("{side}_TRAFFIC_SECRET_0"));
            let opened = self.traffic.as_mut().and_then(|traffic| traffic.open(record));
            opened.expect("a record under known keys")
        })
    }

    fn assemble(&mut self, bytes: &[u8]) {
        self.partial.extend_from_slice(bytes);
        while let Some(&[_, high, middle, low]) = self.partial.first_chunk::<MESSAGE_HEADER>() {
            let len = MESSAGE_HEADER + u32::from_be_bytes([0, high, middle, low]) as usize;
            if self.partial.len() < len {
                break;
            }
            self.messages.push(self.partial.drain(..len).collect());
        }
    }
}

/// Hands bytes over as a socket would, and discards what is decrypted.
fn feed(conn: &mut Connection, mut bytes: &[u8]) -> Result<(), Error> {
    let mut plain = [0; 4096];
    while !bytes.is_empty() {
        conn.read_tls(&mut bytes).map_err(|error| Error::General(error.to_string()))?;
        let state = conn.process_new_packets()?;
        let mut rest = state.plaintext_bytes_to_read();
        while rest > 0 {
            let read = std::io::Read::read(&mut conn.reader(), &mut plain);
            rest -= read.map_err(|error| Error::General(error.to_string()))?;
        }
    }
    Ok(())
}
