//! Leases from PostgreSQL: one row a key, moved by one statement a lease.

mod stream;

use std::ops::Range;
use std::time::Duration;

use oaklath_hash::sha2::sha256;
use postgres::config::SslMode;
use postgres::error::SqlState;
use postgres::{Client, Config, NoTls, Row};

use crate::error::StoreError;
use crate::key_id::KeyId;
use crate::shared::{Account, Ledger, Taken};
use crate::tls::Tls;
use crate::worker::Worker;
use stream::Connector;

const CREATE: &str = "
    INSERT INTO oaklath_indices (key, instance, epoch, next, past_end, unit)
    VALUES ($1, $2, 0, $3, $4, $5) ON CONFLICT DO NOTHING";

const READ: &str = "
    SELECT instance, epoch, next, past_end, unit,
        (SELECT system_identifier FROM pg_control_system()) AS cluster
    FROM oaklath_indices WHERE key = $1";

/// The old row is locked before it is read, so that two transactions follow one another.
const TAKE: &str = "
    WITH old AS (
        SELECT next FROM oaklath_indices
        WHERE key = $1 AND epoch = $2 AND next < past_end FOR UPDATE
    )
    UPDATE oaklath_indices AS new SET next = LEAST(new.past_end, old.next + $3)
    FROM old WHERE new.key = $1 RETURNING old.next, new.next";

const RAISE: &str = "
    UPDATE oaklath_indices SET epoch = epoch + 1, next = GREATEST(next, $3)
    WHERE key = $1 AND epoch = $2 AND $3 <= past_end";

const CHILDREN: &str = "SELECT children FROM oaklath_indices WHERE key = $1";

const REPLACE_CHILDREN: &str = "
    UPDATE oaklath_indices SET children = $4
    WHERE key = $1 AND epoch = $2 AND children = $3";

/// Limits on the server's side and on this one.
const STATEMENT_LIMIT: &str = "-c statement_timeout=20000 -c lock_timeout=15000";
const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// A PostgreSQL server as the [`Ledger`] of a [`SharedStore`](crate::SharedStore).
///
/// ```no_run
/// use oaklath_stores::{KeyId, Postgres, SharedStore, StoreError, Tls};
///
/// # fn open(tls: Tls, key: KeyId) -> Result<(), StoreError> {
/// let ledger = Postgres::connect("postgres://signer@db.example/keys", Some(&tls))?;
/// let store = SharedStore::at(ledger, "/var/lib/signer/firmware.mark").open(key)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Postgres {
    worker: Worker<Client>,
}

impl Postgres {
    /// The table, whose rows are never deleted. It is made for the first key where it is not there;
    /// a role that may only select, insert and update is enough where somebody else has made it.
    pub const TABLE: &str = "
    CREATE TABLE IF NOT EXISTS oaklath_indices (
        key bytea PRIMARY KEY,
        instance bytea NOT NULL,
        epoch bigint NOT NULL,
        next bigint NOT NULL,
        past_end bigint NOT NULL,
        unit bigint NOT NULL,
        children bytea NOT NULL DEFAULT '',
        CHECK (0 <= next AND next <= past_end AND unit > 0)
    )";

    /// Connects to the server of a URL or of a list `host=… user=…`, over TLS with authentication
    /// of the server; without TLS only where it says `sslmode=disable`, as for a socket on the same
    /// machine. The client runs on a thread of its own.
    ///
    /// # Errors
    /// [`StoreError::NotDurable`] if the server runs with `fsync`, `full_page_writes` or
    /// `synchronous_commit` off, or is a replica; [`StoreError::Database`] if it is not reached.
    pub fn connect(url: &str, tls: Option<&Tls>) -> Result<Self, StoreError> {
        let mut config: Config = url.parse().map_err(|error| failed(&error))?;
        config.connect_timeout(CONNECT_LIMIT).tcp_user_timeout(CONNECT_LIMIT);
        let options = [config.get_options().unwrap_or_default(), STATEMENT_LIMIT].join(" ");
        config.options(&options);
        if config.get_ssl_mode() == SslMode::Disable {
            let worker = Worker::start(move || prepared(config.connect(NoTls)))?;
            return Ok(Self { worker });
        }
        config.ssl_mode(SslMode::Require);
        let tls = tls.ok_or_else(|| StoreError::Database("TLS needs a root certificate".into()))?;
        let connector = Connector::new(tls).map_err(|error| failed(&error))?;
        let worker = Worker::start(move || prepared(config.connect(connector)))?;
        Ok(Self { worker })
    }
}

impl Ledger for Postgres {
    fn read(&mut self, key: KeyId) -> Result<Account, StoreError> {
        self.worker.ask(move |client| read(client, key))
    }

    fn create(&mut self, key: KeyId, indices: Range<u64>, unit: u64) -> Result<(), StoreError> {
        let mut instance = [0; 16];
        getrandom::fill(&mut instance)
            .map_err(|error| StoreError::Database(format!("no randomness: {error}")))?;
        let (start, end, unit) = (signed(indices.start)?, signed(indices.end)?, signed(unit)?);
        self.worker.ask(move |client| {
            let row: [&(dyn postgres::types::ToSql + Sync); 5] =
                [&&key.as_bytes()[..], &&instance[..], &start, &end, &unit];
            let created = match client.execute(CREATE, &row) {
                Err(error) if error.code() == Some(&SqlState::UNDEFINED_TABLE) => {
                    client.batch_execute(Self::TABLE).map_err(|error| failed(&error))?;
                    client.execute(CREATE, &row)
                }
                created => created,
            };
            match created.map_err(|error| failed(&error))? {
                0 => Err(StoreError::Exists),
                _ => Ok(()),
            }
        })
    }

