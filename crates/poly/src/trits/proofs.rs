//! What trits are, proven for every input.
use std::format;
use std::string::String;
use std::vec;

use oaklath_prove_engine::proof::io::unwritten;
use oaklath_prove_engine::{Rows, Theorem, prove};
use oaklath_simd::{I16s, Simd, scratch};

use crate::trits::{from_bytes, pack, packed, reduce, unpack};

/// The theorems about this module.
pub const THEOREMS: &[Theorem] = &[
    Theorem {
        kernels: &["trits::reduce", "trits::from_bytes"],
        results: &[],
        claim: "x modulo 3, centred: |x| < 2^14, and all bytes, of 508, 676, 700 and 820",
        is_quick: true,
        prove: reductions,
    },
    Theorem {
        kernels: &["trits::pack", "trits::packed"],
        results: &[],
        claim: "byte i is the sum of 3^k times trit 5 i + k, where -1 counts 2: NTRU round 3, \
                section 1.8.7, of 508, 676, 700 and 820; any trits",
        is_quick: true,
        prove: packings,
    },
    Theorem {
        kernels: &["trits::unpack"],
        results: &[],
        claim: "trit 5 i + k is byte i / 3^k modulo 3, centred, of 508, 676, 700 and 820; all bytes",
        is_quick: true,
        prove: unpackings,
    },
];

/// How many trits NTRU has.
const LENGTHS: [usize; 4] = [508, 676, 700, 820];

/// What trits count.
const POWERS: [i64; 5] = [1, 3, 9, 27, 81];

fn centred(x: i64) -> i64 {
    (x + 1).rem_euclid(3) - 1
}

#[inline(always)]
fn reduced<S: Simd>(s: S, x: &mut [i16]) {
    reduce(s, S::I16::load(s, x)).store(x);
}

fn reductions(rows: &mut Rows) -> Result<(), String> {
    prove!(rows, "reduce", modulo 3, limit 1 << 16; |s, io| {
        scratch!(x: [i16; 32]);
        io.given("|x|", x);
        reduced(s, x);
        io.outputs(&x[..1]);
    }, |k| k.maps(0, 0..1, centred));
    for n in LENGTHS {
        prove!(rows, format!("from_bytes, {n}"), modulo 3, limit 1 << 16; |s, io| {
            let (mut bytes, mut trits) = (unwritten(n), unwritten(n));
            io.fields(&mut bytes, 8);
            from_bytes(s, &bytes, &mut trits);
            io.outputs(&trits);
        }, |k| k.maps(0, 0..n, centred));
    }
    Ok(())
}

fn packings(rows: &mut Rows) -> Result<(), String> {
    for n in LENGTHS {
        prove!(rows, format!("pack {n}"), modulo 1 << 20, limit 1 << 16; |s, io| {
            let (mut trits, mut bytes) = (unwritten(n), unwritten(packed(n)));
            io.inputs(&mut trits, -1..=1);
            pack(s, &trits, &mut bytes);
            io.output_fields(&bytes, 8);
        }, |k| {
            let mut seen = vec![0; n];
            for i in 0..packed(n) {
                for ([id, _], factor) in k.form(k.output(i)).iter() {
                    let root = k.functions_have([*id], |_, _| true)?[0];
                    let at = k.inputs().iter().position(|input| *input == root).unwrap_or(n);
                    let Some(power) = at.checked_sub(5 * i).and_then(|at| POWERS.get(at)) else {
                        return Err(format!("byte {i} has another trit: {at}"));
                    };
                    let digit = |x: i64| if x < 0 { x + 3 } else { x };
                    let is_counted = |x, y| *factor as i64 * y == power * digit(x);
                    k.functions_have([*id], is_counted)?;
                    seen[at] += 1;
                }
            }
            if seen.iter().any(|count| *count != 1) {
                return Err("a trit counts twice, or not".into());
            }
            k.outputs_within(0..packed(n), (0, 242))
        });
    }
    Ok(())
}

fn unpackings(rows: &mut Rows) -> Result<(), String> {
    for n in LENGTHS {
        prove!(rows, format!("unpack {n}"), modulo 3, limit 1 << 16; |s, io| {
            let (mut bytes, mut trits) = (unwritten(packed(n)), unwritten(n));
            io.fields(&mut bytes, 8);
            unpack(s, &bytes, &mut trits);
            io.outputs(&trits);
        }, |k| {
            (0..).zip(POWERS).try_for_each(|(digit, power)| {
                k.maps(0, (digit..n).step_by(5), |byte| centred(byte.div_euclid(power)))
            })
        });
    }
    Ok(())
}
