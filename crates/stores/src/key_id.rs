//! Which key a state belongs to.

use std::fmt;

use oaklath_hash::sha2::sha256;

/// A digest of a public key, by which a state knows its key.
///
/// ```
/// use oaklath_stores::KeyId;
/// assert_ne!(KeyId::of(b"one public key"), KeyId::of(b"another"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyId([u8; 32]);

impl KeyId {
    /// SHA-256 of the public key's bytes, which name its parameter set.
    #[must_use]
    pub fn of(public_key: &[u8]) -> Self {
        Self(sha256(public_key))
    }

    /// The identifier of these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyId({self})")
    }
}
