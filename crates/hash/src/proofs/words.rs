//! Functions that declare words and bytes as inputs and outputs, and convert terms.
use std::vec::Vec;

use oaklath_prove_engine::proof::io::Io;
use oaklath_prove_engine::{Term, Terms};

/// Declares words as inputs, with any values.
pub(crate) fn input_words(io: &mut Io, words: &mut [u64]) {
    io.inputs(words, i64::MIN..=i64::MAX);
}

/// Declares bytes as inputs, with any values.
pub(crate) fn input_bytes(io: &mut Io, bytes: &mut [u8]) {
    io.inputs(bytes, -128..=127);
}

/// Declares words as outputs.
pub(crate) fn output_words(io: &mut Io, words: &[u64]) {
    io.outputs(words);
}

/// Declares bytes as outputs. The tape has signed numbers.
pub(crate) fn output_bytes(io: &mut Io, bytes: &[u8]) {
    let signed: Vec<i8> = bytes.iter().map(|byte| *byte as i8).collect();
    io.outputs(&signed);
}

/// Returns the bytes of words in little-endian order.
pub(crate) fn bytes_of_words(t: &mut Terms, words: &[Term]) -> Vec<Term> {
    let bytes = words.iter().flat_map(|word| (0..8).map(move |i| (*word, 8 * i)));
    bytes.map(|(word, from)| t.part(word, from, 8)).collect()
}
