//! The functions of XMSS with SHA-256 and n = 32: keys with prefixes are whole blocks, so that
//! functions continue from precomputed states, and values are words.
use alloc::boxed::Box;

use oaklath_hash::sha2::{Block256, Midstate};
use oaklath_simd::{scratch, secret, wipe};
use oaklath_tree::Trace;

use crate::engine::{self, Sha256Engine, load_words, store_words};
use crate::xmss::address::{Addresses, Function, Use};

/// The functions of a key, in at most `LANES` lanes.
pub(super) struct WholeBlocks<const LANES: usize> {
    engine: Box<dyn Sha256Engine>,
    /// SEED.
    seed: [u32; 8],
    /// States after the prefix of PRF and SEED, and after that of `PRF_keygen` and the secret seed.
    prf: [u32; 8],
    keygen: [u32; 8],
}

impl<const LANES: usize> WholeBlocks<LANES> {
    pub(super) fn new(public: &[u8], secret: Option<&[u8]>) -> Self {
        let after = |function: Function, key: &[u8]| {
            secret!(block: [[u8; 64]; 1]);
            block[0].fill(0);
            block[0][31] = function as u8;
            block[0][32..].copy_from_slice(key);
            Midstate::new().absorb(block).words()
        };
        let prf = after(Function::Prf, public);
        let keygen = secret.map_or([0; 8], |secret| after(Function::Keygen, secret));
        Self { engine: engine::sha256(), seed: load_words(public), prf, keygen }
    }

    pub(super) fn engine(&self) -> &dyn Sha256Engine {
        &*self.engine
    }

    pub(super) fn lanes(&self) -> usize {
        self.engine.lanes()
    }

    /// PRF(SEED, ADRS) as words, in up to `MOST` lanes, for which there is memory. This and what
    /// follows are out of line: the stack has the arrays of one of them at a time.
    #[inline(never)]
    fn prf_words<const MOST: usize>(
        &self,
        addresses: &Addresses<'_>,
        what: Use,
        out: &mut [[u32; 8]],
    ) {
        scratch!(blocks: [Block256; MOST]);
        for (lane, (block, out)) in blocks.iter_mut().zip(&mut *out).enumerate() {
            block[..8].copy_from_slice(&addresses(lane).for_use(what).0);
            block[8..].copy_from_slice(&[ONE, 0, 0, 0, 0, 0, 0, 8 * 96]);
            *out = self.prf;
        }
        self.engine.compress(out, &blocks[..out.len()]);
    }

    /// Replaces keys by the states after the first block of H, its number and the key.
    #[inline(never)]
    fn after_keys<const MOST: usize>(&self, keys: &mut [[u32; 8]]) {
        scratch!(blocks: [Block256; MOST]);
        for (block, key) in blocks.iter_mut().zip(&mut *keys) {
            block[..8].copy_from_slice(&[0, 0, 0, 0, 0, 0, 0, Function::H as u32]);
            block[8..].copy_from_slice(key);
            *key = const { Midstate::new().words() };
        }
        self.engine.compress(keys, &blocks[..keys.len()]);
    }

    /// Computes `RAND_HASH` of pairs of nodes: RFC 8391, Algorithm 7.
    pub(super) fn rand_hash(&self, addresses: &Addresses<'_>, pairs: &[u8], out: &mut [u8]) {
        match out.len() {
            32 => self.rand_hash_in::<1>(addresses, pairs, out),
            _ => self.rand_hash_in::<LANES>(addresses, pairs, out),
        }
    }

    #[inline(never)]
    fn rand_hash_in<const MOST: usize>(
        &self,
        addresses: &Addresses<'_>,
        pairs: &[u8],
        out: &mut [u8],
    ) {
        scratch!(made: [[u32; 8]; MOST], blocks: [Block256; MOST]);
        let lanes = out.as_chunks::<32>().0.len();
        let (made, blocks) = (&mut made[..lanes], &mut blocks[..lanes]);
        for (block, pair) in blocks.iter_mut().zip(pairs.as_chunks::<64>().0) {
            *block = load_words(pair);
        }
        for (side, what) in [Use::Mask, Use::SecondMask].into_iter().enumerate() {
            self.prf_words::<MOST>(addresses, what, made);
            for (block, mask) in blocks.iter_mut().zip(&*made) {
                let half = &mut block.as_chunks_mut::<8>().0[side];
                half.iter_mut().zip(mask).for_each(|(word, mask)| *word ^= mask);
            }
        }
        self.prf_words::<MOST>(addresses, Use::Key, made);
        self.after_keys::<MOST>(made);
        self.engine.compress(made, blocks);
        blocks.fill(PADDING);
        self.engine.compress(made, blocks);
        store(made, out);
    }

    /// Does [`XmssHash::chain`](super::functions::XmssHash::chain) for up to `MOST` chains.
    #[inline(never)]
    pub(super) fn chain<const MOST: usize>(
        &self,
        addresses: &Addresses<'_>,
        steps: &[u32],
        values: &mut [u8],
        traces: &mut [Trace<'_>],
    ) {
        let mut words = [[0; 8]; MOST];
        let words = &mut words[..values.as_chunks::<32>().0.len()];
        words.iter_mut().enumerate().for_each(|(lane, words)| *words = addresses(lane).0);
        self.engine.advance_masked_chains(&self.prf, words, steps, values, traces);
    }

    /// Derives the secret beginnings of chains with `PRF_keygen`.
    #[inline(never)]
    pub(super) fn beginnings(&self, addresses: &Addresses<'_>, out: &mut [u8]) {
        secret!(states: [[u32; 8]; LANES]);
        scratch!(blocks: [Block256; LANES]);
        let lanes = out.as_chunks::<32>().0.len();
        let (states, blocks) = (&mut states[..lanes], &mut blocks[..lanes]);
        for (lane, (block, state)) in blocks.iter_mut().zip(&mut *states).enumerate() {
            block[..8].copy_from_slice(&self.seed);
            block[8..].copy_from_slice(&addresses(lane).0);
            *state = self.keygen;
        }
        self.engine.compress(states, blocks);
        blocks.fill(PADDING);
        self.engine.compress(states, blocks);
        store(states, out);
    }
}

/// The one bit after a message, as a word.
const ONE: u32 = 1 << 31;

/// The last block of messages of 128 bytes.
const PADDING: Block256 = [ONE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8 * 128];

fn store(states: &[[u32; 8]], out: &mut [u8]) {
    out.as_chunks_mut::<32>()
        .0
        .iter_mut()
        .zip(states)
        .for_each(|(out, state)| store_words(state, out));
}

impl<const LANES: usize> Drop for WholeBlocks<LANES> {
    fn drop(&mut self) {
        wipe(&mut self.keygen);
    }
}
