//! Trees of one-time keys, of which nodes are kept so that the work of a signature is bounded.
//!
//! Of a tree, all nodes from a height on, the *cut*, are kept, and below the cut one *block*, the
//! subtree that contains the current leaf:
//!
//! ```text
//! height           o                `above`: all nodes from the cut on, as an array whose node i
//!              ___/ \___            has the children 2 i and 2 i + 1; node 1 is the root
//!             o         o
//!            / \       / \
//! cut  ---  o   o     o   o  ---    the nodes at the cut: the lower half of `above`
//!          .    /\    /\   .
//!         .    o  o  o  .   .       `block`: also an array, from the node at the cut above the
//!        .    /\  /\ /\  .    .      current leaf down; the block after it, `next`, grows
//!   0    . . o oo o o o. . . .
//!              ^ current leaf
//! ```
//!
//! The next block is computed in advance, and so is the next tree of a layer: about one leaf with
//! each signature, unless [`Growth`](crate::Growth) says otherwise; after a jump they grow faster
//! until they have caught up. An incomplete tree grows by *chunks*, blocks of at least `2^10`
//! leaves: the row at the cut is kept of each complete chunk, and the first block of the first one.
use alloc::vec;
use alloc::vec::Vec;

use crate::error::Error;
use crate::faults;
use crate::hypertree::scheme::TreeOps;

/// The shape of the trees of a layer, and the part of them that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Bytes of a node.
    pub(crate) n: usize,
    pub(crate) height: u32,
    /// The height from which on all nodes are kept; 0 if the whole tree is.
    pub(crate) cut: u32,
}

/// The logarithm of the number of leaves that are computed at a time in an incomplete tree.
pub(crate) const CHUNK: u32 = 10;

impl Shape {
    /// Returns the shape with as many nodes as fit into `bytes`, or else with the fewest nodes.
    pub(crate) fn within(n: usize, height: u32, bytes: usize) -> Self {
        let of_cut = |cut: u32| {
            let nodes = match cut {
                0 => 2 << height,
                _ => (2_usize << (height - cut)) + 2 * (2 << cut),
            };
            nodes.saturating_mul(n)
        };
        let cut = (0..=height >> 1).find(|cut| of_cut(*cut) <= bytes).unwrap_or(height >> 1);
        Self { n, height, cut }
    }

    /// Returns the number of leaves.
    pub(crate) fn leaves(&self) -> u64 {
        1 << self.height
    }

    fn chunk(&self) -> u32 {
        self.cut.max(CHUNK.min(self.height))
    }

    /// Writes the nodes above the cut, given those at the cut.
    fn climb(&self, tree: &dyn TreeOps, above: &mut [u8]) {
        for depth in (0..self.height - self.cut).rev() {
            let (parents, children) = above.split_at_mut(self.n << (depth + 1));
            let children = &children[..self.n << (depth + 1)];
            tree.parents(self.height - depth, 0, children, &mut parents[self.n << depth..]);
        }
    }
}

/// A subtree down to its leaves, of which a part has been computed.
pub(crate) struct Block {
    n: usize,
    height: u32,
    /// The index of its root among the nodes of that height.
    number: u32,
    nodes: Vec<u8>,
    /// How many leaves have been computed.
    done: u32,
}

impl Block {
    pub(crate) fn new(n: usize, height: u32, number: u32) -> Self {
        Self { n, height, number, nodes: vec![0; n << (height + 1)], done: 0 }
    }

    fn is_whole(&self) -> bool {
        self.done >> self.height > 0
    }

    /// Computes at most `leaves` more leaves, and the nodes above them; returns how many leaves.
    pub(crate) fn grow(&mut self, tree: &dyn TreeOps, leaves: u32) -> u32 {
        let (from, to) = (self.done, self.done + leaves.min((1 << self.height) - self.done));
        if from == to {
            return 0;
        }
        let row =
            |nodes: u32, height: u32| self.n * ((1 << (self.height - height)) + nodes as usize);
        let number = |node: u32, height: u32| (self.number << (self.height - height)) + node;
        tree.leaves(number(from, 0), &mut self.nodes[row(from, 0)..row(to, 0)]);
        faults::strike(&mut self.nodes);
        for height in 1..=self.height {
            let (from, to) = (from >> height, to >> height);
            if from == to {
                break;
            }
            let (parents, children) = self.nodes.split_at_mut(row(0, height - 1));
            let children = &children[self.n * 2 * from as usize..self.n * 2 * to as usize];
            let parents = &mut parents[row(from, height)..row(to, height)];
            tree.parents(height, number(from, height), children, parents);
        }
        faults::strike(&mut self.nodes);
        to - core::mem::replace(&mut self.done, to)
    }

