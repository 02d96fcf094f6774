//! Proofs of the hints of signatures.
use std::format;
use std::string::String;
use std::vec::Vec;

use oaklath_prove_engine::proof::io::unwritten;
use oaklath_prove_engine::proof::tape::Op;
use oaklath_prove_engine::{Kernel, Rows, prove};
use oaklath_simd::{I32s, Level, Simd, dispatch, scratch};

use super::standard::{MOST, NO_MODULUS, decompose};
use crate::q8380417::round::{append_ones, each_hints, make_hint, use_hint_encode};
use crate::q8380417::{Poly, Q};

/// FIPS 204, Algorithm 40, literally.
fn use_hint(h: i64, r: i64, m: i64) -> i64 {
    let (r1, r0) = decompose(r, m);
    match (h, r0 > 0) {
        (0, _) => r1,
        (_, true) => (r1 + 1).rem_euclid(m),
        (_, false) => (r1 - 1).rem_euclid(m),
    }
}

pub(super) fn used_hints(rows: &mut Rows) -> Result<(), String> {
    for (m, bits) in [(16, 4), (44, 6)] {
        prove!(rows, format!("use_hint_encode, m = {m}"), modulo Q, limit 1 << 26; |s, io| {
            scratch!(w: Poly, hint: [i8; 256]);
            let mut bytes = unwritten(32 * bits);
            io.given("|w|", &mut w[..]);
            io.given("h", hint);
            use_hint_encode(s, m, w, hint, &mut bytes);
            io.output_fields(&bytes, bits);
        }, |k| {
            let wanted = |w: i64, h: i64| use_hint(h, w.rem_euclid(Q.into()), m.into());
            k.maps_pairs([0, 256], 0..256, &wanted)
        }; Proof8 Proof32);
    }
    Ok(())
}

/// Takes down all hints; returns whether none is missing.
#[inline(always)]
fn all_hints<S: Simd>(s: S, m: i32, of: (&Poly, &Poly, &[u8]), hints: &mut [u8; 32]) -> bool {
    let are_small = each_hints(s, m, of, |bits, i| {
        let hints = &mut hints[i >> 3..(i + S::I32::LANES) >> 3];
        hints.copy_from_slice(&bits.to_le_bytes()[..hints.len()]);
        Some(())
    });
    are_small.expect("all are taken")
}

/// The representative nearest to zero.
fn centred(x: i64) -> i64 {
    (x + (MOST >> 1)).rem_euclid(Q.into()) - (MOST >> 1)
}

pub(super) fn new_hints(rows: &mut Rows) -> Result<(), String> {
    for (m, bits) in [(16, 4), (44, 6)] {
        let gamma2 = MOST.div_euclid(2 * i64::from(m));
        prove!(rows, format!("make_hint, m = {m}"), modulo NO_MODULUS, limit 1 << 25; |s, io| {
            scratch!(r0: Poly, ct0: Poly, hints: [u8; 32]);
            let mut w1 = unwritten(32 * bits);
            io.given_within("|r0|", &mut r0[..], 1 - gamma2..=gamma2 - 1);
            io.given("|ct0|", &mut ct0[..]);
            io.fields(&mut w1, bits);
            let are_small = all_hints(s, m, (r0, ct0, &w1), hints);
            io.output_fields(hints, 1);
            io.result(are_small.into());
        }, |k| are_hints(k, m.into(), gamma2); Proof8 Proof32);
    }
    rows.try_all("places of ones", &places_of_ones)?;
    rows.try_all("places of hints", &places_of_hints)?;
    rows.try_all("numbers of hints", &numbers_of_hints)
}

