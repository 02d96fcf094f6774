//! The identifier of the key that a state belongs to.

use std::fmt;

use oaklath_hash::sha2::sha256;
use oaklath_stateful::StatefulKey;

/// A digest by which a state identifies its key.
///
/// ```
/// use oaklath_stores::KeyId;
/// assert_ne!(KeyId::of(b"one public key"), KeyId::of(b"another"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyId([u8; 32]);

impl KeyId {
    /// Returns the identifier of a key: of its public key and the types of all its layers.
    #[must_use]
    pub fn of_key(key: &dyn StatefulKey) -> Self {
        Self::of(&key.identity())
    }

    /// Returns SHA-256 of the bytes that identify a key: [`StatefulKey::identity`].
    #[must_use]
    pub fn of(identity: &[u8]) -> Self {
        Self(sha256(identity))
    }

    /// Returns the identifier with these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the identifier's bytes.
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
