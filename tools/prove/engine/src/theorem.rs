//! Theorems: claims about kernels, and the loop that proves them.
use std::collections::HashMap;
use std::mem::take;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use oaklath_simd::Level;
use oaklath_simd::proof::io::{Io, sample};
use oaklath_simd::proof::record::record;

use crate::checker::check;
use crate::kernel::Kernel;
use crate::known::{Range, Summaries};

/// A claim about kernels, for every input in a range.
pub struct Theorem {
    /// The kernels as paths within their crate.
    pub kernels: &'static [&'static str],
    /// The largest results, as the documentation of functions states them.
    pub results: &'static [(&'static str, i64)],
    /// The claim, and for which inputs it holds.
    pub claim: &'static str,
    /// Whether the proof takes seconds at most, so that `cargo test` runs it, too.
    pub is_quick: bool,
    /// Proves the claim.
    pub prove: fn(&mut Rows) -> Result<(), String>,
}

/// The proof of a case of a theorem for one number of lanes.
#[derive(Clone, Default)]
pub struct Proven {
    /// The case of the theorem.
    pub case: String,
    /// The name of the token.
    pub lanes: &'static str,
    /// The number of operations on the tape.
    pub operations: usize,
    /// The number of duties that are fulfilled.
    pub duties: usize,
    /// The ranges as stated and as proven.
    pub ranges: Vec<(Range, Range)>,
    /// The duration of the proof.
    pub time: Duration,
}

/// The proofs of all cases of a theorem.
#[derive(Default)]
pub struct Rows(pub Vec<Proven>, HashMap<i64, Summaries>);

impl Rows {
    /// Proves a case at one number of lanes: duties are fulfilled and `claim` holds after each
    /// sequence of decisions, and the `real` backends do what the tape says.
    ///
    /// # Errors
    /// What does not hold, and for which case.
    pub fn check(
        &mut self,
        (case, lanes): (&str, &'static str),
        (q, limit): (i64, u64),
        kernel: &dyn Fn(&mut Io),
        real: &dyn Fn(Level, &mut Io),
        claim: &dyn Fn(&Kernel) -> Result<(), String>,
    ) -> Result<(), String> {
        let start = Instant::now();
        let name = format!("{case}, {lanes}");
        let mut row = Proven { case: case.into(), lanes, ..Proven::default() };
        let functions = self.1.entry(q).or_default();
        for tape in record(kernel) {
            let kernel = Kernel::with_summaries(&name, (q, limit), tape, take(functions));
            row.duties += kernel.duties()?;
            row.operations += kernel.operations();
            claim(&kernel)?;
            // All levels draw the same inputs, unless they differ in how many there are.
            let mut checked: HashMap<Vec<i64>, Option<Vec<i64>>> = HashMap::new();
            // What is opaque cannot be computed.
            let is_whole = kernel.tape.calls.is_empty();
            let levels = Level::available().filter(|_| is_whole);
            for (level, seed) in levels.flat_map(|level| [(level, 0), (level, 1)]) {
                let [inputs, outputs, results] = sample(seed, |io| real(level, io));
                if !checked.contains_key(&inputs) {
                    checked.insert(inputs.clone(), check(&kernel, &inputs)?);
                }
                let Some(all) = &checked[&inputs] else { continue };
                if *all != outputs || kernel.results() != results {
                    return Err(format!("{name}: {level} gives another output"));
                }
            }
            let mut known = kernel.known.take();
            row.ranges.append(&mut known.stated);
            *functions = known.functions;
        }
        row.time = start.elapsed();
        self.0.push(row);
        Ok(())
    }

    /// Proves a case of plain code by trying all that its results depend on; `claim` returns how
    /// many trials that were.
    ///
    /// # Errors
    /// What does not hold.
    pub fn try_all(
        &mut self,
        case: &str,
        claim: &dyn Fn() -> Result<usize, String>,
    ) -> Result<(), String> {
        let start = Instant::now();
        let operations = claim().map_err(|error| format!("{case}: {error}"))?;
        let (case, time) = (case.into(), start.elapsed());
        self.0.push(Proven { case, lanes: "tried", operations, time, ..Proven::default() });
        Ok(())
    }

    /// Checks that each stated range is as wide as the widest one proven at any number of lanes.
    fn check_stated(&self) -> Result<(), String> {
        for row in &self.0 {
            for (i, (stated, _)) in row.ranges.iter().enumerate() {
                let same = self.0.iter().filter(|other| other.case == row.case);
                let (least, most) = same
                    .map(|other| other.ranges[i].1)
                    .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
                    .unwrap_or_default();
                if most.max(-least) != stated.1.max(-stated.0) {
                    return Err(format!(
                        "{}: range {i} is stated as {stated:?}, but is {:?}",
                        row.case,
                        (least, most)
                    ));
                }
            }
        }
        Ok(())
    }
}

/// Proves theorems, on all processors, and returns what was proven of each, or where it fails: the
/// kernels, the case, and of a number the operation, its lane, its place and its range.
///
/// # Panics
/// If no thread can be started.
#[must_use]
pub fn run(theorems: &[&Theorem]) -> Vec<Result<Rows, String>> {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    // Those that take long first.
    let mut order: Vec<usize> = (0..theorems.len()).collect();
    order.sort_by_key(|at| theorems[*at].is_quick);
    let prove_some = || {
        while let Some(at) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            let theorem = theorems[*at];
            let in_kernel = |error| format!("{}: {error}", theorem.kernels.join(", "));
            let result = prove_one(theorem).map_err(in_kernel);
            results.lock().expect("no thread has died").push((at, result));
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            // Arguments of numbers are followed by recursion, which needs stack.
            let builder = thread::Builder::new().stack_size(1 << 26);
            builder.spawn_scoped(scope, prove_some).expect("a thread");
        }
    });
    let mut results = results.into_inner().expect("no thread has died");
    results.sort_by_key(|(at, _)| **at);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Proves the theorems that take seconds, for `cargo test`.
