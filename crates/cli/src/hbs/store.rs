//! The stores that count indices: `file:PATH`, `postgres://…`, `etcd://…`.

use std::env;
use std::ffi::OsString;
use std::num::NonZeroU64;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use oaklath_stores::{
    Disk, FileAnchor, FileOptions, FileStore, KeyId, Ledger, SharedOptions, SharedStore, Status,
    Store, StoreError,
};

use super::database::DatabaseArgs;
use crate::failure::{refusal, usage, warn, with_hint};

/// The key and the store of its state.
#[derive(Debug, clap::Args)]
pub(crate) struct StateArgs {
    /// The secret key
    #[arg(short, long, value_name = "FILE")]
    pub(super) secret: PathBuf,
    #[command(flatten)]
    pub(super) store: StoreArgs,
}

/// The options of every command that needs the state of a key.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct StoreArgs {
    /// Where one-time keys are counted: `file:PATH`, `postgres://…` or
    /// `etcd://…` [default: the secret key's file with `.state`]
    #[arg(long, value_name = "STORE")]
    pub(super) store: Option<StoreName>,
    /// A second memory, which notices old copies of a state, best on another
    /// disk; the state remembers it [default: a file of its own in
    /// `~/.local/state/oaklath`, or what the system has instead]
    #[arg(long, value_name = "FILE")]
    anchor: Option<PathBuf>,
    /// Do without a second memory, so that nothing notices old copies
    #[arg(long)]
    no_anchor: bool,
    /// What this machine remembers of a database [default: the secret key's
    /// file with `.mark`]
    #[arg(long, value_name = "FILE")]
    mark: Option<PathBuf>,
    #[command(flatten)]
    database: DatabaseArgs,
    /// Take a state on a file system of the network or of another program,
    /// which keeps locks between all machines and what it is told to sync
    #[arg(long)]
    any_file_system: bool,
    /// Seconds to wait for another process that signs with the state
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    wait: u64,
}

