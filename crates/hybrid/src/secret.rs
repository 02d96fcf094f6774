//! The secret that both sides of an exchange compute.

use alloc::vec::Vec;
use core::fmt;

use zeroize::Zeroizing;

/// A shared secret, zeroized on drop.
pub struct SharedSecret(pub(crate) Zeroizing<Vec<u8>>);

impl SharedSecret {
    /// Returns the bytes: for a group, both halves in order, `shared_secret()` bytes of its row.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl From<&[u8]> for SharedSecret {
    fn from(secret: &[u8]) -> Self {
        Self(Zeroizing::new(secret.to_vec()))
    }
}

impl fmt::Debug for SharedSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedSecret").finish_non_exhaustive()
    }
}
