//! Verification: RFC 8554, Algorithms 4b and 6a, section 6.3. What each level signs is in the
//! signature, so levels do not wait for each other and share lanes.
use alloc::vec::Vec;

use oaklath_params::stateful::Hash;
use oaklath_tree::path::{Walk, climb};
use oaklath_tree::wots::{self, ChainJob, ChainMemory, Signed};
use oaklath_tree::{MAX_NODE, Node, Slot};

use crate::digest::digest_message;
use crate::error::Error;
use crate::key::Checked;
use crate::lms::hashes::{D_MESG, GROUP, LmsHash};
use crate::lms::types::{ID, KeyRef, LevelTypes, word};
use crate::message::Message;

/// A signature of one level.
#[derive(Clone, Copy)]
struct SignedLevel<'a> {
    key: KeyRef<'a>,
    q: u32,
    /// The randomizer C.
    c: &'a [u8],
    /// The values of the one-time signature.
    y: &'a [u8],
    path: &'a [u8],
    message: Message<'a>,
}

impl<'a> SignedLevel<'a> {
    /// Takes an LMS signature from the beginning of bytes: RFC 8554, section 5.4. What does not fit
    /// gives nothing.
    fn split(key: KeyRef<'a>, bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let LevelTypes { lms, lmots } = key.types;
        let (q, rest) = word(bytes)?;
        let (lmots_code, rest) = word(rest)?;
        let (c, rest) = rest.split_at_checked(lmots.n)?;
        let (y, rest) = rest.split_at_checked(lmots.n * lmots.p)?;
        let (lms_code, rest) = word(rest)?;
        let (path, rest) = rest.split_at_checked(lms.m * lms.h)?;
        let fits = (lms_code, lmots_code) == (lms.typecode, lmots.typecode) && q >> lms.h == 0;
        fits.then_some((Self { key, q, c, y, path, message: Message::from(&[]) }, rest))
    }
}

/// Signatures of which each signs the key of the next, and the last one the message; taken apart
/// one by one.
#[derive(Clone, Copy)]
pub(super) struct SignatureChain<'a> {
    /// Levels that are left, and the key of the next.
    left: usize,
    key: KeyRef<'a>,
    rest: &'a [u8],
    message: Message<'a>,
}

impl<'a> SignatureChain<'a> {
    pub(super) fn of_lms(key: KeyRef<'a>, message: Message<'a>, signature: &'a [u8]) -> Self {
        Self { left: 1, key, rest: signature, message }
    }

    /// # Errors
    /// [`Error::Invalid`] if the signature has another number of levels.
    pub(super) fn of_hss(
        levels: usize,
        key: KeyRef<'a>,
        message: Message<'a>,
        signature: &'a [u8],
    ) -> Result<Self, Error> {
        let (signed_keys, rest) = word(signature).ok_or(Error::Invalid)?;
        match signed_keys as usize + 1 == levels {
            true => Ok(Self { left: levels, key, rest, message }),
            false => Err(Error::Invalid),
        }
    }

    /// The next level.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the bytes are no signature by its key, or if there are more of them
    /// after the last level.
    fn take_level(&mut self) -> Result<SignedLevel<'a>, Error> {
        let (mut level, after) = SignedLevel::split(self.key, self.rest).ok_or(Error::Invalid)?;
        self.left -= 1;
        (level.message, self.rest) = (self.message, after);
        if self.left > 0 {
            (self.key, self.rest) = KeyRef::split(after).map_err(|_| Error::Invalid)?;
            level.message = after[..after.len() - self.rest.len()].into();
        } else if !after.is_empty() {
            return Err(Error::Invalid);
        }
        Ok(level)
    }

    /// # Errors
    /// [`Error::Invalid`].
    pub(super) fn verify(mut self) -> Result<(), Error> {
        while self.left > 0 {
            self.verify_group()?;
        }
        Ok(())
    }

    /// Verifies the next levels of one type, at most [`GROUP`] of them.
    ///
    /// # Errors
    /// [`Error::Invalid`] if a signature does not lead to the root of its tree.
    fn verify_group(&mut self) -> Result<(), Error> {
        let types = self.key.types;
        let mut group = LevelGroup::new(types);
        while group.count < GROUP && self.left > 0 && self.key.types == types {
            group.add(self)?;
        }
        match types.lms.hash {
            Hash::Shake256 => group.climb_chains::<12, 14>(),
            _ => group.climb_chains::<34, 36>(),
        }
        if group.lead_to_roots() { Ok(()) } else { Err(Error::Invalid) }
    }

    /// Where in the hierarchy the signature was made, and the keys that the upper levels sign.
    ///
    /// # Errors
    /// [`Error::Invalid`].
    pub(super) fn checked(mut self) -> Result<Checked, Error> {
        let (mut index, mut subtree_keys) = (0, Vec::new());
        while self.left > 0 {
            let level = self.take_level()?;
            // A signing key has no more than 2^62 signatures; of others this is modulo 2^64.
            index = index << level.key.types.lms.h | u64::from(level.q);
            if self.left > 0 {
                level.message.absorb_by(&mut |key| subtree_keys.extend_from_slice(key));
            }
        }
        Ok(Checked { index, subtree_keys })
    }
}

