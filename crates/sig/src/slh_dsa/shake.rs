//! The hash functions with SHAKE256: FIPS 205, section 11.1.
use core::array;

use oaklath_hash::keccak::{RATE_256, SUFFIX_SHAKE};
use oaklath_hash::sha3::sponge;
use oaklath_hash::shake_lanes::{self, Block, ChainPrefix, ShakeThash};
use oaklath_simd::{Simd, scratch, wipe};
use oaklath_tree::Trace;

use crate::message::Formatted;
use crate::slh_dsa::hashes::{Adrs, PkSeed, SlhHash, have_one_seed, seed_of};

/// Prepares PK.seed.
pub(crate) fn prepare(pk_seed: &[u8]) -> PkSeed {
    let mut seed = PkSeed::NONE;
    put_words(&mut seed.words, pk_seed);
    seed
}

/// Calls `compute` with the functions for nodes of `n` bytes at the current SIMD level.
#[cfg(feature = "slh-dsa")]
pub(super) fn with_hash(
    n: usize,
    seeds: &[PkSeed],
    sk_seed: &[u8],
    compute: &mut dyn FnMut(&dyn SlhHash),
) {
    oaklath_simd::dispatch!(s => {
        let mut hash = Shake::new(s, n, seeds, prf);
        hash.set_sk_seed(sk_seed);
        compute(&hash);
    });
}

/// PRF of a variant.
type Prf<S> = fn(&Shake<'_, S>, &[Adrs], &mut [u8]);

/// PRF is F of SK.seed.
#[cfg(feature = "slh-dsa")]
fn prf<S: Simd>(hash: &Shake<'_, S>, adrs: &[Adrs], out: &mut [u8]) {
    for value in out.chunks_exact_mut(hash.n) {
        for (bytes, word) in value.as_chunks_mut::<8>().0.iter_mut().zip(&hash.sk_seed) {
            *bytes = word.to_le_bytes();
        }
    }
    hash.f(adrs, &[1; shake_lanes::MOST][..adrs.len()], out, &mut []);
}

/// The hash functions, with the seeds of keys as words.
pub(crate) struct Shake<'a, S: Simd> {
    pub(crate) s: S,
    n: usize,
    seeds: &'a [PkSeed],
    pub(crate) sk_seed: [u64; 4],
    prf: Prf<S>,
}

impl<'a, S: Simd> Shake<'a, S> {
    /// Returns the functions without SK.seed.
    pub(crate) fn new(s: S, n: usize, seeds: &'a [PkSeed], prf: Prf<S>) -> Self {
        Self { s, n, seeds, sk_seed: [0; 4], prf }
    }

    #[inline(always)]
    fn pk_seed(&self, adrs: &Adrs) -> &[u64; 4] {
        &self.seeds[seed_of(adrs)].words
    }

    /// Writes SK.seed in place, since a move would leave a copy that is not erased.
    #[inline(always)]
    pub(crate) fn set_sk_seed(&mut self, sk_seed: &[u8]) {
        put_words(&mut self.sk_seed, sk_seed);
    }

    /// Writes the blocks of pairs of nodes of `N` bytes, word by word, since positions are then
    /// constants.
    fn put_pairs<const N: usize>(&self, adrs: &[Adrs], children: &[u8], blocks: &mut [Block]) {
        let children = children.as_chunks::<N>().0.as_chunks::<2>().0;
        for ((block, adrs), pair) in blocks.iter_mut().zip(adrs).zip(children) {
            begin(N, self.pk_seed(adrs), adrs, N >> 2, block);
            put_words(&mut block[at(N)..], pair.as_flattened());
        }
    }
}

/// Returns the number of words before the message: PK.seed and an address.
#[inline(always)]
fn at(n: usize) -> usize {
    (n >> 3) + 4
}

/// Writes a seed of `n` bytes and the address to a block, and the padding after a message of `len`
/// words, which is left as zeros.
#[inline(always)]
pub(crate) fn begin(n: usize, seed: &[u64; 4], adrs: &Adrs, len: usize, block: &mut Block) {
    // A copy of fixed length needs no call; the words after a shorter seed are overwritten.
    block.fill(0);
    block[..4].copy_from_slice(seed);
    block[at(n) - 4..at(n)].copy_from_slice(&adrs_words(adrs));
    block[at(n) + len] = SUFFIX_SHAKE.into();
    block[block.len() - 1] |= 1 << 63;
}

