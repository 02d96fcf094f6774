//! Proofs of products with a challenge.
use std::format;
use std::string::String;
use std::vec::Vec;

use oaklath_prove_engine::{Rows, prove};
use oaklath_simd::{Level, Scalar, dispatch, scratch};

use super::NO_MODULUS;
use crate::q8380417::small::{COPY, Challenge, Small, Sums, fill_small, multiply_small};

/// Returns a challenge with these terms: x^i, and from 256 on -x^(i - 256).
fn challenge_of(terms: impl IntoIterator<Item = usize>) -> Challenge {
    let mut challenge = Challenge::EMPTY;
    terms.into_iter().for_each(|i| challenge.c[i & 255] = if i < 256 { 1 } else { -1 });
    challenge
}

/// Finds the windows of two terms at any places, in order, at each level.
fn windows_of_pairs() -> Result<usize, String> {
    let mut tried = 0;
    for level in Level::available() {
        let windows = |terms: &[usize]| {
            let mut challenge = challenge_of(terms.iter().copied());
            dispatch!(level, s => challenge.index(s));
            let windows = challenge.even.into_iter().zip(challenge.odd).take(challenge.terms);
            windows.map(|(even, odd)| [even, odd]).collect::<Vec<_>>()
        };
        let alone: Vec<_> = (0..512).map(|i| windows(&[i])).collect();
        for (i, j) in (0..512).flat_map(|i| (0..512).map(move |j| (i, j))) {
            if i & 255 < j & 255 {
                tried += 1;
                if windows(&[i, j]) != [&alone[i][..], &alone[j]].concat() {
                    return Err(format!("{level}: other windows of terms {i} and {j}"));
                }
            }
        }
        let is_window = |(i, windows): (usize, &Vec<[u16; 2]>)| {
            let at = 511 - i;
            let of = |window: u16| [at, at + usize::from(COPY)].contains(&window.into());
            windows.len() == 1 && windows[0].iter().all(|window| of(*window))
        };
        if !alone.iter().enumerate().all(is_window) {
            return Err(format!("{level}: another window"));
        }
    }
    Ok(tried)
}

pub(super) fn small_products(rows: &mut Rows) -> Result<(), String> {
    rows.try_all("index, two terms", &windows_of_pairs)?;
    for first in (0..512).step_by(49) {
        // Terms x^i, and from 256 on -x^(i - 256).
        let terms = first..usize::min(first + 49, 512);
        let case = format!("multiply_small, terms {terms:?}");
        prove!(rows, case, modulo NO_MODULUS, limit 1 << 16; |s, io| {
            let mut challenge = challenge_of(terms.clone());
            // It is public: not of the tape.
            challenge.index(Scalar);
            scratch!(f: [i8; 256], small: Small, sums: Sums);
            io.given("|s|", f);
            fill_small(f, small);
            io.given("|s|", f);
            // Both copies begin with the polynomial from its second coefficient on.
            [255, 255 + usize::from(COPY)].iter().for_each(|at| small[*at..at + 256].copy_from_slice(f));
            multiply_small(s, true, small, &challenge, sums);
            io.outputs(sums.as_flattened());
        }, |k| {
            for j in 0..256 {
                // Where x^j comes from: f, or behind it -f.
                let places = terms.clone().map(|i| ((j + 512 - i) & 511, 1));
                let sum = k.sum(&k.form(k.output(j)), &k.form(k.output(256 + j)), 1);
                if sum != k.linear(places) {
                    return Err(format!("coefficient {j} is another sum"));
                }
            }
            Ok(())
        }; Proof8);
    }
    Ok(())
}
