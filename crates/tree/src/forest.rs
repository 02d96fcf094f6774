//! Trees of one height, side by side: leaves stream in, and each level hashes as soon as its nodes
//! fill all lanes, whichever trees they belong to. So lanes are full but for the last call of each
//! level, and no level ever holds more than a few vectors of nodes.
use crate::{MAX_HEIGHT, MAX_LANES, Nodes, Place, Slot};

/// A tree, or a part of one that is a tree itself, and what is kept of it.
#[derive(Debug)]
pub struct Tree<'a, const N: usize> {
    /// Where it is. `leaf` goes to the hash as it is.
    pub slot: Slot,
    /// The index of its first leaf.
    pub first: u32,
    /// The leaf whose authentication path is kept.
    pub wanted: u32,
    /// The path, as long as the tree is high, or empty: then none is kept. A part of a tree that has
    /// not the wanted leaf leaves it alone.
    pub path: &'a mut [[u8; N]],
    /// The secrets of the wanted leaf, or empty. What they are is up to who makes the leaves.
    pub secrets: &'a mut [[u8; N]],
    /// The root.
    pub root: [u8; N],
}

impl<const N: usize> Tree<'_, N> {
    /// A tree of which nothing is kept but its root.
    pub(crate) fn empty() -> Self {
        let (path, secrets) = (&mut [][..], &mut [][..]);
        Self { slot: Slot::default(), first: 0, wanted: 0, path, secrets, root: [0; N] }
    }

    /// A whole tree of which nothing is kept but its root.
    #[must_use]
    pub fn root_only(slot: Slot) -> Self {
        Self { slot, ..Self::empty() }
    }
}

/// Grows trees of height `height` of nodes at height `base` (0: leaves), which `leaves` gives, a
/// vector of them at a time: it gets the trees and how many nodes there were before, and nodes are
/// those of the first tree, then those of the second.
///
/// # Panics
/// If a tree is higher than [`MAX_HEIGHT`], or a path too short.
pub fn grow<H: Nodes<N>, const N: usize>(
    h: &H,
    trees: &mut [Tree<'_, N>],
    base: u32,
    height: u32,
    mut leaves: impl FnMut(&mut [Tree<'_, N>], usize, &mut [[u8; N]]),
) {
    assert!(base + height <= MAX_HEIGHT, "no higher tree");
    let mut levels = Levels { base, height, lanes: h.lanes(), levels: [Level::EMPTY; HEIGHTS] };
    let total = trees.len() << height;
    let mut at = 0;
    while at < total {
        let n = levels.lanes.min(total - at);
        let mut nodes = [[0; N]; MAX_LANES];
        leaves(trees, at, &mut nodes[..n]);
        levels.add(trees, 0, &nodes[..n]);
        levels.climb(h, trees, false);
        at += n;
    }
    levels.climb(h, trees, true);
}

const HEIGHTS: usize = MAX_HEIGHT as usize + 1;

/// Nodes of a level that wait for more.
#[derive(Clone, Copy)]
struct Level<const N: usize> {
    waiting: [[[u8; N]; 2]; MAX_LANES],
    /// How many nodes wait.
    count: usize,
    /// How many came, of all trees.
    total: usize,
}

impl<const N: usize> Level<N> {
    const EMPTY: Self = Self { waiting: [[[0; N]; 2]; MAX_LANES], count: 0, total: 0 };
}

struct Levels<const N: usize> {
    base: u32,
    height: u32,
    lanes: usize,
    levels: [Level<N>; HEIGHTS],
}

impl<const N: usize> Levels<N> {
    /// Takes nodes of a level: keeps what trees want, and lets them wait for their siblings.
    fn add(&mut self, trees: &mut [Tree<'_, N>], z: u32, nodes: &[[u8; N]]) {
        let above = self.height - z;
        let level = &mut self.levels[z as usize];
        for node in nodes {
            let (tree, index) = (level.total >> above, level.total & ((1 << above) - 1));
            let tree = &mut trees[tree];
            level.total += 1;
            if above == 0 {
                tree.root = *node;
                continue;
            }
            // The wanted leaf's ancestor, counted from the beginning of this part.
            let wanted = (tree.wanted >> self.base).wrapping_sub(tree.first >> self.base);
            if wanted >> self.height == 0
                && index == ((wanted >> z) ^ 1) as usize
                && let Some(kept) = tree.path.get_mut(z as usize)
            {
                *kept = *node;
            }
            level.waiting[level.count >> 1][level.count & 1] = *node;
            level.count += 1;
        }
    }

    /// Hashes what waits, level by level: where lanes are full, or everything.
    fn climb<H: Nodes<N>>(&mut self, h: &H, trees: &mut [Tree<'_, N>], all: bool) {
        for z in 0..self.height {
            loop {
                let level = &mut self.levels[z as usize];
                let pairs = level.count >> 1;
                if pairs == 0 || pairs < self.lanes && !all {
                    break;
                }
                // Both nodes of a pair are of one tree: its levels have even numbers of nodes.
                let parents_before = (level.total - level.count) >> 1;
                let above = self.height - z - 1;
                let (mut places, mut parents) =
                    ([Place::default(); MAX_LANES], [[0; N]; MAX_LANES]);
                for (i, place) in places[..pairs].iter_mut().enumerate() {
                    let at = parents_before + i;
                    let tree = &trees[at >> above];
                    let index =
                        (tree.first >> (self.base + z + 1)) + (at & ((1 << above) - 1)) as u32;
                    *place = Place { slot: tree.slot, height: self.base + z + 1, index };
                }
                h.nodes(&places[..pairs], &level.waiting[..pairs], &mut parents[..pairs]);
                level.count = 0;
                self.add(trees, z + 1, &parents[..pairs]);
            }
        }
    }
}
