//! `cargo xtask avx512`: the tests of the cryptographic crates at the level `avx512`, on any x86-64
//! Linux.
//!
//! A CPU that has AVX-512 runs them itself. Elsewhere each test program runs in a guest of the
//! emulator Bochs, whose CPU has it: 200 times slower, and no measure of speed, but every
//! instruction computes what the manual says. There, tests that go through all levels by themselves
//! run at this level only.

mod bochs;
mod guest;
mod image;
mod kernel;
mod setup;

use std::{
    collections::VecDeque,
    io::{Write, stdout},
    sync::Mutex,
    thread,
    time::Duration,
};

use anyhow::{Result, bail};
use oaklath_simd::Level;

use crate::{
    built,
    emulate::{
        bochs::Job,
        setup::{Emulator, Fetched},
    },
    platforms::SLOW,
    shell::{capture, command, run as run_command},
};

/// The crates of kernels, which take a minute in the emulator.
const KERNELS: &[&str] = &["simd", "hash", "poly"];

/// The crates that are built on these, in which whole operations take many minutes there.
const OPERATIONS: &[&str] = &["kem", "sig", "stateful"];

/// The most guests at once: more would need more memory than a small machine has.
const MOST_GUESTS: usize = 4;

/// The tests that run.
#[derive(clap::Args, Default)]
pub(crate) struct Args {
    /// Runs only the tests whose name contains this (may be given several times), slow ones too.
    #[arg(long, value_name = "FILTER")]
    test: Vec<String>,
    /// Runs the slow tests too: hours in the emulator.
    #[arg(long)]
    full: bool,
    /// The program and its arguments, when the guest calls this program.
    #[arg(long, hide = true, value_name = "PROGRAM", num_args = 1.., allow_hyphen_values = true)]
    guest: Vec<String>,
}

impl Args {
    /// Returns the arguments for a test program with these tests, and how many of them then run.
    fn for_tests(&self, tests: &[&str]) -> (Vec<String>, usize) {
        if !self.is_quick() {
            return (self.test.clone(), tests.len());
        }
        // Only tests that exist are named: the arguments must fit into the kernel's command line.
        let slow: Vec<_> = SLOW.iter().filter(|name| tests.contains(*name)).collect();
        let skip = slow.iter().flat_map(|name| ["--skip", name]);
        (["--exact"].into_iter().chain(skip).map(str::to_owned).collect(), tests.len() - slow.len())
    }

    fn is_quick(&self) -> bool {
        self.test.is_empty() && !self.full
    }

    /// Returns the time after which a guest is considered hung.
    fn limit(&self) -> Duration {
        Duration::from_secs(60 * if self.is_quick() { 20 } else { 300 })
    }
}

/// Reports whether this CPU has everything that the level needs.
pub(crate) fn is_native() -> bool {
    Level::by_name("avx512").is_some()
}

/// Runs the tests, in the emulator if need be.
pub(crate) fn run(args: &Args) -> Result<()> {
    if !args.guest.is_empty() {
        guest::run(&args.guest);
        return Ok(());
    }
    let packages = [KERNELS, OPERATIONS].concat();
    if is_native() {
        let (args, _) = args.for_tests(SLOW);
        for test in built::tests(&packages)? {
            run_command(test.command().args(&args).env("OAKLATH_SIMD", "avx512"))?;
        }
        return Ok(());
    }
    if let Some(reason) = setup::cannot_run() {
        bail!("this CPU does not have AVX-512, and {reason}");
    }
    run_emulated(Emulator::fetch()?, args, &packages)
}

/// Runs the quick tests of the kernels in the emulator. Returns what they are, or why
/// there are none.
pub(crate) fn run_kernels_emulated() -> Result<String> {
    if let Some(reason) = setup::cannot_run() {
        return Ok(format!("nothing, since {reason}"));
    }
    match Emulator::fetch() {
        Ok(fetched) => run_emulated(fetched, &Args::default(), KERNELS)?,
        Err(error) => {
            return Ok(format!("nothing, since the emulator cannot be fetched: {error:#}"));
        }
    }
    Ok(format!("only kernels; `cargo xtask avx512` tests {}, too", OPERATIONS.join(", ")))
}

fn run_emulated(fetched: Fetched, args: &Args, packages: &[&str]) -> Result<()> {
    let jobs = jobs(args, packages)?;
    let emulator = fetched.prepare()?;
    let count = jobs.len();
    let workers = thread::available_parallelism()?.get().min(MOST_GUESTS).min(count);
    println!("test programs in the emulator: {count}, at a time: {workers}");
    let queue = Mutex::new(VecDeque::from(jobs));
    let next = || queue.lock().ok()?.pop_front();
    let work = || {
        let mut failed = Vec::new();
        while let Some(job) = next() {
            if let Err(error) = run_job(&emulator, &job, args.limit()) {
                println!("{}: {error:#}", job.name);
                failed.push(job.name);
            }
        }
        failed
    };
    let failed: Vec<String> = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a worker panicked")).collect()
    });
    if !failed.is_empty() {
        bail!("failed in the emulator: {}", failed.join(", "));
    }
    Ok(())
}

fn run_job(emulator: &Emulator, job: &Job, limit: Duration) -> Result<()> {
    let outcome = bochs::run(emulator, job, limit)?;
    // Printed in one piece, since other guests may print at the same time.
    let time = outcome.time.as_secs_f64();
    writeln!(stdout().lock(), "\n-- {}: {time:.0} s\n{}", job.name, outcome.output)?;
    match outcome.failure {
        Some(failure) => bail!(failure),
        None => Ok(()),
    }
}

/// Builds the test programs, and leaves out those without tests to run.
fn jobs(args: &Args, packages: &[&str]) -> Result<Vec<Job>> {
    let mut jobs = Vec::new();
    for built::Test { program, .. } in built::tests(packages)? {
        let listed = capture(command(&program, "--list --format terse").args(&args.test))?;
        let tests: Vec<_> = listed.lines().filter_map(|line| line.strip_suffix(": test")).collect();
        let (for_tests, count) = args.for_tests(&tests);
        if count > 0 {
            let name = program.rsplit('/').next().unwrap_or_default().to_owned();
            let args = ["--color=never".to_owned()].into_iter().chain(for_tests).collect();
            jobs.push(Job { name, program, args });
        }
    }
    if jobs.is_empty() {
        bail!("no test has such a name");
    }
    // The programs are listed from the bottom up; those at the top take longest and run first.
    jobs.reverse();
    Ok(jobs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_tests_run_when_asked_for() {
        let args = |test: &[&str], full| {
            let test = test.iter().map(|filter| (*filter).to_owned()).collect();
            Args { test, full, guest: Vec::new() }.for_tests(&["one", SLOW[0]])
        };
        let of = |args: &[&str], count| (args.iter().map(|arg| (*arg).to_owned()).collect(), count);
        assert_eq!(args(&[], false), of(&["--exact", "--skip", SLOW[0]], 1));
        assert_eq!(args(&[], true), of(&[], 2));
        assert_eq!(args(&["digests"], false), of(&["digests"], 2));
    }
}
