//! Keccak-f\[1600\] as any function of 25 words: `crates/hash/src/keccak.rs` in this world.
use core::array::from_fn;

use oaklath_prove_engine::{Term, Terms};
use oaklath_prove_simd::proof::call::OpaqueCall;
use oaklath_prove_simd::{Simd, U64Lanes};

pub use oaklath_prove_hash::keccak::{
    RATE_256, RATE_SHA3_512, RATE_SHAKE128, SUFFIX_SHA3, SUFFIX_SHAKE,
};

/// The permutation: FIPS 202, section 3.3.
pub(crate) const KECCAK: &str = "Keccak-f[1600]";
/// What a lane holds that nobody has asked to permute.
pub(crate) const IDLE: &str = "a lane that may be permuted";

const ANY: core::ops::RangeInclusive<i64> = i64::MIN..=i64::MAX;

/// Keccak-f\[1600\] of 25 words.
pub(crate) fn keccak_f(t: &mut Terms, state: &[Term]) -> Vec<Term> {
    t.calls(KECCAK, state, (25, 64))
}

/// A rate in words.
pub(crate) const fn words(rate: usize) -> usize {
    rate >> 3
}

/// Permutes one state.
#[track_caller]
pub fn permute<S: Simd>(_: S, state: &mut [u64; 25]) {
    OpaqueCall::new(KECCAK).reads_sums(&state[..]).writes(&mut state[..], ANY);
}

/// Permutes the lanes whose bit is set in `active`; of the others nothing is known afterwards.
#[track_caller]
pub fn permute_lanes<S: Simd, W: U64Lanes<S, N>, const N: usize>(
    s: S,
    state: &mut [W; 25],
    active: u32,
) {
    let mut rows: [[u64; N]; 25] = state.map(W::to_array);
    for lane in 0..N {
        let mut words: [u64; 25] = from_fn(|i| rows[i][lane]);
        let name = if active >> lane & 1 == 1 { KECCAK } else { IDLE };
        OpaqueCall::new(name).reads(&words).writes(&mut words, ANY);
        rows.iter_mut().zip(words).for_each(|(row, word)| row[lane] = word);
    }
    *state = rows.map(|row| W::from_array(s, row));
}

/// Permutes two times four states.
#[track_caller]
pub fn permute_two<S: Simd>(s: S, a: &mut [S::Four; 25], b: &mut [S::Four; 25]) {
    permute_lanes(s, a, 15);
    permute_lanes(s, b, 15);
}
