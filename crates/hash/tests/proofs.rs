//! The theorems that take seconds. `cargo xtask prove` proves all.
#![cfg(not(miri))]
use oaklath_prove_engine::{Theorem, run};
use oaklath_prove_hash::proofs::THEOREMS;

#[test]
fn quick_theorems_hold_for_every_input() {
    let theorems: Vec<&Theorem> =
        THEOREMS.iter().copied().flatten().filter(|theorem| theorem.is_quick).collect();
    let wrong: Vec<String> = run(&theorems).into_iter().filter_map(Result::err).collect();
    assert!(theorems.len() >= 4 && wrong.is_empty(), "{}", wrong.join("\n"));
}
