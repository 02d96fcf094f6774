//! Public keys: RFC 8391, sections 4.1.7 and 4.2.3.
use alloc::vec::Vec;

use oaklath_params::stateful::xmss::{XmssInfo, xmss_by_oid, xmss_mt_by_oid};

use crate::xmss::verify::{Verify, split_index};
use crate::xmss::{Derivation, run};
use crate::{Checked, Error};

/// The longest public key: number, root and SEED of 64 bytes.
const MOST_BYTES: usize = 4 + 64 + 64;

/// A public key of XMSS or XMSS^MT: the number of the set, the root and SEED. This is what stands in a
/// certificate (RFC 9802), which says which of the two it is.
///
/// ```
/// use oaklath_stateful::{Error, XmssPublicKey};
///
/// let mut bytes = [0; 68];
/// bytes[3] = 1;
/// let key = XmssPublicKey::xmss_from_bytes(&bytes)?;
/// assert_eq!(key.info().name, "XMSS-SHA2_10_256");
/// assert_eq!(XmssPublicKey::xmss_mt_from_bytes(&bytes)?.info().name, "XMSSMT-SHA2_20/2_256");
/// assert_eq!(key.verify(b"message", &[0; 2500]), Err(Error::Invalid));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XmssPublicKey {
    info: &'static XmssInfo,
    bytes: [u8; MOST_BYTES],
}

impl XmssPublicKey {
    /// Parses a key of XMSS.
    ///
    /// # Errors
    /// [`Error::PublicKeyLength`], [`Error::UnknownType`].
    pub fn xmss_from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        Self::parse(bytes, xmss_by_oid)
    }

    /// Parses a key of XMSS^MT.
    ///
    /// # Errors
    /// [`Error::PublicKeyLength`], [`Error::UnknownType`].
    pub fn xmss_mt_from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        Self::parse(bytes, xmss_mt_by_oid)
    }

    /// Parses a key of a set.
    pub(super) fn of_info(info: &XmssInfo, bytes: &[u8]) -> Result<Self, Error> {
        match info.multi_tree {
            false => Self::xmss_from_bytes(bytes),
            true => Self::xmss_mt_from_bytes(bytes),
        }
    }

    fn parse(bytes: &[u8], by_number: fn(u32) -> Option<&'static XmssInfo>) -> Result<Self, Error> {
        let found = bytes.len();
        let number = bytes.first_chunk();
        let number = number.ok_or(Error::PublicKeyLength { expected: MOST_BYTES, found })?;
        let number = u32::from_be_bytes(*number);
        let info = by_number(number).ok_or(Error::UnknownType { found: number })?;
        let expected = info.public_key();
        if expected != found {
            return Err(Error::PublicKeyLength { expected, found });
        }
        let mut key = Self { info, bytes: [0; MOST_BYTES] };
        key.bytes[..found].copy_from_slice(bytes);
        Ok(key)
    }

    /// The key's bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.info.public_key()]
    }

    /// The parameter set.
    #[must_use]
    pub fn info(&self) -> &'static XmssInfo {
        self.info
    }

    /// Verifies a signature: RFC 8391, Algorithms 14 and 17. It takes no memory but 8 KiB
    /// of stack.
    ///
    /// # Errors
    /// [`Error::Invalid`].
    pub fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        self.verify_with(message, signature, |_| {}).map(|_| ())
    }

    /// Verifies a signature and says where in the hierarchy it was made.
    ///
    /// # Errors
    /// [`Error::Invalid`].
    pub fn check(&self, message: &[u8], signature: &[u8]) -> Result<Checked, Error> {
        let mut roots = Vec::new();
        let index = self.verify_with(message, signature, |root| roots.push(root.to_vec()))?;
        roots.reverse();
        Ok(Checked { index, subtree_keys: roots.concat() })
    }

    fn verify_with(
        &self,
        message: &[u8],
        signature: &[u8],
        roots: impl FnMut(&[u8]),
    ) -> Result<u64, Error> {
        let (root, seed) = self.as_bytes()[4..].split_at(self.info.n);
        let (index, signature) = split_index(self.info, signature)?;
        let task = Verify { info: self.info, root, message, index, signature, roots };
        run(self.info, (seed, None), Derivation::default(), task)?;
        Ok(index)
    }
}
