//! The identity table of Oaklath: names, object identifiers, TLS codepoints, sizes, security
//! category and status of every algorithm, and nothing else. No code of any algorithm is here.
//!
//! | module | rows |
//! |---|---|
//! | [`kem`] | key encapsulation mechanisms: ML-KEM, Kyber, NTRU, SABER |
//! | [`curve`] | the classical halves: P-256, P-384, P-521, X25519 |
//! | [`group`] | TLS groups: a KEM alone, or with a curve |
//! | [`sig`] | signatures and their identities: ML-DSA, SLH-DSA, Falcon, Dilithium, SPHINCS+ |
//! | [`hash`] | hash functions of messages that are hashed before signing |
//! | [`stateful`] | stateful hash-based signatures: LMS, HSS, XMSS, XMSS^MT |
//! | [`buffer`] | no rows: how buffers of callers are checked |
//!
//! Every module has `ALL`, the rows in the order of the source, and `by_name`, which takes a name
//! of any vocabulary (NIST, submission, wolfSSL, OQS, IANA), a number (`12093`, `0x2f3d`) or a
//! dotted object identifier. Names are compared without regard to ASCII case and to the separators
//! `-`, `_` and space, so that `ML-KEM-768`, `ML_KEM_768` and `mlkem768` are one name.
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
//! All sizes are in bytes. "The appendix" is wolfSSL's appendix "Experimenting with Post-Quantum
//! Cryptography" (wolfSSL manual). Where a formula gives a size, a `const` assertion beside the
//! table ties the two together.
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

/// How the octet string `privateKey` of PKCS#8 (RFC 5958) holds a private key. These are the forms
/// to write; others exist, and readers take them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PrivateKeyFormat {
    /// A CHOICE of the seed, the expanded key, or both: RFC 9881 (ML-DSA), RFC 9935 (ML-KEM).
    Choice {
        /// Length of the seed in bytes.
        seed: usize,
    },
    /// The bytes of the key and nothing else: RFC 9909 (SLH-DSA).
    Raw,
    /// An inner OCTET STRING of the private key and the public key: the appendix, OQS-OpenSSL.
    Nested,
}

/// How far the specification of a row has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// A final standard (FIPS, SP, RFC), and where the row has a codepoint or an object
    /// identifier, a registered one.
    Standard,
    /// A final algorithm under a codepoint from no registry, or an algorithm whose standard is
    /// still a draft.
    Draft,
    /// A round-3 candidate of NIST's competition, as the appendix lists it: kept for experiments
    /// and old peers.
    Legacy,
}

impl Status {
    /// The status as one lower-case word.
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
