//! Leases from PostgreSQL: one row per key and one per machine, updated by one transaction per
//! lease.

mod row;
#[macro_use]
mod server;
mod stream;

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use oaklath_hash::sha2::sha256;
use postgres::config::{Host, SslMode};
use postgres::error::{Severity, SqlState};
use postgres::types::{ToSql, Type};
use postgres::{Client, Config, GenericClient, IsolationLevel, NoTls};

use crate::error::StoreError;
use crate::key_id::KeyId;
use crate::password::{Password, in_passfile};
use crate::shared::{Account, Change, Ledger, Machine};
use crate::tls::Tls;
use crate::worker::Worker;
use row::{column, failed, signed, unsigned};
use server::{FIELDS, ServerState};
use stream::Connector;

/// Reads the row. A row that a signer wrote names the transaction in which PostgreSQL wrote it; a
/// row that was restored from a dump, replicated logically or changed by hand does not.
const READ: &str = concat!(
    "SELECT server.*, instance, epoch, next, past_end, unit, timeline, children,
        writer & 4294967295 = indices.xmin::text::bigint,
        COALESCE((SELECT turn FROM oaklath_machines WHERE key = $1 AND machine = $2), 0)
    FROM oaklath_indices AS indices CROSS JOIN (",
    state!(),
    ") AS server WHERE key = $1"
);

/// Keeps other transactions from writing the row until this one ends.
const LOCK: &str = " FOR UPDATE OF indices";

const CREATE: &str = "
    INSERT INTO oaklath_indices (key, instance, epoch, next, past_end, unit, timeline, writer)
    VALUES ($1, $2, 0, $3, $4, $5, $6, txid_current()) ON CONFLICT DO NOTHING";

/// Advances the row, unless another signer with a copy of the mark has already taken this turn.
const UPDATE: &str = "
    WITH mine AS (
        INSERT INTO oaklath_machines AS machines (key, machine, turn) VALUES ($1, $2, $4)
        ON CONFLICT (key, machine) DO UPDATE SET turn = $4 WHERE machines.turn = $3
        RETURNING turn
    )
    UPDATE oaklath_indices
    SET epoch = $5, next = $6, children = $7, timeline = $8, writer = txid_current()
    WHERE key = $1 AND EXISTS (SELECT FROM mine)";

/// Settings of a session, which outrank those of the server and of the role: time limits in
/// milliseconds, and that warnings are sent.
const SETTINGS: &str =
    "-c statement_timeout=20000 -c lock_timeout=15000 -c client_min_messages=warning";
const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// A PostgreSQL server as the [`Ledger`] of a [`SharedStore`](crate::SharedStore).
///
/// Whether the server is still the same one, and keeps what it confirms, is checked again in the
/// transaction of each lease, so a connection pooler may switch connections between
/// transactions.
///
/// ```no_run
/// use oaklath_stores::{KeyId, Password, Postgres, SharedStore, StoreError, Tls};
///
/// # fn open(tls: Tls, password: Password, key: KeyId) -> Result<(), StoreError> {
/// let server = Postgres::at("postgres://signer@db.example/keys").tls(tls).password(password);
/// let store = SharedStore::at(server.connect()?, "/var/lib/signer/firmware.mark").open(key)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Postgres {
    worker: Worker<Session>,
}

/// Options for connecting to a [`Postgres`].
#[derive(Debug)]
pub struct PostgresOptions {
    url: String,
    tls: Option<Tls>,
    password: Option<Password>,
    passfile: Option<PathBuf>,
    accepts_asynchronous: bool,
}

/// A connection.
struct Session {
    client: Client,
    accepts_asynchronous: bool,
    /// Whether the server has sent a warning since this was last cleared: a commit whose wait for
    /// a standby is interrupted succeeds with a warning.
    is_warned: Arc<AtomicBool>,
}

