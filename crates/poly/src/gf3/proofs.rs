//! What the parts of a division step compute, proven for every input.
use std::format;
use std::string::String;
use std::vec::Vec;

use oaklath_prove_engine::{Kernel, Rows, Terms, Theorem, prove};
use oaklath_simd::{Bits, Simd, scratch};

use crate::gf3::{Pair, Planes, Step, centre, slice_bits, unslice_bits};

/// The theorems about this module.
pub const THEOREMS: &[Theorem] = &[
    Theorem {
        kernels: &["gf3::unslice_bits", "gf3::centre"],
        results: &[],
        claim: "each coefficient comes from its bits of both planes, of all 1024 and four values; \
                -2 to 2 modulo 3",
        is_quick: true,
        prove: coefficients,
    },
    Theorem {
        kernels: &["gf3::slice_bits"],
        results: &[],
        claim: "bit i / S of word i mod S is whether coefficient i is not zero, and in the second \
                plane whether it is negative, S = 4 R = 8, 12, 16; any coefficients -1, 0, 1",
        is_quick: true,
        prove: slices,
    },
    Theorem {
        kernels: &["gf3::new", "gf3::apply"],
        results: &[],
        claim: "f or g, and g + c f over GF(3), of each coefficient, for c = -1, 0, 1; R = 2, 3, 4; \
                any f, g, c and swap",
        is_quick: true,
        prove: applications,
    },
    Theorem {
        kernels: &["gf3::shift_down", "gf3::shift_up"],
        results: &[],
        claim: "g / x and x f, R = 2, 3, 4; any f and g",
        is_quick: true,
        prove: shifts,
    },
];

/// Any 64 bits.
const ANY: core::ops::RangeInclusive<i64> = i64::MIN..=i64::MAX;

/// A pair made of two polynomials, what is done to it, and both again.
#[inline(always)]
fn changed<S: Simd, const R: usize>(
    s: S,
    fg: &mut [Planes<R>; 2],
    change: impl FnOnce(&mut Pair<S, R>),
) {
    let mut pair = Pair::<S, R>::new(s, &fg[0], &fg[1]);
    change(&mut pair);
    for (planes, vectors) in fg.iter_mut().zip([pair.f, pair.g]) {
        for (r, vectors) in vectors.into_iter().enumerate() {
            (planes[0][r], planes[1][r]) = (vectors[0].to_words(), vectors[1].to_words());
        }
    }
}

#[inline(always)]
fn applied<S: Simd, const R: usize>(s: S, masks: &[[u64; 4]; 3], fg: &mut [Planes<R>; 2]) {
    let [nonzero, negative, swap] = masks.map(|mask| S::Bits::from_words(s, &mask));
    changed::<S, R>(s, fg, |pair| pair.apply(&Step { nonzero, negative, swap }));
}

#[inline(always)]
fn shifted<S: Simd, const R: usize>(s: S, fg: &mut [Planes<R>; 2]) {
    changed::<S, R>(s, fg, |pair| {
        pair.shift_down();
        pair.shift_up();
    });
}

fn slices(rows: &mut Rows) -> Result<(), String> {
    slices_of::<2>(rows)?;
    slices_of::<3>(rows)?;
    slices_of::<4>(rows)
}

fn slices_of<const R: usize>(rows: &mut Rows) -> Result<(), String> {
    prove!(rows, format!("slice_bits, R = {R}"), modulo 3, limit 1 << 16; |s, io| {
        scratch!(a: [i16; 1024], planes: Planes<R>);
        io.inputs(a, -1..=1);
        slice_bits::<_, R>(s, a, planes);
        let words = planes.as_flattened().as_flattened();
        words.iter().for_each(|word| io.output_fields(&word.to_le_bytes(), 1));
    }, |k| {
        let n = 256 * R;
        // Coefficient 4 R i + w is bit i of word w, which is word w / R of vector w % R.
        let place = |w: usize| 4 * w.rem_euclid(R) + w.div_euclid(R);
        let places = (0..64).flat_map(|i| (0..4 * R).map(move |w| 64 * place(w) + i));
        k.maps(0, places.clone(), |x| i64::from(x != 0))?;
        k.maps(0, places.map(|at| n + at), |x| i64::from(x < 0))
    });
    Ok(())
}

fn applications(rows: &mut Rows) -> Result<(), String> {
    applications_of::<2>(rows)?;
    applications_of::<3>(rows)?;
    applications_of::<4>(rows)
}

fn applications_of<const R: usize>(rows: &mut Rows) -> Result<(), String> {
    prove!(rows, format!("apply, R = {R}"), modulo 3, limit 0; |s, io| {
        scratch!(masks: [[u64; 4]; 3], fg: [Planes<R>; 2]);
        io.inputs(masks[..2].as_flattened_mut(), ANY);
        io.inputs(&mut masks[2], -1..=0);
        io.inputs(fg.as_flattened_mut().as_flattened_mut().as_flattened_mut(), ANY);
        applied::<_, R>(s, masks, fg);
        io.outputs(fg.as_flattened().as_flattened().as_flattened());
    }, |k| (0..4 * R).try_for_each(|word| is_applied::<R>(k, word)); Proof8);
    Ok(())
}

