//! LMS and HSS: the types of RFC 8554, SP 800-208 and RFC 9858, and the parameter sets that wolfSSL
//! predefines.

use super::Hash;
use crate::name::{self, Row};

/// A type of LM-OTS, the one-time signature (RFC 8554, section 4.1). Sizes are in bytes.
///
/// ```
/// let ots = &oaklath_params::stateful::lms::LMOTS_SHA256_N32_W8;
/// assert_eq!((ots.typecode, ots.n, ots.w, ots.p, ots.ls), (4, 32, 8, 34, 0));
/// assert_eq!(ots.signature(), 1124);
/// ```
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LmotsType {
    /// The name in IANA's registry.
    pub name: &'static str,
    /// The type code.
    pub typecode: u32,
    /// The hash function.
    pub hash: Hash,
    /// Length of a hash value.
    pub n: usize,
    /// Number of bits of a Winternitz digit.
    pub w: usize,
    /// Number of chains.
    pub p: usize,
    /// Left shift of the checksum, in bits.
    pub ls: usize,
}

impl LmotsType {
    /// Returns the length of a signature: type code, randomizer C and one value for each chain.
    pub const fn signature(&self) -> usize {
        4 + self.n + self.n * self.p
    }
}

/// A type of LMS, the tree (RFC 8554, section 5.1). Sizes are in bytes.
///
/// ```
/// use oaklath_params::stateful::lms;
/// let tree = &lms::LMS_SHA256_M32_H10;
/// assert_eq!((tree.typecode, tree.m, tree.h), (6, 32, 10));
/// assert_eq!(tree.signature(&lms::LMOTS_SHA256_N32_W4), 2508);
/// ```
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LmsType {
    /// The name in IANA's registry.
    pub name: &'static str,
    /// The type code.
    pub typecode: u32,
    /// The hash function.
    pub hash: Hash,
    /// Length of a node.
    pub m: usize,
    /// Height of the tree.
    pub h: usize,
}

impl LmsType {
    /// Returns the length of a public key: both type codes, the identifier I and the root.
    pub const fn public_key(&self) -> usize {
        4 + 4 + 16 + self.m
    }

    /// Returns the length of a signature: leaf number, one-time signature, type code and path.
    pub const fn signature(&self, ots: &LmotsType) -> usize {
        4 + ots.signature() + 4 + self.m * self.h
    }
}

/// A parameter set of HSS with equal levels, as predefined by wolfSSL. Sizes are in bytes.
///
/// ```
/// let lms = &oaklath_params::stateful::lms::L2_H10_W4;
/// assert_eq!((lms.signature, lms.signatures, lms.public_key()), (5076, 1 << 20, 60));
/// ```
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LmsInfo {
    /// The preferred name: levels, height of each and Winternitz width.
    pub name: &'static str,
    /// The name of wolfSSL's constant.
    pub wolfssl: &'static str,
    /// Number of levels L.
    pub levels: usize,
    /// The tree of every level.
    pub lms: &'static LmsType,
    /// The one-time signature of every level.
    pub lmots: &'static LmotsType,
    /// Length of an HSS signature.
    pub signature: usize,
    /// Number of signatures that a key can make.
    pub signatures: u64,
}

impl LmsInfo {
    /// Returns the height of the tree of a level.
    pub const fn height(&self) -> usize {
        self.lms.h
    }

    /// Returns the number of bits of a Winternitz digit.
    pub const fn winternitz(&self) -> usize {
        self.lmots.w
    }

    /// Returns the length of an HSS public key: the number of levels and the key of the top tree.
    pub const fn public_key(&self) -> usize {
        4 + self.lms.public_key()
    }

    /// Returns every name of the set, the preferred one first. `WC_LMS_PARM_NONE`, the default of
    /// wolfSSL, is a name of [`L1_H15_W2`].
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let default = (self.wolfssl == L1_H15_W2.wolfssl).then_some("WC_LMS_PARM_NONE");
        [self.name, self.wolfssl].into_iter().chain(default)
    }
}

