//! `crates/sig/src/ml_dsa/challenge.rs` in this world: what it looks at are unknowns.
use oaklath_prove_opaque::Simd;
use oaklath_prove_opaque::blocks::write_words;
use oaklath_prove_opaque::proof::call::OpaqueCall;

use crate::q8380417::Challenge;

/// `SampleInBall` from the state that has absorbed c~.
#[track_caller]
pub(crate) fn sample_in_ball<S: Simd>(
    _: S,
    tau: usize,
    state: &mut [u64; 25],
    challenge: &mut Challenge,
) {
    let call = OpaqueCall::new("SampleInBall").reads(&[tau as i32]).reads(&state[..]);
    call.writes(&mut challenge.c, -1..=1);
    challenge.terms = tau;
    state.fill(0);
}

/// Whether a state begins with c~.
#[track_caller]
pub(crate) fn equals(c_tilde: &[u8], state: &[u64; 25]) -> bool {
    let mut again = [0; 64];
    write_words(state, &mut again);
    !oaklath_prove_opaque::ct::differ(c_tilde, &again[..c_tilde.len()]).declassify()
}
