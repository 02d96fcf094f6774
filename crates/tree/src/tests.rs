//! A toy instance, with digits of 1, 2, 4 and 8 bits, against plain loops.
use std::vec;
use std::vec::Vec;

use crate::digits::split;
use crate::forest::{Tree, grow};
use crate::path::{Walk, climb};
use crate::wots::{self, Job, Signed, WINDOW};
use crate::{FewTime, Link, MAX_LANES, Nodes, OneTime, Place, Slot, Trace, fors, hypertree};

const N: usize = 24;
type Node = [u8; N];

/// A hash that nobody should use: it only tells its inputs apart.
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

/// Digits of `bits` bits, leaves by pairs of ends as an L-tree makes them.
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

    /// The value after `digit` steps.
    fn chain(&self, slot: Slot, chain: u32, digit: u32) -> Node {
        (0..digit).fold(self.secret(slot, chain), |v, j| self.step(slot, chain, j, &v))
    }

    fn plain_leaf(&self, slot: Slot) -> Node {
        let ends: Vec<Node> =
            (0..self.chains() as u32).map(|c| self.chain(slot, c, self.steps())).collect();
        self.leaf(slot, &ends)
    }

    /// All levels of a tree.
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

impl Nodes<N> for Toy {
    fn lanes(&self) -> usize {
        self.lanes
    }
    fn nodes(&self, places: &[Place], children: &[[Node; 2]], parents: &mut [Node]) {
        assert!(places.len() <= self.lanes);
        for ((place, children), parent) in places.iter().zip(children).zip(parents) {
            *parent = self.parent(place.slot, place.height, place.index, *children);
        }
    }
}

impl OneTime<N> for Toy {
    type Fold = (Vec<Slot>, Vec<Vec<Node>>);

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
    fn secrets(&self, links: &[Link], values: &mut [Node]) {
        assert!(links.len() <= self.lanes);
        links.iter().zip(values).for_each(|(l, v)| *v = self.secret(l.slot, l.chain));
    }
    fn advance(
        &self,
        links: &[Link],
        steps: u32,
        values: &mut [Node],
        traces: &mut [Trace<'_, N>],
    ) {
        assert!(links.len() <= self.lanes && steps <= self.steps());
        for step in 0..steps {
            for (link, value) in links.iter().zip(&mut *values) {
                assert!(link.step + step < self.steps());
                *value = self.step(link.slot, link.chain, link.step + step, value);
            }
            for (lane, trace) in traces.iter_mut() {
                trace[step as usize] = values[*lane];
            }
        }
    }
    fn fold(&self, slots: &[Slot]) -> Self::Fold {
        (slots.to_vec(), vec![Vec::new(); slots.len()])
    }
    fn absorb(&self, fold: &mut Self::Fold, chain: u32, ends: &[Node]) {
        assert_eq!(ends.len(), fold.0.len());
        for (lane, end) in fold.1.iter_mut().zip(ends) {
            assert_eq!(lane.len(), chain as usize, "chains come in order");
            lane.push(*end);
        }
    }
    fn finish(&self, fold: &mut Self::Fold, leaves: &mut [Node]) {
        for ((slot, ends), leaf) in fold.0.iter().zip(&fold.1).zip(leaves) {
            *leaf = self.leaf(*slot, ends);
        }
    }
}

impl FewTime<N> for Toy {
    fn secrets(&self, places: &[Place], values: &mut [Node]) {
        places.iter().zip(values).for_each(|(p, v)| *v = self.secret(p.slot, p.index));
    }
    fn leaves(&self, places: &[Place], values: &mut [Node]) {
        places.iter().zip(values).for_each(|(p, v)| *v = mix(&[&p.index.to_be_bytes(), &*v]));
    }
}

fn toys() -> impl Iterator<Item = Toy> {
    let lanes = |bits| [1, 3, 4, 8, 16].map(|lanes| Toy { bits, lanes });
    [1, 2, 4, 8].into_iter().flat_map(lanes)
}

fn tree<'a>(slot: Slot, path: &'a mut [Node], secrets: &'a mut [Node]) -> Tree<'a, N> {
    Tree { slot, first: 0, wanted: slot.leaf, path, secrets, root: [0; N] }
}

#[test]
fn digits_are_those_of_the_standards() {
    // By the definition: all bits of the digest, then those of the checksum, cut into digits.
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
            let slot = Slot { layer: 1, tree: 77, leaf };
            let all = (0..4).map(|leaf| toy.plain_leaf(Slot { leaf, ..slot })).collect();
            let want = toy.plain_tree(slot, all);

            let values = toy.chains() * (toy.steps() as usize + 1);
            let (mut path, mut kept) = ([[0; N]; 2], vec![[0; N]; values]);
            let mut trees = [tree(slot, &mut path, &mut kept)];
            wots::grow_trees(&toy, &mut trees, height);
            let root = trees[0].root;
            assert_eq!(root, want[2][0], "{} bits in {} lanes", toy.bits, toy.lanes);
            assert_eq!(path, [want[0][leaf as usize ^ 1], want[1][leaf as usize >> 1 ^ 1]]);

            let digest = mix(&[b"message", &[leaf as u8]]);
            let mut digits = vec![0; toy.chains()];
            split(&digest, toy.bits, &mut digits);
            let plain: Vec<Node> =
                (0..).zip(&digits).map(|(c, d)| toy.chain(slot, c, u32::from(*d))).collect();
            let (mut chosen, mut signed) = (vec![[0; N]; plain.len()], vec![[0; N]; plain.len()]);
            wots::choose(&toy, &digest, &kept, &mut chosen);
            wots::sign(&toy, slot, &digest, &mut [Job::NONE; WINDOW], &mut signed);
            assert_eq!(chosen, plain);
            assert_eq!(signed, plain);

            let mut verified = [Signed { slot, node: digest, signature: &signed }];
            wots::leaves::<MAX_LANES, _, N>(&toy, &mut verified, &mut [Job::NONE; WINDOW]);
            assert_eq!(verified[0].node, want[0][leaf as usize]);
            let mut walks = [Walk { slot, index: leaf, node: verified[0].node, path: &path }];
            climb(&toy, &mut walks, height);
            assert_eq!(walks[0].node, root);
        }
    }
}