/// Levels of one type on the way to the roots of their trees. Its functions are out of line: the
/// stack has the arrays of one of them at a time.
struct LevelGroup<'a> {
    types: LevelTypes,
    h: LmsHash<'a>,
    count: usize,
    slots: [Slot; GROUP],
    signed: [Signed<'a>; GROUP],
    paths: [&'a [u8]; GROUP],
    roots: [&'a [u8]; GROUP],
}

impl<'a> LevelGroup<'a> {
    fn new(types: LevelTypes) -> Self {
        Self {
            types,
            h: LmsHash::new(types.lmots),
            count: 0,
            slots: [Slot::default(); GROUP],
            signed: [Signed::NONE; GROUP],
            paths: [&[]; GROUP],
            roots: [&[]; GROUP],
        }
    }

    /// Adds the next level of a signature.
    ///
    /// # Errors
    /// [`Error::Invalid`].
    #[inline(never)]
    fn add(&mut self, signature: &mut SignatureChain<'a>) -> Result<(), Error> {
        let SignedLevel { key, q, c, y, path, message } = signature.take_level()?;
        let (i, height) = (self.count, self.types.lms.h as u32);
        (self.h.trees[i].id, self.h.trees[i].height) = (*key.id, height);
        self.slots[i] = Slot { layer: i as u32, tree: 0, leaf: q };
        self.signed[i].node = message_digest(self.types, key.id, q, c, message);
        (self.signed[i].signature, self.paths[i], self.roots[i]) = (y, path, key.root);
        self.count += 1;
        Ok(())
    }

    /// Replaces digests by the leaves that signatures lead to. With SHA-256, all chains of a key
    /// whose digits have eight bits are advanced at a time, half of one whose digits have four;
    /// with SHAKE256 three times the lanes of AVX2.
    #[inline(never)]
    fn climb_chains<const JOBS: usize, const VALUES: usize>(&mut self) {
        const { assert!(VALUES == JOBS + GROUP) };
        let mut jobs = [ChainJob::NONE; JOBS];
        let mut values = [[0; 32]; VALUES];
        let mut memory = ChainMemory { jobs: &mut jobs, values: values.as_flattened_mut() };
        let (slots, signed) = (&self.slots[..self.count], &mut self.signed[..self.count]);
        wots::leaves(&self.h, slots, signed, &mut memory);
    }

    /// Whether leaves lead to the roots of their trees.
    #[inline(never)]
    fn lead_to_roots(&self) -> bool {
        let mut walks = [Walk::NONE; GROUP];
        for (i, walk) in walks[..self.count].iter_mut().enumerate() {
            let (slot, node, path) = (self.slots[i], self.signed[i].node, self.paths[i]);
            *walk = Walk { slot, index: slot.leaf, node, path };
        }
        climb(&self.h, &mut walks[..self.count], self.types.lms.h as u32);
        let mut ends = walks[..self.count].iter().zip(self.roots);
        ends.all(|(walk, root)| walk.node[..root.len()] == *root)
    }
}

/// Q, of which as many bytes count as a node has: RFC 8554, Algorithm 3.
pub(super) fn message_digest(
    types: LevelTypes,
    id: &[u8; ID],
    q: u32,
    c: &[u8],
    message: Message<'_>,
) -> Node {
    let mut node = [0; MAX_NODE];
    let parts = [id, &q.to_be_bytes()[..], &D_MESG.to_be_bytes(), c];
    digest_message(types.lms.hash, &parts, message, &mut node[..types.lms.m]);
    node
}