impl Postgres {
    /// The tables, whose rows are never deleted. They are created with the first key if they do not
    /// exist. A role that creates keys needs `SELECT` and `INSERT` on both and `UPDATE` on their
    /// columns `epoch`, `next`, `children`, `timeline`, `writer` and `turn`; a role that only signs
    /// needs the same, except for `INSERT` on `oaklath_indices`.
    pub const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS oaklath_indices (
        key bytea PRIMARY KEY,
        instance bytea NOT NULL,
        epoch bigint NOT NULL,
        next bigint NOT NULL,
        past_end bigint NOT NULL,
        unit bigint NOT NULL,
        children bytea NOT NULL DEFAULT '',
        timeline text NOT NULL,
        writer bigint NOT NULL,
        CHECK (0 <= next AND next <= past_end AND unit > 0)
    );
    CREATE TABLE IF NOT EXISTS oaklath_machines (
        key bytea,
        machine bytea,
        turn bigint NOT NULL,
        PRIMARY KEY (key, machine)
    )";

    /// Returns options for the server at a URL or a list `host=… user=…`, without a password.
    pub fn at(url: impl Into<String>) -> PostgresOptions {
        PostgresOptions {
            url: url.into(),
            tls: None,
            password: None,
            passfile: None,
            accepts_asynchronous: false,
        }
    }
}

impl PostgresOptions {
    /// Sets how the server is authenticated over TLS. Without TLS, the address must contain
    /// `sslmode=disable`, as for a socket on the same machine.
    #[must_use]
    pub fn tls(mut self, tls: Tls) -> Self {
        self.tls = Some(tls);
        self
    }

    /// Sets the password.
    #[must_use]
    pub fn password(mut self, password: Password) -> Self {
        self.password = Some(password);
        self
    }

    /// Sets a file in libpq's format (`~/.pgpass`), in which the password is looked up for the
    /// first host of the address if no password is set. As with libpq, an address without a user
    /// means the user of this process, and one without a database that of the user's name.
    #[must_use]
    pub fn passfile(mut self, path: impl Into<PathBuf>) -> Self {
        self.passfile = Some(path.into());
        self
    }

    /// Accepts a server whose commits may be lost when a standby replaces it. A promotion is still
    /// noticed, and stops all signers.
    #[must_use]
    pub fn accept_asynchronous(mut self) -> Self {
        self.accepts_asynchronous = true;
        self
    }

    /// Connects. The client runs on a thread of its own.
    ///
    /// # Errors
    /// [`StoreError::NotDurable`] if the server is a replica, runs with `fsync`, `full_page_writes`
    /// or `synchronous_commit` off, or, unless this is accepted, confirms commits that its standbys
    /// do not have yet: `synchronous_commit` is `local` or `remote_write`, or a standby is
    /// connected and `synchronous_standby_names` is empty. [`StoreError::PasswordInAddress`],
    /// [`StoreError::Io`] if the password file cannot be read, and [`StoreError::Database`] if the
    /// server cannot be reached.
    pub fn connect(self) -> Result<Postgres, StoreError> {
        let mut config: Config = self.url.parse().map_err(|error| failed(&error))?;
        if config.get_password().is_some() {
            return Err(StoreError::PasswordInAddress);
        }
        let password = match (self.password, &self.passfile) {
            (None, Some(path)) => in_passfile(path, address(&config)?)?,
            (password, _) => password,
        };
        if let Some(password) = &password {
            config.password(password.reveal());
        }
        config.connect_timeout(CONNECT_LIMIT).tcp_user_timeout(CONNECT_LIMIT);
        let options = [config.get_options().unwrap_or_default(), SETTINGS].join(" ");
        config.options(&options);
        let is_warned = Arc::new(AtomicBool::new(false));
        let (flag, accepts_asynchronous) = (Arc::clone(&is_warned), self.accepts_asynchronous);
        config.notice_callback(move |notice| {
            flag.fetch_or(notice.parsed_severity() == Some(Severity::Warning), Relaxed);
        });
        let session = move |client: Result<Client, postgres::Error>| {
            let client = client.map_err(|error| failed(&error))?;
            Session { client, accepts_asynchronous, is_warned }.checked()
        };
        if config.get_ssl_mode() == SslMode::Disable {
            let worker = Worker::start(move || session(config.connect(NoTls)))?;
            return Ok(Postgres { worker });
        }
        config.ssl_mode(SslMode::Require);
        let tls = self.tls.ok_or_else(|| StoreError::Database("TLS needs a root".into()))?;
        let connector = Connector::new(&tls).map_err(|error| failed(&error))?;
        let worker = Worker::start(move || session(config.connect(connector)))?;
        Ok(Postgres { worker })
    }
}

