//! Signatures.
use core::fmt;

use crate::Result;

/// The key that verifies.
pub trait PublicKey {
    /// Returns the bytes.
    fn as_bytes(&self) -> &[u8];

    /// Returns the object with these bytes.
    ///
    /// # Errors
    /// [`Error`](crate::Error) if the bytes do not encode such an object.
    fn from_bytes(bytes: &[u8]) -> Result<Self>
    where
        Self: Sized;
}

/// The key that signs.
pub trait SecretKey {
    /// Returns the bytes.
    fn as_bytes(&self) -> &[u8];

    /// Returns the object with these bytes.
    ///
    /// # Errors
    /// [`Error`](crate::Error) if the bytes do not encode such an object.
    fn from_bytes(bytes: &[u8]) -> Result<Self>
    where
        Self: Sized;
}

/// A message together with its signature; `open` returns the message if the signature verifies.
pub trait SignedMessage {
    /// Returns the bytes.
    fn as_bytes(&self) -> &[u8];

    /// Returns the object with these bytes.
    ///
    /// # Errors
    /// [`Error`](crate::Error) if the bytes do not encode such an object.
    fn from_bytes(bytes: &[u8]) -> Result<Self>
    where
        Self: Sized;
}

/// A signature without its message.
pub trait DetachedSignature {
    /// Returns the bytes.
    fn as_bytes(&self) -> &[u8];

    /// Returns the object with these bytes.
    ///
    /// # Errors
    /// [`Error`](crate::Error) if the bytes do not encode such an object.
    fn from_bytes(bytes: &[u8]) -> Result<Self>
    where
        Self: Sized;
}

/// The reason why a signature was rejected.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum VerificationError {
    /// The signature does not verify.
    InvalidSignature,
    /// Never returned by `oaklath-pqcrypto`.
    UnknownVerificationError,
}

impl fmt::Display for VerificationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InvalidSignature => "signature does not verify",
            Self::UnknownVerificationError => "verification failed for an unknown reason",
        })
    }
}

impl core::error::Error for VerificationError {}
