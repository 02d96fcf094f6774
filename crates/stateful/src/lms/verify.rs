//! Verification: RFC 8554, Algorithms 4b and 6a, section 6.3. The key that each level signs is in
//! the signature, so levels need not wait for each other and can share lanes.
use alloc::vec::Vec;
use core::slice;

use oaklath_params::stateful::Hash;
use oaklath_tree::path::{Walk, climb};
use oaklath_tree::wots::{self, ChainJob, ChainMemory, Signed};
use oaklath_tree::{MAX_NODE, Node, Slot, TreeHash};

use crate::digest::digest_message;
use crate::error::Error;
use crate::key::Checked;
use crate::lms::hashes::{BATCH, D_MESG, GROUP, LmsHash};
use crate::lms::types::{ID, KeyRef, LevelTypes, word};
use crate::message::Message;

/// The signature of a level.
#[derive(Clone, Copy)]
struct SignedLevel<'a> {
    key: KeyRef<'a>,
    q: u32,
    /// The randomizer C.
    c: &'a [u8],
    /// The values of the one-time signature, the type of the tree, and the path.
    y_and_path: &'a [u8],
    message: Message<'a>,
}

impl<'a> SignedLevel<'a> {
    /// Splits an LMS signature off the beginning of `bytes`: RFC 8554, section 5.4. Returns `None`
    /// if it is malformed.
    fn split(key: KeyRef<'a>, bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let LevelTypes { lms, lmots } = key.types;
        let (q, rest) = word(bytes)?;
        let (lmots_code, rest) = word(rest)?;
        let (c, rest) = rest.split_at_checked(lmots.n)?;
        let of_y = lmots.n * lmots.p;
        let (y_and_path, rest) = rest.split_at_checked(of_y + 4 + lms.m * lms.h)?;
        let (lms_code, _) = word(&y_and_path[of_y..])?;
        let fits = (lms_code, lmots_code) == (lms.typecode, lmots.typecode) && q >> lms.h == 0;
        fits.then_some((Self { key, q, c, y_and_path, message: Message::from(&[]) }, rest))
    }
}

/// A chain of signatures, each of which signs the key of the next, and the last one the message.
/// They are parsed one by one.
#[derive(Clone, Copy)]
pub(super) struct SignatureChain<'a> {
    /// How many levels are left; `key` is that of the next.
    left: usize,
    key: KeyRef<'a>,
    rest: &'a [u8],
    message: Message<'a>,
}

impl<'a> SignatureChain<'a> {
    pub(super) fn of_lms(key: KeyRef<'a>, message: Message<'a>, signature: &'a [u8]) -> Self {
        Self { left: 1, key, rest: signature, message }
    }

    /// Starts the chain of an HSS signature. If it has another number of levels, returns
    /// [`Error::Invalid`].
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

    /// Parses the next level.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the bytes are not a signature of the types of its key, or if there are
    /// more bytes after the last level.
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
    pub(super) fn verify(self) -> Result<(), Error> {
        let mut result = Ok(());
        let climb_chains = |group: &mut LevelGroup<'a, GROUP>| match group.types.lms.hash {
            Hash::Shake256 => group.climb_chains::<12, 14>(),
            _ => group.climb_chains::<34, 36>(),
        };
        verify_levels(&mut [Some(self)], slice::from_mut(&mut result), climb_chains);
        result
    }

    /// Returns the index of the signature, and the keys that the upper levels sign.
    ///
    /// # Errors
    /// [`Error::Invalid`].
    pub(super) fn checked(mut self) -> Result<Checked, Error> {
        let (mut index, mut subtree_keys) = (0, Vec::new());
        while self.left > 0 {
            let level = self.take_level()?;
            // A signing key has at most 2^62 signatures; for longer ones the index is modulo 2^64.
            index = index << level.key.types.lms.h | u64::from(level.q);
            if self.left > 0 {
                level.message.absorb_by(&mut |key| subtree_keys.extend_from_slice(key));
            }
        }
        Ok(Checked { index, subtree_keys })
    }
}

/// Verifies signatures side by side, each with its result. Their chains, leaves and paths fill the
/// lanes. Of signatures, `chain_of` makes those of each level.
pub(super) fn verify_many<'a, T>(
    items: &[T],
    results: &mut [Result<(), Error>],
    chain_of: impl Fn(&T) -> Result<SignatureChain<'a>, Error>,
) {
    assert_eq!(items.len(), results.len(), "a result for each signature");
    for (items, results) in items.chunks(BATCH).zip(results.chunks_mut(BATCH)) {
        let mut chains = [None; BATCH];
        for ((item, chain), result) in items.iter().zip(&mut chains).zip(&mut *results) {
            *result = chain_of(item).map(|taken| *chain = Some(taken));
        }
        let climb = LevelGroup::<BATCH>::climb_chains::<{ 28 * BATCH }, { 29 * BATCH }>;
        verify_levels(&mut chains[..items.len()], results, climb);
    }
}