impl Ledger for Postgres {
    fn read(&mut self, key: KeyId, machine: Machine) -> Result<Account, StoreError> {
        self.worker.ask(move |session| {
            let accepts = session.accepts_asynchronous;
            read(&mut session.client, READ, accepts, key, machine).map(|(_, account)| account)
        })
    }

    fn create(&mut self, key: KeyId, indices: Range<u64>, unit: u64) -> Result<(), StoreError> {
        let mut instance = [0; 16];
        getrandom::fill(&mut instance)
            .map_err(|error| StoreError::Database(format!("no randomness: {error}")))?;
        let (start, end, unit) = (signed(indices.start)?, signed(indices.end)?, signed(unit)?);
        self.worker.ask(move |session| {
            let server = session.server()?;
            let client = &mut session.client;
            let row: [(&(dyn ToSql + Sync), Type); 6] = [
                (&&key.as_bytes()[..], Type::BYTEA),
                (&&instance[..], Type::BYTEA),
                (&start, Type::INT8),
                (&end, Type::INT8),
                (&unit, Type::INT8),
                (&server.timeline, Type::TEXT),
            ];
            session.is_warned.store(false, Relaxed);
            let created = match client.execute_typed(CREATE, &row) {
                Err(error) if error.code() == Some(&SqlState::UNDEFINED_TABLE) => {
                    client.batch_execute(Self::TABLES).map_err(|error| failed(&error))?;
                    client.execute_typed(CREATE, &row)
                }
                created => created,
            };
            match created.map_err(|error| failed(&error))? {
                0 => Err(StoreError::Exists),
                _ => session.confirm(),
            }
        })
    }

    fn update(
        &mut self,
        key: KeyId,
        machine: Machine,
        change: Change,
    ) -> Result<[Account; 2], StoreError> {
        self.worker.ask(move |session| session.update(key, machine, &change))
    }
}

impl Session {
    /// Returns this connection if its server keeps what it confirms.
    fn checked(mut self) -> Result<Self, StoreError> {
        self.server().map(|_| self)
    }

    fn server(&mut self) -> Result<ServerState, StoreError> {
        ServerState::read(&mut self.client, self.accepts_asynchronous)
    }

    /// Updates an account; the transaction is durable before its result is returned.
    fn update(
        &mut self,
        key: KeyId,
        machine: Machine,
        change: &Change,
    ) -> Result<[Account; 2], StoreError> {
        let begun = self.client.build_transaction().isolation_level(IsolationLevel::ReadCommitted);
        let mut transaction = begun.start().map_err(|error| failed(&error))?;
        let (query, accepts) = ([READ, LOCK].concat(), self.accepts_asynchronous);
        let (server, before) = read(&mut transaction, &query, accepts, key, machine)?;
        let after = change(&before)?;
        if after == before {
            return Ok([before, after]);
        }
        let after = Account { restored: None, ..after };
        let (from, to) = (signed(before.turn)?, signed(after.turn)?);
        let (epoch, next) = (signed(after.epoch)?, signed(after.next)?);
        let row: [(&(dyn ToSql + Sync), Type); 8] = [
            (&&key.as_bytes()[..], Type::BYTEA),
            (&&machine[..], Type::BYTEA),
            (&from, Type::INT8),
            (&to, Type::INT8),
            (&epoch, Type::INT8),
            (&next, Type::INT8),
            (&after.children, Type::BYTEA),
            (&server.timeline, Type::TEXT),
        ];
        let changed = transaction.execute_typed(UPDATE, &row).map_err(|error| failed(&error))?;
        if changed != 1 {
            return Err(StoreError::Restored("another signer has a copy of the mark"));
        }
        // Warnings of the login, of triggers and the like say nothing about the commit.
        self.is_warned.store(false, Relaxed);
        transaction.commit().map_err(|error| failed(&error))?;
        self.confirm()?;
        Ok([before, after])
    }

