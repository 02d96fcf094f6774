//! WOTS+, L-trees and XMSS over the traits of `oaklath-tree`: RFC 8391, sections 3 and 4.
use alloc::vec;

use oaklath_tree::{ChainAddress, NodeAddress, OneTimeHash, Slot, Trace, TreeHash};

use crate::xmss::address::Address;
use crate::xmss::family::{Family, MOST_LANES};

/// log2(w): all sets have w = 16.
const DIGIT_BITS: u32 = 4;

/// Number of chains: RFC 8391, section 3.1.1.
pub(super) const fn chains(n: usize) -> usize {
    2 * n + 3
}

/// Levels of an L-tree below its root: 131 ends at most.
const LEVELS: usize = 8;

/// The functions of a key.
pub(super) struct Xmss<F, const N: usize>(pub(super) F);

impl<F: Family<N>, const N: usize> TreeHash for Xmss<F, N> {
    fn node_len(&self) -> usize {
        N
    }
    fn lanes(&self) -> usize {
        self.0.lanes()
    }
    fn parents(&self, addresses: &[NodeAddress], children: &[u8], parents: &mut [u8]) {
        let children = children.as_chunks::<N>().0.as_chunks::<2>().0;
        let parents = parents.as_chunks_mut().0;
        if let ([address], [children], [parent]) = (addresses, children, &mut *parents) {
            return self.parent(&Address::of_node(address), *children, parent);
        }
        self.nodes_of_many(addresses, children, parents);
    }
}

/// Gives addresses to a function as a slice.
fn scratch_addresses(addresses: impl Iterator<Item = Address>, with: impl FnOnce(&[Address])) {
    let mut array = [Address::default(); MOST_LANES];
    let mut n = 0;
    for address in addresses {
        array[n] = address;
        n += 1;
    }
    with(&array[..n]);
}

/// L-trees on their way: RFC 8391, Algorithm 8. Of each level the nodes that wait for their siblings,
/// a lane for each key.
pub(super) struct Waiting<T> {
    nodes: T,
    /// Nodes that came, of each level.
    counts: [u32; LEVELS + 1],
}

impl<F: Family<N>, const N: usize> Xmss<F, N> {
    /// Makes the first of these ends of one key, the group of number `group`, the root over them. Out of
    /// line, as what comes below: the stack has the arrays of one of them at a time.
    #[inline(never)]
    fn gather(&self, slot: Slot, group: usize, nodes: &mut [[u8; N]]) {
        let (mut height, mut half) = (0, nodes.len() >> 1);
        while half > 0 {
            let lanes = self.lanes().min(half);
            for first in (0..half).step_by(lanes) {
                let mut parents = [[0; N]; MOST_LANES];
                let pairs = &mut nodes.as_chunks_mut::<2>().0[first..first + lanes];
                let number = |i| (group * half + first + i) as u32;
                let address = |i| Address::of_pair(slot, height, number(i));
                scratch_addresses((0..lanes).map(address), |addresses| {
                    self.0.rand_hash(addresses, pairs, &mut parents[..lanes]);
                });
                nodes[first..first + lanes].copy_from_slice(&parents[..lanes]);
            }
            (height, half) = (height + 1, half >> 1);
        }
    }

    /// Takes nodes of a level, a lane each, and hashes upwards where siblings wait.
    fn push<T: AsMut<[[u8; N]]>>(
        &self,
        slots: &[Slot],
        above: &mut Waiting<T>,
        from: usize,
        nodes: &mut [[u8; N]],
    ) {
        let levels = above.nodes.as_mut().chunks_exact_mut(slots.len()).zip(&mut above.counts);
        for (height, (waiting, count)) in levels.enumerate().skip(from) {
            *count += 1;
            if *count & 1 == 1 {
                waiting.copy_from_slice(nodes);
                break;
            }
            self.parents((slots, height as u32, (*count >> 1) - 1), waiting, nodes);
        }
    }

    /// The roots: the last node of a level of an odd number of them is lifted.
    fn lift<T: AsMut<[[u8; N]]>>(
        &self,
        slots: &[Slot],
        above: &mut Waiting<T>,
        leaves: &mut [[u8; N]],
    ) {
        let levels = above.nodes.as_mut().chunks_exact_mut(slots.len()).zip(&above.counts);
        let mut lifted = false;
        for (height, (waiting, count)) in levels.enumerate() {
            match (count & 1 == 1, lifted) {
                (true, true) => self.parents((slots, height as u32, count >> 1), waiting, leaves),
                (true, false) => {
                    leaves.copy_from_slice(waiting);
                    lifted = true;
                }
                (false, _) => {}
            }
        }
    }

