//! Public keys: RFC 8554, sections 5.3 and 6.
use oaklath_params::stateful::Hash;
use oaklath_params::stateful::lms::{LmotsType, LmsType, lmots_by_typecode, lms_by_typecode};

use crate::lms::MOST_LEVELS;
use crate::lms::verify::Chain;
use crate::{Checked, Error};

/// The longest public key of LMS.
const MOST_BYTES: usize = 4 + 4 + 16 + 32;

/// The types of a tree and of its one-time signatures, which go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Types {
    pub(super) lms: &'static LmsType,
    pub(super) lmots: &'static LmotsType,
}

impl Types {
    /// # Errors
    /// [`Error::UnknownType`], [`Error::TypesDiffer`].
    pub(super) fn of_codes(lms: u32, lmots: u32) -> Result<Self, Error> {
        Self::new(
            lms_by_typecode(lms).ok_or(Error::UnknownType { found: lms })?,
            lmots_by_typecode(lmots).ok_or(Error::UnknownType { found: lmots })?,
        )
    }

    /// # Errors
    /// [`Error::TypesDiffer`]: SP 800-208, section 4, asks for one hash function in a tree.
    pub(super) fn new(lms: &'static LmsType, lmots: &'static LmotsType) -> Result<Self, Error> {
        if (lms.hash, lms.m) != (lmots.hash, lmots.n) {
            return Err(Error::TypesDiffer);
        }
        Ok(Self { lms, lmots })
    }

    pub(super) fn hash_and_len(&self) -> (Hash, usize) {
        (self.lms.hash, self.lms.m)
    }

    /// Length of an LMS signature.
    pub(super) fn signature(&self) -> usize {
        self.lms.signature(self.lmots)
    }
}

/// A public key of LMS, one tree, as it stands in bytes.
#[derive(Clone, Copy)]
pub(super) struct KeyRef<'a> {
    pub(super) types: Types,
    /// The identifier I.
    pub(super) id: &'a [u8; 16],
    pub(super) root: &'a [u8],
}

impl<'a> KeyRef<'a> {
    /// Takes a key from the beginning of bytes.
    ///
    /// # Errors
    /// [`Error::PublicKeyLength`] and those of [`Types::of_codes`].
    pub(super) fn split(bytes: &'a [u8]) -> Result<(Self, &'a [u8]), Error> {
        let short = |expected| Error::PublicKeyLength { expected, found: bytes.len() };
        let (lms, rest) = word(bytes).ok_or(short(MOST_BYTES))?;
        let (lmots, rest) = word(rest).ok_or(short(MOST_BYTES))?;
        let types = Types::of_codes(lms, lmots)?;
        let expected = types.lms.public_key();
        let (id, rest) = rest.split_first_chunk().ok_or(short(expected))?;
        let (root, rest) = rest.split_at_checked(types.lms.m).ok_or(short(expected))?;
        Ok((Self { types, id, root }, rest))
    }
}

/// A big-endian number at the beginning of bytes.
pub(super) fn word(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (word, rest) = bytes.split_first_chunk()?;
    Some((u32::from_be_bytes(*word), rest))
}

/// A public key of LMS alone, without HSS around it: type codes, I and the root (RFC 8554, section
/// 5.3).
///
/// ```
/// use oaklath_stateful::{Error, LmsPublicKey};
///
/// let mut bytes = [0; 56];
/// (bytes[3], bytes[7]) = (5, 3); // LMS_SHA256_M32_H5, LMOTS_SHA256_N32_W4
/// let key = LmsPublicKey::from_bytes(&bytes)?;
/// assert_eq!(key.as_bytes(), bytes);
/// assert_eq!(key.verify(b"message", &[0; 2348]), Err(Error::Invalid));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LmsPublicKey {
    types: Types,
    bytes: [u8; MOST_BYTES],
}

