//! Signature schemes: ML-DSA (FIPS 204), SLH-DSA (FIPS 205), the draft FN-DSA, and the round-3
//! Falcon, Dilithium and SPHINCS+ of the appendix.
//!
//! [`SigInfo`] has the lengths of an algorithm; [`SigIdentity`] has the object identifier and TLS
//! signature scheme by which it is identified. Most algorithms have one identity; Falcon has two,
//! that of the appendix and the one in current use. FN-DSA has none yet.

use crate::name::{self, Algorithm, Row};
use crate::oid::Oid;
use crate::{PrivateKeyFormat, Status};

/// A signature algorithm: one parameter set. Sizes are in bytes.
///
/// ```
/// let sig = &oaklath_params::sig::ML_DSA_65;
/// assert_eq!((sig.name, sig.level), ("ML-DSA-65", 3));
/// assert_eq!((sig.public_key, sig.secret_key, sig.signature), (1952, 4032, 3309));
/// ```
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SigInfo {
    /// The preferred name: that of the standard, or for a round-3 algorithm that of liboqs.
    pub name: &'static str,
    /// The submission's name as spelled by the appendix; for a standard, the standard's name.
    pub submission: &'static str,
    /// wolfSSL's name.
    pub wolfssl: Option<&'static str>,
    /// The name in the Open Quantum Safe forks and provider of OpenSSL, or else in liboqs.
    pub oqs: Option<&'static str>,
    /// The NIST security category: 1, 2, 3 or 5.
    pub level: u8,
    /// The status of the specification.
    pub status: Status,
    /// Length of the public key.
    pub public_key: usize,
    /// Length of the (expanded) private key.
    pub secret_key: usize,
    /// Length of a signature; if `variable` is set, the longest that the appendix lists.
    pub signature: usize,
    /// The other lengths of a signature that has more than one.
    pub variable: Option<VariableLength>,
    /// The cargo feature of `oaklath-sig` that compiles the algorithm.
    pub feature: &'static str,
}

/// The lengths of a signature whose length is not constant. Only Falcon has such signatures.
///
/// ```
/// let falcon = &oaklath_params::sig::FALCON_512;
/// let variable = falcon.variable.unwrap();
/// assert!(variable.padded <= falcon.signature && falcon.signature <= variable.longest);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct VariableLength {
    /// Length of the padded format, in which all signatures have the same length: `sbytelen` of the
    /// submission. Signers retry the few signatures that do not fit.
    pub padded: usize,
    /// An upper bound of the length of the compressed format, for buffers: no valid signature is
    /// longer. liboqs since 0.8 reserves this length.
    pub longest: usize,
    /// Length of the constant-time format.
    pub constant_time: usize,
}

impl SigInfo {
    /// Returns every name of the algorithm, the preferred one first, and the object identifiers of
    /// its identities; a name may occur twice.
    pub fn names(&'static self) -> impl Iterator<Item = &'static str> {
        [Some(self.name), Some(self.submission), self.wolfssl, self.oqs]
            .into_iter()
            .flatten()
            .chain(self.identities().flat_map(|id| [id.iana, Some(id.oid.as_str())]).flatten())
    }

    /// Returns the length of the longest signature in any format, for buffers.
    ///
    /// ```
    /// use oaklath_params::sig;
    /// assert_eq!(sig::ML_DSA_44.longest_signature(), sig::ML_DSA_44.signature);
    /// let constant_time = sig::FALCON_512.variable.unwrap().constant_time;
    /// assert_eq!(sig::FALCON_512.longest_signature(), constant_time);
    /// ```
    pub const fn longest_signature(&self) -> usize {
        match self.variable {
            // Compressed and padded signatures are shorter, which is asserted below.
            Some(variable) => variable.constant_time,
            None => self.signature,
        }
    }

    /// Returns the identities of the algorithm, the preferred one for new keys first.
    ///
    /// ```
    /// use oaklath_params::sig;
    /// let codepoints = sig::FALCON_512.identities().map(|id| id.codepoint);
    /// assert!(codepoints.eq([0xfed7, 0xfe0b]));
    /// ```
    pub fn identities(&'static self) -> impl Iterator<Item = &'static SigIdentity> {
        IDENTITIES.iter().copied().filter(move |id| core::ptr::eq(id.algorithm, self))
    }
}

impl Row for SigInfo {
    fn names(&'static self) -> impl Iterator<Item = &'static str> {
        self.names()
    }

    fn has_number(&'static self, number: u32) -> bool {
        self.identities().any(|id| u32::from(id.codepoint) == number)
    }
}

impl Algorithm for SigInfo {
    const KIND: &'static str = "signature scheme";

    fn name(&self) -> &'static str {
        self.name
    }

    fn feature(&self) -> &'static str {
        self.feature
    }
}

/// The origin of the object identifier and codepoint of an identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Vocabulary {
    /// NIST's arc and IANA's registry of signature schemes.
    Standard,
    /// The appendix: liboqs up to 0.7.2 and OQS-OpenSSL 1.1.1 of 2022.
    Appendix,
    /// Current oqs-provider and wolfSSL.
    Oqs,
}

