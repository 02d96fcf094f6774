//! XMSS and XMSS^MT: the parameter sets of RFC 8391, section 5, and of SP 800-208, section 5.
//!
//! XMSS and XMSS^MT have separate registries, so a number may identify one set of each.

use super::Hash;
use crate::name::{self, Row};

/// A parameter set of XMSS (one tree) or XMSS^MT (a hypertree). Sizes are in bytes.
///
/// ```
/// let xmss = &oaklath_params::stateful::xmss::XMSS_SHA2_10_256;
/// assert_eq!((xmss.oid, xmss.n, xmss.w, xmss.len, xmss.h, xmss.d), (1, 32, 16, 67, 10, 1));
/// assert_eq!((xmss.signature, xmss.public_key(), xmss.signatures()), (2500, 68, 1 << 10));
/// ```
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct XmssInfo {
    /// The name in IANA's registry.
    pub name: &'static str,
    /// The number in keys, from the registry that `multi_tree` selects.
    pub oid: u32,
    /// Whether this is a set of XMSS^MT.
    pub multi_tree: bool,
    /// The hash function.
    pub hash: Hash,
    /// Length of a hash value.
    pub n: usize,
    /// Length of a Winternitz chain.
    pub w: usize,
    /// Number of chains of a one-time signature.
    pub len: usize,
    /// Total height of all layers.
    pub h: usize,
    /// Number of layers.
    pub d: usize,
    /// Length of a signature.
    pub signature: usize,
}

impl XmssInfo {
    /// Returns the length of a public key: number, root and SEED.
    pub const fn public_key(&self) -> usize {
        4 + 2 * self.n
    }

    /// Returns the height of one tree.
    pub const fn tree_height(&self) -> usize {
        self.h / self.d
    }

    /// Returns the length of a signature's index: 4 bytes in XMSS, ceil(h / 8) in XMSS^MT.
    pub const fn index(&self) -> usize {
        if self.multi_tree { self.h.div_ceil(8) } else { 4 }
    }

    /// Returns the number of signatures that a key can make.
    pub const fn signatures(&self) -> u64 {
        1 << self.h
    }
}

/// Two registries share the numbers, so a number alone would be ambiguous: rows have none.
impl Row for XmssInfo {
    fn names(&'static self) -> impl Iterator<Item = &'static str> {
        [self.name].into_iter()
    }
}

/// Returns the set with this name, of either scheme.
///
/// ```
/// use oaklath_params::stateful::xmss;
/// assert_eq!(xmss::by_name("XMSS-SHA2_10_256"), Some(&xmss::XMSS_SHA2_10_256));
/// assert_eq!(xmss::by_name("xmssmt-sha2_20/4_256"), Some(&xmss::XMSSMT_SHA2_20_4_256));
/// ```
pub fn by_name(name: &str) -> Option<&'static XmssInfo> {
    name::find(XMSS, name).or_else(|| name::find(XMSS_MT, name))
}

/// Returns the set of XMSS with this number.
///
/// ```
/// use oaklath_params::stateful::xmss;
/// assert_eq!(xmss::xmss_by_oid(1), Some(&xmss::XMSS_SHA2_10_256));
/// ```
pub fn xmss_by_oid(oid: u32) -> Option<&'static XmssInfo> {
    XMSS.iter().copied().find(|set| set.oid == oid)
}

/// Returns the set of XMSS^MT with this number.
///
/// ```
/// use oaklath_params::stateful::xmss;
/// assert_eq!(xmss::xmss_mt_by_oid(1), Some(&xmss::XMSSMT_SHA2_20_2_256));
/// ```
pub fn xmss_mt_by_oid(oid: u32) -> Option<&'static XmssInfo> {
    XMSS_MT.iter().copied().find(|set| set.oid == oid)
}

/// Returns the name that is closest to a mistyped one, if any is close.
///
/// ```
/// use oaklath_params::stateful::xmss;
/// assert_eq!(xmss::suggest("XMSS-SHA3_10_256"), Some("XMSS-SHA2_10_256"));
/// ```
pub fn suggest(name: &str) -> Option<&'static str> {
    name::suggest_of(XMSS.iter().chain(XMSS_MT).copied(), name)
}

