//! What differs between the families of hash functions: FIPS 205, section 11.
use oaklath_tree::{FewTime, Link, MAX_LANES, Nodes, OneTime, Place, Slot};

use crate::message::Formatted;

/// Which of the specifications. They differ in how secrets are derived, and in the order in which a
/// digest's bits choose leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    /// FIPS 205.
    Standard,
    /// SPHINCS+ 3.1 of 2022: bits of the digest from the lowest of a byte up.
    #[cfg(test)]
    Round31,
    /// SPHINCS+ as submitted to the third round in 2020: moreover, secrets are hashes of the secret
    /// seed and an address alone, which has no type of its own.
    #[cfg(feature = "sphincs-plus")]
    Round3,
}

impl Variant {
    /// Whether the first bit of a digest is the lowest of its first byte.
    pub(super) fn lowest_bit_first(self) -> bool {
        self != Self::Standard
    }

    /// Whether secrets are derived as in the submission.
    pub(super) fn submitted_secrets(self) -> bool {
        #[cfg(feature = "sphincs-plus")]
        return self == Self::Round3;
        #[cfg(not(feature = "sphincs-plus"))]
        return false;
    }

    /// The type of addresses of secrets: in the submission, that of what is made of them.
    pub(super) fn secret_kind(self, kind: Kind) -> Kind {
        match kind {
            Kind::ChainSecret if self.submitted_secrets() => Kind::Chain,
            Kind::ForsSecret if self.submitted_secrets() => Kind::ForsTree,
            kind => kind,
        }
    }
}

/// Types of addresses: FIPS 205, Table 1.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Chain = 0,
    Leaf = 1,
    Tree = 2,
    ForsTree = 3,
    ForsRoots = 4,
    ChainSecret = 5,
    ForsSecret = 6,
}

/// What makes an address: FIPS 205, section 4.2. The last two words mean what the type says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Address {
    pub(super) slot: Slot,
    pub(super) kind: Kind,
    /// The leaf in its tree, where the type has it.
    pub(super) key: u32,
    /// The chain, or the height of a node.
    pub(super) sixth: u32,
    /// The step, or the index of a node.
    pub(super) seventh: u32,
}

impl Address {
    /// Of the key of a slot.
    pub(super) fn of_key(slot: Slot, kind: Kind) -> Self {
        Self { slot, kind, key: slot.leaf, sixth: 0, seventh: 0 }
    }

    /// Of a step of a chain.
    pub(super) fn of_link(link: &Link) -> Self {
        Self { sixth: link.chain, seventh: link.step, ..Self::of_key(link.slot, Kind::Chain) }
    }

    /// Of a node.
    pub(super) fn of_node(place: &Place, kind: Kind) -> Self {
        let Place { slot, height, index } = *place;
        let key = if matches!(kind, Kind::Tree) { 0 } else { slot.leaf };
        Self { slot, kind, key, sixth: height, seventh: index }
    }
}

/// A family of hash functions with the seeds of a key.
pub(super) trait Hashes<const N: usize>: OneTime<N> {
    /// Secret values of leaves of FORS.
    fn fors_secrets(&self, places: &[Place], values: &mut [[u8; N]]);
    /// F on them.
    fn fors_leaves(&self, places: &[Place], values: &mut [[u8; N]]);
    /// H on nodes of FORS.
    fn fors_nodes(&self, places: &[Place], children: &[[[u8; N]; 2]], parents: &mut [[u8; N]]);
    /// Begins `T_k` at some slots.
    fn fors_fold(&self, slots: &[Slot]) -> Self::Fold;
    /// `T_k`: the keys of FORS at some slots. Of each, root `i` is `roots(i, key)`.
    fn fors_keys(
        &self,
        slots: &[Slot],
        k: usize,
        roots: impl Fn(usize, usize) -> [u8; N],
        keys: &mut [[u8; N]],
    ) {
        let mut fold = self.fors_fold(slots);
        for (chain, i) in (0..).zip(0..k) {
            let mut row = [[0; N]; MAX_LANES];
            let row = &mut row[..slots.len()];
            row.iter_mut().enumerate().for_each(|(key, root)| *root = roots(i, key));
            self.absorb(&mut fold, chain, row);
        }
        self.finish(&mut fold, keys);
    }
    /// `PRF_msg`.
    fn randomizer(prf: &[u8; N], additional: &[u8; N], message: &Formatted<'_>) -> [u8; N];
    /// `H_msg`.
    fn digest(r: &[u8; N], seed: &[u8; N], root: &[u8; N], message: &Formatted<'_>, out: &mut [u8]);
}

/// The few-time keys of a family.
pub(super) struct Fors<'a, H>(pub(super) &'a H);

impl<H: Hashes<N>, const N: usize> Nodes<N> for Fors<'_, H> {
    fn lanes(&self) -> usize {
        self.0.lanes()
    }
    fn nodes(&self, places: &[Place], children: &[[[u8; N]; 2]], parents: &mut [[u8; N]]) {
        self.0.fors_nodes(places, children, parents);
    }
}

impl<H: Hashes<N>, const N: usize> FewTime<N> for Fors<'_, H> {
    fn secrets(&self, places: &[Place], values: &mut [[u8; N]]) {
        self.0.fors_secrets(places, values);
    }
    fn leaves(&self, places: &[Place], values: &mut [[u8; N]]) {
        self.0.fors_leaves(places, values);
    }
}