/// The identification of an algorithm on the wire and in certificates.
///
/// ```
/// use oaklath_params::sig;
/// let old = sig::by_oid("1.3.9999.3.1").unwrap();
/// let new = sig::by_oid("1.3.9999.3.11").unwrap();
/// assert_eq!(old.algorithm, new.algorithm);
/// assert!(old.verification_bound > new.verification_bound);
/// ```
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SigIdentity {
    /// The algorithm.
    pub algorithm: &'static SigInfo,
    /// The origin of the identity.
    pub vocabulary: Vocabulary,
    /// The object identifier of keys and signatures in X.509, SPKI and PKCS#8.
    pub oid: Oid,
    /// The TLS signature scheme.
    pub codepoint: u16,
    /// The name in IANA's registry of TLS signature schemes.
    pub iana: Option<&'static str>,
    /// The form of private keys in PKCS#8.
    pub private_key: PrivateKeyFormat,
    /// For Falcon, the largest squared norm of (s1, s2) that verifiers accept under this identity.
    /// That of the appendix is larger than the final one, so that signatures of that time verify;
    /// new signatures are within the final one under either identity.
    pub verification_bound: Option<u32>,
}

/// Returns the algorithm with this name, in any vocabulary, this dotted object identifier, or this
/// TLS signature scheme as a number.
///
/// ```
/// use oaklath_params::sig;
/// for name in ["FALCON_LEVEL1", "falcon512", "65035", "0xFED7", "1.3.9999.3.11"] {
///     assert_eq!(sig::by_name(name), Some(&sig::FALCON_512));
/// }
/// assert_eq!(sig::by_name("slhdsa_shake_128f"), sig::by_name("SLH-DSA-SHAKE-128f"));
/// ```
pub fn by_name(name: &str) -> Option<&'static SigInfo> {
    name::find(ALL, name)
}

/// Returns the identity with this object identifier in dotted form.
///
/// ```
/// use oaklath_params::sig;
/// let id = sig::by_oid("2.16.840.1.101.3.4.3.18").unwrap();
/// assert_eq!(id.algorithm, &sig::ML_DSA_65);
/// ```
pub fn by_oid(dotted: &str) -> Option<&'static SigIdentity> {
    IDENTITIES.iter().copied().find(|id| id.oid.as_str() == dotted)
}

/// Returns the identity with this TLS signature scheme.
///
/// ```
/// use oaklath_params::sig;
/// assert_eq!(sig::by_codepoint(0x0905).unwrap().algorithm, &sig::ML_DSA_65);
/// ```
pub fn by_codepoint(codepoint: u16) -> Option<&'static SigIdentity> {
    IDENTITIES.iter().copied().find(|id| id.codepoint == codepoint)
}

/// Returns the name that is closest to a mistyped one, if any is close.
///
/// ```
/// assert_eq!(oaklath_params::sig::suggest("dilitium3"), Some("Dilithium3"));
/// ```
pub fn suggest(name: &str) -> Option<&'static str> {
    name::suggest(ALL, name)
}

/// Expands the variable-length cell of a row: `-` means that all signatures have the same length.
macro_rules! variable_cell {
    (-) => {
        None
    };
    ({ $padded:literal $longest:literal $constant_time:literal }) => {
        Some(VariableLength { padded: $padded, longest: $longest, constant_time: $constant_time })
    };
}

