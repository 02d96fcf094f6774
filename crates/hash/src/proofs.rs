//! The theorems of this crate: what the kernels compute, proven for every input and every number of
//! lanes. `tools/prove` has the engine; `docs/proofs.md` is generated from these tables.
mod keccak;
mod messages;
mod sponges;
pub(crate) mod words;

use oaklath_prove_engine::Theorem;

/// All theorems.
pub const THEOREMS: &[&[Theorem]] =
    &[keccak::THEOREMS, sponges::THEOREMS, crate::sha2::proofs::THEOREMS, messages::THEOREMS];

const SCHEDULE: &str = "a table computed at compile time: tested";

/// Public functions without a theorem, each with the reason.
pub const WITHOUT: &[(&str, &str)] = &[
    ("lanes::permute_first", "chooses between two permutations that have theorems"),
    ("schedule::new", SCHEDULE),
    ("schedule::steps", SCHEDULE),
    ("sha2::lanes", "a number"),
    ("sha2::new", "constants; and the key of HMAC under its two masks: tested"),
    ("shake_lanes::lanes", "a number"),
];
