//! A store in one file.

use std::num::NonZeroU64;
use std::ops::Range;
use std::path::PathBuf;

use crate::anchor::Anchor;
use crate::children::Child;
use crate::disk::Disk;
use crate::error::StoreError;
use crate::journal::{Journal, Place};
use crate::key_id::KeyId;
use crate::lease::Lease;
use crate::lease::grant;
use crate::medium::Medium;
use crate::record::Record;
use crate::signer::Reservation;
use crate::store::{Status, Store};

/// A store in one file, for one process at a time.
///
/// ```
/// use std::num::NonZeroU64;
/// use oaklath_stores::{FileStore, KeyId, Store, StoreError};
///
/// # let folder = std::env::temp_dir().join(format!("oaklath-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// # let path = folder.join("firmware.state");
/// # let _ = std::fs::remove_file(&path);
/// let key = KeyId::of(b"a public key");
/// let mut store = FileStore::at(&path).create(key, 0..1024)?;
/// let mut lease = store.reserve(NonZeroU64::MIN)?;
/// assert_eq!(lease.next().map(|index| index.value()), Some(0));
/// assert_eq!(store.remaining()?.indices, 1023);
///
/// assert!(matches!(FileStore::at(&path).open(key), Err(StoreError::Busy)));
/// drop(store);
/// assert_eq!(FileStore::at(&path).open(key)?.status()?.next, 1);
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), StoreError>(())
/// ```
#[derive(Debug)]
pub struct FileStore {
    journal: Journal,
}

/// Options for opening a [`FileStore`].
#[derive(Debug)]
pub struct FileOptions {
    place: Place,
    largest: NonZeroU64,
}

impl FileStore {
    /// Returns options for a state. Leases have one index unless [`FileOptions::largest`] is set.
    pub fn at(path: impl Into<PathBuf>) -> FileOptions {
        Self::on(Disk::new(path))
    }

    /// Returns options for a state on the given medium.
    pub fn on(medium: impl Medium + 'static) -> FileOptions {
        FileOptions { place: Place::on(medium), largest: NonZeroU64::MIN }
    }
}

impl FileOptions {
    /// Sets the maximum number of indices in a lease, which is also the most that a crash can cost.
    /// It is written into each record, since it bounds the step that a torn record may have made.
    #[must_use]
    pub fn largest(mut self, largest: NonZeroU64) -> Self {
        self.largest = largest;
        self
    }

    /// Sets the anchor: a second record on another medium, which detects that the state is an old
    /// copy and is written after each record of the state. An empty anchor may be given to a state
    /// that had none; a state that has an anchor is not opened without it. The state remembers the
    /// path of a [`FileAnchor`], so it need not be given again.
    ///
    /// [`FileAnchor`]: crate::FileAnchor
    #[must_use]
    pub fn anchor(mut self, anchor: impl Anchor + 'static) -> Self {
        self.place.anchor = Some(Box::new(anchor));
        self
    }

    /// Sets the folder in which a state without an anchor gets one of its own, unless a person
    /// declined it. The folder is created if it does not exist.
    #[must_use]
    pub fn anchors_in(mut self, folder: impl Into<PathBuf>) -> Self {
        self.place.anchors = Some(folder.into());
        self
    }

    /// Declines an anchor, which the state remembers. In [`recover`](Self::recover), a person
    /// thereby vouches that the state never had an anchor, or that the anchor is lost for good. An
    /// anchor that was merely forgotten may know of used indices.
    #[must_use]
    pub fn no_anchor(mut self) -> Self {
        self.place.is_unanchored = true;
        self
    }

    /// Makes [`open`](Self::open) accept a state that was moved here from another machine or file.
    /// A person vouches that it is the newest copy and that nothing will ever sign with another.
    #[must_use]
    pub fn adopted(mut self) -> Self {
        self.place.is_adopted = true;
        self
    }

    /// Creates the state of a new key for a store that issues the key's indices in `indices`.
    /// Several stores of one key must have ranges that do not overlap.
    ///
    /// # Errors
    /// [`StoreError::Exists`] if there is a state or an anchor; or the medium's error.
    ///
    /// # Panics
    /// If the range ends before it begins.
    pub fn create(self, key: KeyId, indices: Range<u64>) -> Result<FileStore, StoreError> {
        assert!(indices.start <= indices.end, "a range ends before it begins");
        let journal = self.place.create(Record::new(key, indices, self.largest.get())?)?;
        Ok(FileStore { journal })
    }

    /// Prepares for [`take_over`](Self::take_over), before anything is reserved: checks that a
    /// state can be created here, locks it and allocates its space.
    ///
    /// # Errors
    /// Fails as [`create`](Self::create) does.
    pub fn claim(mut self) -> Result<Self, StoreError> {
        self.place.claim()?;
        Ok(self)
    }

