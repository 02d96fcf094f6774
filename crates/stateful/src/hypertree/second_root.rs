//! The second computation of a root: if a root were computed only once, a fault could go unnoticed,
//! and a signature of the wrong root would spend the one-time key above.
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use crate::faults;
use crate::hypertree::grown::{Block, CHUNK, Shape};
use crate::hypertree::scheme::TreeOps;

/// Computes the root of a tree leaf by leaf, from secrets that are derived again. Nothing of the
/// first computation is used.
pub(crate) struct SecondRoot {
    tree: Box<dyn TreeOps>,
    n: usize,
    height: u32,
    /// The latest node of each height; a left node waits for its sibling.
    nodes: Vec<u8>,
    /// How many leaves have been computed.
    done: u32,
}

impl SecondRoot {
    pub(crate) fn new(tree: Box<dyn TreeOps>, Shape { n, height, .. }: Shape) -> Self {
        Self { tree, n, height, nodes: vec![0; n * (height as usize + 1)], done: 0 }
    }

    /// Returns how many leaves have been computed.
    pub(crate) fn done(&self) -> u64 {
        self.done.into()
    }

    /// Computes at most `leaves` more leaves.
    pub(crate) fn grow(&mut self, leaves: u32) {
        let mut left = leaves.min((1 << self.height) - self.done);
        while left > 0 {
            let height = CHUNK.min(left.ilog2()).min(self.done.trailing_zeros());
            let mut block = Block::new(self.n, height, self.done >> height);
            block.grow(&*self.tree, u32::MAX);
            self.push(height, block.node(1).to_vec());
            self.done += 1 << height;
            left -= 1 << height;
        }
    }

    /// Adds the node of a height that begins at the next leaf, and all nodes that it completes.
    fn push(&mut self, mut height: u32, mut node: Vec<u8>) {
        let mut number = self.done >> height;
        while number & 1 > 0 {
            let sibling = &self.nodes[self.n * height as usize..][..self.n];
            let children = [sibling, &node].concat();
            (height, number) = (height + 1, number >> 1);
            self.tree.parents(height, number, &children, &mut node);
        }
        self.nodes[self.n * height as usize..][..self.n].copy_from_slice(&node);
        faults::strike(&mut self.nodes);
    }

    /// Computes the rest of the tree, and returns the key that the layer above signs.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.grow(u32::MAX);
        self.tree.signed_key(&self.nodes[self.n * self.height as usize..])
    }
}
