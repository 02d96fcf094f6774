//! SHA-256 and SHA-512 of several long messages of the same length in parallel, which are absorbed
//! piece by piece.
use core::fmt;

use oaklath_simd::{Plain, Simd, array, copy_node, pieces_mut, scratch};

use super::engines::{Sha256Lanes, Sha512Lanes};
use super::message::{Block256, Block512};

/// A word of SHA-256 or of SHA-512.
pub trait Sha2Word: Plain + Copy {
    /// A block from its bytes, given eight to a big-endian word: eight words for SHA-256, sixteen
    /// for SHA-512.
    fn block(word: impl Fn(usize) -> u64) -> [Self; 16];
}

impl Sha2Word for u32 {
    #[inline(always)]
    fn block(word: impl Fn(usize) -> u64) -> [Self; 16] {
        array!([0; 16]: i => (word(i >> 1) >> (32 * (!i & 1))) as Self)
    }
}

impl Sha2Word for u64 {
    #[inline(always)]
    fn block(word: impl Fn(usize) -> Self) -> [Self; 16] {
        array!([0; 16]: i => word(i))
    }
}

/// A compression function in lanes: [`Sha256Lanes`] or [`Sha512Lanes`].
pub trait Compress: Copy {
    /// A word of the state.
    type Word: Sha2Word;
    /// The bytes of a block.
    type Bytes: Copy + AsRef<[u8]> + AsMut<[u8]>;
    /// A block of zeros.
    const ZEROS: Self::Bytes;
    /// The number of bytes of the length in the padding: FIPS 180-4, section 5.1.
    const LENGTH: usize;

    /// Compresses a block into each state.
    ///
    /// # Panics
    /// If `states` and `blocks` differ in length.
    fn compress(&self, states: &mut [[Self::Word; 8]], blocks: &[[Self::Word; 16]]);
    /// Writes the first bytes of a state, as many as `out` has room for.
    fn store(state: &[Self::Word; 8], out: &mut [u8]);
}

macro_rules! compress {
    ($($engine:ident $block:ident $word:ident $bytes:literal $length:literal;)*) => { $(
        impl<S: Simd> Compress for $engine<S> {
            type Word = $word;
            type Bytes = [u8; $bytes];
            const ZEROS: Self::Bytes = [0; $bytes];
            const LENGTH: usize = $length;

            fn compress(&self, states: &mut [[$word; 8]], blocks: &[$block]) {
                self.compress(states, blocks);
            }
            #[inline(always)]
            fn store(state: &[$word; 8], out: &mut [u8]) {
                let all = out.as_chunks_mut::<{ size_of::<$word>() }>().0;
                for (bytes, word) in all.iter_mut().zip(state) {
                    *bytes = word.to_be_bytes();
                }
            }
        }
    )* };
}
compress! {
    Sha256Lanes Block256 u32  64  8;
    Sha512Lanes Block512 u64 128 16;
}

/// Hashers of up to `MOST` messages of the same length, for public data: nothing is erased.
///
/// ```
/// use oaklath_hash::sha2::{Sha2Thash, Midstate, Sha256Lanes, sha256};
/// use oaklath_simd::dispatch;
///
/// let digests = dispatch!(s => {
///     let states = [Midstate::new().words(); 2];
///     let mut thash = Sha2Thash::new(Sha256Lanes::new(s), states, 0, 2);
///     thash.absorb_pieces(4, b"one two ");
///     thash.absorb_pieces(100, &[7; 200]);
///     let mut digests = [0; 64];
///     thash.finish_digests(32, &mut digests);
///     digests
/// });
/// assert_eq!(digests[32..], sha256(&[&b"two "[..], &[7; 100]].concat()));
/// ```
pub struct Sha2Thash<E: Compress, const MOST: usize> {
    engine: E,
    states: [[E::Word; 8]; MOST],
    buffers: [E::Bytes; MOST],
    lanes: usize,
    /// The number of bytes in each buffer.
    at: usize,
    /// The number of bytes of each message so far.
    len: u64,
}

impl<E: Compress, const MOST: usize> Sha2Thash<E, MOST> {
    /// Starts messages in the first `lanes` lanes. `states` are those after the first `len` bytes
    /// of each message, which are whole blocks; those of other lanes are not used.
    ///
    /// # Panics
    /// If there are more than `MOST` lanes.
    #[must_use]
    pub fn new(engine: E, states: [[E::Word; 8]; MOST], len: u64, lanes: usize) -> Self {
        assert!(lanes <= MOST, "at most {MOST} lanes");
        Self { engine, states, buffers: [E::ZEROS; MOST], lanes, at: 0, len }
    }

