//! The records of a state, written alternately into two slots of one file.
//!
//! Only one slot is written between two syncs, so a crash tears at most one, and the other slot
//! holds the record before it. A damaged slot may have held the newer or the older record, so the
//! survivor must bound what may have followed it: its `largest` does.

use std::path::PathBuf;

use crate::anchor::{Anchor, FileAnchor, Mark};
use crate::children::{Child, merged};
use crate::disk::make_private;
use crate::error::StoreError;
use crate::key_id::KeyId;
use crate::medium::{Image, Medium, SLOT_LEN, STATE_LEN};
use crate::owner::Owner;
use crate::record::{LONGEST_NAME, Origin, Record, path_bytes};
use crate::store::Status;

/// An open state: the newest record, and where the next one goes.
#[derive(Debug)]
pub(crate) struct Journal {
    medium: Box<dyn Medium>,
    anchor: Option<Box<dyn Anchor>>,
    /// The mark in the anchor.
    mark: Option<Mark>,
    /// The newest record, which is durable.
    record: Record,
    /// The contents of the whole file, as this handle left them.
    image: Image,
    is_poisoned: bool,
    owner: Owner,
}

/// Where a state is kept and what guards it.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) medium: Box<dyn Medium>,
    /// The anchor; if `None`, the one that the state names is used.
    pub(crate) anchor: Option<Box<dyn Anchor>>,
    /// The folder in which a state without an anchor gets one.
    pub(crate) anchors: Option<PathBuf>,
    /// Whether a person says that there is no other anchor, or that it is lost.
    pub(crate) is_unanchored: bool,
    /// Whether a person says that nothing else signs with a state that was moved here.
    pub(crate) is_adopted: bool,
}

/// The contents of a state file.
#[derive(Debug)]
struct Found {
    /// The newest intact record.
    record: Record,
    /// Whether the other slot is not intact.
    is_torn: bool,
}

impl Place {
    pub(crate) fn on(medium: impl Medium + 'static) -> Self {
        let (anchor, anchors) = (None, None);
        let medium = Box::new(medium);
        Self { medium, anchor, anchors, is_unanchored: false, is_adopted: false }
    }

    /// Locks a state that is to be created, and checks that there is space for it.
    pub(crate) fn claim(&mut self) -> Result<(), StoreError> {
        self.lock_new()?;
        self.medium.write_draft(&[0; STATE_LEN]).map_err(StoreError::io("write the state"))
    }

    /// Creates a state that begins with this record; there must be none yet.
    pub(crate) fn create(mut self, mut record: Record) -> Result<Journal, StoreError> {
        self.lock_new()?;
        self.choose_anchor(Some(&record))?;
        if self.open_anchor()?.is_some() {
            return Err(StoreError::Exists);
        }
        record.is_unanchored = self.is_unanchored && self.anchor.is_none();
        self.establish(record, None)
    }

    /// Opens the state of a key, which is the mark of a database if `is_shared`. Both slots are
    /// rewritten before this returns: one may be torn, and after a failed sync the bytes that can
    /// be read are not always durable.
    pub(crate) fn open(
        mut self,
        key: KeyId,
        largest: u64,
        is_shared: bool,
    ) -> Result<Journal, StoreError> {
        self.lock()?;
        let bytes = self.read()?.ok_or(StoreError::Missing)?;
        let found = Found::read(&bytes, key)?;
        found.record.check_kind(is_shared)?;
        let place = self.find_place()?;
        if !self.is_adopted && found.record.is_of_another(place) {
            return Err(StoreError::Copied);
        }
        self.choose_anchor(Some(&found.record))?;
        let mark = self.open_anchor()?;
        let next = found.compare(mark.as_ref())?;
        // The process that wrote this record may have been killed before the record was durable,
        // and the process that created the file before its name was.
        self.medium.sync().map_err(StoreError::io("sync the state"))?;
        self.medium.sync_folder().map_err(StoreError::io("sync the state's folder"))?;
        let name = self.anchor_name()?;
        let is_unanchored =
            self.anchor.is_none() && (self.is_unanchored || found.record.is_unanchored);
        let mut journal = self.into_journal(found.record, bytes, mark);
        journal.append_twice(|record| {
            record.next = next;
            record.largest = largest;
            record.place = place;
            record.anchor = name;
            record.is_unanchored = is_unanchored;
        })?;
        Ok(journal)
    }

