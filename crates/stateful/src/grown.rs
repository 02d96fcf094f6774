//! Trees of one-time keys and which of their nodes are kept, so that a signature takes bounded work.
//!
//! Of a tree the nodes from a height on, the *cut*, are kept, and below it those of one part, the
//! *block*, which has the leaf of the moment. The next block grows a leaf a signature, and so does the
//! next tree of a layer. A jump makes them grow faster until they have caught up.
use alloc::vec;
use alloc::vec::Vec;

use oaklath_tree::kept::{Part, siblings};
use oaklath_tree::wots::{self, ChainJob, ChainMemory, WINDOW};
use oaklath_tree::{MAX_NODE, OneTimeHash, Slot};

use crate::Error;

/// Something to do with the keys of a tree, which is at `slot`.
pub(crate) trait Task {
    type Output;
    fn run(self, h: &dyn OneTimeHash, slot: Slot) -> Self::Output;
}

/// Runs tasks on one tree.
pub(crate) trait Keys {
    fn run<T: Task>(&self, task: T) -> T::Output;
}

/// The shape of a layer's trees and of what is kept of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Length of a node.
    pub(crate) n: usize,
    pub(crate) height: u32,
    /// The height from which on all nodes are kept; 0 if all are.
    pub(crate) cut: u32,
}

/// Leaves that are grown at a time, as a power of two, where nobody needs them one by one.
const CHUNK: u32 = 10;

impl Shape {
    /// Takes as many nodes as fit into `bytes`; if next to none do, the cut that takes the fewest.
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

    /// Number of leaves.
    pub(crate) fn leaves(&self) -> u64 {
        1 << self.height
    }

    fn chunk(&self) -> u32 {
        self.cut.max(CHUNK.min(self.height))
    }

    fn above(&self, slot: Slot) -> Part {
        Part { slot, base: self.cut, height: self.height - self.cut, root: 0 }
    }
}

/// A part of a tree from its leaves on, of which some are there.
struct Block {
    height: u32,
    /// The index of its root among the nodes of that height.
    number: u32,
    nodes: Vec<u8>,
    /// Leaves that are there.
    done: u32,
}

impl Block {
    fn new(n: usize, height: u32, number: u32) -> Self {
        Self { height, number, nodes: vec![0; n << (height + 1)], done: 0 }
    }

    fn is_whole(&self) -> bool {
        self.done >> self.height > 0
    }

    fn grow(&mut self, keys: &impl Keys, leaves: u32) {
        let leaves = leaves.min((1 << self.height) - self.done);
        if leaves > 0 {
            keys.run(GrowBlock { block: self, leaves: leaves as usize });
        }
    }

    /// Node `at` of the array.
    fn node(&self, at: usize, n: usize) -> &[u8] {
        &self.nodes[at * n..(at + 1) * n]
    }
}

struct GrowBlock<'a> {
    block: &'a mut Block,
    leaves: usize,
}

impl Task for GrowBlock<'_> {
    type Output = ();

    fn run(self, h: &dyn OneTimeHash, slot: Slot) {
        let Self { block, leaves } = self;
        let part = Part { slot, base: 0, height: block.height, root: block.number };
        let (n, nodes, done) = (h.node_len(), &mut block.nodes[..], block.done as usize);
        let first = (block.number << block.height) + block.done;
        let new = &mut nodes[(part.lowest() + done) * n..][..leaves * n];
        // A few leaves fill the lanes with their chains, many with themselves.
        if leaves < h.lanes() {
            let (mut jobs, mut values) = ([ChainJob::NONE; WINDOW], [0; WINDOW * MAX_NODE]);
            let memory = &mut ChainMemory { jobs: &mut jobs, values: &mut values };
            for (leaf, node) in (first..).zip(new.chunks_exact_mut(n)) {
                wots::leaf(h, Slot { leaf, ..slot }, memory, node);
            }
        } else {
            wots::tree_leaves(h, slot, first, new);
        }
        if leaves == part.lowest() {
            part.climb(h, nodes);
        } else {
            for i in done..done + leaves {
                part.add(h, nodes, i);
            }
        }
        block.done += leaves as u32;
    }
}

struct ClimbAbove<'a> {
    shape: Shape,
    nodes: &'a mut [u8],
}

impl Task for ClimbAbove<'_> {
    type Output = ();

    fn run(self, h: &dyn OneTimeHash, slot: Slot) {
        self.shape.above(slot).climb(h, self.nodes);
    }
}

/// A tree on its way.
pub(crate) struct Growing {
    shape: Shape,
    /// Nodes from the cut on; only the lowest are there.
    above: Vec<u8>,
    chunk: Block,
    /// The first block.
    first: Vec<u8>,
    /// Whole chunks.
    chunks: u32,
}

impl Growing {
    pub(crate) fn new(shape: Shape) -> Self {
        let above = vec![0; shape.n << (shape.height - shape.cut + 1)];
        let chunk = Block::new(shape.n, shape.chunk(), 0);
        Self { shape, above, chunk, first: Vec::new(), chunks: 0 }
    }

    /// A tree that was grown so far before: the nodes at the cut, without the first block.
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

    /// The nodes at the cut so far.
    pub(crate) fn cut_nodes(&self) -> &[u8] {
        let of_chunk = self.shape.n << (self.chunk.height - self.shape.cut);
        &self.above[self.above.len() >> 1..][..self.chunks as usize * of_chunk]
    }

    /// Leaves that are there.
    pub(crate) fn done(&self) -> u64 {
        (u64::from(self.chunks) << self.chunk.height) + u64::from(self.chunk.done)
    }

    pub(crate) fn left(&self) -> u64 {
        self.shape.leaves() - self.done()
    }

