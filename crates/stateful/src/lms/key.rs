//! Private keys of HSS, and of LMS as HSS with one level.
use zeroize::Zeroizing;

use crate::error::Error;
use crate::hypertree::generation::Generation;
use crate::hypertree::signing_key::{HypertreeFamily, SigningKey, split_checksum};
use crate::key::Checked;
use crate::lms::levels::HssLevels;
use crate::lms::public::HssPublicKey;
use crate::lms::scheme::LmsScheme;
use crate::lms::types::{ID, LevelTypes, MOST_LEVELS, word};
use crate::message::Message;

/// LMS and HSS.
#[derive(Clone, Copy, Debug)]
pub struct Lms;

impl HypertreeFamily for Lms {
    type Parameters<'a> = &'a HssLevels;
    type PublicKey = HssPublicKey;
    type Scheme = LmsScheme;
    const SIGNING_KEY: &'static str = "HssSigningKey";
    const GENERATION: &'static str = "HssGeneration";

    fn seed_len(levels: &HssLevels) -> usize {
        levels.seed_len()
    }
    fn scheme(levels: &HssLevels, seed: &[u8]) -> Result<LmsScheme, Error> {
        let (expected, found) = (levels.seed_len(), seed.len());
        if expected != found {
            return Err(Error::SeedLength { expected, found });
        }
        Ok(LmsScheme::new(levels, seed))
    }
    fn public_key(scheme: &LmsScheme, root: &[u8]) -> HssPublicKey {
        let bytes = scheme.public_key(root);
        HssPublicKey::from_bytes(&bytes).expect("a public key of known types")
    }
    fn public_bytes(public: &HssPublicKey) -> &[u8] {
        public.as_bytes()
    }
    fn check(
        public: &HssPublicKey,
        message: Message<'_>,
        signature: &[u8],
    ) -> Result<Checked, Error> {
        public.check_message(message, signature)
    }
}

/// The generation of an HSS key.
pub type HssGeneration = Generation<Lms>;

/// A private key of HSS, or of LMS as HSS with one level (RFC 8554, section 6). The keys of lower
/// trees and the randomizers are derived from the seed as in Cisco's hash-sigs.
///
/// ```
/// use oaklath_params::stateful::lms;
/// use oaklath_stateful::{HssLevels, HssSigningKey, NODE_BYTES};
///
/// let levels = HssLevels::from(&lms::L3_H5_W4);
/// // In production it comes from a random generator.
/// let key = HssSigningKey::from_seed(&levels, &[7; 48], NODE_BYTES)?;
/// let kept = key.to_bytes();
/// let loaded = HssSigningKey::from_bytes(&kept, NODE_BYTES)?;
/// assert_eq!(loaded.public(), key.public());
/// # Ok::<(), oaklath_stateful::Error>(())
/// ```
pub type HssSigningKey = SigningKey<Lms>;

impl SigningKey<Lms> {
    /// Parses the bytes of [`to_bytes`](Self::to_bytes), with or without the checksum. No nodes are
    /// computed yet: the root is taken from the bytes, and a top tree that does not lead to it is
    /// rejected when it is computed.
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`], [`Error::SecretKeyInconsistent`] if public key, types and
    /// checksum do not match, and those of [`HssPublicKey::from_bytes`] and
    /// [`HssLevels::new`].
    pub fn from_bytes(bytes: &[u8], node_bytes: usize) -> Result<Self, Error> {
        let wrong_length = |expected| Error::SecretKeyLength { expected, found: bytes.len() };
        let begin = bytes.get(..12).ok_or(wrong_length(12))?;
        let (levels, begin) = word(begin).unwrap_or_default();
        let (lms, begin) = word(begin).unwrap_or_default();
        let (lmots, _) = word(begin).unwrap_or_default();
        let types = LevelTypes::of_codes(lms, lmots)?;
        let of_public = 4 + types.lms.public_key();
        let (public, rest) = bytes.split_at_checked(of_public).ok_or(wrong_length(of_public))?;
        let public = HssPublicKey::from_bytes(public)?;
        let (levels, seed) = HssLevels::split(levels as usize, rest)?;
        if levels.types()[0] != types {
            return Err(Error::SecretKeyInconsistent);
        }
        let of_all = bytes.len() - seed.len() + types.lms.m;
        let (_, checksum) = split_checksum(bytes, of_all)?;
        let seed = &seed[..types.lms.m];
        let (id, root) = public.top().as_bytes()[8..].split_at(ID);
        let seed = Zeroizing::new([seed, id].concat());
        Self::of_root(LmsScheme::new(&levels, &seed), root, node_bytes).checked_by(checksum)
    }

    /// Parses a private key of HSS in the format of Botan, which derives secrets as Cisco's
    /// hash-sigs does: the number of levels, an index, the types, the seed and I. The files of
    /// hash-sigs itself have another format. Computes the top tree. Also returns the index of the
    /// next signature, from which a store starts: the other program must never sign with the key
    /// again.
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`], [`Error::IndexBeyondEnd`], and those of [`HssLevels::new`].
    pub fn from_hash_sigs(bytes: &[u8], node_bytes: usize) -> Result<(Self, u64), Error> {
        let wrong_length = |expected| Error::SecretKeyLength { expected, found: bytes.len() };
        let (levels, rest) = word(bytes).ok_or(wrong_length(4))?;
        let (index, rest) = rest.split_first_chunk().ok_or(wrong_length(12))?;
        if levels as usize > MOST_LEVELS {
            return Err(Error::Levels { found: levels as usize });
        }
        let (levels, seed) = HssLevels::split(levels as usize, rest)?;
        if seed.len() != levels.seed_len() {
            return Err(wrong_length(bytes.len() - seed.len() + levels.seed_len()));
        }
        Self::from_seed(&levels, seed, node_bytes)?.continued_at(u64::from_be_bytes(*index))
    }
}