    /// Replaces a state that was rejected, on a person's word that no index above `past` was used.
    /// `end` is for a state that cannot be read at all or has a wrong end; `origin` is for the mark
    /// of a database.
    pub(crate) fn recover(
        mut self,
        key: KeyId,
        (past, end): (u64, Option<u64>),
        largest: u64,
        origin: Option<Origin>,
    ) -> Result<Journal, StoreError> {
        self.lock()?;
        let found = match self.read()?.map(|bytes| Found::read(&bytes, key)) {
            Some(Err(foreign @ StoreError::Foreign(_))) => return Err(foreign),
            Some(Ok(found)) => Some(found),
            Some(Err(_)) | None => None,
        };
        if let Some(Found { record, .. }) = &found {
            record.check_kind(origin.is_some())?;
            // A mark with another range could never be opened with this account.
            if origin.is_some() && end != Some(record.end) {
                return Err(StoreError::Foreign("another database"));
            }
        }
        self.choose_anchor(found.as_ref().map(|found| &found.record))?;
        let mark = self.open_anchor()?;
        if let (Some(found), Some(mark)) = (&found, &mark) {
            found.record.check_instance_to_recover(mark)?;
        }
        let may_be_anchored = found.as_ref().is_none_or(|found| found.record.anchored.is_some());
        if mark.is_none() && may_be_anchored && !self.is_unanchored {
            return Err(StoreError::AnchorMissing);
        }
        let known = found.as_ref().map_or(0, Found::resume);
        let found_end = found.as_ref().map(|found| found.record.end);
        let end = found_end.into_iter().chain(end).min().ok_or(StoreError::Missing)?;
        if past >= end {
            return Err(StoreError::OutOfRange { end, found: past });
        }
        let next = known.max(past + 1);
        if let Some(mark) = mark.filter(|mark| mark.next > next) {
            return Err(StoreError::RolledBack { known: mark.next, found: next });
        }
        let mut record = Record::new(key, next..end, largest)?;
        // A file store keeps its instance, so that copies from before are known as old ones. A
        // machine gets a new name, since another may lease with a copy of its mark.
        if origin.is_none() {
            let of_mark = mark.map_or(record.instance, |mark| mark.instance);
            record.instance = found.as_ref().map_or(of_mark, |found| found.record.instance);
        }
        let newest = found.as_ref().map_or(0, |found| found.record.generation);
        record.generation = newest.max(mark.map_or(0, |mark| mark.generation)) + 2;
        record.origin = origin;
        record.is_unanchored = self.is_unanchored && self.anchor.is_none();
        if let Some(found) = found {
            record.children = found.record.children;
            record.origin = found.record.origin.or(origin);
        }
        self.establish(record, mark)
    }

    /// Reads the state without a lock and without any guarantee. The anchor, if there is one, is
    /// read before the state is compared with it, since an active signer moves the anchor last.
    pub(crate) fn peek(mut self, key: KeyId) -> Result<Status, StoreError> {
        let bytes = self.read()?.ok_or(StoreError::Missing)?;
        let named = Found::read(&bytes, key)?.record;
        if self.anchor.is_none() && !self.is_unanchored {
            let path = named.anchor.filter(|path| path.exists());
            self.anchor = path.map(FileAnchor::new).map(|anchor| Box::new(anchor) as _);
        }
        let mark = self.anchor.as_mut().map(|anchor| anchor.peek()).transpose()?;
        let bytes = self.read()?.ok_or(StoreError::Missing)?;
        let found = Found::read(&bytes, key)?;
        if !self.is_adopted && found.record.is_of_another(self.find_place()?) {
            return Err(StoreError::Copied);
        }
        if let Some(mark) = mark {
            let record = &found.record;
            let is_behind = |mark: &Mark| {
                mark.instance == record.instance && mark.generation <= record.generation
            };
            if !mark.as_ref().is_some_and(is_behind) {
                found.compare(mark.as_ref())?;
            }
        }
        Ok(found.record.status(found.resume()))
    }

    fn lock(&mut self) -> Result<(), StoreError> {
        let locked = self.medium.lock().map_err(StoreError::io("lock the state"))?;
        if locked { Ok(()) } else { Err(StoreError::Busy) }
    }

