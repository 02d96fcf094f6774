//! What keyed functions are told apart by: their numbers, and addresses (RFC 8391, section 2.5).
use oaklath_tree::{ChainAddress, NodeAddress, Slot};

/// An address of eight words.
#[derive(Clone, Copy, Default)]
pub(super) struct Address(pub(super) [u32; 8]);

/// The addresses of lanes.
pub(super) type Addresses<'a> = dyn Fn(usize) -> Address + 'a;

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
    pub(super) fn of_chain(chain: &ChainAddress) -> Self {
        let mut address = Self::of_tree(chain.slot, 0);
        address.0[4..7].copy_from_slice(&[chain.slot.leaf, chain.chain, chain.step]);
        address
    }

    /// An L-tree address: of a pair of nodes of a height, counted from the ends of the chains.
    pub(super) fn of_pair(slot: Slot, height: u32, index: u32) -> Self {
        let mut address = Self::of_tree(slot, 1);
        address.0[4..7].copy_from_slice(&[slot.leaf, height, index]);
        address
    }

    /// A hash tree address: its height is that of the children.
    pub(super) fn of_node(node: &NodeAddress) -> Self {
        let mut address = Self::of_tree(node.slot, 2);
        address.0[5..7].copy_from_slice(&[node.height - 1, node.index]);
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

/// What a function begins with, which keeps the functions apart.
#[derive(Clone, Copy)]
pub(super) enum Function {
    F = 0,
    H = 1,
    Message = 2,
    Prf = 3,
    /// `PRF_keygen`: SP 800-208, section 5.
    Keygen = 4,
}

/// toByte(x, n); with values of 24 bytes toByte(x, 4).
pub(super) const fn prefix_len(n: usize) -> usize {
    if n == 24 { 4 } else { n }
}