    /// Returns node `at` of the array.
    pub(crate) fn node(&self, at: usize) -> &[u8] {
        &self.nodes[at * self.n..(at + 1) * self.n]
    }

    /// Returns the first block of height `cut` of this block, which must be complete.
    fn first(&self, cut: u32) -> Self {
        let mut first = Self::new(self.n, cut, 0);
        for depth in 0..=cut {
            let (from, to) = (self.n << (self.height - cut + depth), self.n << depth);
            first.nodes[to..2 * to].copy_from_slice(&self.nodes[from..from + to]);
        }
        first.done = 1 << cut;
        first
    }
}

/// An incomplete tree.
pub(crate) struct Growing {
    shape: Shape,
    /// Nodes from the cut on, of which only the lowest have been computed.
    above: Vec<u8>,
    chunk: Block,
    /// The first block, which is empty until the first chunk is complete.
    first: Block,
    /// How many chunks are complete.
    chunks: u32,
}

impl Growing {
    pub(crate) fn new(shape: Shape) -> Self {
        let above = vec![0; shape.n << (shape.height - shape.cut + 1)];
        let chunk = Block::new(shape.n, shape.chunk(), 0);
        Self { shape, above, chunk, first: Block::new(shape.n, shape.cut, 0), chunks: 0 }
    }

    /// Returns a tree with the given nodes at the cut, without the first block.
    pub(crate) fn resume(shape: Shape, cut_nodes: &[u8]) -> Option<Self> {
        if shape.cut > shape.height {
            return None;
        }
        let mut growing = Self::new(shape);
        let of_chunk = shape.n << (shape.chunk() - shape.cut);
        let lowest = growing.above.len() >> 1;
        growing.above[lowest..].get_mut(..cut_nodes.len())?.copy_from_slice(cut_nodes);
        growing.chunks = cut_nodes.chunks(of_chunk).len() as u32;
        growing.chunk.number = growing.chunks;
        (growing.chunks as usize * of_chunk == cut_nodes.len()).then_some(growing)
    }

    /// Returns the nodes at the cut that have been computed.
    pub(crate) fn cut_nodes(&self) -> &[u8] {
        let of_chunk = self.shape.n << (self.chunk.height - self.shape.cut);
        &self.above[self.above.len() >> 1..][..self.chunks as usize * of_chunk]
    }

    /// Returns how many leaves have been computed.
    pub(crate) fn done(&self) -> u64 {
        (u64::from(self.chunks) << self.chunk.height) + u64::from(self.chunk.done)
    }

    pub(crate) fn left(&self) -> u64 {
        self.shape.leaves() - self.done()
    }

    /// Computes at most `leaves` leaves, up to the end of a chunk; returns how many.
    pub(crate) fn grow(&mut self, tree: &dyn TreeOps, leaves: u32) -> u32 {
        if self.left() == 0 {
            return 0;
        }
        let count = self.chunk.grow(tree, leaves);
        if !self.chunk.is_whole() {
            return count;
        }
        let Shape { n, cut, .. } = self.shape;
        // The row of the chunk at the height of the cut.
        let row = n << (self.chunk.height - cut);
        let to = (self.above.len() >> 1) + self.chunks as usize * row;
        self.above[to..to + row].copy_from_slice(&self.chunk.nodes[row..2 * row]);
        faults::strike(&mut self.above);
        if self.chunks == 0 && cut > 0 {
            self.first = self.chunk.first(cut);
            faults::strike(&mut self.first.nodes);
        }
        self.chunks += 1;
        (self.chunk.number, self.chunk.done) = (self.chunks, 0);
        count
    }

