//! What depends on the bits of a challenge c~: `SampleInBall`, and whether c~ is the one that
//! verification computes.
use oaklath_hash::blocks::write_words;
use oaklath_hash::keccak::{RATE_256, permute};
use oaklath_poly::q8380417::Challenge;
use oaklath_simd::{Simd, each, secret, vectorize, wipe};

/// Computes `SampleInBall`: FIPS 204, Algorithm 29, with `tau` terms, from the state that has
/// absorbed c~. Erases the state. Out of line.
#[inline(never)]
pub(super) fn sample_in_ball<S: Simd>(
    s: S,
    tau: usize,
    state: &mut [u64; 25],
    challenge: &mut Challenge,
) {
    vectorize!(s => {
        let mut signs = state[0];
        // First collects the positions. A rejected one is overwritten by the next, so that no
        // branch depends on a rejection.
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
        each!(n in 0..tau => {
            let j = usize::from(positions[n]);
            c[256 - tau + n] = c[j];
            c[j] = 1 - 2 * (signs & 1) as i8;
            signs >>= 1;
        });
        wipe(state);
        challenge.index(s);
    });
}

/// Returns whether the state of a hash begins with c~.
#[inline(always)]
pub(super) fn equals(c_tilde: &[u8], state: &[u64; 25]) -> bool {
    let mut again = [0; 64];
    write_words(state, &mut again);
    again[..c_tilde.len()] == *c_tilde
}

#[cfg(test)]
mod tests {
    use super::*;
    use oaklath_simd::{Level, dispatch};

    /// Reaches the second block, with bytes that are rejected for as long as possible.
    #[test]
    fn a_challenge_may_need_another_block() {
        for level in Level::available() {
            let mut state = [u64::MAX; 25];
            let mut next = state;
            dispatch!(level, s => permute(s, &mut next));
            let accepted = |c: &Challenge| c.c.iter().filter(|c| **c != 0).count();
            let mut challenge = Challenge::EMPTY;
            dispatch!(level, s => sample_in_ball(s, 39, &mut state, &mut challenge));
            assert_eq!((accepted(&challenge), state), (39, [0; 25]), "{level}");
            // All 128 bytes are 255, which is rejected until i is 255, so that the positions come
            // from `next`.
            let first = next[0].to_le_bytes().into_iter().find(|j| usize::from(*j) <= 256 - 39);
            assert!(challenge.c[usize::from(first.expect("one of eight"))] != 0, "{level}");
        }
    }
}
