//! Verification: RFC 8554, Algorithms 4b and 6a, section 6.3. What each level signs stands in the
//! signature, so levels do not wait for each other and share lanes.
use alloc::vec::Vec;

use oaklath_params::stateful::Hash;
use oaklath_simd::dispatch;
use oaklath_tree::Slot;
use oaklath_tree::chains::{Job, Signed, leaves};
use oaklath_tree::path::{Walk, climb};

use crate::digest::digest;
use crate::lms::MOST_LEVELS;
use crate::lms::family::{Family, Sha2, Shake};
use crate::lms::hashes::{D_MESG, Lms, Tree};
use crate::lms::public::{KeyRef, Types, word};
use crate::{Checked, Error};

/// Levels that share lanes, and chains of them that are on their way at a time: two levels fill the
/// lanes, and verification is to take little stack.
const GROUP: usize = 2;
const JOBS: usize = 48;

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

/// Signatures of which each signs the key of the next, and the last one the message.
pub(super) struct Chain<'a> {
    levels: [Option<Level<'a>>; MOST_LEVELS],
}

impl<'a> Chain<'a> {
    /// # Errors
    /// [`Error::Invalid`] if the bytes are no signature by such a key.
    pub(super) fn of_lms(
        key: KeyRef<'a>,
        message: &'a [u8],
        signature: &'a [u8],
    ) -> Result<Self, Error> {
        match Level::split(key, signature) {
            Some((level, [])) => {
                let mut levels = [None; MOST_LEVELS];
                levels[0] = Some(Level { message, ..level });
                Ok(Self { levels })
            }
            _ => Err(Error::Invalid),
        }
    }

    /// # Errors
    /// [`Error::Invalid`] if the bytes are no signature by such a key.
    pub(super) fn of_hss(
        levels: usize,
        top: KeyRef<'a>,
        message: &'a [u8],
        signature: &'a [u8],
    ) -> Result<Self, Error> {
        Self::parse(levels, top, message, signature).ok_or(Error::Invalid)
    }

    fn parse(
        count: usize,
        top: KeyRef<'a>,
        message: &'a [u8],
        signature: &'a [u8],
    ) -> Option<Self> {
        let (signed_keys, mut rest) = word(signature)?;
        if signed_keys as usize + 1 != count {
            return None;
        }
        let (mut levels, mut key) = ([None; MOST_LEVELS], top);
        for (number, to) in levels[..count].iter_mut().enumerate() {
            let (mut level, after) = Level::split(key, rest)?;
            if number + 1 == count {
                (level.message, rest) = (message, after);
            } else {
                (key, rest) = KeyRef::split(after).ok()?;
                level.message = &after[..after.len() - rest.len()];
            }
            *to = Some(level);
        }
        rest.is_empty().then_some(Self { levels })
    }

    /// # Errors
    /// [`Error::Invalid`].
    pub(super) fn verify(&self) -> Result<(), Error> {
        let mut rest = &self.levels[..];
        while let [Some(level), ..] = rest {
            let types = level.key.types;
            let alike =
                rest.iter().take_while(|next| next.is_some_and(|next| next.key.types == types));
            let alike = alike.take(GROUP);
            let (group, after) = rest.split_at(alike.count());
            rest = after;
            let valid = match (types.lms.hash, types.lms.m) {
                (Hash::Shake256, 24) => dispatch!(s => valid::<_, 24>(Shake::new(s), group)),
                (Hash::Shake256, _) => dispatch!(s => valid::<_, 32>(Shake::new(s), group)),
                (_, 24) => dispatch!(s => valid::<_, 24>(Sha2::new(s), group)),
                _ => dispatch!(s => valid::<_, 32>(Sha2::new(s), group)),
            };
            if !valid {
                return Err(Error::Invalid);
            }
        }
        Ok(())
    }

    /// Where the signature stands, and the keys that the upper levels sign.
    pub(super) fn checked(&self) -> Checked {
        let (mut index, mut subtree_keys) = (0, Vec::new());
        let mut levels = self.levels.iter().flatten().peekable();
        while let Some(level) = levels.next() {
            // A signing key has no more than 2^62 signatures; of others this is modulo 2^64.
            index = index << level.key.types.lms.h | u64::from(level.q);
            if levels.peek().is_some() {
                subtree_keys.extend_from_slice(level.message);
            }
        }
        Checked { index, subtree_keys }
    }
}

/// Whether the signatures of some levels, whose types are the same, lead to the roots of their trees.
fn valid<F: Family<N>, const N: usize>(family: F, levels: &[Option<Level<'_>>]) -> bool {
    let Some(Level { key: KeyRef { types, .. }, .. }) = levels.first().copied().flatten() else {
        return true;
    };
    let n = levels.len();
    let height = types.lms.h as u32;
    let mut trees = [const { Tree { id: [0; 16], height: 0, seed: [0; N] } }; GROUP];
    let mut signed = [Signed { slot: Slot::default(), node: [0; N], signature: &[] }; GROUP];
    let of_levels = trees.iter_mut().zip(&mut signed).zip(levels.iter().flatten());
    for (layer, ((tree, signed), level)) in (0..).zip(of_levels) {
        (tree.id, tree.height) = (*level.key.id, height);
        signed.slot = Slot { layer, tree: 0, leaf: level.q };
        signed.node = message_digest(types.lms.hash, level.key.id, level.q, level.c, level.message);
        signed.signature = level.y.as_chunks().0;
    }
    let h = Lms { family, lmots: types.lmots, trees: &trees };
    leaves(&h, &mut signed[..n], &mut [Job::NONE; JOBS]);
    let none = Walk { slot: Slot::default(), index: 0, node: [0; N], path: &[] };
    let mut walks = [none; GROUP];
    for ((walk, signed), level) in walks.iter_mut().zip(&signed).zip(levels.iter().flatten()) {
        let path = level.path.as_chunks().0;
        *walk = Walk { slot: signed.slot, index: level.q, node: signed.node, path };
    }
    climb(&h, &mut walks[..n], height);
    walks.iter().zip(levels.iter().flatten()).all(|(walk, level)| walk.node == level.key.root)
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