macro_rules! sigs {
    ($($id:ident $level:literal $status:ident
       $public_key:literal $secret_key:literal $signature:literal $variable:tt
       $feature:literal $name:literal $submission:tt $wolfssl:tt $oqs:tt)*) => {
        $(
            #[doc = concat!($name, ", security category ", $level, ".")]
            pub static $id: SigInfo = SigInfo {
                name: $name,
                submission: text_cell!($name $submission),
                wolfssl: optional_cell!($name $wolfssl),
                oqs: optional_cell!($name $oqs),
                level: $level,
                status: Status::$status,
                public_key: $public_key,
                secret_key: $secret_key,
                signature: $signature,
                variable: variable_cell!($variable),
                feature: $feature,
            };
        )*
        /// Every algorithm of the table.
        pub static ALL: &[&SigInfo] = &[$(&$id),*];
    };
}

// ML-DSA: FIPS 204, Table 2. SLH-DSA: FIPS 205, Table 2. The others: the appendix; braces of Falcon
// hold the lengths of the padded, compressed and constant-time formats (submission, `falcon.h`).
// FN-DSA: the crate `fn-dsa` 0.4, since there is no public draft; it has no object identifier yet,
// and so no identity. Preferred names of the others: liboqs. `=` repeats the preferred name, `-` is
// an empty cell.
sigs! {
    // row              level  status      pk    sk    sig  variable           feature          name
    // submission        wolfSSL                 OQS
    ML_DSA_44               2  Standard  1312  2560   2420  -                  "ml-dsa"         "ML-DSA-44"                      =                 -                       "mldsa44"
    ML_DSA_65               3  Standard  1952  4032   3309  -                  "ml-dsa"         "ML-DSA-65"                      =                 -                       "mldsa65"
    ML_DSA_87               5  Standard  2592  4896   4627  -                  "ml-dsa"         "ML-DSA-87"                      =                 -                       "mldsa87"
    SLH_DSA_SHA2_128S       1  Standard    32    64   7856  -                  "slh-dsa"        "SLH-DSA-SHA2-128s"              =                 -                       "SLH_DSA_PURE_SHA2_128S"
    SLH_DSA_SHA2_128F       1  Standard    32    64  17088  -                  "slh-dsa"        "SLH-DSA-SHA2-128f"              =                 -                       "SLH_DSA_PURE_SHA2_128F"
    SLH_DSA_SHA2_192S       3  Standard    48    96  16224  -                  "slh-dsa"        "SLH-DSA-SHA2-192s"              =                 -                       "SLH_DSA_PURE_SHA2_192S"
    SLH_DSA_SHA2_192F       3  Standard    48    96  35664  -                  "slh-dsa"        "SLH-DSA-SHA2-192f"              =                 -                       "SLH_DSA_PURE_SHA2_192F"
    SLH_DSA_SHA2_256S       5  Standard    64   128  29792  -                  "slh-dsa"        "SLH-DSA-SHA2-256s"              =                 -                       "SLH_DSA_PURE_SHA2_256S"
    SLH_DSA_SHA2_256F       5  Standard    64   128  49856  -                  "slh-dsa"        "SLH-DSA-SHA2-256f"              =                 -                       "SLH_DSA_PURE_SHA2_256F"
    SLH_DSA_SHAKE_128S      1  Standard    32    64   7856  -                  "slh-dsa"        "SLH-DSA-SHAKE-128s"             =                 -                       "SLH_DSA_PURE_SHAKE_128S"
    SLH_DSA_SHAKE_128F      1  Standard    32    64  17088  -                  "slh-dsa"        "SLH-DSA-SHAKE-128f"             =                 -                       "SLH_DSA_PURE_SHAKE_128F"
    SLH_DSA_SHAKE_192S      3  Standard    48    96  16224  -                  "slh-dsa"        "SLH-DSA-SHAKE-192s"             =                 -                       "SLH_DSA_PURE_SHAKE_192S"
    SLH_DSA_SHAKE_192F      3  Standard    48    96  35664  -                  "slh-dsa"        "SLH-DSA-SHAKE-192f"             =                 -                       "SLH_DSA_PURE_SHAKE_192F"
    SLH_DSA_SHAKE_256S      5  Standard    64   128  29792  -                  "slh-dsa"        "SLH-DSA-SHAKE-256s"             =                 -                       "SLH_DSA_PURE_SHAKE_256S"
    SLH_DSA_SHAKE_256F      5  Standard    64   128  49856  -                  "slh-dsa"        "SLH-DSA-SHAKE-256f"             =                 -                       "SLH_DSA_PURE_SHAKE_256F"
    FN_DSA_512              1  Draft      897  1345    666  -                  "fn-dsa-draft"   "FN-DSA-512"                     =                 -                       -
    FN_DSA_1024             5  Draft     1793  2369   1280  -                  "fn-dsa-draft"   "FN-DSA-1024"                    =                 -                       -
    FALCON_512              1  Legacy     897  1281    690  { 666  752  809 }  "falcon"         "Falcon-512"                     "FALCON512"       "FALCON_LEVEL1"         "falcon512"
    FALCON_1024             5  Legacy    1793  2305   1330  {1280 1462 1577 }  "falcon"         "Falcon-1024"                    "FALCON1024"      "FALCON_LEVEL5"         "falcon1024"
    DILITHIUM_2             2  Legacy    1312  2528   2420  -                  "dilithium"      "Dilithium2"                     "DILITHIUM2"      "DILITHIUM_LEVEL2"      "dilithium2"
    DILITHIUM_3             3  Legacy    1952  4000   3293  -                  "dilithium"      "Dilithium3"                     "DILITHIUM3"      "DILITHIUM_LEVEL3"      "dilithium3"
    DILITHIUM_5             5  Legacy    2592  4864   4595  -                  "dilithium"      "Dilithium5"                     "DILITHIUM5"      "DILITHIUM_LEVEL5"      "dilithium5"
    DILITHIUM_2_AES         2  Legacy    1312  2528   2420  -                  "dilithium-aes"  "Dilithium2-AES"                 "DILITHIUM2_AES"  "DILITHIUM_AES_LEVEL2"  "dilithium2_aes"
    DILITHIUM_3_AES         3  Legacy    1952  4000   3293  -                  "dilithium-aes"  "Dilithium3-AES"                 "DILITHIUM3_AES"  "DILITHIUM_AES_LEVEL3"  "dilithium3_aes"
    DILITHIUM_5_AES         5  Legacy    2592  4864   4595  -                  "dilithium-aes"  "Dilithium5-AES"                 "DILITHIUM5_AES"  "DILITHIUM_AES_LEVEL5"  "dilithium5_aes"
    SPHINCS_SHAKE_128F      1  Legacy      32    64  17088  -                  "sphincs-plus"   "SPHINCS+-SHAKE256-128f-simple"  =                 "SPHINCS_FAST_LEVEL1"   "sphincsshake256128fsimple"
    SPHINCS_SHAKE_192F      3  Legacy      48    96  35664  -                  "sphincs-plus"   "SPHINCS+-SHAKE256-192f-simple"  =                 "SPHINCS_FAST_LEVEL3"   "sphincsshake256192fsimple"
    SPHINCS_SHAKE_256F      5  Legacy      64   128  49856  -                  "sphincs-plus"   "SPHINCS+-SHAKE256-256f-simple"  =                 "SPHINCS_FAST_LEVEL5"   "sphincsshake256256fsimple"
    SPHINCS_SHAKE_128S      1  Legacy      32    64   7856  -                  "sphincs-plus"   "SPHINCS+-SHAKE256-128s-simple"  =                 "SPHINCS_SMALL_LEVEL1"  "sphincsshake256128ssimple"
    SPHINCS_SHAKE_192S      3  Legacy      48    96  16224  -                  "sphincs-plus"   "SPHINCS+-SHAKE256-192s-simple"  =                 "SPHINCS_SMALL_LEVEL3"  "sphincsshake256192ssimple"
    SPHINCS_SHAKE_256S      5  Legacy      64   128  29792  -                  "sphincs-plus"   "SPHINCS+-SHAKE256-256s-simple"  =                 "SPHINCS_SMALL_LEVEL5"  "sphincsshake256256ssimple"
}

