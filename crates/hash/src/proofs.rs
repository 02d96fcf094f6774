//! The theorems of this crate: what the kernels compute, proven for every input and every number of
//! lanes. `tools/prove` has the engine; `docs/proofs.md` is generated from these tables.
mod keccak;
pub(crate) mod words;

use oaklath_prove_engine::Theorem;

/// All theorems.
pub const THEOREMS: &[&[Theorem]] = &[keccak::THEOREMS, crate::sha2::proofs::THEOREMS];

const PLAIN_SUM: &str = "plain code adds the state to what the rounds return, or a block to the \
                         state: tested at every length";
const WHOLE: &str = "plain code that moves bytes around kernels of the CPU's level: tested at \
                     every length";
const SCHEDULE: &str = "a table computed at compile time: tested";
const MOVES: &str = "moves bytes: tested at every length";

/// Public functions without a theorem, each with the reason.
pub const WITHOUT: &[(&str, &str)] = &[
    ("blocks::absorb", PLAIN_SUM),
    ("blocks::absorb_block", PLAIN_SUM),
    ("blocks::block", MOVES),
    ("blocks::count", "a length"),
    ("blocks::empty", "zeros"),
    ("blocks::sha3", MOVES),
    ("blocks::sha3_after", MOVES),
    ("blocks::shake", MOVES),
    ("blocks::whole", MOVES),
    ("blocks::write_words", MOVES),
    ("schedule::new", SCHEDULE),
    ("schedule::steps", SCHEDULE),
    ("sha2::absorb", WHOLE),
    ("sha2::chain", WHOLE),
    ("sha2::finish", WHOLE),
    ("sha2::finish_by", WHOLE),
    ("sha2::lanes", "a number"),
    ("sha2::absorb_pieces", MOVES),
    ("sha2::finish_digests", PLAIN_SUM),
    ("sha2::new", "a state that is a constant"),
    ("sha2::sha256", WHOLE),
    ("sha2::sha512", WHOLE),
    ("sha2::words", "a state"),
    ("sha3::absorb", WHOLE),
    ("sha3::chain", WHOLE),
    ("sha3::empty", "zeros"),
    ("sha3::finish", WHOLE),
    ("sha3::new", "zeros"),
    ("sha3::read", WHOLE),
    ("sha3::restart", WHOLE),
    ("sha3::sha3_256", WHOLE),
    ("sha3::sponge", WHOLE),
    ("sha3::take_over", WHOLE),
    ("shake_lanes::lanes", "a number"),
];
