//! The errors of stores.

use std::{fmt, io};

/// The reason why a store issues no index. Only [`Busy`](Self::Busy) can be resolved by trying
/// again on the same handle.
#[derive(Debug)]
#[non_exhaustive]
pub enum StoreError {
    /// Every index of this store is used up.
    Exhausted,
    /// Another process, or another handle of this one, has the store open.
    Busy,
    /// A write, a sync or an answer failed earlier, so this handle does not know what is durable
    /// and issues nothing more. Opening the store again finds out.
    Poisoned,
    /// The handle belongs to another process, of which this one is a forked child.
    Forked {
        /// The process that opened the store.
        owner: u32,
    },
    /// The state is older than its anchor or mark shows: a backup or a database was restored, or a
    /// machine was copied. Only a person can say which index is the first unused one.
    RolledBack {
        /// The first unused index according to the anchor or mark.
        known: u64,
        /// The first unused index according to the state.
        found: u64,
    },
    /// The database is not as a signer left it: it was restored, failed over or was changed by
    /// hand. Only a person can say which index is the first unused one.
    Restored(&'static str),
    /// A person has declared the database valid again since this handle was opened. Opening the
    /// store again reads the new epoch.
    Fenced {
        /// The epoch that has begun.
        epoch: u64,
    },
    /// The state belongs to another key, another instance of the store or another database.
    Foreign(&'static str),
    /// No record of the state is intact, or its records contradict each other.
    Corrupt(&'static str),
    /// There is no state; only key generation creates one.
    Missing,
    /// The state is guarded by an anchor that was not given or does not exist.
    AnchorMissing,
    /// The state was last written on another machine or in another file: it was copied or moved.
    /// Only a person can say that nothing else signs with it.
    Copied,
    /// The state was changed while this handle had it open, or another file is in its place. The
    /// handle issues nothing more.
    Replaced(&'static str),
    /// The state cannot be kept safely where it is.
    Unsafe(&'static str),
    /// There is a state already, and creation does not replace it.
    Exists,
    /// The index is beyond the range of the store.
    OutOfRange {
        /// The first index after the range.
        end: u64,
        /// The index that was requested.
        found: u64,
    },
    /// The address of the database contains a password, which other users may read in the process
    /// list.
    PasswordInAddress,
    /// The database does not guarantee that what it confirms is durable.
    NotDurable(String),
    /// A one-time key of an upper level would sign a second message: a cache, the key or the state
    /// is damaged.
    ChildChanged {
        /// The level of the one-time key, counted from 0 at the bottom.
        level: u32,
    },
    /// The medium failed with an error of the operating system.
    Io {
        /// The operation that failed, to follow the word "cannot".
        doing: &'static str,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The database failed or could not be reached.
    Database(String),
}

impl StoreError {
    /// Reports whether the store itself forbids signing in its current condition: damaged, rolled
    /// back, used up, or in use by another signer. The other errors come from the environment.
    ///
    /// ```
    /// use oaklath_stores::StoreError;
    /// assert!(StoreError::Missing.is_refusal());
    /// assert!(!StoreError::Database("connection refused".into()).is_refusal());
    /// ```
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        !matches!(
            self,
            Self::Io { .. } | Self::Database(_) | Self::PasswordInAddress | Self::Exists
        )
    }

    /// Returns a function for `map_err` that wraps an error of the medium together with the
    /// operation, or unwraps the [`StoreError`] that the error carries.
    pub(crate) fn io(doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |error| error.downcast().unwrap_or_else(|error| Self::Io { doing, error })
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exhausted => f.write_str("every index of the key is used"),
            Self::Busy => f.write_str("the key's state is in use by another signer"),
            Self::Poisoned => f.write_str("an earlier failure has stopped this signer"),
            Self::Forked { owner } => {
                write!(f, "the key's state was opened by process {owner}, and this is its child")
            }
            Self::RolledBack { known, found } => {
                write!(
                    f,
                    "the state is rolled back: expected index {known} or above, found {found}"
                )
            }
            Self::Restored(what) => write!(f, "the database is not as a signer left it: {what}"),
            Self::Fenced { epoch } => write!(f, "the database is in epoch {epoch} now"),
            Self::Foreign(what) => write!(f, "the state belongs to {what}"),
            Self::Corrupt(what) => write!(f, "the state is damaged: {what}"),
            Self::Missing => f.write_str("the key has no state"),
            Self::AnchorMissing => f.write_str("the anchor that guards the state is missing"),
            Self::Copied => {
                f.write_str("the state was copied or moved: it belongs to another machine or file")
            }
            Self::Replaced(what) => write!(f, "the state was changed by another: {what}"),
            Self::Unsafe(what) => write!(f, "the state is not safe where it is: {what}"),
            Self::Exists => f.write_str("there is a state already"),
            Self::OutOfRange { end, found } => {
                write!(f, "expected an index below {end}, found {found}")
            }
            Self::PasswordInAddress => f.write_str("the address has a password in it"),
            Self::NotDurable(what) => write!(f, "the database may forget what it confirms: {what}"),
            Self::ChildChanged { level } => {
                write!(f, "a one-time key of level {level} would sign a second message")
            }
            Self::Io { doing, error } => write!(f, "cannot {doing}: {error}"),
            Self::Database(what) => write!(f, "the database: {what}"),
        }
    }
}

impl std::error::Error for StoreError {}

impl From<StoreError> for io::Error {
    fn from(error: StoreError) -> Self {
        Self::other(error)
    }
}
