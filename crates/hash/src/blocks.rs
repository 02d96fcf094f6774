//! Messages as padded blocks of 136 bytes, as Keccak lanes absorb them.
//!
//! ```
//! use oaklath_hash::blocks::Ends;
//! use oaklath_hash::sha3::sha3_256;
//! use oaklath_simd::dispatch;
//!
//! let message = [7; 300];
//! let mut ends = Ends::empty();
//! let blocks = ends.sha3(&message);
//! assert_eq!(blocks.count(), 3);
//! // Nothing was absorbed elsewhere, so start from block 0.
//! let mut digest = [0; 32];
//! dispatch!(s => blocks.absorb(s, &mut [0; 25], 0, &mut digest));
//! assert_eq!(digest, sha3_256(&message));
//! ```
use core::fmt;

use oaklath_simd::{Simd, each, wipe};

use crate::keccak::{RATE_256, SUFFIX_SHA3, SUFFIX_SHAKE, permute};

/// A message `prefix || body` as padded blocks of 136 bytes.
#[derive(Clone, Copy)]
pub struct Blocks<'a> {
    body: &'a [u8],
    ends: &'a Ends,
}

/// The blocks of a message that are not only bytes of its body: the last one, and if there is a
/// prefix, the first. Erased when dropped.
pub struct Ends {
    first: [u8; RATE_256],
    last: [u8; RATE_256],
    /// The length of the prefix in bytes.
    prefix: usize,
    blocks: usize,
}

/// The ends of [`Blocks::whole`], which are never used.
static NO_ENDS: Ends =
    Ends { first: [0; RATE_256], last: [0; RATE_256], prefix: 0, blocks: usize::MAX };

impl Ends {
    /// Returns ends to be filled in place: moving filled ones would leave a copy of a secret.
    #[inline(always)]
    #[must_use]
    pub fn empty() -> Self {
        Self { first: [0; RATE_256], last: [0; RATE_256], prefix: 0, blocks: 0 }
    }

    /// Returns the blocks of SHA3-256 of `body`.
    #[inline(always)]
    pub fn sha3<'a>(&'a mut self, body: &'a [u8]) -> Blocks<'a> {
        self.fill(&[], body, SUFFIX_SHA3)
    }

    /// Returns the blocks of SHA3-256 of `prefix || body`.
    ///
    /// # Panics
    /// If there is a prefix, and it is longer than a block or does not fill one with the body.
    #[inline(always)]
    pub fn sha3_after<'a>(&'a mut self, prefix: &[u8], body: &'a [u8]) -> Blocks<'a> {
        self.fill(prefix, body, SUFFIX_SHA3)
    }

    /// Returns the blocks of SHAKE256 of `prefix || body`.
    ///
    /// # Panics
    /// If there is a prefix, and it is longer than a block or does not fill one with the body.
    #[inline(always)]
    pub fn shake<'a>(&'a mut self, prefix: &[u8], body: &'a [u8]) -> Blocks<'a> {
        self.fill(prefix, body, SUFFIX_SHAKE)
    }

    #[inline(always)]
    #[cfg_attr(
        not(test),
        expect(
            clippy::integer_division_remainder_used,
            reason = "lengths are public, 136 constant"
        )
    )]
    fn fill<'a>(&'a mut self, prefix: &[u8], body: &'a [u8], suffix: u8) -> Blocks<'a> {
        let len = prefix.len() + body.len();
        if !prefix.is_empty() {
            self.first[..prefix.len()].copy_from_slice(prefix);
            self.first[prefix.len()..].copy_from_slice(&body[..RATE_256 - prefix.len()]);
        }
        let rest = len % RATE_256;
        self.last[..rest].copy_from_slice(&body[body.len() - rest..]);
        self.last[rest] = suffix;
        self.last[rest + 1..].fill(0);
        self.last[RATE_256 - 1] |= 0x80;
        (self.prefix, self.blocks) = (prefix.len(), len / RATE_256 + 1);
        Blocks { body, ends: self }
    }
}

impl Drop for Ends {
    #[inline(always)]
    fn drop(&mut self) {
        wipe(&mut self.first);
        wipe(&mut self.last);
    }
}

impl<'a> Blocks<'a> {
    /// Returns the whole blocks of a body, without padding.
    #[inline(always)]
    #[must_use]
    pub fn whole(body: &'a [u8]) -> Self {
        Self { body, ends: &NO_ENDS }
    }

    /// Returns the number of blocks, or `usize::MAX` for [`whole`](Self::whole) ones.
    #[must_use]
    pub fn count(&self) -> usize {
        self.ends.blocks
    }

    /// Returns block `i`.
    ///
    /// # Panics
    /// If the body has no such block.
    #[inline(always)]
    #[must_use]
    pub fn block(&self, i: usize) -> &'a [u8; RATE_256] {
        let ends = self.ends;
        if i + 1 == ends.blocks {
            &ends.last
        } else if i == 0 && ends.prefix > 0 {
            &ends.first
        } else {
            self.body[RATE_256 * i - ends.prefix..].first_chunk().expect("a whole block")
        }
    }

    /// Absorbs the blocks from `from` on into a state with single permutations, squeezes `out`,
    /// whose length is a multiple of 8 and at most 136, and erases the state.
    #[inline(always)]
    pub fn absorb<S: Simd>(&self, s: S, state: &mut [u64; 25], from: usize, out: &mut [u8]) {
        each!(i in from..self.ends.blocks => {
            absorb_block(state, self.block(i));
            permute(s, state);
        });
        write_words(state, out);
        wipe(state);
    }
}

/// XORs a block into a state.
#[inline(always)]
pub fn absorb_block(state: &mut [u64; 25], block: &[u8; RATE_256]) {
    for (word, bytes) in state.iter_mut().zip(block.as_chunks::<8>().0) {
        *word ^= u64::from_le_bytes(*bytes);
    }
}

/// Writes words as bytes to `out`, whose length is a multiple of 8 and at most that of the words.
#[inline(always)]
pub fn write_words(words: &[u64], out: &mut [u8]) {
    for (bytes, word) in out.as_chunks_mut::<8>().0.iter_mut().zip(words) {
        *bytes = word.to_le_bytes();
    }
}

/// Does not print the message, which may be secret.
impl fmt::Debug for Ends {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ends").finish_non_exhaustive()
    }
}

/// Does not print the message, which may be secret.
impl fmt::Debug for Blocks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Blocks").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use oaklath_simd::dispatch;

    use super::*;
    use crate::sha3::sha3_256;

    #[test]
    fn ends_can_be_filled_again_with_a_shorter_message() {
        let (message, mut ends) = ([7; 300], Ends::empty());
        for len in [300, 135, 134, 20, 0] {
            let mut digest = [0; 32];
            let blocks = ends.sha3(&message[..len]);
            dispatch!(s => blocks.absorb(s, &mut [0; 25], 0, &mut digest));
            assert_eq!(digest, sha3_256(&message[..len]), "{len}");
        }
    }
}