    fn lock_new(&mut self) -> Result<(), StoreError> {
        self.lock()?;
        if self.read()?.is_some() { Err(StoreError::Exists) } else { Ok(()) }
    }

    fn read(&mut self) -> Result<Option<Vec<u8>>, StoreError> {
        self.medium.read().map_err(StoreError::io("read the state"))
    }

    fn find_place(&mut self) -> Result<Option<[u8; 32]>, StoreError> {
        self.medium.place().map_err(StoreError::io("look at the state"))
    }

    /// Chooses the anchor that the state names, or a new one in the folder of anchors, unless one
    /// was given or a person declined it.
    fn choose_anchor(&mut self, record: Option<&Record>) -> Result<(), StoreError> {
        let given = self.anchor.as_ref().and_then(|anchor| anchor.name());
        if let (Some(given), Some(known)) =
            (given, record.and_then(|record| record.anchor.as_ref()))
            && given.exists()
            && known.exists()
            && std::fs::canonicalize(&given).ok() != std::fs::canonicalize(known).ok()
        {
            // With two anchors, an old copy of the state would have one that matches it.
            return Err(StoreError::Unsafe("its anchor is where it was: move it, do not copy it"));
        }
        let Some(record) = record.filter(|_| self.anchor.is_none() && !self.is_unanchored) else {
            return Ok(());
        };
        let path = match (&record.anchor, self.anchors.take()) {
            // An anchor that is missing is not created anew.
            (Some(path), _) if !path.exists() => return Ok(()),
            (Some(path), _) => path.clone(),
            (None, Some(folder)) if record.anchored.is_none() && !record.is_unanchored => {
                make_private(&folder).map_err(StoreError::io("make the folder of anchors"))?;
                folder.join(record.anchor_name())
            }
            _ => return Ok(()),
        };
        self.anchor = Some(Box::new(FileAnchor::new(path)));
        Ok(())
    }

    fn open_anchor(&mut self) -> Result<Option<Mark>, StoreError> {
        self.anchor.as_mut().map_or(Ok(None), |anchor| anchor.open())
    }

    /// Returns the path by which the anchor is found when it is not given.
    fn anchor_name(&self) -> Result<Option<PathBuf>, StoreError> {
        let name = self.anchor.as_ref().and_then(|anchor| anchor.name());
        let fits = |name: &PathBuf| path_bytes(name).is_some_and(|name| name.len() <= LONGEST_NAME);
        match name {
            Some(name) if !fits(&name) => {
                Err(StoreError::Unsafe("the anchor's path is too long, or not text"))
            }
            name => Ok(name),
        }
    }

    fn into_journal(self, record: Record, image: Vec<u8>, mark: Option<Mark>) -> Journal {
        let Self { medium, anchor, .. } = self;
        let (image, owner) = (Image::new(image), Owner::this_process());
        Journal { medium, anchor, mark, record, image, is_poisoned: false, owner }
    }

    /// Writes a new file with this record in both slots, under two consecutive numbers, and then
    /// records the file's place. A new state is removed if this or its anchor fails.
    fn establish(mut self, mut record: Record, mark: Option<Mark>) -> Result<Journal, StoreError> {
        let is_new = record.generation == 0;
        record.generation += record.generation % 2;
        record.anchored = self.anchor.as_ref().map(|_| record.generation + 1);
        record.anchor = self.anchor_name()?;
        let first = record.to_slot();
        record.generation += 1;
        let file = [first, record.to_slot()].concat();
        self.medium.write_draft(&file).map_err(StoreError::io("write the state"))?;
        self.medium.rename().map_err(StoreError::io("rename the state"))?;
        self.medium.sync_folder().map_err(StoreError::io("sync the state's folder"))?;
        let place = self.find_place()?;
        let mut journal = self.into_journal(record, file, mark);
        let moved = journal.move_anchor();
        let written = moved.and_then(|()| journal.append_twice(|record| record.place = place));
        if written.is_err() && is_new {
            let _ = journal.medium.remove();
        }
        written.map(|()| journal)
    }
}

impl Journal {
    /// Returns the newest record.
    pub(crate) fn record(&self) -> &Record {
        &self.record
    }

    pub(crate) fn status(&self) -> Status {
        self.record.status(self.record.next)
    }

