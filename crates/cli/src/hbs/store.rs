//! Where indices are counted: `file:PATH`, `postgres://…`, `etcd://…`.

use std::ffi::OsString;
use std::num::NonZeroU64;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Result, anyhow};
use oaklath_stores::{
    FileAnchor, FileOptions, FileStore, KeyId, SharedOptions, SharedStore, Status, Store,
    StoreError,
};

use super::database::DatabaseArgs;
use crate::failure::{usage, with_hint};

/// The options of every command that needs the state of a key.
#[derive(Debug, Default, clap::Args)]
pub(super) struct StoreArgs {
    /// Where one-time keys are counted: `file:PATH`, `postgres://…` or
    /// `etcd://…` [default: the secret key's file with `.state`]
    #[arg(long, value_name = "STORE")]
    pub(super) store: Option<StoreName>,
    /// A second memory, on another disk, which notices old copies of a state
    #[arg(long, value_name = "FILE")]
    anchor: Option<PathBuf>,
    /// What this machine remembers of a database [default: the secret key's
    /// file with `.mark`]
    #[arg(long, value_name = "FILE")]
    mark: Option<PathBuf>,
    #[command(flatten)]
    database: DatabaseArgs,
}

/// A store by its name on the command line.
#[derive(Clone, Debug)]
pub(super) enum StoreName {
    File(PathBuf),
    Postgres(String),
    Etcd(String),
}

impl FromStr for StoreName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name.split_once(':') {
            Some(("file", path)) if !path.is_empty() => Ok(Self::File(path.into())),
            Some(("postgres" | "postgresql", _)) => Ok(Self::Postgres(name.to_owned())),
            Some(("etcd", rest)) => Ok(Self::Etcd(rest.trim_start_matches('/').to_owned())),
            _ => Err("expected file:PATH, postgres://… or etcd://…".into()),
        }
    }
}

/// A store that is not open yet.
pub(super) enum Place {
    File(FileOptions),
    Shared(SharedOptions),
}

impl StoreArgs {
    /// The store of the secret key in this file, with leases of up to `largest`.
    pub(super) fn place(&self, secret: &Path, largest: NonZeroU64) -> Result<Place> {
        let anchor = self.anchor.as_ref().map(FileAnchor::new);
        let ledger = match &self.store {
            None => return Ok(file(&beside(secret, ".state"), largest, anchor)),
            Some(StoreName::File(path)) => return Ok(file(path, largest, anchor)),
            Some(StoreName::Postgres(url)) => self.database.postgres(url).map_err(refused)?,
            Some(StoreName::Etcd(address)) => self.database.etcd(address).map_err(refused)?,
        };
        let mark = self.mark.clone().unwrap_or_else(|| beside(secret, ".mark"));
        let options = SharedStore::at(ledger, mark);
        Ok(Place::Shared(match anchor {
            Some(anchor) => options.anchor(anchor),
            None => options,
        }))
    }
}

impl Place {
    pub(super) fn create(
        self,
        key: KeyId,
        indices: Range<u64>,
        tree: u64,
    ) -> Result<Box<dyn Store>, StoreError> {
        let unit = if tree == indices.end { NonZeroU64::MIN } else { at_least_one(tree) };
        Ok(match self {
            Self::File(options) => Box::new(options.create(key, indices)?),
            Self::Shared(options) => Box::new(options.create(key, indices, unit)?),
        })
    }

    pub(super) fn open(self, key: KeyId) -> Result<Box<dyn Store>, StoreError> {
        Ok(match self {
            Self::File(options) => Box::new(options.open(key)?),
            Self::Shared(options) => Box::new(options.open(key)?),
        })
    }

    /// What there is to know without disturbing a signer.
    pub(super) fn status(self, key: KeyId) -> Result<Status, StoreError> {
        match self {
            Self::File(options) => options.peek(key),
            Self::Shared(options) => options.open(key)?.status(),
        }
    }

    /// By a person's word: there is no anchor, or it is lost.
    pub(super) fn no_anchor(self) -> Self {
        match self {
            Self::File(options) => Self::File(options.no_anchor()),
            Self::Shared(options) => Self::Shared(options.no_anchor()),
        }
    }

    pub(super) fn recover(
        self,
        key: KeyId,
        past: u64,
        end: Option<u64>,
    ) -> Result<Box<dyn Store>, StoreError> {
        Ok(match self {
            Self::File(options) => Box::new(options.recover(key, past, end)?),
            Self::Shared(options) => Box::new(options.recover(key, past)?),
        })
    }

    pub(super) fn join(self, key: KeyId) -> Result<Box<dyn Store>> {
        match self {
            Self::File(_) => Err(usage(anyhow!("a file is no database that machines share"))),
            Self::Shared(options) => Ok(Box::new(options.join(key)?)),
        }
    }
}

fn file(path: &Path, largest: NonZeroU64, anchor: Option<FileAnchor>) -> Place {
    let options = FileStore::at(path).largest(largest);
    Place::File(match anchor {
        Some(anchor) => options.anchor(anchor),
        None => options,
    })
}

/// The name of a file that belongs to a secret key.
pub(super) fn beside(secret: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(secret);
    name.push(suffix);
    name.into()
}

fn at_least_one(number: u64) -> NonZeroU64 {
    NonZeroU64::new(number).unwrap_or(NonZeroU64::MIN)
}

/// An error of a store, with what can be done about it.
pub(super) fn refused(error: impl Into<anyhow::Error>) -> anyhow::Error {
    let error = error.into();
    let Some(refusal) = crate::failure::refusal(&error) else { return error };
    let hint = match refusal {
        StoreError::Busy => "one process at a time signs with a state",
        StoreError::Exhausted => "make a new key",
        StoreError::Missing => {
            "give `--store`; a machine that is new to a fleet begins with `oaklath hbs join`; where a \
             state is lost, `oaklath hbs advance --help` tells what to do"
        }
        StoreError::AnchorMissing => "give `--anchor`",
        StoreError::Restored(_) => {
            "stop the signers on all machines, and make sure that no other server takes itself for \
             this database; `oaklath hbs advance --help` tells how to go on"
        }
        StoreError::NotDurable(_) => {
            "mend the settings of the server; where only a standby may lack what it confirms, \
             `--accept-asynchronous` accepts it"
        }
        StoreError::RolledBack { .. } | StoreError::Corrupt(_) | StoreError::Foreign(_) => {
            "`oaklath hbs advance --help` tells how to go on"
        }
        _ => return error,
    };
    with_hint(error, hint)
}
