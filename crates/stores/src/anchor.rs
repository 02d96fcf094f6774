//! A second record of how far a state has advanced, on another medium, to detect old copies.

use std::path::PathBuf;
use std::{fmt, io};

use crate::disk::Disk;
use crate::error::StoreError;
use crate::medium::{Image, Medium, SLOT_LEN, STATE_LEN};
use crate::record::{Kind, MOST_GENERATIONS, Reader, seal, unseal};

/// The point to which a state has advanced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The instance of the store.
    pub instance: [u8; 16],
    /// The number of the store's newest record.
    pub generation: u64,
    /// The first index that this record leaves unused.
    pub next: u64,
}

/// Durable storage for one [`Mark`] that is not copied or restored together with the state, such as
/// another file system or a database.
pub trait Anchor: fmt::Debug + Send {
    /// Locks the anchor for the lifetime of this value and reads it; `None` if never written.
    ///
    /// # Errors
    /// [`StoreError::Busy`] if another handle holds the anchor; another error if it cannot be read.
    fn open(&mut self) -> Result<Option<Mark>, StoreError>;

    /// Reads the anchor without locking it, to inspect a store that a signer has open.
    ///
    /// # Errors
    /// Returns an error if the anchor cannot be read.
    fn peek(&mut self) -> Result<Option<Mark>, StoreError>;

    /// Returns the file by which another process finds the anchor, which the state then remembers;
    /// `None` if there is no such file.
    fn name(&self) -> Option<PathBuf> {
        None
    }

    /// Durably replaces the mark `from` with `to`; `None` means that there is no mark yet.
    ///
    /// # Errors
    /// Returns an error if the write fails or the anchor holds another mark.
    fn replace(&mut self, from: Option<&Mark>, to: &Mark) -> Result<(), StoreError>;
}

/// An anchor in a file of two slots, like the state itself.
#[derive(Debug)]
pub struct FileAnchor {
    medium: Box<dyn Medium>,
    /// The mark in the file, and the slot where the next mark goes.
    found: Option<(Mark, usize)>,
    /// The contents of the whole file, as this handle left them.
    image: Option<Image>,
}

impl FileAnchor {
    /// Returns the anchor at `path`, which should be on a different medium from the state.
    ///
    /// ```
    /// let anchor = oaklath_stores::FileAnchor::new("/srv/elsewhere/firmware.anchor");
    /// assert!(format!("{anchor:?}").contains("firmware.anchor"));
    /// ```
    pub fn new(path: impl Into<PathBuf>) -> Self {
        // A remote disk is a good place, even without locks: the state's own lock excludes signers.
        Self::on(Disk::new(path).on_any_file_system())
    }

    /// Returns an anchor on the given medium.
    pub fn on(medium: impl Medium + 'static) -> Self {
        Self { medium: Box::new(medium), found: None, image: None }
    }

    /// Reads the file; returns its newest mark and the slot where the next mark goes.
    fn read(&mut self) -> Result<Option<(Mark, usize)>, StoreError> {
        let Some(bytes) = self.medium.read().map_err(StoreError::io("read the anchor"))? else {
            return Ok(None);
        };
        if bytes.len() != STATE_LEN {
            return Err(StoreError::Corrupt("the anchor has the wrong length"));
        }
        let marks = [from_slot(&bytes[..SLOT_LEN]), from_slot(&bytes[SLOT_LEN..])];
        self.image = Some(Image::new(bytes));
        // The two marks of a new anchor are equal.
        match marks {
            [Some(first), Some(second)] if second.generation > first.generation => {
                Ok(Some((second, 0)))
            }
            [Some(first), _] => Ok(Some((first, 1))),
            [None, Some(second)] => Ok(Some((second, 0))),
            [None, None] => Err(StoreError::Corrupt("no slot of the anchor is whole")),
        }
    }

    fn write(&mut self, is_new: bool, slot: usize, mark: &Mark) -> io::Result<()> {
        let bytes = to_slot(mark);
        let Some(image) = self.image.as_mut().filter(|_| !is_new) else {
            let image = [bytes, bytes].concat();
            self.medium.write_draft(&image)?;
            self.medium.rename()?;
            self.image = Some(Image::new(image));
            return self.medium.sync_folder();
        };
        let what = "its anchor is not what this signer wrote";
        image.write(&mut *self.medium, slot, &bytes, what)?;
        self.medium.sync()
    }
}

impl Anchor for FileAnchor {
    fn open(&mut self) -> Result<Option<Mark>, StoreError> {
        if !self.medium.lock().map_err(StoreError::io("lock the anchor"))? {
            return Err(StoreError::Busy);
        }
        self.found = self.read()?;
        if self.found.is_none() {
            return Ok(None);
        }
        // The process that wrote the mark, or created the file, may have been killed before a sync.
        self.medium.sync().map_err(StoreError::io("sync the anchor"))?;
        self.medium.sync_folder().map_err(StoreError::io("sync the anchor's folder"))?;
        Ok(self.found.map(|(mark, _)| mark))
    }

    fn peek(&mut self) -> Result<Option<Mark>, StoreError> {
        Ok(self.read()?.map(|(mark, _)| mark))
    }

    fn name(&self) -> Option<PathBuf> {
        self.medium.name()
    }

    fn replace(&mut self, from: Option<&Mark>, to: &Mark) -> Result<(), StoreError> {
        if from != self.found.as_ref().map(|(mark, _)| mark) {
            return Err(StoreError::Foreign("another anchor"));
        }
        let slot = self.found.map_or(0, |(_, slot)| slot);
        self.write(from.is_none(), slot, to).map_err(StoreError::io("write the anchor"))?;
        self.found = Some((*to, 1 - slot));
        Ok(())
    }
}

fn to_slot(mark: &Mark) -> [u8; SLOT_LEN] {
    let numbers = [mark.generation.to_be_bytes(), mark.next.to_be_bytes()];
    seal(Kind::Anchor, &[&mark.instance[..], numbers.as_flattened()].concat())
}

fn from_slot(slot: &[u8]) -> Option<Mark> {
    let mut bytes = Reader(unseal(Kind::Anchor, slot)?);
    let mark = Mark { instance: bytes.take()?, generation: bytes.number()?, next: bytes.number()? };
    (mark.generation < MOST_GENERATIONS).then_some(mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_comes_back_from_its_slot_unless_no_record_could_follow() {
        let mark = |generation| Mark { instance: [1; 16], generation, next: 5 };
        assert_eq!(from_slot(&to_slot(&mark(7))), Some(mark(7)));
        assert_eq!(from_slot(&to_slot(&mark(u64::MAX))), None);
    }
}
