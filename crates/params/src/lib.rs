//! The identity table of Oaklath: names, object identifiers, TLS codepoints, sizes, security
//! categories and status of every algorithm. It contains no code of any algorithm.
//!
//! | module | rows |
//! |---|---|
//! | [`kem`] | key encapsulation mechanisms: ML-KEM, Kyber, NTRU, SABER |
//! | [`curve`] | the classical halves: P-256, P-384, P-521, X25519 |
//! | [`group`] | TLS groups: a KEM alone, or a hybrid with a curve |
//! | [`sig`] | signatures and their identities: ML-DSA, SLH-DSA, Falcon, Dilithium, SPHINCS+ |
//! | [`hash`] | hash functions for messages that are hashed before signing |
//! | [`stateful`] | stateful hash-based signatures: LMS, HSS, XMSS, XMSS^MT |
//! | [`buffer`] | no rows: checks of callers' buffers |
//!
//! Modules with one table have `ALL`, its rows in the order of the source, and `by_name`, which
//! takes a name of any vocabulary (NIST, submission, wolfSSL, OQS, IANA), a number (`12093`,
//! `0x2f3d`) or a dotted object identifier. Names of algorithms are compared without regard to case
//! and the separators `-`, `_` and space: `ML-KEM-768` and `mlkem768` are the same name.
//!
//! ```
//! use oaklath_params::{group, kem, Status};
//!
//! let group = group::by_name("p521_kyber1024").unwrap();
//! assert_eq!(group.name, "P521_KYBER_LEVEL5");
//! assert_eq!(group.codepoint, 12093);
//! assert_eq!(group.client_share(), 133 + 1568);
//! assert_eq!(group.status, Status::Legacy);
//! assert_eq!(kem::by_name("ML-KEM-768"), Some(&kem::ML_KEM_768));
//! ```
//!
//! All sizes are in bytes. "The appendix" is "Experimenting with Post-Quantum Cryptography" in the
//! wolfSSL manual. Where a size follows from a formula, a `const` assertion beside the table checks
//! it.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(clippy::std_instead_of_core, clippy::alloc_instead_of_core)]

#[cfg(test)]
extern crate std;

#[macro_use]
mod macros;
pub mod buffer;
pub mod curve;
pub mod group;
pub mod hash;
pub mod kem;
mod name;
mod oid;
pub mod sig;
pub mod stateful;

pub use name::UnknownName;
pub use oid::Oid;

/// The form of a private key in the octet string `privateKey` of PKCS#8 (RFC 5958). Writers use
/// these forms; readers also accept others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PrivateKeyFormat {
    /// A CHOICE between the seed, the expanded key, and both: RFC 9881 (ML-DSA), RFC 9935 (ML-KEM).
    Choice {
        /// Length of the seed in bytes.
        seed: usize,
    },
    /// Only the bytes of the key: RFC 9909 (SLH-DSA).
    Raw,
    /// An inner OCTET STRING of the private key and the public key: the appendix, OQS-OpenSSL.
    Nested,
}

/// The status of the specification of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// A final standard (FIPS, SP, RFC); if the row has a codepoint or an object identifier, it is
    /// a registered one.
    Standard,
    /// A final algorithm under an unregistered codepoint, or an algorithm whose standard is still a
    /// draft.
    Draft,
    /// A round-3 candidate of NIST's competition, as the appendix lists it: kept for experiments
    /// and old peers.
    Legacy,
}

impl Status {
    /// Returns the status as one lower-case word.
    ///
    /// ```
    /// assert_eq!(oaklath_params::Status::Legacy.as_str(), "legacy");
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Draft => "draft",
            Self::Legacy => "legacy",
        }
    }
}

impl core::fmt::Display for Status {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::format;

    #[test]
    fn a_status_is_a_word_that_fills_a_column() {
        let words = [Status::Standard, Status::Draft, Status::Legacy].map(|s| format!("{s:>8}|"));
        assert_eq!(words, ["standard|", "   draft|", "  legacy|"]);
    }
}
