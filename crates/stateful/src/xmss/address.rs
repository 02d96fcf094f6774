//! Domain separation of the keyed functions: their numbers, and addresses (RFC 8391, section 2.5).
use oaklath_tree::{ChainAddress, NodeAddress, Slot};

/// An address of eight words.
#[derive(Clone, Copy, Default)]
pub(super) struct Address(pub(super) [u32; 8]);

/// A function that returns the address of a lane.
pub(super) type Addresses<'a> = dyn Fn(usize) -> Address + 'a;

/// The use of the hash of an address: a key, or one of the masks.
#[derive(Clone, Copy)]
pub(super) enum Use {
    Key = 0,
    Mask = 1,
    /// The mask of the right node.
    SecondMask = 2,
}

impl Address {
    fn of_tree(slot: Slot, kind: u32) -> Self {
        Self([slot.layer.into(), (slot.tree >> 32) as u32, slot.tree as u32, kind, 0, 0, 0, 0])
    }

    /// Returns an OTS hash address.
    pub(super) fn of_chain(chain: &ChainAddress) -> Self {
        let mut address = Self::of_tree(chain.slot, 0);
        address.0[4..7].copy_from_slice(&[chain.slot.leaf, chain.chain, chain.step]);
        address
    }

    /// Returns an L-tree address of a pair of nodes; heights count from the ends of the chains.
    pub(super) fn of_pair(slot: Slot, height: u32, index: u32) -> Self {
        let mut address = Self::of_tree(slot, 1);
        address.0[4..7].copy_from_slice(&[slot.leaf, height, index]);
        address
    }

    /// Returns a hash tree address, whose height is that of the children.
    pub(super) fn of_node(node: &NodeAddress) -> Self {
        let mut address = Self::of_tree(node.slot, 2);
        address.0[5..7].copy_from_slice(&[node.height - 1, node.index]);
        address
    }

    /// Returns the address for a key or mask.
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

/// The number with which the input of a function begins, which separates the functions.
#[derive(Clone, Copy)]
pub(super) enum Function {
    F = 0,
    H = 1,
    Message = 2,
    Prf = 3,
    /// `PRF_keygen`: SP 800-208, section 5.
    Keygen = 4,
}

/// Returns the bytes of the number of a function: toByte(x, n), or toByte(x, 4) for n = 24.
pub(super) const fn prefix_len(n: usize) -> usize {
    if n == 24 { 4 } else { n }
}
