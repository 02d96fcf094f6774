//! The ways to the secrets of one-time keys.
use crate::error::Error;

/// How the secrets of one-time keys are made of the secret seed. It is no part of the standard's
/// interface: signatures do not show it, but a private key means something only with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Derivation {
    /// `PRF_keygen` of seeds and address: SP 800-208, section 5. That of new keys here and
    /// elsewhere.
    #[default]
    Keygen,
    /// PRF of the address, and of that and the number of the chain: what RFC 8391, section 3.1.7,
    /// suggests. For older foreign keys.
    Rfc8391,
}

impl Derivation {
    /// Returns the byte that means it at the end of a private key.
    pub(super) fn tail(self) -> u8 {
        match self {
            Self::Rfc8391 => 1,
            Self::Keygen => 2,
        }
    }

    /// # Errors
    /// [`Error::SecretKeyInconsistent`].
    pub(super) fn of_tail(tail: &[u8]) -> Result<Self, Error> {
        match tail {
            [1] => Ok(Self::Rfc8391),
            [2] => Ok(Self::Keygen),
            _ => Err(Error::SecretKeyInconsistent),
        }
    }
}
