//! Key encapsulation mechanisms: ML-KEM (FIPS 203) and the round-3 Kyber, NTRU and SABER of the
//! appendix.

use crate::name::{self, Algorithm, Row};
use crate::oid::Oid;
use crate::{PrivateKeyFormat, Status};

/// A key encapsulation mechanism: one parameter set. Sizes are in bytes.
///
/// ```
/// let kem = &oaklath_params::kem::ML_KEM_768;
/// assert_eq!((kem.name, kem.level), ("ML-KEM-768", 3));
/// assert_eq!((kem.public_key, kem.secret_key), (1184, 2400));
/// assert_eq!((kem.ciphertext, kem.shared_secret), (1088, 32));
/// ```
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KemInfo {
    /// The preferred name: that of the standard, or for a round-3 algorithm that of liboqs.
    pub name: &'static str,
    /// The submission's name as spelled by the appendix; for a standard, the standard's name.
    pub submission: &'static str,
    /// wolfSSL's name.
    pub wolfssl: Option<&'static str>,
    /// The name in the Open Quantum Safe forks and provider of OpenSSL.
    pub oqs: Option<&'static str>,
    /// The NIST security category: 1, 3 or 5.
    pub level: u8,
    /// The status of the specification.
    pub status: Status,
    /// The object identifier of keys in SPKI and PKCS#8.
    pub oid: Option<Oid>,
    /// Length of the encapsulation key.
    pub public_key: usize,
    /// Length of the (expanded) decapsulation key.
    pub secret_key: usize,
    /// Length of the ciphertext.
    pub ciphertext: usize,
    /// Length of the shared secret.
    pub shared_secret: usize,
    /// The cargo feature of `oaklath-kem` that compiles the algorithm.
    pub feature: &'static str,
}

impl KemInfo {
    /// Returns the format of private keys in PKCS#8, or `None` without an object identifier. The
    /// seed is d and z of FIPS 203, Algorithm 16.
    ///
    /// ```
    /// use oaklath_params::{PrivateKeyFormat, kem};
    /// assert_eq!(kem::ML_KEM_768.private_key(), Some(PrivateKeyFormat::Choice { seed: 64 }));
    /// ```
    pub const fn private_key(&self) -> Option<PrivateKeyFormat> {
        match self.oid {
            Some(_) => Some(PrivateKeyFormat::Choice { seed: 64 }),
            None => None,
        }
    }

    /// Returns every name of the algorithm, the preferred one first; a name may occur twice.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        [Some(self.name), Some(self.submission), self.wolfssl, self.oqs]
            .into_iter()
            .chain([self.oid.map(|oid| oid.as_str())])
            .flatten()
    }
}

impl Row for KemInfo {
    fn names(&'static self) -> impl Iterator<Item = &'static str> {
        self.names()
    }
}

impl Algorithm for KemInfo {
    const KIND: &'static str = "KEM";

    fn name(&self) -> &'static str {
        self.name
    }

    fn feature(&self) -> &'static str {
        self.feature
    }
}

/// Returns the algorithm with this name, in any vocabulary, or this dotted object identifier.
///
/// ```
/// use oaklath_params::kem;
/// for name in ["ML-KEM-768", "ml_kem_768", "mlkem768", "2.16.840.1.101.3.4.4.2"] {
///     assert_eq!(kem::by_name(name), Some(&kem::ML_KEM_768));
/// }
/// assert_eq!(kem::by_name("kyber90s512"), kem::by_name("KYBER_90S_LEVEL1"));
/// assert_eq!(kem::by_name("rot13"), None);
/// ```
pub fn by_name(name: &str) -> Option<&'static KemInfo> {
    name::find(ALL, name)
}

/// Returns the algorithm with this object identifier in dotted form.
///
/// ```
/// use oaklath_params::kem;
/// assert_eq!(kem::by_oid("2.16.840.1.101.3.4.4.1"), Some(&kem::ML_KEM_512));
/// ```
pub fn by_oid(dotted: &str) -> Option<&'static KemInfo> {
    ALL.iter().copied().find(|kem| kem.oid.is_some_and(|oid| oid.as_str() == dotted))
}

/// Returns the name that is closest to a mistyped one, if any is close.
///
/// ```
/// assert_eq!(oaklath_params::kem::suggest("ML-KEM-786"), Some("ML-KEM-768"));
/// assert_eq!(oaklath_params::kem::suggest("rot13"), None);
/// ```
pub fn suggest(name: &str) -> Option<&'static str> {
    name::suggest(ALL, name)
}

macro_rules! kems {
    ($($id:ident $name:literal $submission:tt $wolfssl:tt $oqs:tt $level:literal $status:ident
       $public_key:literal $secret_key:literal $ciphertext:literal $feature:literal $oid:tt)*) => {
        $(
            #[doc = concat!($name, ", security category ", $level, ".")]
            pub static $id: KemInfo = KemInfo {
                name: $name,
                submission: text_cell!($name $submission),
                wolfssl: optional_cell!($name $wolfssl),
                oqs: optional_cell!($name $oqs),
                level: $level,
                status: Status::$status,
                oid: oid_cell!($oid),
                public_key: $public_key,
                secret_key: $secret_key,
                ciphertext: $ciphertext,
                shared_secret: 32,
                feature: $feature,
            };
        )*
        /// Every algorithm of the table.
        pub static ALL: &[&KemInfo] = &[$(&$id),*];
    };
}

