//! Up an authentication path: FIPS 205, Algorithm 11, lines 6 to 17; RFC 8391, Algorithm 13; RFC
//! 8554, Algorithm 6a. Paths side by side share the lanes.
use crate::{MAX_LANES, Nodes, Place, Slot};

/// A node on its way to the root.
#[derive(Clone, Copy, Debug)]
pub struct Walk<'a, const N: usize> {
    /// The tree.
    pub slot: Slot,
    /// The index of the leaf.
    pub index: u32,
    /// The leaf; then the root.
    pub node: [u8; N],
    /// The siblings, from the leaf up.
    pub path: &'a [[u8; N]],
}

/// From leaves to the roots of trees of one height.
///
/// # Panics
/// If a path is shorter than the tree is high.
pub fn climb<H: Nodes<N>, const N: usize>(h: &H, walks: &mut [Walk<'_, N>], height: u32) {
    let (mut places, mut pairs) = ([Place::default(); MAX_LANES], [[[0; N]; 2]; MAX_LANES]);
    let mut parents = [[0; N]; MAX_LANES];
    for walks in walks.chunks_mut(h.lanes()) {
        let n = walks.len();
        for z in 0..height {
            for (i, walk) in walks.iter().enumerate() {
                let sibling = walk.path[z as usize];
                pairs[i] = match walk.index >> z & 1 {
                    0 => [walk.node, sibling],
                    _ => [sibling, walk.node],
                };
                places[i] = Place { slot: walk.slot, height: z + 1, index: walk.index >> (z + 1) };
            }
            h.nodes(&places[..n], &pairs[..n], &mut parents[..n]);
            walks.iter_mut().zip(&parents).for_each(|(walk, parent)| walk.node = *parent);
        }
    }
}
