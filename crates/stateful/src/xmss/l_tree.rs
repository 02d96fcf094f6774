//! WOTS+, L-trees and XMSS over the traits of `oaklath-tree`: RFC 8391, sections 3 and 4.
use oaklath_tree::{ChainAddress, MAX_NODE, NodeAddress, OneTimeHash, Slot, Trace, TreeHash};

use crate::xmss::address::Address;
use crate::xmss::functions::{MOST_BYTES, XmssHash};

/// log2(w), where w = 16 in all sets.
const DIGIT_BITS: u32 = 4;

/// Returns the number of chains: RFC 8391, section 3.1.1.
pub(super) const fn chains(n: usize) -> usize {
    2 * n + 3
}

/// Levels of an L-tree of at most 131 ends, including the root.
const LEVELS: usize = 9;

/// L-trees of several keys under construction (RFC 8391, Algorithm 8): for each level, the nodes
/// that wait for their siblings, one lane per key.
struct LTrees<'a> {
    slots: &'a [Slot],
    waiting: &'a mut [u8],
    /// Number of nodes received at each level.
    counts: [u32; LEVELS],
}

impl LTrees<'_> {
    /// Adds a node of a level in each lane, and hashes upwards while siblings are waiting.
    fn push<const LANES: usize>(&mut self, h: &XmssHash<'_, LANES>, from: usize, nodes: &mut [u8]) {
        let levels = self.waiting.chunks_exact_mut(nodes.len()).zip(&mut self.counts);
        for (height, (waiting, count)) in levels.enumerate().skip(from) {
            *count += 1;
            if *count & 1 == 1 {
                waiting.copy_from_slice(nodes);
                break;
            }
            h.l_tree_parents((self.slots, height as u32, (*count >> 1) - 1), waiting, nodes);
        }
    }

    /// Writes the roots. In a level with an odd number of nodes, the last node is lifted.
    fn lift<const LANES: usize>(self, h: &XmssHash<'_, LANES>, leaves: &mut [u8]) {
        let mut lifted = false;
        let levels = self.waiting.chunks_exact(leaves.len()).zip(self.counts);
        for (height, (waiting, count)) in levels.enumerate() {
            match (count & 1 == 1, lifted) {
                (true, true) => {
                    h.l_tree_parents((self.slots, height as u32, count >> 1), waiting, leaves);
                }
                (true, false) => {
                    leaves.copy_from_slice(waiting);
                    lifted = true;
                }
                (false, _) => {}
            }
        }
    }
}

