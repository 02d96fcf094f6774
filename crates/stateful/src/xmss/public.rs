//! Public keys: RFC 8391, sections 4.1.7 and 4.2.3.
use alloc::vec::Vec;

use oaklath_params::stateful::xmss::XmssInfo;

use crate::error::Error;
use crate::key::Checked;
use crate::message::Message;
use crate::xmss::set::XmssTrees;
use crate::xmss::verify::{verify, verify_many};

/// Bytes of the longest public key: the number, and root and SEED of 64 bytes each.
const MOST_BYTES: usize = 4 + 64 + 64;

/// A public key of XMSS or XMSS^MT: the number of the set, the root and SEED. Certificates contain
/// it in this form, and say which of the two it is (RFC 9802).
///
/// ```
/// use oaklath_stateful::{Error, XmssPublicKey, XmssTrees};
///
/// let mut bytes = [0; 68];
/// bytes[3] = 1;
/// let key = XmssPublicKey::from_bytes(XmssTrees::Single, &bytes)?;
/// assert_eq!(key.info().name, "XMSS-SHA2_10_256");
/// let other = XmssPublicKey::from_bytes(XmssTrees::Multi, &bytes)?;
/// assert_eq!(other.info().name, "XMSSMT-SHA2_20/2_256");
/// assert_eq!(key.verify(b"message", &[0; 2500]), Err(Error::Invalid));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XmssPublicKey {
    info: &'static XmssInfo,
    bytes: [u8; MOST_BYTES],
}

impl XmssPublicKey {
    /// Parses a key of a set of XMSS or XMSS^MT.
    ///
    /// # Errors
    /// [`Error::PublicKeyLength`], [`Error::UnknownType`].
    pub fn from_bytes(trees: XmssTrees, bytes: &[u8]) -> Result<Self, Error> {
        let found = bytes.len();
        let info = trees.find(bytes, Error::PublicKeyLength { expected: MOST_BYTES, found })?;
        let expected = info.public_key();
        if expected != found {
            return Err(Error::PublicKeyLength { expected, found });
        }
        let mut key = Self { info, bytes: [0; MOST_BYTES] };
        key.bytes[..found].copy_from_slice(bytes);
        Ok(key)
    }

    /// Returns the encoded key.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.info.public_key()]
    }

    /// Returns the parameter set.
    #[must_use]
    pub fn info(&self) -> &'static XmssInfo {
        self.info
    }

    /// Verifies a signature: RFC 8391, Algorithms 14 and 17. Uses no heap, and 8 KiB of stack.
    ///
    /// # Errors
    /// [`Error::Invalid`].
    pub fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        verify(self.info, &self.as_bytes()[4..], message.into(), signature, &mut |_| {}).map(drop)
    }

    /// Verifies many signatures, each of a message and by a key, side by side: neighbours by one
    /// key fill the lanes that a single verification leaves empty. Each has its result. Takes no
    /// memory but 40 KiB of stack.
    ///
    /// # Panics
    /// If there is not one result for each signature.
    pub fn verify_many(signed: &[(&Self, &[u8], &[u8])], mut results: &mut [Result<(), Error>]) {
        assert_eq!(signed.len(), results.len(), "a result for each signature");
        for by_one in signed.chunk_by(|a, b| a.0 == b.0) {
            let (key, these) = (by_one[0].0, results.split_off_mut(..by_one.len()));
            let these = these.expect("a result for each signature");
            verify_many(key.info, &key.as_bytes()[4..], by_one, these);
        }
    }

    /// Verifies a signature and returns its index and the roots that its upper layers sign.
    ///
    /// # Errors
    /// [`Error::Invalid`].
    pub fn check(&self, message: &[u8], signature: &[u8]) -> Result<Checked, Error> {
        self.check_message(message.into(), signature)
    }

    /// Verifies a signature of a message that need not be in memory, and returns its index and the
    /// roots that its upper layers sign.
    ///
    /// # Errors
    /// [`Error::Invalid`].
    pub fn check_message(&self, message: Message<'_>, signature: &[u8]) -> Result<Checked, Error> {
        let mut roots = Vec::new();
        let mut push = |root: &[u8]| roots.push(root.to_vec());
        let index = verify(self.info, &self.as_bytes()[4..], message, signature, &mut push)?;
        roots.reverse();
        Ok(Checked { index, subtree_keys: roots.concat() })
    }
}
