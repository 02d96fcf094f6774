//! The parameter sets: FIPS 205, Table 2, which are SPHINCS+'s too.
/// Lengths and numbers of a set. w is 16 in all of them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Params {
    /// Bytes of a node.
    pub(crate) n: usize,
    /// Height of the whole hypertree.
    pub(crate) h: u32,
    /// Layers of it.
    pub(crate) d: u32,
    /// Height of a tree of FORS.
    pub(crate) a: u32,
    /// Trees of FORS.
    pub(crate) k: usize,
}

pub(crate) const SMALL_128: Params = Params { n: 16, h: 63, d: 7, a: 12, k: 14 };
pub(crate) const FAST_128: Params = Params { n: 16, h: 66, d: 22, a: 6, k: 33 };
pub(crate) const SMALL_192: Params = Params { n: 24, h: 63, d: 7, a: 14, k: 17 };
pub(crate) const FAST_192: Params = Params { n: 24, h: 66, d: 22, a: 8, k: 33 };
pub(crate) const SMALL_256: Params = Params { n: 32, h: 64, d: 8, a: 14, k: 22 };
pub(crate) const FAST_256: Params = Params { n: 32, h: 68, d: 17, a: 9, k: 35 };

/// Bits of a digit of a one-time signature: `lg_w`.
pub(crate) const DIGIT_BITS: u32 = 4;

/// The most trees of FORS in any set.
pub(crate) const MOST_TREES: usize = 35;

/// Chains of a one-time key over nodes of `n` bytes: len of FIPS 205, section 5.
pub(crate) const fn chains(n: usize) -> usize {
    2 * n + 3
}

impl Params {
    /// Height of a tree: h'.
    pub(crate) const fn tree_height(&self) -> u32 {
        // h / d, without the instruction: the release binary is searched for divisions.
        let mut height = 0;
        while height * self.d < self.h {
            height += 1;
        }
        height
    }

    /// Nodes of the signature by a few-time key.
    pub(crate) const fn fors_nodes(&self) -> usize {
        self.k * (self.a as usize + 1)
    }

    /// Nodes of a layer's signature.
    pub(crate) const fn layer_nodes(&self) -> usize {
        chains(self.n) + self.tree_height() as usize
    }

    /// Bytes of the digest: those that choose leaves of FORS, the tree, the leaf.
    pub(crate) const fn digest_parts(&self) -> [usize; 3] {
        [
            (self.k * self.a as usize).div_ceil(8),
            (self.h - self.tree_height()).div_ceil(8) as usize,
            self.tree_height().div_ceil(8) as usize,
        ]
    }

    /// Bytes of a signature.
    pub(crate) const fn signature(&self) -> usize {
        (1 + self.fors_nodes() + self.d as usize * self.layer_nodes()) * self.n
    }
}

#[cfg(test)]
mod tests {
    use oaklath_params::sig::{
        SLH_DSA_SHA2_128S, SLH_DSA_SHA2_192S, SLH_DSA_SHA2_256S, SLH_DSA_SHAKE_128F,
        SLH_DSA_SHAKE_192F, SLH_DSA_SHAKE_256F, SPHINCS_SHAKE_256F,
    };

    use super::*;

    /// FIPS 205, Table 2: h', the length m of a digest, and sizes, which are those of no other set.
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
                assert_eq!(p.signature() == of_other.signature, p == other, "{}", info.name);
            }
        }
        assert_eq!(FAST_256.signature(), SPHINCS_SHAKE_256F.signature);
    }
}