///
/// # Panics
/// If one does not hold, or if there are none.
pub fn prove_quick(theorems: &[&[Theorem]]) {
    let quick = theorems.iter().copied().flatten().filter(|theorem| theorem.is_quick);
    let theorems: Vec<&Theorem> = quick.collect();
    let wrong: Vec<String> = run(&theorems).into_iter().filter_map(Result::err).collect();
    assert!(!theorems.is_empty() && wrong.is_empty(), "{}", wrong.join("\n"));
}

fn prove_one(theorem: &Theorem) -> Result<Rows, String> {
    let mut rows = Rows::default();
    let proof = catch_unwind(AssertUnwindSafe(|| (theorem.prove)(&mut rows)));
    proof.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        Err(text.or(panic.downcast_ref::<&str>().map(|text| (*text).into())).unwrap_or_default())
    })?;
    rows.check_stated()?;
    for (kernel, most) in theorem.results {
        let mut all = rows.0.iter().flat_map(|row| &row.ranges);
        if !all.any(|(_, (least, greatest))| greatest.max(&-least) == most) {
            return Err(format!("{kernel}: no result of {most} was proven"));
        }
    }
    Ok(rows)
}

/// Proves a case of a theorem at each number of lanes, or at those that are listed:
/// `prove!(rows, "case", modulo Q, limit 1 << 16; |s, io| the kernel, |k| the claim)`.
#[macro_export]
macro_rules! prove {
    ($rows:ident, $case:expr, modulo $q:expr, limit $limit:expr;
     |$s:ident, $io:ident| $kernel:block, |$k:ident| $claim:expr) => {
        $crate::prove!($rows, $case, modulo $q, limit $limit;
            |$s, $io| $kernel, |$k| $claim; Proof8 Proof16 Proof32)
    };
    ($rows:ident, $case:expr, modulo $q:expr, limit $limit:expr;
     |$s:ident, $io:ident| $kernel:block, |$k:ident| $claim:expr; $($token:ident)*) => { $(
        $rows.check(
            (&$case, stringify!($token)),
            (i64::from($q), $limit),
            &|$io: &mut $crate::proof::io::Io| {
                let $s = $crate::proof::$token {};
                $kernel
            },
            &|level, $io: &mut $crate::proof::io::Io| {
                oaklath_simd::dispatch!(level, $s => $kernel);
            },
            &|$k: &$crate::Kernel| -> Result<(), std::string::String> { $claim },
        )?;
    )* };
}
