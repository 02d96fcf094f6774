//! Parts of trees all of whose nodes are kept, in an array: the root at 1, the children of the node at
//! `i` at `2 i` and `2 i + 1`, nothing at 0.
use crate::{MAX_LANES, Nodes, Place, Slot};

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
    /// Nodes of the array.
    #[must_use]
    pub fn len(&self) -> usize {
        2 << self.height
    }

    /// Whether it has no nodes: never.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Where its lowest nodes begin.
    #[must_use]
    pub fn lowest(&self) -> usize {
        1 << self.height
    }

    fn place(&self, at: usize) -> Place {
        let depth = at.ilog2();
        let index = (self.root << depth) + (at - (1 << depth)) as u32;
        Place { slot: self.slot, height: self.base + self.height - depth, index }
    }

    /// Hashes upwards from all lowest nodes.
    ///
    /// # Panics
    /// If the array has not the length of the part.
    pub fn climb<H: Nodes<N>, const N: usize>(&self, h: &H, nodes: &mut [[u8; N]]) {
        assert_eq!(nodes.len(), self.len(), "all nodes");
        for depth in (0..self.height).rev() {
            let (mut at, end) = (1 << depth, 2 << depth);
            while at < end {
                let n = h.lanes().min(end - at);
                let mut places = [Place::default(); MAX_LANES];
                places[..n].iter_mut().enumerate().for_each(|(i, p)| *p = self.place(at + i));
                let (above, below) = nodes.split_at_mut(end);
                let children = &below[2 * at - end..][..2 * n];
                h.nodes(&places[..n], children.as_chunks().0, &mut above[at..at + n]);
                at += n;
            }
        }
    }

    /// Puts the lowest node of number `i`, and hashes upwards as far as both children are there, if
    /// nodes come in order.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn add<H: Nodes<N>, const N: usize>(
        &self,
        h: &H,
        nodes: &mut [[u8; N]],
        i: usize,
        node: [u8; N],
    ) {
        let mut at = self.lowest() + i;
        nodes[at] = node;
        while at > 1 && at & 1 == 1 {
            at >>= 1;
            let children = [[nodes[2 * at], nodes[2 * at + 1]]];
            h.nodes(&[self.place(at)], &children, &mut nodes[at..=at]);
        }
    }
}

/// The siblings on the way up from a node of an array to the root.
///
/// ```
/// assert!(oaklath_tree::kept::siblings(11).eq([10, 4, 3]));
/// ```
pub fn siblings(at: usize) -> impl Iterator<Item = usize> {
    core::iter::successors(Some(at), |at| Some(at >> 1)).take_while(|at| *at > 1).map(|at| at ^ 1)
}
