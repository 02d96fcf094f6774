//! `cargo xtask coverage`: counts with cargo-llvm-cov how many lines of the cryptographic crates
//! their tests run.
//!
//! Each line that becomes code counts once, whichever of its generic instances runs.
//!
//! - Lines of tests, in files of their own or at the end of a file, do not count: they always
//!   run.
//! - `const fn`s that make tables at compile time count. Tests also call them at run time, and
//!   compare the results.
//! - A line that only examples in the documentation call counts as one that does not run.
//!   Counting such lines takes a nightly compiler, and an example shows more than it checks: a test
//!   covers what it shows.
//! - Files of levels that this CPU does not have do not count; they are tested in emulators.
//!
//! The tests run at the best level of the CPU, at `avx2` if that is not the best, and at `scalar`;
//! most of them go through all levels by themselves.

use std::{collections::BTreeMap, fmt, fs};

use anyhow::{Context, Result, bail, ensure};

use crate::{
    emulate,
    platforms::SLOW,
    shell::{capture, cargo, run as run_command},
};

/// The crates whose coverage is counted.
const CRATES: [&str; 9] =
    ["params", "simd", "hash", "poly", "tree", "kem", "sig", "stateful", "hybrid"];

/// The least percentage of each crate's lines that must run.
const LEAST: f64 = 95.0;

/// Files of other architectures, which cannot run here.
const ELSEWHERE: &str = "simd/src/arm/";
/// Files that cannot run on a CPU without AVX-512.
const AVX512: &str = "avx512";

/// The tests that run, and the output.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Runs the slow tests too, which run the same lines more often.
    #[arg(long)]
    full: bool,
    /// Prints the lines that did not run, by file.
    #[arg(long)]
    files: bool,
}

/// Prints the percentage of lines that ran, by crate. Returns an error if one is too small, or if
/// the tool is missing.
pub(crate) fn run(args: &Args) -> Result<()> {
    if capture(&mut cargo("llvm-cov --version")).is_err() {
        bail!("missing: cargo install cargo-llvm-cov --locked; rustup component add llvm-tools");
    }
    let has_avx512 = emulate::is_native();
    let packages: String = CRATES.iter().map(|name| format!(" -p oaklath-{name}")).collect();
    run_command(&mut cargo("llvm-cov clean --workspace --profraw-only"))?;
    for level in ["best", "avx2", "scalar"] {
        if level == "avx2" && !has_avx512 {
            continue;
        }
        let mut test = cargo(&format!("llvm-cov test --no-report --lib --tests{packages} --"));
        if !args.full {
            test.arg("--exact").args(SLOW.iter().flat_map(|name| ["--skip", name]));
        }
        if level != "best" {
            test.env("OAKLATH_SIMD", level);
        }
        run_command(&mut test)?;
    }
    let report = capture(&mut cargo("llvm-cov report --lcov"))?;
    let mut files = files(&report, has_avx512, &|path| {
        fs::read_to_string(path).with_context(|| format!("cannot read {path}"))
    })?;
    files.sort_by_key(|file| file.missed.len());
    if args.files {
        files.iter().filter(|file| !file.missed.is_empty()).for_each(|file| println!("{file}"));
    }
    print_crates(&files, has_avx512)
}

fn print_crates(files: &[File<'_>], has_avx512: bool) -> Result<()> {
    let mut few: Vec<&str> = Vec::new();
    let crates = by_crate(files);
    for (name, Lines { count, ran }) in &crates {
        let part = *ran as f64 * 100.0 / *count as f64;
        println!("{name:10} {ran:>6} of {count:>6} lines, {part:5.1} %");
        few.extend((part < LEAST).then_some(*name));
    }
    println!("left out: {ELSEWHERE}{}", if has_avx512 { "" } else { ", *avx512*" });
    ensure!(crates.len() == CRATES.len(), "{} of {} crates", crates.len(), CRATES.len());
    ensure!(few.is_empty(), "less than {LEAST} %: {}", few.join(", "));
    Ok(())
}

/// A file, by its path below `crates`.
#[derive(Debug, PartialEq, Eq)]
struct File<'a> {
    path: &'a str,
    /// The number of its lines that become code.
    count: usize,
    /// The lines that did not run.
    missed: Vec<usize>,
}

impl fmt::Display for File<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} of {} lines did not run:", self.path, self.missed.len(), self.count)?;
        for range in self.missed.chunk_by(|line, next| line + 1 == *next) {
            match range {
                [line] => write!(f, " {line}")?,
                [first, .., last] => write!(f, " {first}-{last}")?,
                [] => {}
            }
        }
        Ok(())
    }
}

