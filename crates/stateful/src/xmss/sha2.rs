//! SHA-256 as all functions of XMSS, in lanes.
use oaklath_hash::sha2::{Block256, Midstate, Sha256Lanes};
use oaklath_simd::{Simd, scratch, secret};
use oaklath_tree::wots::ChainJob;

use crate::xmss::Derivation;
use crate::xmss::address::{Address, Use};
use crate::xmss::family::{Family, Function, Seeds};

/// SHA-256, cut to `N` bytes.
pub(super) struct Sha2<'a, S: Simd, const N: usize> {
    engine: Sha256Lanes<S>,
    seeds: Seeds<'a, N>,
}

impl<'a, S: Simd, const N: usize> Sha2<'a, S, N> {
    pub(super) fn new(s: S, seeds: Seeds<'a, N>) -> Self {
        Self { engine: Sha256Lanes::new(s), seeds }
    }
}

/// The most lanes: as many as a unit for SHA-256 interleaves twice, and as AVX2 has. CPUs with AVX-512
/// at its level have the unit, and verification is to take little stack.
const GROUP: usize = 8;

/// Blocks of the longest message, 128 bytes, with its padding.
const MOST_BLOCKS: usize = 3;

/// Four times the lanes.
const JOBS: usize = 4 * GROUP;

impl<S: Simd, const N: usize> Family<N> for Sha2<'_, S, N> {
    type Jobs = [ChainJob; JOBS];
    const JOBS: Self::Jobs = [ChainJob::NONE; JOBS];
    type Values = [[u8; N]; JOBS + 1];
    const VALUES: Self::Values = [[0; N]; JOBS + 1];
    type Ends = [[u8; N]; 2 * GROUP];
    const ENDS: Self::Ends = [[0; N]; 2 * GROUP];

    fn seeds(&self) -> Seeds<'_, N> {
        self.seeds
    }
    fn lanes(&self) -> usize {
        self.engine.lanes().min(GROUP)
    }
    #[inline(never)]
    fn hash(&self, len: usize, fill: impl Fn(usize, &[u8; N], &mut [u8]), out: &mut [[u8; N]]) {
        // One block of each message at a time is in memory.
        secret!(blocks: [Block256; GROUP], states: [[u32; 8]; GROUP]);
        let (n, count) = (out.len(), (len + 9).div_ceil(64));
        states.fill(const { Midstate::new().words() });
        for number in 0..count {
            for (lane, block) in blocks[..n].iter_mut().enumerate() {
                secret!(message: [u8; 64 * MOST_BLOCKS]);
                message.fill(0);
                fill(lane, &out[lane], &mut message[..len]);
                // FIPS 180-4, section 5.1.1: a one, zeros, the length in bits.
                message[len] = 0x80;
                let bytes = &message.as_chunks::<64>().0[number];
                for (word, bytes) in block.iter_mut().zip(bytes.as_chunks::<4>().0) {
                    *word = u32::from_be_bytes(*bytes);
                }
                if number + 1 == count {
                    block[15] = 8 * len as u32;
                }
            }
            self.engine.compress(&mut states[..n], &blocks[..n]);
        }
        out.iter_mut().zip(&*states).for_each(|(out, state)| store(state, out));
    }
}

/// SHA-256 of 32 bytes: keys and prefixes are whole blocks, so that functions go on from states, and
/// values are words.
pub(super) struct WholeBlocks<'a, S: Simd> {
    all: Sha2<'a, S, 32>,
    /// After the prefix of PRF and SEED, and after that of `PRF_keygen` and the secret seed.
    prf: [u32; 8],
    keygen: [u32; 8],
}

impl<'a, S: Simd> WholeBlocks<'a, S> {
    pub(super) fn new(s: S, seeds: Seeds<'a, 32>) -> Self {
        let after = |function: Function, key: &[u8; 32]| {
            secret!(block: [[u8; 64]; 1]);
            block[0].fill(0);
            block[0][31] = function as u8;
            block[0][32..].copy_from_slice(key);
            Midstate::new().absorb(block).words()
        };
        let prf = after(Function::Prf, seeds.public);
        let keygen = after(Function::Keygen, seeds.secret);
        Self { all: Sha2::new(s, seeds), prf, keygen }
    }

    /// PRF(SEED, ADRS) as words, in up to `LANES` lanes, for which there is memory. This and what follows
    /// are out of line: the stack has the arrays of one of them at a time.
    #[inline(never)]
    fn prf_words<const LANES: usize>(
        &self,
        addresses: &[Address],
        what: Use,
        out: &mut [[u32; 8]],
    ) {
        scratch!(blocks: [Block256; LANES]);
        for ((block, address), out) in blocks.iter_mut().zip(addresses).zip(&mut *out) {
            block[..8].copy_from_slice(&address.for_use(what).0);
            block[8..].copy_from_slice(&[ONE, 0, 0, 0, 0, 0, 0, 8 * 96]);
            *out = self.prf;
        }
        self.all.engine.compress(out, &blocks[..addresses.len()]);
    }

