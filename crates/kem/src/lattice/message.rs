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
    /// Filled in place: they may hold a secret, and a move would leave a copy behind.
    #[inline(always)]
    pub(super) fn empty() -> Self {
        Self { first: [0; RATE_256], last: [0; RATE_256], prefix: 0, blocks: 0 }
    }

    /// The blocks of SHA3-256 of `body`.
    #[inline(always)]
    pub(super) fn sha3<'a>(&'a mut self, body: &'a [u8]) -> Blocks<'a> {
        self.fill(&[], body, SUFFIX_SHA3)
    }

    /// The blocks of SHAKE256 of `prefix || body`.
    #[inline(always)]
    pub(super) fn shake<'a>(&'a mut self, prefix: &[u8; 32], body: &'a [u8]) -> Blocks<'a> {
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
        let mut digest = [0; 32];
        write_words(&state[..4], &mut digest);
        wipe(state);
        digest
    }
}

/// H: SHA3-256, or SHA-256.
#[inline(always)]
pub(super) fn h<S: Simd>(s: S, variant: Variant, message: &[u8]) -> [u8; 32] {
    match variant {
        Variant::MlKem | Variant::Kyber => Ends::empty().sha3(message).absorb(s, &mut [0; 25], 0),
        Variant::Kyber90s => nineties::h(s, message),
    }
}

/// The only block of G(a || b), SHA3-512 of 64 bytes: the rest is zero before and after.
#[inline(always)]
pub(super) fn g_block(a: &[u8; 32], b: &[u8; 32], block: &mut [u8; RATE_256]) {
    block.fill(0);
    block[..32].copy_from_slice(a);
    block[32..64].copy_from_slice(b);
    block[64] = SUFFIX_SHA3;
    block[RATE_SHA3_512 - 1] = 0x80;
}

/// G(d || k) of FIPS 203, Algorithm 13, line 1; G(d) of Kyber. Writes rho and sigma.
#[inline(always)]
pub(super) fn g_seed<S: Simd>(
    s: S,
    variant: Variant,
    d: &[u8; 32],
    k: usize,
    (rho, sigma): (&mut [u8; 32], &mut [u8; 32]),
) {
    let mut block = [0; RATE_256];
    block[..32].copy_from_slice(d);
    match variant {
        Variant::MlKem => (block[32], block[33]) = (k as u8, SUFFIX_SHA3),
        Variant::Kyber => block[32] = SUFFIX_SHA3,
        Variant::Kyber90s => nineties::g(d, rho, sigma),
    }
    block[RATE_SHA3_512 - 1] = 0x80;
    if variant != Variant::Kyber90s {
        g(s, &block, rho, sigma);
    }
    wipe(&mut block);
}

/// G(m || h). Writes the shared secret, in Kyber before the last hash, and the seed of the noise.
#[inline(always)]
pub(super) fn g_message<S: Simd>(
    s: S,
    variant: Variant,
    m: &[u8; 32],
    h: &[u8; 32],
    (shared, sigma): (&mut [u8; 32], &mut [u8; 32]),
) {
    let mut block = [0; RATE_256];
    g_block(m, h, &mut block);
    match variant {
        Variant::MlKem | Variant::Kyber => g(s, &block, shared, sigma),
        Variant::Kyber90s => nineties::g(&block[..64], shared, sigma),
    }
    wipe(&mut block);
}

/// G of a block, in two halves.
#[inline(always)]
fn g<S: Simd>(s: S, block: &[u8; RATE_256], a: &mut [u8; 32], b: &mut [u8; 32]) {
    let mut state = [0; 25];
    absorb_block(&mut state, block);
    permute(s, &mut state);
    write_words(&state[..4], a);
    write_words(&state[4..8], b);
    wipe(&mut state);
}

/// KDF(a || b) of Kyber: SHAKE256, or SHA-256, of 64 bytes.
#[inline(always)]
pub(super) fn kdf<S: Simd>(s: S, variant: Variant, a: &[u8; 32], b: &[u8; 32], key: &mut [u8; 32]) {
    let mut block = [0; RATE_256];
    block[..32].copy_from_slice(a);
    block[32..64].copy_from_slice(b);
    if variant == Variant::Kyber90s {
        nineties::kdf(s, &block[..64], key);
    } else {
        block[64] = SUFFIX_SHAKE;
        block[RATE_256 - 1] = 0x80;
        let mut state = [0; 25];
        absorb_block(&mut state, &block);
        permute(s, &mut state);
        write_words(&state[..4], key);
        wipe(&mut state);
    }
    wipe(&mut block);
}

#[inline(always)]
fn absorb_block(state: &mut [u64; 25], block: &[u8; RATE_256]) {
    for (word, bytes) in state.iter_mut().zip(block.as_chunks::<8>().0) {
        *word ^= u64::from_le_bytes(*bytes);
    }
}

/// Four words as bytes.
#[inline(always)]
pub(super) fn write_words(words: &[u64], out: &mut [u8; 32]) {
    for (bytes, word) in out.as_chunks_mut::<8>().0.iter_mut().zip(words) {
        *bytes = word.to_le_bytes();
    }
}
