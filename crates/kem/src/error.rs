//! What can be wrong with bytes from outside.
use core::fmt;

use oaklath_params::{Status, kem};

use crate::lattice::Invalid;

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
    /// Coins for encapsulation have the wrong length.
    CoinsLength {
        /// What the algorithm takes.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// An encapsulation key has the wrong length.
    EncapsulationKeyLength {
        /// What the algorithm takes.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// A coefficient of an encapsulation key is not below q: FIPS 203, section 7.2.
    EncapsulationKeyNotCanonical,
    /// A decapsulation key has the wrong length.
    DecapsulationKeyLength {
        /// What the algorithm takes.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// A decapsulation key does not hold the hash of its encapsulation key: FIPS 203, section 7.3.
    DecapsulationKeyHash,
    /// The last polynomial of an NTRU decapsulation key has no inverse, from which the encapsulation
    /// key is recovered.
    DecapsulationKeyNotInvertible,
    /// A ciphertext has the wrong length.
    CiphertextLength {
        /// What the algorithm takes.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// A key pair that was just made does not work: a fault of the machine. Noticed with the feature `pct`.
    Fault,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut length = |what, expected: &usize, found: &usize| {
            write!(f, "{what} of {found} bytes, expected {expected}")
        };
        match self {
            Self::SeedLength { expected, found } => length("seed", expected, found),
            Self::CoinsLength { expected, found } => length("coins", expected, found),
            Self::EncapsulationKeyLength { expected, found } => {
                length("encapsulation key", expected, found)
            }
            Self::EncapsulationKeyNotCanonical => {
                f.write_str("encapsulation key with a coefficient above 3328, expected at most 3328")
            }
            Self::DecapsulationKeyLength { expected, found } => {
                length("decapsulation key", expected, found)
            }
            Self::DecapsulationKeyHash => f.write_str(
                "decapsulation key whose hash is not that of its encapsulation key, expected SHA3-256",
            ),
            Self::DecapsulationKeyNotInvertible => f.write_str(
                "decapsulation key whose last polynomial has no inverse, expected that of an NTRU key",
            ),
            Self::CiphertextLength { expected, found } => length("ciphertext", expected, found),
            Self::Fault => f.write_str("key pair that was just made does not work"),
        }
    }
}

impl core::error::Error for Error {}

#[cfg(feature = "legacy")]
impl From<crate::ntru::NoInverse> for Error {
    fn from(_: crate::ntru::NoInverse) -> Self {
        Self::DecapsulationKeyNotInvertible
    }
}

#[cfg(feature = "legacy")]
impl From<crate::saber::WrongHash> for Error {
    fn from(_: crate::saber::WrongHash) -> Self {
        Self::DecapsulationKeyHash
    }
}

impl From<Invalid> for Error {
    fn from(invalid: Invalid) -> Self {
        match invalid {
            Invalid::Coefficient => Self::EncapsulationKeyNotCanonical,
            Invalid::Hash => Self::DecapsulationKeyHash,
        }
    }
}

/// A name that no compiled algorithm has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownName {
    /// The row of the table that has the name, if one has it: its code is not compiled.
    pub known: Option<&'static kem::KemInfo>,
    /// The name that lies closest, if one is close.
    pub suggestion: Option<&'static str>,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.known, self.suggestion) {
            (Some(info), _) if info.status == Status::Legacy && !cfg!(feature = "legacy") => {
                write!(f, "{} is not in this build: it needs the feature `legacy`", info.name)
            }
            (Some(info), _) => write!(f, "{} is not implemented yet", info.name),
            (None, Some(name)) => write!(f, "unknown name of a KEM, expected perhaps {name}"),
            (None, None) => f.write_str("unknown name of a KEM"),
        }
    }
}

impl core::error::Error for UnknownName {}
