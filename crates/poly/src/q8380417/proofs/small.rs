//! Proofs of products with a challenge.
use core::array;
use core::ops::Range;
use std::format;
use std::string::String;
use std::vec::Vec;

use oaklath_prove_engine::{Rows, prove};
use oaklath_simd::{Level, Scalar, dispatch, scratch};

use super::standard::NO_MODULUS;
use crate::q8380417::small::{COPY, Challenge, Small, Sums, fill_small, multiply_small};

/// Whether a product has two sums, its terms and the largest |s|: of ML-DSA-44, -65 and -87.
pub const SMALL_PRODUCTS: [(bool, usize, i32); 3] = [(false, 39, 2), (true, 49, 4), (false, 60, 2)];

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

/// Fills with polynomials whose coefficients all differ, so that each has each value once.
fn filled() -> Result<usize, String> {
    for first in 0..=255_u8 {
        let f: [i8; 256] = array::from_fn(|i| first.wrapping_add(i as u8) as i8);
        let mut small = Small::new([0; 1600]);
        fill_small(&f, &mut small);
        let negated = f.map(i8::wrapping_neg);
        let wanted = &[f, negated, f].concat()[1..];
        if [0, usize::from(COPY)].iter().any(|at| small[*at..at + 767] != *wanted) {
            return Err(format!("other bytes for {first} and what follows"));
        }
    }
    Ok(256 * 256)
}

pub(super) fn small_products(rows: &mut Rows) -> Result<(), String> {
    rows.try_all("index, two terms", &windows_of_pairs)?;
    rows.try_all("fill_small, each value", &filled)?;
    for (split, count, eta) in SMALL_PRODUCTS {
        for first in (0..512).step_by(count) {
            // Terms x^i, and from 256 on -x^(i - 256).
            let terms = first..usize::min(first + count, 512);
            products_with(rows, split, &terms, eta.into())?;
        }
    }
    Ok(())
}

/// Vectors of bytes have 32 lanes in each backend, so one recording is all.
fn products_with(
    rows: &mut Rows,
    split: bool,
    terms: &Range<usize>,
    eta: i64,
) -> Result<(), String> {
    let sums = if split { "two sums" } else { "one sum" };
    let case = format!("multiply_small, {sums}, terms {terms:?}");
    prove!(rows, case, modulo NO_MODULUS, limit 1 << 16; |s, io| {
        let mut challenge = challenge_of(terms.clone());
        // It is public: not of the tape.
        challenge.index(Scalar);
        scratch!(f: [i8; 256], small: Small, sums: Sums);
        io.given_within("|s|", f, -eta..=eta);
        fill_small(f, small);
        io.given_within("|s|", f, -eta..=eta);
        // Both copies begin with the polynomial from its second coefficient on.
        [255, 255 + usize::from(COPY)].iter().for_each(|at| small[*at..at + 256].copy_from_slice(f));
        multiply_small(s, split, small, &challenge, sums);
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
    Ok(())
}
