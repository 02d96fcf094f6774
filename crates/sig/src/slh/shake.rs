//! SHAKE256 as all of the functions: FIPS 205, section 11.1.
use oaklath_hash::ValueSpan;
use oaklath_hash::keccak::SUFFIX_SHAKE;
use oaklath_hash::sha3::Shake256;
use oaklath_hash::shake_lanes::{self, Block, Fold};
use oaklath_simd::{Simd, scratch, secret, wipe};
use oaklath_tree::{Link, MAX_LANES, Nodes, OneTime, Place, Slot, Trace};

use crate::message::Formatted;
use crate::slh::hashes::{Address, Hashes, Kind, Variant};
use crate::slh::params::{DIGIT_BITS, chains};

/// The seeds of a key, as words. `AT` is where a message begins: after `N` bytes of seed and an
/// address, in words.
pub(super) struct Shake<S: Simd, const N: usize, const AT: usize> {
    s: S,
    seed: [u64; 4],
    secret: [u8; N],
    variant: Variant,
}

impl<S: Simd, const N: usize, const AT: usize> Shake<S, N, AT> {
    const SEED: usize = {
        assert!(8 * AT == N + 32);
        N >> 3
    };

    pub(super) fn new(s: S, seed: &[u8; N], secret: &[u8; N], variant: Variant) -> Self {
        Self { s, seed: words(seed), secret: *secret, variant }
    }

    /// PK.seed, the address, and values.
    #[inline(always)]
    fn block<const M: usize>(&self, address: &Address, values: [&[u8; N]; M], block: &mut Block) {
        block[..Self::SEED].copy_from_slice(&self.seed[..Self::SEED]);
        block[Self::SEED..AT].copy_from_slice(&address_words(address));
        let mut at = AT;
        for value in values {
            block[at..at + Self::SEED].copy_from_slice(&words(value)[..Self::SEED]);
            at += Self::SEED;
        }
        shake_lanes::pad(block, at);
    }

    /// PRF: the secrets at some addresses.
    fn prf(&self, addresses: impl Iterator<Item = Address>, values: &mut [[u8; N]]) {
        secret!(blocks: [Block; shake_lanes::MOST]);
        let mut n = 0;
        for address in addresses {
            let block = &mut blocks[n];
            if self.variant.submitted_secrets() {
                block[..Self::SEED].copy_from_slice(&words(&self.secret)[..Self::SEED]);
                block[Self::SEED..AT].copy_from_slice(&address_words(&address));
                shake_lanes::pad(block, AT);
            } else {
                self.block(&address, [&self.secret], block);
            }
            n += 1;
        }
        shake_lanes::hash_blocks(self.s, &blocks[..n], N, values.as_flattened_mut());
    }

    /// H at some places.
    fn h(&self, kind: Kind, places: &[Place], children: &[[[u8; N]; 2]], parents: &mut [[u8; N]]) {
        scratch!(blocks: [Block; shake_lanes::MOST]);
        for ((block, place), [left, right]) in blocks.iter_mut().zip(places).zip(children) {
            self.block(&Address::of_node(place, kind), [left, right], block);
        }
        shake_lanes::hash_blocks(self.s, &blocks[..places.len()], N, parents.as_flattened_mut());
    }

    /// Begins `T_l` at the addresses of some keys.
    fn t(&self, kind: Kind, slots: &[Slot]) -> Fold<S, { shake_lanes::MOST }> {
        let mut fold = Fold::new(self.s, slots.len());
        let seed = [bytes::<N>(&self.seed); MAX_LANES];
        fold.absorb_pieces(N, seed[..slots.len()].as_flattened());
        let mut addresses = [[0; 32]; MAX_LANES];
        for (address, slot) in addresses.iter_mut().zip(slots) {
            *address = bytes(&address_words(&Address::of_key(*slot, kind)));
        }
        fold.absorb_pieces(32, addresses[..slots.len()].as_flattened());
        fold
    }
}

/// The words of at most 32 bytes.
fn words<const N: usize>(bytes: &[u8; N]) -> [u64; 4] {
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    words
}

