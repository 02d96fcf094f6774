//! The theorems of this crate: what the kernels compute, proven for every input and every number of
//! lanes. `tools/prove` has the engine; `docs/proofs.md` is generated from these tables.
use oaklath_prove_engine::Theorem;

use crate::{bits, gf2, gf3, pow2, q3329, q12289, q8380417, sort, trits};

/// All theorems.
pub const THEOREMS: &[&[Theorem]] = &[
    q3329::THEOREMS,
    q8380417::THEOREMS,
    q12289::THEOREMS,
    pow2::THEOREMS,
    bits::THEOREMS,
    trits::THEOREMS,
    gf2::THEOREMS,
    gf3::THEOREMS,
    sort::THEOREMS,
];

const CODES: &str = "plain code, whose length depends on the numbers: tested bit by bit";

/// Public functions without a theorem, each with the reason.
pub const WITHOUT: &[(&str, &str)] = &[
    ("gf2::invert", "a power by products over GF(2), which plain code adds up: tested"),
    (
        "gf3::invert",
        "what a step does follows from a number that plain code counts; the inverse is tested",
    ),
    ("pow2::free_of", "moves a reference"),
    ("pow2::invert", "iterations of proven products with the inverse modulo 2: tested"),
    ("q12289::decode_compressed_vartime", CODES),
];
