//! `cargo xtask ct`: checks that no branch, no address and no division depends on a secret.
//!
//! - `declassified`: a search of the sources; sees each place where something of a secret becomes
//!   public, with its reason
//! - `valgrind`: memcheck, with secrets marked undefined; sees branches and addresses, at the
//!   levels scalar and AVX2
//! - `msan`: the memory sanitizer, with secrets marked uninitialised; sees the same at every level,
//!   but before machine code is made
//! - `trace`: runs with different secrets, followed step by step; sees the instructions and
//!   addresses of the release build, at the best level
//! - `timing`: Welch's t-test of times, advisory; sees differences in time
//! - `divisions`: the disassembly of the release binary; sees divisions
//!
//! Each of the tools must find the leaks that are planted for it; nothing is suppressed. Tools that
//! are not installed are named, and their steps are not run.

mod declassified;
mod msan;
mod secrets;
mod trace;
mod valgrind;

use std::{collections::VecDeque, process::Command, sync::Mutex, thread};

use anyhow::{Result, ensure};

use crate::disasm;

/// The scope of the checks.
#[derive(clap::Args, Default)]
pub(crate) struct Args {
    /// Checks one parameter set of each family, as the optimiser leaves it in a release build.
    #[arg(long)]
    short: bool,
    /// Runs only these steps.
    #[arg(value_name = "STEP", value_parser = step_name)]
    only: Vec<String>,
    /// Runs only operations whose name contains this: `ML-DSA`, `keygen`.
    #[arg(long, value_name = "TEXT")]
    operation: Option<String>,
    /// Checks only this optimisation level: 1, 2, 3 or s.
    #[arg(long, value_name = "LEVEL", value_parser = ["1", "2", "3", "s"])]
    opt_level: Option<String>,
}

type Step = fn(&Args) -> Result<Outcome>;

/// Adds line numbers, by which findings are located, to a build: the release profile has none.
pub(crate) fn with_lines(build: &mut Command) -> &mut Command {
    build.env("CARGO_PROFILE_RELEASE_DEBUG", "line-tables-only")
}

/// The result of a step that found nothing.
enum Outcome {
    /// It ran, with these gaps.
    Ran(Vec<String>),
    /// It could not run, for this reason.
    NotRun(String),
}

impl Outcome {
    /// Returns the outcome of a step without gaps.
    fn ran() -> Self {
        Self::Ran(Vec::new())
    }

    fn not_run(reason: &str) -> Self {
        Self::NotRun(reason.to_owned())
    }
}

const STEPS: &[(&str, Step)] = &[
    ("declassified", |_| declassified::check()),
    ("divisions", |_| divisions()),
    ("trace", trace::run),
    ("valgrind", valgrind::run),
    ("msan", msan::run),
    ("timing", trace::times),
];

fn step_name(name: &str) -> Result<String, String> {
    let names: Vec<_> = STEPS.iter().map(|(name, _)| *name).collect();
    let known = names.contains(&name);
    known.then(|| name.to_owned()).ok_or_else(|| format!("expected one of {}", names.join(" ")))
}

/// Runs the steps, and prints at the end what could not run. Returns an error if something was
/// found, or if a step that was requested by name could not run at all.
pub(crate) fn run(args: &Args) -> Result<()> {
    let (gaps, not_run) = run_steps(args)?;
    gaps.iter().for_each(|gap| println!("NOT RUN: {gap}"));
    ensure!(args.only.is_empty() || not_run.is_empty(), "not run: {}", not_run.join(", "));
    Ok(())
}

/// Runs the short form, without the checks of `cargo xtask disasm`, and without the sanitizer, for
/// which everything would be built anew. Returns what could not run, with the reasons.
pub(crate) fn run_quick() -> Result<Vec<String>> {
    let only = ["declassified", "trace", "valgrind"].map(str::to_owned).into();
    Ok(run_steps(&Args { short: true, only, ..Args::default() })?.0)
}

