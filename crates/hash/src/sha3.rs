//! SHA-3 and SHAKE (FIPS 202) of byte strings.
use core::fmt;

use oaklath_simd::{dispatch, wipe};

use crate::keccak::{RATE_256, RATE_SHAKE128, SUFFIX_SHA3, SUFFIX_SHAKE, permute, words};

/// Computes SHA3-256.
///
/// ```
/// let digest = oaklath_hash::sha3::sha3_256(b"");
/// assert_eq!(digest[..4], [0xa7, 0xff, 0xc6, 0xf8]);
/// ```
#[must_use]
pub fn sha3_256(message: &[u8]) -> [u8; 32] {
    let mut digest = [0; 32];
    sponge::<RATE_256, SUFFIX_SHA3>(&[message], &mut digest);
    digest
}

/// Computes the output for a message in parts. The state is never moved, so that no copy of a
/// secret is left behind.
///
/// ```
/// use oaklath_hash::keccak::{RATE_256, SUFFIX_SHA3};
/// use oaklath_hash::sha3::{sha3_256, sponge};
///
/// let mut digest = [0; 32];
/// sponge::<RATE_256, SUFFIX_SHA3>(&[b"two ", b"parts"], &mut digest);
/// assert_eq!(digest, sha3_256(b"two parts"));
/// ```
pub fn sponge<const RATE: usize, const SUFFIX: u8>(message: &[&[u8]], out: &mut [u8]) {
    let mut sponge = Sponge::<RATE>::new();
    message.iter().for_each(|part| sponge.absorb(part));
    sponge.finish(SUFFIX);
    sponge.read(out);
}

/// SHAKE128 while it absorbs.
pub type Shake128 = Absorb<RATE_SHAKE128, SUFFIX_SHAKE>;
/// SHAKE256 while it absorbs.
pub type Shake256 = Absorb<RATE_256, SUFFIX_SHAKE>;

/// A sponge that absorbs `RATE` bytes at a time. Erased when dropped.
///
/// ```
/// use oaklath_hash::sha3::Shake256;
///
/// let mut out = [0; 4];
/// Shake256::new().chain(b"").finish().read(&mut out);
/// assert_eq!(out, [0x46, 0xb9, 0xdd, 0x2b]);
/// ```
#[derive(Clone)]
pub struct Absorb<const RATE: usize, const SUFFIX: u8>(Sponge<RATE>);

/// A sponge that is squeezed. Erased when dropped.
#[derive(Clone)]
pub struct Squeeze<const RATE: usize>(Sponge<RATE>);

#[derive(Clone)]
struct Sponge<const RATE: usize> {
    state: [u64; 25],
    /// The number of bytes of the block absorbed or squeezed so far; below `RATE` while absorbing.
    at: usize,
}

impl<const RATE: usize, const SUFFIX: u8> Absorb<RATE, SUFFIX> {
    /// Starts with an empty message.
    #[must_use]
    pub fn new() -> Self {
        Self(Sponge::new())
    }

    /// Appends to the message.
    pub fn absorb(&mut self, message: &[u8]) {
        self.0.absorb(message);
    }

    /// Appends to the message, and returns the sponge.
    #[must_use]
    pub fn chain(mut self, message: &[u8]) -> Self {
        self.absorb(message);
        self
    }

    /// Ends the message, and returns the state before the permutation that is left, which may be
    /// one of several lanes.
    ///
    /// ```
    /// use oaklath_hash::keccak::permute;
    /// use oaklath_hash::sha3::Shake256;
    ///
    /// let (mut state, mut out) = (Shake256::new().chain(b"text").pad(), [0; 8]);
    /// oaklath_simd::dispatch!(s => permute(s, &mut state));
    /// Shake256::new().chain(b"text").finish().read(&mut out);
    /// assert_eq!(state[0].to_le_bytes(), out);
    /// ```
    #[must_use]
    pub fn pad(mut self) -> [u64; 25] {
        self.0.pad(SUFFIX);
        self.0.state
    }

    /// Ends the message, and returns the sponge for squeezing.
    #[must_use]
    pub fn finish(self) -> Squeeze<RATE> {
        let mut sponge = self.0;
        sponge.finish(SUFFIX);
        Squeeze(sponge)
    }
}

impl<const RATE: usize, const SUFFIX: u8> Default for Absorb<RATE, SUFFIX> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const RATE: usize> Squeeze<RATE> {
    /// Returns a sponge without a message: its output is zeros until it gets one.
    #[must_use]
    pub fn empty() -> Self {
        Self(Sponge::new())
    }

    /// Restarts in place with a message in parts: as with [`sponge`], no copy of the state is left
    /// behind.
    ///
    /// ```
    /// use oaklath_hash::keccak::{RATE_256, SUFFIX_SHAKE};
    /// use oaklath_hash::sha3::{Shake256, Squeeze};
    ///
    /// let mut stream = Squeeze::<RATE_256>::empty();
    /// stream.restart::<SUFFIX_SHAKE>(&[b"two ", b"parts"]);
    /// let (mut out, mut again) = ([0; 32], [0; 32]);
    /// stream.read(&mut out);
    /// Shake256::new().chain(b"two parts").finish().read(&mut again);
    /// assert_eq!(out, again);
    /// ```
    pub fn restart<const SUFFIX: u8>(&mut self, message: &[&[u8]]) {
        wipe(&mut self.0.state);
        self.0.at = 0;
        message.iter().for_each(|part| self.0.absorb(part));
        self.0.finish(SUFFIX);
    }

