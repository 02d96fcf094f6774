//! Where a state lies: the few operations of a file system that a store needs, as a trait, so that
//! failures and crashes can be injected at each of them.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Length of a state file: two slots.
pub const STATE_LEN: usize = 2 * SLOT_LEN;

/// Length of a slot: a page of most file systems, and a multiple of every sector.
pub const SLOT_LEN: usize = 4096;

/// One state file with what belongs to it: a draft, which becomes the state when it is created, and
/// a lock. Reads see what was written before; only what was synced survives a crash.
pub trait Medium: fmt::Debug + Send {
    /// Takes the lock, without waiting, for as long as this value lives; false if it is held by
    /// another.
    ///
    /// # Errors
    /// The medium's failure.
    fn lock(&mut self) -> io::Result<bool>;

    /// The whole state, up to one byte more than [`STATE_LEN`]; none if there is no file.
    ///
    /// # Errors
    /// The medium's failure.
    fn read(&mut self) -> io::Result<Option<Vec<u8>>>;

    /// Writes `bytes` into the state at `offset`, in one call.
    ///
    /// # Errors
    /// The medium's failure; any part may have been written then.
    fn write(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// Makes what was written into the state durable.
    ///
    /// # Errors
    /// The medium's failure; it is unknown then what is durable, and later success proves nothing.
    fn sync(&mut self) -> io::Result<()>;

    /// Writes the draft anew, whole, and makes its contents durable.
    ///
    /// # Errors
    /// The medium's failure.
    fn write_draft(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Renames the draft to the state.
    ///
    /// # Errors
    /// The medium's failure.
    fn rename(&mut self) -> io::Result<()>;

    /// Makes the names of state and draft durable.
    ///
    /// # Errors
    /// The medium's failure.
    fn sync_folder(&mut self) -> io::Result<()>;
}

/// A state in a folder of a local file system: `NAME`, beside it `NAME.lock` and, while it is being
/// created, `NAME.new`, all of them with mode 0600.
///
/// The file system must keep `fdatasync`'s promise and know locks between all its users: local ones
/// do, network file systems often do not.
#[derive(Debug)]
pub struct Disk {
    path: PathBuf,
    lock: Option<File>,
    state: Option<File>,
}

impl Disk {
    /// The state at `path`; nothing is opened yet.
    ///
    /// ```
    /// let disk = oaklath_stores::Disk::new("firmware.state");
    /// assert_eq!(disk.path().to_str(), Some("firmware.state"));
    /// ```
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), lock: None, state: None }
    }

    /// Where the state is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn beside(&self, suffix: &str) -> PathBuf {
        let mut name = OsString::from(&self.path);
        name.push(suffix);
        name.into()
    }

    fn folder(&self) -> &Path {
        match self.path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        }
    }

    /// The state's file, opened once. A handle that has the lock locks the file itself as well,
    /// since it may be reached by a second name, or the lock file may have been removed.
    fn state(&mut self) -> io::Result<&mut File> {
        if self.state.is_none() {
            let file = OpenOptions::new().read(true).write(self.lock.is_some()).open(&self.path)?;
            if self.lock.is_some() && !try_lock(&file)? {
                return Err(io::ErrorKind::ResourceBusy.into());
            }
            self.state = Some(file);
        }
        self.state.as_mut().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl Medium for Disk {
    fn lock(&mut self) -> io::Result<bool> {
        let file = private().create(true).truncate(false).open(self.beside(".lock"))?;
        let is_ours = try_lock(&file)?;
        self.lock = is_ours.then_some(file);
        self.state = None;
        Ok(is_ours)
    }

    fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        let file = match self.state() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            found => found?,
        };
        file.seek(SeekFrom::Start(0))?;
        let mut bytes = Vec::with_capacity(STATE_LEN + 1);
        file.take(STATE_LEN as u64 + 1).read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    }

    fn write(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let file = self.state()?;
        file.seek(SeekFrom::Start(offset))?;
        file.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.state()?.sync_data()
    }

    fn write_draft(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut file = private().create(true).truncate(true).open(self.beside(".new"))?;
        file.write_all(bytes)?;
        file.sync_all()
    }

    fn rename(&mut self) -> io::Result<()> {
        self.state = None;
        fs::rename(self.beside(".new"), &self.path)
    }

    fn sync_folder(&mut self) -> io::Result<()> {
        // Elsewhere a folder is no file that could be synced; the file system's journal has to do.
        if cfg!(unix) { File::open(self.folder())?.sync_all() } else { Ok(()) }
    }
}

/// Files for their owner only.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn try_lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}
