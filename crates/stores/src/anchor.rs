//! A second memory of how far a state has come, on another medium, against old copies of the first.

use std::path::PathBuf;
use std::{fmt, io};

use crate::disk::Disk;
use crate::error::StoreError;
use crate::medium::{Image, Medium, SLOT_LEN, STATE_LEN};
use crate::record::{Kind, MOST_GENERATIONS, Reader, seal, unseal};

/// How far a state has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The instance of the store.
    pub instance: [u8; 16],
    /// Number of its newest record.
    pub generation: u64,
    /// The first index that this record leaves unused.
    pub next: u64,
}

/// A memory of one [`Mark`], somewhere that is not copied or restored together with the state:
/// another file system, a database.
pub trait Anchor: fmt::Debug + Send {
    /// Takes the anchor for the life of this value and reads it; none if it was never written.
    ///
    /// # Errors
    /// [`StoreError::Busy`] if another holds it; why it cannot be read.
    fn open(&mut self) -> Result<Option<Mark>, StoreError>;

    /// Reads the anchor without taking it: for a look at a store that a signer has open.
    ///
    /// # Errors
    /// Why it cannot be read.
    fn peek(&mut self) -> Result<Option<Mark>, StoreError>;

    /// The file by which another process finds the anchor, which the state then remembers; none if
    /// there is no such file.
    fn name(&self) -> Option<PathBuf> {
        None
    }

    /// Replaces the mark `from`, by which none means that there is none, with `to`, durably.
    ///
    /// # Errors
    /// Why it is not durable, or that another mark was found.
    fn replace(&mut self, from: Option<&Mark>, to: &Mark) -> Result<(), StoreError>;
}

/// An anchor in a file of two slots, as the state itself is.
#[derive(Debug)]
pub struct FileAnchor {
    medium: Box<dyn Medium>,
    /// What is in the file, and the slot where the next mark goes.
    found: Option<(Mark, usize)>,
    /// The whole file, as this handle has left it.
    image: Option<Image>,
}

impl FileAnchor {
    /// The anchor at `path`, which should be on another medium than the state.
    ///
    /// ```
    /// let anchor = oaklath_stores::FileAnchor::new("/srv/elsewhere/firmware.anchor");
    /// assert!(format!("{anchor:?}").contains("firmware.anchor"));
    /// ```
    pub fn new(path: impl Into<PathBuf>) -> Self {
        // Another machine's disk is a good place for it: the state's own lock keeps signers out.
        Self::on(Disk::new(path).on_any_file_system())
    }

    /// The anchor on any medium.
    pub fn on(medium: impl Medium + 'static) -> Self {
        Self { medium: Box::new(medium), found: None, image: None }
    }

    /// What is in the file, and the slot where the next mark goes.
    fn read(&mut self) -> Result<Option<(Mark, usize)>, StoreError> {
        let Some(bytes) = self.medium.read().map_err(StoreError::io("read the anchor"))? else {
            return Ok(None);
        };
        if bytes.len() != STATE_LEN {
            return Err(StoreError::Corrupt("the anchor has the wrong length"));
        }
        let marks = [from_slot(&bytes[..SLOT_LEN]), from_slot(&bytes[SLOT_LEN..])];
        self.image = Some(Image::new(bytes));
        // Equal marks are those of a new anchor.
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
        // The writer of what was read, or of the file, may have been killed before it was durable.
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