impl<const LANES: usize> XmssHash<'_, LANES> {
    /// Writes the leaf of one key, at `slots[0]`. Ends of chains are collected to fill the lanes.
    /// `ENDS` and `WAITING` are bytes of memory.
    #[inline(never)]
    fn leaf<const ENDS: usize, const WAITING: usize>(
        &self,
        slots: &[Slot],
        ends: &mut dyn FnMut(u32, &mut [u8]),
        leaf: &mut [u8],
    ) {
        let n = self.n();
        // Groups have twice as many ends as there are lanes; SHAKE256 has four or eight lanes.
        let group = if self.lane_count() == 1 { 2 } else { ENDS >> 5 };
        let mut nodes = [0; ENDS];
        let mut waiting = [0; WAITING];
        let mut tree = LTrees { slots, waiting: &mut waiting, counts: [0; LEVELS] };
        let (mut first, height) = (0, group.trailing_zeros() as usize);
        while first < chains(n) {
            let nodes = &mut nodes[..n * group.min(chains(n) - first)];
            for (chain, end) in (first as u32..).zip(nodes.chunks_exact_mut(n)) {
                ends(chain, end);
            }
            if nodes.len() == n * group {
                self.gather(slots[0], first >> height, nodes);
                for (z, count) in tree.counts[..height].iter_mut().enumerate() {
                    *count += (group >> z) as u32;
                }
                tree.push(self, height, &mut nodes[..n]);
            } else {
                nodes.chunks_exact_mut(n).for_each(|end| tree.push(self, 0, end));
            }
            first += group;
        }
        tree.lift(self, leaf);
    }

    /// Replaces the first node of group number `group` of a key's ends by the root over the group.
    /// Out of line, like the functions below, so that only the arrays of one are on the stack.
    #[inline(never)]
    fn gather(&self, slot: Slot, group: usize, nodes: &mut [u8]) {
        let (n, mut height) = (self.n(), 0);
        let mut half = nodes.chunks_exact(2 * n).len();
        while half > 0 {
            let lanes = self.lane_count().min(half);
            for first in (0..half).step_by(lanes) {
                let mut parents = [0; MOST_BYTES];
                let parents = &mut parents[..lanes * n];
                let pairs = &nodes[2 * first * n..][..2 * lanes * n];
                let number = group * half + first;
                let address = |lane| Address::of_pair(slot, height, (number + lane) as u32);
                self.rand_hash(&address, pairs, parents);
                nodes[first * n..][..lanes * n].copy_from_slice(parents);
            }
            (height, half) = (height + 1, half >> 1);
        }
    }

    /// Writes the leaves of several keys, a lane each.
    #[inline(never)]
    fn leaves_of_many(
        &self,
        slots: &[Slot],
        ends: &mut dyn FnMut(u32, &mut [u8]),
        leaves: &mut [u8],
    ) {
        let (mut nodes, mut waiting) = ([[0; 32]; LANES], [[[0; 32]; LANES]; LEVELS]);
        let nodes = &mut nodes.as_flattened_mut()[..leaves.len()];
        let waiting = waiting.as_flattened_mut().as_flattened_mut();
        let mut trees = LTrees { slots, waiting, counts: [0; LEVELS] };
        for chain in 0..chains(self.n()) {
            ends(chain as u32, nodes);
            trees.push(self, 0, nodes);
        }
        trees.lift(self, leaves);
    }

    /// Replaces the new nodes of a level of L-trees, `right`, by the parents of these and of the
    /// waiting nodes, `left`, a lane each.
    fn l_tree_parents(&self, at: (&[Slot], u32, u32), left: &[u8], right: &mut [u8]) {
        // Memory for many nodes is on the stack only if there are many.
        match at.0.len() {
            1 => self.l_tree_parents_in::<2>(at, left, right),
            _ => self.l_tree_parents_in::<LANES>(at, left, right),
        }
    }

    /// In memory for `PAIRS` pairs of nodes of 32 bytes.
    #[inline(never)]
    fn l_tree_parents_in<const PAIRS: usize>(
        &self,
        (slots, height, index): (&[Slot], u32, u32),
        left: &[u8],
        right: &mut [u8],
    ) {
        let (n, mut pairs) = (self.n(), [[0; 64]; PAIRS]);
        let pairs = &mut pairs.as_flattened_mut()[..2 * left.len()];
        let nodes = left.chunks_exact(n).zip(right.chunks_exact(n));
        for (pair, (left, right)) in pairs.chunks_exact_mut(2 * n).zip(nodes) {
            pair[..n].copy_from_slice(left);
            pair[n..].copy_from_slice(right);
        }
        self.rand_hash(&|lane| Address::of_pair(slots[lane], height, index), pairs, right);
    }
}

impl<const LANES: usize> TreeHash for XmssHash<'_, LANES> {
    fn node_len(&self) -> usize {
        self.n()
    }
    fn lanes(&self) -> usize {
        self.lane_count()
    }
    fn parents(&self, addresses: &[NodeAddress], children: &[u8], parents: &mut [u8]) {
        self.rand_hash(&|lane| Address::of_node(&addresses[lane]), children, parents);
    }
}

impl<const LANES: usize> OneTimeHash for XmssHash<'_, LANES> {
    fn digit_bits(&self) -> u32 {
        DIGIT_BITS
    }
    fn chains(&self) -> usize {
        chains(self.n())
    }
    fn chain_lanes(&self) -> usize {
        self.chain_count()
    }
    fn secrets(&self, chains: &[ChainAddress], values: &mut [u8]) {
        self.beginnings(&|lane| Address::of_chain(&chains[lane]), values);
    }
    fn advance(
        &self,
        chains: &[ChainAddress],
        steps: &[u32],
        values: &mut [u8],
        traces: &mut [Trace<'_>],
    ) {
        self.chain(&|lane| Address::of_chain(&chains[lane]), steps, values, traces);
    }
    fn leaves(&self, slots: &[Slot], ends: &mut dyn FnMut(u32, &mut [u8]), leaves: &mut [u8]) {
        match (slots, self.lane_count()) {
            ([_], 1) => self.leaf::<{ 2 * MAX_NODE }, { LEVELS * MAX_NODE }>(slots, ends, leaves),
            ([_], _) if self.has_little_stack() => {
                self.leaf::<MOST_BYTES, { LEVELS * 32 }>(slots, ends, leaves);
            }
            ([_], _) => self.leaf::<{ 2 * MOST_BYTES }, { LEVELS * 32 }>(slots, ends, leaves),
            _ => self.leaves_of_many(slots, ends, leaves),
        }
    }
}
