//! That keys are sorted, whatever they are, and the right trits go with them.
use std::format;
use std::string::String;
use std::vec::Vec;

use oaklath_prove_engine::proof::io::unwritten;
use oaklath_prove_engine::proof::memory::Id;
use oaklath_prove_engine::proof::tape::NONE;
use oaklath_prove_engine::{Kernel, Rows, Terms, Theorem, prove};
use oaklath_simd::{I32s, Simd};

use crate::sort::{Columns, FEW, MAX, fixed_weight, read_keys, sort_columns};

/// The theorems about this module.
pub const THEOREMS: &[Theorem] = &[
    Theorem {
        kernels: &["sort::sort_columns"],
        results: &[],
        claim: "512, 768 and 1024 keys in ascending order, by the 0-1 principle; any keys",
        is_quick: false,
        prove: sortings,
    },
    Theorem {
        kernels: &["sort::fixed_weight"],
        results: &[],
        claim: "trit i is what went with the key that `sort_columns` puts in place i: NTRU round 3, \
                section 1.10.5, of 508, 676 and 820; all bytes",
        is_quick: false,
        prove: fixed_weights,
    },
];

#[inline(always)]
fn sort<S: Simd>(s: S, keys: &mut [i32], sorted: &mut [i32]) {
    sort_columns(s, keys);
    Columns::new(s, keys).unroll(|at, v| v.store(&mut sorted[at..]));
}

/// What `sort_columns` does, and the keys after each step.
fn steps<S: Simd>(s: S, keys: &mut [i32], mut see: impl FnMut(&[i32])) {
    let mut columns = Columns::new(s, keys);
    columns.sort_eights(columns.parity(1));
    see(columns.keys);
    let mut run = 8;
    while run < columns.rows {
        columns.merge(run);
        see(columns.keys);
        run *= 2;
    }
    let mut width = 1;
    while width < S::I32::LANES {
        columns.halve_lanes(width, columns.parity(3 * width));
        columns.halve(columns.rows);
        see(columns.keys);
        width *= 2;
    }
}

fn sortings(rows: &mut Rows) -> Result<(), String> {
    for n in [512, FEW, MAX] {
        prove!(rows, format!("{n} keys"), modulo 2, limit 0; |s, io| {
            let (mut keys, mut sorted) = (unwritten(n), unwritten(n));
            io.inputs(&mut keys, i32::MIN.into()..=i32::MAX.into());
            sort(s, &mut keys.clone(), &mut sorted);
            io.outputs(&sorted);
            steps(s, &mut keys, |keys| io.marks(keys));
        }, |k| is_sorted(k, n); Proof8 Proof32);
    }
    Ok(())
}

/// The keys of these columns after a step, one column after the other.
fn keys(k: &Kernel, n: usize, step: usize, columns: core::ops::Range<usize>) -> Vec<Id> {
    let lanes = k.compared_lanes();
    let places = columns.flat_map(|lane| (lane..n).step_by(lanes));
    let all =
        if step == 0 { k.inputs().to_vec() } else { k.marks((step - 1) * n..step * n).collect() };
    places.map(|i| all[i]).collect()
}

/// Step by step: each sorts what the one before has left in order.
fn is_sorted(k: &Kernel, n: usize) -> Result<(), String> {
    let lanes = k.compared_lanes();
    let (rows, is_odd) = (n.div_euclid(lanes), |bits: usize| bits.count_ones() & 1 == 1);
    let mut complements: Vec<bool> = (0..lanes).map(|lane| is_odd(lane & 1)).collect();
    let (mut step, mut run) = (1, 1);
    // Runs within each column: groups of eight first.
    while run < rows {
        let next = if run == 1 { 8 } else { 2 * run };
        for (lane, complement) in complements.iter().enumerate() {
            let [from, to] = [step - 1, step].map(|step| keys(k, n, step, lane..lane + 1));
            for (from, to) in from.chunks(next).zip(to.chunks(next)) {
                let parts = from.chunks(run).map(|part| (part.to_vec(), run == 1 && *complement));
                k.merges(&parts.collect::<Vec<_>>(), to)?;
            }
        }
        (run, step) = (next, step + 1);
    }
    let mut width = 1;
    while width < lanes {
        for first in (0..lanes).step_by(2 * width) {
            let parts = [first, first + width].map(|lane| {
                let complement = is_odd(lane & (3 * width));
                complements[lane..lane + width].iter_mut().for_each(|all| *all ^= complement);
                (keys(k, n, step - 1, lane..lane + width), complement)
            });
            k.merges(&parts, &keys(k, n, step, first..first + 2 * width))?;
        }
        (width, step) = (2 * width, step + 1);
    }
    if complements.contains(&true) {
        return Err("some keys are complements in the end".into());
    }
    k.are_same(k.outputs(0..n).zip(keys(k, n, step - 1, 0..lanes)))
}

fn fixed_weights(rows: &mut Rows) -> Result<(), String> {
    for (n, room, weight) in [(508, 512, 254), (676, FEW, 254), (820, MAX, 510)] {
        prove!(rows, format!("{n} trits, {weight} not zero"), modulo 1 << 20, limit 0; |s, io| {
            let (mut bytes, mut trits) = (unwritten((30 * n) >> 3), unwritten(n));
            io.fields(&mut bytes, 30);
            fixed_weight(s, &bytes, weight, &mut trits);
            io.outputs(&trits);
            let (mut keys, mut sorted) = ([i32::MAX; MAX], unwritten(room));
            read_keys(&bytes, &mut keys);
            keys[..weight >> 1].iter_mut().for_each(|key| *key |= 1);
            keys[weight >> 1..weight & !1].iter_mut().for_each(|key| *key |= 2);
            io.outputs(&keys[..n]);
            sort(s, &mut keys[..room], &mut sorted);
            io.outputs(&sorted[..n]);
        }, |k| {
            let mut keys = Vec::new();
            for i in 0..n {
                // The lowest bit minus the one above.
                let form = k.form(k.output(i));
                let mut bits: Vec<_> =
                    form.iter().map(|([id, none], x)| (k.bit_of(*id), *none, *x)).collect();
                bits.sort_unstable_by_key(|(bit, ..)| bit.map(|(_, at)| at));
                let [(Some((low, 0)), NONE, 1), (Some((high, 1)), NONE, 0xf_ffff)] = bits[..] else {
                    return Err(format!("trit {i} is not of two bits"));
                };
                keys.extend([low, high].map(|key| (key, k.output(2 * n + i))));
            }
            k.are_same(keys)?;
            let mut t = Terms::new(k);
            let wanted: Vec<_> = (0..n).map(|i| {
                let kind = if i < weight >> 1 { 1 } else { 2 * u64::from(i < weight) };
                let (kind, field) = (t.constant(kind, 2), t.part(t.input(i), 0, 30));
                t.joined(&[kind, field])
            }).collect();
            t.prove(k, n, &wanted)
        }; Proof8 Proof32);
    }
    Ok(())
}