fn bytes<const N: usize>(words: &[u64; 4]) -> [u8; N] {
    let mut bytes = [0; N];
    for (bytes, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(words) {
        *bytes = word.to_le_bytes();
    }
    bytes
}

/// An address of 32 bytes as words of SHAKE: FIPS 205, Figure 2.
fn address_words(address: &Address) -> [u64; 4] {
    let pair =
        |low: u32, high: u32| u64::from(low.swap_bytes()) | u64::from(high.swap_bytes()) << 32;
    [
        pair(address.slot.layer, 0),
        address.slot.tree.swap_bytes(),
        pair(address.kind as u32, address.key),
        pair(address.sixth, address.seventh),
    ]
}

impl<S: Simd, const N: usize, const AT: usize> Drop for Shake<S, N, AT> {
    fn drop(&mut self) {
        wipe(&mut self.secret);
    }
}

impl<S: Simd, const N: usize, const AT: usize> Nodes<N> for Shake<S, N, AT> {
    fn lanes(&self) -> usize {
        shake_lanes::lanes(self.s)
    }
    fn nodes(&self, places: &[Place], children: &[[[u8; N]; 2]], parents: &mut [[u8; N]]) {
        self.h(Kind::Tree, places, children, parents);
    }
}

impl<S: Simd, const N: usize, const AT: usize> OneTime<N> for Shake<S, N, AT> {
    type Fold = Fold<S, { shake_lanes::MOST }>;

    fn digit_bits(&self) -> u32 {
        DIGIT_BITS
    }
    fn chains(&self) -> usize {
        chains(N)
    }
    fn secrets(&self, links: &[Link], values: &mut [[u8; N]]) {
        let kind = self.variant.secret_kind(Kind::ChainSecret);
        let address =
            |link: &Link| Address { sixth: link.chain, ..Address::of_key(link.slot, kind) };
        self.prf(links.iter().map(address), values);
    }
    fn advance(
        &self,
        links: &[Link],
        steps: u32,
        values: &mut [[u8; N]],
        traces: &mut [Trace<'_, N>],
    ) {
        scratch!(blocks: [Block; shake_lanes::MOST]);
        for (block, link) in blocks.iter_mut().zip(links) {
            self.block(&Address::of_link(link), [&[0; N]], block);
        }
        let mut flat: [oaklath_hash::Trace<'_>; MAX_LANES] = Default::default();
        let count = traces.len();
        for (flat, (lane, trace)) in flat.iter_mut().zip(traces) {
            *flat = (*lane, trace.as_flattened_mut());
        }
        let (traces, values) = (&mut flat[..count], values.as_flattened_mut());
        let chains = (ValueSpan { at: 8 * AT, n: N }, &blocks[..links.len()]);
        shake_lanes::advance_chains(self.s, chains, steps, values, traces);
    }
    fn fold(&self, slots: &[Slot]) -> Fold<S, { shake_lanes::MOST }> {
        self.t(Kind::Leaf, slots)
    }
    fn absorb(&self, fold: &mut Fold<S, { shake_lanes::MOST }>, _: u32, ends: &[[u8; N]]) {
        fold.absorb_pieces(N, ends.as_flattened());
    }
    fn finish(&self, fold: &mut Fold<S, { shake_lanes::MOST }>, leaves: &mut [[u8; N]]) {
        let ends = [SUFFIX_SHAKE.into(); shake_lanes::MOST];
        fold.finish_digests(&ends, N, leaves.as_flattened_mut());
    }
}

impl<S: Simd, const N: usize, const AT: usize> Hashes<N> for Shake<S, N, AT> {
    fn fors_secrets(&self, places: &[Place], values: &mut [[u8; N]]) {
        let kind = self.variant.secret_kind(Kind::ForsSecret);
        self.prf(places.iter().map(|place| Address::of_node(place, kind)), values);
    }
    fn fors_leaves(&self, places: &[Place], values: &mut [[u8; N]]) {
        secret!(blocks: [Block; shake_lanes::MOST]);
        for ((block, place), value) in blocks.iter_mut().zip(places).zip(&*values) {
            self.block(&Address::of_node(place, Kind::ForsTree), [value], block);
        }
        shake_lanes::hash_blocks(self.s, &blocks[..places.len()], N, values.as_flattened_mut());
    }
    fn fors_nodes(&self, places: &[Place], children: &[[[u8; N]; 2]], parents: &mut [[u8; N]]) {
        self.h(Kind::ForsTree, places, children, parents);
    }
    fn fors_fold(&self, slots: &[Slot]) -> Fold<S, { shake_lanes::MOST }> {
        self.t(Kind::ForsRoots, slots)
    }
    fn randomizer(prf: &[u8; N], additional: &[u8; N], message: &Formatted<'_>) -> [u8; N] {
        let mut sponge = Shake256::new().chain(prf).chain(additional);
        message.pieces().for_each(|piece| sponge.absorb(piece));
        let mut r = [0; N];
        sponge.finish().read(&mut r);
        r
    }
    fn digest(
        r: &[u8; N],
        seed: &[u8; N],
        root: &[u8; N],
        message: &Formatted<'_>,
        out: &mut [u8],
    ) {
        let mut sponge = Shake256::new().chain(r).chain(seed).chain(root);
        message.pieces().for_each(|piece| sponge.absorb(piece));
        sponge.finish().read(out);
    }
}
