//! `cargo xtask levels`: compares whole operations at every SIMD level of this CPU on random
//! scripts, or with `--kernels` every kernel on random inputs, at length. The comparisons are those
//! of the fuzzer and of the tests, which make them in short.

use std::{
    ffi::OsString,
    io::{BufRead, BufReader},
    process::Stdio,
};

use anyhow::{Context, Result, ensure};
use oaklath_simd::Level;

use crate::{
    built,
    shell::{cargo, command, run as run_command},
};

/// What is compared, and for how long.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Compare kernels instead of whole operations, by running their tests
    #[arg(long)]
    kernels: bool,
    /// Inputs of each kernel
    #[arg(long, value_name = "N", default_value_t = 1_000_000, requires = "kernels")]
    runs: u64,
    /// Kernels that are compared at the same time
    #[arg(long, value_name = "N", default_value_t = 1, requires = "kernels")]
    tests: usize,
    /// Options of the comparison of whole operations: `-- --help` lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<OsString>,
}

/// Runs the comparison. Returns an error if two levels differ.
pub(crate) fn run(args: &Args) -> Result<()> {
    if args.kernels {
        return kernels(args);
    }
    // Each family has one thread: the program itself decides how many families run in parallel.
    let mut program = command(&built::program("levels")?, "");
    run_command(program.args(&args.options).env("RAYON_NUM_THREADS", "1"))
}

/// Compares for two seconds per family. Returns what could not run, if anything.
pub(crate) fn run_quick() -> Result<Option<String>> {
    if Level::available().count() == 1 {
        return Ok(Some("this CPU has one level: there is nothing to compare".into()));
    }
    let mut program = command(&built::program("levels")?, "--seconds 2 --threads 4");
    run_command(program.env("RAYON_NUM_THREADS", "1"))?;
    Ok(None)
}

/// The crates that have kernels, and their test programs.
const TESTS: &str =
    "-p oaklath-simd -p oaklath-hash -p oaklath-poly -p oaklath-sig --lib --test levels";

/// The end of the names of tests that compare kernels.
const NAME: &str = "same_at_every_level";

fn kernels(args: &Args) -> Result<()> {
    let Args { runs, tests, .. } = args;
    ensure!(Level::available().count() > 1, "this CPU has one level: there is nothing to compare");
    let (mut kernels, mut inputs) = (0, 0);
    let test = format!("test --release {TESTS} {NAME}");
    let mut command = cargo(&format!("{test} -- --nocapture --test-threads {tests}"));
    command.env("OAKLATH_RUNS", runs.to_string()).stdout(Stdio::piped());
    let mut testing = command.spawn().context("cannot start cargo")?;
    let printed = BufReader::new(testing.stdout.take().context("cargo has no output")?);
    for line in printed.lines() {
        if let Some(Kernel(line, runs)) = Kernel::parse(&line?) {
            println!("{line}");
            (kernels, inputs) = (kernels + 1, inputs + runs);
        }
    }
    ensure!(testing.wait()?.success(), "the levels differ, or a test did not run");
    ensure!(kernels > 0, "no test printed what it compared");
    ensure!(inputs == kernels * runs, "{inputs} inputs of {kernels} kernels, {runs} of each asked");
    println!("\n{kernels} kernels, {inputs} inputs, the same at every level");
    Ok(())
}

/// A kernel that a test named, and the number of its inputs.
#[derive(Debug, PartialEq)]
struct Kernel<'a>(&'a str, u64);

impl<'a> Kernel<'a> {
    /// Parses `kernel NAME: N inputs at L levels`, perhaps after other output of the harness.
    fn parse(line: &'a str) -> Option<Self> {
        let line = &line[line.find("kernel ")?..];
        let (_, rest) = line.split_once(": ")?;
        Some(Self(line, rest.split(' ').next()?.parse().ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tests_print_is_counted() {
        let line = "kernel q3329 ntt: 50 inputs at 2 levels";
        assert_eq!(Kernel::parse(line), Some(Kernel(line, 50)));
        let behind = format!("test transforms ... {line}");
        assert_eq!(Kernel::parse(&behind), Some(Kernel(line, 50)));
        assert_eq!(Kernel::parse("test transforms_same_at_every_level ... ok"), None);
    }
}