    /// Continues the output of another sponge, which is erased, so that no other copy of the state
    /// is left behind.
    ///
    /// ```
    /// use oaklath_hash::sha3::{Shake256, Squeeze};
    ///
    /// let (mut first, mut stream) = (Shake256::new().chain(b"seed").finish(), Squeeze::empty());
    /// let (mut head, mut rest, mut all) = ([0; 5], [0; 195], [0; 200]);
    /// first.read(&mut head);
    /// stream.take_over(&mut first);
    /// stream.read(&mut rest);
    /// Shake256::new().chain(b"seed").finish().read(&mut all);
    /// assert_eq!((&all[..5], &all[5..]), (&head[..], &rest[..]));
    /// ```
    pub fn take_over(&mut self, other: &mut Self) {
        self.0.state.copy_from_slice(&other.0.state);
        self.0.at = other.0.at;
        wipe(&mut other.0.state);
    }

    /// Reads the next bytes of the output.
    pub fn read(&mut self, out: &mut [u8]) {
        self.0.read(out);
    }
}

impl<const RATE: usize> Sponge<RATE> {
    fn new() -> Self {
        Self { state: [0; 25], at: 0 }
    }

    fn absorb(&mut self, message: &[u8]) {
        // Bytes up to the next word of the state, then whole words, then the rest.
        let (head, rest) = message.split_at(message.len().min(self.at.wrapping_neg() & 7));
        let (words, tail) = rest.as_chunks::<8>();
        head.iter().for_each(|byte| self.absorb_byte(*byte));
        for word in words {
            self.state[self.at >> 3] ^= u64::from_le_bytes(*word);
            self.at += 8;
            if self.at == RATE {
                self.permute();
            }
        }
        tail.iter().for_each(|byte| self.absorb_byte(*byte));
    }

    fn absorb_byte(&mut self, byte: u8) {
        self.state[self.at >> 3] ^= u64::from(byte) << (8 * (self.at & 7));
        self.at += 1;
        if self.at == RATE {
            self.permute();
        }
    }

    fn pad(&mut self, suffix: u8) {
        self.state[self.at >> 3] ^= u64::from(suffix) << (8 * (self.at & 7));
        self.state[words(RATE) - 1] ^= 1 << 63;
    }

    fn finish(&mut self, suffix: u8) {
        self.pad(suffix);
        self.permute();
    }

    fn read(&mut self, out: &mut [u8]) {
        let len = out.len().min(self.at.wrapping_neg() & 7);
        let (head, rest) = out.split_at_mut(len);
        let (words, tail) = rest.as_chunks_mut::<8>();
        head.iter_mut().for_each(|byte| *byte = self.read_byte());
        for word in words {
            if self.at == RATE {
                self.permute();
            }
            *word = self.state[self.at >> 3].to_le_bytes();
            self.at += 8;
        }
        tail.iter_mut().for_each(|byte| *byte = self.read_byte());
    }

    fn read_byte(&mut self) -> u8 {
        if self.at == RATE {
            self.permute();
        }
        let byte = (self.state[self.at >> 3] >> (8 * (self.at & 7))) as u8;
        self.at += 1;
        byte
    }

    fn permute(&mut self) {
        dispatch!(s => permute(s, &mut self.state));
        self.at = 0;
    }
}

impl<const RATE: usize> Drop for Sponge<RATE> {
    fn drop(&mut self) {
        wipe(&mut self.state);
    }
}

impl<const RATE: usize, const SUFFIX: u8> fmt::Debug for Absorb<RATE, SUFFIX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Absorb").field("rate", &RATE).finish_non_exhaustive()
    }
}

impl<const RATE: usize> fmt::Debug for Squeeze<RATE> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Squeeze").field("rate", &RATE).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keccak::RATE_SHA3_512;
    use oaklath_simd::Level;
    use sha3::digest::{ExtendableOutput, Update, XofReader};
    use sha3::{Digest, Sha3_256, Sha3_512};
    use std::vec::Vec;

    #[test]
    fn equal_to_another_implementation_at_every_length() {
        let message: Vec<u8> = (0..700).map(|i| (i * 7) as u8).collect();
        for level in Level::available() {
            level.with(|| {
                for len in (0..300).chain([335, 336, 337, 500, 700]) {
                    let message = &message[..len];
                    assert_eq!(sha3_256(message)[..], Sha3_256::digest(message)[..]);
                    let mut long = [0; 64];
                    sponge::<RATE_SHA3_512, SUFFIX_SHA3>(&[message], &mut long);
                    assert_eq!(long[..], Sha3_512::digest(message)[..]);
                    xof(message);
                }
            });
        }
    }

    /// Checks SHAKE of a message that is absorbed in two pieces and squeezed in uneven ones.
    fn xof(message: &[u8]) {
        let (a, b) = message.split_at(message.len() / 3);
        let (mut got, mut want) = ([0; 400], [0; 400]);
        let mut stream = Shake128::new().chain(a).chain(b).finish();
        for piece in got.chunks_mut(37) {
            stream.read(piece);
        }
        let mut reference = sha3::Shake128::default();
        reference.update(message);
        reference.finalize_xof().read(&mut want);
        assert_eq!(got, want, "SHAKE128 of {}", message.len());

        Shake256::new().chain(a).chain(b).finish().read(&mut got);
        let mut reference = sha3::Shake256::default();
        reference.update(message);
        reference.finalize_xof().read(&mut want);
        assert_eq!(got, want, "SHAKE256 of {}", message.len());
    }
}