/// Expands the cell of the form of private keys. The seed of ML-DSA is xi of FIPS 204, Algorithm 1.
macro_rules! private_key_cell {
    (choice) => {
        PrivateKeyFormat::Choice { seed: 32 }
    };
    (raw) => {
        PrivateKeyFormat::Raw
    };
    (nested) => {
        PrivateKeyFormat::Nested
    };
}

macro_rules! identities {
    ($($id:ident $algorithm:ident $vocabulary:ident $codepoint:literal $oid:literal $iana:tt
       $private_key:ident $bound:tt)*) => {
        $(
            #[doc = concat!("Object identifier ", $oid, ", TLS signature scheme ", $codepoint, ".")]
            pub static $id: SigIdentity = SigIdentity {
                algorithm: &$algorithm,
                vocabulary: Vocabulary::$vocabulary,
                oid: Oid::new($oid),
                codepoint: $codepoint,
                iana: optional_cell!("" $iana),
                private_key: private_key_cell!($private_key),
                verification_bound: optional_cell!("" $bound),
            };
        )*
        /// Every identity of the table; the preferred one of each algorithm comes first.
        pub static IDENTITIES: &[&SigIdentity] = &[$(&$id),*];
    };
}

// Standard: NIST's CSOR, IANA's registry, draft-ietf-tls-mldsa, draft-reddy-tls-slhdsa. Appendix:
// its table of object identifiers, and the codepoints of OQS-OpenSSL 1.1.1. Oqs: oqs-provider and
// wolfSSL of 2026. The Falcon bounds of the appendix are those of the code before 2021-11-01
// (liboqs up to 0.7.2).
identities! {
    // identity              algorithm           vocabulary  scheme  OID
    // IANA                 PKCS#8  bound
    ID_ML_DSA_44             ML_DSA_44           Standard    0x0904  "2.16.840.1.101.3.4.3.17"   "mldsa44"            choice  -
    ID_ML_DSA_65             ML_DSA_65           Standard    0x0905  "2.16.840.1.101.3.4.3.18"   "mldsa65"            choice  -
    ID_ML_DSA_87             ML_DSA_87           Standard    0x0906  "2.16.840.1.101.3.4.3.19"   "mldsa87"            choice  -
    ID_SLH_DSA_SHA2_128S     SLH_DSA_SHA2_128S   Standard    0x0911  "2.16.840.1.101.3.4.3.20"   "slhdsa_sha2_128s"   raw     -
    ID_SLH_DSA_SHA2_128F     SLH_DSA_SHA2_128F   Standard    0x0912  "2.16.840.1.101.3.4.3.21"   "slhdsa_sha2_128f"   raw     -
    ID_SLH_DSA_SHA2_192S     SLH_DSA_SHA2_192S   Standard    0x0913  "2.16.840.1.101.3.4.3.22"   "slhdsa_sha2_192s"   raw     -
    ID_SLH_DSA_SHA2_192F     SLH_DSA_SHA2_192F   Standard    0x0914  "2.16.840.1.101.3.4.3.23"   "slhdsa_sha2_192f"   raw     -
    ID_SLH_DSA_SHA2_256S     SLH_DSA_SHA2_256S   Standard    0x0915  "2.16.840.1.101.3.4.3.24"   "slhdsa_sha2_256s"   raw     -
    ID_SLH_DSA_SHA2_256F     SLH_DSA_SHA2_256F   Standard    0x0916  "2.16.840.1.101.3.4.3.25"   "slhdsa_sha2_256f"   raw     -
    ID_SLH_DSA_SHAKE_128S    SLH_DSA_SHAKE_128S  Standard    0x0917  "2.16.840.1.101.3.4.3.26"   "slhdsa_shake_128s"  raw     -
    ID_SLH_DSA_SHAKE_128F    SLH_DSA_SHAKE_128F  Standard    0x0918  "2.16.840.1.101.3.4.3.27"   "slhdsa_shake_128f"  raw     -
    ID_SLH_DSA_SHAKE_192S    SLH_DSA_SHAKE_192S  Standard    0x0919  "2.16.840.1.101.3.4.3.28"   "slhdsa_shake_192s"  raw     -
    ID_SLH_DSA_SHAKE_192F    SLH_DSA_SHAKE_192F  Standard    0x091a  "2.16.840.1.101.3.4.3.29"   "slhdsa_shake_192f"  raw     -
    ID_SLH_DSA_SHAKE_256S    SLH_DSA_SHAKE_256S  Standard    0x091b  "2.16.840.1.101.3.4.3.30"   "slhdsa_shake_256s"  raw     -
    ID_SLH_DSA_SHAKE_256F    SLH_DSA_SHAKE_256F  Standard    0x091c  "2.16.840.1.101.3.4.3.31"   "slhdsa_shake_256f"  raw     -
    ID_FALCON_512            FALCON_512          Oqs         0xfed7  "1.3.9999.3.11"             -                    nested  34_034_726
    ID_FALCON_512_APPENDIX   FALCON_512          Appendix    0xfe0b  "1.3.9999.3.1"              -                    nested  43_533_782
    ID_FALCON_1024           FALCON_1024         Oqs         0xfeda  "1.3.9999.3.14"             -                    nested  70_265_242
    ID_FALCON_1024_APPENDIX  FALCON_1024         Appendix    0xfe0e  "1.3.9999.3.4"              -                    nested  87_067_565
    ID_DILITHIUM_2           DILITHIUM_2         Appendix    0xfea0  "1.3.6.1.4.1.2.267.7.4.4"   -                    nested  -
    ID_DILITHIUM_3           DILITHIUM_3         Appendix    0xfea3  "1.3.6.1.4.1.2.267.7.6.5"   -                    nested  -
    ID_DILITHIUM_5           DILITHIUM_5         Appendix    0xfea5  "1.3.6.1.4.1.2.267.7.8.7"   -                    nested  -
    ID_DILITHIUM_2_AES       DILITHIUM_2_AES     Appendix    0xfea7  "1.3.6.1.4.1.2.267.11.4.4"  -                    nested  -
    ID_DILITHIUM_3_AES       DILITHIUM_3_AES     Appendix    0xfeaa  "1.3.6.1.4.1.2.267.11.6.5"  -                    nested  -
    ID_DILITHIUM_5_AES       DILITHIUM_5_AES     Appendix    0xfeac  "1.3.6.1.4.1.2.267.11.8.7"  -                    nested  -
    ID_SPHINCS_SHAKE_128F    SPHINCS_SHAKE_128F  Appendix    0xfe7d  "1.3.9999.6.7.4"            -                    nested  -
    ID_SPHINCS_SHAKE_192F    SPHINCS_SHAKE_192F  Appendix    0xfe88  "1.3.9999.6.8.3"            -                    nested  -
    ID_SPHINCS_SHAKE_256F    SPHINCS_SHAKE_256F  Appendix    0xfe90  "1.3.9999.6.9.3"            -                    nested  -
    ID_SPHINCS_SHAKE_128S    SPHINCS_SHAKE_128S  Appendix    0xfe83  "1.3.9999.6.7.10"           -                    nested  -
    ID_SPHINCS_SHAKE_192S    SPHINCS_SHAKE_192S  Appendix    0xfe8c  "1.3.9999.6.8.7"            -                    nested  -
    ID_SPHINCS_SHAKE_256S    SPHINCS_SHAKE_256S  Appendix    0xfe94  "1.3.9999.6.9.7"            -                    nested  -
}

