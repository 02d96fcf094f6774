//! Compares a toy instance, with digits of 1, 2, 4 and 8 bits, with plain loops.
use std::format;
use std::vec;
use std::vec::Vec;

use crate::digits::split;
use crate::forest::{Tree, grow};
use crate::path::{Walk, climb};
use crate::wots::{self, ChainJob, ChainMemory, Signed, WINDOW};
use crate::{
    ChainAddress, FewTimeHash, MAX_NODE, NodeAddress, OneTimeHash, Slot, Trace, TreeHash, fors,
    hypertree,
};

const N: usize = 24;
type Node = [u8; N];

/// Lends memory for all chains of some keys whose digits have four bits.
fn with_memory<T>(keys: usize, compute: impl FnOnce(&mut ChainMemory<'_>) -> T) -> T {
    let (mut jobs, mut values) =
        (vec![ChainJob::NONE; keys * WINDOW], vec![0; keys * (WINDOW + 1) * N]);
    compute(&mut ChainMemory { jobs: &mut jobs, values: &mut values })
}

fn nodes(bytes: &[u8]) -> &[Node] {
    bytes.as_chunks().0
}

fn long(node: Node) -> crate::Node {
    let mut long = [0; MAX_NODE];
    long[..N].copy_from_slice(&node);
    long
}

/// Computes a toy hash that is not secure: it only distinguishes its inputs.
fn mix(parts: &[&[u8]]) -> Node {
    let mut state = [0x6a09_e667_f3bc_c908_u64, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b];
    for byte in parts.iter().flat_map(|part| part.iter().chain(&[0xa5])) {
        state[0] =
            (state[0] ^ u64::from(*byte)).wrapping_mul(0x5851_f42d_4c95_7f2d).rotate_left(23);
        state[1] = state[1].wrapping_add(state[0]).rotate_left(17) ^ state[2];
        state[2] = state[2].wrapping_mul(0x1405_7b7e_f767_814f) ^ (state[0] >> 7);
    }
    let mut node = [0; N];
    node.as_chunks_mut::<8>().0.iter_mut().zip(state).for_each(|(b, s)| *b = s.to_le_bytes());
    node
}

fn slot_bytes(slot: Slot) -> Vec<u8> {
    [&slot.layer.to_be_bytes()[..], &slot.tree.to_be_bytes(), &slot.leaf.to_be_bytes()].concat()
}

/// A toy with digits of `bits` bits, and leaves computed from pairs of ends as by an L-tree.
struct Toy {
    bits: u32,
    lanes: usize,
}

impl Toy {
    fn secret(&self, slot: Slot, chain: u32) -> Node {
        mix(&[b"secret", &slot_bytes(slot), &chain.to_be_bytes()])
    }

    fn step(&self, slot: Slot, chain: u32, step: u32, value: &Node) -> Node {
        mix(&[&slot_bytes(slot), &chain.to_be_bytes(), &step.to_be_bytes(), value])
    }

    fn leaf(&self, slot: Slot, ends: &[Node]) -> Node {
        let mut nodes = ends.to_vec();
        while nodes.len() > 1 {
            let pairs = nodes.chunks(2);
            let address = slot_bytes(slot);
            nodes = pairs
                .map(|p| if p.len() == 2 { mix(&[&address, &p[0], &p[1]]) } else { p[0] })
                .collect();
        }
        nodes[0]
    }

    fn parent(&self, slot: Slot, height: u32, index: u32, [left, right]: [Node; 2]) -> Node {
        let place = [height.to_be_bytes(), index.to_be_bytes()].concat();
        mix(&[&slot.layer.to_be_bytes(), &slot.tree.to_be_bytes(), &place, &left, &right])
    }

    /// Returns the value after `digit` steps.
    fn chain(&self, slot: Slot, chain: u32, digit: u32) -> Node {
        (0..digit).fold(self.secret(slot, chain), |v, j| self.step(slot, chain, j, &v))
    }

    fn plain_leaf(&self, slot: Slot) -> Node {
        let ends: Vec<Node> =
            (0..self.chains() as u32).map(|c| self.chain(slot, c, self.steps())).collect();
        self.leaf(slot, &ends)
    }

    /// Returns all levels of a tree.
    fn plain_tree(&self, slot: Slot, leaves: Vec<Node>) -> Vec<Vec<Node>> {
        let mut levels = vec![leaves];
        while levels.last().unwrap().len() > 1 {
            let height = levels.len() as u32;
            let pairs = levels.last().unwrap().as_chunks::<2>().0;
            let level = (0..).zip(pairs).map(|(i, p)| self.parent(slot, height, i, *p));
            levels.push(level.collect());
        }
        levels
    }
}

impl TreeHash for Toy {
    fn node_len(&self) -> usize {
        N
    }
    fn lanes(&self) -> usize {
        self.lanes
    }
    fn parents(&self, addresses: &[NodeAddress], children: &[u8], parents: &mut [u8]) {
        assert!(addresses.len() <= self.lanes);
        assert_eq!([children.len(), parents.len()], [2 * addresses.len() * N, addresses.len() * N]);
        let (children, parents) = (nodes(children).as_chunks().0, parents.as_chunks_mut().0);
        for ((at, children), parent) in addresses.iter().zip(children).zip(parents) {
            *parent = self.parent(at.slot, at.height, at.index, *children);
        }
    }
}

impl OneTimeHash for Toy {
    fn digit_bits(&self) -> u32 {
        self.bits
    }
    fn chains(&self) -> usize {
        // RFC 8554, appendix B, for n = 24.
        match self.bits {
            1 => 192 + 8,
            2 => 96 + 5,
            4 => 48 + 3,
            _ => 24 + 2,
        }
    }
    fn secrets(&self, chains: &[ChainAddress], values: &mut [u8]) {
        assert!(chains.len() <= self.lanes);
        let values = values.as_chunks_mut().0.iter_mut();
        chains.iter().zip(values).for_each(|(at, v)| *v = self.secret(at.slot, at.chain));
    }
    fn advance(
        &self,
        chains: &[ChainAddress],
        steps: &[u32],
        values: &mut [u8],
        traces: &mut [Trace<'_>],
    ) {
        assert!(chains.len() <= self.chain_lanes());
        let values = values.as_chunks_mut().0;
        assert_eq!([values.len(), steps.len()], [chains.len(); 2]);
        for (lane, ((at, steps), value)) in chains.iter().zip(steps).zip(values).enumerate() {
            assert!(at.step + steps <= self.steps());
            for step in 0..*steps {
                *value = self.step(at.slot, at.chain, at.step + step, value);
                for (_, trace) in traces.iter_mut().filter(|(traced, _)| *traced == lane) {
                    trace.as_chunks_mut().0[step as usize] = *value;
                }
            }
        }
    }
    fn leaves(&self, slots: &[Slot], ends: &mut dyn FnMut(u32, &mut [u8]), leaves: &mut [u8]) {
        let mut all = vec![Vec::new(); slots.len()];
        for chain in 0..self.chains() as u32 {
            let mut row = vec![0; slots.len() * N];
            ends(chain, &mut row);
            all.iter_mut().zip(nodes(&row)).for_each(|(lane, end)| lane.push(*end));
        }
        for ((slot, ends), leaf) in slots.iter().zip(&all).zip(leaves.as_chunks_mut().0) {
            *leaf = self.leaf(*slot, ends);
        }
    }
}

impl FewTimeHash for Toy {
    fn secrets(&self, addresses: &[NodeAddress], values: &mut [u8]) {
        let values = values.as_chunks_mut().0.iter_mut();
        addresses.iter().zip(values).for_each(|(at, v)| *v = self.secret(at.slot, at.index));
    }
    fn leaves(&self, addresses: &[NodeAddress], values: &mut [u8]) {
        let values = values.as_chunks_mut::<N>().0.iter_mut();
        addresses.iter().zip(values).for_each(|(at, v)| *v = mix(&[&at.index.to_be_bytes(), &*v]));
    }
}

fn toys() -> impl Iterator<Item = Toy> {
    let lanes = |bits| [1, 3, 4, 8, 16].map(|lanes| Toy { bits, lanes });
    [1, 2, 4, 8].into_iter().flat_map(lanes)
}

fn tree<'a>(slot: Slot, path: &'a mut [Node], secrets: &'a mut [Node]) -> Tree<'a> {
    let (path, secrets) = (path.as_flattened_mut(), secrets.as_flattened_mut());
    Tree { wanted: slot.leaf, path, secrets, ..Tree::root_only(slot) }
}

#[test]
fn digits_are_those_of_the_standards() {
    // The definition: all bits of the digest, then those of the checksum, are cut into digits.
    for bits in [1_usize, 2, 4, 8] {
        for seed in 0..50_u8 {
            let digest = mix(&[&[seed]]);
            let string = |bytes: &[u8]| -> Vec<u8> {
                bytes.iter().flat_map(|b| (0..8).rev().map(move |i| b >> i & 1)).collect()
            };
            let number = |bits: &[u8]| bits.iter().fold(0_u32, |n, bit| 2 * n + u32::from(*bit));
            let toy = Toy { bits: bits as u32, lanes: 1 };
            let of_digest: Vec<u32> = string(&digest).chunks(bits).map(number).collect();
            let sum: u32 = of_digest.iter().map(|digit| toy.steps() - digit).sum();
            let v = toy.chains() - of_digest.len();
            let sum = string(&(sum << (32 - v * bits)).to_be_bytes());
            let want = of_digest.into_iter().chain(sum.chunks(bits).take(v).map(number));
            let mut got = vec![0; toy.chains()];
            split(&digest, bits as u32, &mut got);
            assert!(got.into_iter().map(u32::from).eq(want), "{bits} bits");
        }
    }
}

#[test]
fn trees_sign_and_their_signatures_lead_to_the_root() {
    for toy in toys() {
        let height = 2;
        for leaf in 0..4 {
            let slot = Slot { seed: 0, layer: 1, tree: 77, leaf };
            let all = (0..4).map(|leaf| toy.plain_leaf(Slot { leaf, ..slot })).collect();
            let want = toy.plain_tree(slot, all);

            let values = toy.chains() * (toy.steps() as usize + 1);
            let (mut path, mut kept) = ([[0; N]; 2], vec![[0; N]; values]);
            let mut trees = [tree(slot, &mut path, &mut kept)];
            wots::grow_trees(&toy, &mut trees, height);
            let root = trees[0].root[..N].to_vec();
            assert_eq!(root, want[2][0], "{} bits in {} lanes", toy.bits, toy.lanes);
            assert_eq!(path, [want[0][leaf as usize ^ 1], want[1][leaf as usize >> 1 ^ 1]]);

            let digest = mix(&[b"message", &[leaf as u8]]);
            let mut digits = vec![0; toy.chains()];
            split(&digest, toy.bits, &mut digits);
            let plain: Vec<Node> =
                (0..).zip(&digits).map(|(c, d)| toy.chain(slot, c, u32::from(*d))).collect();
            let (mut chosen, mut signed) = (vec![[0; N]; plain.len()], vec![[0; N]; plain.len()]);
            wots::choose(&toy, &digest, kept.as_flattened(), chosen.as_flattened_mut());
            wots::sign(&toy, slot, &digest, signed.as_flattened_mut());
            assert_eq!(chosen, plain);
            assert_eq!(signed, plain);

            let node = long(digest);
            let mut verified = [Signed { node, signature: signed.as_flattened() }];
            with_memory(1, |memory| wots::leaves(&toy, &[slot], &mut verified, memory));
            assert_eq!(verified[0].node, long(want[0][leaf as usize]));
            let mut own = [0; N];
            wots::tree_leaves(&toy, slot, leaf, &mut own);
            assert_eq!(own, want[0][leaf as usize]);
            let (node, path) = (verified[0].node, path.as_flattened());
            let mut walks = [Walk { slot, index: leaf, node, path }];
            climb(&toy, &mut walks, height);
            assert_eq!(walks[0].node[..N], root);
        }
    }
}

#[test]
fn layers_sign_each_other_and_signatures_share_lanes() {
    const HEIGHT: u32 = 2;
    const LAYERS: usize = 3;
    for toy in toys() {
        let of_layer = toy.chains() + HEIGHT as usize;
        // The first and the last meet in the second layer.
        let keys = [(5, 0b10_01, 3), (5, 0b00_00, 0), (0, 0b11_10, 1), (5, 0b10_01, 0)];
        let mut signatures = Vec::new();
        let mut roots = Vec::new();
        for (seed, tree, leaf) in keys {
            let digest = mix(&[&[leaf as u8]]);
            let bottom = Slot { seed, layer: 0, tree, leaf };
            let above = |slot: &Slot| Some(slot.above(HEIGHT));
            let slots: Vec<_> = core::iter::successors(Some(bottom), above).take(LAYERS).collect();
            let mut signature = vec![[0; N]; of_layer * LAYERS];
            let mut kept = vec![vec![[0; N]; toy.chains() << toy.bits]; LAYERS];
            let mut trees: Vec<_> = slots
                .iter()
                .zip(signature.chunks_mut(of_layer))
                .zip(&mut kept)
                .map(|((slot, signature), kept)| {
                    self::tree(*slot, &mut signature[toy.chains()..], kept)
                })
                .collect();
            wots::grow_trees(&toy, &mut trees, HEIGHT);
            let of_trees: Vec<Node> =
                trees.iter().map(|tree| *tree.root.first_chunk().unwrap()).collect();
            let mut node = digest;
            for ((signature, kept), root) in
                signature.chunks_mut(of_layer).zip(&kept).zip(&of_trees)
            {
                let signature = signature[..toy.chains()].as_flattened_mut();
                wots::choose(&toy, &node, kept.as_flattened(), signature);
                node = *root;
            }
            roots.push(node);
            signatures.push((bottom, digest, signature.into_flattened()));
        }
        assert_eq!(roots, [roots[0]; 4], "there is one top tree");
        // Damaged above the node where they meet: in the last path, and in the last chains.
        for (i, damaged) in [(3, of_layer * LAYERS * N - 1), (0, of_layer * (LAYERS - 1) * N)] {
            let mut copy = signatures[i].clone();
            copy.2[damaged] ^= 1;
            signatures.push(copy);
        }
        let mut slots: Vec<_> = signatures.iter().map(|(slot, ..)| *slot).collect();
        let mut signed: Vec<_> = signatures
            .iter()
            .map(|(_, node, signature)| Signed { node: long(*node), signature })
            .collect();
        with_memory(signed.len(), |memory| {
            hypertree::climb_all(&toy, &mut slots, &mut signed, (LAYERS as u32, HEIGHT), memory);
        });
        let valid: Vec<_> = signed.iter().map(|signed| signed.node == long(roots[0])).collect();
        assert_eq!(valid, [true, true, true, true, false, false]);
        assert!(signed.iter().all(|signed| signed.signature.is_empty()));
    }
}

#[test]
fn forests() {
    for toy in toys().filter(|toy| toy.bits == 4) {
        for (trees, height) in [(1, 0), (1, 5), (5, 3), (3, 1), (7, 0)] {
            let slot = Slot { seed: 0, layer: 0, tree: 5, leaf: 9 };
            let secret = |index| toy.secret(slot, index);
            let leaf = |index: u32| mix(&[&index.to_be_bytes(), &secret(index)]);
            // The trees of a few-time key form one row of nodes at each height.
            let mut want = vec![(0..trees << height).map(leaf).collect::<Vec<_>>()];
            for z in 1..=height {
                let pairs = want[z as usize - 1].as_chunks::<2>().0;
                let level = (0..).zip(pairs).map(|(i, p)| toy.parent(slot, z, i, *p));
                let level = level.collect();
                want.push(level);
            }
            let mut kept: Vec<_> = (0..trees).map(|_| ([[0; N]; 5], [[0; N]; 1])).collect();
            let mut forest: Vec<_> = (0..)
                .zip(&mut kept)
                .map(|(i, (path, secrets))| {
                    let first = i << height;
                    let wanted = first + (i * 5 + 3) % (1 << height);
                    Tree { first, wanted, ..tree(slot, path, secrets) }
                })
                .collect();
            fors::grow_trees(&toy, &mut forest, height);
            let ends: Vec<_> = forest.iter().map(|tree| (tree.wanted, tree.root)).collect();
            for ((i, (wanted, root)), (path, secrets)) in ends.iter().enumerate().zip(&kept) {
                assert_eq!(root[..N], want[height as usize][i]);
                assert_eq!(secrets[0], secret(*wanted));
                for z in 0..height {
                    assert_eq!(path[z as usize], want[z as usize][(wanted >> z ^ 1) as usize]);
                }
            }
        }
    }
}

/// Grows a tree of height 5 as four subtrees of height 3 and the two levels above them.
#[test]
fn parts_of_trees() {
    for toy in toys().filter(|toy| toy.bits == 4) {
        let slot = Slot { seed: 0, layer: 2, tree: 1, leaf: 0 };
        let all: Vec<Node> = (0..32_u32).map(|i| mix(&[&i.to_be_bytes()])).collect();
        let want = toy.plain_tree(slot, all.clone());
        for wanted in 0..32 {
            let mut path = [[0; N]; 5];
            let (below, above) = path.split_at_mut(3);
            let mut parts = Vec::new();
            for first in [0, 8, 16, 24] {
                let mut part = [Tree { first, wanted, ..tree(slot, below, &mut []) }];
                grow(&toy, &mut part, 0, 3, &mut |_, before, nodes| {
                    let rest = all[first as usize + before..].as_flattened();
                    nodes.copy_from_slice(&rest[..nodes.len()]);
                });
                parts.extend_from_slice(&part[0].root[..N]);
            }
            let mut whole = [Tree { wanted, ..tree(slot, above, &mut []) }];
            grow(&toy, &mut whole, 3, 2, &mut |_, before, nodes| {
                nodes.copy_from_slice(&parts[before * N..][..nodes.len()]);
            });
            assert_eq!(whole[0].root[..N], want[5][0]);
            for z in 0..5 {
                assert_eq!(path[z], want[z][wanted as usize >> z ^ 1], "{wanted} at {z}");
            }
        }
    }
}

#[test]
fn what_may_be_secret_is_not_printed() {
    with_memory(1, |memory| assert_eq!(format!("{memory:?}"), "ChainMemory { jobs: 67, .. }"));
    let mut secrets = [[7; N]];
    let tree = tree(Slot::default(), &mut [], &mut secrets);
    assert!(!format!("{tree:?}").contains("secrets"));
}
