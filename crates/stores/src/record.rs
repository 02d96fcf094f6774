//! What a record of a state says, as bytes.
//!
//! Numbers are big-endian. A slot is a magic number of eight bytes, the record, zeros, and SHA-256
//! of all before it: a slot that is torn or decayed anywhere is noticed.

use oaklath_hash::sha2::sha256;

use crate::children::{Child, MOST_CHILDREN, to_bytes};
use crate::key_id::KeyId;
use crate::medium::SLOT_LEN;

const DIGEST: usize = 32;

/// No store lives to write so many records; behind a number near the last of 64 bits none could
/// follow.
pub(crate) const MOST_GENERATIONS: u64 = 1 << 62;

/// What a slot holds, which is also the version of its layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    State,
    Anchor,
}

impl Kind {
    const fn magic(self) -> &'static [u8; 8] {
        match self {
            Self::State => b"oakst\0\0\x01",
            Self::Anchor => b"oakan\0\0\x01",
        }
    }
}

/// A slot with these contents.
pub(crate) fn seal(kind: Kind, contents: &[u8]) -> [u8; SLOT_LEN] {
    let mut slot = [0; SLOT_LEN];
    slot[..8].copy_from_slice(kind.magic());
    slot[8..8 + contents.len()].copy_from_slice(contents);
    let digest = sha256(&slot[..SLOT_LEN - DIGEST]);
    slot[SLOT_LEN - DIGEST..].copy_from_slice(&digest);
    slot
}

/// The contents of a slot, with the zeros behind them, if it is whole.
pub(crate) fn unseal(kind: Kind, slot: &[u8]) -> Option<&[u8]> {
    let (sealed, digest) = slot.split_at_checked(SLOT_LEN - DIGEST)?;
    let is_whole = sha256(sealed) == digest && sealed.starts_with(kind.magic());
    is_whole.then_some(&sealed[8..])
}

/// One record of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// Drawn when the store was created.
    pub(crate) instance: [u8; 16],
    pub(crate) key: KeyId,
    /// Number of the record; even ones lie in the first slot.
    pub(crate) generation: u64,
    /// All indices below are used up.
    pub(crate) next: u64,
    /// The first index behind the range.
    pub(crate) end: u64,
    /// The record after this one has a `next` that is at most this much higher.
    pub(crate) largest: u64,
    /// The generation that the anchor had when this record was written; none without an anchor.
    pub(crate) anchored: Option<u64>,
    /// The database that this record remembers; none if the record is the state itself.
    pub(crate) origin: Option<Origin>,
    /// The newest children of each level that upper one-time keys signed.
    pub(crate) children: Vec<Child>,
}

/// What is remembered of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// A digest of what does not change while the database is the same.
    pub(crate) identity: [u8; 32],
    /// How often a person has declared it valid after it was restored.
    pub(crate) epoch: u64,
    /// The newest revision that was seen.
    pub(crate) revision: u64,
    /// How many leases this machine has taken. A record of before says none.
    pub(crate) turn: u64,
}

impl Record {
    /// The slot in which the record belongs.
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
        bytes.push(u8::from(self.anchored.is_some()));
        bytes.extend_from_slice(&self.anchored.unwrap_or(0).to_be_bytes());
        bytes.push(u8::from(self.origin.is_some()));
        let nothing = Origin { identity: [0; 32], epoch: 0, revision: 0, turn: 0 };
        let Origin { identity, epoch, revision, turn } = self.origin.unwrap_or(nothing);
        bytes.extend_from_slice(&identity);
        bytes.extend_from_slice(&epoch.to_be_bytes());
        bytes.extend_from_slice(&revision.to_be_bytes());
        bytes.push(self.children.len() as u8); // at most MOST_CHILDREN
        bytes.extend_from_slice(&to_bytes(&self.children));
        bytes.extend_from_slice(&turn.to_be_bytes());
        seal(Kind::State, &bytes)
    }

    /// The record of a slot, if the slot is whole and the record makes sense.
    pub(crate) fn from_slot(slot: &[u8]) -> Option<Self> {
        let mut bytes = Reader(unseal(Kind::State, slot)?);
        let instance = bytes.take()?;
        let key = KeyId::from_bytes(bytes.take()?);
        let [generation, next, end, largest] =
            [bytes.number()?, bytes.number()?, bytes.number()?, bytes.number()?];
        let (is_anchored, anchored) = (bytes.flag()?, bytes.number()?);
        let is_remembered = bytes.flag()?;
        let (identity, epoch, revision) = (bytes.take()?, bytes.number()?, bytes.number()?);
        let [count] = bytes.take()?;
        let children = (0..count).map(|_| bytes.child()).collect::<Option<Vec<_>>>()?;
        let origin = Origin { identity, epoch, revision, turn: bytes.number()? };
        let record = Self {
            instance,
            key,
            generation,
            next,
            end,
            largest,
            anchored: is_anchored.then_some(anchored),
            origin: is_remembered.then_some(origin),
            children,
        };
        let is_sensible =
            next <= end && generation < MOST_GENERATIONS && record.children.len() <= MOST_CHILDREN;
        is_sensible.then_some(record)
    }
}

/// Takes values from the front of bytes.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl Reader<'_> {
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
        }
    }

    #[test]
    fn a_record_comes_back_from_its_slot() {
        let full = record();
        assert_eq!(Record::from_slot(&full.to_slot()), Some(full.clone()));
        let plain = Record { anchored: None, origin: None, children: vec![], ..full };
        assert_eq!(Record::from_slot(&plain.to_slot()), Some(plain));
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
