//! Key encapsulation.
use crate::Result;

/// The key that encapsulates.
pub trait PublicKey {
    /// Returns the bytes.
    fn as_bytes(&self) -> &[u8];

    /// Returns the object with these bytes.
    ///
    /// # Errors
    /// [`Error`](crate::Error) if the bytes do not encode such an object.
    fn from_bytes(bytes: &[u8]) -> Result<Self>
    where
        Self: Sized + Clone;
}

/// The key that decapsulates.
pub trait SecretKey {
    /// Returns the bytes.
    fn as_bytes(&self) -> &[u8];

    /// Returns the object with these bytes.
    ///
    /// # Errors
    /// [`Error`](crate::Error) if the bytes do not encode such an object.
    fn from_bytes(bytes: &[u8]) -> Result<Self>
    where
        Self: Sized + Clone;
}

/// The ciphertext that the sender sends to the owner of the keys.
pub trait Ciphertext {
    /// Returns the bytes.
    fn as_bytes(&self) -> &[u8];

    /// Returns the object with these bytes.
    ///
    /// # Errors
    /// [`Error`](crate::Error) if the bytes do not encode such an object.
    fn from_bytes(bytes: &[u8]) -> Result<Self>
    where
        Self: Sized + Clone + Copy;
}

/// The secret that both sides obtain.
pub trait SharedSecret {
    /// Returns the bytes.
    fn as_bytes(&self) -> &[u8];

    /// Returns the object with these bytes.
    ///
    /// # Errors
    /// [`Error`](crate::Error) if the bytes do not encode such an object.
    fn from_bytes(bytes: &[u8]) -> Result<Self>
    where
        Self: Sized + Clone + Copy;
}
