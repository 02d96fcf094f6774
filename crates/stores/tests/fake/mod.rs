//! A key whose signatures are digests, with the shape of a hierarchy and faults on demand.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use oaklath_stateful::{Checked, Error, Growth, Index, Message, StatefulKey, SubtreeLayer};

/// The length of a signature in bytes: index, keys of two layers, tag.
pub(crate) const SIGNATURE: usize = 8 + 4 + 4 + 8;

/// The number of signatures of a bottom tree, of a middle tree and of the key.
pub(crate) const TREES: [u64; 3] = [4, 8, 32];

/// The fault to inject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    Tag,
    Index,
    /// The key of the tree at this level.
    Child(usize),
    Refusal,
    Panic,
    /// A panic while the key grows.
    Growth,
}

/// Every index for which a signature was requested, in order, and the next fault.
#[derive(Clone, Debug, Default)]
pub(crate) struct Witness {
    pub(crate) indices: Arc<Mutex<Vec<u64>>>,
    pub(crate) checks: Arc<AtomicU64>,
    pub(crate) wrong: Arc<Mutex<Option<Wrong>>>,
    /// The number of leaves that are still to be grown.
    pub(crate) leaves: Arc<AtomicU32>,
}

#[derive(Debug)]
pub(crate) struct FakeKey {
    public: Vec<u8>,
    witness: Witness,
}

impl FakeKey {
    pub(crate) fn new(witness: &Witness) -> Self {
        Self { public: b"fake key".to_vec(), witness: witness.clone() }
    }

    fn subtrees(index: u64) -> [u8; 8] {
        let keys = [TREES[1], TREES[0]].map(|size| 0x5eed_0000 + (index / size) as u32);
        let mut bytes = [0; 8];
        bytes[..4].copy_from_slice(&keys[0].to_be_bytes());
        bytes[4..].copy_from_slice(&keys[1].to_be_bytes());
        bytes
    }
}

fn tag(message: &[u8], index: &[u8]) -> [u8; 8] {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for &byte in index.iter().chain(message) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash.to_be_bytes()
}

fn bytes(message: Message<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    message.absorb_by(&mut |piece| bytes.extend_from_slice(piece));
    bytes
}

impl StatefulKey for FakeKey {
    fn signatures(&self) -> u64 {
        TREES[2]
    }

    fn signatures_of_tree(&self) -> u64 {
        TREES[0]
    }

    fn public_key(&self) -> &[u8] {
        &self.public
    }

    fn signature_len(&self) -> usize {
        SIGNATURE
    }

    fn sign_message_at(
        &mut self,
        index: Index,
        message: Message<'_>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        self.witness.indices.lock().unwrap().push(index.value());
        let wrong = self.witness.wrong.lock().unwrap().take_if(|wrong| *wrong != Wrong::Growth);
        if wrong == Some(Wrong::Refusal) {
            return Err(Error::SecretKeyInconsistent);
        }
        let named = index.value() + u64::from(wrong == Some(Wrong::Index));
        let mut children = Self::subtrees(index.value());
        if let Some(Wrong::Child(level)) = wrong {
            children[7 - 4 * level] ^= 0x80;
        }
        out[..8].copy_from_slice(&named.to_be_bytes());
        out[8..16].copy_from_slice(&children);
        let tag = tag(&bytes(message), &named.to_be_bytes());
        out[16..SIGNATURE].copy_from_slice(&tag);
        out[16] ^= u8::from(wrong == Some(Wrong::Tag));
        assert_ne!(wrong, Some(Wrong::Panic), "a bug");
        Ok(SIGNATURE)
    }

    fn prepare(&mut self, index: u64) -> Result<(), Error> {
        assert!(index < self.signatures());
        Ok(())
    }

    fn set_growth(&mut self, _: Growth) {}

    fn grow(&mut self, leaves: u32) -> u32 {
        let wrong = self.witness.wrong.lock().unwrap().take_if(|wrong| *wrong == Wrong::Growth);
        assert_eq!(wrong, None, "a bug");
        let left = self.witness.leaves.load(Relaxed);
        self.witness.leaves.store(left.saturating_sub(leaves), Relaxed);
        left.min(leaves)
    }

    fn subtree_keys(&mut self, index: u64) -> Result<Vec<u8>, Error> {
        Ok(Self::subtrees(index).to_vec())
    }

    fn layers(&self) -> Vec<SubtreeLayer> {
        let layer = |signatures| SubtreeLayer { signatures, public_key: 4 };
        vec![layer(TREES[1]), layer(TREES[0])]
    }

    /// Accepts any children, as if an upper key had signed them.
    fn check_message(&self, message: Message<'_>, signature: &[u8]) -> Result<Checked, Error> {
        self.witness.checks.fetch_add(1, Relaxed);
        let (index, rest) = signature.split_first_chunk::<8>().ok_or(Error::Invalid)?;
        let (subtree_keys, found) = rest.split_at(8);
        if found != tag(&bytes(message), index) {
            return Err(Error::Invalid);
        }
        let index = u64::from_be_bytes(*index);
        Ok(Checked { index, subtree_keys: subtree_keys.to_vec() })
    }
}
