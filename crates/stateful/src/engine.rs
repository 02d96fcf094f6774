//! Hash functions in lanes as trait objects: their kernels are compiled once for each SIMD level,
//! and everything above them only once.
use alloc::boxed::Box;

use oaklath_hash::Trace;
#[cfg(feature = "lms")]
use oaklath_hash::ValueSpan;
use oaklath_hash::sha2::{Block256, Sha256Lanes};
#[cfg(feature = "lms")]
use oaklath_hash::sha2::{Compress, Head, Midstate};
use oaklath_hash::shake_lanes::{self, Block};
use oaklath_simd::{Simd, dispatch};
use oaklath_tree::copy_node;

/// SHA-256 in lanes.
pub(crate) trait Sha256Engine: Send + Sync {
    /// Returns the number of lanes that a call should fill: 1, 4, 8 or 16.
    fn lanes(&self) -> usize;
    /// Compresses a block into each state. There may be any number of states.
    fn compress(&self, states: &mut [[u32; 8]], blocks: &[Block256]);
    /// Does [`Sha256Lanes::advance_chains`], with no blocks before the heads.
    #[cfg(feature = "lms")]
    fn advance_chains(
        &self,
        heads: (ValueSpan, &[Head]),
        steps: &[u32],
        values: &mut [u8],
        traces: &mut [Trace<'_>],
    );
    /// Does [`Sha256Lanes::advance_masked_chains`].
    #[cfg(feature = "xmss")]
    fn advance_masked_chains(
        &self,
        prf: &[u32; 8],
        addresses: &[[u32; 8]],
        steps: &[u32],
        values: &mut [u8],
        traces: &mut [Trace<'_>],
    );
}

/// The token of a SIMD level. Neither the token nor a box of it takes memory.
struct Level<S>(S);

/// Returns SHA-256 at the current SIMD level.
pub(crate) fn sha256() -> Box<dyn Sha256Engine> {
    dispatch!(s => Box::new(Level(s)) as Box<dyn Sha256Engine>)
}

impl<S: Simd> Sha256Engine for Level<S> {
    fn lanes(&self) -> usize {
        Sha256Lanes::new(self.0).lanes()
    }
    fn compress(&self, states: &mut [[u32; 8]], blocks: &[Block256]) {
        Sha256Lanes::new(self.0).compress(states, blocks);
    }
    #[cfg(feature = "lms")]
    fn advance_chains(
        &self,
        heads: (ValueSpan, &[Head]),
        steps: &[u32],
        values: &mut [u8],
        traces: &mut [Trace<'_>],
    ) {
        let start = const { &Midstate::new() };
        Sha256Lanes::new(self.0).advance_chains(start.into(), heads, steps, values, traces);
    }
    #[cfg(feature = "xmss")]
    fn advance_masked_chains(
        &self,
        prf: &[u32; 8],
        addresses: &[[u32; 8]],
        steps: &[u32],
        values: &mut [u8],
        traces: &mut [Trace<'_>],
    ) {
        Sha256Lanes::new(self.0).advance_masked_chains(prf, addresses, steps, values, traces);
    }
}

#[cfg(feature = "lms")]
impl Compress for &dyn Sha256Engine {
    type Word = u32;
    type Bytes = [u8; 64];
    const ZEROS: Self::Bytes = [0; 64];
    const LENGTH: usize = 8;

    fn compress(&self, states: &mut [[u32; 8]], blocks: &[Block256]) {
        Sha256Engine::compress(*self, states, blocks);
    }
    fn store(state: &[u32; 8], out: &mut [u8]) {
        store_words(state, out);
    }
}

/// Stores the hashes of a step as the values of the lanes that still take this step, and copies
/// them to the traces.
pub(crate) fn take_step(
    (n, step): (usize, u32),
    steps: &[u32],
    hashes: &[u8],
    values: &mut [u8],
    traces: &mut [Trace<'_>],
) {
    let nodes = values.chunks_exact_mut(n).zip(hashes.chunks_exact(n));
    for ((value, hash), _) in nodes.zip(steps).filter(|(_, steps)| step < **steps) {
        copy_node(value, hash);
    }
    for (lane, trace) in traces.iter_mut().filter(|(lane, _)| step < steps[*lane]) {
        copy_node(&mut trace[step as usize * n..][..n], &values[*lane * n..][..n]);
    }
}

/// Loads big-endian words; those for which there are no bytes are zero.
#[inline(always)]
pub(crate) fn load_words<const WORDS: usize>(bytes: &[u8]) -> [u32; WORDS] {
    let mut words = [0; WORDS];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<4>().0) {
        *word = u32::from_be_bytes(*bytes);
    }
    words
}

/// Writes words as big-endian bytes, as many as fit into `out`.
#[inline(always)]
pub(crate) fn store_words(words: &[u32; 8], out: &mut [u8]) {
    for (bytes, word) in out.as_chunks_mut::<4>().0.iter_mut().zip(words) {
        *bytes = word.to_be_bytes();
    }
}

/// SHAKE256 in lanes.
pub(crate) trait ShakeEngine: Send + Sync {
    /// Returns the number of lanes that a call should fill: 4 or 8.
    fn lanes(&self) -> usize;
    /// Writes hashes of `n` bytes each of at most eight padded blocks.
    fn hash_blocks(&self, blocks: &[Block], n: usize, out: &mut [u8]);
    /// Writes hashes of `n` bytes each of long messages.
    #[cfg(feature = "lms")]
    fn hash_long(&self, messages: &mut LongMessages<'_>, n: usize, out: &mut [u8]);
}

/// Passes messages to a function word by word, a word of each lane at a time, and writes the last
/// words, which end with the first byte of the padding.
#[cfg(feature = "lms")]
pub(crate) type LongMessages<'a> = dyn FnMut(&mut dyn FnMut(&[u64]), &mut [u64]) + 'a;

/// Returns SHAKE256 at the current SIMD level.
pub(crate) fn shake256() -> Box<dyn ShakeEngine> {
    dispatch!(s => Box::new(Level(s)) as Box<dyn ShakeEngine>)
}

impl<S: Simd> ShakeEngine for Level<S> {
    fn lanes(&self) -> usize {
        shake_lanes::lanes(self.0)
    }
    fn hash_blocks(&self, blocks: &[Block], n: usize, out: &mut [u8]) {
        shake_lanes::hash_blocks(self.0, blocks, n, out);
    }
    #[cfg(feature = "lms")]
    fn hash_long(&self, messages: &mut LongMessages<'_>, n: usize, out: &mut [u8]) {
        // The verification of one signature fills at most two lanes, and must use little stack.
        match out.chunks_exact(n).len() {
            0..=2 => hash_long::<S, 2>(self.0, messages, n, out),
            _ => hash_long::<S, { shake_lanes::MOST }>(self.0, messages, n, out),
        }
    }
}

#[cfg(feature = "lms")]
#[inline(never)]
fn hash_long<S: Simd, const LANES: usize>(
    s: S,
    messages: &mut LongMessages<'_>,
    n: usize,
    out: &mut [u8],
) {
    let mut thash = shake_lanes::ShakeThash::<S, LANES>::new(s, out.chunks_exact(n).len());
    let (mut row, mut ends) = ([[0; 8]; LANES], [0; LANES]);
    let mut absorb = |words: &[u64]| {
        row.iter_mut().zip(words).for_each(|(bytes, word)| *bytes = word.to_le_bytes());
        thash.absorb_pieces(8, row[..words.len()].as_flattened());
    };
    messages(&mut absorb, &mut ends);
    thash.finish_digests(&ends, n, out);
}
