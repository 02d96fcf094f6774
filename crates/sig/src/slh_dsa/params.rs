//! The parameter sets of FIPS 205, Table 2, which are also those of SPHINCS+.
/// The parameters of a set. w is 16 in all sets.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Params {
    /// Bytes of a node.
    pub(super) n: usize,
    /// Height of the whole hypertree.
    pub(super) h: u32,
    /// Layers of the hypertree.
    pub(super) d: u32,
    /// Height of a FORS tree.
    pub(super) a: u32,
    /// Number of FORS trees.
    pub(super) k: usize,
}

pub(crate) const SMALL_128: Params = Params { n: 16, h: 63, d: 7, a: 12, k: 14 };
pub(crate) const FAST_128: Params = Params { n: 16, h: 66, d: 22, a: 6, k: 33 };
pub(crate) const SMALL_192: Params = Params { n: 24, h: 63, d: 7, a: 14, k: 17 };
pub(crate) const FAST_192: Params = Params { n: 24, h: 66, d: 22, a: 8, k: 33 };
pub(crate) const SMALL_256: Params = Params { n: 32, h: 64, d: 8, a: 14, k: 22 };
pub(crate) const FAST_256: Params = Params { n: 32, h: 68, d: 17, a: 9, k: 35 };

/// Bits of a digit of a WOTS+ signature: `lg_w`.
pub(super) const LG_W: u32 = 4;

/// Bytes of the longest node.
pub(super) const MAX_N: usize = 32;

/// The maximum number of FORS trees in a set.
pub(super) const MAX_K: usize = 35;

/// Bytes of the longest digest: m.
pub(super) const MAX_M: usize = 49;

/// Returns the number of chains of a WOTS+ key for nodes of `n` bytes: len of FIPS 205, section 5.
pub(super) const fn wots_len(n: usize) -> usize {
    2 * n + 3
}

impl Params {
    /// Returns h', the height of a tree of the hypertree.
    pub(super) const fn tree_height(&self) -> u32 {
        // h / d without a division instruction, for which the release binary is searched.
        let mut height = 0;
        while height * self.d < self.h {
            height += 1;
        }
        height
    }

    /// Returns the number of bytes of a FORS signature.
    pub(super) const fn fors_len(&self) -> usize {
        self.k * (self.a as usize + 1) * self.n
    }

    /// Returns the number of bytes of a WOTS+ signature.
    pub(super) const fn wots_len(&self) -> usize {
        wots_len(self.n) * self.n
    }

    /// Returns the number of bytes of an XMSS signature, that of a layer of the hypertree.
    pub(super) const fn xmss_len(&self) -> usize {
        self.wots_len() + self.tree_height() as usize * self.n
    }

    /// Returns the numbers of bytes of md, of the tree index and of the leaf index in the digest:
    /// FIPS 205, Algorithm 19.
    pub(super) const fn digest_parts(&self) -> [usize; 3] {
        [
            (self.k * self.a as usize).div_ceil(8),
            (self.h - self.tree_height()).div_ceil(8) as usize,
            self.tree_height().div_ceil(8) as usize,
        ]
    }

    /// Returns the number of bytes of a signature.
    pub(super) const fn signature_len(&self) -> usize {
        self.n + self.fors_len() + self.d as usize * self.xmss_len()
    }

    /// Returns whether the buffers of this implementation are long enough for the set.
    pub(super) const fn fits_buffers(&self) -> bool {
        let [md, tree, leaf] = self.digest_parts();
        self.n <= MAX_N && self.k <= MAX_K && md + tree + leaf <= MAX_M
    }
}

#[cfg(test)]
mod tests {
    use oaklath_params::sig::{
        SLH_DSA_SHA2_128S, SLH_DSA_SHA2_192S, SLH_DSA_SHA2_256S, SLH_DSA_SHAKE_128F,
        SLH_DSA_SHAKE_192F, SLH_DSA_SHAKE_256F, SPHINCS_SHAKE_256F,
    };

    use super::*;

    /// FIPS 205, Table 2: h', the length m of a digest, and signature sizes, which all differ.
    #[test]
    fn numbers_and_sizes_of_the_standard() {
        let sets = [
            (&SMALL_128, 9, 30, &SLH_DSA_SHA2_128S),
            (&FAST_128, 3, 34, &SLH_DSA_SHAKE_128F),
            (&SMALL_192, 9, 39, &SLH_DSA_SHA2_192S),
            (&FAST_192, 3, 42, &SLH_DSA_SHAKE_192F),
            (&SMALL_256, 8, 47, &SLH_DSA_SHA2_256S),
            (&FAST_256, 4, 49, &SLH_DSA_SHAKE_256F),
        ];
        for (p, tree_height, m, info) in sets {
            assert_eq!(p.tree_height(), tree_height, "{}", info.name);
            assert_eq!(p.digest_parts().iter().sum::<usize>(), m, "{}", info.name);
            for (other, .., of_other) in sets {
                assert_eq!(p.signature_len() == of_other.signature, p == other, "{}", info.name);
            }
        }
        assert_eq!(FAST_256.signature_len(), SPHINCS_SHAKE_256F.signature);
    }
}
