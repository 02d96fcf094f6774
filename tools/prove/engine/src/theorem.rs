//! Theorems: claims about kernels, and the loop that proves them.
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::mem::take;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use oaklath_simd::Level;
use oaklath_simd::proof::io::{Io, sample};
use oaklath_simd::proof::record::record;
use oaklath_simd::watch::is_watching;

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
    /// Whether the proof takes seconds at most: `cargo test` runs those of `oaklath-poly`, too.
    pub is_quick: bool,
    /// Proves the claim.
    pub prove: fn(&mut Rows) -> Result<(), String>,
}

impl Theorem {
    /// Returns the range that the claim states of an argument, `|a|` or `a`: what a caller owes.
    ///
    /// # Panics
    /// If it states none.
    #[must_use]
    pub fn given(&self, argument: &str, q: i64) -> Range {
        let mut all = stated(self.claim, q).into_iter();
        let range = all.find(|(name, _)| *name == argument);
        range.unwrap_or_else(|| panic!("{}: no range of {argument}", self.claim)).1
    }

    /// Reports whether the claim states this range of an argument, for some parameter.
    #[must_use]
    pub fn allows(&self, argument: &str, range: Range, q: i64) -> bool {
        stated(self.claim, q).contains(&(argument, range))
    }
}

/// Returns the ranges of arguments that a claim states as `|a| <= 5`, `|a| < 2^5`, `0 <= a < 5 q`.
fn stated(claim: &str, q: i64) -> Vec<(&str, Range)> {
    let parse = |text: &str| match text.split_once(' ') {
        _ if text == "q" => Some(q),
        Some((factor, "q")) => factor.parse::<i64>().ok().map(|x| x * q),
        _ => match text.strip_prefix("2^") {
            Some(exponent) => exponent.parse().ok().map(|n: u32| 1 << n),
            None => text.parse().ok(),
        },
    };
    let mut all = Vec::new();
    for (at, sign) in claim.match_indices(" <").map(|(at, _)| (at, &claim[at..])) {
        let (before, after) = (&claim[..at], sign.trim_start_matches([' ', '<', '=']));
        let end = after.find([',', ';', ':']).unwrap_or(after.len());
        let Some(most) = parse(&after[..end]) else { continue };
        let most = if sign.starts_with(" <=") { most } else { most - 1 };
        let name = before.rsplit(' ').next().unwrap_or_default();
        let least = if name.starts_with('|') { -most } else { 0 };
        if least != 0 || before[..at - name.len()].ends_with("0 <= ") {
            all.push((name, (least, most)));
        }
    }
    all
}

