//! LM-OTS and LMS over the traits of `oaklath-tree`: RFC 8554, sections 4 and 5, with SHA-256
//! (RFC 8554) and SHAKE256, of 32 or 24 bytes (RFC 9858).
use alloc::boxed::Box;

use oaklath_hash::ValueSpan;
use oaklath_hash::keccak::SUFFIX_SHAKE;
use oaklath_hash::sha2::{Head, Midstate, Sha2Thash};
use oaklath_hash::shake_lanes::{self, Block};
use oaklath_params::stateful::Hash;
use oaklath_params::stateful::lms::LmotsType;
use oaklath_simd::{scratch, secret};
use oaklath_tree::{
    ChainAddress, MAX_CHAINS, MAX_LANES, NodeAddress, OneTimeHash, Slot, Trace, TreeHash, copy_node,
};

use crate::engine::{self, Sha256Engine, ShakeEngine, load_words, take_step};
use crate::lms::types::ID;

/// Domain separation values: RFC 8554, section 7.1 (`D_PBLK`, `D_MESG`, `D_LEAF`, `D_INTR`).
const D_PBLK: u16 = 0x8080;
pub(super) const D_MESG: u16 = 0x8181;
const D_LEAF: u16 = 0x8282;
const D_INTR: u16 = 0x8383;

/// The step number with which secrets are derived from the seed: RFC 8554, appendix A.
const SECRET: u8 = 0xff;

/// Bytes before the nodes in a hash: I, a number and the domain separation value.
const HEAD: usize = ID + 6;
/// Bytes before the value in a hash of a chain: I, q, the chain and the step.
const CHAIN: usize = HEAD + 1;

/// How many trees share lanes: two fill them in verification, which must use little stack.
pub(super) const GROUP: usize = 2;
/// Trees that share lanes where many signatures are verified, which may take more.
pub(super) const BATCH: usize = MAX_LANES;

/// The identifier I of a tree, its height and, if it is known, the seed of its secrets.
#[derive(Clone, Copy, Default)]
pub(super) struct LmsTree<'a> {
    pub(super) id: [u8; ID],
    pub(super) height: u32,
    pub(super) seed: &'a [u8],
}

enum LmsEngine {
    Sha256(Box<dyn Sha256Engine>),
    Shake256(Box<dyn ShakeEngine>),
}

/// At most `TREES` trees with keys of one type. A slot's layer is the place of its tree among them.
pub(super) struct LmsHash<'a, const TREES: usize = GROUP> {
    engine: LmsEngine,
    lmots: &'static LmotsType,
    pub(super) trees: [LmsTree<'a>; TREES],
}

