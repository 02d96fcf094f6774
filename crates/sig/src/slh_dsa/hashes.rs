//! The hash functions of FIPS 205, section 11, in lanes, and the trees over them.
#[cfg(feature = "slh-dsa")]
use oaklath_hash::sha2::{IV512, Midstate};
use oaklath_simd::scratch;
use oaklath_tree::{
    ChainAddress, FewTimeHash, MAX_CHAINS, MAX_LANES, NodeAddress, OneTimeHash, Slot, Trace,
    TreeHash,
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

/// PK.seed, and what hash functions compute of it in advance.
#[derive(Clone, Copy)]
pub(crate) struct PkSeed {
    /// The words that SHAKE256 absorbs, with zeros after those of a shorter seed.
    pub(super) words: [u64; 4],
    /// The states of SHA-256 and SHA-512 after the seed and zeros to the end of a block, where they
    /// are used.
    #[cfg(feature = "slh-dsa")]
    pub(super) small: Midstate,
    #[cfg(feature = "slh-dsa")]
    pub(super) large: [u64; 8],
}

impl PkSeed {
    /// Nothing of a seed.
    pub(super) const NONE: Self = Self {
        words: [0; 4],
        #[cfg(feature = "slh-dsa")]
        small: Midstate::new(),
        #[cfg(feature = "slh-dsa")]
        large: IV512,
    };
}

/// An address: the 32 bytes of FIPS 205, section 4.2, as four big-endian words: the layer, the
/// tree, the type with the key pair, and two fields that depend on the type: the chain and the hash
/// in it, or the height and the index of a node. Of the tree, no set uses the first four bytes:
/// the low half of the first word is the number of PK.seed, which is not hashed.
pub(crate) type Adrs = [u64; 4];

/// Returns an address whose last two fields are `last`.
#[inline(always)]
pub(super) fn adrs(slot: Slot, kind: AdrsType, last: [u32; 2]) -> Adrs {
    let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
    let first = pair(slot.layer.into(), slot.seed.into());
    [first, slot.tree, pair(kind as u32, slot.leaf), pair(last[0], last[1])]
}

/// Returns the number of PK.seed.
#[inline(always)]
pub(super) fn seed_of(adrs: &Adrs) -> usize {
    adrs[0] as u32 as usize
}

/// Returns whether all addresses have the same PK.seed.
#[inline(always)]
pub(super) fn have_one_seed(adrs: &[Adrs]) -> bool {
    adrs.iter().all(|at| seed_of(at) == seed_of(&adrs[0]))
}

fn of_chain(at: &ChainAddress, kind: AdrsType) -> Adrs {
    adrs(at.slot, kind, [at.chain, at.step])
}

fn of_node(at: &NodeAddress, kind: AdrsType) -> Adrs {
    adrs(at.slot, kind, [at.height, at.index])
}

/// The hash functions of a parameter set with SK.seed and the PK.seed of one or several keys, in
/// lanes: a call computes a function for up to [`MAX_LANES`] addresses, F for up to [`MAX_CHAINS`].
/// Nodes are `n` bytes each, one after the other.
pub(crate) trait SlhHash: Sync {
    /// Returns the number of bytes of a node.
    fn n(&self) -> usize;
    /// Returns the number of lanes that a call should fill.
    fn lanes(&self) -> usize;
    /// Computes PRF(PK.seed, SK.seed, ADRS).
    fn prf(&self, adrs: &[Adrs], out: &mut [u8]);
    /// Computes F(PK.seed, ADRS, M) `steps` times in each lane, and increments the hash address
    /// after each. Traces receive the values of their lanes.
    fn f(&self, adrs: &[Adrs], steps: &[u32], values: &mut [u8], traces: &mut [Trace<'_>]);
    /// Computes H(PK.seed, ADRS, M).
    fn h(&self, adrs: &[Adrs], children: &[u8], parents: &mut [u8]);
    /// Computes `T_l(PK.seed, ADRS, M)`. `row` writes node `i` of all messages.
    fn t_l(&self, adrs: &[Adrs], l: usize, row: &mut dyn FnMut(u32, &mut [u8]), out: &mut [u8]);
    /// Computes `PRF_msg(SK.prf, opt_rand, M)`.
    fn prf_msg(&self, sk_prf: &[u8], opt_rand: &[u8], message: &Formatted<'_>, r: &mut [u8]);
    /// Computes `H_msg(R, PK.seed, PK.root, M)`. `prefix` is R, PK.seed and PK.root.
    fn h_msg(&self, prefix: [&[u8]; 3], message: &Formatted<'_>, digest: &mut [u8]);
}

/// Passes addresses, at most `MOST`, to a function as a slice.
#[inline(always)]
fn with_adrs<const MOST: usize>(adrs: impl Iterator<Item = Adrs>, compute: impl FnOnce(&[Adrs])) {
    scratch!(row: [Adrs; MOST]);
    let mut count = 0;
    for (to, adrs) in row.iter_mut().zip(adrs) {
        *to = adrs;
        count += 1;
    }
    compute(&row[..count]);
}

/// The trees of the hypertree, with WOTS+ keys: FIPS 205, sections 5 to 7.
pub(super) struct Xmss<'a>(pub(super) &'a dyn SlhHash);

impl TreeHash for Xmss<'_> {
    fn node_len(&self) -> usize {
        self.0.n()
    }
    fn lanes(&self) -> usize {
        self.0.lanes()
    }
    fn parents(&self, addresses: &[NodeAddress], children: &[u8], parents: &mut [u8]) {
        let no_key = |at: &NodeAddress| NodeAddress { slot: Slot { leaf: 0, ..at.slot }, ..*at };
        let adrs = addresses.iter().map(|at| of_node(&no_key(at), AdrsType::Tree));
        with_adrs::<MAX_LANES>(adrs, |adrs| self.0.h(adrs, children, parents));
    }
}

impl Xmss<'_> {
    /// Does [`OneTimeHash::advance`] for at most `MOST` chains. Out of line, so that only as many
    /// addresses are on the stack.
    #[inline(never)]
    fn advance_some<const MOST: usize>(
        &self,
        chains: &[ChainAddress],
        steps: &[u32],
        values: &mut [u8],
        traces: &mut [Trace<'_>],
    ) {
        let adrs = chains.iter().map(|at| of_chain(at, AdrsType::WotsHash));
        with_adrs::<MOST>(adrs, |adrs| self.0.f(adrs, steps, values, traces));
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
        let adrs = chains.iter().map(|at| of_chain(at, AdrsType::WotsPrf));
        with_adrs::<MAX_LANES>(adrs, |adrs| self.0.prf(adrs, values));
    }
    fn advance(
        &self,
        chains: &[ChainAddress],
        steps: &[u32],
        values: &mut [u8],
        traces: &mut [Trace<'_>],
    ) {
        match chains.len() {
            0..=MAX_LANES => self.advance_some::<MAX_LANES>(chains, steps, values, traces),
            _ => self.advance_some::<MAX_CHAINS>(chains, steps, values, traces),
        }
    }
    fn leaves(&self, slots: &[Slot], ends: &mut dyn FnMut(u32, &mut [u8]), leaves: &mut [u8]) {
        let adrs = slots.iter().map(|slot| adrs(*slot, AdrsType::WotsPk, [0; 2]));
        with_adrs::<MAX_LANES>(adrs, |adrs| self.0.t_l(adrs, self.chains(), ends, leaves));
    }
}

/// The trees of FORS keys: FIPS 205, section 8.
pub(super) struct Fors<'a>(pub(super) &'a dyn SlhHash);

impl TreeHash for Fors<'_> {
    fn node_len(&self) -> usize {
        self.0.n()
    }
    fn lanes(&self) -> usize {
        self.0.lanes()
    }
    fn parents(&self, addresses: &[NodeAddress], children: &[u8], parents: &mut [u8]) {
        let adrs = addresses.iter().map(|at| of_node(at, AdrsType::ForsTree));
        with_adrs::<MAX_LANES>(adrs, |adrs| self.0.h(adrs, children, parents));
    }
}

impl FewTimeHash for Fors<'_> {
    fn secrets(&self, addresses: &[NodeAddress], values: &mut [u8]) {
        let adrs = addresses.iter().map(|at| of_node(at, AdrsType::ForsPrf));
        with_adrs::<MAX_LANES>(adrs, |adrs| self.0.prf(adrs, values));
    }
    fn leaves(&self, addresses: &[NodeAddress], values: &mut [u8]) {
        let adrs = addresses.iter().map(|at| of_node(at, AdrsType::ForsTree));
        with_adrs::<MAX_LANES>(adrs, |adrs| {
            self.0.f(adrs, &[1; MAX_LANES][..adrs.len()], values, &mut []);
        });
    }
}
