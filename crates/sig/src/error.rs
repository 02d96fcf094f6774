//! The errors of this crate.
use core::fmt;

use oaklath_params::buffer::Length;

/// Why an operation rejects its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A seed has the wrong length.
    SeedLength(Length),
    /// Random bytes for a signature have the wrong length.
    CoinsLength(Length),
    /// A public key has the wrong length.
    PublicKeyLength(Length),
    /// A public key is not in its canonical encoding.
    PublicKeyEncoding,
    /// A private key has the wrong length.
    SecretKeyLength(Length),
    /// A private key holds a number that is out of range.
    SecretKeyEncoding,
    /// A private key of ML-DSA, Dilithium or FN-DSA holds a wrong hash of its public key (tr of
    /// FIPS 204, Algorithm 6); its other parts are consistent.
    SecretKeyHash,
    /// A private key of ML-DSA or Dilithium holds wrong low bits of t (t0 of FIPS 204, Algorithm
    /// 6); its other parts are consistent.
    SecretKeyLowBits,
    /// The parts of a private key do not belong together.
    SecretKeyInconsistent,
    /// A context is longer than 255 bytes.
    ContextLength {
        /// The length that was given, in bytes.
        found: usize,
    },
    /// A digest does not have the length of its hash function.
    DigestLength(Length),
    /// The scheme does not sign messages in this form: with a context, as a digest or as mu.
    MessageForm,
    /// A signature does not verify.
    InvalidSignature,
    /// A signature that was just made does not verify, or, with the feature `pct`, a key pair that
    /// was just made does not work: a hardware fault.
    Fault,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SeedLength(length) => write!(f, "seed of {length}"),
            Self::CoinsLength(length) => write!(f, "random bytes of {length}"),
            Self::PublicKeyLength(length) => write!(f, "public key of {length}"),
            Self::PublicKeyEncoding => {
                f.write_str("public key in an encoding that is not canonical")
            }
            Self::SecretKeyLength(length) => write!(f, "private key of {length}"),
            Self::SecretKeyEncoding => f.write_str("private key with a number out of range"),
            Self::SecretKeyHash => {
                f.write_str("private key whose tr is not the hash of its public key")
            }
            Self::SecretKeyLowBits => {
                f.write_str("private key whose t0 is not that of its rho, s1 and s2")
            }
            Self::SecretKeyInconsistent => {
                f.write_str("private key whose parts do not belong together")
            }
            Self::ContextLength { found } => {
                write!(f, "context of {found} bytes, expected at most 255")
            }
            Self::DigestLength(length) => write!(f, "digest of {length}"),
            Self::MessageForm => {
                f.write_str("message with a context, or in a form, that this scheme does not sign")
            }
            Self::InvalidSignature => f.write_str("signature does not verify"),
            Self::Fault => f.write_str("signature or key that was just made does not verify"),
        }
    }
}

impl core::error::Error for Error {}
