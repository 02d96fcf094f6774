//! Checks whether a PostgreSQL server is still the same one, and keeps what it confirms.

use postgres::{GenericClient, Row};

use super::row::{column, failed, unsigned};
use crate::error::StoreError;

/// The query for the state of a server. The timeline changes with each promotion and each recovery
/// to a point in time. No crash moves the position back. A running base backup is not a standby.
macro_rules! state {
    () => {
        "SELECT (SELECT system_identifier FROM pg_control_system()),
            CASE WHEN pg_is_in_recovery() THEN '' ELSE
                substr(pg_walfile_name(pg_current_wal_flush_lsn()), 1, 8) END,
            CASE WHEN pg_is_in_recovery() THEN 0 ELSE
                (pg_current_wal_flush_lsn() - '0/0')::bigint END,
            current_setting('transaction_read_only'),
            current_setting('fsync'), current_setting('full_page_writes'),
            current_setting('synchronous_commit'), current_setting('synchronous_standby_names'),
            (SELECT count(*) FROM pg_stat_replication
                WHERE state IS DISTINCT FROM 'backup' AND application_name <> 'pg_basebackup')"
    };
}

/// The number of columns that the query returns.
pub(super) const FIELDS: usize = 9;

/// The state of a server, as it reports it.
pub(super) struct ServerState {
    pub(super) cluster: i64,
    /// Eight hexadecimal digits; empty for a replica.
    pub(super) timeline: String,
    /// The position, in bytes, up to which the server's log is on disk.
    pub(super) position: u64,
    is_read_only: String,
    fsync: String,
    full_page_writes: String,
    synchronous_commit: String,
    synchronous_standby_names: String,
    standbys: i64,
}

impl ServerState {
    /// Queries a server.
    ///
    /// # Errors
    /// [`StoreError::NotDurable`] if the server may forget what it confirms; or the server's error.
    pub(super) fn read(
        client: &mut impl GenericClient,
        accepts_asynchronous: bool,
    ) -> Result<Self, StoreError> {
        let row = client.query_typed_one(state!(), &[]).map_err(|error| failed(&error))?;
        Self::from_row(&row, accepts_asynchronous)
    }

    /// Reads the state from the first columns of a row.
    ///
    /// # Errors
    /// Fails as [`read`](Self::read) does.
    pub(super) fn from_row(row: &Row, accepts_asynchronous: bool) -> Result<Self, StoreError> {
        let state = Self {
            cluster: column(row, 0)?,
            timeline: column(row, 1)?,
            position: unsigned(column(row, 2)?)?,
            is_read_only: column(row, 3)?,
            fsync: column(row, 4)?,
            full_page_writes: column(row, 5)?,
            synchronous_commit: column(row, 6)?,
            synchronous_standby_names: column(row, 7)?,
            standbys: column(row, 8)?,
        };
        match state.weakness(accepts_asynchronous) {
            None => Ok(state),
            Some(what) => Err(StoreError::NotDurable(what)),
        }
    }

    /// Returns why the server, or a standby that replaces it, may forget what it confirms.
    fn weakness(&self, accepts_asynchronous: bool) -> Option<String> {
        if self.timeline.is_empty() || self.is_read_only == "on" {
            return Some("it is a replica, or read-only".into());
        }
        for (setting, value) in [
            ("fsync", &self.fsync),
            ("full_page_writes", &self.full_page_writes),
            ("synchronous_commit", &self.synchronous_commit),
        ] {
            if value == "off" {
                return Some(format!("{setting} is {value}"));
            }
        }
        let commit = &*self.synchronous_commit;
        match () {
            () if accepts_asynchronous => None,
            () if ["local", "remote_write"].contains(&commit) => {
                Some(format!("synchronous_commit is {commit}"))
            }
            () if self.standbys > 0 && self.synchronous_standby_names.trim().is_empty() => Some(
                "it replicates, and synchronous_standby_names is empty: commits do not wait".into(),
            ),
            () => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn durable() -> ServerState {
        ServerState {
            cluster: 1,
            timeline: "00000001".into(),
            position: 1,
            is_read_only: "off".into(),
            fsync: "on".into(),
            full_page_writes: "on".into(),
            synchronous_commit: "on".into(),
            synchronous_standby_names: "FIRST 1 (b)".into(),
            standbys: 1,
        }
    }

    #[test]
    fn what_may_forget_is_not_used() {
        let alone = ServerState {
            standbys: 0,
            synchronous_standby_names: String::new(),
            synchronous_commit: "remote_apply".into(),
            ..durable()
        };
        for durable in [durable(), alone] {
            assert_eq!(durable.weakness(false), None);
        }
        let off = || "off".to_owned();
        for (weak, named) in [
            (ServerState { timeline: String::new(), ..durable() }, "replica"),
            (ServerState { is_read_only: "on".into(), ..durable() }, "read-only"),
            (ServerState { fsync: off(), ..durable() }, "fsync"),
            (ServerState { full_page_writes: off(), ..durable() }, "full_page_writes"),
            (ServerState { synchronous_commit: off(), ..durable() }, "synchronous_commit"),
        ] {
            for accepts in [false, true] {
                let what = weak.weakness(accepts).unwrap_or_default();
                assert!(what.contains(named), "{named}: {what}");
            }
        }
        for weak in [
            ServerState { synchronous_commit: "local".into(), ..durable() },
            ServerState { synchronous_commit: "remote_write".into(), ..durable() },
            ServerState { synchronous_standby_names: " ".into(), ..durable() },
        ] {
            assert!(weak.weakness(false).is_some_and(|what| what.contains("synchronous")));
            assert_eq!(weak.weakness(true), None, "a person accepts it");
        }
    }
}
