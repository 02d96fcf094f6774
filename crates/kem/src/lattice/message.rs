//! The hashes of FIPS 203, section 4.1, on padded blocks: what a Keccak lane absorbs.
use oaklath_hash::keccak::{RATE_256, RATE_SHA3_512, SUFFIX_SHA3, SUFFIX_SHAKE, permute};
use oaklath_simd::{Simd, wipe};

use super::{Variant, nineties};

/// A message `prefix || body` as padded blocks of 136 bytes.
#[derive(Clone, Copy)]
pub(super) struct Blocks<'a> {
    body: &'a [u8],
    ends: &'a Ends,
}

/// The blocks of a message that are not just bytes of its body: the first if there is a prefix, and
/// the last. Erased when dropped.
pub(super) struct Ends {
    first: [u8; RATE_256],
    last: [u8; RATE_256],
    /// Bytes of the prefix: 0 or 32.
    prefix: usize,
    blocks: usize,
}

/// Of a message of which only whole blocks are asked for.
static NO_ENDS: Ends =
    Ends { first: [0; RATE_256], last: [0; RATE_256], prefix: 0, blocks: usize::MAX };

impl Ends {
    /// For SHA3-256 of `body`.
    #[inline(always)]
    pub(super) fn sha3(body: &[u8]) -> Self {
        Self::new(&[], body, SUFFIX_SHA3)
    }

    /// For SHAKE256 of `prefix || body`.
    #[inline(always)]
    pub(super) fn shake(prefix: &[u8; 32], body: &[u8]) -> Self {
        Self::new(prefix, body, SUFFIX_SHAKE)
    }

    #[inline(always)]
    #[cfg_attr(
        not(test),
        expect(
            clippy::integer_division_remainder_used,
            reason = "lengths are public, 136 constant"
        )
    )]
    fn new(prefix: &[u8], body: &[u8], suffix: u8) -> Self {
        let len = prefix.len() + body.len();
        let mut first = [0; RATE_256];
        if !prefix.is_empty() {
            first[..prefix.len()].copy_from_slice(prefix);
            first[prefix.len()..].copy_from_slice(&body[..RATE_256 - prefix.len()]);
        }
        let (mut last, rest) = ([0; RATE_256], len % RATE_256);
        last[..rest].copy_from_slice(&body[body.len() - rest..]);
        last[rest] = suffix;
        last[RATE_256 - 1] |= 0x80;
        Self { first, last, prefix: prefix.len(), blocks: len / RATE_256 + 1 }
    }

    /// All blocks of the message, given its body again.
    #[inline(always)]
    pub(super) fn of<'a>(&'a self, body: &'a [u8]) -> Blocks<'a> {
        Blocks { body, ends: self }
    }
}

impl Drop for Ends {
    #[inline(always)]
    fn drop(&mut self) {
        if self.prefix > 0 {
            wipe(&mut self.first);
        }
    }
}

impl<'a> Blocks<'a> {
    /// The whole blocks of a body.
    #[inline(always)]
    pub(super) fn whole(body: &'a [u8]) -> Self {
        Self { body, ends: &NO_ENDS }
    }

    /// Block `i`.
    #[inline(always)]
    pub(super) fn block(&self, i: usize) -> &'a [u8; RATE_256] {
        let ends = self.ends;
        if i + 1 == ends.blocks {
            &ends.last
        } else if i == 0 && ends.prefix > 0 {
            &ends.first
        } else {
            self.body[RATE_256 * i - ends.prefix..].first_chunk().expect("a whole block")
        }
    }

    /// Absorbs the blocks from `from` on into a state, with single permutations, and squeezes 32
    /// bytes. The state is erased.
    #[inline(always)]
    pub(super) fn absorb<S: Simd>(&self, s: S, state: &mut [u64; 25], from: usize) -> [u8; 32] {
        let mut i = from;
        while i < self.ends.blocks {
            absorb_block(state, self.block(i));
            permute(s, state);
            i += 1;
        }
        let digest = bytes(*state.first_chunk().expect("25 words"));
        wipe(state);
        digest
    }
}