/// Checks that the outputs are the hints for the inputs: r0, ct0, and w1.
fn are_hints(k: &Kernel, m: i64, gamma2: i64) -> Result<(), String> {
    if k.returns_whether_all(|x| centred(x).abs() < gamma2)? != k.inputs()[256..512] {
        return Err("decided by other numbers".into());
    }
    let (mut hints, mut centres) = (Vec::new(), Vec::new());
    for i in 0..256 {
        // A hint depends on w1 and on the sum of r0 and the centred ct0.
        let [w1, sum] = k.roots_of(k.output(i))[..] else { return Err("of other numbers".into()) };
        let (r0, centre) = k.arguments_of(sum, Op::Add)?;
        if (r0, w1) != (k.input(i), k.input(512 + i)) {
            return Err(format!("hint {i} is of other numbers"));
        }
        hints.push((k.output(i), [sum, w1]));
        centres.push(centre);
    }
    if k.are_function(centres, centred)? != k.inputs()[256..512] {
        return Err("not of ct0".into());
    }
    // |r0| and |ct0| are below gamma2, and w1 is HighBits(w - cs2).
    let most = 2 * gamma2 - 2;
    let assumed = [("|sum|", (-most, most)), ("w1", (0, m - 1))].map(Some);
    k.are_functions_of_pairs(&hints, assumed, &|sum, w1| {
        let r = (2 * gamma2 * w1 + sum).rem_euclid(Q.into());
        i64::from(decompose(r, m).0 != w1)
    })
}

/// Appends the places of ones of each mask that a vector may have.
fn places_of_ones() -> Result<usize, String> {
    let mut tried = 0;
    for i in (0..256).step_by(8) {
        for mask in 0..1_u64 << usize::min(16, 256 - i) {
            let ones = mask.count_ones() as usize;
            scratch!(positions: [u8; 19]);
            let n = append_ones(mask, i, positions, 3);
            let wanted = (0..16).filter(|bit| mask >> bit & 1 == 1).map(|bit| (i + bit) as u8);
            let too_few = append_ones(mask, i, &mut [0; 19][..ones + 2], 3);
            if n != Some(3 + ones)
                || !wanted.eq(positions[3..3 + ones].iter().copied())
                || too_few.is_some() != (ones == 0)
            {
                return Err(format!("other places of {mask:#x} at {i}"));
            }
            tried += 1;
        }
    }
    Ok(tried)
}

/// Makes a hint at each place, alone and before one at the end, and none for a large ct0 there: so
/// each vector's hints are appended to those before, and each ct0 counts.
fn places_of_hints() -> Result<usize, String> {
    let mut tried = 0;
    for (level, m) in Level::available().flat_map(|level| [(level, 16), (level, 44)]) {
        let gamma2 = (Q - 1).div_euclid(2 * m);
        for i in 0..255 {
            let (mut r0, mut ct0) = (Poly::new([0; 256]), Poly::new([0; 256]));
            let mut hints_with = |at: usize, x| {
                (r0[at], ct0[at]) = (gamma2 - 1, x);
                let mut all = [0; 5];
                let n = dispatch!(level, s => make_hint(s, m, &r0, &ct0, &[0; 192], &mut all, 3));
                n.map(|n| (n, all))
            };
            let place = i as u8;
            if hints_with(i, gamma2 - 1) != Some((4, [0, 0, 0, place, 0]))
                || hints_with(255, gamma2 - 1) != Some((5, [0, 0, 0, place, 255]))
                || hints_with(i, gamma2).is_some()
            {
                return Err(format!("{level}: another hint at {i}, m = {m}"));
            }
            tried += 1;
        }
    }
    Ok(tried)
}

/// Makes each number of hints after each number of others, with room for omega, and one too many:
/// so how many there are decides nothing else.
fn numbers_of_hints() -> Result<usize, String> {
    let mut tried = 0;
    // m and omega of each set: FIPS 204, table 1.
    for (m, omega) in [(44, 80), (16, 55), (16, 75)] {
        let gamma2 = (Q - 1).div_euclid(2 * m);
        let r0 = Poly::new([gamma2 - 1; 256]);
        for (before, ones) in (0..=omega).flat_map(|n| (0..=omega + 1 - n).map(move |m| (n, m))) {
            // There is a hint where ct0 is positive: at other places for each number before.
            let places: Vec<u8> = (0..ones).map(|i| (3 * i + before) as u8).collect();
            let mut ct0 = Poly::new([0; 256]);
            places.iter().for_each(|place| ct0[usize::from(*place)] = gamma2 - 1);
            for level in Level::available() {
                let all = &mut [0; 80][..omega];
                let n = dispatch!(level, s => make_hint(s, m, &r0, &ct0, &[0; 192], all, before));
                let is_right = match n {
                    Some(n) => n == before + ones && all[before..n] == places,
                    None => before + ones > omega,
                };
                if !is_right {
                    return Err(format!("{level}: {n:?} after {ones} hints and {before} before"));
                }
                tried += 1;
            }
        }
    }
    Ok(tried)
}
