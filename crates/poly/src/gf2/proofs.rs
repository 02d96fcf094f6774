//! That bit strings are polynomials, for every input.
use std::format;
use std::string::String;

use oaklath_prove_engine::{Rows, Theorem, prove};
use oaklath_simd::{Level, dispatch, scratch};

use crate::gf2::{square_times, times, to_coefficients, to_words};

/// The theorems about this module.
pub const THEOREMS: &[Theorem] = &[
    Theorem {
        kernels: &["gf2::to_words", "gf2::to_coefficients"],
        results: &[],
        claim: "bit i is coefficient i modulo 2, and coefficient i is bit i, of 13 words; any",
        is_quick: true,
        prove: conversions,
    },
    Theorem {
        kernels: &[
            "gf2::square",
            "gf2::square_times",
            "gf2::permute",
            "gf2::fold",
            "gf2::low_bits",
            "gf2::times",
            "gf2::modulo",
        ],
        results: &[],
        claim: "a^(2^k) modulo x^n - 1, for each k that an inverse takes, n = 509, 677, 701, 821; \
                any a: the function is linear, so that the powers of x decide",
        is_quick: false,
        prove: powers,
    },
];

/// The most coefficients that NTRU has, in whole words.
const N: usize = 64 * 13;

fn conversions(rows: &mut Rows) -> Result<(), String> {
    prove!(rows, "to_words, to_coefficients", modulo 3, limit 1 << 16; |s, io| {
        scratch!(a: [i16; N], words: [u64; N >> 6]);
        io.inputs(a, -32768..=32767);
        to_words(s, a, words);
        io.output_fields(words.map(u64::to_le_bytes).as_flattened(), 1);
        to_coefficients(s, words, a);
        io.outputs(a);
    }, |k| {
        k.maps(0, 0..N, |x| x & 1)?;
        k.maps(0, N..2 * N, |x| x & 1)
    });
    Ok(())
}

fn powers(rows: &mut Rows) -> Result<(), String> {
    rows.try_all("n = 509", &|| powers_of_two_of::<8>(509))?;
    rows.try_all("n = 677", &|| powers_of_two_of::<11>(677))?;
    rows.try_all("n = 701", &|| powers_of_two_of::<11>(701))?;
    rows.try_all("n = 821", &|| powers_of_two_of::<13>(821))
}

/// Squares each power of x k times. Squares over GF(2) are linear: products of words with
/// themselves, shifts, sums and masks. Permutations move bits.
fn powers_of_two_of<const W: usize>(n: usize) -> Result<usize, String> {
    let (mut tried, half) = (0, n.div_ceil(2));
    for level in Level::available() {
        // 2^k factor = 1, and 2^k is x^1 to which power.
        let (mut factor, mut power) = (half, 2);
        for k in 1..n - 1 {
            // The leading bits of n - 2, as numbers.
            let is_taken = (0..10).any(|bits| (n - 2) >> bits == k);
            for i in (0..n).filter(|_| is_taken || k < 9) {
                let mut a = [0; W];
                a[i >> 6] = 1 << (i & 63);
                dispatch!(level, s => square_times(s, n, (k, factor), &mut a));
                let (to, mut wanted) = ((i * power).rem_euclid(n), [0; W]);
                wanted[to >> 6] = 1 << (to & 63);
                if a != wanted {
                    return Err(format!("{level}: x^{i} to the power 2^{k}"));
                }
                tried += 1;
            }
            (factor, power) = (times(n, factor, half), (2 * power).rem_euclid(n));
        }
    }
    Ok(tried)
}
