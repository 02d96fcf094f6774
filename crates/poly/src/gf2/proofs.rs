//! That bit strings are polynomials, for every input.
use std::string::String;

use oaklath_prove_engine::{Rows, Theorem, prove};

use crate::gf2::{to_coefficients, to_words};

/// The theorems about this module.
pub const THEOREMS: &[Theorem] = &[Theorem {
    kernels: &["gf2::to_words", "gf2::to_coefficients"],
    results: &[],
    claim: "bit i is coefficient i modulo 2, and coefficient i is bit i, of 13 words; any",
    is_quick: true,
    prove: conversions,
}];

/// The most coefficients that NTRU has, in whole words.
const N: usize = 64 * 13;

fn conversions(rows: &mut Rows) -> Result<(), String> {
    prove!(rows, "to_words, to_coefficients", modulo 3, limit 1 << 16; |s, io| {
        let (mut a, mut words) = ([0; N], [0; N >> 6]);
        io.inputs(&mut a, -32768..=32767);
        to_words(s, &a, &mut words);
        io.output_fields(words.map(u64::to_le_bytes).as_flattened(), 1);
        to_coefficients(s, &words, &mut a);
        io.outputs(&a);
    }, |k| {
        k.maps(0, 0..N, |x| x & 1)?;
        k.maps(0, N..2 * N, |x| x & 1)
    });
    Ok(())
}
