//! Parts of trees all of whose nodes are kept, in an array: the root at 1, the children of the node at
//! `i` at `2 i` and `2 i + 1`, nothing at 0.
use crate::{MAX_LANES, NodeAddress, Slot, TreeHash};

/// A part of a tree that is a tree itself.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The tree.
    pub slot: Slot,
    /// The height of its lowest nodes above the leaves.
    pub base: u32,
    /// Its own height.
    pub height: u32,
    /// The index of its root among the nodes of that height.
    pub root: u32,
}

impl Part {
    /// Returns the place of its first lowest node in the array, which has twice as many nodes.
    #[must_use]
    pub fn lowest(&self) -> usize {
        1 << self.height
    }

    fn address(&self, at: usize) -> NodeAddress {
        let depth = at.ilog2();
        let index = (self.root << depth) + (at - (1 << depth)) as u32;
        NodeAddress { slot: self.slot, height: self.base + self.height - depth, index }
    }

    /// Hashes upwards from all lowest nodes.
    ///
    /// # Panics
    /// If the array has not the length of the part.
    pub fn climb(&self, h: &dyn TreeHash, nodes: &mut [u8]) {
        let n = h.node_len();
        assert_eq!(nodes.len(), 2 * self.lowest() * n, "all nodes");
        for depth in (0..self.height).rev() {
            let (mut at, end) = (1 << depth, 2 << depth);
            while at < end {
                let count = h.lanes().min(end - at);
                self.parents(h, nodes, at, count);
                at += count;
            }
        }
    }

    /// Hashes upwards from lowest node `i`, which was just written to the array, as far as both
    /// children are there, if nodes come in order.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn add(&self, h: &dyn TreeHash, nodes: &mut [u8], i: usize) {
        let mut at = self.lowest() + i;
        while at > 1 && at & 1 == 1 {
            at >>= 1;
            self.parents(h, nodes, at, 1);
        }
    }

    /// Hashes the nodes from place `at` on, at most as many as there are lanes.
    fn parents(&self, h: &dyn TreeHash, nodes: &mut [u8], at: usize, count: usize) {
        let mut addresses = [NodeAddress::default(); MAX_LANES];
        let addresses = &mut addresses[..count];
        (at..).zip(&mut *addresses).for_each(|(at, address)| *address = self.address(at));
        let n = h.node_len();
        let (above, below) = nodes.split_at_mut(2 * at * n);
        h.parents(addresses, &below[..2 * count * n], &mut above[at * n..][..count * n]);
    }
}

/// Returns the siblings on the way up from a node of an array to the root.
///
/// ```
/// assert!(oaklath_tree::kept::siblings(11).eq([10, 4, 3]));
/// ```
pub fn siblings(at: usize) -> impl Iterator<Item = usize> {
    core::iter::successors(Some(at), |at| Some(at >> 1)).take_while(|at| *at > 1).map(|at| at ^ 1)
}
