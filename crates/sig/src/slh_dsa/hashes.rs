//! The hash functions of FIPS 205, section 11, in lanes, and the trees over them.
use oaklath_tree::{
    ChainAddress, FewTimeHash, MAX_LANES, NodeAddress, OneTimeHash, Slot, Trace, TreeHash,
};

use crate::message::Formatted;
use crate::slh_dsa::params::{LG_W, wots_len};

/// Types of addresses: FIPS 205, Table 1.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AdrsType {
    WotsHash = 0,
    WotsPk = 1,
    Tree = 2,
    ForsTree = 3,
    ForsRoots = 4,
    WotsPrf = 5,
    ForsPrf = 6,
}

/// An address: FIPS 205, section 4.2. What its last words mean depends on the type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Adrs {
    pub(crate) layer: u32,
    pub(crate) tree: u64,
    pub(crate) kind: AdrsType,
    /// The key pair, where the type has it.
    pub(crate) key_pair: u32,
    /// The sixth word: the chain, or the height of a node.
    pub(crate) chain_or_height: u32,
    /// The seventh word: the hash in its chain, or the index of a node.
    pub(crate) hash_or_index: u32,
}

impl Adrs {
    const ZERO: Self = Self::of_key(Slot { layer: 0, tree: 0, leaf: 0 }, AdrsType::WotsHash);

    /// Returns the address of a key pair.
    pub(super) const fn of_key(slot: Slot, kind: AdrsType) -> Self {
        let Slot { layer, tree, leaf } = slot;
        Self { layer, tree, kind, key_pair: leaf, chain_or_height: 0, hash_or_index: 0 }
    }

    fn of_chain(at: &ChainAddress, kind: AdrsType) -> Self {
        let (chain_or_height, hash_or_index) = (at.chain, at.step);
        Self { chain_or_height, hash_or_index, ..Self::of_key(at.slot, kind) }
    }

    fn of_node(at: &NodeAddress, kind: AdrsType) -> Self {
        let (chain_or_height, hash_or_index) = (at.height, at.index);
        Self { chain_or_height, hash_or_index, ..Self::of_key(at.slot, kind) }
    }
}

/// The hash functions of a parameter set with PK.seed and SK.seed, in lanes: a call computes them
/// at up to [`MAX_LANES`] addresses. Nodes are `n` bytes each, one after the other.
pub(crate) trait SlhHash: Sync {
    /// Returns the bytes of a node.
    fn n(&self) -> usize;
    /// Returns the lanes that a call fills best.
    fn lanes(&self) -> usize;
    /// PRF(PK.seed, SK.seed, ADRS).
    fn prf(&self, adrs: &[Adrs], out: &mut [u8]);
    /// F(PK.seed, ADRS, M), as many times as `steps` says of the lane: after each the hash address
    /// counts one up. Traces receive the values of their lanes.
    fn f(&self, adrs: &[Adrs], steps: &[u32], values: &mut [u8], traces: &mut [Trace<'_>]);
    /// H(PK.seed, ADRS, M).
    fn h(&self, adrs: &[Adrs], children: &[u8], parents: &mut [u8]);
    /// `T_l(PK.seed, ADRS, M)`. `row` writes node `i` of all messages.
    fn t_l(&self, adrs: &[Adrs], l: usize, row: &mut dyn FnMut(u32, &mut [u8]), out: &mut [u8]);
    /// `PRF_msg(SK.prf, opt_rand, M)`.
    fn prf_msg(&self, sk_prf: &[u8], opt_rand: &[u8], message: &Formatted<'_>, r: &mut [u8]);
    /// `H_msg(R, PK.seed, PK.root, M)`. `prefix` is what comes before M.
    fn h_msg(&self, prefix: [&[u8]; 3], message: &Formatted<'_>, digest: &mut [u8]);
}

/// Gives addresses to a function as a slice.
#[inline(always)]
fn with_adrs(adrs: impl Iterator<Item = Adrs>, compute: impl FnOnce(&[Adrs])) {
    let (mut row, mut count) = ([Adrs::ZERO; MAX_LANES], 0);
    for (to, adrs) in row.iter_mut().zip(adrs) {
        *to = adrs;
        count += 1;
    }
    compute(&row[..count]);
}

/// The trees of the hypertree, with keys of WOTS+: FIPS 205, sections 5 to 7.
pub(super) struct Xmss<'a>(pub(super) &'a dyn SlhHash);

impl TreeHash for Xmss<'_> {
    fn node_len(&self) -> usize {
        self.0.n()
    }
    fn lanes(&self) -> usize {
        self.0.lanes()
    }
    fn parents(&self, addresses: &[NodeAddress], children: &[u8], parents: &mut [u8]) {
        let adrs =
            addresses.iter().map(|at| Adrs { key_pair: 0, ..Adrs::of_node(at, AdrsType::Tree) });
        with_adrs(adrs, |adrs| self.0.h(adrs, children, parents));
    }
}

impl OneTimeHash for Xmss<'_> {
    fn digit_bits(&self) -> u32 {
        LG_W
    }
    fn chains(&self) -> usize {
        wots_len(self.0.n())
    }
    fn secrets(&self, chains: &[ChainAddress], values: &mut [u8]) {
        let adrs = chains.iter().map(|at| Adrs::of_chain(at, AdrsType::WotsPrf));
        with_adrs(adrs, |adrs| self.0.prf(adrs, values));
    }
    fn advance(
        &self,
        chains: &[ChainAddress],
        steps: &[u32],
        values: &mut [u8],
        traces: &mut [Trace<'_>],
    ) {
        let adrs = chains.iter().map(|at| Adrs::of_chain(at, AdrsType::WotsHash));
        with_adrs(adrs, |adrs| self.0.f(adrs, steps, values, traces));
    }
    fn leaves(&self, slots: &[Slot], ends: &mut dyn FnMut(u32, &mut [u8]), leaves: &mut [u8]) {
        let adrs = slots.iter().map(|slot| Adrs::of_key(*slot, AdrsType::WotsPk));
        with_adrs(adrs, |adrs| self.0.t_l(adrs, self.chains(), ends, leaves));
    }
}

/// The trees of keys of FORS: FIPS 205, section 8.
pub(super) struct Fors<'a>(pub(super) &'a dyn SlhHash);

impl TreeHash for Fors<'_> {
    fn node_len(&self) -> usize {
        self.0.n()
    }
    fn lanes(&self) -> usize {
        self.0.lanes()
    }
    fn parents(&self, addresses: &[NodeAddress], children: &[u8], parents: &mut [u8]) {
        let adrs = addresses.iter().map(|at| Adrs::of_node(at, AdrsType::ForsTree));
        with_adrs(adrs, |adrs| self.0.h(adrs, children, parents));
    }
}

impl FewTimeHash for Fors<'_> {
    fn secrets(&self, addresses: &[NodeAddress], values: &mut [u8]) {
        let adrs = addresses.iter().map(|at| Adrs::of_node(at, AdrsType::ForsPrf));
        with_adrs(adrs, |adrs| self.0.prf(adrs, values));
    }
    fn leaves(&self, addresses: &[NodeAddress], values: &mut [u8]) {
        let adrs = addresses.iter().map(|at| Adrs::of_node(at, AdrsType::ForsTree));
        with_adrs(adrs, |adrs| self.0.f(adrs, &[1; MAX_LANES][..adrs.len()], values, &mut []));
    }
}
