//! Trees of the same height, grown together: leaves stream in, and each level hashes as soon as its
//! nodes fill all lanes, whichever trees they belong to. So lanes are full except in the last call
//! of each level, and no level ever holds more than a few vectors of nodes.
use core::fmt;

use oaklath_simd::copy_node;

use crate::{MAX_HEIGHT, MAX_LANES, MAX_NODE, MAX_ROW, Node, NodeAddress, Slot, TreeHash};

/// A tree, or a subtree, and what is kept of it.
pub struct Tree<'a> {
    /// The position of the tree. `leaf` is passed to the hash unchanged.
    pub slot: Slot,
    /// The index of the first leaf.
    pub first: u32,
    /// The leaf whose authentication path is kept.
    pub wanted: u32,
    /// The path, with a node for each level, or empty if none is kept. A subtree without the wanted
    /// leaf does not write to it.
    pub path: &'a mut [u8],
    /// The secrets of the wanted leaf, or empty. Their contents depend on the source of the leaves.
    pub secrets: &'a mut [u8],
    /// The root.
    pub root: Node,
}

impl Tree<'_> {
    /// Returns a tree of which only the root is kept.
    #[must_use]
    pub fn root_only(slot: Slot) -> Self {
        let (path, secrets) = (&mut [][..], &mut [][..]);
        Self { slot, first: 0, wanted: 0, path, secrets, root: [0; MAX_NODE] }
    }
}

/// Does not print the secrets.
impl fmt::Debug for Tree<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tree").field("slot", &self.slot).finish_non_exhaustive()
    }
}

/// A function that writes the next leaves, or other lowest nodes, given the trees and the number of
/// nodes before: first those of the first tree, then those of the second, and so on.
pub type LeafSource<'a> = dyn FnMut(&mut [Tree<'_>], usize, &mut [u8]) + 'a;

/// Grows trees of height `height` over nodes at height `base` (0 for leaves) from `leaves`.
///
/// # Panics
/// If a tree is higher than [`MAX_HEIGHT`], or if a path is too short.
pub fn grow(
    h: &dyn TreeHash,
    trees: &mut [Tree<'_>],
    base: u32,
    height: u32,
    leaves: &mut LeafSource<'_>,
) {
    assert!(base + height <= MAX_HEIGHT, "trees are not higher than MAX_HEIGHT");
    let mut levels = Levels { h, base, height, levels: [Level::EMPTY; HEIGHTS] };
    let (n, lanes) = (h.node_len(), h.lanes());
    let total = trees.len() << height;
    let mut at = 0;
    while at < total {
        let count = lanes.min(total - at);
        let mut nodes = [0; MAX_ROW];
        let nodes = &mut nodes[..count * n];
        leaves(trees, at, nodes);
        levels.add(trees, 0, nodes);
        levels.climb(trees, false);
        at += count;
    }
    levels.climb(trees, true);
}

const HEIGHTS: usize = MAX_HEIGHT as usize + 1;

/// The nodes of a level that wait for more.
#[derive(Clone, Copy)]
struct Level {
    waiting: [u8; 2 * MAX_ROW],
    /// The number of nodes that wait.
    count: usize,
    /// The number of nodes added so far, of all trees.
    total: usize,
}

impl Level {
    const EMPTY: Self = Self { waiting: [0; 2 * MAX_ROW], count: 0, total: 0 };
}

struct Levels<'h> {
    h: &'h dyn TreeHash,
    base: u32,
    height: u32,
    levels: [Level; HEIGHTS],
}

impl Levels<'_> {
    /// Adds nodes of a level: keeps those of authentication paths, and lets all wait for siblings.
    fn add(&mut self, trees: &mut [Tree<'_>], z: u32, nodes: &[u8]) {
        let (n, above) = (self.h.node_len(), self.height - z);
        let level = &mut self.levels[z as usize];
        for node in nodes.chunks_exact(n) {
            let (tree, index) = (level.total >> above, level.total & ((1 << above) - 1));
            let tree = &mut trees[tree];
            level.total += 1;
            if above == 0 {
                copy_node(&mut tree.root, node);
                continue;
            }
            // The index of the wanted leaf's ancestor within this subtree.
            let wanted = (tree.wanted >> self.base).wrapping_sub(tree.first >> self.base);
            if wanted >> self.height == 0
                && index == ((wanted >> z) ^ 1) as usize
                && let Some(kept) = tree.path.get_mut(z as usize * n..)
                && !kept.is_empty()
            {
                copy_node(kept, node);
            }
            copy_node(&mut level.waiting[level.count * n..], node);
            level.count += 1;
        }
    }

    /// Hashes waiting nodes, level by level: all of them if `all`, else where these fill the lanes.
    fn climb(&mut self, trees: &mut [Tree<'_>], all: bool) {
        let (n, lanes) = (self.h.node_len(), self.h.lanes());
        for z in 0..self.height {
            let level = &mut self.levels[z as usize];
            let pairs = level.count >> 1;
            if pairs == 0 || pairs < lanes && !all {
                continue;
            }
            // Both nodes of a pair belong to one tree, since its levels have an even number of
            // nodes.
            let parents_before = (level.total - level.count) >> 1;
            let above = self.height - z - 1;
            let mut addresses = [NodeAddress::default(); MAX_LANES];
            let addresses = &mut addresses[..pairs];
            for (i, address) in addresses.iter_mut().enumerate() {
                let at = parents_before + i;
                let tree = &trees[at >> above];
                let index = (tree.first >> (self.base + z + 1)) + (at & ((1 << above) - 1)) as u32;
                *address = NodeAddress { slot: tree.slot, height: self.base + z + 1, index };
            }
            let mut parents = [0; MAX_ROW];
            let parents = &mut parents[..pairs * n];
            self.h.parents(addresses, &level.waiting[..2 * pairs * n], parents);
            level.count = 0;
            self.add(trees, z + 1, parents);
        }
    }
}