/// Reports whether a row has these lengths of the public key, private key and signature.
const fn lengths(sig: &SigInfo, public_key: usize, secret_key: usize, signature: usize) -> bool {
    sig.public_key == public_key && sig.secret_key == secret_key && sig.signature == signature
}

/// Checks FIPS 204, Algorithms 22, 24 and 26: a coefficient has 10 bits in t1, 13 in t0,
/// bitlen(2 eta) in s1 and s2, and bitlen(gamma1 - 1) + 1 in z; the hint has omega + k bytes.
const fn module_lattice(sig: &SigInfo, p: [usize; 7]) -> bool {
    let [k, l, eta, log2_gamma1, omega, tr, c_tilde] = p;
    let poly = 256 / 8;
    let eta_bits = (2 * eta).ilog2() as usize + 1;
    let secret_key = 32 + 32 + tr + poly * (eta_bits * (k + l) + 13 * k);
    let signature = c_tilde + poly * l * (log2_gamma1 + 1) + omega + k;
    lengths(sig, 32 + 10 * poly * k, secret_key, signature)
}

// ML-DSA: FIPS 204, Table 1. Dilithium round 3 differs only in tr and c~.
check! { module_lattice:
    // row            k  l  eta  log2 gamma1  omega  tr  c~
    ML_DSA_44         4  4   2       17         80   64  32;
    ML_DSA_65         6  5   4       19         55   64  48;
    ML_DSA_87         8  7   2       19         75   64  64;
    DILITHIUM_2       4  4   2       17         80   32  32;
    DILITHIUM_3       6  5   4       19         55   32  32;
    DILITHIUM_5       8  7   2       19         75   32  32;
    DILITHIUM_2_AES   4  4   2       17         80   32  32;
    DILITHIUM_3_AES   6  5   4       19         55   32  32;
    DILITHIUM_5_AES   8  7   2       19         75   32  32;
}

