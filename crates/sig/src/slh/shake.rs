//! SHAKE256 as all of the functions: FIPS 205, section 11.1.
use oaklath_hash::sha3::Shake256;
use oaklath_hash::shake_lanes::{self, Block, Fold};
use oaklath_simd::{Simd, dispatch, scratch, secret, wipe};
use oaklath_tree::{MAX_LANES, Trace};

use crate::message::Formatted;
use crate::slh::hashes::{Adrs, SlhHash, node_traces};

/// Computes with the functions of nodes of `n` bytes at the current SIMD level.
pub(crate) fn with_hash(
    n: usize,
    [pk_seed, sk_seed]: [&[u8]; 2],
    compute: &mut dyn FnMut(&dyn SlhHash),
) {
    match n {
        16 => dispatch!(s => compute(&Shake::<_, 16, 6>::new(s, pk_seed, sk_seed))),
        24 => dispatch!(s => compute(&Shake::<_, 24, 7>::new(s, pk_seed, sk_seed))),
        _ => dispatch!(s => compute(&Shake::<_, 32, 8>::new(s, pk_seed, sk_seed))),
    }
}

/// The seeds of a key, as words. `AT` is where a message begins: after `N` bytes of seed and an
/// address, in words.
pub(crate) struct Shake<S: Simd, const N: usize, const AT: usize> {
    pub(crate) s: S,
    pk_seed: [u64; 4],
    pub(crate) sk_seed: [u64; 4],
}

impl<S: Simd, const N: usize, const AT: usize> Shake<S, N, AT> {
    const SEED: usize = {
        assert!(8 * AT == N + 32);
        N >> 3
    };

    pub(crate) fn new(s: S, pk_seed: &[u8], sk_seed: &[u8]) -> Self {
        Self { s, pk_seed: words(pk_seed), sk_seed: words(sk_seed) }
    }

    /// A seed, the address, and values.
    #[inline(always)]
    pub(crate) fn block<const M: usize>(
        seed: &[u64; 4],
        adrs: &Adrs,
        values: [[u64; 4]; M],
        block: &mut Block,
    ) {
        block[..Self::SEED].copy_from_slice(&seed[..Self::SEED]);
        block[Self::SEED..AT].copy_from_slice(&adrs_words(adrs));
        let mut at = AT;
        for value in values {
            block[at..at + Self::SEED].copy_from_slice(&value[..Self::SEED]);
            at += Self::SEED;
        }
        shake_lanes::pad(block, at);
    }
}

/// The words of at most 32 bytes.
#[inline(always)]
fn words(bytes: &[u8]) -> [u64; 4] {
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    words
}

/// The first `N` bytes of words.
fn bytes<const N: usize>(words: &[u64; 4]) -> [u8; N] {
    let mut bytes = [0; N];
    for (bytes, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(words) {
        *bytes = word.to_le_bytes();
    }
    bytes
}

/// An address of 32 bytes as words of SHAKE: FIPS 205, Figure 2.
#[inline(always)]
fn adrs_words(adrs: &Adrs) -> [u64; 4] {
    let pair =
        |low: u32, high: u32| u64::from(low.swap_bytes()) | u64::from(high.swap_bytes()) << 32;
    [
        pair(adrs.layer, 0),
        adrs.tree.swap_bytes(),
        pair(adrs.kind as u32, adrs.key_pair),
        pair(adrs.chain_or_height, adrs.hash_or_index),
    ]
}

impl<S: Simd, const N: usize, const AT: usize> Drop for Shake<S, N, AT> {
    fn drop(&mut self) {
        wipe(&mut self.sk_seed);
    }
}

impl<S: Simd, const N: usize, const AT: usize> SlhHash for Shake<S, N, AT> {
    fn n(&self) -> usize {
        N
    }
    fn lanes(&self) -> usize {
        shake_lanes::lanes(self.s)
    }
    fn prf(&self, adrs: &[Adrs], out: &mut [u8]) {
        secret!(blocks: [Block; shake_lanes::MOST]);
        for (block, adrs) in blocks.iter_mut().zip(adrs) {
            Self::block(&self.pk_seed, adrs, [self.sk_seed], block);
        }
        shake_lanes::hash::<S, N>(self.s, &blocks[..adrs.len()], out.as_chunks_mut().0);
    }
    fn f(&self, adrs: &[Adrs], steps: u32, values: &mut [u8], traces: &mut [Trace<'_>]) {
        scratch!(blocks: [Block; shake_lanes::MOST]);
        for (block, adrs) in blocks.iter_mut().zip(adrs) {
            Self::block(&self.pk_seed, adrs, [[0; 4]], block);
        }
        let (blocks, values) = (&blocks[..adrs.len()], values.as_chunks_mut().0);
        let count = traces.len();
        let traces = &mut node_traces(traces)[..count];
        shake_lanes::chain::<S, N, AT>(self.s, blocks, steps, values, traces);
    }
    fn h(&self, adrs: &[Adrs], children: &[u8], parents: &mut [u8]) {
        scratch!(blocks: [Block; shake_lanes::MOST]);
        let pairs = children.as_chunks::<N>().0.as_chunks().0;
        for ((block, adrs), [left, right]) in blocks.iter_mut().zip(adrs).zip(pairs) {
            Self::block(&self.pk_seed, adrs, [words(left), words(right)], block);
        }
        shake_lanes::hash::<S, N>(self.s, &blocks[..adrs.len()], parents.as_chunks_mut().0);
    }
    fn t_l(&self, adrs: &[Adrs], l: usize, row: &mut dyn FnMut(u32, &mut [u8]), out: &mut [u8]) {
        let mut fold = Fold::<S, { shake_lanes::MOST }>::new(self.s, adrs.len());
        let out = out.as_chunks_mut::<N>().0;
        out.fill(bytes(&self.pk_seed));
        fold.absorb(out);
        let mut addresses = [[0; 32]; MAX_LANES];
        for (bytes, adrs) in addresses.iter_mut().zip(adrs) {
            *bytes = self::bytes(&adrs_words(adrs));
        }
        fold.absorb(&addresses[..adrs.len()]);
        for i in 0..l as u32 {
            row(i, out.as_flattened_mut());
            fold.absorb(out);
        }
        fold.finish(out);
    }
    fn prf_msg(&self, sk_prf: &[u8], opt_rand: &[u8], message: &Formatted<'_>, r: &mut [u8]) {
        xof([sk_prf, opt_rand, &[]], message, r);
    }
    fn h_msg(&self, prefix: [&[u8]; 3], message: &Formatted<'_>, digest: &mut [u8]) {
        xof(prefix, message, digest);
    }
}

/// SHAKE256 of a prefix and a message.
fn xof(prefix: [&[u8]; 3], message: &Formatted<'_>, out: &mut [u8]) {
    let mut sponge = Shake256::new();
    prefix.into_iter().chain(message.pieces()).for_each(|piece| sponge.absorb(piece));
    sponge.finish().read(out);
}
