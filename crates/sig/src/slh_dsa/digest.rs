//! The keys and leaves that the digest of a message chooses: FIPS 205, Algorithm 19, lines 6 to 10,
//! and Algorithm 20, lines 9 to 13.
use oaklath_tree::Slot;

use crate::slh_dsa::params::{MAX_K, MAX_M, Params};

/// Splits md into the indices of leaves, one in each FORS tree of height `a`: `base_2b` of FIPS
/// 205, Algorithm 4.
pub(crate) type SplitDigest = fn(md: &[u8], a: u32, indices: &mut [u32]);

/// FIPS 205, Algorithm 4: `base_2b`. The first bit of an index is its highest.
#[cfg(feature = "slh-dsa")]
pub(super) fn base_2b(md: &[u8], a: u32, indices: &mut [u32]) {
    let mut bits = md.iter().flat_map(|byte| (0..8).rev().map(move |i| u32::from(byte >> i & 1)));
    for index in indices {
        *index = bits.by_ref().take(a as usize).fold(0, |index, bit| index << 1 | bit);
    }
}

/// A FORS key, and the index of a leaf in each of its trees.
#[derive(Debug)]
pub(super) struct DigestIndices {
    /// `idx_tree` and `idx_leaf`.
    pub(super) slot: Slot,
    a: u32,
    fors: [u32; MAX_K],
}

impl DigestIndices {
    /// Returns the index, counted through all trees, of the leaf that is chosen in FORS tree `i`.
    pub(super) fn fors_leaf(&self, i: usize) -> u32 {
        (i as u32) << self.a | self.fors[i]
    }

    /// Returns the indices in the digest that `h_msg` writes.
    pub(super) fn new(params: &Params, split: SplitDigest, h_msg: impl FnOnce(&mut [u8])) -> Self {
        let [md, tree, leaf] = params.digest_parts();
        let mut digest = [0; MAX_M];
        h_msg(&mut digest[..md + tree + leaf]);
        let (md, rest) = digest.split_at(md);
        let (tree, rest) = rest.split_at(tree);
        let to_int = |bytes: &[u8]| bytes.iter().fold(0, |n, byte| n << 8 | u64::from(*byte));
        let low = |n: u64, bits: u32| n & (u64::MAX >> (64 - bits));
        let height = params.tree_height();
        let slot = Slot {
            tree: low(to_int(tree), params.h - height),
            leaf: low(to_int(&rest[..leaf]), height) as u32,
            ..Slot::default()
        };
        let mut fors = [0; MAX_K];
        split(md, params.a, &mut fors[..params.k]);
        Self { slot, a: params.a, fors }
    }
}