/// Checks FIPS 205, section 11: keys have 2n and 4n bytes; a signature has the randomizer, FORS (k
/// trees of height a) and d WOTS+ signatures of 2n + 3 chains (w = 16) with h authentication nodes.
const fn hash_tree(sig: &SigInfo, [n, h, d, a, k]: [usize; 5]) -> bool {
    lengths(sig, 2 * n, 4 * n, (1 + k * (1 + a) + h + d * (2 * n + 3)) * n)
}

// FIPS 205, Table 2. SPHINCS+ round 3 has the same parameters.
check! { hash_tree:
    // row              n   h   d   a   k
    SLH_DSA_SHA2_128S   16  63   7  12  14;
    SLH_DSA_SHA2_128F   16  66  22   6  33;
    SLH_DSA_SHA2_192S   24  63   7  14  17;
    SLH_DSA_SHA2_192F   24  66  22   8  33;
    SLH_DSA_SHA2_256S   32  64   8  14  22;
    SLH_DSA_SHA2_256F   32  68  17   9  35;
    SLH_DSA_SHAKE_128S  16  63   7  12  14;
    SLH_DSA_SHAKE_128F  16  66  22   6  33;
    SLH_DSA_SHAKE_192S  24  63   7  14  17;
    SLH_DSA_SHAKE_192F  24  66  22   8  33;
    SLH_DSA_SHAKE_256S  32  64   8  14  22;
    SLH_DSA_SHAKE_256F  32  68  17   9  35;
    SPHINCS_SHAKE_128S  16  63   7  12  14;
    SPHINCS_SHAKE_128F  16  66  22   6  33;
    SPHINCS_SHAKE_192S  24  63   7  14  17;
    SPHINCS_SHAKE_192F  24  66  22   8  33;
    SPHINCS_SHAKE_256S  32  64   8  14  22;
    SPHINCS_SHAKE_256F  32  68  17   9  35;
}

