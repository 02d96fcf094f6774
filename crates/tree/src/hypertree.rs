//! Trees that sign the roots of trees: FIPS 205, section 7; RFC 8391, section 4.2.
use oaklath_simd::array;

use crate::path::{Walk, climb};
use crate::wots::{ChainMemory, Signed, leaves};
use crate::{MAX_LANES, OneTimeHash, Slot};

impl Slot {
    /// Returns the position of the key that signs the root of this key's tree. All trees have the
    /// height `height`.
    ///
    /// ```
    /// use oaklath_tree::Slot;
    ///
    /// let slot = Slot { seed: 7, layer: 0, tree: 0b101_110, leaf: 0b011 };
    /// assert_eq!(slot.above(3), Slot { seed: 7, layer: 1, tree: 0b101, leaf: 0b110 });
    /// ```
    #[must_use]
    pub fn above(self, height: u32) -> Self {
        let leaf = (self.tree & ((1 << height) - 1)) as u32;
        Self { layer: self.layer + 1, tree: self.tree >> height, leaf, ..self }
    }
}

/// Replaces what is signed by the root of the top layer that its signature leads to: FIPS 205,
/// Algorithm 13. The slot is that of the lowest key. A signature has, for each layer, the values of
/// a one-time signature and a path. Signatures that meet in a node and agree in what follows take
/// the rest of the way as one.
///
/// # Panics
/// If [`leaves`] does, or if a signature is too short.
pub fn climb_all(
    h: &dyn OneTimeHash,
    slots: &mut [Slot],
    signed: &mut [Signed<'_>],
    (layers, height): (u32, u32),
    memory: &mut ChainMemory<'_>,
) {
    let (of_wots, of_path) = (h.chains() * h.node_len(), height as usize * h.node_len());
    let mut walks = [Walk::NONE; MAX_LANES];
    let (mut places, mut count) = (array!([0; MAX_LANES]: i => i), signed.len());
    for _ in 0..layers {
        count = join_equal(&mut slots[..count], &mut signed[..count], &mut places);
        let (slots, signed) = (&mut slots[..count], &mut signed[..count]);
        let walks = &mut walks[..count];
        leaves(h, slots, signed, memory);
        for ((walk, slot), Signed { node, signature }) in
            walks.iter_mut().zip(&*slots).zip(&*signed)
        {
            let path = &signature[of_wots..][..of_path];
            *walk = Walk { slot: *slot, index: slot.leaf, node: *node, path };
        }
        climb(h, walks, height);
        for ((signed, slot), walk) in signed.iter_mut().zip(&mut *slots).zip(&*walks) {
            signed.node = walk.node;
            signed.signature = &signed.signature[of_wots + of_path..];
            *slot = slot.above(height);
        }
    }
    for i in (0..signed.len()).rev() {
        signed[i] = signed[places[i]];
    }
}

/// Moves the signatures that differ from all before them to the front, and returns their number.
/// Each place becomes that of the equal signature.
fn join_equal(slots: &mut [Slot], signed: &mut [Signed<'_>], places: &mut [usize]) -> usize {
    let (mut to, mut count) = ([0; MAX_LANES], 0);
    for i in 0..signed.len() {
        let (slot, this) = (slots[i], signed[i]);
        let equal = (0..count).find(|at| (slots[*at], signed[*at]) == (slot, this));
        to[i] = equal.unwrap_or(count);
        (slots[to[i]], signed[to[i]]) = (slot, this);
        count = count.max(to[i] + 1);
    }
    places.iter_mut().for_each(|place| *place = to[*place]);
    count
}
