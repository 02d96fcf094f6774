//! SPHINCS+ as submitted to the third round in 2020, "simple" with SHAKE256: the differences from
//! SLH-DSA. Secrets are hashes of SK.seed and an address only, whose type is that of the values
//! computed from them; the first bit of an index is the lowest of the digest's first byte; messages
//! have no prefix.
use oaklath_hash::shake_lanes::{self, Block};
use oaklath_simd::{Simd, dispatch, secret};

use crate::message::Formatted;
use crate::slh_dsa::SlhFunctions;
use crate::slh_dsa::hashes::{Adrs, AdrsType, PkSeed, SlhHash};
use crate::slh_dsa::shake::{Shake, begin, prepare};

/// The functions of SPHINCS+.
pub(crate) static FUNCTIONS: SlhFunctions =
    SlhFunctions { prepare, with_hash, split_digest, format: |message| Formatted::round3(message) };

/// Splits md into indices: bits are taken from the lowest of a byte up, and the first bit of an
/// index is its lowest. SPHINCS+ 3.1 of 2022 does the same.
pub(crate) fn split_digest(md: &[u8], a: u32, indices: &mut [u32]) {
    let mut bits = md.iter().flat_map(|byte| (0..8).map(move |i| u32::from(byte >> i & 1)));
    for index in indices {
        *index = (0..a).zip(&mut bits).fold(0, |index, (i, bit)| index | bit << i);
    }
}

/// Calls `compute` with the functions for nodes of `n` bytes at the current SIMD level.
fn with_hash(n: usize, seeds: &[PkSeed], sk_seed: &[u8], compute: &mut dyn FnMut(&dyn SlhHash)) {
    dispatch!(s => {
        let mut hash = Shake::new(s, n, seeds, prf);
        hash.set_sk_seed(sk_seed);
        compute(&hash);
    });
}

/// Replaces the address types of FIPS 205 for secrets by those of the values computed from them.
fn with_type_of_f(mut adrs: Adrs) -> Adrs {
    const REPLACED: [(AdrsType, AdrsType); 2] =
        [(AdrsType::WotsPrf, AdrsType::WotsHash), (AdrsType::ForsPrf, AdrsType::ForsTree)];
    for (of_secret, of_f) in REPLACED {
        if adrs[2] >> 32 == of_secret as u64 {
            adrs[2] ^= (of_secret as u64 ^ of_f as u64) << 32;
        }
    }
    adrs
}

/// Computes PRF(SK.seed, ADRS).
fn prf<S: Simd>(hash: &Shake<'_, S>, adrs: &[Adrs], out: &mut [u8]) {
    secret!(blocks: [Block; shake_lanes::MOST]);
    let blocks = &mut blocks[..adrs.len()];
    for (block, adrs) in blocks.iter_mut().zip(adrs) {
        begin(hash.n(), &hash.sk_seed, &with_type_of_f(*adrs), 0, block);
    }
    shake_lanes::hash_blocks(hash.s, blocks, hash.n(), out);
}