    /// Grows some leaves, but not beyond the end of a chunk.
    pub(crate) fn grow(&mut self, keys: &impl Keys, leaves: u32) {
        if self.left() == 0 {
            return;
        }
        self.chunk.grow(keys, leaves);
        if !self.chunk.is_whole() {
            return;
        }
        let Shape { n, cut, .. } = self.shape;
        // The row of the chunk at the height of the cut.
        let row = n << (self.chunk.height - cut);
        let to = (self.above.len() >> 1) + self.chunks as usize * row;
        self.above[to..to + row].copy_from_slice(&self.chunk.nodes[row..2 * row]);
        if self.chunks == 0 && cut > 0 {
            self.first = first_block(&self.chunk, n, cut);
        }
        self.chunks += 1;
        (self.chunk.number, self.chunk.done) = (self.chunks, 0);
    }

    /// Grows what is left.
    pub(crate) fn finish(mut self, keys: &impl Keys) -> Grown {
        while self.left() > 0 {
            self.grow(keys, u32::MAX);
        }
        let Self { shape, mut above, first, .. } = self;
        keys.run(ClimbAbove { shape, nodes: &mut above });
        let mut block = Block::new(shape.n, shape.cut, 0);
        if !first.is_empty() {
            (block.nodes, block.done) = (first, 1 << shape.cut);
        }
        Grown { shape, above, block, next: None }
    }
}

/// The nodes of the first block of height `cut` of a part.
fn first_block(part: &Block, n: usize, cut: u32) -> Vec<u8> {
    let mut nodes = vec![0; n << (cut + 1)];
    for depth in 0..=cut {
        let (from, to) = (n << (part.height - cut + depth), n << depth);
        nodes[to..2 * to].copy_from_slice(&part.nodes[from..from + to]);
    }
    nodes
}

/// A whole tree.
pub(crate) struct Grown {
    shape: Shape,
    /// Nodes from the cut on.
    above: Vec<u8>,
    block: Block,
    /// The block after it, on its way.
    next: Option<Block>,
}

impl Grown {
    /// A tree whose nodes at the cut are known, from a cache: they are not trusted, and the root that
    /// they lead to is to be compared.
    pub(crate) fn from_cut_nodes(shape: Shape, cut_nodes: &[u8], keys: &impl Keys) -> Option<Self> {
        let lowest = shape.n << (shape.height - shape.cut);
        if cut_nodes.len() != lowest {
            return None;
        }
        let mut above = vec![0; 2 * lowest];
        above[lowest..].copy_from_slice(cut_nodes);
        keys.run(ClimbAbove { shape, nodes: &mut above });
        Some(Self { shape, above, block: Block::new(shape.n, shape.cut, 0), next: None })
    }

    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    pub(crate) fn root(&self) -> &[u8] {
        &self.above[self.shape.n..2 * self.shape.n]
    }

    /// The nodes at the cut.
    pub(crate) fn cut_nodes(&self) -> &[u8] {
        &self.above[self.above.len() >> 1..]
    }

    /// Makes the block of a leaf the one of the moment.
    ///
    /// # Errors
    /// [`Error::SecretKeyInconsistent`] if the block does not lead to the root.
    pub(crate) fn seek(&mut self, keys: &impl Keys, leaf: u32) -> Result<(), Error> {
        let Shape { n, cut, .. } = self.shape;
        let number = leaf >> cut;
        if cut == 0 || self.block.is_whole() && self.block.number == number {
            return Ok(());
        }
        let next = self.next.take().filter(|next| next.number == number);
        let mut block = next.unwrap_or_else(|| Block::new(n, cut, number));
        block.grow(keys, u32::MAX);
        let at = (self.above.len() >> 1) + number as usize * n;
        if block.node(1, n) != &self.above[at..at + n] {
            return Err(Error::SecretKeyInconsistent);
        }
        self.block = block;
        Ok(())
    }

    /// Grows the next block after a signature at `leaf`: in time, and one leaf, but after a jump.
    pub(crate) fn work_ahead(&mut self, keys: &impl Keys, leaf: u32) {
        let Shape { n, cut, height } = self.shape;
        let number = (leaf >> cut) + 1;
        if cut == 0 || u64::from(number) << cut >> height > 0 {
            return;
        }
        if self.next.as_ref().is_none_or(|next| next.number != number) {
            self.next = Some(Block::new(n, cut, number));
        }
        if let Some(next) = &mut self.next {
            let at = u64::from(leaf) & ((1 << cut) - 1);
            next.grow(keys, in_time(u64::from(next.done), at, 1 << cut));
        }
    }

    /// The authentication path of a leaf, whose block is the one of the moment.
    pub(crate) fn path(&self, leaf: u32, out: &mut [u8]) {
        let Shape { n, cut, .. } = self.shape;
        let (below, above) = out.split_at_mut(n * cut as usize);
        let in_block = (leaf as usize & ((1 << cut) - 1)) + (1 << cut);
        for (to, at) in below.chunks_exact_mut(n).zip(siblings(in_block)) {
            to.copy_from_slice(self.block.node(at, n));
        }
        let lowest = 1 << (self.shape.height - cut);
        let in_above = (leaf >> cut) as usize + lowest;
        for (to, at) in above.chunks_exact_mut(n).zip(siblings(in_above)) {
            to.copy_from_slice(&self.above[at * n..(at + 1) * n]);
        }
    }
}

/// How many leaves of `all` to grow after the signature at number `at` of as many, when `done` are
/// there: none that is not due yet, of what is left about an even share, and with the last signature
/// everything.
pub(crate) fn in_time(done: u64, at: u64, all: u64) -> u32 {
    if done > at {
        return 0;
    }
    ((all - done) >> (all - at).ilog2()) as u32
}
