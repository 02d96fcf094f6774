//! The hashes of FIPS 204 that stand outside the lanes, and `SampleInBall`.
use oaklath_hash::blocks::{absorb_block, write_words};
use oaklath_hash::keccak::{RATE_256, SUFFIX_SHAKE, permute};
use oaklath_hash::sha3::{Shake256, Squeeze};
use oaklath_poly::q8380417::Challenge;
use oaklath_simd::{Simd, secret, wipe};

use super::Variant;
use super::params::SEED;
use super::shape::Shape;
use crate::message::Formatted;

/// H(tr || M'), before its end.
pub(crate) fn begin(tr: &[u8], message: &Formatted<'_>) -> Shake256 {
    let mut hash = Shake256::new().chain(tr);
    message.pieces().for_each(|piece| hash.absorb(piece));
    hash
}

/// mu = H(tr || M'): FIPS 204, Algorithm 7, line 6.
pub(crate) fn mu(tr: &[u8], message: &Formatted<'_>) -> [u8; 64] {
    let mut mu = [0; 64];
    begin(tr, message).finish().read(&mut mu);
    mu
}

/// What the masks are derived from.
#[derive(Clone, Copy)]
#[expect(missing_debug_implementations, reason = "it is secret")]
pub enum Seed<'a> {
    /// ML-DSA: rnd, random or zero. FIPS 204, Algorithm 7, line 7.
    Hedged(&'a [u8; 32]),
    /// Dilithium: of K and mu.
    Deterministic,
    /// Dilithium: 64 random bytes.
    Random(&'a [u8; 64]),
}

impl Seed<'_> {
    /// rho'' of FIPS 204, rho' of Dilithium's signing.
    pub(super) fn expand(self, key: &[u8; SEED], mu: &[u8; 64], rho2: &mut [u8; 64]) {
        let rnd: &[u8] = match self {
            Seed::Random(seed) => return rho2.copy_from_slice(seed),
            Seed::Hedged(rnd) => rnd,
            Seed::Deterministic => &[],
        };
        Shake256::new().chain(key).chain(rnd).chain(mu).finish().read(rho2);
    }
}

/// H(seed) of key generation: FIPS 204, Algorithm 6, line 1. Gives rho, rho' and K.
pub(super) fn expand_seed<const K: usize, const L: usize>(
    variant: Variant,
    seed: &[u8; SEED],
    (rho, rho1, key): (&mut [u8; SEED], &mut [u8; 64], &mut [u8]),
) {
    let domain: &[u8] = match variant {
        Variant::MlDsa => &[K as u8, L as u8],
        Variant::Dilithium | Variant::DilithiumAes => &[],
    };
    // Restarted where it is: the state holds K.
    let mut stream = Squeeze::<RATE_256>::empty();
    stream.restart::<SUFFIX_SHAKE>(&[seed, domain]);
    stream.read(rho);
    stream.read(rho1);
    stream.read(key);
}

/// The block that H(c~) absorbs.
pub(super) fn ball_block(c_tilde: &[u8]) -> [u8; RATE_256] {
    let mut block = [0; RATE_256];
    block[..c_tilde.len()].copy_from_slice(c_tilde);
    block[c_tilde.len()] = SUFFIX_SHAKE;
    block[RATE_256 - 1] = 0x80;
    block
}

/// `SampleInBall`: FIPS 204, Algorithm 29, of the state that has absorbed c~. Erases the state.
#[inline(always)]
pub(super) fn sample_in_ball<S: Simd, const K: usize, const L: usize>(
    s: S,
    state: &mut [u64; 25],
    challenge: &mut Challenge,
) {
    let tau = const { Shape::<K, L>::P.tau };
    let mut signs = state[0];
    // First the positions, each that is refused overwritten by the next: no jump waits for one.
    secret!(block: [u8; RATE_256], positions: [u8; 64]);
    write_words(state, block);
    let (mut n, mut at) = (0, 8);
    while n < tau {
        if at == RATE_256 {
            permute(s, state);
            write_words(state, block);
            at = 0;
        }
        positions[n] = block[at];
        n += usize::from(usize::from(block[at]) <= 256 - tau + n);
        at += 1;
    }
    let c = &mut challenge.c;
    c.fill(0);
    let mut n = 0;
    while n < tau {
        let j = usize::from(positions[n]);
        c[256 - tau + n] = c[j];
        c[j] = 1 - 2 * (signs & 1) as i8;
        signs >>= 1;
        n += 1;
    }
    wipe(state);
    challenge.index(s);
}

/// The challenge of c~, beside no lanes.
#[inline(always)]
pub(super) fn challenge_of<S: Simd, const K: usize, const L: usize>(
    s: S,
    c_tilde: &[u8],
    challenge: &mut Challenge,
) {
    let mut state = [0; 25];
    absorb_block(&mut state, &ball_block(c_tilde));
    permute(s, &mut state);
    sample_in_ball::<S, K, L>(s, &mut state, challenge);
}

#[cfg(test)]
mod tests {
    use super::*;
    use oaklath_simd::{Level, dispatch};

    /// The block after the first is reached: with bytes that are refused as long as any can be.
    #[test]
    fn a_challenge_may_need_another_block() {
        for level in Level::available() {
            let mut state = [u64::MAX; 25];
            let mut next = state;
            dispatch!(level, s => permute(s, &mut next));
            let accepted = |c: &Challenge| c.c.iter().filter(|c| **c != 0).count();
            let mut challenge = Challenge::EMPTY;
            dispatch!(level, s => sample_in_ball::<_, 4, 4>(s, &mut state, &mut challenge));
            assert_eq!((accepted(&challenge), state), (39, [0; 25]), "{level}");
            // All 128 bytes 255 are refused until i is 255, so that the positions come from `next`.
            let first = next[0].to_le_bytes().into_iter().find(|j| usize::from(*j) <= 256 - 39);
            assert!(challenge.c[usize::from(first.expect("one of eight"))] != 0, "{level}");
        }
    }
}
