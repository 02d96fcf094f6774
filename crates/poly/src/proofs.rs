//! What the kernels compute, proven for every input and at every number of lanes: the theorems of
//! this crate. `tools/prove` has the engine; `docs/proofs.md` is made from these tables.
use oaklath_prove_engine::Theorem;

use crate::{bits, pow2, q3329, q12289, q8380417};

/// All theorems.
pub const THEOREMS: &[&[Theorem]] =
    &[q3329::THEOREMS, q8380417::THEOREMS, q12289::THEOREMS, pow2::THEOREMS, bits::THEOREMS];

const REJECTION: &str =
    "what is rejected depends on the numbers: the filter and its loop are tested";
const PLAIN: &str = "plain code on single numbers, no kernel: tested";

/// Public functions without a theorem, each with the reason.
pub const WITHOUT: &[(&str, &str)] = &[
    ("gf2::invert", "a power by products over GF(2), which have no forms yet: tested"),
    ("gf3::invert", "division steps over GF(3), which have no forms yet: tested"),
    ("pow2::free_of", "moves a reference"),
    ("pow2::invert", "iterations of proven products with the inverse modulo 2: tested"),
    ("q12289::decode_14_vartime", PLAIN),
    ("q12289::decode_compressed_vartime", PLAIN),
    ("q12289::decode_signed", PLAIN),
    ("q12289::difference_norm", "plain code adds up the squares: tested"),
    ("q12289::encode_14", PLAIN),
    ("q12289::encode_compressed_vartime", PLAIN),
    ("q12289::encode_signed", PLAIN),
    ("q12289::reject_block_vartime", REJECTION),
    ("q12289::square_norm", "plain code adds up the squares: tested"),
    ("q3329::reject_block_vartime", REJECTION),
    ("q3329::reject_bytes_vartime", REJECTION),
    ("q8380417::fill_small", "plain code negates bytes: tested"),
    ("q8380417::index", "positions of a challenge become addresses of windows: tested"),
    ("q8380417::make_hint", "positions of ones are appended as public numbers: tested"),
    ("q8380417::multiply_small", "windows begin where a challenge says: tested"),
    ("q8380417::reject_block_vartime", REJECTION),
    ("q8380417::reject_nibbles_vartime", REJECTION),
    (
        "q8380417::use_hint_encode",
        "a function of two numbers, of which the engine takes one at a time: tested",
    ),
    ("sort::fixed_weight", "a network of comparisons, which the engine has no theory of: tested"),
    ("trits::from_bytes", PLAIN),
    ("trits::pack", PLAIN),
    ("trits::packed", "a length"),
    ("trits::reduce", "part of `unpack`: every number is tested"),
    ("trits::unpack", "looks up bytes in a table of bytes: tested"),
];
