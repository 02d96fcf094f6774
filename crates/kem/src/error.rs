//! The errors of this crate.
use core::fmt;

use oaklath_params::buffer::Length;

/// Why an operation rejects its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A seed has the wrong length.
    SeedLength(Length),
    /// Coins for encapsulation have the wrong length.
    CoinsLength(Length),
    /// An encapsulation key has the wrong length.
    EncapsulationKeyLength(Length),
    /// A coefficient of an encapsulation key is not below q: FIPS 203, section 7.2.
    EncapsulationKeyNotCanonical,
    /// A decapsulation key has the wrong length.
    DecapsulationKeyLength(Length),
    /// A decapsulation key does not hold the hash of its encapsulation key: FIPS 203, section 7.3.
    DecapsulationKeyHash,
    /// The last polynomial of an NTRU decapsulation key is not invertible. The encapsulation key
    /// is recovered from its inverse.
    DecapsulationKeyNotInvertible,
    /// A ciphertext has the wrong length.
    CiphertextLength(Length),
    /// A key pair that was just made does not work: a hardware fault. Detected with the feature
    /// `pct`.
    Fault,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SeedLength(length) => write!(f, "seed of {length}"),
            Self::CoinsLength(length) => write!(f, "coins of {length}"),
            Self::EncapsulationKeyLength(length) => write!(f, "encapsulation key of {length}"),
            Self::EncapsulationKeyNotCanonical => {
                f.write_str("encapsulation key with a coefficient above 3328, expected at most 3328")
            }
            Self::DecapsulationKeyLength(length) => write!(f, "decapsulation key of {length}"),
            Self::DecapsulationKeyHash => f.write_str(
                "decapsulation key whose hash is not that of its encapsulation key, expected SHA3-256",
            ),
            Self::DecapsulationKeyNotInvertible => f.write_str(
                "decapsulation key whose last polynomial has no inverse, expected that of an NTRU key",
            ),
            Self::CiphertextLength(length) => write!(f, "ciphertext of {length}"),
            Self::Fault => f.write_str("key pair that was just made does not work"),
        }
    }
}

impl core::error::Error for Error {}