impl Row for LmotsType {
    fn names(&'static self) -> impl Iterator<Item = &'static str> {
        [self.name].into_iter()
    }

    fn has_number(&'static self, number: u32) -> bool {
        self.typecode == number
    }
}

impl Row for LmsType {
    fn names(&'static self) -> impl Iterator<Item = &'static str> {
        [self.name].into_iter()
    }

    fn has_number(&'static self, number: u32) -> bool {
        self.typecode == number
    }
}

impl Row for LmsInfo {
    fn names(&'static self) -> impl Iterator<Item = &'static str> {
        self.names()
    }
}

/// Returns the predefined set with this name.
///
/// ```
/// use oaklath_params::stateful::lms;
/// for name in ["L2_H10_W4", "WC_LMS_PARM_L2_H10_W4", "l2-h10-w4"] {
///     assert_eq!(lms::by_name(name), Some(&lms::L2_H10_W4));
/// }
/// assert_eq!(lms::by_name("WC_LMS_PARM_NONE"), Some(&lms::L1_H15_W2));
/// ```
pub fn by_name(name: &str) -> Option<&'static LmsInfo> {
    name::find(ALL, name)
}

/// Returns the LMS type with this name, or with this type code as a number.
///
/// ```
/// use oaklath_params::stateful::lms;
/// assert_eq!(lms::lms_by_name("LMS_SHA256_M32_H5"), Some(&lms::LMS_SHA256_M32_H5));
/// ```
pub fn lms_by_name(name: &str) -> Option<&'static LmsType> {
    name::find(LMS_TYPES, name)
}

/// Returns the LM-OTS type with this name, or with this type code as a number.
///
/// ```
/// use oaklath_params::stateful::lms;
/// assert_eq!(lms::lmots_by_name("0x04"), Some(&lms::LMOTS_SHA256_N32_W8));
/// ```
pub fn lmots_by_name(name: &str) -> Option<&'static LmotsType> {
    name::find(LMOTS_TYPES, name)
}

/// Returns the LMS type with this type code.
///
/// ```
/// use oaklath_params::stateful::lms;
/// assert_eq!(lms::lms_by_typecode(5), Some(&lms::LMS_SHA256_M32_H5));
/// ```
pub fn lms_by_typecode(typecode: u32) -> Option<&'static LmsType> {
    LMS_TYPES.iter().copied().find(|lms| lms.typecode == typecode)
}

/// Returns the LM-OTS type with this type code.
///
/// ```
/// use oaklath_params::stateful::lms;
/// assert_eq!(lms::lmots_by_typecode(4), Some(&lms::LMOTS_SHA256_N32_W8));
/// ```
pub fn lmots_by_typecode(typecode: u32) -> Option<&'static LmotsType> {
    LMOTS_TYPES.iter().copied().find(|ots| ots.typecode == typecode)
}

/// Returns the name of a predefined set that is closest to a mistyped one, if any is close.
///
/// ```
/// assert_eq!(oaklath_params::stateful::lms::suggest("L2_H10_W5"), Some("L2_H10_W2"));
/// ```
pub fn suggest(name: &str) -> Option<&'static str> {
    name::suggest(ALL, name)
}

macro_rules! lmots_types {
    ($($id:ident $typecode:literal $hash:ident $n:literal $w:literal $p:literal $ls:literal)*) => {
        $(
            #[doc = concat!("Type code ", $typecode, ".")]
            pub static $id: LmotsType = LmotsType {
                name: stringify!($id),
                typecode: $typecode,
                hash: Hash::$hash,
                n: $n,
                w: $w,
                p: $p,
                ls: $ls,
            };
            const _: () = assert!(is_lmots(&$id));
        )*
        /// Every LM-OTS type.
        pub static LMOTS_TYPES: &[&LmotsType] = &[$(&$id),*];
    };
}

/// Checks the chains and the checksum shift against n and w: RFC 8554, appendix B.
const fn is_lmots(ots: &LmotsType) -> bool {
    let u = (8 * ots.n).div_ceil(ots.w);
    let checksum_bits = (((1 << ots.w) - 1) * u).ilog2() as usize + 1;
    let v = checksum_bits.div_ceil(ots.w);
    ots.p == u + v && ots.ls == 16 - v * ots.w
}

// RFC 8554, Table 1; SP 800-208, section 4, and RFC 9858.
lmots_types! {
    // row                 type  hash      n  w    p  ls
    LMOTS_SHA256_N32_W1    0x01  Sha256   32  1  265  7
    LMOTS_SHA256_N32_W2    0x02  Sha256   32  2  133  6
    LMOTS_SHA256_N32_W4    0x03  Sha256   32  4   67  4
    LMOTS_SHA256_N32_W8    0x04  Sha256   32  8   34  0
    LMOTS_SHA256_N24_W1    0x05  Sha256   24  1  200  8
    LMOTS_SHA256_N24_W2    0x06  Sha256   24  2  101  6
    LMOTS_SHA256_N24_W4    0x07  Sha256   24  4   51  4
    LMOTS_SHA256_N24_W8    0x08  Sha256   24  8   26  0
    LMOTS_SHAKE_N32_W1     0x09  Shake256 32  1  265  7
    LMOTS_SHAKE_N32_W2     0x0a  Shake256 32  2  133  6
    LMOTS_SHAKE_N32_W4     0x0b  Shake256 32  4   67  4
    LMOTS_SHAKE_N32_W8     0x0c  Shake256 32  8   34  0
    LMOTS_SHAKE_N24_W1     0x0d  Shake256 24  1  200  8
    LMOTS_SHAKE_N24_W2     0x0e  Shake256 24  2  101  6
    LMOTS_SHAKE_N24_W4     0x0f  Shake256 24  4   51  4
    LMOTS_SHAKE_N24_W8     0x10  Shake256 24  8   26  0
}

