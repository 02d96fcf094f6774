//! Addresses: RFC 8391, section 2.5.
use oaklath_tree::{ChainAddress, NodeAddress, Slot};

/// An address of eight words.
#[derive(Clone, Copy, Default)]
pub(super) struct Address(pub(super) [u32; 8]);

/// What a hash makes of an address: a key, or one of the masks.
#[derive(Clone, Copy)]
pub(super) enum Use {
    Key = 0,
    Mask = 1,
    /// For the right one of two nodes.
    SecondMask = 2,
}

impl Address {
    fn of_tree(slot: Slot, kind: u32) -> Self {
        Self([slot.layer, (slot.tree >> 32) as u32, slot.tree as u32, kind, 0, 0, 0, 0])
    }

    /// An OTS hash address.
    pub(super) fn of_link(link: &ChainAddress) -> Self {
        let mut address = Self::of_tree(link.slot, 0);
        address.0[4..7].copy_from_slice(&[link.slot.leaf, link.chain, link.step]);
        address
    }

    /// An L-tree address: of a pair of nodes of a height, counted from the ends of the chains.
    pub(super) fn of_pair(slot: Slot, height: u32, index: u32) -> Self {
        let mut address = Self::of_tree(slot, 1);
        address.0[4..7].copy_from_slice(&[slot.leaf, height, index]);
        address
    }

    /// A hash tree address: its height is that of the children.
    pub(super) fn of_node(place: &NodeAddress) -> Self {
        let mut address = Self::of_tree(place.slot, 2);
        address.0[5..7].copy_from_slice(&[place.height - 1, place.index]);
        address
    }

    /// The address for a key or mask.
    #[inline(always)]
    pub(super) fn for_use(mut self, what: Use) -> Self {
        self.0[7] = what as u32;
        self
    }

    pub(super) fn bytes(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        for (bytes, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(&self.0) {
            *bytes = word.to_be_bytes();
        }
        bytes
    }
}