    /// Makes keys the states after the first blocks of H, which are its number and they.
    #[inline(never)]
    fn after_keys<const LANES: usize>(&self, keys: &mut [[u32; 8]]) {
        scratch!(blocks: [Block256; LANES]);
        for (block, key) in blocks.iter_mut().zip(&mut *keys) {
            block[..8].copy_from_slice(&[0, 0, 0, 0, 0, 0, 0, Function::H as u32]);
            block[8..].copy_from_slice(key);
            *key = const { Midstate::new().words() };
        }
        self.all.engine.compress(keys, &blocks[..keys.len()]);
    }

    #[inline(never)]
    fn rand_hash_in<const LANES: usize>(
        &self,
        addresses: &[Address],
        pairs: &[[[u8; 32]; 2]],
        out: &mut [[u8; 32]],
    ) {
        let n = out.len();
        scratch!(made: [[u32; 8]; LANES], blocks: [Block256; LANES]);
        let made = &mut made[..n];
        for (side, what) in [Use::Mask, Use::SecondMask].into_iter().enumerate() {
            self.prf_words::<LANES>(addresses, what, made);
            for ((block, pair), mask) in blocks.iter_mut().zip(pairs).zip(&*made) {
                let half = &mut block.as_chunks_mut::<8>().0[side];
                *half = load(&pair[side]);
                half.iter_mut().zip(mask).for_each(|(word, mask)| *word ^= mask);
            }
        }
        self.prf_words::<LANES>(addresses, Use::Key, made);
        self.after_keys::<LANES>(made);
        self.all.engine.compress(made, &blocks[..n]);
        let mut padding = [0; 16];
        (padding[0], padding[15]) = (ONE, 8 * 128);
        blocks.fill(padding);
        self.all.engine.compress(made, &blocks[..n]);
        out.iter_mut().zip(&*made).for_each(|(out, state)| store(state, out));
    }
}

/// The one after a message.
const ONE: u32 = 1 << 31;

fn store<const N: usize>(words: &[u32; 8], bytes: &mut [u8; N]) {
    for (bytes, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(words) {
        *bytes = word.to_be_bytes();
    }
}

#[inline(always)]
fn load(bytes: &[u8; 32]) -> [u32; 8] {
    let mut words = [0; 8];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<4>().0) {
        *word = u32::from_be_bytes(*bytes);
    }
    words
}

impl<S: Simd> Family<32> for WholeBlocks<'_, S> {
    type Jobs = [ChainJob; JOBS];
    const JOBS: Self::Jobs = [ChainJob::NONE; JOBS];
    type Values = [[u8; 32]; JOBS + 1];
    const VALUES: Self::Values = [[0; 32]; JOBS + 1];
    type Ends = [[u8; 32]; 2 * GROUP];
    const ENDS: Self::Ends = [[0; 32]; 2 * GROUP];

    fn seeds(&self) -> Seeds<'_, 32> {
        self.all.seeds
    }
    fn lanes(&self) -> usize {
        self.all.lanes()
    }
    #[inline(never)]
    fn hash(&self, len: usize, fill: impl Fn(usize, &[u8; 32], &mut [u8]), out: &mut [[u8; 32]]) {
        self.all.hash(len, fill, out);
    }
    fn rand_hash(&self, addresses: &[Address], pairs: &mut [[[u8; 32]; 2]], out: &mut [[u8; 32]]) {
        match out.len() {
            1 => self.rand_hash_in::<1>(addresses, pairs, out),
            _ => self.rand_hash_in::<GROUP>(addresses, pairs, out),
        }
    }
    fn chain(&self, addresses: &[Address], steps: u32, values: &mut [[u8; 32]]) {
        let mut words = [[0; 8]; GROUP];
        words.iter_mut().zip(addresses).for_each(|(words, address)| *words = address.0);
        let words = &words[..addresses.len()];
        let values = values.as_flattened_mut();
        self.all.engine.advance_masked_chains(&self.prf, words, steps, values, &mut []);
    }
    fn secrets(&self, addresses: &[Address], out: &mut [[u8; 32]]) {
        if self.all.seeds.derivation != Derivation::Keygen {
            return self.all.secrets(addresses, out);
        }
        let n = out.len();
        secret!(states: [[u32; 8]; GROUP]);
        scratch!(blocks: [Block256; GROUP]);
        let seed = load(self.all.seeds.public);
        for ((block, address), state) in blocks.iter_mut().zip(addresses).zip(&mut *states) {
            block[..8].copy_from_slice(&seed);
            block[8..].copy_from_slice(&address.0);
            *state = self.keygen;
        }
        self.all.engine.compress(&mut states[..n], &blocks[..n]);
        let mut padding = [0; 16];
        (padding[0], padding[15]) = (ONE, 8 * 128);
        blocks.fill(padding);
        self.all.engine.compress(&mut states[..n], &blocks[..n]);
        out.iter_mut().zip(&*states).for_each(|(out, state)| store(state, out));
    }
}

impl<S: Simd> Drop for WholeBlocks<'_, S> {
    fn drop(&mut self) {
        oaklath_simd::wipe(&mut self.keygen);
    }
}