/// Writes bytes as words, without a copy on the stack.
#[inline(always)]
fn put_words(words: &mut [u64], bytes: &[u8]) {
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *word = u64::from_le_bytes(*bytes);
    }
}

fn bytes(words: &[u64; 4]) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (bytes, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(words) {
        *bytes = word.to_le_bytes();
    }
    bytes
}

/// Returns an address as the words of a SHAKE block.
#[inline(always)]
fn adrs_words(adrs: &Adrs) -> [u64; 4] {
    let mut words = adrs.map(u64::swap_bytes);
    words[0] &= u64::from(u32::MAX); // without the number of PK.seed
    words
}

impl<S: Simd> Drop for Shake<'_, S> {
    fn drop(&mut self) {
        wipe(&mut self.sk_seed);
    }
}

impl<S: Simd> SlhHash for Shake<'_, S> {
    fn n(&self) -> usize {
        self.n
    }
    fn lanes(&self) -> usize {
        shake_lanes::lanes(self.s)
    }
    fn prf(&self, adrs: &[Adrs], out: &mut [u8]) {
        (self.prf)(self, adrs, out);
    }
    fn f(&self, adrs: &[Adrs], steps: &[u32], values: &mut [u8], traces: &mut [Trace<'_>]) {
        scratch!(addresses: [[u64; 4]; shake_lanes::MOST]);
        addresses.iter_mut().zip(adrs).for_each(|(to, adrs)| *to = adrs_words(adrs));
        let mut seeds = [self.pk_seed(&adrs[0]); shake_lanes::MOST];
        seeds.iter_mut().zip(adrs).for_each(|(seed, adrs)| *seed = self.pk_seed(adrs));
        let seeds = if have_one_seed(adrs) { &seeds[..1] } else { &seeds[..adrs.len()] };
        let prefix = ChainPrefix { seeds, addresses: &addresses[..adrs.len()] };
        shake_lanes::advance_chains(self.s, (self.n, prefix), steps, values, traces);
    }
    fn h(&self, adrs: &[Adrs], children: &[u8], parents: &mut [u8]) {
        scratch!(blocks: [Block; shake_lanes::MOST]);
        let blocks = &mut blocks[..adrs.len()];
        match self.n {
            16 => self.put_pairs::<16>(adrs, children, blocks),
            24 => self.put_pairs::<24>(adrs, children, blocks),
            _ => self.put_pairs::<32>(adrs, children, blocks),
        }
        shake_lanes::hash_blocks(self.s, blocks, self.n, parents);
    }
    fn t_l(&self, adrs: &[Adrs], l: usize, row: &mut dyn FnMut(u32, &mut [u8]), out: &mut [u8]) {
        let mut thash = ShakeThash::<S, { shake_lanes::MOST }>::new(self.s, adrs.len());
        for (out, adrs) in out.chunks_exact_mut(self.n).zip(adrs) {
            out.copy_from_slice(&bytes(self.pk_seed(adrs))[..self.n]);
        }
        thash.absorb_pieces(self.n, out);
        let mut addresses = [[0; 32]; shake_lanes::MOST];
        for (to, adrs) in addresses.iter_mut().zip(adrs) {
            *to = bytes(&adrs_words(adrs));
        }
        thash.absorb_pieces(32, addresses[..adrs.len()].as_flattened());
        for i in 0..l as u32 {
            row(i, out);
            thash.absorb_pieces(self.n, out);
        }
        thash.finish_digests(&[SUFFIX_SHAKE.into(); shake_lanes::MOST], self.n, out);
    }
    fn prf_msg(&self, sk_prf: &[u8], opt_rand: &[u8], message: &Formatted<'_>, r: &mut [u8]) {
        xof([sk_prf, opt_rand, &[]], message, r);
    }
    fn h_msg(&self, prefix: [&[u8]; 3], message: &Formatted<'_>, digest: &mut [u8]) {
        xof(prefix, message, digest);
    }
}

/// Computes SHAKE256 of a prefix and a message.
fn xof(prefix: [&[u8]; 3], message: &Formatted<'_>, out: &mut [u8]) {
    let mut parts = prefix.into_iter().chain(message.pieces());
    let parts: [&[u8]; 8] = array::from_fn(|_| parts.next().expect("three and five parts"));
    sponge::<RATE_256, SUFFIX_SHAKE>(&parts, out);
}
