//! Verification: RFC 8554, Algorithms 4b and 6a, section 6.3. What each level signs is in the
//! signature, so levels do not wait for each other and share lanes.
use alloc::vec::Vec;

use oaklath_params::stateful::Hash;
use oaklath_tree::path::{Walk, climb};
use oaklath_tree::wots::{self, ChainJob, ChainMemory, Signed};
use oaklath_tree::{MAX_NODE, Node, Slot};

use crate::digest::digest;
use crate::error::Error;
use crate::key::Checked;
use crate::lms::hashes::{D_MESG, GROUP, LmsHash};
use crate::lms::types::{ID, KeyRef, LevelTypes, word};

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
    message: &'a [u8],
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
        fits.then_some((Self { key, q, c, y, path, message: &[] }, rest))
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
    message: &'a [u8],
}

impl<'a> SignatureChain<'a> {
    pub(super) fn of_lms(key: KeyRef<'a>, message: &'a [u8], signature: &'a [u8]) -> Self {
        Self { left: 1, key, rest: signature, message }
    }

    /// # Errors
    /// [`Error::Invalid`] if the signature has another number of levels.
    pub(super) fn of_hss(
        levels: usize,
        key: KeyRef<'a>,
        message: &'a [u8],
        signature: &'a [u8],
    ) -> Result<Self, Error> {
        let (signed_keys, rest) = word(signature).ok_or(Error::Invalid)?;
        match signed_keys as usize + 1 == levels {
            true => Ok(Self { left: levels, key, rest, message }),
            false => Err(Error::Invalid),
        }
    }

    /// The next level; none at the end of the signature, where nothing may be left.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the bytes are no signature by its key.
    fn take_level(&mut self) -> Result<Option<SignedLevel<'a>>, Error> {
        if self.left == 0 {
            return if self.rest.is_empty() { Ok(None) } else { Err(Error::Invalid) };
        }
        let (mut level, after) = SignedLevel::split(self.key, self.rest).ok_or(Error::Invalid)?;
        self.left -= 1;
        (level.message, self.rest) = (self.message, after);
        if self.left > 0 {
            (self.key, self.rest) = KeyRef::split(after).map_err(|_| Error::Invalid)?;
            level.message = &after[..after.len() - self.rest.len()];
        }
        Ok(Some(level))
    }

    /// # Errors
    /// [`Error::Invalid`].
    pub(super) fn verify(mut self) -> Result<(), Error> {
        let mut next = self.take_level()?;
        while let Some(level) = next {
            next = self.take_level()?;
            let valid = match next.filter(|next| next.key.types == level.key.types) {
                Some(second) => {
                    next = self.take_level()?;
                    valid_pair(&[level, second])
                }
                None => valid_pair(&[level]),
            };
            if !valid {
                return Err(Error::Invalid);
            }
        }
        Ok(())
    }

    /// Where in the hierarchy the signature was made, and the keys that the upper levels sign.
    ///
    /// # Errors
    /// [`Error::Invalid`].
    pub(super) fn checked(mut self) -> Result<Checked, Error> {
        let (mut index, mut subtree_keys) = (0, Vec::new());
        while let Some(level) = self.take_level()? {
            // A signing key has no more than 2^62 signatures; of others this is modulo 2^64.
            index = index << level.key.types.lms.h | u64::from(level.q);
            if self.left > 0 {
                subtree_keys.extend_from_slice(level.message);
            }
        }
        Ok(Checked { index, subtree_keys })
    }
}

/// Whether the signatures of one level or two, whose types are the same, lead to the roots of their
/// trees.
fn valid_pair(levels: &[SignedLevel<'_>]) -> bool {
    let (count, types) = (levels.len(), levels[0].key.types);
    let (mut slots, mut signed) = ([Slot::default(); GROUP], [Signed::NONE; GROUP]);
    let mut h = LmsHash::new(types.lmots);
    for (i, level) in levels.iter().enumerate() {
        let SignedLevel { key, q, c, y, message, .. } = *level;
        (h.trees[i].id, h.trees[i].height) = (*key.id, types.lms.h as u32);
        slots[i] = Slot { layer: i as u32, tree: 0, leaf: q };
        signed[i] = Signed { node: message_digest(types, key.id, q, c, message), signature: y };
    }
    match types.lms.hash {
        Hash::Shake256 => leaves_of::<12, 14>(&h, &slots[..count], &mut signed[..count]),
        _ => leaves_of::<34, 36>(&h, &slots[..count], &mut signed[..count]),
    }
    lead_to_roots(&h, levels, &slots, &signed)
}

/// The leaves that signatures lead to: out of line, so that on the way up its memory is free again.
/// With SHA-256, all chains of a key whose digits have eight bits are advanced at a time, half of one
/// whose digits have four; with SHAKE256 three times the lanes of AVX2.
#[inline(never)]
fn leaves_of<const JOBS: usize, const VALUES: usize>(
    h: &LmsHash<'_>,
    slots: &[Slot],
    signed: &mut [Signed<'_>],
) {
    const { assert!(VALUES == JOBS + GROUP) };
    let (mut jobs, mut values) = ([ChainJob::NONE; JOBS], [[0; 32]; VALUES]);
    let values = values.as_flattened_mut();
    wots::leaves(h, slots, signed, &mut ChainMemory { jobs: &mut jobs, values });
}

/// Whether leaves lead to the roots of their trees. Out of line, too.
#[inline(never)]
fn lead_to_roots(
    h: &LmsHash<'_>,
    levels: &[SignedLevel<'_>],
    slots: &[Slot],
    signed: &[Signed<'_>],
) -> bool {
    let mut walks = [Walk::NONE; GROUP];
    for (i, level) in levels.iter().enumerate() {
        walks[i] = Walk { slot: slots[i], index: level.q, node: signed[i].node, path: level.path };
    }
    climb(h, &mut walks[..levels.len()], levels[0].key.types.lms.h as u32);
    let mut ends = walks.iter().zip(levels);
    ends.all(|(walk, SignedLevel { key, .. })| walk.node[..key.root.len()] == *key.root)
}

/// Q, of which as many bytes count as a node has: RFC 8554, Algorithm 3.
pub(super) fn message_digest(
    types: LevelTypes,
    id: &[u8; ID],
    q: u32,
    c: &[u8],
    message: &[u8],
) -> Node {
    let mut node = [0; MAX_NODE];
    let parts = [id, &q.to_be_bytes()[..], &D_MESG.to_be_bytes(), c, message];
    digest(types.lms.hash, &parts, &mut node[..types.lms.m]);
    node
}
