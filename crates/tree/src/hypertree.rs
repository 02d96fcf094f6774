//! Trees that sign the roots of trees: FIPS 205, section 7; RFC 8391, section 4.2.
use crate::path::{Walk, climb};
use crate::wots::{Job, Signed, leaves};
use crate::{MAX_LANES, OneTime, Slot};

/// The keys that sign, from the bottom layer up: the given one, then the one that signs the root of
/// its tree, and so on. Trees are `height` high, in the numbers of trees too.
///
/// ```
/// use oaklath_tree::{Slot, hypertree};
///
/// let mut slots = hypertree::slots(0b101_110, 0b011, 3);
/// slots.next();
/// assert_eq!(slots.next(), Some(Slot { layer: 1, tree: 0b101, leaf: 0b110 }));
/// ```
pub fn slots(tree: u64, leaf: u32, height: u32) -> impl Iterator<Item = Slot> {
    let above = move |slot: &Slot| {
        let leaf = (slot.tree & ((1 << height) - 1)) as u32;
        Some(Slot { layer: slot.layer + 1, tree: slot.tree >> height, leaf })
    };
    core::iter::successors(Some(Slot { layer: 0, tree, leaf }), above)
}

/// The roots of all layers that signatures lead to: FIPS 205, Algorithm 13. A signature is, for each
/// layer, the values of a one-time signature and a path. What is signed becomes the root.
///
/// # Panics
/// As [`leaves`].
pub fn climb_all<H: OneTime<N>, const N: usize>(
    h: &H,
    signed: &mut [Signed<'_, N>],
    layers: u32,
    height: u32,
    jobs: &mut [Job<N>],
) {
    let of_layer = h.chains() + height as usize;
    for _ in 0..layers {
        leaves::<MAX_LANES, _, N>(h, signed, jobs);
        let none = Walk { slot: Slot::default(), index: 0, node: [0; N], path: &[] };
        let mut walks = [none; MAX_LANES];
        let walks = &mut walks[..signed.len()];
        for (walk, signed) in walks.iter_mut().zip(&*signed) {
            let path = &signed.signature[h.chains()..of_layer];
            *walk = Walk { slot: signed.slot, index: signed.slot.leaf, node: signed.node, path };
        }
        climb(h, walks, height);
        for (signed, walk) in signed.iter_mut().zip(&*walks) {
            signed.node = walk.node;
            signed.signature = &signed.signature[of_layer..];
            let Slot { layer, tree, .. } = signed.slot;
            let leaf = (tree & ((1 << height) - 1)) as u32;
            signed.slot = Slot { layer: layer + 1, tree: tree >> height, leaf };
        }
    }
}
