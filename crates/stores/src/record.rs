//! The encoding of a state's records.
//!
//! Numbers are big-endian. A slot is a magic number of eight bytes, the record, zeros, and SHA-256
//! of everything before it, so that a slot that is torn or decayed anywhere is noticed. A record
//! has the fields common to all, then its optional fields in ascending order of tags: a tag of one
//! byte, a length of two bytes, and the value. An unknown tag makes the record unreadable, since
//! its value would be lost. Records of version 1, whose fields had fixed places, are read but not
//! written.

use std::path::{Path, PathBuf};

use oaklath_hash::sha2::sha256;

use crate::children::{Child, MOST_CHILDREN, from_bytes, to_bytes};
use crate::key_id::KeyId;
use crate::medium::SLOT_LEN;

const DIGEST: usize = 32;

/// The bound of record numbers. No store lives to write so many records, and no record could follow
/// one whose number is near the end of 64 bits.
pub(crate) const MOST_GENERATIONS: u64 = 1 << 62;

/// The maximum length in bytes of an anchor's path in a record.
pub(crate) const LONGEST_NAME: usize = 1024;

/// The kind of a slot's contents, including the version of its layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    State,
    /// A state of version 1.
    OldState,
    Anchor,
}

impl Kind {
    const fn magic(self) -> &'static [u8; 8] {
        match self {
            Self::State => b"oakst\0\0\x02",
            Self::OldState => b"oakst\0\0\x01",
            Self::Anchor => b"oakan\0\0\x01",
        }
    }
}

/// Returns a slot with these contents.
pub(crate) fn seal(kind: Kind, contents: &[u8]) -> [u8; SLOT_LEN] {
    let mut slot = [0; SLOT_LEN];
    slot[..8].copy_from_slice(kind.magic());
    slot[8..8 + contents.len()].copy_from_slice(contents);
    let digest = sha256(&slot[..SLOT_LEN - DIGEST]);
    slot[SLOT_LEN - DIGEST..].copy_from_slice(&digest);
    slot
}

/// Returns the contents of a slot, including the trailing zeros, if the slot is intact.
pub(crate) fn unseal(kind: Kind, slot: &[u8]) -> Option<&[u8]> {
    let (sealed, digest) = slot.split_at_checked(SLOT_LEN - DIGEST)?;
    let is_whole = sha256(sealed) == digest && sealed.starts_with(kind.magic());
    is_whole.then_some(&sealed[8..])
}

/// One record of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// The random name of the store, drawn when it was created.
    pub(crate) instance: [u8; 16],
    pub(crate) key: KeyId,
    /// The number of the record; even numbers are in the first slot.
    pub(crate) generation: u64,
    /// The next index: all indices below it are used up.
    pub(crate) next: u64,
    /// The first index after the range.
    pub(crate) end: u64,
    /// The maximum by which the next record may raise `next`.
    pub(crate) largest: u64,
    /// The generation of the anchor's mark when this record was written; `None` without an anchor.
    pub(crate) anchored: Option<u64>,
    /// The database that this record remembers; `None` if the record is that of a file store.
    pub(crate) origin: Option<Origin>,
    /// The newest children that upper one-time keys signed, for each level.
    pub(crate) children: Vec<Child>,
    /// A digest of the machine and the file that the record was written on; `None` if unknown.
    pub(crate) place: Option<[u8; 32]>,
    /// The path of the anchor; `None` if there is no anchor or it has no path.
    pub(crate) anchor: Option<PathBuf>,
    /// Whether a person has declined an anchor.
    pub(crate) is_unanchored: bool,
}

/// What a mark remembers of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// A digest that changes only if the database is another one.
    pub(crate) identity: [u8; 32],
    /// How often a person has declared the database valid after a restore.
    pub(crate) epoch: u64,
    /// The newest revision of the database that was seen.
    pub(crate) revision: u64,
    /// How many leases this machine has taken; 0 in a record of version 1.
    pub(crate) turn: u64,
}

/// The tags of the optional fields.
mod tag {
    pub(super) const ANCHORED: u8 = 1;
    pub(super) const ORIGIN: u8 = 2;
    pub(super) const CHILDREN: u8 = 3;
    pub(super) const PLACE: u8 = 4;
    pub(super) const ANCHOR: u8 = 5;
    pub(super) const UNANCHORED: u8 = 6;
}

impl Record {
    /// Returns the number of the slot in which the record belongs.
    pub(crate) fn slot(&self) -> usize {
        usize::from(self.generation % 2 == 1)
    }

