//! TLS 1.3 groups: a KEM alone, or a hybrid of a KEM and a curve.
//!
//! For a KEM alone, the client's share is the encapsulation key and the server's is the ciphertext.
//! In a hybrid, shares and secrets are concatenated without length prefixes, in the order that the
//! row specifies (draft-ietf-tls-hybrid-design, draft-ietf-tls-ecdhe-mlkem).

use crate::Status;
use crate::curve::{self, CurveInfo};
use crate::kem::{self, KemInfo};
use crate::name::{self, Row};

/// A TLS group. Sizes are in bytes.
///
/// ```
/// use oaklath_params::{curve, group, kem};
/// let group = &group::X25519MLKEM768;
/// assert_eq!(group.codepoint, 4588);
/// assert_eq!(group.curve, Some(&curve::X25519));
/// assert_eq!(group.kem, &kem::ML_KEM_768);
/// assert!(group.kem_first);
/// ```
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GroupInfo {
    /// The preferred name: IANA's if the registration is current, else wolfSSL's.
    pub name: &'static str,
    /// wolfSSL's name.
    pub wolfssl: Option<&'static str>,
    /// The name in the Open Quantum Safe forks and provider of OpenSSL.
    pub oqs: Option<&'static str>,
    /// The name in IANA's registry of TLS supported groups.
    pub iana: Option<&'static str>,
    /// The TLS codepoint.
    pub codepoint: u16,
    /// The status of the specification.
    pub status: Status,
    /// The classical half; `None` for a KEM alone.
    pub curve: Option<&'static CurveInfo>,
    /// The KEM.
    pub kem: &'static KemInfo,
    /// Whether the KEM's half comes first in shares and secret; true for a KEM alone.
    pub kem_first: bool,
}

impl GroupInfo {
    /// Returns the length of the client's share: encapsulation key and, in a hybrid, curve key.
    ///
    /// ```
    /// assert_eq!(oaklath_params::group::X25519MLKEM768.client_share(), 1184 + 32);
    /// ```
    pub const fn client_share(&self) -> usize {
        self.kem.public_key + self.curve_share()
    }

    /// Returns the length of the server's share: ciphertext and, in a hybrid, curve key.
    ///
    /// ```
    /// assert_eq!(oaklath_params::group::X25519MLKEM768.server_share(), 1088 + 32);
    /// ```
    pub const fn server_share(&self) -> usize {
        self.kem.ciphertext + self.curve_share()
    }

    /// Returns the length of the shared secret: the KEM's and, in a hybrid, the curve's.
    ///
    /// ```
    /// assert_eq!(oaklath_params::group::P521_KYBER_LEVEL5.shared_secret(), 66 + 32);
    /// ```
    pub const fn shared_secret(&self) -> usize {
        match self.curve {
            Some(curve) => self.kem.shared_secret + curve.shared_secret,
            None => self.kem.shared_secret,
        }
    }

    /// Reports whether the group is a hybrid of a curve and a KEM.
    pub const fn is_hybrid(&self) -> bool {
        self.curve.is_some()
    }

    /// Returns every name of the group, the preferred one first; a name may occur twice.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        [Some(self.name), self.wolfssl, self.oqs, self.iana].into_iter().flatten()
    }

    const fn curve_share(&self) -> usize {
        match self.curve {
            Some(curve) => curve.public_key,
            None => 0,
        }
    }
}

impl Row for GroupInfo {
    fn names(&'static self) -> impl Iterator<Item = &'static str> {
        self.names()
    }

    fn has_number(&'static self, number: u32) -> bool {
        u32::from(self.codepoint) == number
    }
}

/// Returns the group with this name, in any vocabulary, or with this codepoint as a number.
///
/// ```
/// use oaklath_params::group;
/// for name in ["P521_KYBER_LEVEL5", "p521_kyber1024", "12093", "0x2f3d"] {
///     assert_eq!(group::by_name(name), Some(&group::P521_KYBER_LEVEL5));
/// }
/// assert_eq!(group::by_name("secp256r1"), None); // a curve, see `curve::by_name`
/// ```
pub fn by_name(name: &str) -> Option<&'static GroupInfo> {
    name::find(ALL, name)
}

/// Returns the group with this TLS codepoint.
///
/// ```
/// use oaklath_params::group;
/// assert_eq!(group::by_codepoint(4588), Some(&group::X25519MLKEM768));
/// ```
pub fn by_codepoint(codepoint: u16) -> Option<&'static GroupInfo> {
    ALL.iter().copied().find(|group| group.codepoint == codepoint)
}

/// Returns the name that is closest to a mistyped one, if any is close.
///
/// ```
/// assert_eq!(oaklath_params::group::suggest("X25519MLKEM786"), Some("X25519MLKEM768"));
/// assert_eq!(oaklath_params::group::suggest("rot13"), None);
/// ```
pub fn suggest(name: &str) -> Option<&'static str> {
    name::suggest(ALL, name)
}