    /// Checks that this handle may still be used.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        self.owner.check_number()?;
        if self.is_poisoned { Err(StoreError::Poisoned) } else { Ok(()) }
    }

    /// Stops this handle: it issues nothing more.
    pub(crate) fn poison(&mut self) {
        self.is_poisoned = true;
    }

    /// Applies `change` to the newest record and writes the result, which is durable on return.
    pub(crate) fn append(&mut self, change: impl FnOnce(&mut Record)) -> Result<(), StoreError> {
        self.check()?;
        let mut record = self.record.clone();
        change(&mut record);
        record.generation += 1;
        self.commit(record)
    }

    /// Writes the changed record into both slots: for changes that `largest` does not bound, or
    /// that must survive the loss of either slot.
    pub(crate) fn append_twice(
        &mut self,
        change: impl FnOnce(&mut Record),
    ) -> Result<(), StoreError> {
        self.append(change)?;
        self.append(|_| ())
    }

    /// Gives up every index up to and including `past`.
    pub(crate) fn advance(&mut self, past: u64) -> Result<(), StoreError> {
        self.check()?;
        let Record { next, end, .. } = self.record;
        if past >= end {
            return Err(StoreError::OutOfRange { end, found: past });
        }
        if past < next { Ok(()) } else { self.append_twice(|record| record.next = past + 1) }
    }

    /// Compares children with those in the record, and records new ones.
    pub(crate) fn witness(&mut self, children: &[Child]) -> Result<(), StoreError> {
        self.check()?;
        match merged(&self.record.children, children) {
            Ok(None) => Ok(()),
            Ok(Some(children)) => self.append_twice(|record| record.children = children),
            Err(error) => {
                self.poison();
                Err(error)
            }
        }
    }

    /// Writes and syncs the record, then moves the anchor; the first failure stops the handle.
    fn commit(&mut self, mut record: Record) -> Result<(), StoreError> {
        assert!(
            record.next >= self.record.next && record.next <= record.end,
            "an index goes forward"
        );
        self.owner.check()?;
        self.is_poisoned = true;
        record.anchored = self.mark.map(|mark| mark.generation);
        let what = "it is not what this signer wrote";
        let written = self.image.write(&mut *self.medium, record.slot(), &record.to_slot(), what);
        written.map_err(StoreError::io("write the state"))?;
        self.medium.sync().map_err(StoreError::io("sync the state"))?;
        self.record = record;
        self.move_anchor()?;
        self.is_poisoned = false;
        Ok(())
    }

    fn move_anchor(&mut self) -> Result<(), StoreError> {
        let Some(anchor) = &mut self.anchor else { return Ok(()) };
        let Record { instance, generation, next, .. } = self.record;
        let mark = Mark { instance, generation, next };
        anchor.replace(self.mark.as_ref(), &mark)?;
        self.mark = Some(mark);
        Ok(())
    }

    #[cfg(test)]
    pub(crate) fn give_to_another_process(&mut self) {
        self.owner = Owner::another_process();
    }
}

impl Found {
    /// Returns the newest record of a file, which must belong to this key.
    fn read(bytes: &[u8], key: KeyId) -> Result<Self, StoreError> {
        if bytes.len() != STATE_LEN {
            return Err(StoreError::Corrupt("the file has the wrong length"));
        }
        let (first, second) = bytes.split_at(SLOT_LEN);
        let in_place = |slot: &[u8], at| match Record::from_slot(slot) {
            Some(record) if record.slot() != at => {
                Err(StoreError::Corrupt("a record is in the wrong slot"))
            }
            read => Ok(read),
        };
        let found = match (in_place(first, 0)?, in_place(second, 1)?) {
            (Some(first), Some(second)) => Self::newer(first, second)?,
            (Some(record), None) | (None, Some(record)) => Self { record, is_torn: true },
            (None, None) => return Err(StoreError::Corrupt("no record is whole")),
        };
        if found.record.key == key { Ok(found) } else { Err(StoreError::Foreign("another key")) }
    }

    fn newer(first: Record, second: Record) -> Result<Self, StoreError> {
        let is_second = second.generation > first.generation;
        let (old, new) = if is_second { (first, second) } else { (second, first) };
        let agree = old.instance == new.instance
            && old.key == new.key
            && old.end == new.end
            && old.next <= new.next;
        if !agree {
            return Err(StoreError::Corrupt("the records contradict each other"));
        }
        Ok(Self { record: new, is_torn: false })
    }

