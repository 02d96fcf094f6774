//! Keys that sign a few digests: FIPS 205, section 8. The digest selects a leaf of each tree, and
//! the secret values of these leaves, with their paths, are the signature.
use oaklath_simd::secret;

use crate::forest::{Tree, grow};
use crate::{FewTimeHash, MAX_LANES, MAX_ROW, NodeAddress};

/// Grows the trees of a few-time key. If a tree has room for secrets, the secret value of its
/// wanted leaf is written there.
///
/// # Panics
/// If [`grow`] does.
pub fn grow_trees(h: &dyn FewTimeHash, trees: &mut [Tree<'_>], height: u32) {
    let grow_some = |trees: &mut [Tree<'_>], height| {
        grow(h, trees, 0, height, &mut |trees, before, nodes| {
            some_leaves(h, trees, height, before, nodes);
        });
    };
    // A leaf takes two hashes: tasks with fewer than 2^8 leaves do not pay off.
    #[cfg(feature = "parallel")]
    crate::spread::spread(h, trees, height, 8, &grow_some);
    #[cfg(not(feature = "parallel"))]
    grow_some(trees, height);
}

/// Writes leaves from number `before` on among those of all trees, as many as there is room for.
fn some_leaves(
    h: &dyn FewTimeHash,
    trees: &mut [Tree<'_>],
    height: u32,
    before: usize,
    nodes: &mut [u8],
) {
    let mut addresses = [NodeAddress::default(); MAX_LANES];
    secret!(values: [u8; MAX_ROW]);
    let n = h.node_len();
    let values = &mut values[..nodes.len()];
    let count = values.chunks_exact(n).len();
    for (i, address) in addresses[..count].iter_mut().enumerate() {
        let at = before + i;
        let tree = &trees[at >> height];
        let index = tree.first + (at & ((1 << height) - 1)) as u32;
        *address = NodeAddress { slot: tree.slot, height: 0, index };
    }
    let addresses = &addresses[..count];
    h.secrets(addresses, values);
    for (i, (address, value)) in addresses.iter().zip(values.chunks_exact(n)).enumerate() {
        let tree = &mut trees[(before + i) >> height];
        if address.index == tree.wanted && !tree.secrets.is_empty() {
            tree.secrets[..n].copy_from_slice(value);
        }
    }
    nodes.copy_from_slice(values);
    h.leaves(addresses, nodes);
}
