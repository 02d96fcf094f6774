//! The computation of a root from a leaf and an authentication path: FIPS 205, Algorithm 11, lines
//! 6 to 17; RFC 8391, Algorithm 13; RFC 8554, Algorithm 6a. Several paths share the lanes.
use oaklath_simd::copy_node;

use crate::{MAX_LANES, MAX_NODE, MAX_ROW, Node, NodeAddress, Slot, TreeHash};

/// A node on its way to the root.
#[derive(Clone, Copy, Debug)]
pub struct Walk<'a> {
    /// The tree.
    pub slot: Slot,
    /// The index of the leaf.
    pub index: u32,
    /// The leaf, which [`climb`] replaces by the root.
    pub node: Node,
    /// The siblings, from the leaf up.
    pub path: &'a [u8],
}

impl Walk<'_> {
    /// An unused walk, to initialize memory.
    pub const NONE: Self = Self {
        slot: Slot { seed: 0, layer: 0, tree: 0, leaf: 0 },
        index: 0,
        node: [0; MAX_NODE],
        path: &[],
    };
}

/// Computes the roots of trees of height `height` from their leaves.
///
/// # Panics
/// If a path has fewer nodes than the height.
pub fn climb(h: &dyn TreeHash, walks: &mut [Walk<'_>], height: u32) {
    let (n, mut addresses) = (h.node_len(), [NodeAddress::default(); MAX_LANES]);
    let (mut pairs, mut parents) = ([0; 2 * MAX_ROW], [0; MAX_ROW]);
    for walks in walks.chunks_mut(h.lanes()) {
        let (pairs, parents) = (&mut pairs[..2 * walks.len() * n], &mut parents[..walks.len() * n]);
        for z in 0..height {
            for (i, walk) in walks.iter().enumerate() {
                let (left, right) = pairs[2 * i * n..].split_at_mut(n);
                let (node, sibling) = match walk.index >> z & 1 {
                    0 => (left, right),
                    _ => (right, left),
                };
                copy_node(node, &walk.node[..n]);
                copy_node(sibling, &walk.path[z as usize * n..][..n]);
                addresses[i] =
                    NodeAddress { slot: walk.slot, height: z + 1, index: walk.index >> (z + 1) };
            }
            h.parents(&addresses[..walks.len()], pairs, parents);
            for (i, walk) in walks.iter_mut().enumerate() {
                copy_node(&mut walk.node, &parents[i * n..][..n]);
            }
        }
    }
}
