//! Hash functions for messages that are hashed before they are signed: FIPS 204, section 5.4, and
//! FIPS 205, section 10.2.

use crate::name::{self, Row};
use crate::oid::Oid;

/// The number of content octets of the object identifiers here, which are 2.16.840.1.101.3.4.2.x.
const DER_LEN: usize = 9;

/// A hash function.
///
/// ```
/// let hash = oaklath_params::hash::by_name("SHA2-512/256").unwrap();
/// assert_eq!((hash.digest, hash.oid.as_str()), (32, "2.16.840.1.101.3.4.2.6"));
/// ```
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HashInfo {
    /// The name in NIST's test vectors.
    pub name: &'static str,
    /// The object identifier.
    pub oid: Oid,
    /// Other names: with one 2 only, and with a hyphen instead of a slash.
    aliases: &'static [&'static str],
    /// The length of a digest in bytes; for SHAKE128 and SHAKE256, that used by both standards.
    pub digest: usize,
    der: [u8; DER_LEN],
}

impl HashInfo {
    /// Returns the object identifier as the content octets of DER.
    ///
    /// ```
    /// use oaklath_params::hash::SHA2_256;
    /// assert_eq!(SHA2_256.oid_der().last(), Some(&1));
    /// ```
    pub const fn oid_der(&self) -> &[u8] {
        &self.der
    }
}

macro_rules! hashes {
    ($($id:ident $digest:literal $oid:literal $name:literal [$($alias:literal)*])*) => {
        $(
            #[doc = concat!($name, ": digests of ", $digest, " bytes.")]
            pub static $id: HashInfo = HashInfo {
                name: $name,
                oid: Oid::new($oid),
                aliases: &[$($alias),*],
                digest: $digest,
                der: Oid::new($oid).der_content(),
            };
        )*
        /// Every hash function of the table.
        pub static ALL: &[&HashInfo] = &[$(&$id),*];
    };
}

// NIST's CSOR, arc hashAlgs.
hashes! {
    // row       digest  OID                          name            other names
    SHA2_224     28      "2.16.840.1.101.3.4.2.4"     "SHA2-224"      ["SHA-224"]
    SHA2_256     32      "2.16.840.1.101.3.4.2.1"     "SHA2-256"      ["SHA-256"]
    SHA2_384     48      "2.16.840.1.101.3.4.2.2"     "SHA2-384"      ["SHA-384"]
    SHA2_512     64      "2.16.840.1.101.3.4.2.3"     "SHA2-512"      ["SHA-512"]
    SHA2_512_224 28      "2.16.840.1.101.3.4.2.5"     "SHA2-512/224"  ["SHA-512/224" "SHA2-512-224" "SHA-512-224"]
    SHA2_512_256 32      "2.16.840.1.101.3.4.2.6"     "SHA2-512/256"  ["SHA-512/256" "SHA2-512-256" "SHA-512-256"]
    SHA3_224     28      "2.16.840.1.101.3.4.2.7"     "SHA3-224"      []
    SHA3_256     32      "2.16.840.1.101.3.4.2.8"     "SHA3-256"      []
    SHA3_384     48      "2.16.840.1.101.3.4.2.9"     "SHA3-384"      []
    SHA3_512     64      "2.16.840.1.101.3.4.2.10"    "SHA3-512"      []
    SHAKE_128    32      "2.16.840.1.101.3.4.2.11"    "SHAKE-128"     []
    SHAKE_256    64      "2.16.840.1.101.3.4.2.12"    "SHAKE-256"     []
}

impl Row for HashInfo {
    fn names(&'static self) -> impl Iterator<Item = &'static str> {
        [self.name, self.oid.as_str()].into_iter().chain(self.aliases.iter().copied())
    }
}

/// Returns the hash function with this name or object identifier. Case, hyphens and underscores do
/// not count, nor does the 2 of SHA-2 before the size.
pub fn by_name(name: &str) -> Option<&'static HashInfo> {
    name::find(ALL, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_finds_its_row() {
        name::tests::every_name_finds_its_row(ALL);
        for &hash in ALL {
            assert_eq!(hash.oid_der().last(), Some(&(hash.oid.arcs().last().unwrap() as u8)));
        }
        for (name, found) in [
            ("sha256", &SHA2_256),
            ("SHA-224", &SHA2_224),
            ("sha512/256", &SHA2_512_256),
            ("sha2-512-224", &SHA2_512_224),
            ("sha3-384", &SHA3_384),
            ("Shake256", &SHAKE_256),
        ] {
            assert_eq!(by_name(name), Some(found));
        }
        assert!(by_name("MD5").is_none() && by_name("sha2").is_none());
    }
}
