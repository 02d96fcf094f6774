//! LM-OTS and LMS over the traits of `oaklath-tree`: RFC 8554, sections 4 and 5.
use oaklath_params::stateful::lms::LmotsType;
use oaklath_tree::{ChainAddress, NodeAddress, OneTimeHash, Slot, Trace, TreeHash};

use crate::lms::family::{CHAIN, Family, HEAD};

/// What is hashed: RFC 8554, section 7.1 (`D_PBLK`, `D_MESG`, `D_LEAF`, `D_INTR`).
const D_PBLK: u16 = 0x8080;
pub(super) const D_MESG: u16 = 0x8181;
const D_LEAF: u16 = 0x8282;
const D_INTR: u16 = 0x8383;

/// The step number that makes a secret of the seed: RFC 8554, appendix A.
const SECRET: u8 = 0xff;

/// The identifier I of a tree, its height and the seed of its secrets, where that lies; of a tree of
/// somebody else zeros stand for the seed.
#[derive(Clone, Copy)]
pub(super) struct Tree<'a, const N: usize> {
    pub(super) id: [u8; 16],
    pub(super) height: u32,
    pub(super) seed: &'a [u8; N],
}

/// Trees with keys of one type, with memory for `LANES` lanes. A slot's layer is the place of its tree
/// among them.
pub(super) struct Lms<'a, F, const LANES: usize, const N: usize> {
    pub(super) family: F,
    pub(super) lmots: &'static LmotsType,
    pub(super) trees: &'a [Tree<'a, N>],
}

impl<F: Family<N>, const LANES: usize, const N: usize> Lms<'_, F, LANES, N> {
    fn tree(&self, slot: Slot) -> &Tree<'_, N> {
        &self.trees[slot.layer as usize]
    }

    /// I || u32str(r) || u16str(d).
    fn head(&self, slot: Slot, r: u32, d: u16) -> [u8; HEAD] {
        let mut head = [0; HEAD];
        head[..16].copy_from_slice(&self.tree(slot).id);
        head[16..20].copy_from_slice(&r.to_be_bytes());
        head[20..].copy_from_slice(&d.to_be_bytes());
        head
    }

    /// I || u32str(q) || u16str(i) || u8str(j).
    fn chain_head(&self, at: &ChainAddress, step: u8) -> [u8; CHAIN] {
        let mut head = [0; CHAIN];
        head[..HEAD].copy_from_slice(&self.head(at.slot, at.slot.leaf, at.chain as u16));
        head[HEAD] = step;
        head
    }
}

impl<F: Family<N>, const LANES: usize, const N: usize> TreeHash for Lms<'_, F, LANES, N> {
    fn node_len(&self) -> usize {
        N
    }
    fn lanes(&self) -> usize {
        self.family.lanes()
    }
    fn parents(&self, addresses: &[NodeAddress], children: &[u8], parents: &mut [u8]) {
        let mut heads = [[0; HEAD]; LANES];
        for (head, at) in heads.iter_mut().zip(addresses) {
            // Nodes are numbered from 1, the root, on: RFC 8554, section 5.3.
            let height = self.tree(at.slot).height;
            *head = self.head(at.slot, (1 << (height - at.height)) + at.index, D_INTR);
        }
        let mut fold = self.family.fold(&heads[..addresses.len()]);
        let pairs = children.as_chunks::<N>().0.as_chunks::<2>().0;
        for side in 0..2 {
            let mut row = [[0; N]; LANES];
            row.iter_mut().zip(pairs).for_each(|(node, pair)| *node = pair[side]);
            self.family.absorb(&mut fold, &row[..addresses.len()]);
        }
        self.family.finish(&mut fold, parents.as_chunks_mut().0);
    }
}

impl<F: Family<N>, const LANES: usize, const N: usize> OneTimeHash for Lms<'_, F, LANES, N> {
    fn digit_bits(&self) -> u32 {
        self.lmots.w as u32
    }
    fn chains(&self) -> usize {
        self.lmots.p
    }
    fn secrets(&self, chains: &[ChainAddress], values: &mut [u8]) {
        let values = values.as_chunks_mut().0;
        let of_chains = values.iter_mut().zip(chains);
        of_chains.for_each(|(value, at)| *value = *self.tree(at.slot).seed);
        self.family.chain(|i| self.chain_head(&chains[i], SECRET), 1, values);
    }
    fn advance(&self, chains: &[ChainAddress], steps: u32, values: &mut [u8], _: &mut [Trace<'_>]) {
        let head = |i: usize| self.chain_head(&chains[i], chains[i].step as u8);
        self.family.chain(head, steps, values.as_chunks_mut().0);
    }
    fn leaves(&self, slots: &[Slot], ends: &mut dyn FnMut(u32, &mut [u8]), leaves: &mut [u8]) {
        let leaves = leaves.as_chunks_mut().0;
        self.hash_ends(slots, ends, leaves);
        self.hash_keys(slots, leaves);
    }
}

impl<F: Family<N>, const LANES: usize, const N: usize> Lms<'_, F, LANES, N> {
    /// K of each key: RFC 8554, Algorithm 4b. What this calls is out of line: the stack has the arrays
    /// of one of them at a time.
    fn hash_ends(
        &self,
        slots: &[Slot],
        ends: &mut dyn FnMut(u32, &mut [u8]),
        keys: &mut [[u8; N]],
    ) {
        let mut fold = self.fold_of(slots);
        for chain in 0..self.chains() as u32 {
            ends(chain, keys.as_flattened_mut());
            self.absorb(&mut fold, keys);
        }
        self.finish(&mut fold, keys);
    }

    #[inline(never)]
    fn absorb(&self, fold: &mut F::Fold, nodes: &[[u8; N]]) {
        self.family.absorb(fold, nodes);
    }

    #[inline(never)]
    fn finish(&self, fold: &mut F::Fold, out: &mut [[u8; N]]) {
        self.family.finish(fold, out);
    }

    /// The leaves of keys.
    #[inline(never)]
    fn hash_keys(&self, slots: &[Slot], keys: &mut [[u8; N]]) {
        let mut heads = [[0; HEAD]; LANES];
        for (head, slot) in heads.iter_mut().zip(slots) {
            *head = self.head(*slot, (1 << self.tree(*slot).height) + slot.leaf, D_LEAF);
        }
        let mut fold = self.family.fold(&heads[..slots.len()]);
        self.family.absorb(&mut fold, keys);
        self.family.finish(&mut fold, keys);
    }

    #[inline(never)]
    fn fold_of(&self, slots: &[Slot]) -> F::Fold {
        let mut heads = [[0; HEAD]; LANES];
        for (head, slot) in heads.iter_mut().zip(slots) {
            *head = self.head(*slot, slot.leaf, D_PBLK);
        }
        self.family.fold(&heads[..slots.len()])
    }
}