macro_rules! lms_types {
    ($($id:ident $typecode:literal $hash:ident $m:literal $h:literal)*) => {
        $(
            #[doc = concat!("Type code ", $typecode, ".")]
            pub static $id: LmsType = LmsType {
                name: stringify!($id),
                typecode: $typecode,
                hash: Hash::$hash,
                m: $m,
                h: $h,
            };
        )*
        /// Every LMS type.
        pub static LMS_TYPES: &[&LmsType] = &[$(&$id),*];
    };
}

// RFC 8554, Table 2; SP 800-208, section 4, and RFC 9858.
lms_types! {
    // row              type  hash      m   h
    LMS_SHA256_M32_H5   0x05  Sha256   32   5
    LMS_SHA256_M32_H10  0x06  Sha256   32  10
    LMS_SHA256_M32_H15  0x07  Sha256   32  15
    LMS_SHA256_M32_H20  0x08  Sha256   32  20
    LMS_SHA256_M32_H25  0x09  Sha256   32  25
    LMS_SHA256_M24_H5   0x0a  Sha256   24   5
    LMS_SHA256_M24_H10  0x0b  Sha256   24  10
    LMS_SHA256_M24_H15  0x0c  Sha256   24  15
    LMS_SHA256_M24_H20  0x0d  Sha256   24  20
    LMS_SHA256_M24_H25  0x0e  Sha256   24  25
    LMS_SHAKE_M32_H5    0x0f  Shake256 32   5
    LMS_SHAKE_M32_H10   0x10  Shake256 32  10
    LMS_SHAKE_M32_H15   0x11  Shake256 32  15
    LMS_SHAKE_M32_H20   0x12  Shake256 32  20
    LMS_SHAKE_M32_H25   0x13  Shake256 32  25
    LMS_SHAKE_M24_H5    0x14  Shake256 24   5
    LMS_SHAKE_M24_H10   0x15  Shake256 24  10
    LMS_SHAKE_M24_H15   0x16  Shake256 24  15
    LMS_SHAKE_M24_H20   0x17  Shake256 24  20
    LMS_SHAKE_M24_H25   0x18  Shake256 24  25
}

macro_rules! hss_sets {
    ($($id:ident $levels:literal $lms:ident $lmots:ident $signature:literal $signatures:literal
       $wolfssl:literal)*) => {
        $(
            #[doc = concat!("Levels: ", $levels, ". Signature: ", $signature, " bytes.")]
            pub static $id: LmsInfo = LmsInfo {
                name: stringify!($id),
                wolfssl: $wolfssl,
                levels: $levels,
                lms: &$lms,
                lmots: &$lmots,
                signature: $signature,
                signatures: $signatures,
            };
            const _: () = assert!(is_hss(&$id));
        )*
        /// Every predefined set.
        pub static ALL: &[&LmsInfo] = &[$(&$id),*];
    };
}

/// Checks RFC 8554, section 6: a signature has the number of signed keys, then L LMS signatures and
/// the L - 1 keys that all of these except the last sign.
const fn is_hss(set: &LmsInfo) -> bool {
    let signature =
        4 + set.levels * set.lms.signature(set.lmots) + (set.levels - 1) * set.lms.public_key();
    set.signature == signature
        && set.signatures == 1 << (set.levels * set.lms.h)
        && set.lms.m == set.lmots.n
}