/// Expands the curve cell of a row: `-` is a KEM alone.
macro_rules! curve_cell {
    (-) => {
        None
    };
    ($curve:ident) => {
        Some(&curve::$curve)
    };
}

/// Expands the order cell of a row, `-` for a KEM alone, to whether the KEM comes first.
macro_rules! kem_first {
    (-) => {
        true
    };
    (kem) => {
        true
    };
    (curve) => {
        false
    };
}

macro_rules! groups {
    ($($id:ident $codepoint:literal $curve:tt $kem:ident $first:tt $status:ident
       $name:literal $wolfssl:tt $oqs:tt $iana:tt)*) => {
        $(
            #[doc = concat!($name, ", TLS codepoint ", $codepoint, ".")]
            pub static $id: GroupInfo = GroupInfo {
                name: $name,
                wolfssl: optional_cell!($name $wolfssl),
                oqs: optional_cell!($name $oqs),
                iana: optional_cell!($name $iana),
                codepoint: $codepoint,
                status: Status::$status,
                curve: curve_cell!($curve),
                kem: &kem::$kem,
                kem_first: kem_first!($first),
            };
        )*
        /// Every group of the table.
        pub static ALL: &[&GroupInfo] = &[$(&$id),*];
    };
}

// Codepoints and names: IANA's registry of TLS supported groups, the appendix, oqs-provider.
// The curve comes first except in hybrids of X25519 and ML-KEM. IANA calls 4585 `SecP256r1MLKEM512`
// (draft-rosomakho-tls-ecdhe-mlkem512); wolfSSL and its appendix use this name for 12107, which
// keeps it here. `=` repeats the preferred name, `-` is an empty cell.
groups! {
    // row                 codepoint  curve   KEM                first  status    name
    // wolfSSL                  OQS                     IANA
    MLKEM512                     512  -       ML_KEM_512         -      Standard  "MLKEM512"               "ML_KEM_512"             "mlkem512"              =
    MLKEM768                     513  -       ML_KEM_768         -      Standard  "MLKEM768"               "ML_KEM_768"             "mlkem768"              =
    MLKEM1024                    514  -       ML_KEM_1024        -      Standard  "MLKEM1024"              "ML_KEM_1024"            "mlkem1024"             =
    SECP256R1MLKEM768           4587  P256    ML_KEM_768         curve  Standard  "SecP256r1MLKEM768"      =                        =                       =
    X25519MLKEM768              4588  X25519  ML_KEM_768         kem    Standard  "X25519MLKEM768"         =                        =                       =
    SECP384R1MLKEM1024          4589  P384    ML_KEM_1024        curve  Standard  "SecP384r1MLKEM1024"     =                        =                       =
    SECP256R1MLKEM512          12107  P256    ML_KEM_512         curve  Draft     "SecP256r1MLKEM512"      =                        "p256_mlkem512"         -
    SECP384R1MLKEM768          12108  P384    ML_KEM_768         curve  Draft     "SecP384r1MLKEM768"      =                        "p384_mlkem768"         -
    SECP521R1MLKEM1024         12109  P521    ML_KEM_1024        curve  Draft     "SecP521r1MLKEM1024"     =                        "p521_mlkem1024"        -
    X25519MLKEM512             12214  X25519  ML_KEM_512         kem    Draft     "X25519MLKEM512"         =                        "x25519_mlkem512"       -
    SECP256R1MLKEM512_4585      4585  P256    ML_KEM_512         curve  Draft     "SecP256r1MLKEM512_4585" -                        -                       -
    MLKEM512X25519              4586  X25519  ML_KEM_512         kem    Draft     "MLKEM512X25519"         -                        =                       =

    KYBER_LEVEL1                 570  -       KYBER512           -      Legacy    "KYBER_LEVEL1"           =                        "kyber512"              -
    KYBER_LEVEL3                 572  -       KYBER768           -      Legacy    "KYBER_LEVEL3"           =                        "kyber768"              -
    KYBER_LEVEL5                 573  -       KYBER1024          -      Legacy    "KYBER_LEVEL5"           =                        "kyber1024"             -
    P256_KYBER_LEVEL1          12090  P256    KYBER512           curve  Legacy    "P256_KYBER_LEVEL1"      =                        "p256_kyber512"         -
    P384_KYBER_LEVEL3          12092  P384    KYBER768           curve  Legacy    "P384_KYBER_LEVEL3"      =                        "p384_kyber768"         -
    P521_KYBER_LEVEL5          12093  P521    KYBER1024          curve  Legacy    "P521_KYBER_LEVEL5"      =                        "p521_kyber1024"        -
    X25519_KYBER_LEVEL1        12089  X25519  KYBER512           curve  Legacy    "X25519_KYBER_LEVEL1"    =                        "x25519_kyber512"       -
    X25519_KYBER_LEVEL3        25497  X25519  KYBER768           curve  Legacy    "X25519_KYBER_LEVEL3"    =                        "x25519_kyber768"       "X25519Kyber768Draft00"
    P256_KYBER_LEVEL3          25498  P256    KYBER768           curve  Legacy    "P256_KYBER_LEVEL3"      =                        "p256_kyber768"         "SecP256r1Kyber768Draft00"

    KYBER_90S_LEVEL1             574  -       KYBER512_90S       -      Legacy    "KYBER_90S_LEVEL1"       =                        "kyber90s512"           -
    KYBER_90S_LEVEL3             575  -       KYBER768_90S       -      Legacy    "KYBER_90S_LEVEL3"       =                        "kyber90s768"           -
    KYBER_90S_LEVEL5             576  -       KYBER1024_90S      -      Legacy    "KYBER_90S_LEVEL5"       =                        "kyber90s1024"          -
    P256_KYBER90S_LEVEL1       12094  P256    KYBER512_90S       curve  Legacy    "P256_KYBER90S_LEVEL1"   "P256_KYBER_90S_LEVEL1"  "p256_kyber90s512"      -
    P384_KYBER90S_LEVEL3       12095  P384    KYBER768_90S       curve  Legacy    "P384_KYBER90S_LEVEL3"   "P384_KYBER_90S_LEVEL3"  "p384_kyber90s768"      -
    P521_KYBER90S_LEVEL5       12096  P521    KYBER1024_90S      curve  Legacy    "P521_KYBER90S_LEVEL5"   "P521_KYBER_90S_LEVEL5"  "p521_kyber90s1024"     -

    NTRU_HPS_LEVEL1              532  -       NTRU_HPS_2048_509  -      Legacy    "NTRU_HPS_LEVEL1"        =                        "ntru_hps2048509"       -
    NTRU_HPS_LEVEL3              533  -       NTRU_HPS_2048_677  -      Legacy    "NTRU_HPS_LEVEL3"        =                        "ntru_hps2048677"       -
    NTRU_HPS_LEVEL5              534  -       NTRU_HPS_4096_821  -      Legacy    "NTRU_HPS_LEVEL5"        =                        "ntru_hps4096821"       -
    NTRU_HRSS_LEVEL3             535  -       NTRU_HRSS_701      -      Legacy    "NTRU_HRSS_LEVEL3"       =                        "ntru_hrss701"          -
    P256_NTRU_HPS_LEVEL1       12052  P256    NTRU_HPS_2048_509  curve  Legacy    "P256_NTRU_HPS_LEVEL1"   =                        "p256_ntru_hps2048509"  -
    P384_NTRU_HPS_LEVEL3       12053  P384    NTRU_HPS_2048_677  curve  Legacy    "P384_NTRU_HPS_LEVEL3"   =                        "p384_ntru_hps2048677"  -
    P521_NTRU_HPS_LEVEL5       12054  P521    NTRU_HPS_4096_821  curve  Legacy    "P521_NTRU_HPS_LEVEL5"   =                        "p521_ntru_hps4096821"  -
    P384_NTRU_HRSS_LEVEL3      12055  P384    NTRU_HRSS_701      curve  Legacy    "P384_NTRU_HRSS_LEVEL3"  =                        "p384_ntru_hrss701"     -

    SABER_LEVEL1                 536  -       LIGHT_SABER        -      Legacy    "SABER_LEVEL1"           =                        "lightsaber"            -
    SABER_LEVEL3                 537  -       SABER              -      Legacy    "SABER_LEVEL3"           =                        "saber"                 -
    SABER_LEVEL5                 538  -       FIRE_SABER         -      Legacy    "SABER_LEVEL5"           =                        "firesaber"             -
    P256_SABER_LEVEL1          12056  P256    LIGHT_SABER        curve  Legacy    "P256_SABER_LEVEL1"      =                        "p256_lightsaber"       -
    P384_SABER_LEVEL3          12057  P384    SABER              curve  Legacy    "P384_SABER_LEVEL3"      =                        "p384_saber"            -
    P521_SABER_LEVEL5          12058  P521    FIRE_SABER         curve  Legacy    "P521_SABER_LEVEL5"      =                        "p521_firesaber"        -
}