/// -1, 0, 1 of the bits of both planes; nothing if only the second is set.
fn element(nonzero: u64, negative: u64) -> Option<i64> {
    (nonzero >= negative).then_some(nonzero as i64 - 2 * negative as i64)
}

/// That the elements in a word are what a step makes of them.
fn is_applied<const R: usize>(k: &Kernel, word: usize) -> Result<(), String> {
    // f, then g; the first plane, then the second.
    let planes = [0, 1, 2, 3].map(|plane| 4 * R * plane + word);
    let mask = |i: usize| k.input(4 * i + (word & 3));
    let [f0, f1, g0, g1] = planes.map(|at| k.input(12 + at));
    let table = |i: usize, of: &[_]| k.truth_table(k.output(planes[i]), of);
    let bit = |x: u64, i: usize| x >> i & 1;
    for plane in 0..2 {
        let swapped = table(plane, &[[f0, f1][plane], [g0, g1][plane], mask(2)])?;
        if (0..8).any(|i| bit(swapped, i) != bit(i as u64, i >> 2)) {
            return Err(format!("word {word} of f is another choice"));
        }
    }
    let of = [f0, f1, g0, g1, mask(0), mask(1)];
    let (first, second) = (table(2, &of)?, table(3, &of)?);
    for i in 0..64 {
        let pair = |at: usize| element(bit(i as u64, at), bit(i as u64, at + 1));
        let (Some(f), Some(g), Some(c)) = (pair(0), pair(2), pair(4)) else { continue };
        let sum = (g + c * f + 4).rem_euclid(3) - 1;
        if element(bit(first, i), bit(second, i)) != Some(sum) {
            return Err(format!("word {word}: {g} + {c} {f} is not {sum}"));
        }
    }
    Ok(())
}

fn shifts(rows: &mut Rows) -> Result<(), String> {
    shifts_of::<2>(rows)?;
    shifts_of::<3>(rows)?;
    shifts_of::<4>(rows)
}

fn shifts_of<const R: usize>(rows: &mut Rows) -> Result<(), String> {
    prove!(rows, format!("shift_down, shift_up, R = {R}"), modulo 3, limit 0; |s, io| {
        scratch!(fg: [Planes<R>; 2]);
        io.inputs(fg.as_flattened_mut().as_flattened_mut().as_flattened_mut(), ANY);
        shifted::<_, R>(s, fg);
        io.outputs(fg.as_flattened().as_flattened().as_flattened());
    }, |k| {
        let mut t = Terms::new(k);
        // Bit i of word w is coefficient 4 R i + w; word w is word w / R of vector w % R.
        let place = |w: usize| 4 * w.rem_euclid(R) + w.div_euclid(R);
        let (n, mut wanted) = (4 * R, Vec::new());
        for plane in 0..4 {
            let input = |t: &Terms, w: usize| t.input(n * plane + place(w));
            let mut words = Vec::new();
            for w in 0..n {
                let term = match (plane < 2, w) {
                    (true, 0) => {
                        let (zero, last) = (t.constant(0, 1), input(&t, n - 1));
                        let low = t.part(last, 0, 63);
                        t.joined(&[zero, low])
                    }
                    (true, _) => input(&t, w - 1),
                    (false, _) if w == n - 1 => {
                        let first = input(&t, 0);
                        t.shifted(first, 1)
                    }
                    (false, _) => input(&t, w + 1),
                };
                words.push((place(w), term));
            }
            words.sort_unstable();
            wanted.extend(words.into_iter().map(|(_, term)| term));
        }
        t.prove(k, 0, &wanted)
    }; Proof8);
    Ok(())
}

/// A coefficient depends on one bit of each plane, which is tried with all others zero and one.
fn coefficients(rows: &mut Rows) -> Result<(), String> {
    rows.try_all("unslice_bits, centre", &|| {
        if (-2..=2).any(|x: i16| centre(x) != (x + 1).rem_euclid(3) - 1) {
            return Err("other representatives".into());
        }
        coefficients_of::<2>()?;
        coefficients_of::<3>()?;
        coefficients_of::<4>()
    })
}

fn coefficients_of<const R: usize>() -> Result<usize, String> {
    let (mut tried, all) = (0, 256 * R);
    for (at, others) in (0..all).flat_map(|at| [(at, 0), (at, u64::MAX)]) {
        for (nonzero, negative) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            scratch!(a: [i16; 1024]);
            let mut planes = [[[others; 4]; R]; 2];
            // Bit at / S of word at mod S, which is word w / R of vector w mod R.
            let (word, bit) = (at.rem_euclid(4 * R), at.div_euclid(4 * R));
            for (plane, x) in planes.iter_mut().zip([nonzero, negative]) {
                let word = &mut plane[word.rem_euclid(R)][word.div_euclid(R)];
                *word = *word & !(1 << bit) | x << bit;
            }
            unslice_bits::<R>(&planes, a);
            let other = if others == 0 { 0 } else { -1 };
            let wanted = nonzero as i16 - 2 * negative as i16;
            let is_other = |(i, x): (usize, &i16)| *x == if i == at { wanted } else { other };
            if !a[..all].iter().enumerate().all(is_other) {
                return Err(format!("coefficient {at} of {all}"));
            }
            tried += 1;
        }
    }
    Ok(tried)
}