// The appendix: wolfSSL's predefined sets.
hss_sets! {
    // row     L  tree                one-time signature   bytes  signatures  wolfSSL
    L1_H15_W2  1  LMS_SHA256_M32_H15  LMOTS_SHA256_N32_W2   4784       32768  "WC_LMS_PARM_L1_H15_W2"
    L1_H15_W4  1  LMS_SHA256_M32_H15  LMOTS_SHA256_N32_W4   2672       32768  "WC_LMS_PARM_L1_H15_W4"
    L2_H10_W2  2  LMS_SHA256_M32_H10  LMOTS_SHA256_N32_W2   9300     1048576  "WC_LMS_PARM_L2_H10_W2"
    L2_H10_W4  2  LMS_SHA256_M32_H10  LMOTS_SHA256_N32_W4   5076     1048576  "WC_LMS_PARM_L2_H10_W4"
    L2_H10_W8  2  LMS_SHA256_M32_H10  LMOTS_SHA256_N32_W8   2964     1048576  "WC_LMS_PARM_L2_H10_W8"
    L3_H5_W2   3  LMS_SHA256_M32_H5   LMOTS_SHA256_N32_W2  13496       32768  "WC_LMS_PARM_L3_H5_W2"
    L3_H5_W4   3  LMS_SHA256_M32_H5   LMOTS_SHA256_N32_W4   7160       32768  "WC_LMS_PARM_L3_H5_W4"
    L3_H5_W8   3  LMS_SHA256_M32_H5   LMOTS_SHA256_N32_W8   3992       32768  "WC_LMS_PARM_L3_H5_W8"
    L3_H10_W4  3  LMS_SHA256_M32_H10  LMOTS_SHA256_N32_W4   7640  1073741824  "WC_LMS_PARM_L3_H10_W4"
    L4_H5_W8   4  LMS_SHA256_M32_H5   LMOTS_SHA256_N32_W8   5340     1048576  "WC_LMS_PARM_L4_H5_W8"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_type_codes_find_their_rows() {
        name::tests::every_name_finds_its_row(ALL);
        name::tests::every_name_finds_its_row(LMS_TYPES);
        name::tests::every_name_finds_its_row(LMOTS_TYPES);
        for &lms in LMS_TYPES {
            assert_eq!(lms_by_typecode(lms.typecode), Some(lms));
        }
        for &ots in LMOTS_TYPES {
            assert_eq!(lmots_by_typecode(ots.typecode), Some(ots));
        }
    }

    /// Checks that the registries have no gaps: LM-OTS 1 to 16, LMS 5 to 24.
    #[test]
    fn type_codes_run_without_gaps() {
        assert!(LMOTS_TYPES.iter().map(|ots| ots.typecode).eq(1..=16));
        assert!(LMS_TYPES.iter().map(|lms| lms.typecode).eq(5..=24));
        assert_eq!(ALL.len(), 10);
    }

    /// Checks that the name of each row matches its parameters.
    #[test]
    fn names_say_parameters() {
        use std::format;
        let hash = |hash| if hash == Hash::Sha256 { "SHA256" } else { "SHAKE" };
        for ots in LMOTS_TYPES {
            assert_eq!(ots.name, format!("LMOTS_{}_N{}_W{}", hash(ots.hash), ots.n, ots.w));
        }
        for lms in LMS_TYPES {
            assert_eq!(lms.name, format!("LMS_{}_M{}_H{}", hash(lms.hash), lms.m, lms.h));
        }
        for set in ALL {
            let name = format!("L{}_H{}_W{}", set.levels, set.height(), set.winternitz());
            assert_eq!((set.name, set.wolfssl), (&*name, &*format!("WC_LMS_PARM_{name}")));
        }
    }

    #[test]
    fn names_of_any_kind_find_their_rows() {
        for set in ALL {
            assert_eq!((by_name(set.name), by_name(set.wolfssl)), (Some(*set), Some(*set)));
            assert_eq!(lms_by_name(set.lms.name), Some(set.lms));
            assert_eq!(lmots_by_name(set.lmots.name), Some(set.lmots));
        }
        assert_eq!(lmots_by_name("0x04"), Some(&LMOTS_SHA256_N32_W8));
        assert_eq!(lms_by_name("5"), Some(&LMS_SHA256_M32_H5));
        assert_eq!(by_name("5"), None);
        assert_eq!(suggest("L2_H10_W5"), Some("L2_H10_W2"));
        assert_eq!(suggest("XMSS"), None);
    }

    /// Checks RFC 8554, section 5.3: 24 bytes before the root; section 6: four more for HSS.
    #[test]
    fn public_keys() {
        assert!(LMS_TYPES.iter().all(|lms| lms.public_key() == 24 + lms.m));
        assert!(ALL.iter().all(|set| set.public_key() == 60));
    }

    /// Checks that the formulas hold for rows, but not if a number is wrong.
    #[test]
    fn formulas_refuse_other_numbers() {
        let ots = |[n, w, p, ls]: [usize; 4]| {
            is_lmots(&LmotsType { name: "", typecode: 0, hash: Hash::Sha256, n, w, p, ls })
        };
        crate::macros::tests::every_parameter_counts(ots, [32, 4, 67, 4]);
        let set = |[levels, signature, signatures]: [usize; 3]| {
            let (lms, lmots) = (&LMS_SHA256_M32_H10, &LMOTS_SHA256_N32_W4);
            let signatures = signatures as u64;
            is_hss(&LmsInfo { name: "", wolfssl: "", levels, lms, lmots, signature, signatures })
        };
        crate::macros::tests::every_parameter_counts(set, [2, 5076, 1 << 20]);
    }
}