/// The proof of a case of a theorem for one number of lanes.
#[derive(Clone, Default)]
pub struct Proven {
    /// The case of the theorem.
    pub case: String,
    /// The name of the token.
    pub lanes: &'static str,
    /// The modulus of its forms.
    pub q: i64,
    /// The ranges of its inputs, as they were recorded.
    pub inputs: BTreeSet<Range>,
    /// The arguments that were recorded, and the numbers assumed, in the range that the claim
    /// states.
    pub given: BTreeSet<(&'static str, Range)>,
    /// The number of operations on the tape.
    pub operations: usize,
    /// The number of duties that are fulfilled.
    pub duties: usize,
    /// The number of its tapes, one for each sequence of decisions.
    pub tapes: usize,
    /// How many of these no drawn input has reached, so that only the proof is about them.
    pub unreached: usize,
    /// The ranges as stated and as proven.
    pub ranges: Vec<(Range, Range)>,
    /// The largest results of kernels, as proven.
    pub results: Vec<(&'static str, i64)>,
    /// The duration of the proof.
    pub time: Duration,
}

/// The proofs of all cases of a theorem, what is known of functions by their moduli, and the claim.
#[derive(Default)]
pub struct Rows(pub Vec<Proven>, HashMap<i64, Summaries>, &'static str);

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
        let mut row = Proven { case: case.into(), lanes, q, ..Proven::default() };
        let (functions, stated) = (self.1.entry(q).or_default(), stated(self.2, q));
        let given = RefCell::new(BTreeSet::new());
        let recorded = |io: &mut Io| {
            io.stated.clone_from(&stated);
            kernel(io);
            given.borrow_mut().append(&mut io.given);
        };
        let real = |level, io: &mut Io| {
            io.stated.clone_from(&stated);
            real(level, io);
        };
        let mut outputs = 0;
        for tape in record(&recorded).into_iter().filter(|tape| !tape.is_watched) {
            let kernel = Kernel::with_summaries(&name, (q, limit), tape, take(functions));
            row.duties += kernel.duties()?;
            row.operations += kernel.operations();
            outputs += kernel.count_outputs() + kernel.results().len();
            row.inputs.extend(kernel.inputs().iter().map(|id| kernel.range(*id)));
            claim(&kernel)?;
            kernel.claims_all()?;
            let is_reached = compare_levels(&kernel, &real)?;
            row.tapes += 1;
            row.unreached += usize::from(!is_reached);
            let mut known = kernel.known.take();
            if let Some((of, range)) = known.assumed.iter().find(|of| !stated.contains(of)) {
                return Err(format!("{name}: the claim does not state {of} within {range:?}"));
            }
            given.borrow_mut().append(&mut known.assumed);
            row.ranges.append(&mut known.stated);
            row.results.append(&mut known.results);
            *functions = known.functions;
        }
        if outputs == 0 && row.tapes > 0 {
            return Err(format!("{name}: no output is recorded"));
        }
        row.given = given.take();
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
        if is_watching() {
            // Nothing is unknown, and trials take long under valgrind.
            return Ok(());
        }
        let start = Instant::now();
        let operations = claim().map_err(|error| format!("{case}: {error}"))?;
        if operations == 0 {
            return Err(format!("{case}: nothing is tried"));
        }
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

/// Compares a tape with what each level computes of drawn inputs, and returns whether any of these
/// took the tape's decisions.
fn compare_levels(kernel: &Kernel, real: &dyn Fn(Level, &mut Io)) -> Result<bool, String> {
    // All levels draw the same inputs, unless they differ in how many there are.
    let mut checked: HashMap<Vec<i64>, Option<Vec<i64>>> = HashMap::new();
    // What is opaque cannot be computed.
    let levels = Level::available().filter(|_| kernel.tape.calls.is_empty());
    let mut is_reached = false;
    for (level, seed) in levels.flat_map(|level| (0..8).map(move |seed| (level, seed))) {
        let [inputs, outputs, results] = sample(seed, |io| real(level, io));
        if !checked.contains_key(&inputs) {
            checked.insert(inputs.clone(), check(kernel, &inputs)?);
        }
        let Some(all) = &checked[&inputs] else { continue };
        is_reached = true;
        if *all != outputs || kernel.results() != results {
            return Err(format!("{}: {level} gives another output", kernel.name));
        }
    }
    Ok(is_reached)
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
    let mut rows = Rows(Vec::new(), HashMap::new(), theorem.claim);
    let proof = catch_unwind(AssertUnwindSafe(|| (theorem.prove)(&mut rows)));
    proof.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        Err(text.or(panic.downcast_ref::<&str>().map(|text| (*text).into())).unwrap_or_default())
    })?;
    if is_watching() {
        return Ok(rows);
    }
    if rows.0.is_empty() {
        return Err("no case is proven".into());
    }
    for stated @ (argument, range) in rows.0.iter().flat_map(|row| stated(theorem.claim, row.q)) {
        if !rows.0.iter().any(|row| row.given.contains(&stated)) {
            return Err(format!("{argument} is stated within {range:?}, but never recorded"));
        }
    }
    rows.check_stated()?;
    for result @ (kernel, most) in theorem.results {
        if !rows.0.iter().any(|row| row.results.contains(result)) {
            return Err(format!("{kernel}: no result of {most} was proven"));
        }
    }
    Ok(rows)
}

/// Proves a case of a theorem at each number of lanes, or at those that are listed:
/// `prove!(rows, "case", modulo Q, limit 1 << 16; |s, io| the kernel, |k| the claim)`. A number
/// with at most `limit` values is evaluated at each. The same block of the kernel runs on the
/// recording backend and, with numbers that are drawn, on the backends of the CPU.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_claims() {
        let claim = "the sum 2 <= 3: a; |f| <= 2^5, 0 <= a < 5 q, every |b| <= eta; |e1| < q";
        assert_eq!(stated(claim, 7), [("|f|", (-32, 32)), ("a", (0, 34)), ("|e1|", (-6, 6))]);
    }
}