impl LmsPublicKey {
    /// Parses a key.
    ///
    /// # Errors
    /// [`Error::PublicKeyLength`], [`Error::UnknownType`], [`Error::TypesDiffer`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let (KeyRef { types, .. }, rest) = KeyRef::split(bytes)?;
        if !rest.is_empty() {
            let (expected, found) = (types.lms.public_key(), bytes.len());
            return Err(Error::PublicKeyLength { expected, found });
        }
        let mut key = Self { types, bytes: [0; MOST_BYTES] };
        key.bytes[..bytes.len()].copy_from_slice(bytes);
        Ok(key)
    }

    /// The key's bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.types.lms.public_key()]
    }

    /// The type of the tree.
    #[must_use]
    pub fn lms(&self) -> &'static LmsType {
        self.types.lms
    }

    /// The type of its one-time signatures.
    #[must_use]
    pub fn lmots(&self) -> &'static LmotsType {
        self.types.lmots
    }

    /// Length of a signature.
    #[must_use]
    pub fn signature_len(&self) -> usize {
        self.types.signature()
    }

    /// Verifies a signature: RFC 8554, Algorithm 6. Takes no memory but the stack.
    ///
    /// # Errors
    /// [`Error::Invalid`].
    pub fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        Chain::of_lms(self.key_ref(), message, signature).verify()
    }

    fn key_ref(&self) -> KeyRef<'_> {
        let (_, rest) = self.as_bytes().split_at(8);
        let (id, root) = rest.split_first_chunk().expect("I of 16 bytes");
        KeyRef { types: self.types, id, root }
    }
}

/// A public key of HSS: the number of levels and the top tree's key (RFC 8554, section 6). This is
/// what stands in a certificate (RFC 9802).
///
/// ```
/// use oaklath_stateful::{Error, HssPublicKey};
///
/// let mut bytes = [0; 60];
/// (bytes[3], bytes[7], bytes[11]) = (2, 6, 3); // L2_H10_W4
/// let key = HssPublicKey::from_bytes(&bytes)?;
/// assert_eq!((key.levels(), key.top().lms().h), (2, 10));
/// assert_eq!(key.verify(b"message", &[0; 5076]), Err(Error::Invalid));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HssPublicKey {
    levels: usize,
    top: LmsPublicKey,
    bytes: [u8; 4 + MOST_BYTES],
}

impl HssPublicKey {
    /// Parses a key.
    ///
    /// # Errors
    /// [`Error::Levels`] and those of [`LmsPublicKey::from_bytes`], whose lengths are without the four
    /// bytes of the number of levels.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let short = Error::PublicKeyLength { expected: 4 + MOST_BYTES, found: bytes.len() };
        let (levels, rest) = word(bytes).ok_or(short)?;
        let levels = levels as usize;
        if !(1..=MOST_LEVELS).contains(&levels) {
            return Err(Error::Levels { found: levels });
        }
        let top = LmsPublicKey::from_bytes(rest)?;
        let mut key = Self { levels, top, bytes: [0; 4 + MOST_BYTES] };
        key.bytes[..bytes.len()].copy_from_slice(bytes);
        Ok(key)
    }

    /// The key's bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..4 + self.top.as_bytes().len()]
    }

    /// Number of levels, 1 to 8.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// The key of the top tree. Those of the other levels stand in signatures.
    #[must_use]
    pub fn top(&self) -> &LmsPublicKey {
        &self.top
    }

    /// Verifies a signature: RFC 8554, section 6.3. Takes no memory but the stack.
    ///
    /// # Errors
    /// [`Error::Invalid`].
    pub fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        Chain::of_hss(self.levels, self.top.key_ref(), message, signature)?.verify()
    }

    /// Verifies a signature and says where in the hierarchy it was made.
    ///
    /// # Errors
    /// [`Error::Invalid`].
    pub fn check(&self, message: &[u8], signature: &[u8]) -> Result<Checked, Error> {
        let chain = Chain::of_hss(self.levels, self.top.key_ref(), message, signature)?;
        chain.verify()?;
        chain.checked()
    }
}