/// The name of a store on the command line.
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
    /// Returns the store of the secret key in this file, with leases of up to `largest` indices.
    pub(super) fn place(&self, secret: &Path, largest: NonZeroU64) -> Result<Place> {
        let mark = || self.mark.clone().unwrap_or_else(|| beside(secret, ".mark"));
        let postgres = |url| self.database.postgres(url).map_err(refused);
        let etcd = |address| self.database.etcd(address).map_err(refused);
        Ok(match &self.store {
            None => self.file(&beside(secret, ".state"), largest),
            Some(StoreName::File(path)) => self.file(path, largest),
            Some(StoreName::Postgres(url)) => self.shared(postgres(url)?, mark()),
            Some(StoreName::Etcd(address)) => self.shared(etcd(address)?, mark()),
        })
    }

    /// Returns the files of the state that are known by name, whether or not they exist.
    pub(super) fn files(&self, secret: &Path) -> Vec<PathBuf> {
        let mut files = [".state", ".mark"].map(|suffix| beside(secret, suffix)).to_vec();
        if let Some(StoreName::File(path)) = &self.store {
            files.push(path.clone());
        }
        files.extend(self.anchor.iter().chain(&self.mark).cloned());
        files.into_iter().flat_map(|file| [beside(&file, ".lock"), file]).collect()
    }

    /// Checks that a new state gets an anchor, or that a person declined one.
    pub(super) fn check_anchor(&self) -> Result<()> {
        if self.anchor.is_some() || self.no_anchor || anchors().is_some() {
            return Ok(());
        }
        let error = anyhow!("no folder for the anchor: neither HOME nor XDG_STATE_HOME is set");
        Err(usage(with_hint(error, "`--anchor FILE` names a place, `--no-anchor` does without")))
    }

    /// Calls `act` with the store, retrying until no other process has it open.
    pub(super) fn when_free<T, E: Into<anyhow::Error>>(
        &self,
        secret: &Path,
        largest: NonZeroU64,
        mut act: impl FnMut(Place) -> Result<T, E>,
    ) -> Result<T> {
        // No end if it is later than the clock can say.
        let end = Instant::now().checked_add(Duration::from_secs(self.wait));
        let is_busy = |error: &anyhow::Error| matches!(refusal(error), Some(StoreError::Busy));
        loop {
            match act(self.place(secret, largest)?).map_err(Into::into) {
                Err(error) if is_busy(&error) && end.is_none_or(|end| Instant::now() < end) => {
                    sleep(Duration::from_millis(5));
                }
                done => return done,
            }
        }
    }

    pub(super) fn open(
        &self,
        secret: &Path,
        largest: NonZeroU64,
        key: KeyId,
    ) -> Result<Box<dyn Store>> {
        let store = self.when_free(secret, largest, |place| place.open(key));
        let mut store = store.map_err(refused)?;
        if self.anchor.is_some() {
            self.warn(secret, &store.status().map_err(refused)?);
        }
        Ok(store)
    }

    /// Warns if an anchor would be copied or restored with its state, or if there is none.
    pub(super) fn warn(&self, secret: &Path, status: &Status) {
        let state = match &self.store {
            None => &beside(secret, ".state"),
            Some(StoreName::File(path)) => path,
            Some(StoreName::Postgres(_) | StoreName::Etcd(_)) => return,
        };
        let (Some(anchor), Ok(state)) = (&status.anchor, std::path::absolute(state)) else {
            return warn("without an anchor nothing notices an old copy of the state");
        };
        let (anchor, name) = (anchor.parent(), anchor.display());
        if anchor == state.parent() {
            warn(&format!("the anchor {name} is copied and restored with the folder of the state"));
        } else if device(anchor).is_some_and(|found| Some(found) == device(state.parent())) {
            let hint = "restoring that disk brings both back, unnoticed; see --anchor";
            warn(&format!("the anchor {name} is on the same disk as the state: {hint}"));
        }
    }

    fn file(&self, path: &Path, largest: NonZeroU64) -> Place {
        let mut options = FileStore::on(self.disk(path)).largest(largest);
        if let Some(folder) = anchors() {
            options = options.anchors_in(folder);
        }
        if let Some(path) = &self.anchor {
            options = options.anchor(FileAnchor::new(path));
        }
        Place::File(if self.no_anchor { options.no_anchor() } else { options })
    }

    fn shared(&self, ledger: Box<dyn Ledger>, mark: PathBuf) -> Place {
        let mut options = SharedStore::on(ledger, self.disk(&mark));
        if let Some(path) = &self.anchor {
            options = options.anchor(FileAnchor::new(path));
        }
        Place::Shared(if self.no_anchor { options.no_anchor() } else { options })
    }

    pub(super) fn disk(&self, path: &Path) -> Disk {
        let disk = Disk::new(path);
        if self.any_file_system { disk.on_any_file_system() } else { disk }
    }
}