macro_rules! sets {
    ($(#[$doc:meta])* $all:ident $multi_tree:literal
     $($id:ident $name:literal $oid:literal $hash:ident $n:literal $len:literal $h:literal
       $d:literal $signature:literal)*) => {
        $(
            #[doc = concat!($name, ", number ", $oid, ".")]
            pub static $id: XmssInfo = XmssInfo {
                name: $name,
                oid: $oid,
                multi_tree: $multi_tree,
                hash: Hash::$hash,
                n: $n,
                w: 16,
                len: $len,
                h: $h,
                d: $d,
                signature: $signature,
            };
            const _: () = assert!(is_xmss(&$id));
        )*
        $(#[$doc])*
        pub static $all: &[&XmssInfo] = &[$(&$id),*];
    };
}

/// Checks RFC 8391, sections 3.1.1, 4.1.8 and 4.2.3: the number of chains follows from n and w; a
/// signature has an index, a randomizer, d one-time signatures and h nodes.
const fn is_xmss(set: &XmssInfo) -> bool {
    let log2_w = set.w.ilog2() as usize;
    let len_1 = (8 * set.n).div_ceil(log2_w);
    let len_2 = (len_1 * (set.w - 1)).ilog2() as usize / log2_w + 1;
    set.len == len_1 + len_2
        && set.h.is_multiple_of(set.d)
        && set.signature == set.index() + set.n + (set.d * set.len + set.h) * set.n
}

// RFC 8391, section 5.3; from 0x0d on SP 800-208, section 5. All have w = 16.
sets! {
    /// Every set of XMSS.
    XMSS false
    // row                name                    oid   hash       n  len   h  d  bytes
    XMSS_SHA2_10_256      "XMSS-SHA2_10_256"      0x01  Sha256    32   67  10  1   2500
    XMSS_SHA2_16_256      "XMSS-SHA2_16_256"      0x02  Sha256    32   67  16  1   2692
    XMSS_SHA2_20_256      "XMSS-SHA2_20_256"      0x03  Sha256    32   67  20  1   2820
    XMSS_SHA2_10_512      "XMSS-SHA2_10_512"      0x04  Sha512    64  131  10  1   9092
    XMSS_SHA2_16_512      "XMSS-SHA2_16_512"      0x05  Sha512    64  131  16  1   9476
    XMSS_SHA2_20_512      "XMSS-SHA2_20_512"      0x06  Sha512    64  131  20  1   9732
    XMSS_SHAKE_10_256     "XMSS-SHAKE_10_256"     0x07  Shake128  32   67  10  1   2500
    XMSS_SHAKE_16_256     "XMSS-SHAKE_16_256"     0x08  Shake128  32   67  16  1   2692
    XMSS_SHAKE_20_256     "XMSS-SHAKE_20_256"     0x09  Shake128  32   67  20  1   2820
    XMSS_SHAKE_10_512     "XMSS-SHAKE_10_512"     0x0a  Shake256  64  131  10  1   9092
    XMSS_SHAKE_16_512     "XMSS-SHAKE_16_512"     0x0b  Shake256  64  131  16  1   9476
    XMSS_SHAKE_20_512     "XMSS-SHAKE_20_512"     0x0c  Shake256  64  131  20  1   9732
    XMSS_SHA2_10_192      "XMSS-SHA2_10_192"      0x0d  Sha256    24   51  10  1   1492
    XMSS_SHA2_16_192      "XMSS-SHA2_16_192"      0x0e  Sha256    24   51  16  1   1636
    XMSS_SHA2_20_192      "XMSS-SHA2_20_192"      0x0f  Sha256    24   51  20  1   1732
    XMSS_SHAKE256_10_256  "XMSS-SHAKE256_10_256"  0x10  Shake256  32   67  10  1   2500
    XMSS_SHAKE256_16_256  "XMSS-SHAKE256_16_256"  0x11  Shake256  32   67  16  1   2692
    XMSS_SHAKE256_20_256  "XMSS-SHAKE256_20_256"  0x12  Shake256  32   67  20  1   2820
    XMSS_SHAKE256_10_192  "XMSS-SHAKE256_10_192"  0x13  Shake256  24   51  10  1   1492
    XMSS_SHAKE256_16_192  "XMSS-SHAKE256_16_192"  0x14  Shake256  24   51  16  1   1636
    XMSS_SHAKE256_20_192  "XMSS-SHAKE256_20_192"  0x15  Shake256  24   51  20  1   1732
}

// RFC 8391, section 5.4; from 0x21 on SP 800-208, section 5. All have w = 16.
sets! {
    /// Every set of XMSS^MT.
    XMSS_MT true
    // row                     name                         oid   hash       n  len   h   d   bytes
    XMSSMT_SHA2_20_2_256       "XMSSMT-SHA2_20/2_256"       0x01  Sha256    32   67  20   2    4963
    XMSSMT_SHA2_20_4_256       "XMSSMT-SHA2_20/4_256"       0x02  Sha256    32   67  20   4    9251
    XMSSMT_SHA2_40_2_256       "XMSSMT-SHA2_40/2_256"       0x03  Sha256    32   67  40   2    5605
    XMSSMT_SHA2_40_4_256       "XMSSMT-SHA2_40/4_256"       0x04  Sha256    32   67  40   4    9893
    XMSSMT_SHA2_40_8_256       "XMSSMT-SHA2_40/8_256"       0x05  Sha256    32   67  40   8   18469
    XMSSMT_SHA2_60_3_256       "XMSSMT-SHA2_60/3_256"       0x06  Sha256    32   67  60   3    8392
    XMSSMT_SHA2_60_6_256       "XMSSMT-SHA2_60/6_256"       0x07  Sha256    32   67  60   6   14824
    XMSSMT_SHA2_60_12_256      "XMSSMT-SHA2_60/12_256"      0x08  Sha256    32   67  60  12   27688
    XMSSMT_SHA2_20_2_512       "XMSSMT-SHA2_20/2_512"       0x09  Sha512    64  131  20   2   18115
    XMSSMT_SHA2_20_4_512       "XMSSMT-SHA2_20/4_512"       0x0a  Sha512    64  131  20   4   34883
    XMSSMT_SHA2_40_2_512       "XMSSMT-SHA2_40/2_512"       0x0b  Sha512    64  131  40   2   19397
    XMSSMT_SHA2_40_4_512       "XMSSMT-SHA2_40/4_512"       0x0c  Sha512    64  131  40   4   36165
    XMSSMT_SHA2_40_8_512       "XMSSMT-SHA2_40/8_512"       0x0d  Sha512    64  131  40   8   69701
    XMSSMT_SHA2_60_3_512       "XMSSMT-SHA2_60/3_512"       0x0e  Sha512    64  131  60   3   29064
    XMSSMT_SHA2_60_6_512       "XMSSMT-SHA2_60/6_512"       0x0f  Sha512    64  131  60   6   54216
    XMSSMT_SHA2_60_12_512      "XMSSMT-SHA2_60/12_512"      0x10  Sha512    64  131  60  12  104520
    XMSSMT_SHAKE_20_2_256      "XMSSMT-SHAKE_20/2_256"      0x11  Shake128  32   67  20   2    4963
    XMSSMT_SHAKE_20_4_256      "XMSSMT-SHAKE_20/4_256"      0x12  Shake128  32   67  20   4    9251
    XMSSMT_SHAKE_40_2_256      "XMSSMT-SHAKE_40/2_256"      0x13  Shake128  32   67  40   2    5605
    XMSSMT_SHAKE_40_4_256      "XMSSMT-SHAKE_40/4_256"      0x14  Shake128  32   67  40   4    9893
    XMSSMT_SHAKE_40_8_256      "XMSSMT-SHAKE_40/8_256"      0x15  Shake128  32   67  40   8   18469
    XMSSMT_SHAKE_60_3_256      "XMSSMT-SHAKE_60/3_256"      0x16  Shake128  32   67  60   3    8392
    XMSSMT_SHAKE_60_6_256      "XMSSMT-SHAKE_60/6_256"      0x17  Shake128  32   67  60   6   14824
    XMSSMT_SHAKE_60_12_256     "XMSSMT-SHAKE_60/12_256"     0x18  Shake128  32   67  60  12   27688
    XMSSMT_SHAKE_20_2_512      "XMSSMT-SHAKE_20/2_512"      0x19  Shake256  64  131  20   2   18115
    XMSSMT_SHAKE_20_4_512      "XMSSMT-SHAKE_20/4_512"      0x1a  Shake256  64  131  20   4   34883
    XMSSMT_SHAKE_40_2_512      "XMSSMT-SHAKE_40/2_512"      0x1b  Shake256  64  131  40   2   19397
    XMSSMT_SHAKE_40_4_512      "XMSSMT-SHAKE_40/4_512"      0x1c  Shake256  64  131  40   4   36165
    XMSSMT_SHAKE_40_8_512      "XMSSMT-SHAKE_40/8_512"      0x1d  Shake256  64  131  40   8   69701
    XMSSMT_SHAKE_60_3_512      "XMSSMT-SHAKE_60/3_512"      0x1e  Shake256  64  131  60   3   29064
    XMSSMT_SHAKE_60_6_512      "XMSSMT-SHAKE_60/6_512"      0x1f  Shake256  64  131  60   6   54216
    XMSSMT_SHAKE_60_12_512     "XMSSMT-SHAKE_60/12_512"     0x20  Shake256  64  131  60  12  104520
    XMSSMT_SHA2_20_2_192       "XMSSMT-SHA2_20/2_192"       0x21  Sha256    24   51  20   2    2955
    XMSSMT_SHA2_20_4_192       "XMSSMT-SHA2_20/4_192"       0x22  Sha256    24   51  20   4    5403
    XMSSMT_SHA2_40_2_192       "XMSSMT-SHA2_40/2_192"       0x23  Sha256    24   51  40   2    3437
    XMSSMT_SHA2_40_4_192       "XMSSMT-SHA2_40/4_192"       0x24  Sha256    24   51  40   4    5885
    XMSSMT_SHA2_40_8_192       "XMSSMT-SHA2_40/8_192"       0x25  Sha256    24   51  40   8   10781
    XMSSMT_SHA2_60_3_192       "XMSSMT-SHA2_60/3_192"       0x26  Sha256    24   51  60   3    5144
    XMSSMT_SHA2_60_6_192       "XMSSMT-SHA2_60/6_192"       0x27  Sha256    24   51  60   6    8816
    XMSSMT_SHA2_60_12_192      "XMSSMT-SHA2_60/12_192"      0x28  Sha256    24   51  60  12   16160
    XMSSMT_SHAKE256_20_2_256   "XMSSMT-SHAKE256_20/2_256"   0x29  Shake256  32   67  20   2    4963
    XMSSMT_SHAKE256_20_4_256   "XMSSMT-SHAKE256_20/4_256"   0x2a  Shake256  32   67  20   4    9251
    XMSSMT_SHAKE256_40_2_256   "XMSSMT-SHAKE256_40/2_256"   0x2b  Shake256  32   67  40   2    5605
    XMSSMT_SHAKE256_40_4_256   "XMSSMT-SHAKE256_40/4_256"   0x2c  Shake256  32   67  40   4    9893
    XMSSMT_SHAKE256_40_8_256   "XMSSMT-SHAKE256_40/8_256"   0x2d  Shake256  32   67  40   8   18469
    XMSSMT_SHAKE256_60_3_256   "XMSSMT-SHAKE256_60/3_256"   0x2e  Shake256  32   67  60   3    8392
    XMSSMT_SHAKE256_60_6_256   "XMSSMT-SHAKE256_60/6_256"   0x2f  Shake256  32   67  60   6   14824
    XMSSMT_SHAKE256_60_12_256  "XMSSMT-SHAKE256_60/12_256"  0x30  Shake256  32   67  60  12   27688
    XMSSMT_SHAKE256_20_2_192   "XMSSMT-SHAKE256_20/2_192"   0x31  Shake256  24   51  20   2    2955
    XMSSMT_SHAKE256_20_4_192   "XMSSMT-SHAKE256_20/4_192"   0x32  Shake256  24   51  20   4    5403
    XMSSMT_SHAKE256_40_2_192   "XMSSMT-SHAKE256_40/2_192"   0x33  Shake256  24   51  40   2    3437
    XMSSMT_SHAKE256_40_4_192   "XMSSMT-SHAKE256_40/4_192"   0x34  Shake256  24   51  40   4    5885
    XMSSMT_SHAKE256_40_8_192   "XMSSMT-SHAKE256_40/8_192"   0x35  Shake256  24   51  40   8   10781
    XMSSMT_SHAKE256_60_3_192   "XMSSMT-SHAKE256_60/3_192"   0x36  Shake256  24   51  60   3    5144
    XMSSMT_SHAKE256_60_6_192   "XMSSMT-SHAKE256_60/6_192"   0x37  Shake256  24   51  60   6    8816
    XMSSMT_SHAKE256_60_12_192  "XMSSMT-SHAKE256_60/12_192"  0x38  Shake256  24   51  60  12   16160
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_find_their_rows() {
        name::tests::every_name_finds_its_row(XMSS);
        name::tests::every_name_finds_its_row(XMSS_MT);
        for &set in XMSS {
            assert_eq!(by_name(set.name), Some(set));
            assert_eq!(xmss_by_oid(set.oid), Some(set));
        }
        for &set in XMSS_MT {
            assert_eq!(by_name(set.name), Some(set));
            assert_eq!(xmss_mt_by_oid(set.oid), Some(set));
        }
    }

    /// Checks that the registries have no gaps.
    #[test]
    fn numbers_run_without_gaps() {
        assert!(XMSS.iter().map(|set| set.oid).eq(0x01..=0x15));
        assert!(XMSS_MT.iter().map(|set| set.oid).eq(0x01..=0x38));
    }

    /// Checks that the name of each row matches its parameters.
    #[test]
    fn names_say_parameters() {
        use std::format;
        for set in XMSS.iter().chain(XMSS_MT) {
            // RFC 8391 calls both SHAKE128 with n = 32 and SHAKE256 with n = 64 "SHAKE". Of these,
            // SP 800-208 has only SHAKE256, which it calls "SHAKE256".
            let hash = match (set.hash, set.n) {
                (Hash::Sha256, 24 | 32) | (Hash::Sha512, 64) => "SHA2",
                (Hash::Shake128, 32) | (Hash::Shake256, 64) => "SHAKE",
                (Hash::Shake256, 24 | 32) => "SHAKE256",
                odd => panic!("{}: {odd:?}", set.name),
            };
            let (h, d, bits) = (set.h, set.d, 8 * set.n);
            let name = match set.multi_tree {
                false => format!("XMSS-{hash}_{h}_{bits}"),
                true => format!("XMSSMT-{hash}_{h}/{d}_{bits}"),
            };
            assert_eq!(set.name, name);
        }
    }

    #[test]
    fn sizes_of_the_appendix() {
        for (name, oid, tree_height, signature) in [
            ("XMSS-SHA2_16_256", 2, 16, 2692),
            ("XMSS-SHA2_20_256", 3, 20, 2820),
            ("XMSSMT-SHA2_20/2_256", 1, 10, 4963),
            ("XMSSMT-SHA2_20/4_256", 2, 5, 9251),
            ("XMSSMT-SHA2_40/2_256", 3, 20, 5605),
            ("XMSSMT-SHA2_40/4_256", 4, 10, 9893),
            ("XMSSMT-SHA2_40/8_256", 5, 5, 18469),
            ("XMSSMT-SHA2_60/3_256", 6, 20, 8392),
            ("XMSSMT-SHA2_60/6_256", 7, 10, 14824),
            ("XMSSMT-SHA2_60/12_256", 8, 5, 27688),
        ] {
            let set = by_name(name).unwrap();
            assert_eq!((set.oid, set.tree_height(), set.signature), (oid, tree_height, signature));
        }
    }

    /// Checks sizes of keys and indices: RFC 8391, sections 4.1.7 and 4.1.8.
    #[test]
    fn sizes_of_keys_and_indices() {
        for set in XMSS.iter().chain(XMSS_MT) {
            let index = if set.multi_tree { set.h.div_ceil(8) } else { 4 };
            assert_eq!((set.public_key(), set.index()), (4 + 2 * set.n, index), "{}", set.name);
            assert_eq!(set.signatures(), 1 << set.h);
        }
    }

    #[test]
    fn mistyped_names_have_a_suggestion() {
        assert_eq!(suggest("XMSS-SHA3_10_256"), Some("XMSS-SHA2_10_256"));
        assert_eq!(suggest("XMSSMT-SHA2_60/11_256"), Some("XMSSMT-SHA2_60/12_256"));
        assert_eq!(suggest("L2_H10_W4"), None);
        // A number could be from either of two registries.
        assert_eq!(by_name("1"), None);
    }

    /// Checks that the formula holds for a row, but not if a number is wrong.
    #[test]
    fn the_formula_refuses_other_numbers() {
        let set = |[n, w, len, h, d, signature]: [usize; 6]| {
            let (name, oid, multi_tree, hash) = ("", 0, true, Hash::Sha256);
            is_xmss(&XmssInfo { name, oid, multi_tree, hash, n, w, len, h, d, signature })
        };
        crate::macros::tests::every_parameter_counts(set, [32, 16, 67, 20, 4, 9251]);
    }
}
