//! The hashes of FIPS 203, section 4.1.
use oaklath_hash::blocks::{Ends, absorb_block, write_words};
use oaklath_hash::keccak::{RATE_256, RATE_SHA3_512, SUFFIX_SHA3, SUFFIX_SHAKE, permute};
use oaklath_simd::{Simd, wipe};

use super::{Variant, nineties};

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
