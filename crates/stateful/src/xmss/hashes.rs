//! WOTS+, L-trees and XMSS over the traits of `oaklath-tree`: RFC 8391, sections 3 and 4.
use alloc::vec;
use alloc::vec::Vec;

use oaklath_tree::{Link, MAX_LANES, Nodes, OneTime, Place, Slot, Trace};

use crate::xmss::address::Address;
use crate::xmss::family::Family;

/// The chains of a key whose values have 32 bytes: 64 digits and three of their checksum.
const CHAINS_32: usize = 67;

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
        scratch_addresses(places.iter().map(Address::of_node), |addresses| {
            self.0.rand_hash(addresses, children, parents);
        });
    }
}

/// Gives addresses to a function as a slice.
fn scratch_addresses(addresses: impl Iterator<Item = Address>, with: impl FnOnce(&mut [Address])) {
    let mut array = [Address::default(); MAX_LANES];
    let mut n = 0;
    for address in addresses {
        array[n] = address;
        n += 1;
    }
    with(&mut array[..n]);
}

/// L-trees on their way: RFC 8391, Algorithm 8.
pub(super) enum Fold<const N: usize> {
    /// Of one key: its ends, which are compressed level by level, so that lanes are full. On the
    /// stack, for verification.
    One { slot: Slot, ends: [[u8; N]; CHAINS_32], count: usize },
    /// Of some keys, a lane each: of each level the node that waits for its sibling.
    Many { slots: Vec<Slot>, waiting: Vec<[u8; N]>, counts: [u32; LEVELS + 1] },
}

impl<F: Family<N>, const N: usize> Xmss<F, N> {
    /// One level of an L-tree.
    fn pairs(&self, slot: Slot, height: u32, nodes: &mut [[u8; N]]) -> usize {
        let (half, lanes) = (nodes.len() >> 1, self.lanes());
        let mut first = 0;
        while first < half {
            let n = lanes.min(half - first);
            let mut pairs = [[[0; N]; 2]; MAX_LANES];
            pairs[..n].copy_from_slice(&nodes.as_chunks::<2>().0[first..first + n]);
            let address = |i| Address::of_pair(slot, height, i as u32);
            scratch_addresses((first..first + n).map(address), |addresses| {
                self.0.rand_hash(addresses, &pairs[..n], &mut nodes[first..first + n]);
            });
            first += n;
        }
        if nodes.len() & 1 == 1 {
            nodes[half] = nodes[nodes.len() - 1];
        }
        nodes.len() - half
    }

    /// The parents of nodes of a level that waited and of those that came now, a lane each.
    fn parents(
        &self,
        (slots, height, index): (&[Slot], u32, u32),
        left: &[[u8; N]],
        right: &mut [[u8; N]],
    ) {
        let mut pairs = [[[0; N]; 2]; MAX_LANES];
        for ((pair, left), right) in pairs.iter_mut().zip(left).zip(&*right) {
            *pair = [*left, *right];
        }
        let addresses = slots.iter().map(|slot| Address::of_pair(*slot, height, index));
        scratch_addresses(addresses, |addresses| {
            self.0.rand_hash(addresses, &pairs[..slots.len()], right);
        });
    }
}

impl<F: Family<N>, const N: usize> OneTime<N> for Xmss<F, N> {
    type Fold = Fold<N>;

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
    fn fold(&self, slots: &[Slot]) -> Fold<N> {
        match slots {
            [slot] if chains(N) <= CHAINS_32 => {
                Fold::One { slot: *slot, ends: [[0; N]; CHAINS_32], count: 0 }
            }
            _ => Fold::Many {
                slots: slots.to_vec(),
                waiting: vec![[0; N]; (LEVELS + 1) * slots.len()],
                counts: [0; LEVELS + 1],
            },
        }
    }
    fn absorb(&self, fold: &mut Fold<N>, _: u32, new: &[[u8; N]]) {
        match fold {
            Fold::One { ends, count, .. } => {
                ends[*count] = new[0];
                *count += 1;
            }
            Fold::Many { slots, waiting, counts } => {
                let k = slots.len();
                let mut nodes = [[0; N]; MAX_LANES];
                nodes[..k].copy_from_slice(new);
                let mut levels = (0_u32..).zip(counts).zip(waiting.chunks_exact_mut(k));
                for ((height, count), waiting) in &mut levels {
                    *count += 1;
                    if *count & 1 == 1 {
                        waiting.copy_from_slice(&nodes[..k]);
                        break;
                    }
                    let pair = (&slots[..], height, (*count >> 1) - 1);
                    self.parents(pair, waiting, &mut nodes[..k]);
                }
            }
        }
    }
    fn finish(&self, fold: Fold<N>, leaves: &mut [[u8; N]]) {
        match fold {
            Fold::One { slot, mut ends, count } => {
                let (mut count, mut height) = (count, 0);
                while count > 1 {
                    count = self.pairs(slot, height, &mut ends[..count]);
                    height += 1;
                }
                leaves[0] = ends[0];
            }
            Fold::Many { slots, waiting, counts } => {
                // The last node of a level of an odd number of them is lifted.
                let mut lifted = false;
                let k = slots.len();
                for ((height, count), waiting) in (0_u32..).zip(counts).zip(waiting.chunks_exact(k))
                {
                    match (count & 1 == 1, lifted) {
                        (true, true) => {
                            self.parents((&slots, height, count >> 1), waiting, leaves);
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
    }
}
