//! Key encapsulation.
use crate::Result;

/// The key to encapsulate to.
pub trait PublicKey {
    /// Returns the bytes.
    fn as_bytes(&self) -> &[u8];

    /// Reads the bytes.
    ///
    /// # Errors
    /// [`Error`](crate::Error) if they are none.
    fn from_bytes(bytes: &[u8]) -> Result<Self>
    where
        Self: Sized + Clone;
}

/// The key that decapsulates.
pub trait SecretKey {
    /// Returns the bytes.
    fn as_bytes(&self) -> &[u8];

    /// Reads the bytes.
    ///
    /// # Errors
    /// [`Error`](crate::Error) if they are none.
    fn from_bytes(bytes: &[u8]) -> Result<Self>
    where
        Self: Sized + Clone;
}

/// What the sender sends to the owner of the keys.
pub trait Ciphertext {
    /// Returns the bytes.
    fn as_bytes(&self) -> &[u8];

    /// Reads the bytes.
    ///
    /// # Errors
    /// [`Error`](crate::Error) if they are none.
    fn from_bytes(bytes: &[u8]) -> Result<Self>
    where
        Self: Sized + Clone + Copy;
}

/// What both sides have in the end.
pub trait SharedSecret {
    /// Returns the bytes.
    fn as_bytes(&self) -> &[u8];

    /// Reads the bytes.
    ///
    /// # Errors
    /// [`Error`](crate::Error) if they are none.
    fn from_bytes(bytes: &[u8]) -> Result<Self>
    where
        Self: Sized + Clone + Copy;
}
