//! What can be wrong with bytes from outside.
use core::fmt;

use oaklath_params::{Status, sig};

/// Why an operation refuses its input. Lengths are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A seed has the wrong length.
    SeedLength {
        /// What the algorithm takes.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// Random bytes for a signature have the wrong length.
    CoinsLength {
        /// What the algorithm takes.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// A public key has the wrong length.
    PublicKeyLength {
        /// What the algorithm takes.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// A public key is not one in its canonical encoding.
    PublicKeyEncoding,
    /// A private key has the wrong length.
    SecretKeyLength {
        /// What the algorithm takes.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// A private key holds a number that is out of range.
    SecretKeyEncoding,
    /// A private key of ML-DSA or Dilithium holds a wrong hash of its public key (tr of FIPS 204,
    /// Algorithm 6); its other parts fit.
    SecretKeyHash,
    /// A private key of ML-DSA or Dilithium holds wrong low bits of t (t0 of FIPS 204, Algorithm 6);
    /// its other parts fit.
    SecretKeyLowBits,
    /// The parts of a private key do not belong together.
    SecretKeyInconsistent,
    /// A context is longer than 255 bytes.
    ContextLength {
        /// What was given.
        found: usize,
    },
    /// A digest has not the length of its hash function.
    DigestLength {
        /// What the hash function gives.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// The scheme does not sign messages of this form: a context, a digest or mu.
    MessageForm,
    /// A signature does not verify.
    InvalidSignature,
    /// A signature that was just made does not verify, or, with the feature `pct`, a key pair that was just made
    /// does not work: a fault of the machine.
    Fault,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut length = |what, expected: &usize, found: &usize| {
            write!(f, "{what} of {found} bytes, expected {expected}")
        };
        match self {
            Self::SeedLength { expected, found } => length("seed", expected, found),
            Self::CoinsLength { expected, found } => length("random bytes", expected, found),
            Self::PublicKeyLength { expected, found } => length("public key", expected, found),
            Self::PublicKeyEncoding => {
                f.write_str("public key in an encoding that is not canonical")
            }
            Self::SecretKeyLength { expected, found } => length("private key", expected, found),
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
            Self::DigestLength { expected, found } => length("digest", expected, found),
            Self::MessageForm => {
                f.write_str("message with a context, or in a form, that this scheme does not sign")
            }
            Self::InvalidSignature => f.write_str("signature does not verify"),
            Self::Fault => f.write_str("signature or key that was just made does not verify"),
        }
    }
}

impl core::error::Error for Error {}

/// A name that no compiled algorithm has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownName {
    /// The row of the table that has the name, if one has it: its code is not compiled.
    pub known: Option<&'static sig::SigInfo>,
    /// The name that lies closest, if one is close.
    pub suggestion: Option<&'static str>,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.known, self.suggestion) {
            (Some(info), _) if info.status == Status::Legacy && !cfg!(feature = "legacy") => {
                write!(f, "{} is not in this build: it needs the feature `legacy`", info.name)
            }
            (Some(info), _) if info.status == Status::Draft && !cfg!(feature = "fn-dsa-draft") => {
                write!(f, "{} is not in this build: it needs the feature `fn-dsa-draft`", info.name)
            }
            (Some(info), _) => write!(f, "{} is not implemented yet", info.name),
            (None, Some(name)) => {
                write!(f, "unknown name of a signature scheme, expected perhaps {name}")
            }
            (None, None) => f.write_str("unknown name of a signature scheme"),
        }
    }
}

impl core::error::Error for UnknownName {}
