//! The errors of this crate.
use core::fmt;

use crate::index::MOST_HEIGHTS;

/// Why an operation fails. Lengths are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A public key has the wrong length.
    PublicKeyLength {
        /// The length that the type of the key requires.
        expected: usize,
        /// The length that was given.
        found: usize,
    },
    /// A private key has the wrong length.
    SecretKeyLength {
        /// The length that the type of the key requires.
        expected: usize,
        /// The length that was given.
        found: usize,
    },
    /// A seed has the wrong length.
    SeedLength {
        /// The length that the parameter set requires.
        expected: usize,
        /// The length that was given.
        found: usize,
    },
    /// There is no parameter set with this number.
    UnknownType {
        /// The type code, or the object identifier of XMSS.
        found: u32,
    },
    /// The types of the tree and of the one-time signature of a level do not match: they have
    /// different hash functions or lengths.
    TypesDiffer,
    /// HSS has 1 to 8 levels.
    Levels {
        /// The number of levels that was given.
        found: usize,
    },
    /// A hierarchy has more signatures than an index can count: the heights of a signing key may
    /// add up to at most 62.
    TooTall {
        /// The sum of heights.
        found: u32,
    },
    /// The parts of a private key do not belong together.
    SecretKeyInconsistent,
    /// A repeated computation had a different result, or the key has changed in memory: the memory
    /// or the CPU has failed.
    Fault,
    /// An index is beyond the end of the key. The index is used up.
    IndexBeyondEnd {
        /// The index.
        index: u64,
        /// How many signatures the key can make.
        signatures: u64,
    },
    /// The signature is not valid for the message and the key.
    Invalid,
    /// A cache of nodes does not belong to this key.
    CacheForeign,
    /// The caller has stopped a long computation.
    Cancelled,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PublicKeyLength { expected, found } => {
                write!(f, "public key of {found} bytes, expected {expected}")
            }
            Self::SecretKeyLength { expected, found } => {
                write!(f, "private key of {found} bytes, expected {expected}")
            }
            Self::SeedLength { expected, found } => {
                write!(f, "seed of {found} bytes, expected {expected}")
            }
            Self::UnknownType { found } => write!(f, "unknown parameter set {found:#010x}"),
            Self::TypesDiffer => {
                f.write_str("the types of tree and one-time signature do not go together")
            }
            Self::Levels { found } => write!(f, "{found} levels, expected 1 to 8"),
            Self::TooTall { found } => {
                write!(f, "heights add up to {found}, expected at most {MOST_HEIGHTS}")
            }
            Self::SecretKeyInconsistent => {
                f.write_str("the parts of the private key do not belong together")
            }
            Self::Fault => f.write_str("a fault of the memory or the CPU"),
            Self::IndexBeyondEnd { index, signatures } => {
                write!(f, "index {index} of a key of {signatures} signatures")
            }
            Self::Invalid => f.write_str("the signature is not valid"),
            Self::CacheForeign => f.write_str("the node cache does not belong to the key"),
            Self::Cancelled => f.write_str("cancelled"),
        }
    }
}

impl core::error::Error for Error {}
