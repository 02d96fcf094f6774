//! Flipped bits in the memory of growing trees.

use std::process::Command;

use crate::shell::cargo;

pub(super) const WHAT: &str = "flipped bits in growing trees";

/// Returns the test that flips `flips` bits in HSS keys, twice, and half as many in one of XMSS^MT.
pub(super) fn command(flips: u32) -> Command {
    let test = "test --quiet --release -p oaklath-stateful --test it faults -- --nocapture";
    let mut command = cargo(test);
    command.env("OAKLATH_TORTURE", flips.to_string());
    command
}
