//! The shared part of hash-based signatures: one-time signatures by hash chains, Merkle trees over
//! their keys, few-time signatures by forests, and the way from a signature to a root.
//!
//! What distinguishes SLH-DSA, XMSS and LMS (lengths, addresses, how a leaf is made of the ends of
//! its chains) is behind three small object-safe traits. Their methods are *whole-lane operations*:
//! a call does the same thing in up to [`MAX_LANES`] lanes, each lane anywhere in the structure. So
//! the functions of this crate are compiled once, for nodes of any length; leaves of different
//! trees fill one vector, and chains of different lengths are taken from a queue. A call takes
//! hundreds of nanoseconds at least, so that it may be virtual.
//!
//! Nodes are in byte slices, one after the other, [`TreeHash::node_len`] bytes each.
//!
//! | module | content |
//! |---|---|
//! | [`TreeHash`], [`OneTimeHash`], [`FewTimeHash`] | what a scheme implements |
//! | [`digits`] | a digest as digits with their checksum |
//! | [`forest`] | trees of one height, side by side, with authentication paths |
//! | [`wots`] | trees of one-time keys, their signatures, and the leaves that these lead to |
//! | [`fors`] | trees of few-time keys |
//! | [`path`] | from a leaf up an authentication path |
//! | [`hypertree`] | trees that sign the roots of trees |
//!
//! ```
//! // A digest of two bytes as Winternitz digits of four bits, and their checksum.
//! let mut digits = [0; 7];
//! oaklath_tree::digits::split(&[0x12, 0xef], 4, &mut digits);
//! assert_eq!(digits, [1, 2, 14, 15, 0, 1, 12]);
//! ```
//!
//! With the feature `parallel`, trees grow on all threads of the caller's `rayon` pool.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(clippy::std_instead_of_core, clippy::alloc_instead_of_core)]
#![cfg_attr(not(test), warn(clippy::integer_division_remainder_used))]
#[cfg(any(test, feature = "parallel"))]
extern crate std;

pub mod digits;
pub mod forest;
pub mod fors;
pub mod hypertree;
pub mod path;
#[cfg(feature = "parallel")]
mod spread;
#[cfg(test)]
mod tests;
pub mod wots;

/// The most lanes of a call.
pub const MAX_LANES: usize = 16;

/// The height of the tallest tree.
pub const MAX_HEIGHT: u32 = 25;

/// Bytes of the longest node.
pub const MAX_NODE: usize = 64;

/// The most bytes of a row of nodes, one for each lane: a hash function of nodes of more than 32
/// bytes has fewer lanes.
pub const MAX_ROW: usize = 32 * MAX_LANES;

/// A node, of which the first [`TreeHash::node_len`] bytes count.
pub type Node = [u8; MAX_NODE];

/// The position of a key: leaf `leaf` of tree `tree` of a layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// The layer, counted from the bottom.
    pub layer: u32,
    /// The tree in its layer.
    pub tree: u64,
    /// The leaf in its tree.
    pub leaf: u32,
}

/// The position of a node: its tree, its height above the leaves, and its index at that height.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeAddress {
    /// The tree. For the trees of a few-time key, `leaf` says whose they are.
    pub slot: Slot,
    /// 0 for a leaf.
    pub height: u32,
    /// Index among the nodes of the height.
    pub index: u32,
}

/// The position in a chain: its key, its number there, and the step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChainAddress {
    /// The key.
    pub slot: Slot,
    /// The chain.
    pub chain: u32,
    /// Steps from its beginning.
    pub step: u32,
}

/// A lane whose values are kept, and the memory for them: value `i` is the one after `i + 1` steps.
pub type Trace<'a> = (usize, &'a mut [u8]);

/// Copies a node to the beginning of a slice. Of the usual lengths this is a few instructions and
/// no call.
///
/// # Panics
/// If the slice is shorter.
#[inline(always)]
pub fn copy_node(to: &mut [u8], node: &[u8]) {
    let to = &mut to[..node.len()];
    match node.len() {
        16 => to[..16].copy_from_slice(&node[..16]),
        24 => to[..24].copy_from_slice(&node[..24]),
        32 => to[..32].copy_from_slice(&node[..32]),
        _ => to.copy_from_slice(node),
    }
}

/// Does both: side by side with the feature `parallel`, else one after the other.
pub fn join<A: Send, B: Send>(
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    #[cfg(feature = "parallel")]
    return rayon::join(a, b);
    #[cfg(not(feature = "parallel"))]
    (a(), b())
}

/// The hash function of the inner nodes of trees.
pub trait TreeHash: Sync {
    /// Bytes of a node: 16, 24, 32 or 64.
    fn node_len(&self) -> usize;

    /// Lanes that a call fills best: 1 to [`MAX_LANES`], and at most [`MAX_ROW`] bytes of nodes.
    fn lanes(&self) -> usize;

    /// Writes the parents at `addresses`, of two children each: at most as many as there are lanes.
    fn parents(&self, addresses: &[NodeAddress], children: &[u8], parents: &mut [u8]);
}

/// Keys that sign one digest: WOTS+, LM-OTS.
pub trait OneTimeHash: TreeHash {
    /// Bits of a digit: 1, 2, 4 or 8.
    fn digit_bits(&self) -> u32;

    /// Number of chains, those of the checksum included.
    fn chains(&self) -> usize;

    /// Writes the secret beginnings of chains.
    fn secrets(&self, chains: &[ChainAddress], values: &mut [u8]);

    /// Takes as many steps in each chain as `steps` says, from the step of its address on. It takes
    /// the time of the longest. Traces receive the values of their lanes.
    fn advance(
        &self,
        chains: &[ChainAddress],
        steps: &[u32],
        values: &mut [u8],
        traces: &mut [Trace<'_>],
    );

    /// Compresses the ends of the chains of these keys to their leaves. `ends` writes the ends of a
    /// chain, one for each key; it is called once for each chain, in order.
    fn leaves(&self, slots: &[Slot], ends: &mut dyn FnMut(u32, &mut [u8]), leaves: &mut [u8]);

    /// Returns the number of steps from the beginning of a chain to its end.
    fn steps(&self) -> u32 {
        (1 << self.digit_bits()) - 1
    }
}

/// Keys that sign a few digests: FORS. The leaves of all their trees are numbered consecutively.
pub trait FewTimeHash: TreeHash {
    /// Writes the secret values of leaves.
    fn secrets(&self, addresses: &[NodeAddress], values: &mut [u8]);

    /// Replaces secret values by the leaves made of them.
    fn leaves(&self, addresses: &[NodeAddress], values: &mut [u8]);
}
