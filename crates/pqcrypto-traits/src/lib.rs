//! The traits of `pqcrypto-traits` 0.3, which is no longer maintained (RUSTSEC-2026-0162): the same
//! modules, names and signatures. `oaklath-pqcrypto` implements them, and its documentation shows
//! how to rename the dependencies.
//!
//! ```
//! use oaklath_pqcrypto_traits::kem::{PublicKey, SecretKey};
//!
//! fn total(public: &impl PublicKey, secret: &impl SecretKey) -> usize {
//!     public.as_bytes().len() + secret.as_bytes().len()
//! }
//! ```
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

use core::fmt;

pub mod kem;
pub mod sign;

/// The result of reading an object.
pub type Result<T> = core::result::Result<T, Error>;

/// The reason why bytes are not a key, ciphertext, shared secret or signature.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The length is wrong; for a signature, more than the maximum.
    BadLength {
        /// The type of the object.
        name: &'static str,
        /// The length of the bytes.
        actual: usize,
        /// The length of the object.
        expected: usize,
    },
    /// The length is right, but the bytes are not a valid encoding: a KEM's public key with a
    /// coefficient out of range, or a secret key whose parts do not belong together.
    /// `pqcrypto-traits` has no such error, because those crates do not check.
    Malformed {
        /// The type of the object.
        name: &'static str,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadLength { name, actual, expected } => {
                write!(f, "{name} of {actual} bytes, expected {expected}")
            }
            Self::Malformed { name } => write!(f, "{name} is not an encoding"),
        }
    }
}

impl core::error::Error for Error {}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::string::ToString;

    use crate::Error;
    use crate::sign::VerificationError;

    #[test]
    fn errors_say_what_was_expected() {
        let length = Error::BadLength { name: "PublicKey", actual: 3, expected: 800 };
        assert_eq!(length.to_string(), "PublicKey of 3 bytes, expected 800");
        let malformed = Error::Malformed { name: "SecretKey" };
        assert_eq!(malformed.to_string(), "SecretKey is not an encoding");
        let invalid = VerificationError::InvalidSignature;
        assert_eq!(invalid.to_string(), "signature does not verify");
        let unknown = VerificationError::UnknownVerificationError;
        assert_eq!(unknown.to_string(), "verification failed for an unknown reason");
    }
}
