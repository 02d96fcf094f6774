//! Stateful hash-based signatures (SP 800-208): LMS and HSS (RFC 8554, RFC 9858), XMSS and XMSS^MT
//! (RFC 8391).
//!
//! Keys in X.509 have one object identifier for each scheme (RFC 9802); the parameter set is in the
//! key itself, as a type code.

pub mod lms;
pub mod xmss;

use crate::name::{self, Row};
use crate::oid::Oid;

/// A scheme with the object identifier that its keys and signatures have in X.509 (RFC 9802).
///
/// ```
/// use oaklath_params::stateful;
/// assert_eq!(stateful::scheme_by_name("hss/lms"), Some(&stateful::HSS_LMS));
/// assert_eq!(stateful::XMSS_MT.oid.as_str(), "1.3.6.1.5.5.7.6.35");
/// ```
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StatefulScheme {
    /// The name of the scheme.
    pub name: &'static str,
    /// The object identifier.
    pub oid: Oid,
}

/// HSS, which has LMS trees in one or more levels.
pub static HSS_LMS: StatefulScheme = StatefulScheme { name: "HSS/LMS", oid: HSS_LMS_OID };
/// XMSS.
pub static XMSS: StatefulScheme = StatefulScheme { name: "XMSS", oid: XMSS_OID };
/// XMSS^MT.
pub static XMSS_MT: StatefulScheme = StatefulScheme { name: "XMSSMT", oid: XMSS_MT_OID };

/// All schemes.
pub static SCHEMES: [&StatefulScheme; 3] = [&HSS_LMS, &XMSS, &XMSS_MT];

impl Row for StatefulScheme {
    fn names(&'static self) -> impl Iterator<Item = &'static str> {
        [self.name].into_iter()
    }
}

/// Returns the scheme with this name.
pub fn scheme_by_name(name: &str) -> Option<&'static StatefulScheme> {
    name::find(&SCHEMES, name)
}

/// The identifier of HSS and LMS in X.509: RFC 9802 (`id-alg-hss-lms-hashsig`).
pub const HSS_LMS_OID: Oid = Oid::new("1.2.840.113549.1.9.16.3.17");
/// The identifier of XMSS in X.509: RFC 9802 (`id-alg-xmss-hashsig`).
pub const XMSS_OID: Oid = Oid::new("1.3.6.1.5.5.7.6.34");
/// The identifier of XMSS^MT in X.509: RFC 9802 (`id-alg-xmssmt-hashsig`).
pub const XMSS_MT_OID: Oid = Oid::new("1.3.6.1.5.5.7.6.35");

/// The hash function of a parameter set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Hash {
    /// SHA-256, truncated to n bytes.
    Sha256,
    /// SHA-512.
    Sha512,
    /// SHAKE128 with n bytes of output.
    Shake128,
    /// SHAKE256 with n bytes of output.
    Shake256,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_find_schemes() {
        name::tests::every_name_finds_its_row(&SCHEMES);
        for scheme in SCHEMES {
            assert_eq!(scheme_by_name(scheme.name), Some(scheme));
        }
        assert_eq!(scheme_by_name("SPHINCS"), None);
        assert_eq!(scheme_by_name("17"), None);
    }
}