    /// Computes the rest of the tree.
    pub(crate) fn finish(mut self, tree: &dyn TreeOps) -> Grown {
        while self.left() > 0 {
            self.grow(tree, u32::MAX);
        }
        let Self { shape, mut above, first, .. } = self;
        shape.climb(tree, &mut above);
        faults::strike(&mut above);
        Grown { shape, above, block: first, next: None }
    }
}

/// A complete tree.
pub(crate) struct Grown {
    shape: Shape,
    /// Nodes from the cut on.
    above: Vec<u8>,
    block: Block,
    /// The block after `block`, as far as it has been computed.
    next: Option<Block>,
}

impl Grown {
    /// Returns a tree with the nodes at the cut from a cache. They are not trusted: the caller must
    /// compare the root to which they lead.
    pub(crate) fn from_cut_nodes(
        shape: Shape,
        cut_nodes: &[u8],
        tree: &dyn TreeOps,
    ) -> Option<Self> {
        let lowest = shape.n << (shape.height - shape.cut);
        if cut_nodes.len() != lowest {
            return None;
        }
        let mut above = vec![0; 2 * lowest];
        above[lowest..].copy_from_slice(cut_nodes);
        shape.climb(tree, &mut above);
        Some(Self { shape, above, block: Block::new(shape.n, shape.cut, 0), next: None })
    }

    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    pub(crate) fn root(&self) -> &[u8] {
        &self.above[self.shape.n..2 * self.shape.n]
    }

    /// Returns the nodes at the cut.
    pub(crate) fn cut_nodes(&self) -> &[u8] {
        &self.above[self.above.len() >> 1..]
    }

    /// Makes the block of a leaf the current one.
    ///
    /// # Errors
    /// [`Error::SecretKeyInconsistent`] if the block does not lead to the root.
    pub(crate) fn seek(&mut self, tree: &dyn TreeOps, leaf: u32) -> Result<(), Error> {
        faults::strike(&mut self.above);
        faults::strike(&mut self.block.nodes);
        let Shape { n, cut, .. } = self.shape;
        let number = leaf >> cut;
        if cut == 0 || self.block.is_whole() && self.block.number == number {
            return Ok(());
        }
        let next = self.next.take().filter(|next| next.number == number);
        let mut block = next.unwrap_or_else(|| Block::new(n, cut, number));
        block.grow(tree, u32::MAX);
        let at = (self.above.len() >> 1) + number as usize * n;
        if block.node(1) != &self.above[at..at + n] {
            return Err(Error::SecretKeyInconsistent);
        }
        self.block = block;
        Ok(())
    }

    /// Returns the block after the current one, unless that is the last or all nodes are kept.
    fn next_block(&mut self) -> Option<&mut Block> {
        let Shape { n, cut, height } = self.shape;
        let number = self.block.number + 1;
        if cut == 0 || u64::from(number) << cut >> height > 0 {
            return None;
        }
        let next = self.next.take().filter(|next| next.number == number);
        Some(self.next.insert(next.unwrap_or_else(|| Block::new(n, cut, number))))
    }

    /// Computes the share of the next block that is due after a signature at `leaf`: one leaf, or
    /// more after a jump.
    pub(crate) fn grow_share(&mut self, tree: &dyn TreeOps, leaf: u32) {
        let all = 1 << self.shape.cut;
        if let Some(next) = self.next_block() {
            next.grow(tree, due_leaves(next.done.into(), u64::from(leaf) & (all - 1), all));
        }
    }

    /// Computes at most `leaves` leaves of the next block; returns how many.
    pub(crate) fn grow_ahead(&mut self, tree: &dyn TreeOps, leaves: u32) -> u32 {
        self.next_block().map_or(0, |next| next.grow(tree, leaves))
    }

    /// Returns the offset of the authentication path, which ends a signature of the given length.
    pub(crate) fn path_at(&self, signature: usize) -> usize {
        signature - self.shape.n * self.shape.height as usize
    }