    /// Checks that the commit did not skip waiting for a standby.
    fn confirm(&self) -> Result<(), StoreError> {
        if self.is_warned.load(Relaxed) && !self.accepts_asynchronous {
            return Err(StoreError::NotDurable("a commit did not wait for a standby".into()));
        }
        Ok(())
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

/// Reads the state of the server and the account of a key.
fn read(
    client: &mut impl GenericClient,
    query: &str,
    accepts_asynchronous: bool,
    key: KeyId,
    machine: Machine,
) -> Result<(ServerState, Account), StoreError> {
    let names: [(&(dyn ToSql + Sync), Type); 2] =
        [(&&key.as_bytes()[..], Type::BYTEA), (&&machine[..], Type::BYTEA)];
    let row = match client.query_typed_opt(query, &names) {
        Err(error) if error.code() == Some(&SqlState::UNDEFINED_TABLE) => None,
        row => row.map_err(|error| failed(&error))?,
    };
    let row = row.ok_or(StoreError::Missing)?;
    let server = ServerState::from_row(&row, accepts_asynchronous)?;
    let instance: Vec<u8> = column(&row, FIELDS)?;
    let name = [b"postgres", &server.cluster.to_be_bytes()[..], &instance].concat();
    let number = |at| column(&row, FIELDS + at).and_then(unsigned);
    let (timeline, is_genuine) =
        (column::<String>(&row, FIELDS + 5)?, column::<bool>(&row, FIELDS + 7)?);
    let restored = match () {
        () if timeline != server.timeline => {
            Some("a standby took the server's place, or it was restored to an earlier time")
        }
        () if !is_genuine => Some("the row was restored from a dump, or changed by hand"),
        () => None,
    };
    let account = Account {
        identity: sha256(&name),
        epoch: number(1)?,
        revision: server.position,
        next: number(2)?,
        end: number(3)?,
        unit: number(4)?.max(1),
        turn: number(8)?,
        children: column(&row, FIELDS + 6)?,
        restored,
    };
    Ok((server, account))
}

/// Returns host, port, database and user of an address, as they appear in a password file. The
/// client library finds the same user.
fn address(config: &Config) -> Result<[String; 4], StoreError> {
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(name)) => name,
        _ => "localhost",
    };
    let port = config.get_ports().first().unwrap_or(&5432);
    let user = config.get_user().map_or_else(whoami::username, |user| Ok(user.to_owned()));
    let user = user.map_err(|error| failed(&error))?;
    let database = config.get_dbname().unwrap_or(&user).to_owned();
    Ok([host.to_owned(), port.to_string(), database, user])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_in_an_address_is_rejected_and_not_printed() {
        for url in [
            "postgres://signer:secret@localhost/keys",
            "postgres://localhost/keys?password=secret",
            "host=localhost password=secret",
        ] {
            let rejected = Postgres::at(url).connect();
            assert!(matches!(rejected, Err(StoreError::PasswordInAddress)), "{url}");
        }
    }

    #[test]
    fn a_file_of_passwords_is_asked_for_the_address() {
        let named = |url: &str| address(&url.parse().unwrap()).unwrap().join(" ");
        assert_eq!(named("postgres://signer@db.example/keys"), "db.example 5432 keys signer");
        assert_eq!(named("host=db.example port=7 user=signer"), "db.example 7 signer signer");
        assert_eq!(named("host=/run/postgresql user=a dbname=b"), "localhost 5432 b a");
        let user = whoami::username().unwrap();
        assert_eq!(named("postgres://db.example"), format!("db.example 5432 {user} {user}"));
        assert_eq!(named("host=db.example dbname=b"), format!("db.example 5432 b {user}"));
    }
}