/// Returns the files that count in a report in lcov's format: `SF:` and a path begins a file, `DA:`
/// and two numbers is a line and how often it ran.
fn files<'a>(
    report: &'a str,
    has_avx512: bool,
    source: &dyn Fn(&str) -> Result<String>,
) -> Result<Vec<File<'a>>> {
    let mut files = Vec::new();
    for record in report.split("end_of_record") {
        let name = record.lines().find_map(|line| line.strip_prefix("SF:"));
        let Some((name, path)) = name.and_then(|name| Some((name, below_crates(name)?))) else {
            continue;
        };
        let lacking = !has_avx512 && path.contains(AVX512);
        if lacking || path.starts_with(ELSEWHERE) || path.contains("/tests") {
            continue;
        }
        let end = tests_begin(&source(name)?);
        let lines = record.lines().filter_map(line_and_times).filter(|(line, _)| *line < end);
        let (ran, missed): (Vec<_>, Vec<_>) = lines.partition(|(_, times)| *times > 0);
        let (count, missed) = (ran.len() + missed.len(), missed.into_iter().map(|(line, _)| line));
        files.push(File { path, count, missed: missed.collect() });
    }
    Ok(files)
}

/// Returns the part after `crates` in the path of a source of one of the crates.
fn below_crates(name: &str) -> Option<&str> {
    let (_, path) = name.rsplit_once("/crates/")?;
    let (of_crate, _) = path.split_once("/src/")?;
    CRATES.contains(&of_crate).then_some(path)
}

fn line_and_times(line: &str) -> Option<(usize, u64)> {
    let (line, times) = line.strip_prefix("DA:")?.split_once(',')?;
    Some((line.parse().ok()?, times.parse().ok()?))
}

/// Returns the line with which the tests at the end of a file begin.
fn tests_begin(source: &str) -> usize {
    let lines: Vec<&str> = source.lines().collect();
    let begins = |pair: &[&str]| {
        pair[0] == "#[cfg(test)]" && pair[1].contains("mod test") && pair[1].ends_with('{')
    };
    lines.windows(2).position(begins).map_or(usize::MAX, |at| at + 1)
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Lines {
    count: usize,
    ran: usize,
}

fn by_crate<'a>(files: &[File<'a>]) -> BTreeMap<&'a str, Lines> {
    let mut sums = BTreeMap::<_, Lines>::new();
    for File { path, count, missed } in files {
        let Some((name, _)) = path.split_once('/') else { continue };
        let sum = sums.entry(name).or_default();
        sum.count += count;
        sum.ran += count - missed.len();
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "SF:/a/crates/kem/src/ntru/fo.rs\n\
        FN:1,x\nDA:1,7\nDA:2,0\nDA:3,0\nDA:5,0\nDA:7,0\nLF:5\nend_of_record\n\
        SF:/a/crates/kem/src/lib.rs\nDA:1,1\nend_of_record\n\
        SF:/a/crates/kem/src/tests.rs\nDA:1,0\nend_of_record\n\
        SF:/a/crates/kem/src/falcon/tests/edges.rs\nDA:1,0\nend_of_record\n\
        SF:/a/crates/kem/tests/surface.rs\nDA:1,0\nend_of_record\n\
        SF:/a/crates/simd/src/x86/avx512.rs\nDA:1,0\nend_of_record\n\
        SF:/a/crates/simd/src/arm/neon.rs\nDA:1,0\nend_of_record\n\
        SF:/a/crates/simd/src/ct.rs\nDA:1,1\nend_of_record\n\
        SF:/a/crates/cli/src/main.rs\nDA:1,0\nend_of_record\n\
        SF:/b/other.rs\nDA:1,0\nend_of_record\n";

    /// Returns a source whose tests begin with line 7.
    fn source(_: &str) -> Result<String> {
        Ok(format!("{}#[cfg(test)]\nmod tests {{\n", "line\n".repeat(6)))
    }

    #[test]
    fn lines_are_counted_by_crate() {
        let files = |has_avx512| files(REPORT, has_avx512, &source).unwrap();
        let (kem, simd) = (Lines { count: 5, ran: 2 }, Lines { count: 1, ran: 1 });
        assert_eq!(by_crate(&files(false)), [("kem", kem), ("simd", simd)].into());
        let simd = Lines { count: 2, ran: 1 };
        assert_eq!(by_crate(&files(true)), [("kem", kem), ("simd", simd)].into());
    }

    #[test]
    fn lines_that_did_not_run_are_named() {
        let files = files(REPORT, false, &source).unwrap();
        let text = "kem/src/ntru/fo.rs: 3 of 4 lines did not run: 2-3 5";
        assert_eq!(files[0].to_string(), text);
        assert_eq!(tests_begin("#[cfg(test)]\nmod tests;\n"), usize::MAX);
    }

    #[test]
    fn few_lines_are_an_error() {
        let paths = CRATES.map(|name| format!("{name}/src/lib.rs"));
        let files = |ran: usize| -> Vec<File<'_>> {
            let missed: Vec<usize> = (ran..100).collect();
            paths.iter().map(|path| File { path, count: 100, missed: missed.clone() }).collect()
        };
        assert!(print_crates(&files(95), false).is_ok());
        assert!(print_crates(&files(94), false).is_err());
        assert!(print_crates(&files(95)[1..], false).is_err());
    }
}
