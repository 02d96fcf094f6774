//! Where a state is kept: the few operations of a file system that a store needs, as a trait, so
//! that failures and crashes can be injected at each of them.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::error::StoreError;

/// Length of a state file: two slots.
pub const STATE_LEN: usize = 2 * SLOT_LEN;

/// Length of a slot: a page of most file systems, and a multiple of every sector.
pub const SLOT_LEN: usize = 4096;

/// One state file with what belongs to it: a draft, which becomes the state when it is created, and
/// a lock. Reads see what was written before; only what was synced survives a crash. An error may
/// carry a [`StoreError`](crate::StoreError), which is reported as it is.
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

    /// The machine and the file that the state is kept on, as a digest that a copy does not share;
    /// none where that cannot be told.
    ///
    /// # Errors
    /// The medium's failure.
    fn place(&mut self) -> io::Result<Option<[u8; 32]>> {
        Ok(None)
    }

    /// The name by which another process finds the state; none if it has no such name.
    fn name(&self) -> Option<PathBuf> {
        None
    }

    /// Writes `bytes` into the state at `offset`, in one call.
    ///
    /// # Errors
    /// The medium's failure, or that another file is in the place of the state; after a failure any
    /// part may have been written.
    fn write(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// Makes what was written into the state durable.
    ///
    /// # Errors
    /// The medium's failure; it is unknown then what is durable, and later success proves nothing.
    fn sync(&mut self) -> io::Result<()>;

    /// Writes a new draft, whole, and makes its contents durable.
    ///
    /// # Errors
    /// The medium's failure.
    fn write_draft(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Renames the draft to the state.
    ///
    /// # Errors
    /// The medium's failure.
    fn rename(&mut self) -> io::Result<()>;

    /// Removes the state, whose creation has failed before it gave an index.
    ///
    /// # Errors
    /// The medium's failure.
    fn remove(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Makes the names of state and draft durable.
    ///
    /// # Errors
    /// The medium's failure.
    fn sync_folder(&mut self) -> io::Result<()>;
}

/// A state file as its handle has left it, to compare it with before it is written again.
pub(crate) struct Image(Vec<u8>);

impl Image {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// Writes a slot, if the file is what it was.
    ///
    /// # Errors
    /// The medium's failure; [`StoreError::Replaced`] with `what`, as all that a medium says.
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
