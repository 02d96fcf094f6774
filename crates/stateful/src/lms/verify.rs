//! Verification: RFC 8554, Algorithms 4b and 6a, section 6.3. What each level signs stands in the
//! signature, so levels do not wait for each other and share lanes.
use alloc::vec::Vec;

use oaklath_hash::shake_lanes;
use oaklath_params::stateful::Hash;
use oaklath_simd::dispatch;
use oaklath_tree::Slot;
use oaklath_tree::path::{Walk, climb};
use oaklath_tree::wots::{ChainMemory, Signed, leaves};

use crate::digest::digest;
use crate::lms::family::{Family, MOST_LANES, Sha2, Shake};
use crate::lms::hashes::{D_MESG, Lms, Tree};
use crate::lms::public::{KeyRef, Types, word};
use crate::{Checked, Error};

/// Levels that share lanes: two fill them, and verification is to take little stack.
const GROUP: usize = 2;

/// A signature of one level.
#[derive(Clone, Copy)]
struct Level<'a> {
    key: KeyRef<'a>,
    q: u32,
    /// The randomizer C.
    c: &'a [u8],
    /// The values of the one-time signature.
    y: &'a [u8],
    path: &'a [u8],
    message: &'a [u8],
}

impl<'a> Level<'a> {
    /// Takes an LMS signature from the beginning of bytes: RFC 8554, section 5.4. What does not fit
    /// gives nothing.
    fn split(key: KeyRef<'a>, bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let Types { lms, lmots } = key.types;
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

/// Signatures of which each signs the key of the next, and the last one the message; taken apart one
/// by one.
#[derive(Clone, Copy)]
pub(super) struct Chain<'a> {
    /// Levels that are left, and the key of the next.
    left: usize,
    key: KeyRef<'a>,
    rest: &'a [u8],
    message: &'a [u8],
}

impl<'a> Chain<'a> {
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
    fn take_level(&mut self) -> Result<Option<Level<'a>>, Error> {
        if self.left == 0 {
            return if self.rest.is_empty() { Ok(None) } else { Err(Error::Invalid) };
        }
        let (mut level, after) = Level::split(self.key, self.rest).ok_or(Error::Invalid)?;
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

    /// Where the signature stands, and the keys that the upper levels sign.
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
#[inline(never)]
fn valid_pair(levels: &[Level<'_>]) -> bool {
    let types = levels[0].key.types;
    match (types.lms.hash, types.lms.m) {
        (Hash::Shake256, 24) => {
            dispatch!(s => valid::<_, { shake_lanes::MOST }, 24>(Shake::<_, GROUP>::new(s), levels))
        }
        (Hash::Shake256, _) => {
            dispatch!(s => valid::<_, { shake_lanes::MOST }, 32>(Shake::<_, GROUP>::new(s), levels))
        }
        (_, 24) => dispatch!(s => valid::<_, MOST_LANES, 24>(Sha2::<_, GROUP>::new(s), levels)),
        _ => dispatch!(s => valid::<_, MOST_LANES, 32>(Sha2::<_, GROUP>::new(s), levels)),
    }
}

/// The leaves that signatures lead to. Out of line: on the way up its memory is free again.
#[inline(never)]
fn leaves_of<F: Family<N>, const LANES: usize, const N: usize>(
    h: &Lms<'_, F, LANES, N>,
    slots: &[Slot],
    signed: &mut [Signed<'_>],
) {
    let (mut jobs, mut values) = (F::JOBS, F::VALUES);
    let values = values.as_mut().as_flattened_mut();
    leaves(h, slots, signed, &mut ChainMemory { jobs: jobs.as_mut(), values });
}

#[inline(never)]
fn valid<F: Family<N>, const LANES: usize, const N: usize>(
    family: F,
    levels: &[Level<'_>],
) -> bool {
    let (n, types) = (levels.len(), levels[0].key.types);
    let height = types.lms.h as u32;
    let mut trees = [const { Tree { id: [0; 16], height: 0, seed: &[0; N] } }; GROUP];
    let (mut slots, mut signed) = ([Slot::default(); GROUP], [Signed::NONE; GROUP]);
    let of_levels = trees.iter_mut().zip(&mut slots).zip(&mut signed).zip(levels);
    for (layer, (((tree, slot), signed), level)) in (0..).zip(of_levels) {
        (tree.id, tree.height) = (*level.key.id, height);
        *slot = Slot { layer, tree: 0, leaf: level.q };
        let q: [u8; N] =
            message_digest(types.lms.hash, level.key.id, level.q, level.c, level.message);
        signed.node[..N].copy_from_slice(&q);
        signed.signature = level.y;
    }
    let h = Lms::<_, LANES, N> { family, lmots: types.lmots, trees: &trees };
    leaves_of(&h, &slots[..n], &mut signed[..n]);
    let mut walks = [Walk::NONE; GROUP];
    for (((walk, slot), signed), level) in walks.iter_mut().zip(slots).zip(&signed).zip(levels) {
        *walk = Walk { slot, index: level.q, node: signed.node, path: level.path };
    }
    climb(&h, &mut walks[..n], height);
    walks.iter().zip(levels).all(|(walk, level)| walk.node[..N] == *level.key.root)
}

/// Q: RFC 8554, Algorithm 3.
pub(super) fn message_digest<const N: usize>(
    hash: Hash,
    id: &[u8; 16],
    q: u32,
    c: &[u8],
    message: &[u8],
) -> [u8; N] {
    digest(hash, &[id, &q.to_be_bytes(), &D_MESG.to_be_bytes(), c, message])
}
