//! States of SHA-256 between blocks, and SHA-256 of a whole message: FIPS 180-4, section 6.2.
use core::fmt;

use oaklath_simd::{Simd, dispatch, wipe};

use super::compress::{Sha256, compress_bytes};
use super::constants::IV256;
use super::start::{ChainStart, MOST, StartState};
use super::unit;

/// A state between blocks of 64 bytes, from which messages with a common beginning can start.
///
/// ```
/// use oaklath_hash::sha2::{Midstate, sha256};
///
/// let beginning = [7; 64];
/// let midstate = Midstate::new().absorb(&[beginning]);
/// let message = [&beginning[..], b"end"].concat();
/// assert_eq!(midstate.finish(b"end"), sha256(&message));
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Midstate {
    pub(super) state: [u32; 8],
    /// The number of bytes absorbed.
    pub(super) len: u64,
}

impl Midstate {
    /// Returns the initial value: FIPS 180-4, section 5.3.3.
    #[must_use]
    pub const fn new() -> Self {
        Self { state: IV256, len: 0 }
    }

    /// Returns the state as words.
    #[must_use]
    pub const fn words(&self) -> [u32; 8] {
        self.state
    }

    /// Absorbs whole blocks.
    #[must_use]
    pub fn absorb(mut self, blocks: &[[u8; 64]]) -> Self {
        dispatch!(s => compress_bytes256(s, &mut self.state, blocks));
        self.len += 64 * blocks.len() as u64;
        self
    }

    /// Absorbs a last piece of any length and returns the digest.
    #[must_use]
    pub fn finish(self, rest: &[u8]) -> [u8; 32] {
        dispatch!(s => self.finish_by(s, rest))
    }

    /// Does [`finish`](Self::finish) inside a kernel.
    #[inline(always)]
    pub fn finish_by<S: Simd>(mut self, s: S, message: &[u8]) -> [u8; 32] {
        let (blocks, rest) = message.as_chunks::<64>();
        compress_bytes256(s, &mut self.state, blocks);
        // Padding, FIPS 180-4, section 5.1.1: a one, zeros, the length in bits.
        let mut last = [[0; 64]; 2];
        last[0][..rest.len()].copy_from_slice(rest);
        last[0][rest.len()] = 0x80;
        let blocks = if rest.len() < 56 { 1 } else { 2 };
        let bits = 8 * (self.len + message.len() as u64);
        last[blocks - 1][56..].copy_from_slice(&bits.to_be_bytes());
        compress_bytes256(s, &mut self.state, &last[..blocks]);
        let mut digest = [0; 32];
        for (bytes, word) in digest.as_chunks_mut::<4>().0.iter_mut().zip(&self.state) {
            *bytes = word.to_be_bytes();
        }
        wipe(&mut last);
        wipe(&mut self.state);
        digest
    }
}

/// Does not print the state, which may come from a secret.
impl fmt::Debug for Midstate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Midstate").finish_non_exhaustive()
    }
}

impl Default for Midstate {
    fn default() -> Self {
        Self::new()
    }
}

/// States of as many chains as a call takes, word by word.
#[derive(Clone, Copy)]
pub struct LaneStates {
    words: [[u32; Self::LANES]; 8],
    /// The number of bytes that each has absorbed.
    len: u64,
}

impl LaneStates {
    /// The most chains of a call.
    pub const LANES: usize = MOST;

    /// Returns the state in every lane.
    #[must_use]
    pub fn splat(state: &Midstate) -> Self {
        Self { words: state.state.map(|word| [word; Self::LANES]), len: state.len }
    }

    /// Replaces the state of a lane.
    ///
    /// # Panics
    /// If there is no such lane, or if the state has absorbed more or fewer bytes than the others.
    #[inline]
    pub fn set(&mut self, lane: usize, state: &Midstate) {
        assert_eq!(self.len, state.len, "states after as many bytes");
        self.words.iter_mut().zip(state.state).for_each(|(words, word)| words[lane] = word);
    }
}

/// Does not print the states, which may come from secrets.
impl fmt::Debug for LaneStates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LaneStates").finish_non_exhaustive()
    }
}

impl<'a> From<&'a Midstate> for ChainStart<'a> {
    #[inline(always)]
    fn from(start: &'a Midstate) -> Self {
        Self { state: StartState::Shared(&start.state), len: start.len }
    }
}

impl<'a> From<&'a LaneStates> for ChainStart<'a> {
    #[inline(always)]
    fn from(starts: &'a LaneStates) -> Self {
        Self { state: StartState::OfLanes(starts.words.as_flattened()), len: starts.len }
    }
}

/// Compresses the blocks of one message with SHA-256, by the CPU's unit if it has one.
#[inline(always)]
pub(super) fn compress_bytes256<S: Simd>(s: S, state: &mut [u32; 8], blocks: &[[u8; 64]]) {
    match s.sha_unit() {
        Some(unit) => unit::compress_bytes(unit, state, blocks),
        None => compress_bytes::<Sha256, S, 64>(s, state, blocks),
    }
}

/// Computes SHA-256.
///
/// ```
/// assert_eq!(oaklath_hash::sha2::sha256(b"abc")[..4], [0xba, 0x78, 0x16, 0xbf]);
/// ```
#[must_use]
pub fn sha256(message: &[u8]) -> [u8; 32] {
    Midstate::new().finish(message)
}