/// Verifies what is left of signatures, each with its result: of one type, as many levels at a time
/// as share the lanes, and equal levels as one. `climb_chains` is [`LevelGroup::climb_chains`] in
/// memory for so many.
fn verify_levels<'a, const TREES: usize>(
    chains: &mut [Option<SignatureChain<'a>>],
    results: &mut [Result<(), Error>],
    climb_chains: impl Fn(&mut LevelGroup<'a, TREES>),
) {
    while let Some(next) = chains.iter().flatten().find(|chain| chain.left > 0) {
        let mut group = LevelGroup::new(next.key.types);
        let mut signatures = [0_u16; TREES];
        for ((i, place), result) in (0..).zip(&mut *chains).zip(&mut *results) {
            while let Some(chain) = place
                && chain.left > 0
                && chain.key.types == group.types
                && !group.is_full()
            {
                match group.add(chain) {
                    Ok(level) => signatures[level] |= 1 << i,
                    Err(error) => (*place, *result) = (None, Err(error)),
                }
            }
        }
        if group.count > 0 {
            climb_chains(&mut group);
            group.climb_trees();
        }
        for level in (0..group.count).filter(|level| !group.leads_to_root(*level)) {
            for i in (0..chains.len()).filter(|i| signatures[level] >> i & 1 == 1) {
                (chains[i], results[i]) = (None, Err(Error::Invalid));
            }
        }
    }
}

/// Levels of one type, on the way to the roots of their trees. The functions are out of line, so
/// that only the arrays of one of them are on the stack at a time.
struct LevelGroup<'a, const TREES: usize> {
    types: LevelTypes,
    h: LmsHash<'a, TREES>,
    count: usize,
    slots: [Slot; TREES],
    signed: [Signed<'a>; TREES],
    roots: [&'a [u8]; TREES],
}

impl<'a, const TREES: usize> LevelGroup<'a, TREES> {
    fn new(types: LevelTypes) -> Self {
        Self {
            types,
            h: LmsHash::new(types.lmots),
            count: 0,
            slots: [Slot::default(); TREES],
            signed: [Signed::NONE; TREES],
            roots: [&[]; TREES],
        }
    }

    /// Whether no level more shares the lanes.
    fn is_full(&self) -> bool {
        self.count == self.h.lanes().clamp(GROUP, TREES)
    }

    /// Adds the next level of a signature, and returns its number, which may be that of an equal
    /// level.
    ///
    /// # Errors
    /// [`Error::Invalid`].
    #[inline(never)]
    fn add(&mut self, signature: &mut SignatureChain<'a>) -> Result<usize, Error> {
        let SignedLevel { key, q, c, y_and_path, message } = signature.take_level()?;
        let (i, height) = (self.count, self.types.lms.h as u32);
        (self.h.trees[i].id, self.h.trees[i].height) = (*key.id, height);
        self.slots[i] = Slot { layer: i as u16, leaf: q, ..Slot::default() };
        let node = message_digest(self.types, key.id, q, c, message);
        (self.signed[i], self.roots[i]) = (Signed { node, signature: y_and_path }, key.root);
        let parts = |at: usize| {
            (&self.h.trees[at].id, self.slots[at].leaf, &self.signed[at], self.roots[at])
        };
        let level = (0..i).find(|at| parts(*at) == parts(i)).unwrap_or(i);
        self.count += usize::from(level == i);
        Ok(level)
    }

    /// Replaces digests by the leaves to which signatures lead. With SHA-256, all chains of a key
    /// with digits of eight bits are advanced at a time, or half of those of a key with digits of
    /// four bits; with SHAKE256, three times as many chains as AVX2 has lanes.
    #[inline(never)]
    fn climb_chains<const JOBS: usize, const VALUES: usize>(&mut self) {
        const { assert!(VALUES == JOBS + TREES) };
        let mut jobs = [ChainJob::NONE; JOBS];
        let mut values = [[0; 32]; VALUES];
        let mut memory = ChainMemory { jobs: &mut jobs, values: values.as_flattened_mut() };
        let (slots, signed) = (&self.slots[..self.count], &mut self.signed[..self.count]);
        wots::leaves(&self.h, slots, signed, &mut memory);
    }

    /// Replaces leaves by the roots that their paths lead to.
    #[inline(never)]
    fn climb_trees(&mut self) {
        let (mut walks, LevelTypes { lms, lmots }) = ([Walk::NONE; TREES], self.types);
        for (i, walk) in walks[..self.count].iter_mut().enumerate() {
            let (slot, Signed { node, signature }) = (self.slots[i], self.signed[i]);
            let path = &signature[lmots.n * lmots.p + 4..];
            *walk = Walk { slot, index: slot.leaf, node, path };
        }
        climb(&self.h, &mut walks[..self.count], lms.h as u32);
        self.signed.iter_mut().zip(walks).for_each(|(signed, walk)| signed.node = walk.node);
    }

    /// Whether a level has led to the root of its tree.
    fn leads_to_root(&self, level: usize) -> bool {
        self.signed[level].node[..self.roots[level].len()] == *self.roots[level]
    }
}

/// Computes Q, which is as long as a node and followed by zeros: RFC 8554, Algorithm 3.
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
