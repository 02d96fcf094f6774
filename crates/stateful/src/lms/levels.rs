//! The parameters of HSS.
use alloc::vec::Vec;

use oaklath_params::stateful::lms::{LmotsType, LmsInfo, LmsType};

use crate::error::Error;
use crate::index::MOST_HEIGHTS;
use crate::lms::types::{ID, LevelTypes, MOST_LEVELS, word};

/// The levels of an HSS key, from the top down: for each, the types of its trees and of their
/// one-time signatures. All levels have the same hash function (SP 800-208, section 4).
///
/// ```
/// use oaklath_params::stateful::lms;
/// use oaklath_stateful::HssLevels;
///
/// let levels = HssLevels::from(&lms::L2_H10_W4);
/// assert_eq!((levels.signatures(), levels.signature_len()), (1 << 20, 5076));
/// // H20 above H15, the lower one with shorter signatures.
/// let mixed = HssLevels::new(&[
///     (&lms::LMS_SHA256_M32_H20, &lms::LMOTS_SHA256_N32_W4),
///     (&lms::LMS_SHA256_M32_H15, &lms::LMOTS_SHA256_N32_W8),
/// ])?;
/// assert_eq!(mixed.seed_len(), 32 + 16);
/// # Ok::<(), oaklath_stateful::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HssLevels(Vec<LevelTypes>);

impl HssLevels {
    /// Returns levels of the given types, from the top down.
    ///
    /// # Errors
    /// [`Error::Levels`], [`Error::TypesDiffer`], [`Error::TooTall`].
    pub fn new(levels: &[(&'static LmsType, &'static LmotsType)]) -> Result<Self, Error> {
        if !(1..=MOST_LEVELS).contains(&levels.len()) {
            return Err(Error::Levels { found: levels.len() });
        }
        let types: Result<Vec<_>, _> =
            levels.iter().map(|(lms, lmots)| LevelTypes::new(lms, lmots)).collect();
        let types = types?;
        if types.iter().any(|level| level.hash_and_len() != types[0].hash_and_len()) {
            return Err(Error::TypesDiffer);
        }
        let heights = types.iter().map(|level| level.lms.h as u32).sum();
        if heights > MOST_HEIGHTS {
            return Err(Error::TooTall { found: heights });
        }
        Ok(Self(types))
    }

    /// Returns the number of bytes of a seed, which is as long as a hash value and an identifier.
    #[must_use]
    pub fn seed_len(&self) -> usize {
        self.0[0].lms.m + ID
    }

    /// Returns how many signatures a key can make.
    #[must_use]
    pub fn signatures(&self) -> u64 {
        1 << self.0.iter().map(|level| level.lms.h).sum::<usize>()
    }

    /// Returns the number of bytes of a signature: the number of signed keys, signatures and keys.
    #[must_use]
    pub fn signature_len(&self) -> usize {
        let keys: usize = self.0[1..].iter().map(|level| level.lms.public_key()).sum();
        4 + keys + self.0.iter().map(LevelTypes::signature).sum::<usize>()
    }

    pub(super) fn types(&self) -> &[LevelTypes] {
        &self.0
    }

    /// Returns the type codes of all levels.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for types in &self.0 {
            bytes.extend(types.lms.typecode.to_be_bytes());
            bytes.extend(types.lmots.typecode.to_be_bytes());
        }
        bytes
    }

    /// Splits the type codes of `count` levels off the beginning of `bytes`.
    pub(super) fn split(count: usize, bytes: &[u8]) -> Result<(Self, &[u8]), Error> {
        let expected = 8 * count;
        let (codes, rest) = bytes
            .split_at_checked(expected)
            .ok_or(Error::SecretKeyLength { expected, found: bytes.len() })?;
        let types: Result<Vec<_>, _> = codes
            .as_chunks::<8>()
            .0
            .iter()
            .map(|codes| {
                let (lms, rest) = word(codes).unwrap_or_default();
                let (lmots, _) = word(rest).unwrap_or_default();
                LevelTypes::of_codes(lms, lmots).map(|types| (types.lms, types.lmots))
            })
            .collect();
        Ok((Self::new(&types?)?, rest))
    }
}

impl From<&LmsInfo> for HssLevels {
    fn from(set: &LmsInfo) -> Self {
        let types = LevelTypes { lms: set.lms, lmots: set.lmots };
        Self((0..set.levels).map(|_| types).collect())
    }
}