/// Checks Falcon round 3, section 3.11: keys have a header byte, then h with 14 bits for each
/// coefficient, or f and g with `fg_bits` and F with 8. Signatures have a header byte and a 40-byte
/// nonce before s2, which is padded so that the total is `sbytelen`, compressed to at most 11 bits
/// for each coefficient and a remainder, or has 12 bits for each in the constant-time format.
const fn falcon(sig: &SigInfo, [log2_n, fg_bits, sbytelen]: [usize; 3]) -> bool {
    let n = 1 << log2_n;
    let Some(variable) = sig.variable else { return false };
    lengths(sig, 1 + 14 * n / 8, 1 + 2 * fg_bits * n / 8 + n, sig.signature)
        && variable.padded == sbytelen
        && variable.longest == 41 + (11 * n + (101 >> (10 - log2_n))).div_ceil(8)
        && variable.constant_time == 41 + 12 * n / 8
        && variable.padded <= sig.signature
        && sig.signature <= variable.longest
        && variable.longest <= variable.constant_time
}

check! { falcon:
    // row       log2 n  f, g  sbytelen
    FALCON_512   9       6     666;
    FALCON_1024  10      5     1280;
}

/// Checks that FN-DSA has the lengths of Falcon, except that a private key ends with a hash of the
/// public key, and that every signature is padded.
const fn fn_dsa(sig: &SigInfo, of: &SigInfo) -> bool {
    let Some(variable) = of.variable else { return false };
    lengths(sig, of.public_key, of.secret_key + 64, variable.padded) && sig.variable.is_none()
}

