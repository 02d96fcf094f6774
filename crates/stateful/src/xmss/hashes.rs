//! WOTS+, L-trees and XMSS over the traits of `oaklath-tree`: RFC 8391, sections 3 and 4.
use alloc::vec;
use alloc::vec::Vec;

use oaklath_tree::{Link, Nodes, OneTime, Place, Slot, Trace};

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

impl<F: Family<N>, const N: usize> Nodes<N> for Xmss<F, N> {
    fn lanes(&self) -> usize {
        self.0.lanes()
    }
    fn nodes(&self, places: &[Place], children: &[[[u8; N]; 2]], parents: &mut [[u8; N]]) {
        if let ([place], [children], [parent]) = (places, children, &mut *parents) {
            return self.parent(&Address::of_node(place), *children, parent);
        }
        self.nodes_of_many(places, children, parents);
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

/// L-trees of one key or of some.
pub(super) enum Fold<E, const N: usize> {
    /// Of one key: ends are gathered, so that lanes are full. On the stack, for verification.
    One { slot: Slot, ends: E, count: usize, above: Waiting<[[u8; N]; LEVELS + 1]> },
    /// Of some keys.
    Many { slots: Vec<Slot>, above: Waiting<Vec<[u8; N]>> },
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

    #[inline(never)]
    fn absorb_many(&self, slots: &[Slot], above: &mut Waiting<Vec<[u8; N]>>, new: &[[u8; N]]) {
        let mut nodes = [[0; N]; MOST_LANES];
        nodes[..new.len()].copy_from_slice(new);
        self.push(slots, above, 0, &mut nodes[..new.len()]);
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
    fn nodes_of_many(&self, places: &[Place], children: &[[[u8; N]; 2]], parents: &mut [[u8; N]]) {
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

impl<F: Family<N>, const N: usize> OneTime<N> for Xmss<F, N> {
    type Fold = Fold<F::Ends, N>;

    fn digit_bits(&self) -> u32 {
        DIGIT_BITS
    }
    fn chains(&self) -> usize {
        chains(N)
    }
    fn secrets(&self, links: &[Link], values: &mut [[u8; N]]) {
        scratch_addresses(links.iter().map(Address::of_link), |addresses| {
            self.0.secrets(addresses, values);
        });
    }
    fn advance(
        &self,
        links: &[Link],
        steps: u32,
        values: &mut [[u8; N]],
        traces: &mut [Trace<'_, N>],
    ) {
        scratch_addresses(links.iter().map(Address::of_link), |addresses| {
            self.0.chain(addresses, steps, values, traces);
        });
    }
    fn fold(&self, slots: &[Slot]) -> Self::Fold {
        let counts = [0; LEVELS + 1];
        match slots {
            [slot] => {
                let above = Waiting { nodes: [[0; N]; LEVELS + 1], counts };
                Fold::One { slot: *slot, ends: F::ENDS, count: 0, above }
            }
            _ => {
                let nodes = vec![[0; N]; (LEVELS + 1) * slots.len()];
                Fold::Many { slots: slots.to_vec(), above: Waiting { nodes, counts } }
            }
        }
    }
    fn absorb(&self, fold: &mut Self::Fold, _: u32, new: &[[u8; N]]) {
        match fold {
            Fold::One { slot, ends, count, above } => {
                let ends = ends.as_mut();
                let (mask, height) = (ends.len() - 1, ends.len().ilog2() as usize);
                ends[*count & mask] = new[0];
                *count += 1;
                if *count & mask == 0 {
                    self.gather(*slot, (*count >> height) - 1, ends);
                    for (z, of_level) in above.counts[..height].iter_mut().enumerate() {
                        *of_level += (ends.len() >> z) as u32;
                    }
                    self.push(&[*slot], above, height, &mut ends[..1]);
                }
            }
            Fold::Many { slots, above } => self.absorb_many(slots, above, new),
        }
    }
    fn finish(&self, fold: &mut Self::Fold, leaves: &mut [[u8; N]]) {
        match fold {
            Fold::One { slot, ends, count, above } => {
                let ends = ends.as_mut();
                let rest = *count & (ends.len() - 1);
                for end in &mut ends[..rest] {
                    self.push(&[*slot], above, 0, core::slice::from_mut(end));
                }
                self.lift(&[*slot], above, leaves);
            }
            Fold::Many { slots, above } => self.lift(slots, above, leaves),
        }
    }
}