/// Checks the lengths of both shares and of the secret.
const fn lengths(group: &GroupInfo, [client, server, secret]: [usize; 3]) -> bool {
    group.client_share() == client
        && group.server_share() == server
        && group.shared_secret() == secret
}

// draft-ietf-tls-ecdhe-mlkem, draft-rosomakho-tls-ecdhe-mlkem512; handshakes recorded with
// OQS-OpenSSL 1.1.1.
check! { lengths:
    // row                client  server  secret
    X25519MLKEM768        1216    1120    64;
    SECP256R1MLKEM768     1249    1153    64;
    SECP384R1MLKEM1024    1665    1665    80;
    MLKEM512X25519         832     800    64;
    KYBER_LEVEL1           800     768    32;
    P256_KYBER_LEVEL1      865     833    64;
    P384_KYBER_LEVEL3     1281    1185    80;
    P521_KYBER_LEVEL5     1701    1701    98;
    P384_KYBER90S_LEVEL3  1281    1185    80;
    P384_NTRU_HPS_LEVEL3  1027    1027    80;
    NTRU_HRSS_LEVEL3      1138    1138    32;
    P384_SABER_LEVEL3     1089    1185    80;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks rows of the appendix.
    #[test]
    fn codepoints_of_the_appendix() {
        for (name, codepoint) in [
            ("KYBER_LEVEL1", 570),
            ("KYBER_LEVEL3", 572),
            ("KYBER_LEVEL5", 573),
            ("KYBER_90S_LEVEL1", 574),
            ("NTRU_HPS_LEVEL1", 532),
            ("NTRU_HRSS_LEVEL3", 535),
            ("SABER_LEVEL5", 538),
            ("P521_NTRU_HPS_LEVEL5", 12054),
            ("P384_NTRU_HRSS_LEVEL3", 12055),
            ("P256_SABER_LEVEL1", 12056),
            ("P256_KYBER_LEVEL1", 12090),
            ("P384_KYBER_LEVEL3", 12092),
            ("P521_KYBER_LEVEL5", 12093),
            ("P521_KYBER90S_LEVEL5", 12096),
        ] {
            assert_eq!(by_name(name).map(|group| group.codepoint), Some(codepoint), "{name}");
        }
    }

    #[test]
    fn the_kem_comes_first_with_x25519_and_ml_kem_only() {
        let is_of_both = |group: &GroupInfo| {
            group.curve == Some(&curve::X25519) && group.kem.status == Status::Standard
        };
        for group in ALL.iter().filter(|group| group.is_hybrid()) {
            assert_eq!(group.kem_first, is_of_both(group), "{}", group.name);
        }
        assert!(is_of_both(&MLKEM512X25519) && !is_of_both(&X25519_KYBER_LEVEL1));
    }

    /// Checks that the name that IANA uses for 4585 and wolfSSL for 12107 stays with 12107.
    #[test]
    fn one_name_of_two_groups() {
        assert_eq!(by_name("SecP256r1MLKEM512"), Some(&SECP256R1MLKEM512));
        assert_eq!(by_name("4585"), Some(&SECP256R1MLKEM512_4585));
    }

    #[test]
    fn names_and_codepoints_find_their_rows() {
        name::tests::every_name_finds_its_row(ALL);
        for &group in ALL {
            assert_eq!(by_codepoint(group.codepoint), Some(group));
        }
        assert_eq!(by_codepoint(29), None);
    }

    /// Checks that lengths of shares and secrets are the sums of those of the halves.
    #[test]
    fn lengths_are_sums() {
        for group in ALL {
            let (share, secret) = group.curve.map_or((0, 0), |c| (c.public_key, c.shared_secret));
            let KemInfo { public_key, ciphertext, shared_secret, .. } = *group.kem;
            assert_eq!(group.client_share(), public_key + share, "{}", group.name);
            assert_eq!(group.server_share(), ciphertext + share, "{}", group.name);
            assert_eq!(group.shared_secret(), shared_secret + secret, "{}", group.name);
        }
        assert!(lengths(&P521_KYBER_LEVEL5, [1701, 1701, 98]));
        for wrong in [[1700, 1701, 98], [1701, 1700, 98], [1701, 1701, 32]] {
            assert!(!lengths(&P521_KYBER_LEVEL5, wrong));
        }
    }

    #[test]
    fn mistyped_names_have_a_suggestion() {
        assert_eq!(suggest("x25519mlkem786"), Some("X25519MLKEM768"));
        assert_eq!(suggest("p521kyber1025"), Some("p521_kyber1024"));
        assert_eq!(suggest("rot13"), None);
        assert_eq!(by_name("0x2f3d"), Some(&P521_KYBER_LEVEL5));
    }

    /// Checks that the table has all 13 KEMs of the appendix, each alone and in a hybrid.
    #[test]
    fn the_appendix_is_whole() {
        let of_appendix = ALL.iter().filter(|g| {
            g.status == Status::Legacy && ![12089, 25497, 25498].contains(&g.codepoint)
        });
        assert_eq!(of_appendix.clone().count(), 26);
        assert_eq!(of_appendix.filter(|g| g.is_hybrid()).count(), 13);
    }
}
