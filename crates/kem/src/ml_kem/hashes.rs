//! The hashes H and G of FIPS 203, section 4.1. J, the XOF and the PRF are in `lanes`.
use oaklath_hash::blocks::{Ends, absorb_block, write_words};
use oaklath_hash::keccak::{RATE_256, RATE_SHA3_512, SUFFIX_SHA3, permute};
use oaklath_simd::{Simd, wipe};

/// Computes H, which is SHA3-256.
#[inline(always)]
pub(crate) fn h<S: Simd>(s: S, message: &[u8]) -> [u8; 32] {
    let mut digest = [0; 32];
    Ends::empty().sha3(message).absorb(s, &mut [0; 25], 0, &mut digest);
    digest
}

/// Writes G(x || y), SHA3-512 of at most 71 bytes, to `a` and `b`, half to each.
#[inline(always)]
pub(crate) fn g<S: Simd>(s: S, x: &[u8], y: &[u8], a: &mut [u8; 32], b: &mut [u8; 32]) {
    let (mut block, mut state) = ([0; RATE_256], [0; 25]);
    g_block(x, y, &mut block);
    absorb_block(&mut state, &block);
    permute(s, &mut state);
    write_words(&state[..4], a);
    write_words(&state[4..8], b);
    wipe(&mut state);
    wipe(&mut block);
}

/// Writes the only block of G(x || y). Lanes absorb longer blocks, of which the rest is zero.
#[inline(always)]
pub(super) fn g_block(x: &[u8], y: &[u8], block: &mut [u8; RATE_256]) {
    let len = x.len() + y.len();
    block.fill(0);
    block[..x.len()].copy_from_slice(x);
    block[x.len()..len].copy_from_slice(y);
    block[len] = SUFFIX_SHA3;
    block[RATE_SHA3_512 - 1] = 0x80;
}
