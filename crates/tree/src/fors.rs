//! Keys that sign a few digests: FIPS 205, section 8. The digest chooses a leaf of each tree, and
//! its secret value is the signature.
use oaklath_simd::wipe;

use crate::forest::{Tree, grow};
use crate::{FewTime, MAX_LANES, Place};

/// Grows trees of a few-time key. Where a tree has room for secrets, the first is its wanted leaf's.
///
/// # Panics
/// As [`grow`].
pub fn grow_trees<H: FewTime<N>, const N: usize>(h: &H, trees: &mut [Tree<'_, N>], height: u32) {
    let grow_some = |trees: &mut [Tree<'_, N>], height| {
        grow(h, trees, 0, height, |trees, before, nodes| {
            some_leaves(h, trees, height, before, nodes);
        });
    };
    // A leaf is two hashes: fewer are not worth a task.
    #[cfg(feature = "parallel")]
    crate::spread::spread(h, trees, height, 8, grow_some);
    #[cfg(not(feature = "parallel"))]
    grow_some(trees, height);
}

/// The leaves of all trees from number `before` on, as many as there is room for.
fn some_leaves<H: FewTime<N>, const N: usize>(
    h: &H,
    trees: &mut [Tree<'_, N>],
    height: u32,
    before: usize,
    nodes: &mut [[u8; N]],
) {
    let mut places = [Place::default(); MAX_LANES];
    let places = &mut places[..nodes.len()];
    for (i, place) in places.iter_mut().enumerate() {
        let at = before + i;
        let tree = &trees[at >> height];
        let index = tree.first + (at & ((1 << height) - 1)) as u32;
        *place = Place { slot: tree.slot, height: 0, index };
    }
    let mut values = [[0; N]; MAX_LANES];
    let values = &mut values[..nodes.len()];
    h.secrets(places, values);
    for (i, (place, value)) in places.iter().zip(&*values).enumerate() {
        let tree = &mut trees[(before + i) >> height];
        if place.index == tree.wanted
            && let Some(kept) = tree.secrets.first_mut()
        {
            *kept = *value;
        }
    }
    nodes.copy_from_slice(values);
    values.iter_mut().for_each(wipe);
    h.leaves(places, nodes);
}