impl<const TREES: usize> LmsHash<'_, TREES> {
    /// Returns the hash functions at the current SIMD level. The caller sets the trees.
    pub(super) fn new(lmots: &'static LmotsType) -> Self {
        let engine = match lmots.hash {
            Hash::Shake256 => LmsEngine::Shake256(engine::shake256()),
            _ => LmsEngine::Sha256(engine::sha256()),
        };
        Self { engine, lmots, trees: [LmsTree::default(); TREES] }
    }

    fn tree(&self, slot: Slot) -> &LmsTree<'_> {
        &self.trees[usize::from(slot.layer)]
    }

    /// Returns I || u32str(r) || u16str(d).
    fn head(&self, slot: Slot, r: u32, d: u16) -> [u8; HEAD] {
        let mut head = [0; HEAD];
        head[..ID].copy_from_slice(&self.tree(slot).id);
        head[ID..ID + 4].copy_from_slice(&r.to_be_bytes());
        head[ID + 4..].copy_from_slice(&d.to_be_bytes());
        head
    }

    /// Returns the head of a chain as words, I || u32str(q) || u16str(i) || u8str(j), with the step
    /// of the address or `step`.
    #[inline(always)]
    fn chain_head(&self, address: &ChainAddress, step: Option<u8>) -> Head {
        let [a, b, c, d] = load_words(&self.tree(address.slot).id);
        let step = step.map_or(address.step, u32::from);
        [a, b, c, d, address.slot.leaf, address.chain << 16 | step << 8]
    }

    /// In each lane, `steps` times, replaces the value by the hash of its head and the value, and
    /// increments the last byte of the head. All heads start with the steps of their addresses, or
    /// with `step`.
    fn chain(
        &self,
        (chains, step): (&[ChainAddress], Option<u8>),
        steps: &[u32],
        values: &mut [u8],
        traces: &mut [Trace<'_>],
    ) {
        match &self.engine {
            LmsEngine::Sha256(engine) if chains.len() > MAX_LANES => {
                let chains = (chains, step);
                self.sha256_chain::<MAX_CHAINS>(&**engine, chains, steps, values, traces);
            }
            LmsEngine::Sha256(engine) => {
                let chains = (chains, step);
                self.sha256_chain::<MAX_LANES>(&**engine, chains, steps, values, traces);
            }
            LmsEngine::Shake256(engine) => {
                self.shake_chain(&**engine, (chains, step), steps, values, traces);
            }
        }
    }

    /// Advances up to `MOST` chains of SHA-256. Out of line, as for SHAKE256, so that only the
    /// arrays of one of them are on the stack.
    #[inline(never)]
    fn sha256_chain<const MOST: usize>(
        &self,
        engine: &dyn Sha256Engine,
        (chains, step): (&[ChainAddress], Option<u8>),
        steps: &[u32],
        values: &mut [u8],
        traces: &mut [Trace<'_>],
    ) {
        scratch!(heads: [Head; MOST]);
        let heads = &mut heads[..chains.len()];
        for (head, address) in heads.iter_mut().zip(chains) {
            *head = self.chain_head(address, step);
        }
        let span = ValueSpan { at: CHAIN, n: self.lmots.n };
        engine.advance_chains((span, heads), steps, values, traces);
    }

    /// Advances chains of SHAKE256, whose messages are one block. The head has 23 bytes, so that
    /// the value begins at the last byte of a word.
    #[inline(never)]
    fn shake_chain(
        &self,
        engine: &dyn ShakeEngine,
        (chains, step): (&[ChainAddress], Option<u8>),
        steps: &[u32],
        values: &mut [u8],
        traces: &mut [Trace<'_>],
    ) {
        secret!(blocks: [Block; shake_lanes::MOST], hashes: [[u8; 32]; shake_lanes::MOST]);
        let n = self.lmots.n;
        let hashes = &mut hashes.as_flattened_mut()[..values.len()];
        let blocks = &mut blocks[..chains.len()];
        for (block, address) in blocks.iter_mut().zip(chains) {
            block.fill(0);
            let head = self.chain_head(address, step);
            for (word, [low, high]) in block.iter_mut().zip(head.as_chunks::<2>().0) {
                *word = u64::from(low.swap_bytes()) | u64::from(high.swap_bytes()) << 32;
            }
            block[16] = 1 << 63;
        }
        for step in 0..steps.iter().copied().max().unwrap_or_default() {
            for (block, value) in blocks.iter_mut().zip(values.chunks_exact(n)) {
                let mut before = (block[2] & ((1 << 56) - 1)) + u64::from(step.min(1)) * (1 << 48);
                for (to, bytes) in block[2..].iter_mut().zip(value.as_chunks::<8>().0) {
                    let word = u64::from_le_bytes(*bytes);
                    *to = before | word << 56;
                    before = word >> 8;
                }
                block[2 + (n >> 3)] = before | u64::from(SUFFIX_SHAKE) << 56;
            }
            engine.hash_blocks(blocks, n, hashes);
            take_step((n, step), steps, hashes, values, traces);
        }
    }

    /// Does [`OneTimeHash::leaves`] in up to `LANES` lanes.
    #[inline(never)]
    fn leaves_in<const LANES: usize>(
        &self,
        slots: &[Slot],
        ends: &mut dyn FnMut(u32, &mut [u8]),
        leaves: &mut [u8],
    ) {
        let mut heads = [[0; HEAD]; LANES];
        let heads = &mut heads[..slots.len()];
        for (head, slot) in heads.iter_mut().zip(slots) {
            *head = self.head(*slot, slot.leaf, D_PBLK);
        }
        self.hash(heads, self.lmots.p as u32, ends, leaves);
        for (head, slot) in heads.iter_mut().zip(slots) {
            *head = self.head(*slot, (1 << self.tree(*slot).height) + slot.leaf, D_LEAF);
        }
        let mut keys = [[0; 32]; LANES];
        let keys = &mut keys.as_flattened_mut()[..leaves.len()];
        keys.copy_from_slice(leaves);
        self.hash(heads, 1, &mut |_, row| row.copy_from_slice(keys), leaves);
    }

    /// Hashes each head and the nodes after it: `pieces` times, `next` writes a node for each lane.
    fn hash(
        &self,
        heads: &[[u8; HEAD]],
        pieces: u32,
        next: &mut dyn FnMut(u32, &mut [u8]),
        out: &mut [u8],
    ) {
        let n = self.lmots.n;
        match (&self.engine, heads.len()) {
            (LmsEngine::Sha256(engine), 0..=GROUP) => {
                sha256_hash::<GROUP>(&**engine, n, heads, pieces, next, out);
            }
            (LmsEngine::Sha256(engine), _) => {
                sha256_hash::<MAX_LANES>(&**engine, n, heads, pieces, next, out);
            }
            (LmsEngine::Shake256(engine), 0..=GROUP) => {
                shake_hash::<GROUP>(&**engine, n, heads, pieces, next, out);
            }
            (LmsEngine::Shake256(engine), _) => {
                shake_hash::<{ shake_lanes::MOST }>(&**engine, n, heads, pieces, next, out);
            }
        }
    }
}

/// Does [`LmsHash::hash`] in up to `LANES` lanes.
#[inline(never)]
fn sha256_hash<const LANES: usize>(
    engine: &dyn Sha256Engine,
    n: usize,
    heads: &[[u8; HEAD]],
    pieces: u32,
    next: &mut dyn FnMut(u32, &mut [u8]),
    out: &mut [u8],
) {
    let start = const { Midstate::new().words() };
    let mut thash = Sha2Thash::new(engine, [start; LANES], 0, heads.len());
    thash.absorb_pieces(HEAD, heads.as_flattened());
    let mut row = [[0; 32]; LANES];
    let row = &mut row.as_flattened_mut()[..out.len()];
    for piece in 0..pieces {
        next(piece, row);
        thash.absorb_pieces(n, row);
    }
    thash.finish_digests(n, out);
}

/// Bits of a head after its whole words.
const REST: usize = 8 * (HEAD & 7);

/// Does [`LmsHash::hash`] in up to `LANES` lanes. Since a head has 22 bytes, the words of a message
/// are not aligned with its pieces.
fn shake_hash<const LANES: usize>(
    engine: &dyn ShakeEngine,
    n: usize,
    heads: &[[u8; HEAD]],
    pieces: u32,
    next: &mut dyn FnMut(u32, &mut [u8]),
    out: &mut [u8],
) {
    let lanes = heads.len();
    let mut messages = |absorb: &mut dyn FnMut(&[u64]), rests: &mut [u64]| {
        let mut words = [0; LANES];
        for at in 0..HEAD >> 3 {
            let heads = heads.iter().map(|head| little_endian(&head[8 * at..][..8]));
            words.iter_mut().zip(heads).for_each(|(word, head)| *word = head);
            absorb(&words[..lanes]);
        }
        let ends = heads.iter().map(|head| little_endian(&head[HEAD & !7..]));
        rests.iter_mut().zip(ends).for_each(|(rest, end)| *rest = end);
        let mut row = [[0; 32]; LANES];
        let row = &mut row.as_flattened_mut()[..lanes * n];
        for piece in 0..pieces {
            next(piece, row);
            for at in (0..n).step_by(8) {
                let nodes = row.chunks_exact(n).map(|node| little_endian(&node[at..at + 8]));
                for ((word, rest), node) in words.iter_mut().zip(&mut *rests).zip(nodes) {
                    *word = *rest | node << REST;
                    *rest = node >> (64 - REST);
                }
                absorb(&words[..lanes]);
            }
        }
        rests.iter_mut().for_each(|rest| *rest |= u64::from(SUFFIX_SHAKE) << REST);
    };
    engine.hash_long(&mut messages, n, out);
}

/// Returns the little-endian number of up to eight bytes.
fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

impl<const TREES: usize> TreeHash for LmsHash<'_, TREES> {
    fn node_len(&self) -> usize {
        self.lmots.n
    }
    fn lanes(&self) -> usize {
        match &self.engine {
            LmsEngine::Sha256(engine) => engine.lanes(),
            LmsEngine::Shake256(engine) => engine.lanes(),
        }
    }
    fn parents(&self, addresses: &[NodeAddress], children: &[u8], parents: &mut [u8]) {
        let (n, mut heads) = (self.lmots.n, [[0; HEAD]; MAX_LANES]);
        for (head, address) in heads.iter_mut().zip(addresses) {
            // Nodes are numbered from 1, the root: RFC 8554, section 5.3.
            let first = 1 << (self.tree(address.slot).height - address.height);
            *head = self.head(address.slot, first + address.index, D_INTR);
        }
        let mut next = |side: u32, row: &mut [u8]| {
            let children = children.chunks_exact(n).skip(side as usize).step_by(2);
            row.chunks_exact_mut(n).zip(children).for_each(|(to, child)| copy_node(to, child));
        };
        self.hash(&heads[..addresses.len()], 2, &mut next, parents);
    }
}

impl<const TREES: usize> OneTimeHash for LmsHash<'_, TREES> {
    fn digit_bits(&self) -> u32 {
        self.lmots.w as u32
    }
    fn chains(&self) -> usize {
        self.lmots.p
    }
    fn secrets(&self, chains: &[ChainAddress], values: &mut [u8]) {
        let n = self.lmots.n;
        for (value, address) in values.chunks_exact_mut(n).zip(chains) {
            copy_node(value, &self.tree(address.slot).seed[..n]);
        }
        let steps = &[1; MAX_LANES][..chains.len()];
        self.chain((chains, Some(SECRET)), steps, values, &mut []);
    }
    fn advance(
        &self,
        chains: &[ChainAddress],
        steps: &[u32],
        values: &mut [u8],
        traces: &mut [Trace<'_>],
    ) {
        self.chain((chains, None), steps, values, traces);
    }
    fn leaves(&self, slots: &[Slot], ends: &mut dyn FnMut(u32, &mut [u8]), leaves: &mut [u8]) {
        match slots.len() {
            0..=GROUP => self.leaves_in::<GROUP>(slots, ends, leaves),
            _ => self.leaves_in::<MAX_LANES>(slots, ends, leaves),
        }
    }
}
