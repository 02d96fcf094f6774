//! What the digest of a message chooses: FIPS 205, Algorithm 19, lines 6 to 10, and Algorithm 20,
//! lines 9 to 13.
use oaklath_tree::Slot;

use crate::slh::hashes::Variant;
use crate::slh::params::{MOST_TREES, Params};

/// The longest digest of any set, in bytes.
const MOST: usize = 49;

/// A key of FORS, and a leaf of each of its trees, numbered through.
#[derive(Debug)]
pub(super) struct Choice {
    pub(super) slot: Slot,
    leaves: [u32; MOST_TREES],
}

impl Choice {
    /// The leaf of tree `i`.
    pub(super) fn leaf(&self, i: usize) -> u32 {
        self.leaves[i]
    }

    /// What the digest that `fill` writes chooses.
    pub(super) fn new(params: &Params, variant: Variant, fill: impl FnOnce(&mut [u8])) -> Self {
        let [fors, tree, leaf] = params.digest_parts();
        let mut digest = [0; MOST];
        fill(&mut digest[..fors + tree + leaf]);
        let (fors, rest) = digest.split_at(fors);
        let (tree, rest) = rest.split_at(tree);
        let number = |bytes: &[u8]| bytes.iter().fold(0, |n, byte| n << 8 | u64::from(*byte));
        let low = |n: u64, bits: u32| n & (u64::MAX >> (64 - bits));
        let height = params.tree_height();
        let slot = Slot {
            layer: 0,
            tree: low(number(tree), params.h - height),
            leaf: low(number(&rest[..leaf]), height) as u32,
        };
        let mut leaves = [0; MOST_TREES];
        for (i, leaf) in leaves[..params.k].iter_mut().enumerate() {
            let first = i * params.a as usize;
            let mut index = 0;
            for j in 0..params.a {
                let at = first + j as usize;
                let byte = u32::from(fors[at >> 3]);
                let (bit, place) = if variant.lowest_bit_first() {
                    (byte >> (at & 7), j)
                } else {
                    (byte >> (7 - (at & 7)), params.a - 1 - j)
                };
                index |= (bit & 1) << place;
            }
            *leaf = (i as u32) << params.a | index;
        }
        Self { slot, leaves }
    }
}
