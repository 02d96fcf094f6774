//! The derivations of the secrets of one-time keys.
use crate::error::Error;

/// How the secrets of one-time keys are derived from the secret seed. The standard does not fix it,
/// and signatures do not show it, but a private key can only be used with its derivation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Derivation {
    /// `PRF_keygen` of seeds and address: SP 800-208, section 5. For new keys, here and in other
    /// implementations.
    #[default]
    Keygen,
    /// PRF of the address, then PRF of the chain number keyed by the result, as RFC 8391, section
    /// 3.1.7, suggests. For older keys of other implementations.
    Rfc8391,
}

impl Derivation {
    /// Returns the byte for the derivation at the end of a private key.
    pub(super) fn tail(self) -> u8 {
        match self {
            Self::Rfc8391 => 1,
            Self::Keygen => 2,
        }
    }

    /// Returns the derivation for the end of a private key, or
    /// [`Error::SecretKeyInconsistent`].
    pub(super) fn of_tail(tail: &[u8]) -> Result<Self, Error> {
        match tail {
            [1] => Ok(Self::Rfc8391),
            [2] => Ok(Self::Keygen),
            _ => Err(Error::SecretKeyInconsistent),
        }
    }
}
