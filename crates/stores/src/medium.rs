//! Where a state is kept: the few operations of a file system that a store needs, as a trait, so
//! that failures and crashes can be injected at each of them.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::error::StoreError;

/// The length of a state file in bytes: two slots.
pub const STATE_LEN: usize = 2 * SLOT_LEN;

/// The length of a slot in bytes: a page of most file systems, and a multiple of any sector size.
pub const SLOT_LEN: usize = 4096;

/// One state file with its lock and its draft, which becomes the state during creation. Reads
/// return what was written before; only what was synced survives a crash. An error may contain a
/// [`StoreError`](crate::StoreError), which is reported unchanged.
pub trait Medium: fmt::Debug + Send {
    /// Takes the lock for the lifetime of this value, without waiting; returns false if another
    /// holds it.
    ///
    /// # Errors
    /// Returns the medium's error.
    fn lock(&mut self) -> io::Result<bool>;

    /// Reads the whole state, up to one byte more than [`STATE_LEN`]; `None` if there is no file.
    ///
    /// # Errors
    /// Returns the medium's error.
    fn read(&mut self) -> io::Result<Option<Vec<u8>>>;

    /// Returns a digest of the machine and the file that hold the state, which differs for a copy;
    /// `None` if these cannot be determined.
    ///
    /// # Errors
    /// Returns the medium's error.
    fn place(&mut self) -> io::Result<Option<[u8; 32]>> {
        Ok(None)
    }

    /// Returns the path by which another process finds the state; `None` if there is no such path.
    fn name(&self) -> Option<PathBuf> {
        None
    }

    /// Writes `bytes` into the state at `offset`, in one call.
    ///
    /// # Errors
    /// Returns the medium's error, or that another file is in the place of the state; after an
    /// error any part may have been written.
    fn write(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// Makes what was written into the state durable.
    ///
    /// # Errors
    /// Returns the medium's error; what is durable is then unknown, even after a later success.
    fn sync(&mut self) -> io::Result<()>;

    /// Writes a complete new draft, and makes its contents durable.
    ///
    /// # Errors
    /// Returns the medium's error.
    fn write_draft(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Renames the draft to the state.
    ///
    /// # Errors
    /// Returns the medium's error.
    fn rename(&mut self) -> io::Result<()>;

    /// Removes a state whose creation failed before it issued an index.
    ///
    /// # Errors
    /// Returns the medium's error.
    fn remove(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Makes the names of state and draft durable.
    ///
    /// # Errors
    /// Returns the medium's error.
    fn sync_folder(&mut self) -> io::Result<()>;
}

/// The contents of a state file as its handle left them, compared before each write.
pub(crate) struct Image(Vec<u8>);

impl Image {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// Writes a slot if the file is unchanged.
    ///
    /// # Errors
    /// Returns the medium's error, or [`StoreError::Replaced`] with `what` inside an I/O error.
    pub(crate) fn write(
        &mut self,
        medium: &mut dyn Medium,
        slot: usize,
        bytes: &[u8; SLOT_LEN],
        what: &'static str,
    ) -> io::Result<()> {
        if medium.read()?.as_ref() != Some(&self.0) {
            return Err(StoreError::Replaced(what).into());
        }
        let offset = slot * SLOT_LEN;
        self.0[offset..offset + SLOT_LEN].copy_from_slice(bytes);
        medium.write(offset as u64, bytes)
    }
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}