/// H: SHA3-256, or SHA-256.
#[inline(always)]
pub(super) fn h<S: Simd>(s: S, variant: Variant, message: &[u8]) -> [u8; 32] {
    match variant {
        Variant::MlKem | Variant::Kyber => {
            Ends::sha3(message).of(message).absorb(s, &mut [0; 25], 0)
        }
        Variant::Kyber90s => nineties::h(s, message),
    }
}

/// The only block of G(a || b), SHA3-512 of 64 bytes, filled up with zeros.
#[inline(always)]
pub(super) fn g_block(a: &[u8; 32], b: &[u8; 32]) -> [u8; RATE_256] {
    let mut block = [0; RATE_256];
    block[..32].copy_from_slice(a);
    block[32..64].copy_from_slice(b);
    block[64] = SUFFIX_SHA3;
    block[RATE_SHA3_512 - 1] = 0x80;
    block
}

/// G(d || k) of FIPS 203, Algorithm 13, line 1; G(d) of Kyber.
#[inline(always)]
pub(super) fn g_seed<S: Simd>(
    s: S,
    variant: Variant,
    d: &[u8; 32],
    k: usize,
) -> ([u8; 32], [u8; 32]) {
    let mut block = [0; RATE_256];
    block[..32].copy_from_slice(d);
    match variant {
        Variant::MlKem => (block[32], block[33]) = (k as u8, SUFFIX_SHA3),
        Variant::Kyber => block[32] = SUFFIX_SHA3,
        Variant::Kyber90s => return nineties::g(d),
    }
    block[RATE_SHA3_512 - 1] = 0x80;
    let halves = g(s, &block);
    wipe(&mut block);
    halves
}

/// G(m || h): the shared secret, in Kyber before the last hash, and the seed of the noise.
#[inline(always)]
pub(super) fn g_message<S: Simd>(
    s: S,
    variant: Variant,
    m: &[u8; 32],
    h: &[u8; 32],
) -> ([u8; 32], [u8; 32]) {
    let mut block = g_block(m, h);
    let halves = match variant {
        Variant::MlKem | Variant::Kyber => g(s, &block),
        Variant::Kyber90s => nineties::g(&block[..64]),
    };
    wipe(&mut block);
    halves
}

/// G of a block.
#[inline(always)]
fn g<S: Simd>(s: S, block: &[u8; RATE_256]) -> ([u8; 32], [u8; 32]) {
    let mut state = [0; 25];
    absorb_block(&mut state, block);
    permute(s, &mut state);
    let halves = halves(*state.first_chunk().expect("25 words"));
    wipe(&mut state);
    halves
}

/// KDF(a || b) of Kyber: SHAKE256, or SHA-256, of 64 bytes.
#[inline(always)]
pub(super) fn kdf<S: Simd>(s: S, variant: Variant, a: &[u8; 32], b: &[u8; 32]) -> [u8; 32] {
    let mut block = [0; RATE_256];
    block[..32].copy_from_slice(a);
    block[32..64].copy_from_slice(b);
    let key = if variant == Variant::Kyber90s {
        nineties::h(s, &block[..64])
    } else {
        block[64] = SUFFIX_SHAKE;
        block[RATE_256 - 1] = 0x80;
        let mut state = [0; 25];
        absorb_block(&mut state, &block);
        permute(s, &mut state);
        let key = bytes(*state.first_chunk().expect("25 words"));
        wipe(&mut state);
        key
    };
    wipe(&mut block);
    key
}

#[inline(always)]
fn absorb_block(state: &mut [u64; 25], block: &[u8; RATE_256]) {
    for (word, bytes) in state.iter_mut().zip(block.as_chunks::<8>().0) {
        *word ^= u64::from_le_bytes(*bytes);
    }
}

/// Words as bytes.
#[inline(always)]
pub(super) fn bytes(words: [u64; 4]) -> [u8; 32] {
    let mut bytes = [0; 32];
    let mut i = 0;
    while i < 4 {
        bytes[8 * i..8 * i + 8].copy_from_slice(&words[i].to_le_bytes());
        i += 1;
    }
    bytes
}

/// The two halves of G's output.
#[inline(always)]
pub(super) fn halves(words: [u64; 8]) -> ([u8; 32], [u8; 32]) {
    let [a, b, c, d, e, f, g, h] = words;
    (bytes([a, b, c, d]), bytes([e, f, g, h]))
}