    fn take(&mut self, key: KeyId, epoch: u64, count: u64) -> Result<Taken, StoreError> {
        let (epoch, count) = (signed(epoch)?, signed(count.min(1 << 62))?);
        self.worker.ask(move |client| take(client, key, epoch, count))
    }

    fn raise(&mut self, key: KeyId, epoch: u64, next: u64) -> Result<(), StoreError> {
        let (signed_epoch, next) = (signed(epoch)?, signed(next)?);
        self.worker.ask(move |client| {
            let changed = client
                .execute(RAISE, &[&&key.as_bytes()[..], &signed_epoch, &next])
                .map_err(|error| failed(&error))?;
            if changed == 1 {
                return Ok(());
            }
            let account = read(client, key)?;
            Err(if account.epoch == epoch {
                StoreError::OutOfRange { end: account.end, found: unsigned(next)? }
            } else {
                StoreError::Fenced { epoch: account.epoch }
            })
        })
    }

    fn children(&mut self, key: KeyId) -> Result<Vec<u8>, StoreError> {
        self.worker.ask(move |client| {
            let row = client.query_opt(CHILDREN, &[&&key.as_bytes()[..]]);
            column(&row.map_err(|error| failed(&error))?.ok_or(StoreError::Missing)?, 0)
        })
    }

    fn replace_children(
        &mut self,
        key: KeyId,
        epoch: u64,
        from: &[u8],
        to: &[u8],
    ) -> Result<bool, StoreError> {
        let (from, to, signed_epoch) = (from.to_vec(), to.to_vec(), signed(epoch)?);
        self.worker.ask(move |client| {
            let changed = client
                .execute(REPLACE_CHILDREN, &[&&key.as_bytes()[..], &signed_epoch, &from, &to])
                .map_err(|error| failed(&error))?;
            match read(client, key)?.epoch {
                found if found == epoch => Ok(changed == 1),
                found => Err(StoreError::Fenced { epoch: found }),
            }
        })
    }
}

/// A connection to a server that keeps what it confirms.
fn prepared(connected: Result<Client, postgres::Error>) -> Result<Client, StoreError> {
    let mut client = connected.map_err(|error| failed(&error))?;
    for (setting, wrong) in [
        ("fsync", "off"),
        ("full_page_writes", "off"),
        ("synchronous_commit", "off"),
        ("transaction_read_only", "on"),
    ] {
        let row = client.query_one("SELECT current_setting($1)", &[&setting]);
        let value: String = row.and_then(|row| row.try_get(0)).map_err(|error| failed(&error))?;
        if value == wrong {
            return Err(StoreError::NotDurable(format!("{setting} is {value}")));
        }
    }
    Ok(client)
}

fn read(client: &mut Client, key: KeyId) -> Result<Account, StoreError> {
    let row = match client.query_opt(READ, &[&&key.as_bytes()[..]]) {
        Err(error) if error.code() == Some(&SqlState::UNDEFINED_TABLE) => None,
        row => row.map_err(|error| failed(&error))?,
    };
    let row = row.ok_or(StoreError::Missing)?;
    let instance: Vec<u8> = column(&row, 0)?;
    let cluster: i64 = column(&row, 5)?;
    let name = [b"postgres", &cluster.to_be_bytes()[..], &instance].concat();
    Ok(Account {
        identity: sha256(&name),
        epoch: unsigned(column(&row, 1)?)?,
        revision: 0,
        next: unsigned(column(&row, 2)?)?,
        end: unsigned(column(&row, 3)?)?,
        unit: unsigned(column(&row, 4)?)?.max(1),
    })
}

/// The transaction has ended, durably, before its rows are believed.
fn take(client: &mut Client, key: KeyId, epoch: i64, count: i64) -> Result<Taken, StoreError> {
    let mut transaction = client.transaction().map_err(|error| failed(&error))?;
    let row = transaction.query_opt(TAKE, &[&&key.as_bytes()[..], &epoch, &count]);
    let row = row.map_err(|error| failed(&error))?;
    transaction.commit().map_err(|error| failed(&error))?;
    if let Some(row) = row {
        let (start, end) = (unsigned(column(&row, 0)?)?, unsigned(column(&row, 1)?)?);
        return Ok(Taken { start, end, revision: 0 });
    }
    let account = read(client, key)?;
    Err(if Ok(account.epoch) == u64::try_from(epoch) {
        StoreError::Exhausted
    } else {
        StoreError::Fenced { epoch: account.epoch }
    })
}

fn column<'a, T: postgres::types::FromSql<'a>>(row: &'a Row, at: usize) -> Result<T, StoreError> {
    row.try_get(at).map_err(|error| failed(&error))
}

/// PostgreSQL counts with signs; indices end below 2^63.
fn signed(number: u64) -> Result<i64, StoreError> {
    i64::try_from(number).map_err(|_| StoreError::OutOfRange { end: 1 << 63, found: number })
}

fn unsigned(number: i64) -> Result<u64, StoreError> {
    u64::try_from(number).map_err(|_| StoreError::Corrupt("the database has a negative number"))
}

/// An error with its causes: the client's own words are only "db error".
fn failed(error: &dyn std::error::Error) -> StoreError {
    let causes = std::iter::successors(Some(error), |error| error.source());
    StoreError::Database(causes.map(ToString::to_string).collect::<Vec<_>>().join(": "))
}