// ML-KEM: FIPS 203, Table 3; object identifiers: NIST's CSOR. The others: the appendix. Preferred
// names of the others: liboqs. `=` repeats the preferred name, `-` is an empty cell.
kems! {
    // row             name                 submission         wolfSSL             OQS
    // level  status     pk    sk    ct  feature      OID
    ML_KEM_512        "ML-KEM-512"         =                  "ML_KEM_512"        "mlkem512"          1  Standard    800  1632   768  "ml-kem"     "2.16.840.1.101.3.4.4.1"
    ML_KEM_768        "ML-KEM-768"         =                  "ML_KEM_768"        "mlkem768"          3  Standard   1184  2400  1088  "ml-kem"     "2.16.840.1.101.3.4.4.2"
    ML_KEM_1024       "ML-KEM-1024"        =                  "ML_KEM_1024"       "mlkem1024"         5  Standard   1568  3168  1568  "ml-kem"     "2.16.840.1.101.3.4.4.3"
    KYBER512          "Kyber512"           "KYBER512"         "KYBER_LEVEL1"      "kyber512"          1  Legacy      800  1632   768  "kyber"      -
    KYBER768          "Kyber768"           "KYBER768"         "KYBER_LEVEL3"      "kyber768"          3  Legacy     1184  2400  1088  "kyber"      -
    KYBER1024         "Kyber1024"          "KYBER1024"        "KYBER_LEVEL5"      "kyber1024"         5  Legacy     1568  3168  1568  "kyber"      -
    KYBER512_90S      "Kyber512-90s"       "KYBER90S512"      "KYBER_90S_LEVEL1"  "kyber90s512"       1  Legacy      800  1632   768  "kyber-90s"  -
    KYBER768_90S      "Kyber768-90s"       "KYBER90S768"      "KYBER_90S_LEVEL3"  "kyber90s768"       3  Legacy     1184  2400  1088  "kyber-90s"  -
    KYBER1024_90S     "Kyber1024-90s"      "KYBER90S1024"     "KYBER_90S_LEVEL5"  "kyber90s1024"      5  Legacy     1568  3168  1568  "kyber-90s"  -
    NTRU_HPS_2048_509 "NTRU-HPS-2048-509"  "NTRU_HPS2048509"  "NTRU_HPS_LEVEL1"   "ntru_hps2048509"   1  Legacy      699   935   699  "ntru"       -
    NTRU_HPS_2048_677 "NTRU-HPS-2048-677"  "NTRU_HPS2048677"  "NTRU_HPS_LEVEL3"   "ntru_hps2048677"   3  Legacy      930  1234   930  "ntru"       -
    NTRU_HPS_4096_821 "NTRU-HPS-4096-821"  "NTRU_HPS4096821"  "NTRU_HPS_LEVEL5"   "ntru_hps4096821"   5  Legacy     1230  1590  1230  "ntru"       -
    NTRU_HRSS_701     "NTRU-HRSS-701"      "NTRU_HRSS701"     "NTRU_HRSS_LEVEL3"  "ntru_hrss701"      3  Legacy     1138  1450  1138  "ntru"       -
    LIGHT_SABER       "LightSaber-KEM"     "LIGHTSABER"       "SABER_LEVEL1"      "lightsaber"        1  Legacy      672  1568   736  "saber"      -
    SABER             "Saber-KEM"          "SABER"            "SABER_LEVEL3"      "saber"             3  Legacy      992  2304  1088  "saber"      -
    FIRE_SABER        "FireSaber-KEM"      "FIRESABER"        "SABER_LEVEL5"      "firesaber"         5  Legacy     1312  3040  1472  "saber"      -
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_oids_find_their_rows() {
        name::tests::every_name_finds_its_row(ALL);
        for &kem in ALL {
            if let Some(oid) = kem.oid {
                assert_eq!(by_oid(oid.as_str()), Some(kem));
            }
        }
    }

    #[test]
    fn the_standard_and_the_appendix_are_whole() {
        let count = |status| ALL.iter().filter(|kem| kem.status == status).count();
        assert_eq!((count(Status::Standard), count(Status::Legacy)), (3, 13));
    }

    /// Checks that exactly the standard's rows have an object identifier, and a form in PKCS#8.
    #[test]
    fn private_keys_have_a_form_where_there_is_an_object_identifier() {
        for kem in ALL {
            let of_standard = kem.status == Status::Standard;
            let form = of_standard.then_some(PrivateKeyFormat::Choice { seed: 64 });
            assert_eq!((kem.oid.is_some(), kem.private_key()), (of_standard, form), "{}", kem.name);
        }
    }

    #[test]
    fn mistyped_names_have_a_suggestion() {
        for (mistyped, name) in [
            ("ML-KEM-786", "ML-KEM-768"),
            ("sabre-kem", "Saber-KEM"),
            ("kyber_512_90", "Kyber512-90s"),
        ] {
            assert_eq!(suggest(mistyped), Some(name));
        }
        assert_eq!(suggest("rot13"), None);
        // Only groups have numbers.
        assert_eq!(by_name("570"), None);
    }
}
