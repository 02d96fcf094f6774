//! The theorems that take seconds. `cargo xtask prove` proves all.
#![cfg(not(miri))]
use oaklath_prove_engine::prove_quick;
use oaklath_prove_poly::proofs::THEOREMS;

#[test]
fn quick_theorems_hold_for_every_input() {
    prove_quick(THEOREMS);
}