    /// Returns the first index that is certainly unused.
    fn resume(&self) -> u64 {
        let Record { next, end, largest, .. } = self.record;
        if self.is_torn { next.saturating_add(largest).min(end) } else { next }
    }

    /// Compares the record with an anchor, whose mark must belong to this record, to the record
    /// that this one names, or to the torn slot if that followed. Returns the first index that is
    /// certainly unused.
    fn compare(&self, mark: Option<&Mark>) -> Result<u64, StoreError> {
        let record = &self.record;
        let Some(mark) = mark else {
            // An empty anchor may be added to a state that never had one.
            return match record.anchored {
                Some(_) => Err(StoreError::AnchorMissing),
                None => Ok(self.resume()),
            };
        };
        record.check_instance(mark)?;
        if mark.next > record.end {
            return Err(StoreError::Corrupt("the anchor's index is beyond the end"));
        }
        let is_torn_one = self.is_torn && mark.generation == record.generation + 1;
        let is_beside =
            mark.generation == record.generation || Some(mark.generation) == record.anchored;
        match () {
            () if is_beside || is_torn_one => Ok(self.resume().max(mark.next)),
            () if mark.generation > record.generation => {
                Err(StoreError::RolledBack { known: mark.next, found: record.next })
            }
            () => Err(StoreError::Corrupt("the anchor is older than the state")),
        }
    }
}

impl Record {
    /// Returns the first record of a state over these indices.
    pub(crate) fn new(
        key: KeyId,
        indices: std::ops::Range<u64>,
        largest: u64,
    ) -> Result<Self, StoreError> {
        let mut instance = [0; 16];
        getrandom::fill(&mut instance).map_err(|error| StoreError::Io {
            doing: "draw the instance's name",
            error: std::io::Error::other(error),
        })?;
        Ok(Self {
            instance,
            key,
            generation: 0,
            next: indices.start,
            end: indices.end,
            largest,
            anchored: None,
            origin: None,
            children: Vec::new(),
            place: None,
            anchor: None,
            is_unanchored: false,
        })
    }

    /// Checks that the record is the mark of a database or not, since the next index of a file
    /// store and that of a mark mean different things.
    fn check_kind(&self, is_shared: bool) -> Result<(), StoreError> {
        match (self.origin.is_some(), is_shared) {
            (true, false) => Err(StoreError::Foreign("a database")),
            (false, true) => Err(StoreError::Foreign("no database")),
            _ => Ok(()),
        }
    }

    fn check_instance(&self, mark: &Mark) -> Result<(), StoreError> {
        if mark.instance == self.instance {
            return Ok(());
        }
        Err(StoreError::Foreign("another instance than the anchor's"))
    }

    /// Checks the instance of the anchor of a state that is to be recovered. Where the recovery of
    /// a database's mark was interrupted, the anchor may still have the instance from before.
    fn check_instance_to_recover(&self, mark: &Mark) -> Result<(), StoreError> {
        let is_first = self.anchored.is_some_and(|anchored| anchored >= self.generation);
        if is_first && self.origin.is_some() { Ok(()) } else { self.check_instance(mark) }
    }

    /// Reports whether the record was written in a place other than this one.
    fn is_of_another(&self, place: Option<[u8; 32]>) -> bool {
        self.place.is_some() && self.place != place
    }

    /// Returns the file name of the anchor in a folder of anchors.
    fn anchor_name(&self) -> String {
        let instance: String = self.instance.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{:.16}-{instance}.anchor", self.key.to_string())
    }

    fn status(&self, next: u64) -> Status {
        Status {
            key: self.key,
            instance: self.instance,
            generation: self.generation,
            next,
            end: self.end,
            largest: self.largest,
            is_anchored: self.anchored.is_some(),
            anchor: self.anchor.clone(),
            is_shared: self.origin.is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No honest anchor has such an index, and no record could be written after it.
    #[test]
    fn an_anchor_beyond_the_end_is_refused() {
        let record = Record::new(KeyId::of(b"key"), 0..8, 1).unwrap();
        let mark = |next| Mark { instance: record.instance, generation: 0, next };
        let found = Found { record: record.clone(), is_torn: false };
        assert_eq!(found.compare(Some(&mark(8))).unwrap(), 8);
        assert!(matches!(found.compare(Some(&mark(9))), Err(StoreError::Corrupt(_))));
    }
}
