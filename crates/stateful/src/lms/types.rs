//! Types of trees, and encoded public keys: RFC 8554, section 5.3.
use oaklath_params::stateful::Hash;
use oaklath_params::stateful::lms::{LmotsType, LmsType, lmots_by_typecode, lms_by_typecode};

use crate::error::Error;

/// The maximum number of levels of HSS: RFC 8554, section 6.
pub const MOST_LEVELS: usize = 8;

/// Bytes of an identifier I.
pub(super) const ID: usize = 16;

/// Bytes of the longest public key of LMS.
pub(super) const MOST_BYTES: usize = 4 + 4 + ID + 32;

/// The matching types of a tree and of its one-time signatures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LevelTypes {
    pub(super) lms: &'static LmsType,
    pub(super) lmots: &'static LmotsType,
}

impl LevelTypes {
    /// Looks up the types of type codes: [`Error::UnknownType`] if one is unknown, and
    /// [`Error::TypesDiffer`] if they do not match.
    pub(super) fn of_codes(lms: u32, lmots: u32) -> Result<Self, Error> {
        Self::new(
            lms_by_typecode(lms).ok_or(Error::UnknownType { found: lms })?,
            lmots_by_typecode(lmots).ok_or(Error::UnknownType { found: lmots })?,
        )
    }

    /// Returns [`Error::TypesDiffer`] if hash functions or lengths differ, since SP 800-208,
    /// section 4, requires the same hash function throughout a tree.
    pub(super) fn new(lms: &'static LmsType, lmots: &'static LmotsType) -> Result<Self, Error> {
        if (lms.hash, lms.m) != (lmots.hash, lmots.n) {
            return Err(Error::TypesDiffer);
        }
        Ok(Self { lms, lmots })
    }

    pub(super) fn hash_and_len(&self) -> (Hash, usize) {
        (self.lms.hash, self.lms.m)
    }

    /// Returns the number of bytes of an LMS signature.
    pub(super) fn signature(&self) -> usize {
        self.lms.signature(self.lmots)
    }
}

/// An encoded public key of LMS, a single tree.
#[derive(Clone, Copy)]
pub(super) struct KeyRef<'a> {
    pub(super) types: LevelTypes,
    /// The identifier I.
    pub(super) id: &'a [u8; ID],
    pub(super) root: &'a [u8],
}

impl<'a> KeyRef<'a> {
    /// Splits a key off the beginning of `bytes`.
    ///
    /// # Errors
    /// [`Error::PublicKeyLength`] and those of [`LevelTypes::of_codes`].
    pub(super) fn split(bytes: &'a [u8]) -> Result<(Self, &'a [u8]), Error> {
        let short = |expected| Error::PublicKeyLength { expected, found: bytes.len() };
        let (lms, rest) = word(bytes).ok_or(short(MOST_BYTES))?;
        let (lmots, rest) = word(rest).ok_or(short(MOST_BYTES))?;
        let types = LevelTypes::of_codes(lms, lmots)?;
        let expected = types.lms.public_key();
        let (id, rest) = rest.split_first_chunk().ok_or(short(expected))?;
        let (root, rest) = rest.split_at_checked(types.lms.m).ok_or(short(expected))?;
        Ok((Self { types, id, root }, rest))
    }
}

/// Splits a big-endian number off the beginning of `bytes`.
pub(super) fn word(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (word, rest) = bytes.split_first_chunk()?;
    Some((u32::from_be_bytes(*word), rest))
}