    /// Writes the authentication path of a leaf of the current block.
    pub(crate) fn path(&self, leaf: u32, out: &mut [u8]) {
        let Shape { n, cut, .. } = self.shape;
        let (below, above) = out.split_at_mut(n * cut as usize);
        let in_block = (leaf as usize & ((1 << cut) - 1)) + (1 << cut);
        for (to, at) in below.chunks_exact_mut(n).zip(siblings(in_block)) {
            to.copy_from_slice(self.block.node(at));
        }
        let lowest = 1 << (self.shape.height - cut);
        let in_above = (leaf >> cut) as usize + lowest;
        for (to, at) in above.chunks_exact_mut(n).zip(siblings(in_above)) {
            to.copy_from_slice(&self.above[at * n..(at + 1) * n]);
        }
    }
}

/// Returns the siblings on the way up from a node of an array to its root.
fn siblings(at: usize) -> impl Iterator<Item = usize> {
    core::iter::successors(Some(at), |at| Some(at >> 1)).take_while(|at| *at > 1).map(|at| at ^ 1)
}

/// Returns how many of `all` leaves to compute after signature `at` of `all`, if `done` leaves have
/// been computed: none if they are ahead, else an even share, and all of the rest with the last.
pub(crate) fn due_leaves(done: u64, at: u64, all: u64) -> u32 {
    if done > at {
        return 0;
    }
    ((all - done) >> (all - at).ilog2()) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Message;

    const N: usize = 24;
    const HEIGHT: u32 = 6;

    /// A tree whose leaves are numbers, and whose parents depend on children and positions.
    struct Toy;

    impl TreeOps for Toy {
        fn leaves(&self, first: u32, out: &mut [u8]) {
            for (leaf, out) in (first..).zip(out.as_chunks_mut::<N>().0) {
                *out = [leaf as u8 + 1; N];
            }
        }
        fn parents(&self, height: u32, first: u32, children: &[u8], out: &mut [u8]) {
            let pairs = children.as_chunks::<N>().0.as_chunks::<2>().0;
            assert_eq!(children.len(), 2 * out.len());
            for ((index, [left, right]), out) in (first..).zip(pairs).zip(out.as_chunks_mut().0) {
                let mut parent: [u8; N] = [0; N];
                for (i, byte) in parent.iter_mut().enumerate() {
                    let place = (height + 64 * index) as u8;
                    *byte = left[i].wrapping_mul(3).wrapping_add(right[i].wrapping_mul(7) ^ place);
                }
                *out = parent;
            }
        }
        fn sign_leaf(&self, _: u32, _: Message<'_>, _: &mut [u8]) {}
        fn signed_key(&self, root: &[u8]) -> Vec<u8> {
            root.to_vec()
        }
    }

    /// Returns all nodes, as an array.
    fn plain() -> Vec<u8> {
        let mut block = Block::new(N, HEIGHT, 0);
        block.grow(&Toy, u32::MAX);
        assert!(block.is_whole());
        block.nodes
    }

    #[test]
    fn a_block_grows_by_any_steps() {
        let want = plain();
        for step in [1, 2, 3, 5, 31, 64] {
            let mut block = Block::new(N, HEIGHT, 0);
            while !block.is_whole() {
                block.grow(&Toy, step);
            }
            assert_eq!(block.nodes, want, "{step} leaves at a time");
        }
        let mut second = Block::new(N, 3, 1);
        second.grow(&Toy, u32::MAX);
        assert_eq!(second.node(1), &want[9 * N..10 * N]);
        assert_eq!(second.node(8), &want[72 * N..73 * N]);
    }

    #[test]
    fn paths_do_not_depend_on_the_cut() {
        let want = plain();
        for cut in 0..=HEIGHT >> 1 {
            let shape = Shape { n: N, height: HEIGHT, cut };
            let mut grown = Growing::new(shape).finish(&Toy);
            assert_eq!(grown.root(), &want[N..2 * N]);
            for leaf in (0..64).chain([5, 40, 2]) {
                grown.seek(&Toy, leaf).expect("a block of the tree");
                let mut path = vec![0; N * HEIGHT as usize];
                grown.path(leaf, &mut path);
                for (node, at) in path.as_chunks::<N>().0.iter().zip(siblings(64 + leaf as usize)) {
                    assert_eq!(node, &want[at * N..][..N], "leaf {leaf}, cut {cut}");
                }
                grown.grow_share(&Toy, leaf);
            }
        }
    }
}