const _: () = assert!(fn_dsa(&FN_DSA_512, &FALCON_512) && fn_dsa(&FN_DSA_1024, &FALCON_1024));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_oids_and_codepoints_find_their_rows() {
        name::tests::every_name_finds_its_row(ALL);
        for &id in IDENTITIES {
            assert_eq!(by_oid(id.oid.as_str()), Some(id));
            assert_eq!(by_codepoint(id.codepoint), Some(id));
            assert!(id.algorithm.identities().any(|own| own == id));
        }
        assert_eq!(by_codepoint(0x0804), None);
    }

    #[test]
    fn the_standards_and_the_appendix_are_whole() {
        let count = |status| ALL.iter().filter(|sig| sig.status == status).count();
        assert_eq!((count(Status::Standard), count(Status::Legacy)), (3 + 12, 14));
        assert_eq!(count(Status::Draft), 2);
        for &sig in ALL {
            let falcon = sig.name.starts_with("Falcon");
            let identities = match sig.status {
                Status::Draft => 0,
                _ if falcon => 2,
                _ => 1,
            };
            assert_eq!(sig.identities().count(), identities, "{}", sig.name);
            assert_eq!(sig.variable.is_some(), falcon);
            assert!(sig.identities().all(|id| id.verification_bound.is_some() == falcon));
        }
    }

    /// Checks the order of the arcs and codepoints of SLH-DSA: SHA2, SHAKE; 128 to 256; s before f.
    #[test]
    fn slh_dsa_runs_without_gaps() {
        let rows = IDENTITIES.iter().filter(|id| id.algorithm.name.starts_with("SLH-DSA"));
        assert_eq!(rows.clone().count(), 12);
        for (i, id) in (0..).zip(rows) {
            assert_eq!(id.codepoint, 0x0911 + i);
            assert_eq!(id.oid.arcs().last(), Some(20 + u32::from(i)));
            assert_eq!(Some(*id), id.algorithm.identities().next());
        }
    }

    /// Checks that the longest signature of each algorithm is the maximum over all formats.
    #[test]
    fn buffers_hold_every_signature() {
        for sig in ALL {
            let formats = sig.variable.map_or([0; 3], |v| [v.padded, v.longest, v.constant_time]);
            let longest = formats.into_iter().chain([sig.signature]).max();
            assert_eq!(Some(sig.longest_signature()), longest, "{}", sig.name);
        }
    }

    #[test]
    fn mistyped_names_have_a_suggestion() {
        assert_eq!(suggest("dilitium3"), Some("Dilithium3"));
        assert_eq!(suggest("SLHDSA-SHA-128s"), Some("SLH-DSA-SHA2-128s"));
        assert_eq!(suggest("ed25519"), None);
    }

    #[test]
    fn formulas_refuse_other_parameters() {
        use crate::macros::tests::every_parameter_counts;
        every_parameter_counts(|p| module_lattice(&ML_DSA_65, p), [6, 5, 4, 19, 55, 64, 48]);
        every_parameter_counts(|p| hash_tree(&SPHINCS_SHAKE_256S, p), [32, 64, 8, 14, 22]);
        every_parameter_counts(|p| falcon(&FALCON_512, p), [9, 6, 666]);
        assert!(!falcon(&ML_DSA_65, [9, 6, 666]));
        assert!(fn_dsa(&FN_DSA_512, &FALCON_512));
        assert!(!fn_dsa(&FN_DSA_512, &FALCON_1024) && !fn_dsa(&FN_DSA_512, &ML_DSA_44));
    }

    #[test]
    fn identities_of_the_appendix() {
        for (name, codepoint, oid) in [
            ("FALCON_LEVEL1", 65035, "1.3.9999.3.1"),
            ("FALCON_LEVEL5", 65038, "1.3.9999.3.4"),
            ("DILITHIUM_LEVEL2", 65184, "1.3.6.1.4.1.2.267.7.4.4"),
            ("DILITHIUM_LEVEL5", 65189, "1.3.6.1.4.1.2.267.7.8.7"),
            ("DILITHIUM_AES_LEVEL3", 65194, "1.3.6.1.4.1.2.267.11.6.5"),
            ("SPHINCS_FAST_LEVEL1", 0xfe7d, "1.3.9999.6.7.4"),
            ("SPHINCS_SMALL_LEVEL5", 0xfe94, "1.3.9999.6.9.7"),
        ] {
            let id = by_codepoint(codepoint).unwrap();
            assert_eq!((id.oid.as_str(), id.vocabulary), (oid, Vocabulary::Appendix), "{name}");
            assert_eq!(by_name(name), Some(id.algorithm));
        }
    }
}
