//! What is trusted of the backends, for every input: that an operation on lanes of 16 bits does at
//! each SIMD level what the tape has of it, for all 2^32 pairs of numbers; and that a filter keeps
//! what it should, whichever lanes that are.
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use anyhow::{Result, bail, ensure};
use oaklath_prove_engine::proof::Proof8;
use oaklath_prove_engine::proof::io::Io;
use oaklath_prove_engine::proof::record::record;
use oaklath_prove_engine::{Kernel, Level};
use oaklath_simd::{I16s, I32s, Simd, dispatch};

/// An operation on two vectors: on the tape, and for numbers at a level.
struct Operation {
    name: &'static str,
    record: fn(&mut Io),
    compute: fn(Level, &[i16], &[i16], &mut [i16]),
    /// Whether the documentation excepts the least number twice.
    is_partial: bool,
}

macro_rules! operations {
    ($($name:literal $partial:literal: |$s:ident, $x:ident, $y:ident| $e:expr;)*) => { &[$({
        #[inline(always)]
        fn apply<S: Simd>($s: S, a: &[i16], b: &[i16], to: &mut [i16]) {
            let lanes = S::I16::LANES;
            let all = a.chunks_exact(lanes).zip(b.chunks_exact(lanes));
            for ((a, b), to) in all.zip(to.chunks_exact_mut(lanes)) {
                let ($x, $y) = (S::I16::load($s, a), S::I16::load($s, b));
                $e.store(to);
            }
        }
        Operation {
            name: $name,
            record: |io| {
                let mut ab = [[0; 8]; 2];
                ab.iter_mut().for_each(|lanes| io.inputs(lanes, -32768..=32767));
                let mut to = [0; 8];
                apply(Proof8 {}, &ab[0], &ab[1], &mut to);
                io.outputs(&to);
            },
            compute: |level, a, b, to| dispatch!(level, s => apply(s, a, b, to)),
            is_partial: $partial,
        }
    }),*] };
}

const OPERATIONS: &[Operation] = operations! {
    "+" false: |s, x, y| (x + y);
    "-" false: |s, x, y| (x - y);
    "&" false: |s, x, y| (x & y);
    "|" false: |s, x, y| (x | y);
    "^" false: |s, x, y| (x ^ y);
    "mullo" false: |s, x, y| x.mullo(y);
    "mulhi" true: |s, x, y| x.mulhi(y);
    "mulhrs" true: |s, x, y| x.mulhrs(y);
    "min_unsigned" false: |s, x, y| x.min_unsigned(y);
    "mul_montgomery modulo 3329" true: |s, x, y| {
        let z = [y, y.mullo(S::I16::splat(s, -3327))];
        x.mul_montgomery(z, S::I16::splat(s, 3329))
    };
};

/// Checks all operations, on all processors.
pub(crate) fn check_all() -> Result<()> {
    for level in Level::available() {
        dispatch!(level, s => check_filters(s))?;
    }
    let (next, errors) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(operation) = OPERATIONS.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let start = Instant::now();
                    match check_pairs(operation) {
                        Ok(()) => println!(
                            "{}: all pairs of 16 bits, {:.0} s",
                            operation.name,
                            start.elapsed().as_secs_f64()
                        ),
                        Err(error) => errors.lock().expect("no thread has died").push(error),
                    }
                }
            });
        }
    });
    match errors.into_inner().expect("no thread has died").pop() {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// Compares each lane of a tape's operation with each level.
fn check_pairs(operation: &Operation) -> Result<()> {
    let tape = record(&operation.record).remove(0);
    let k = Kernel::new(operation.name, 3329, 1 << 16, tape);
    let (mut wrong, mut results) = (None, vec![0; 512]);
    k.for_each_pair(k.output(0), [k.input(0), k.input(8)], &mut |xs, y, zs| {
        let a: Vec<i16> = xs.iter().map(|x| *x as i16).collect();
        let b = vec![y as i16; a.len()];
        for level in Level::available() {
            (operation.compute)(level, &a, &b, &mut results);
            let is_wrong = |i: &usize| {
                let is_excepted = operation.is_partial && a[*i] == i16::MIN && b[*i] == i16::MIN;
                i64::from(results[*i]) != zs[*i] && !is_excepted
            };
            if let Some(i) = (0..a.len()).find(is_wrong) {
                wrong.get_or_insert((level, a[i], b[i], results[i], zs[i]));
            }
        }
    });
    match wrong {
        Some((level, a, b, is, wanted)) => {
            bail!("{} of {a} and {b} at {level} is {is}, not {wanted}", operation.name)
        }
        None => Ok(()),
    }
}

/// Filters that keep each choice of 16 lanes next to each other.
#[inline(always)]
fn check_filters<S: Simd>(s: S) -> Result<()> {
    for kept in 0..=u16::MAX {
        for others in [0, u64::MAX] {
            for at in (0..S::I16::LANES).step_by(16) {
                let kept = others & !(0xffff << at) | u64::from(kept) << at;
                let lanes: Vec<i16> =
                    (0..32).map(|i| (kept >> i & 1 ^ 1) as i16 * 99 + i).collect();
                let mut to = [0; 64];
                let n = S::I16::load(s, &lanes).append_below_vartime(99, &mut to, 7);
                let lanes = lanes[..S::I16::LANES].iter().filter(|lane| **lane < 99);
                ensure!(lanes.eq(&to[7..n]), "a filter of 16 bits at {s:?}: {kept:x}");
            }
            let kept = u64::from(kept);
            let lanes: Vec<i32> = (0..16).map(|i| (kept >> i & 1 ^ 1) as i32 * 99 + i).collect();
            let mut to = [0; 64];
            let n = S::I32::load(s, &lanes).append_below_vartime(99, &mut to, 7);
            let lanes = lanes[..S::I32::LANES].iter().filter(|lane| **lane < 99);
            ensure!(lanes.eq(&to[7..n]), "a filter of 32 bits at {s:?}: {kept:x}");
        }
    }
    Ok(())
}