#[test]
fn layers_sign_each_other_and_signatures_share_lanes() {
    const HEIGHT: u32 = 2;
    const LAYERS: usize = 3;
    for toy in toys() {
        let of_layer = toy.chains() + HEIGHT as usize;
        let keys = [(0b10_01, 3), (0b00_00, 0), (0b11_10, 1)];
        let mut signatures = Vec::new();
        let mut roots = Vec::new();
        for (tree, leaf) in keys {
            let digest = mix(&[&[leaf as u8]]);
            let slots: Vec<Slot> = hypertree::slots(tree, leaf, HEIGHT).take(LAYERS).collect();
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
            let of_trees: Vec<Node> = trees.iter().map(|tree| tree.root).collect();
            let mut node = digest;
            for ((signature, kept), root) in
                signature.chunks_mut(of_layer).zip(&kept).zip(&of_trees)
            {
                wots::choose(&toy, &node, kept, &mut signature[..toy.chains()]);
                node = *root;
            }
            roots.push(node);
            signatures.push((Slot { layer: 0, tree, leaf }, digest, signature));
        }
        assert_eq!((roots[0], roots[1]), (roots[1], roots[2]), "there is one top tree");
        let mut signed: Vec<_> = signatures
            .iter()
            .map(|(slot, node, signature)| Signed { slot: *slot, node: *node, signature })
            .collect();
        let mut jobs = vec![Job::NONE; 3 * WINDOW];
        hypertree::climb_all(&toy, &mut signed, LAYERS as u32, HEIGHT, &mut jobs);
        assert!(signed.iter().all(|signed| signed.node == roots[0]));
        assert!(signed.iter().all(|signed| signed.signature.is_empty()));
    }
}

#[test]
fn forests() {
    for toy in toys().filter(|toy| toy.bits == 4) {
        for (trees, height) in [(1, 0), (1, 5), (5, 3), (3, 1), (7, 0)] {
            let slot = Slot { layer: 0, tree: 5, leaf: 9 };
            let secret = |index| toy.secret(slot, index);
            let leaf = |index: u32| mix(&[&index.to_be_bytes(), &secret(index)]);
            // The trees of a few-time key are one row of nodes at each height.
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
                    Tree { slot, first, wanted, path, secrets, root: [0; N] }
                })
                .collect();
            fors::grow_trees(&toy, &mut forest, height);
            let ends: Vec<_> = forest.iter().map(|tree| (tree.wanted, tree.root)).collect();
            for ((i, (wanted, root)), (path, secrets)) in ends.iter().enumerate().zip(&kept) {
                assert_eq!(*root, want[height as usize][i]);
                assert_eq!(secrets[0], secret(*wanted));
                for z in 0..height {
                    assert_eq!(path[z as usize], want[z as usize][(wanted >> z ^ 1) as usize]);
                }
            }
        }
    }
}

/// A tree of height 5 as four parts of height 3 and what is above them.
#[test]
fn parts_of_trees() {
    for toy in toys().filter(|toy| toy.bits == 4) {
        let slot = Slot { layer: 2, tree: 1, leaf: 0 };
        let all: Vec<Node> = (0..32_u32).map(|i| mix(&[&i.to_be_bytes()])).collect();
        let want = toy.plain_tree(slot, all.clone());
        for wanted in 0..32 {
            let mut path = [[0; N]; 5];
            let (below, above) = path.split_at_mut(3);
            let mut parts = Vec::new();
            for first in [0, 8, 16, 24] {
                let (path, secrets) = (&mut *below, &mut [][..]);
                let part = Tree { slot, first, wanted, path, secrets, root: [0; N] };
                let mut part = [part];
                grow(&toy, &mut part, 0, 3, |_, before, nodes| {
                    let first = first as usize + before;
                    nodes.copy_from_slice(&all[first..first + nodes.len()]);
                });
                parts.push(part[0].root);
            }
            let mut whole = [Tree { first: 0, path: above, ..tree(slot, &mut [], &mut []) }];
            whole[0].wanted = wanted;
            grow(&toy, &mut whole, 3, 2, |_, before, nodes| {
                nodes.copy_from_slice(&parts[before..before + nodes.len()]);
            });
            assert_eq!(whole[0].root, want[5][0]);
            for z in 0..5 {
                assert_eq!(path[z], want[z][wanted as usize >> z ^ 1], "{wanted} at {z}");
            }
        }
    }
}

#[test]
fn jobs_are_not_printed() {
    assert_eq!(std::format!("{:?}", Job::<32>::NONE), "Job { .. }");
}
