//! The theorems of this crate: what the kernels compute, proven for every input and every number of
//! lanes. `tools/prove` has the engine; `docs/proofs.md` is generated from these tables.
use std::string::String;
use std::vec::Vec;
use std::{format, vec};

use oaklath_prove_engine::Theorem;
use oaklath_simd::Level;

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

/// Continues a polynomial of as many coefficients with a block, and returns all coefficients.
type Filter<'a> = dyn Fn(Level, &[u8], usize) -> Vec<i32> + 'a;

/// A block that a filter takes numbers of.
pub(crate) struct FilteredBlock {
    pub(crate) fields: usize,
    /// The bits of a field. One with all bits set is not kept.
    pub(crate) bits: usize,
    /// Fields below this are kept.
    pub(crate) below: usize,
    /// How many coefficients a polynomial has.
    pub(crate) most: usize,
}

impl FilteredBlock {
    /// Tries a filter at each level after each number of coefficients, which are -1, on blocks of
    /// which all fields from one on are kept: so that it comes to each vector after each number of
    /// coefficients, and any number of its lanes are kept.
    pub(crate) fn try_each_number(&self, filter: &Filter<'_>) -> Result<usize, String> {
        let (&Self { fields, bits, below, most }, mut tried) = (self, 0);
        for first in 0..=fields {
            let mut bytes = vec![0xff; (fields * bits) >> 3];
            let kept: Vec<i32> = (first..fields).map(|i| i.rem_euclid(below) as i32).collect();
            for (i, kept) in (first..fields).zip(&kept) {
                (0..bits).filter(|bit| kept >> bit & 1 == 0).for_each(|bit| {
                    let at = i * bits + bit;
                    bytes[at >> 3] &= !(1 << (at & 7));
                });
            }
            for (level, n) in
                Level::available().flat_map(|level| (0..=most).map(move |n| (level, n)))
            {
                tried += 1;
                let wanted = [&vec![-1; n], &kept[..kept.len().min(most - n)]].concat();
                if filter(level, &bytes, n) != wanted {
                    return Err(format!("{level}: fields from {first} on, after {n} coefficients"));
                }
            }
        }
        Ok(tried)
    }
}