    pub(crate) fn to_slot(&self) -> [u8; SLOT_LEN] {
        let mut bytes = Vec::with_capacity(SLOT_LEN);
        bytes.extend_from_slice(&self.instance);
        bytes.extend_from_slice(self.key.as_bytes());
        for number in [self.generation, self.next, self.end, self.largest] {
            bytes.extend_from_slice(&number.to_be_bytes());
        }
        let mut put = |tag: u8, value: &[u8]| {
            bytes.push(tag);
            bytes.extend_from_slice(&(value.len() as u16).to_be_bytes());
            bytes.extend_from_slice(value);
        };
        if let Some(anchored) = self.anchored {
            put(tag::ANCHORED, &anchored.to_be_bytes());
        }
        if let Some(origin) = &self.origin {
            put(tag::ORIGIN, &origin.to_bytes());
        }
        if !self.children.is_empty() {
            put(tag::CHILDREN, &to_bytes(&self.children));
        }
        if let Some(place) = &self.place {
            put(tag::PLACE, place);
        }
        if let Some(anchor) = self.anchor.as_deref().and_then(path_bytes) {
            put(tag::ANCHOR, anchor);
        }
        if self.is_unanchored {
            put(tag::UNANCHORED, &[]);
        }
        seal(Kind::State, &bytes)
    }

    /// Returns the record of a slot, if the slot is intact and the record makes sense.
    pub(crate) fn from_slot(slot: &[u8]) -> Option<Self> {
        let (contents, reads_fields): (_, fn(&mut Self, _) -> _) =
            match (unseal(Kind::State, slot), unseal(Kind::OldState, slot)) {
                (Some(contents), _) => (contents, Self::read_fields),
                (None, old) => (old?, Self::read_old_fields),
            };
        let mut bytes = Reader(contents);
        let mut record = Self {
            instance: bytes.take()?,
            key: KeyId::from_bytes(bytes.take()?),
            generation: bytes.number()?,
            next: bytes.number()?,
            end: bytes.number()?,
            largest: bytes.number()?,
            anchored: None,
            origin: None,
            children: Vec::new(),
            place: None,
            anchor: None,
            is_unanchored: false,
        };
        reads_fields(&mut record, bytes)?;
        let is_sensible = record.next <= record.end
            && record.generation < MOST_GENERATIONS
            && record.children.len() <= MOST_CHILDREN;
        is_sensible.then_some(record)
    }

    /// Reads the tagged fields up to the trailing zeros.
    fn read_fields(&mut self, mut bytes: Reader<'_>) -> Option<()> {
        let mut last = 0;
        loop {
            let [tag] = bytes.take()?;
            if tag == 0 {
                return bytes.zeros();
            }
            let len = usize::from(u16::from_be_bytes(bytes.take()?));
            let (value, rest) = bytes.0.split_at_checked(len)?;
            bytes = Reader(rest);
            if tag <= last {
                return None;
            }
            last = tag;
            let mut value = Reader(value);
            match tag {
                tag::ANCHORED => self.anchored = Some(value.number()?),
                tag::ORIGIN => {
                    let origin = value.origin()?;
                    self.origin = Some(Origin { turn: value.number()?, ..origin });
                }
                tag::CHILDREN => self.children = from_bytes(value.rest()).ok()?,
                tag::PLACE => self.place = Some(value.take()?),
                tag::ANCHOR => self.anchor = Some(path_from_bytes(value.rest())?),
                tag::UNANCHORED => self.is_unanchored = true,
                _ => return None,
            }
            if !value.0.is_empty() {
                return None;
            }
        }
    }

    /// Reads the fields of version 1.
    fn read_old_fields(&mut self, mut bytes: Reader<'_>) -> Option<()> {
        let (is_anchored, anchored) = (bytes.flag()?, bytes.number()?);
        self.anchored = is_anchored.then_some(anchored);
        let (is_remembered, origin) = (bytes.flag()?, bytes.origin()?);
        self.origin = is_remembered.then_some(origin);
        let [count] = bytes.take()?;
        self.children = (0..count).map(|_| bytes.child()).collect::<Option<_>>()?;
        bytes.zeros()
    }
}

impl Origin {
    fn to_bytes(self) -> Vec<u8> {
        let numbers = [self.epoch, self.revision, self.turn].map(u64::to_be_bytes);
        [&self.identity[..], numbers.as_flattened()].concat()
    }
}

/// Returns the bytes of a path, if another process can read them back as the same path.
pub(crate) fn path_bytes(path: &Path) -> Option<&[u8]> {
    #[cfg(unix)]
    return Some(std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()));
    #[cfg(not(unix))]
    path.to_str().map(str::as_bytes)
}

fn path_from_bytes(bytes: &[u8]) -> Option<PathBuf> {
    #[cfg(unix)]
    return Some(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes).into());
    #[cfg(not(unix))]
    std::str::from_utf8(bytes).ok().map(PathBuf::from)
}