    #[inline(never)]
    fn parent(&self, address: &Address, children: [[u8; N]; 2], parent: &mut [u8; N]) {
        let (address, parent) = (core::slice::from_ref(address), core::slice::from_mut(parent));
        self.0.rand_hash(address, &mut [children], parent);
    }

    #[inline(never)]
    fn nodes_of_many(
        &self,
        places: &[NodeAddress],
        children: &[[[u8; N]; 2]],
        parents: &mut [[u8; N]],
    ) {
        let mut pairs = [[[0; N]; 2]; MOST_LANES];
        let pairs = &mut pairs[..children.len()];
        pairs.copy_from_slice(children);
        scratch_addresses(places.iter().map(Address::of_node), |addresses| {
            self.0.rand_hash(addresses, pairs, parents);
        });
    }

    /// The parents of nodes of a level that waited and of those that came now, a lane each.
    fn parents(
        &self,
        (slots, height, index): (&[Slot], u32, u32),
        left: &[[u8; N]],
        right: &mut [[u8; N]],
    ) {
        if let ([slot], [left], [right]) = (slots, left, &mut *right) {
            return self.parent(&Address::of_pair(*slot, height, index), [*left, *right], right);
        }
        self.parents_of_many((slots, height, index), left, right);
    }

    #[inline(never)]
    fn parents_of_many(
        &self,
        (slots, height, index): (&[Slot], u32, u32),
        left: &[[u8; N]],
        right: &mut [[u8; N]],
    ) {
        let mut pairs = [[[0; N]; 2]; MOST_LANES];
        for ((pair, left), right) in pairs.iter_mut().zip(left).zip(&*right) {
            *pair = [*left, *right];
        }
        let addresses = slots.iter().map(|slot| Address::of_pair(*slot, height, index));
        scratch_addresses(addresses, |addresses| {
            self.0.rand_hash(addresses, &mut pairs[..slots.len()], right);
        });
    }
}

impl<F: Family<N>, const N: usize> OneTimeHash for Xmss<F, N> {
    fn digit_bits(&self) -> u32 {
        DIGIT_BITS
    }
    fn chains(&self) -> usize {
        chains(N)
    }
    fn secrets(&self, chains: &[ChainAddress], values: &mut [u8]) {
        scratch_addresses(chains.iter().map(Address::of_link), |addresses| {
            self.0.secrets(addresses, values.as_chunks_mut().0);
        });
    }
    fn advance(&self, chains: &[ChainAddress], steps: u32, values: &mut [u8], _: &mut [Trace<'_>]) {
        scratch_addresses(chains.iter().map(Address::of_link), |addresses| {
            self.0.chain(addresses, steps, values.as_chunks_mut().0);
        });
    }
    fn leaves(&self, slots: &[Slot], ends: &mut dyn FnMut(u32, &mut [u8]), leaves: &mut [u8]) {
        let leaves = leaves.as_chunks_mut().0;
        match slots {
            [slot] => self.leaf(*slot, ends, leaves),
            _ => self.leaves_of_many(slots, ends, leaves),
        }
    }
}

impl<F: Family<N>, const N: usize> Xmss<F, N> {
    /// The leaf of one key: ends are gathered, so that lanes are full. On the stack, for verification.
    #[inline(never)]
    fn leaf(&self, slot: Slot, next: &mut dyn FnMut(u32, &mut [u8]), leaf: &mut [[u8; N]]) {
        let mut above = Waiting { nodes: [[0; N]; LEVELS + 1], counts: [0; LEVELS + 1] };
        let mut ends = F::ENDS;
        let ends = ends.as_mut();
        let (mask, height) = (ends.len() - 1, ends.len().ilog2() as usize);
        for chain in 0..chains(N) {
            next(chain as u32, &mut ends[chain & mask]);
            if (chain + 1) & mask == 0 {
                self.gather(slot, chain >> height, ends);
                for (z, of_level) in above.counts[..height].iter_mut().enumerate() {
                    *of_level += (ends.len() >> z) as u32;
                }
                self.push(&[slot], &mut above, height, &mut ends[..1]);
            }
        }
        for end in &mut ends[..chains(N) & mask] {
            self.push(&[slot], &mut above, 0, core::slice::from_mut(end));
        }
        self.lift(&[slot], &mut above, leaf);
    }

    #[inline(never)]
    fn leaves_of_many(
        &self,
        slots: &[Slot],
        ends: &mut dyn FnMut(u32, &mut [u8]),
        leaves: &mut [[u8; N]],
    ) {
        let nodes = vec![[0; N]; (LEVELS + 1) * slots.len()];
        let mut above = Waiting { nodes, counts: [0; LEVELS + 1] };
        for chain in 0..chains(N) as u32 {
            ends(chain, leaves.as_flattened_mut());
            self.push(slots, &mut above, 0, leaves);
        }
        self.lift(slots, &mut above, leaves);
    }
}
