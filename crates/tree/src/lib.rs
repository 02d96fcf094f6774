//! What hash-based signatures have in common: chains of hashes that sign one digest, Merkle trees
//! over many such keys, forests of a few-time key, and the way up from a signature to a root.
//!
//! What tells SLH-DSA from XMSS and LMS (lengths, addresses, how a leaf is made of the ends of its
//! chains) stands behind three small traits. Their methods are *whole-lane operations*: a call does
//! the same thing in up to [`MAX_LANES`] lanes, each lane anywhere in the structure. So nothing here
//! needs to be inlined into kernels, leaves of different trees fill one vector, and ragged chains are
//! taken from a queue.
//!
//! | module | what |
//! |---|---|
//! | [`Nodes`], [`OneTime`], [`FewTime`] | what differs |
//! | [`digits`] | a digest as digits with their checksum |
//! | [`forest`] | trees of one height, side by side, with authentication paths |
//! | [`kept`] | parts of trees with all their nodes |
//! | [`wots`] | trees of one-time keys, their signatures, and the leaves that these lead to |
//! | [`fors`] | trees of few-time keys |
//! | [`path`] | up an authentication path |
//! | [`hypertree`] | trees that sign the roots of trees |
//!
//! With the feature `parallel`, trees grow on all threads of the pool of `rayon` that the caller is
//! in.
#![no_std]
#![warn(clippy::std_instead_of_core, clippy::alloc_instead_of_core)]
#![cfg_attr(not(test), warn(clippy::integer_division_remainder_used))]
#[cfg(any(test, feature = "parallel"))]
extern crate std;

pub mod digits;
pub mod forest;
pub mod fors;
pub mod hypertree;
pub mod kept;
pub mod path;
#[cfg(feature = "parallel")]
mod spread;
#[cfg(test)]
mod tests;
pub mod wots;

/// The most lanes that a call may have.
pub const MAX_LANES: usize = 16;

/// The tallest tree.
pub const MAX_HEIGHT: u32 = 25;

/// Where a key is: leaf `leaf` of tree `tree` of a layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// The layer, counted from the bottom.
    pub layer: u32,
    /// The tree in its layer.
    pub tree: u64,
    /// The leaf in its tree.
    pub leaf: u32,
}

/// Where a node is: in which tree, at which height above the leaves, and the how-manyth it is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The tree. Of a few-time key's trees, `leaf` says whose they are.
    pub slot: Slot,
    /// 0 for a leaf.
    pub height: u32,
    /// Index among the nodes of the height.
    pub index: u32,
}

/// Where a chain is: of which key, which one, at which step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// The key.
    pub slot: Slot,
    /// The chain.
    pub chain: u32,
    /// Steps from its beginning.
    pub step: u32,
}

/// A lane whose values are kept, and where: value `i` is the one after `i + 1` steps.
pub type Trace<'a, const N: usize> = (usize, &'a mut [[u8; N]]);

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

/// Inner nodes of `N` bytes.
pub trait Nodes<const N: usize>: Sync {
    /// Lanes that a call fills best: 1 to [`MAX_LANES`].
    fn lanes(&self) -> usize;

    /// The parents, at `places`, of two children each. As many as there are lanes, or fewer.
    fn nodes(&self, places: &[Place], children: &[[[u8; N]; 2]], parents: &mut [[u8; N]]);
}

/// Keys that sign one digest: WOTS+, LM-OTS.
pub trait OneTime<const N: usize>: Nodes<N> {
    /// What compresses the ends of chains to leaves, lane by lane.
    type Fold;

    /// Bits of a digit: 1, 2, 4 or 8.
    fn digit_bits(&self) -> u32;
    /// Number of chains, those of the checksum included.
    fn chains(&self) -> usize;

    /// The secret beginnings of chains.
    fn secrets(&self, links: &[Link], values: &mut [[u8; N]]);
    /// `steps` steps of each chain, from where its link says on. Traces get the lanes' values.
    fn advance(
        &self,
        links: &[Link],
        steps: u32,
        values: &mut [[u8; N]],
        traces: &mut [Trace<'_, N>],
    );
    /// Begins the leaves of these keys.
    fn fold(&self, slots: &[Slot]) -> Self::Fold;
    /// Takes the ends of chain `chain`, one for each key. Chains come in order.
    fn absorb(&self, fold: &mut Self::Fold, chain: u32, ends: &[[u8; N]]);
    /// The leaves. The fold is of no use afterwards.
    fn finish(&self, fold: &mut Self::Fold, leaves: &mut [[u8; N]]);

    /// Steps from the beginning of a chain to its end.
    fn steps(&self) -> u32 {
        (1 << self.digit_bits()) - 1
    }
}

/// Keys that sign a few digests: FORS. The leaves of all their trees are numbered through.
pub trait FewTime<const N: usize>: Nodes<N> {
    /// The secret values of leaves.
    fn secrets(&self, places: &[Place], values: &mut [[u8; N]]);
    /// The leaves of secret values.
    fn leaves(&self, places: &[Place], values: &mut [[u8; N]]);
}
