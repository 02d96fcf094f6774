//! LM-OTS and LMS over the traits of `oaklath-tree`: RFC 8554, sections 4 and 5.
use oaklath_params::stateful::lms::LmotsType;
use oaklath_tree::{Link, Nodes, OneTime, Place, Slot, Trace};

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
    fn chain_head(&self, link: &Link, step: u8) -> [u8; CHAIN] {
        let mut head = [0; CHAIN];
        head[..HEAD].copy_from_slice(&self.head(link.slot, link.slot.leaf, link.chain as u16));
        head[HEAD] = step;
        head
    }
}

impl<F: Family<N>, const LANES: usize, const N: usize> Nodes<N> for Lms<'_, F, LANES, N> {
    fn lanes(&self) -> usize {
        self.family.lanes()
    }
    fn nodes(&self, places: &[Place], children: &[[[u8; N]; 2]], parents: &mut [[u8; N]]) {
        let mut heads = [[0; HEAD]; LANES];
        for (head, place) in heads.iter_mut().zip(places) {
            // Nodes are numbered from 1, the root, on: RFC 8554, section 5.3.
            let height = self.tree(place.slot).height;
            *head = self.head(place.slot, (1 << (height - place.height)) + place.index, D_INTR);
        }
        let mut fold = self.family.fold(&heads[..places.len()]);
        for side in 0..2 {
            let mut row = [[0; N]; LANES];
            row.iter_mut().zip(children).for_each(|(node, children)| *node = children[side]);
            self.family.absorb(&mut fold, &row[..places.len()]);
        }
        self.family.finish(&mut fold, parents);
    }
}

/// The leaves on their way: the hash of the ends of chains, and whose they are.
pub(super) struct Fold<T, Slots> {
    hash: T,
    slots: Slots,
}

impl<F: Family<N>, const LANES: usize, const N: usize> OneTime<N> for Lms<'_, F, LANES, N> {
    type Fold = Fold<F::Fold, F::Slots>;

    fn digit_bits(&self) -> u32 {
        self.lmots.w as u32
    }
    fn chains(&self) -> usize {
        self.lmots.p
    }
    fn secrets(&self, links: &[Link], values: &mut [[u8; N]]) {
        let of_links = values.iter_mut().zip(links);
        of_links.for_each(|(value, link)| *value = *self.tree(link.slot).seed);
        self.family.chain(|i| self.chain_head(&links[i], SECRET), 1, values, &mut []);
    }
    fn advance(
        &self,
        links: &[Link],
        steps: u32,
        values: &mut [[u8; N]],
        traces: &mut [Trace<'_, N>],
    ) {
        let head = |i: usize| self.chain_head(&links[i], links[i].step as u8);
        self.family.chain(head, steps, values, traces);
    }
    fn fold(&self, slots: &[Slot]) -> Self::Fold {
        let mut heads = [[0; HEAD]; LANES];
        let mut kept = F::SLOTS;
        for ((head, kept), slot) in heads.iter_mut().zip(kept.as_mut()).zip(slots) {
            *head = self.head(*slot, slot.leaf, D_PBLK);
            *kept = *slot;
        }
        Fold { hash: self.family.fold(&heads[..slots.len()]), slots: kept }
    }
    fn absorb(&self, fold: &mut Self::Fold, _: u32, ends: &[[u8; N]]) {
        self.family.absorb(&mut fold.hash, ends);
    }
    fn finish(&self, fold: &mut Self::Fold, leaves: &mut [[u8; N]]) {
        let (n, slots) = (leaves.len(), fold.slots.as_mut());
        self.family.finish(&mut fold.hash, leaves);
        let mut heads = [[0; HEAD]; LANES];
        for (head, slot) in heads.iter_mut().zip(&slots[..n]) {
            *head = self.head(*slot, (1 << self.tree(*slot).height) + slot.leaf, D_LEAF);
        }
        let mut fold = self.family.fold(&heads[..n]);
        self.family.absorb(&mut fold, leaves);
        self.family.finish(&mut fold, leaves);
    }
}