/// A reader that takes values from the front of a byte string.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    /// Takes all that is left.
    fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }

    /// Checks that only zeros are left.
    fn zeros(&self) -> Option<()> {
        self.0.iter().all(|byte| *byte == 0).then_some(())
    }

    pub(crate) fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        self.take().map(u64::from_be_bytes)
    }

    fn flag(&mut self) -> Option<bool> {
        match self.take()? {
            [0] => Some(false),
            [1] => Some(true),
            [_] => None,
        }
    }

    fn origin(&mut self) -> Option<Origin> {
        let (identity, epoch, revision) = (self.take()?, self.number()?, self.number()?);
        Some(Origin { identity, epoch, revision, turn: 0 })
    }

    fn child(&mut self) -> Option<Child> {
        self.take().map(Child::from_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        let child = |level| Child { level, tree: 5, digest: [level as u8; 32] };
        Record {
            instance: [1; 16],
            key: KeyId::from_bytes([2; 32]),
            generation: 3,
            next: 4,
            end: 1 << 40,
            largest: 256,
            anchored: Some(2),
            origin: Some(Origin { identity: [9; 32], epoch: 7, revision: 8, turn: 5 }),
            children: (0..MOST_CHILDREN as u32).map(child).collect(),
            place: Some([3; 32]),
            anchor: Some("a".repeat(LONGEST_NAME).into()),
            is_unanchored: true,
        }
    }

    /// Encodes a record as version 1 of the layout did.
    fn old_slot(record: &Record) -> [u8; SLOT_LEN] {
        let mut bytes = [&record.instance[..], record.key.as_bytes()].concat();
        for number in [record.generation, record.next, record.end, record.largest] {
            bytes.extend_from_slice(&number.to_be_bytes());
        }
        bytes.push(1);
        bytes.extend_from_slice(&record.anchored.unwrap().to_be_bytes());
        bytes.push(1);
        // Version 1 did not count the leases of machines.
        bytes.extend_from_slice(&record.origin.unwrap().to_bytes()[..48]);
        bytes.push(record.children.len() as u8);
        bytes.extend_from_slice(&to_bytes(&record.children));
        seal(Kind::OldState, &bytes)
    }

    #[test]
    fn a_record_comes_back_from_its_slot() {
        let full = record();
        assert_eq!(Record::from_slot(&full.to_slot()), Some(full.clone()));
        let origin = full.origin.map(|origin| Origin { turn: 0, ..origin });
        let new = Record { place: None, anchor: None, is_unanchored: false, origin, ..full };
        assert_eq!(Record::from_slot(&old_slot(&new)), Some(new.clone()));
        let plain = Record { anchored: None, origin: None, children: vec![], ..new };
        assert_eq!(Record::from_slot(&plain.to_slot()), Some(plain));
    }

    #[test]
    fn fields_that_are_unknown_doubled_or_of_another_length_make_a_record_unreadable() {
        let plain =
            Record { anchored: None, origin: None, children: vec![], anchor: None, ..record() };
        let plain = Record { place: None, is_unanchored: false, ..plain };
        let fixed = &unseal(Kind::State, &plain.to_slot()).unwrap()[..16 + 32 + 4 * 8].to_vec();
        let with = |fields: &[u8]| Record::from_slot(&seal(Kind::State, &[fixed, fields].concat()));
        assert_eq!(with(&[]), Some(plain.clone()));
        assert_eq!(with(&[6, 0, 0]), Some(Record { is_unanchored: true, ..plain }));
        let long = [&[1, 0, 9][..], &[0; 9]].concat();
        for fields in [&[7, 0, 0][..], &[6, 0, 0, 6, 0, 0], &[6, 0, 1, 0], &long, &[3, 0xff, 0xff]]
        {
            assert_eq!(with(fields), None, "{fields:?}");
        }
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let slot = record().to_slot();
        for bit in 0..8 * SLOT_LEN {
            let mut damaged = slot;
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Record::from_slot(&damaged), None, "bit {bit}");
        }
    }

    #[test]
    fn slots_of_zeros_other_kinds_and_other_lengths_hold_no_record() {
        assert_eq!(Record::from_slot(&[0; SLOT_LEN]), None);
        let slot = record().to_slot();
        assert_eq!(Record::from_slot(&slot[..SLOT_LEN - 1]), None);
        let contents = unseal(Kind::State, &slot).unwrap();
        assert_eq!(Record::from_slot(&seal(Kind::Anchor, contents)), None);
        assert_eq!(Record::from_slot(&seal(Kind::OldState, contents)), None);
    }

    #[test]
    fn a_whole_slot_with_a_record_that_makes_no_sense_holds_none() {
        assert_eq!(Record::from_slot(&Record { next: 9, end: 8, ..record() }.to_slot()), None);
        let last = Record { generation: u64::MAX, ..record() };
        assert_eq!(Record::from_slot(&last.to_slot()), None);
        let many = vec![record().children[0]; MOST_CHILDREN + 1];
        assert_eq!(Record::from_slot(&Record { children: many, ..record() }.to_slot()), None);
    }
}
