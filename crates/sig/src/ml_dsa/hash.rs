//! The hashes of FIPS 204 that are computed outside the lanes.
use oaklath_hash::blocks::absorb_block;
use oaklath_hash::keccak::{RATE_256, SUFFIX_SHAKE, permute};
use oaklath_hash::lanes::Lanes4;
use oaklath_hash::sha3::Squeeze;
use oaklath_simd::{Simd, each, vectorize};

use super::params::SEED;

/// Expands the seed of a key, with the suffix of its variant, to rho, rho' and K: FIPS 204,
/// Algorithm 6, line 1.
pub(super) fn expand_seed(
    seed: &[&[u8]; 2],
    (rho, rho1, key): (&mut [u8; SEED], &mut [u8; 64], &mut [u8]),
) {
    // Restarted in place, so that no copy of the state, which reveals K, is left behind.
    let mut stream = Squeeze::<RATE_256>::empty();
    stream.restart::<SUFFIX_SHAKE>(seed);
    stream.read(rho);
    stream.read(rho1);
    stream.read(key);
}

/// Pads a message of SHAKE256 for its last block. Returns the number of blocks.
#[inline(always)]
#[cfg_attr(
    not(test),
    expect(clippy::integer_division_remainder_used, reason = "of a public length, by a constant")
)]
pub(super) fn pad(message: &mut [u8], len: usize) -> usize {
    let blocks = len / RATE_256 + 1;
    message[len] = SUFFIX_SHAKE;
    message[RATE_256 * blocks - 1] |= 0x80;
    blocks
}

/// Returns block `i` of a padded message.
#[inline(always)]
pub(super) fn block_at(message: &[u8], i: usize) -> &[u8; RATE_256] {
    message[RATE_256 * i..].first_chunk().expect("a whole block")
}

/// Absorbs the blocks of a padded message into a state, from block `from` on.
#[inline(always)]
pub(super) fn absorb_blocks<S: Simd>(
    s: S,
    state: &mut [u64; 25],
    message: &[u8],
    from: usize,
    blocks: usize,
) {
    each!(i in from..blocks => {
        absorb_block(state, block_at(message, i));
        permute(s, state);
    });
}

/// Absorbs `blocks` blocks of each of at most eight padded messages, and writes the states. Out of
/// line.
#[inline(never)]
pub(super) fn hash_side_by_side<S: Simd, const LEN: usize>(
    s: S,
    messages: &[[u8; LEN]],
    blocks: usize,
    states: &mut [[u64; 25]],
) {
    vectorize!(s => {
        let (mut first, mut second) = (Lanes4::new(s), Lanes4::new(s));
        let (low, high) = messages.split_at(messages.len().min(4));
        each!(block in 0..blocks => {
            for (lane, message) in low.iter().enumerate() {
                first.absorb(lane, block_at(message, block));
            }
            for (lane, message) in high.iter().enumerate() {
                second.absorb(lane, block_at(message, block));
            }
            first.permute_first(&mut second, messages.len());
        });
        for (i, state) in states.iter_mut().enumerate() {
            *state = if i < 4 { first.words(i) } else { second.words(i - 4) };
        }
    });
}

/// Returns the block that H(c~) absorbs.
pub(super) fn ball_block(c_tilde: &[u8]) -> [u8; RATE_256] {
    let mut block = [0; RATE_256];
    block[..c_tilde.len()].copy_from_slice(c_tilde);
    block[c_tilde.len()] = SUFFIX_SHAKE;
    block[RATE_256 - 1] = 0x80;
    block
}