    /// Creates the state of a store that issues the indices that another store of the key has
    /// reserved for it, and that knows what upper one-time keys signed there. The reservation is
    /// lost if this fails, which [`claim`](Self::claim) makes unlikely.
    ///
    /// # Errors
    /// Fails as [`create`](Self::create) does.
    pub fn take_over(self, reservation: Reservation) -> Result<FileStore, StoreError> {
        let Reservation { key, indices, children } = reservation;
        let mut record = Record::new(key, indices, self.largest.get())?;
        record.children = children;
        Ok(FileStore { journal: self.place.create(record)? })
    }

    /// Opens the state of a key, locks it, and rewrites both slots. If one slot is not intact, the
    /// indices that it may have covered are given up: as many as the longest lease.
    ///
    /// # Errors
    /// [`StoreError::Missing`], [`Busy`](StoreError::Busy), [`Corrupt`](StoreError::Corrupt),
    /// [`Foreign`](StoreError::Foreign), [`RolledBack`](StoreError::RolledBack),
    /// [`AnchorMissing`](StoreError::AnchorMissing), [`Copied`](StoreError::Copied),
    /// [`Replaced`](StoreError::Replaced), [`Unsafe`](StoreError::Unsafe); or the medium's error.
    pub fn open(self, key: KeyId) -> Result<FileStore, StoreError> {
        Ok(FileStore { journal: self.place.open(key, self.largest.get(), false)? })
    }

    /// Replaces a state that is rejected: rolled back, damaged or lost. A person vouches that no
    /// index above `past` was ever used, here or in the copy that this state comes from. `end` is
    /// the first index after the range; it is used if the state cannot be read or has a higher end.
    ///
    /// # Errors
    /// [`StoreError::RolledBack`] if the anchor has a higher index;
    /// [`AnchorMissing`](StoreError::AnchorMissing) if the state names an anchor or cannot be read,
    /// and neither its anchor nor [`no_anchor`](Self::no_anchor) is given; [`StoreError::Missing`]
    /// if the state cannot be read and `end` is none; [`StoreError::OutOfRange`],
    /// [`Busy`](StoreError::Busy), [`Foreign`](StoreError::Foreign); or the medium's error.
    pub fn recover(self, key: KeyId, past: u64, end: Option<u64>) -> Result<FileStore, StoreError> {
        Ok(FileStore { journal: self.place.recover(key, (past, end), self.largest.get(), None)? })
    }

    /// Reads the file without locking it, to inspect a store that a signer has open. The result
    /// does not prove that any index is unused. The anchor, if there is one, is compared.
    ///
    /// # Errors
    /// [`StoreError::Missing`], [`Corrupt`](StoreError::Corrupt), [`Foreign`](StoreError::Foreign),
    /// [`RolledBack`](StoreError::RolledBack), [`AnchorMissing`](StoreError::AnchorMissing),
    /// [`Copied`](StoreError::Copied); or the medium's error.
    pub fn peek(self, key: KeyId) -> Result<Status, StoreError> {
        self.place.peek(key)
    }
}

impl Store for FileStore {
    fn reserve(&mut self, want: NonZeroU64) -> Result<Lease, StoreError> {
        self.journal.check()?;
        let &Record { next: start, end, largest, .. } = self.journal.record();
        let count = grant(start, end, want, largest).ok_or(StoreError::Exhausted)?;
        self.journal.append(|record| record.next += count)?;
        let generation = self.journal.record().generation;
        Ok(Lease::of_record(start, start + count, generation))
    }

    fn status(&mut self) -> Result<Status, StoreError> {
        self.journal.check()?;
        Ok(self.journal.status())
    }

    fn advance(&mut self, past: u64) -> Result<(), StoreError> {
        self.journal.advance(past)
    }

    fn witness(&mut self, children: &[Child]) -> Result<(), StoreError> {
        self.journal.witness(children)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A forked child has the handle and the lock of its parent; only the process differs.
    #[test]
    fn the_handle_of_another_process_gives_nothing() {
        let folder = std::env::temp_dir().join(format!("oaklath-fork-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let key = KeyId::of(b"key");
        let mut store = FileStore::at(folder.join("state")).create(key, 0..8).unwrap();
        assert!(store.reserve(NonZeroU64::MIN).is_ok());
        store.journal.give_to_another_process();
        let is_forked = |error| matches!(error, StoreError::Forked { .. });
        assert!(store.reserve(NonZeroU64::MIN).is_err_and(is_forked));
        assert!(store.advance(5).is_err_and(is_forked));
        assert!(store.witness(&[]).is_err_and(is_forked));
        assert!(store.status().is_err_and(is_forked));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
