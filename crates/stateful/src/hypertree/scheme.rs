//! The traits of the internals of a key in which LMS and XMSS differ.
use alloc::boxed::Box;
use alloc::vec::Vec;

use oaklath_tree::{MAX_LANES, NodeAddress, OneTimeHash, Slot};
use zeroize::Zeroizing;

use crate::message::Message;

/// The one-time keys of a tree. An object is made once for each tree; calls fill whole lanes.
pub trait TreeOps: Send + Sync {
    /// Writes leaves, from number `first` on.
    fn leaves(&self, first: u32, out: &mut [u8]);
    /// Writes nodes of a height above 0, from number `first` on, given their children.
    fn parents(&self, height: u32, first: u32, children: &[u8], out: &mut [u8]);
    /// Writes the signature of a message by a leaf, without the authentication path.
    fn sign_leaf(&self, leaf: u32, message: Message<'_>, out: &mut [u8]);
    /// Returns the public key of this tree, which the layer above signs.
    fn signed_key(&self, root: &[u8]) -> Vec<u8>;
}

/// The secrets of a private key, and the functions of its family. Layers are counted from the top
/// down.
pub trait HypertreeScheme: Send + Sync {
    /// Returns the number of bytes of a node.
    fn node_len(&self) -> usize;
    /// Returns the heights of the trees of all layers.
    fn heights(&self) -> Vec<u32>;
    /// Returns the tree below these leaves, the first of which is in the top tree.
    fn tree(&self, leaves: &[u32]) -> Box<dyn TreeOps>;
    /// Returns the number of bytes of the key of a tree in a layer, which the layer above signs.
    fn signed_key_len(&self, layer: usize) -> usize;
    /// Returns the number of bytes of a layer's signature, which ends with the path.
    fn layer_signature_len(&self, layer: usize) -> usize;
    /// Returns the number of bytes of a signature.
    fn signature_len(&self) -> usize;
    /// Starts a signature: returns its first bytes, and the digest of the message if the bottom
    /// layer signs a digest instead of the message itself.
    fn begin(&self, index: u64, root: &[u8], message: Message<'_>) -> (Vec<u8>, Option<Vec<u8>>);
    /// Returns the rest of a signature in order, given the signature of each layer and the key that
    /// it signs, which is empty for the bottom layer.
    fn order<'a>(&self, layers: Vec<[&'a [u8]; 2]>) -> Vec<&'a [u8]>;
    /// Returns the bytes of a private key after those of the public key.
    fn private_bytes(&self) -> Zeroizing<Vec<u8>>;
    /// Returns everything from which a key is made: parameters and seed.
    fn owner(&self) -> Zeroizing<Vec<u8>>;
    /// Returns the types of lower layers, if the public key does not contain them.
    fn lower_types(&self) -> Vec<u8> {
        Vec::new()
    }
    /// Returns the memory of the seed, in which tests flip bits.
    #[cfg(feature = "test-faults")]
    fn memory(&mut self) -> &mut [u8];
}

/// Writes nodes of a tree at a height above 0, from number `first` on, given their children.
pub(crate) fn hash_parents(
    h: &dyn OneTimeHash,
    slot: Slot,
    height: u32,
    first: u32,
    children: &[u8],
    out: &mut [u8],
) {
    let (lanes, n) = (h.lanes(), h.node_len());
    let mut index = first;
    for (children, out) in children.chunks(2 * lanes * n).zip(out.chunks_mut(lanes * n)) {
        let mut addresses = [NodeAddress { slot, height, index: 0 }; MAX_LANES];
        let addresses = &mut addresses[..out.chunks_exact(n).len()];
        for address in &mut *addresses {
            address.index = index;
            index += 1;
        }
        h.parents(addresses, children, out);
    }
}
