//! The classical halves of hybrid groups: ECDH over NIST's prime curves (SP 800-186) and X25519
//! (RFC 7748), as encoded in TLS 1.3 (RFC 8446, sections 4.2.8.2 and 7.4.2).

use crate::name::{self, Row};

/// A classical ECDH group. Sizes are in bytes.
///
/// ```
/// let p521 = &oaklath_params::curve::P521;
/// assert_eq!((p521.codepoint, p521.public_key, p521.shared_secret), (25, 133, 66));
/// ```
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CurveInfo {
    /// The preferred name: NIST's, or X25519.
    pub name: &'static str,
    /// The name in IANA's registry of TLS supported groups.
    pub iana: &'static str,
    /// wolfSSL's name.
    pub wolfssl: &'static str,
    /// OpenSSL's name.
    pub openssl: &'static str,
    /// The TLS codepoint.
    pub codepoint: u16,
    /// Length of a private scalar.
    pub private_key: usize,
    /// Length of a key share: an uncompressed point `04 || x || y`, or the u-coordinate of X25519.
    pub public_key: usize,
    /// Length of the shared secret: the x-coordinate, or the u-coordinate of X25519.
    pub shared_secret: usize,
}

impl CurveInfo {
    /// Returns every name of the curve, the preferred one first; a name may occur twice.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        [self.name, self.iana, self.wolfssl, self.openssl].into_iter()
    }
}

impl Row for CurveInfo {
    fn names(&'static self) -> impl Iterator<Item = &'static str> {
        self.names()
    }

    fn has_number(&'static self, number: u32) -> bool {
        u32::from(self.codepoint) == number
    }
}

/// Returns the curve with this name, in any vocabulary, or with this codepoint as a number.
///
/// ```
/// use oaklath_params::curve;
/// for name in ["P-256", "secp256r1", "prime256v1", "ECC_SECP256R1", "23", "0x17"] {
///     assert_eq!(curve::by_name(name), Some(&curve::P256));
/// }
/// ```
pub fn by_name(name: &str) -> Option<&'static CurveInfo> {
    name::find(ALL, name)
}

/// Returns the curve with this TLS codepoint.
///
/// ```
/// use oaklath_params::curve;
/// assert_eq!(curve::by_codepoint(29), Some(&curve::X25519));
/// ```
pub fn by_codepoint(codepoint: u16) -> Option<&'static CurveInfo> {
    ALL.iter().copied().find(|curve| curve.codepoint == codepoint)
}

macro_rules! curves {
    ($($id:ident $name:literal $iana:literal $wolfssl:literal $openssl:literal $codepoint:literal
       $private_key:literal $public_key:literal $shared_secret:literal)*) => {
        $(
            #[doc = concat!($name, ", TLS codepoint ", $codepoint, ".")]
            pub static $id: CurveInfo = CurveInfo {
                name: $name,
                iana: $iana,
                wolfssl: $wolfssl,
                openssl: $openssl,
                codepoint: $codepoint,
                private_key: $private_key,
                public_key: $public_key,
                shared_secret: $shared_secret,
            };
        )*
        /// Every curve of the table.
        pub static ALL: &[&CurveInfo] = &[$(&$id),*];
    };
}

curves! {
    // row  name      IANA         wolfSSL          OpenSSL      codepoint  scalar  share  secret
    P256   "P-256"   "secp256r1"  "ECC_SECP256R1"  "prime256v1"     23        32      65     32
    P384   "P-384"   "secp384r1"  "ECC_SECP384R1"  "secp384r1"      24        48      97     48
    P521   "P-521"   "secp521r1"  "ECC_SECP521R1"  "secp521r1"      25        66     133     66
    X25519 "X25519"  "x25519"     "ECC_X25519"     "X25519"         29        32      32     32
}

// A coordinate of p bits takes ceil(p / 8) bytes; an uncompressed point has two, after a tag.
const fn is_prime_curve(curve: &CurveInfo, p_bits: usize) -> bool {
    let coordinate = p_bits.div_ceil(8);
    curve.public_key == 1 + 2 * coordinate
        && curve.shared_secret == coordinate
        && curve.private_key == coordinate
}
const _: () = assert!(is_prime_curve(&P256, 256));
const _: () = assert!(is_prime_curve(&P384, 384));
const _: () = assert!(is_prime_curve(&P521, 521));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_codepoints_find_their_rows() {
        name::tests::every_name_finds_its_row(ALL);
        for &curve in ALL {
            assert_eq!(by_codepoint(curve.codepoint), Some(curve));
        }
        assert_eq!(by_codepoint(26), None);
    }

    #[test]
    fn the_formula_refuses_other_fields() {
        assert!(is_prime_curve(&P521, 521));
        assert!(!is_prime_curve(&P521, 520) && !is_prime_curve(&P521, 529));
        // A public key of X25519 is one coordinate.
        assert!(!is_prime_curve(&X25519, 255));
    }

    /// Looks up names of the registry, and codepoints in both notations.
    #[test]
    fn curves_by_name_and_number() {
        use std::format;
        for &curve in ALL {
            let number = curve.codepoint;
            for name in [curve.iana, &*format!("{number}"), &*format!("{number:#x}")] {
                assert_eq!(by_name(name), Some(curve), "{name}");
            }
        }
        assert_eq!(by_name("26"), None);
    }
}
