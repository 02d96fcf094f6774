//! SHA-256 of several long messages of one length side by side, which come piece by piece.
use core::fmt;

use oaklath_simd::{Simd, scratch};

use super::lanes::{Block256, Sha256Lanes};

/// The most messages: as many as a unit for SHA-256 interleaves twice, and as AVX2 has lanes.
pub const MOST: usize = 8;

/// SHA-256 of up to [`MOST`] messages of one length, for public data: nothing is erased.
///
/// ```
/// use oaklath_hash::sha2::{Fold256, Midstate, Sha256Lanes, sha256};
/// use oaklath_simd::dispatch;
///
/// let digests = dispatch!(s => {
///     let mut fold = Fold256::new(Sha256Lanes::new(s), 2);
///     fold.absorb(&[b"one ", b"two "]);
///     fold.absorb(&[&[7; 100][..]; 2]);
///     let mut digests = [[0; 32]; 2];
///     fold.finish(&mut digests);
///     digests
/// });
/// assert_eq!(digests[1], sha256(&[&b"two "[..], &[7; 100]].concat()));
/// ```
pub struct Fold256<S: Simd> {
    engine: Sha256Lanes<S>,
    states: [[u32; 8]; MOST],
    buffers: [[u8; 64]; MOST],
    lanes: usize,
    /// Bytes of each message so far.
    len: usize,
}

impl<S: Simd> Fold256<S> {
    /// Messages for `lanes` lanes, empty yet.
    ///
    /// # Panics
    /// If there are more than [`MOST`].
    #[must_use]
    pub fn new(engine: Sha256Lanes<S>, lanes: usize) -> Self {
        assert!(lanes <= MOST, "at most {MOST} lanes");
        let states = [super::Midstate::new().words(); MOST];
        Self { engine, states, buffers: [[0; 64]; MOST], lanes, len: 0 }
    }

    /// Appends a piece to each message, all of one length.
    ///
    /// # Panics
    /// If there is not one piece for each lane.
    pub fn absorb(&mut self, pieces: &[impl AsRef<[u8]>]) {
        assert_eq!(pieces.len(), self.lanes, "a piece for each lane");
        let len = pieces.first().map_or(0, |piece| piece.as_ref().len());
        let mut from = 0;
        while from < len {
            let at = self.len & 63;
            let n = (len - from).min(64 - at);
            for (buffer, piece) in self.buffers.iter_mut().zip(pieces) {
                buffer[at..at + n].copy_from_slice(&piece.as_ref()[from..from + n]);
            }
            from += n;
            self.len += n;
            if at + n == 64 {
                self.compress();
            }
        }
    }

    fn compress(&mut self) {
        scratch!(blocks: [Block256; MOST]);
        let n = self.lanes;
        for (block, bytes) in blocks[..n].iter_mut().zip(&self.buffers) {
            for (word, bytes) in block.iter_mut().zip(bytes.as_chunks::<4>().0) {
                *word = u32::from_be_bytes(*bytes);
            }
        }
        self.engine.compress(&mut self.states[..n], &blocks[..n]);
    }

    /// The first `N` bytes, at most 32, of the digest of each message.
    ///
    /// # Panics
    /// If there is not one output for each lane.
    pub fn finish<const N: usize>(mut self, out: &mut [[u8; N]]) {
        assert_eq!(out.len(), self.lanes, "an output for each lane");
        // FIPS 180-4, section 5.1.1: a one, zeros, the length in bits.
        let (at, bits) = (self.len & 63, 8 * self.len as u64);
        let n = self.lanes;
        self.buffers[..n].iter_mut().for_each(|buffer| {
            buffer[at] = 0x80;
            buffer[at + 1..].fill(0);
        });
        if at >= 56 {
            self.compress();
            self.buffers[..n].iter_mut().for_each(|buffer| buffer.fill(0));
        }
        let length = bits.to_be_bytes();
        self.buffers[..n].iter_mut().for_each(|buffer| buffer[56..].copy_from_slice(&length));
        self.compress();
        for (out, state) in out.iter_mut().zip(&self.states) {
            for (bytes, word) in out.as_chunks_mut::<4>().0.iter_mut().zip(state) {
                *bytes = word.to_be_bytes();
            }
        }
    }
}

impl<S: Simd> fmt::Debug for Fold256<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fold256").field("lanes", &self.lanes).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sha2::sha256;
    use oaklath_simd::{Level, dispatch};
    use std::vec::Vec;

    #[test]
    fn every_length_in_every_number_of_lanes() {
        fn check<S: Simd>(s: S, lanes: usize, len: usize) {
            let messages: Vec<Vec<u8>> = (0..lanes)
                .map(|lane| (0..len).map(|i| (lane * 37 + i * 5) as u8).collect())
                .collect();
            let mut fold = Fold256::new(Sha256Lanes::new(s), lanes);
            for from in (0..len).step_by(23) {
                let to = len.min(from + 23);
                let pieces: Vec<&[u8]> = messages.iter().map(|m| &m[from..to]).collect();
                fold.absorb(&pieces);
            }
            let mut digests = std::vec![[0; 24]; lanes];
            fold.finish(&mut digests);
            for (digest, message) in digests.iter().zip(&messages) {
                assert_eq!(*digest, sha256(message)[..24], "{s:?} {len} bytes in {lanes} lanes");
            }
        }
        for level in Level::available() {
            for lanes in 0..=MOST {
                for len in 0..140 {
                    dispatch!(level, s => check(s, lanes, len));
                }
            }
        }
    }
}
