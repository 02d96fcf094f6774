//! The shared parts of hash-based signatures: one-time signatures by hash chains, Merkle trees over
//! their keys, few-time signatures by forests, and the computation of a root from a signature.
//!
//! The differences between SLH-DSA, XMSS and LMS (lengths, addresses, how a leaf is computed from
//! the ends of its chains) are behind three small object-safe traits. Their methods are *whole-lane
//! operations*: a call does the same thing in up to [`MAX_LANES`] lanes, each of which may be
//! anywhere in the structure. So the functions of this crate are compiled once, for nodes of any
//! length; leaves of different trees fill one vector, and chains of different lengths are taken
//! from a queue. A call takes at least hundreds of nanoseconds, so it may well be virtual.
//!
//! Nodes are in byte slices, one after the other, [`TreeHash::node_len`] bytes each.
//!
//! | module | content |
//! |---|---|
//! | [`TreeHash`], [`OneTimeHash`], [`FewTimeHash`] | what a scheme implements |
//! | [`digits`] | the digits of a digest and their checksum |
//! | [`forest`] | trees of the same height, grown together, with authentication paths |
//! | [`wots`] | trees of one-time keys, their signatures, and the leaves that these lead to |
//! | [`fors`] | trees of few-time keys |
//! | [`path`] | the computation of a root from a leaf and an authentication path |
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

pub use oaklath_simd::copy_node;

/// The largest number of lanes of a call.
pub const MAX_LANES: usize = 16;

/// The largest number of chains of a call.
pub const MAX_CHAINS: usize = 2 * MAX_LANES;

/// The height of the tallest tree.
pub const MAX_HEIGHT: u32 = 25;

/// The length of the longest node in bytes.
pub const MAX_NODE: usize = 64;

/// The largest length in bytes of a row of nodes, one for each lane: hash functions with nodes of
/// more than 32 bytes have fewer lanes.
pub const MAX_ROW: usize = 32 * MAX_LANES;

/// A node, of which the first [`TreeHash::node_len`] bytes are used.
pub type Node = [u8; MAX_NODE];

/// The position of a key: leaf `leaf` of tree `tree` of a layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// The number of the public seed, where hash functions have several.
    pub seed: u16,
    /// The layer, counted from the bottom.
    pub layer: u16,
    /// The tree in its layer.
    pub tree: u64,
    /// The leaf in its tree.
    pub leaf: u32,
}

/// The position of a node: its tree, its height above the leaves, and its index at that height.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeAddress {
    /// The tree. For the trees of a few-time key, `leaf` identifies the key.
    pub slot: Slot,
    /// The height, which is 0 for a leaf.
    pub height: u32,
    /// The index among the nodes of that height.
    pub index: u32,
}

/// A position in a chain: its key, its number in the key, and the step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChainAddress {
    /// The key.
    pub slot: Slot,
    /// The number of the chain.
    pub chain: u32,
    /// The number of steps from the beginning.
    pub step: u32,
}

/// A lane whose values are recorded, and the memory for them: value `i` is that after `i + 1`
/// steps.
pub type Trace<'a> = (usize, &'a mut [u8]);

/// Calls both functions: in parallel with the feature `parallel`, else one after the other.
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
    /// Returns the length of a node in bytes: 16, 24, 32 or 64.
    fn node_len(&self) -> usize;

    /// Returns the number of lanes of a call, from 1 to [`MAX_LANES`], for which it is most
    /// efficient. Their nodes have at most [`MAX_ROW`] bytes.
    fn lanes(&self) -> usize;

    /// Computes the parents at `addresses` from two children each, for at most as many as lanes.
    fn parents(&self, addresses: &[NodeAddress], children: &[u8], parents: &mut [u8]);
}

/// The functions of keys that sign one digest: WOTS+, LM-OTS.
pub trait OneTimeHash: TreeHash {
    /// Returns the number of bits of a digit: 1, 2, 4 or 8.
    fn digit_bits(&self) -> u32;

    /// Returns the number of chains, including those of the checksum.
    fn chains(&self) -> usize;

    /// Returns the largest number of chains of a call of [`advance`](Self::advance), which is most
    /// efficient for many: where there are [`MAX_LANES`] lanes, two vectors hide each other's
    /// latency.
    fn chain_lanes(&self) -> usize {
        if self.lanes() == MAX_LANES { MAX_CHAINS } else { self.lanes() }
    }

    /// Writes the secret beginnings of chains.
    fn secrets(&self, chains: &[ChainAddress], values: &mut [u8]);

    /// Advances each chain by its number in `steps`, from the step of its address on. This takes
    /// the time of the longest. Traces receive the values of their lanes.
    fn advance(
        &self,
        chains: &[ChainAddress],
        steps: &[u32],
        values: &mut [u8],
        traces: &mut [Trace<'_>],
    );

    /// Compresses the ends of the chains of each key to its leaf. `ends` writes the ends of a
    /// chain, one for each key; it is called once for each chain, in order.
    fn leaves(&self, slots: &[Slot], ends: &mut dyn FnMut(u32, &mut [u8]), leaves: &mut [u8]);

    /// Returns the number of steps from the beginning of a chain to its end.
    fn steps(&self) -> u32 {
        (1 << self.digit_bits()) - 1
    }
}

/// The functions of few-time keys: FORS. The leaves of all trees are numbered consecutively.
pub trait FewTimeHash: TreeHash {
    /// Writes the secret values of leaves.
    fn secrets(&self, addresses: &[NodeAddress], values: &mut [u8]);

    /// Replaces secret values by the leaves computed from them.
    fn leaves(&self, addresses: &[NodeAddress], values: &mut [u8]);
}