impl Place {
    pub(super) fn create(
        self,
        key: KeyId,
        indices: Range<u64>,
        tree: u64,
    ) -> Result<Box<dyn Store>, StoreError> {
        let tree = if tree == indices.end { 1 } else { tree };
        let unit = NonZeroU64::new(tree).unwrap_or(NonZeroU64::MIN);
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

    /// Returns the status without disturbing a signer.
    pub(super) fn status(self, key: KeyId) -> Result<Status, StoreError> {
        match self {
            Self::File(options) => options.peek(key),
            Self::Shared(options) => options.open(key)?.status(),
        }
    }

    /// Adopts a state that was moved here, on a person's word that nothing else signs with it.
    pub(super) fn adopted(self) -> Self {
        match self {
            Self::File(options) => Self::File(options.adopted()),
            Self::Shared(options) => Self::Shared(options.adopted()),
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
            Self::File(_) => Err(usage(anyhow!("a file is not a shared database"))),
            Self::Shared(options) => Ok(Box::new(options.join(key)?)),
        }
    }
}

/// Returns the default folder of anchors, by the system's convention.
fn anchors() -> Option<PathBuf> {
    let folder = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = match () {
        () if cfg!(windows) => folder("LOCALAPPDATA"),
        () if cfg!(target_os = "macos") => {
            folder("HOME").map(|home| home.join("Library/Application Support"))
        }
        () => folder("XDG_STATE_HOME")
            .or_else(|| folder("HOME").map(|home| home.join(".local/state"))),
    };
    state.map(|state| state.join("oaklath"))
}

/// Returns advice on an anchor that is not found.
pub(super) fn missing_anchor() -> String {
    let folder = anchors().map(|path| format!(", maybe one in {}", path.display()));
    format!("give `--anchor`{}", folder.unwrap_or_default())
}

/// Returns advice on an anchor that is not where it was.
pub(super) fn moved_anchor(path: &Path) -> String {
    let same_name = anchors().zip(path.file_name()).map(|(folder, name)| folder.join(name));
    match same_name.filter(|found| found.exists()) {
        Some(found) => format!("one of its name is there: give `--anchor {}`", found.display()),
        None => format!("if it was moved, {}", missing_anchor()),
    }
}

/// Returns the device number of a folder, if the system reports it.
fn device(folder: Option<&Path>) -> Option<u64> {
    #[cfg(unix)]
    return folder?.metadata().ok().map(|found| std::os::unix::fs::MetadataExt::dev(&found));
    #[cfg(not(unix))]
    folder.and(None)
}

/// Returns the path of a file beside a secret key.
pub(super) fn beside(secret: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(secret);
    name.push(suffix);
    name.into()
}

/// Adds advice to the error of a store.
pub(super) fn refused(error: impl Into<anyhow::Error>) -> anyhow::Error {
    let error = error.into();
    let Some(refusal) = refusal(&error) else { return error };
    let hint = match refusal {
        StoreError::Busy => "one process at a time signs with a state; `--wait` waits longer",
        StoreError::Exhausted => "make a new key",
        StoreError::Missing => {
            "give `--store`; a machine that is new to a fleet begins with `oaklath hbs join`; where a \
             state is lost, `oaklath hbs advance --help` tells what to do"
        }
        StoreError::Restored(_) => {
            "stop the signers on all machines, and make sure that no other server acts as \
             this database; `oaklath hbs advance --help` tells how to go on"
        }
        StoreError::NotDurable(_) => {
            "correct the settings of the server; if only a standby may lack what it confirms, \
             `--accept-asynchronous` accepts it"
        }
        StoreError::AnchorMissing => return with_hint(error, missing_anchor()),
        StoreError::Copied => "`oaklath hbs adopt --help` tells how to go on",
        StoreError::Replaced(_) => "find out what else writes the file before anything signs again",
        StoreError::Unsafe(_) => "keep it on a local disk, in a file that only its owner may write",
        StoreError::RolledBack { .. } | StoreError::Corrupt(_) | StoreError::Foreign(_) => {
            "`oaklath hbs advance --help` tells how to go on"
        }
        _ => return error,
    };
    with_hint(error, hint)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        store: StoreArgs,
    }

    /// Waits whatever the error of the store is wrapped in, and for no other error.
    #[test]
    fn only_a_store_in_use_is_waited_for() {
        let tries = |wait, errors: &[fn() -> StoreError]| {
            let line = ["", "--store", "file:s", "--wait", wait];
            let (store, mut count) = (Line::parse_from(line).store, 0);
            let done = store.when_free(Path::new("k"), NonZeroU64::MIN, |_| {
                count += 1;
                errors.get(count - 1).map_or(Ok(()), |error| Err(anyhow!(error()).context("while")))
            });
            (count, done.is_ok())
        };
        assert_eq!(tries("10", &[|| StoreError::Busy, || StoreError::Busy]), (3, true));
        assert_eq!(tries("0", &[|| StoreError::Busy]), (1, false));
        assert_eq!(tries("10", &[|| StoreError::Busy, || StoreError::Missing]), (2, false));
    }
}