    /// Appends a piece of `n` bytes to each message. `pieces` has one after the other.
    ///
    /// # Panics
    /// If the length of `pieces` is not `n` bytes for each lane.
    pub fn absorb_pieces(&mut self, n: usize, pieces: &[u8]) {
        assert_eq!(pieces.len(), n * self.lanes, "a piece for each lane");
        self.len += n as u64;
        let mut from = 0;
        while from < n {
            let (at, count) = (self.at, (n - from).min(size_of::<E::Bytes>() - self.at));
            for (buffer, piece) in self.buffers.iter_mut().zip(oaklath_simd::pieces(pieces, n)) {
                copy_node(&mut buffer.as_mut()[at..], &piece[from..from + count]);
            }
            from += count;
            self.at += count;
            if self.at == size_of::<E::Bytes>() {
                self.compress();
            }
        }
    }

    fn compress(&mut self) {
        scratch!(blocks: [[E::Word; 16]; MOST]);
        let blocks = &mut blocks[..self.lanes];
        for (block, bytes) in blocks.iter_mut().zip(&self.buffers) {
            let words = bytes.as_ref().as_chunks().0;
            *block = E::Word::block(|i| u64::from_be_bytes(words[i]));
        }
        self.engine.compress(&mut self.states[..self.lanes], blocks);
        self.at = 0;
    }

    /// Sets the buffers to zero from byte `from` on.
    fn clear(&mut self, from: usize) {
        self.buffers.iter_mut().for_each(|buffer| buffer.as_mut()[from..].fill(0));
    }

    /// Writes the first `n` bytes of the digest of each message, one after the other. The hasher
    /// must not be used afterwards.
    ///
    /// # Panics
    /// If the length of `out` is not `n` bytes for each lane.
    pub fn finish_digests(&mut self, n: usize, out: &mut [u8]) {
        assert_eq!(out.len(), n * self.lanes, "an output for each lane");
        // Padding, FIPS 180-4, section 5.1: a one, zeros, the length in bits.
        let (at, length) = (self.at, size_of::<E::Bytes>() - 8);
        self.clear(at);
        self.buffers.iter_mut().for_each(|buffer| buffer.as_mut()[at] = 0x80);
        if at >= size_of::<E::Bytes>() - E::LENGTH {
            self.compress();
            self.clear(0);
        }
        let bits = (8 * self.len).to_be_bytes();
        self.buffers.iter_mut().for_each(|buffer| buffer.as_mut()[length..].copy_from_slice(&bits));
        self.compress();
        for (out, state) in pieces_mut(out, n).zip(&self.states) {
            E::store(state, out);
        }
    }
}

impl<E: Compress, const MOST: usize> fmt::Debug for Sha2Thash<E, MOST> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sha2Thash").field("lanes", &self.lanes).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sha2::constants::IV512;
    use crate::sha2::midstate::{Midstate, sha256};
    use crate::sha2::stream::sha512;
    use oaklath_simd::{Level, dispatch};
    use std::vec::Vec;

    const MOST: usize = 8;

    fn digests<E: Compress>(
        engine: E,
        start: &[E::Word; 8],
        before: u64,
        messages: &[Vec<u8>],
    ) -> Vec<[u8; 24]> {
        let (lanes, len) = (messages.len(), messages.first().map_or(0, Vec::len));
        let mut thash = Sha2Thash::new(engine, [*start; MOST], before, lanes);
        for from in (0..len).step_by(23) {
            let to = len.min(from + 23);
            let pieces: Vec<&[u8]> = messages.iter().map(|m| &m[from..to]).collect();
            thash.absorb_pieces(to - from, &pieces.concat());
        }
        let mut digests = std::vec![[0; 24]; lanes];
        thash.finish_digests(24, digests.as_flattened_mut());
        digests
    }

    #[test]
    fn every_length_in_every_number_of_lanes() {
        fn check<S: Simd>(s: S, lanes: usize, len: usize) {
            let messages: Vec<Vec<u8>> = (0..lanes)
                .map(|lane| (0..len).map(|i| (lane * 37 + i * 5) as u8).collect())
                .collect();
            let begin = [7; 64];
            let start = Midstate::new().absorb(&[begin]).words();
            let small = digests(Sha256Lanes::new(s), &start, 64, &messages);
            let large = digests(Sha512Lanes::new(s), &IV512, 0, &messages);
            for ((small, large), message) in small.iter().zip(&large).zip(&messages) {
                let whole = [&begin[..], message].concat();
                assert_eq!(*small, sha256(&whole)[..24], "{s:?} {len} bytes in {lanes} lanes");
                assert_eq!(*large, sha512(message)[..24], "{s:?} {len} bytes in {lanes} lanes");
            }
        }
        for level in Level::available() {
            for lanes in 0..=MOST {
                for len in 0..260 {
                    dispatch!(level, s => check(s, lanes, len));
                }
            }
        }
    }
}
