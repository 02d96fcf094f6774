//! Public keys: RFC 8554, sections 5.3 and 6.
use oaklath_params::stateful::lms::{LmotsType, LmsType};

use crate::error::Error;
use crate::key::Checked;
use crate::lms::types::{KeyRef, LevelTypes, MOST_BYTES, MOST_LEVELS, word};
use crate::lms::verify::{SignatureChain, verify_many};
use crate::message::Message;

/// A public key of LMS without HSS: type codes, I and the root (RFC 8554, section 5.3).
///
/// HSS with one level writes four bytes before it and its signatures: the number of levels, and of
/// signed public keys (section 6). So an [`HssSigningKey`](crate::HssSigningKey) with one level
/// signs for verifiers of LMS alone: the public key is `&public_key()[4..]`, a signature
/// `&signature[4..]`.
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
    types: LevelTypes,
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

    /// Returns the encoded key.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.types.lms.public_key()]
    }

    /// Returns the type of the tree.
    #[must_use]
    pub fn lms(&self) -> &'static LmsType {
        self.types.lms
    }

    /// Returns the type of the one-time signatures of the tree.
    #[must_use]
    pub fn lmots(&self) -> &'static LmotsType {
        self.types.lmots
    }

    /// Returns the number of bytes of a signature.
    #[must_use]
    pub fn signature_len(&self) -> usize {
        self.types.signature()
    }

    /// Verifies a signature: RFC 8554, Algorithm 6. Uses no heap.
    ///
    /// # Errors
    /// [`Error::Invalid`].
    pub fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        SignatureChain::of_lms(self.key_ref(), message.into(), signature).verify()
    }

    /// Verifies many signatures, each of a message and by a key, side by side, as
    /// [`HssPublicKey::verify_many`] does.
    ///
    /// # Panics
    /// If there is not one result for each signature.
    pub fn verify_many(signed: &[(&Self, &[u8], &[u8])], results: &mut [Result<(), Error>]) {
        verify_many(signed, results, |(key, message, signature)| {
            Ok(SignatureChain::of_lms(key.key_ref(), (*message).into(), signature))
        });
    }

    fn key_ref(&self) -> KeyRef<'_> {
        let (_, rest) = self.as_bytes().split_at(8);
        let (id, root) = rest.split_first_chunk().expect("I of 16 bytes");
        KeyRef { types: self.types, id, root }
    }
}

/// A public key of HSS: the number of levels and the key of the top tree (RFC 8554, section 6).
/// Certificates contain it in this form (RFC 9802).
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
    /// [`Error::Levels`] and those of [`LmsPublicKey::from_bytes`], in which lengths do not include
    /// the four bytes of the number of levels.
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

    /// Returns the encoded key.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..4 + self.top.as_bytes().len()]
    }

    /// Returns the number of levels, 1 to 8.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// Returns the key of the top tree. Those of the other levels are in signatures.
    #[must_use]
    pub fn top(&self) -> &LmsPublicKey {
        &self.top
    }

    /// Verifies a signature: RFC 8554, section 6.3. Uses no heap.
    ///
    /// # Errors
    /// [`Error::Invalid`].
    pub fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        self.chain(message.into(), signature)?.verify()
    }

    /// Verifies many signatures, each of a message and by a key, side by side: neighbours whose
    /// trees have one type fill the lanes that a single verification leaves empty. Each has its
    /// result. Takes no memory but 40 KiB of stack.
    ///
    /// ```
    /// use oaklath_stateful::{Error, HssPublicKey};
    ///
    /// let mut bytes = [0; 60];
    /// (bytes[3], bytes[7], bytes[11]) = (2, 6, 3); // L2_H10_W4
    /// let key = HssPublicKey::from_bytes(&bytes)?;
    /// let signed = [(&key, &b"one"[..], &[0; 5076][..]); 20];
    /// let mut results = [Ok(()); 20];
    /// HssPublicKey::verify_many(&signed, &mut results);
    /// assert_eq!(results, [Err(Error::Invalid); 20]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Panics
    /// If there is not one result for each signature.
    pub fn verify_many(signed: &[(&Self, &[u8], &[u8])], results: &mut [Result<(), Error>]) {
        verify_many(signed, results, |(key, message, signature)| {
            key.chain((*message).into(), signature)
        });
    }

    /// Verifies a signature and returns its index and the keys that its upper levels sign.
    ///
    /// # Errors
    /// [`Error::Invalid`].
    pub fn check(&self, message: &[u8], signature: &[u8]) -> Result<Checked, Error> {
        self.check_message(message.into(), signature)
    }

    /// Verifies a signature of a message that need not be in memory, and returns its index and the
    /// keys that its upper levels sign.
    ///
    /// # Errors
    /// [`Error::Invalid`].
    pub fn check_message(&self, message: Message<'_>, signature: &[u8]) -> Result<Checked, Error> {
        let chain = self.chain(message, signature)?;
        chain.verify()?;
        chain.checked()
    }

    fn chain<'a>(
        &'a self,
        message: Message<'a>,
        signature: &'a [u8],
    ) -> Result<SignatureChain<'a>, Error> {
        SignatureChain::of_hss(self.levels, self.top.key_ref(), message, signature)
    }
}