/// Returns what could not run, with the reasons, and the steps of which nothing ran.
fn run_steps(args: &Args) -> Result<(Vec<String>, Vec<&'static str>)> {
    let (mut gaps, mut not_run, mut failed) = (Vec::new(), Vec::new(), Vec::new());
    for (name, step) in STEPS {
        if !args.only.is_empty() && !args.only.iter().any(|only| only == name) {
            continue;
        }
        println!("\n-- {name}");
        match step(args) {
            Ok(Outcome::Ran(more)) => {
                gaps.extend(more.into_iter().map(|gap| format!("{name}: {gap}")));
            }
            Ok(Outcome::NotRun(reason)) => {
                gaps.push(format!("{name}: {reason}"));
                not_run.push(*name);
            }
            Err(error) => {
                println!("{name}: {error:#}");
                failed.push(*name);
            }
        }
    }
    ensure!(failed.is_empty(), "failed: {}", failed.join(", "));
    Ok((gaps, not_run))
}

fn divisions() -> Result<Outcome> {
    match disasm::cannot_run() {
        Some(reason) => Ok(Outcome::NotRun(reason)),
        None => disasm::run(&disasm::Args::default()).map(|()| Outcome::ran()),
    }
}

/// Runs jobs, as many at a time as there are processors. Returns the faults found.
fn in_parallel<J: Send>(
    jobs: VecDeque<J>,
    run: impl Fn(&J) -> Result<Option<String>> + Sync,
) -> Result<Vec<String>> {
    let queue = Mutex::new(jobs);
    let next = || queue.lock().ok()?.pop_front();
    let work = || {
        let mut findings = Vec::new();
        while let Some(job) = next() {
            findings.extend(run(&job)?);
        }
        Ok(findings)
    };
    let results: Vec<Result<Vec<String>>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..thread::available_parallelism().map_or(1, usize::from))
            .map(|_| scope.spawn(work))
            .collect();
        workers.into_iter().map(|worker| worker.join().expect("a worker panicked")).collect()
    });
    Ok(results.into_iter().collect::<Result<Vec<_>>>()?.concat())
}

/// An operation of the examples `secrets` and `traces` of `tools/measure`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Operation {
    algorithm: String,
    name: String,
}

/// One set of each family, which `--short` runs.
const SHORT: &[&str] = &[
    "ML-KEM-768",
    "Kyber512",
    "Kyber512-90s",
    "NTRU-HPS-2048-509",
    "NTRU-HRSS-701",
    "LightSaber-KEM",
    "ML-DSA-44",
    "Dilithium2-AES",
    "SLH-DSA-SHAKE-128f",
    "SLH-DSA-SHA2-128f",
    "LMS-SHA256",
    "XMSSMT-SHA2",
];

impl Operation {
    fn listed(text: &str) -> Vec<Self> {
        let parts = text.lines().filter_map(|line| line.rsplit_once(' '));
        parts
            .map(|(algorithm, name)| Self { algorithm: algorithm.into(), name: name.into() })
            .collect()
    }

    /// Reports whether it is a planted leak.
    fn is_leak(&self) -> bool {
        self.algorithm == "leak" || self.name == "leak"
    }

    /// Reports whether it was requested. With `--short`, that is decided by `in_short` if given,
    /// and otherwise by [`SHORT`].
    fn is_wanted(&self, args: &Args, in_short: Option<bool>) -> bool {
        let text = format!("{} {}", self.algorithm, self.name);
        let named = args.operation.as_ref().is_none_or(|wanted| text.contains(wanted));
        let in_short = in_short.unwrap_or_else(|| SHORT.contains(&&*self.algorithm));
        named && (!args.short || in_short)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_chosen() {
        let all = Operation::listed("ML-KEM-768 keygen\nKyber1024 keygen\nleak mask\n");
        assert_eq!(all.len(), 3);
        assert!(all[2].is_leak() && !all[0].is_leak());
        let short = Args { short: true, ..Args::default() };
        assert!(all[0].is_wanted(&short, None) && !all[1].is_wanted(&short, None));
        let kyber = Args { operation: Some("Kyber".into()), ..Args::default() };
        assert!(!all[0].is_wanted(&kyber, None) && all[1].is_wanted(&kyber, None));
    }
}
