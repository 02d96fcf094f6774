//! `cargo xtask coverage`: how many lines of the cryptographic crates their tests run, by cargo-llvm-cov.
//!
//! The tests run at the best level of this CPU and at `scalar`. Files of levels that the CPU does not have are left out, by
//! name; those are tested in emulators.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::{
    emulate,
    platforms::SLOW,
    shell::{capture, cargo, run as run_command},
};

/// The crates that are looked at.
const CRATES: [&str; 9] =
    ["params", "simd", "hash", "ring", "tree", "kem", "sig", "stateful", "hybrid"];

/// Of each crate so many lines of a hundred should be run. Tables that are computed at compile time and what only examples in
/// the documentation call count as lines that are not.
const LEAST: f64 = 95.0;

/// Files that cannot run here: other architectures.
const ELSEWHERE: &str = "crates/simd/src/arm/";
/// The same on a CPU without AVX-512.
const AVX512: &str = "avx512";

/// Which tests are run.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The slow tests, too, which run the same lines more often.
    #[arg(long)]
    full: bool,
}

/// Prints the part of the lines that ran, by crate, and where it is small. An error if the tool is missing.
pub(crate) fn run(args: &Args) -> Result<()> {
    if capture(&mut cargo("llvm-cov --version")).is_err() {
        bail!("missing: cargo install cargo-llvm-cov --locked; rustup component add llvm-tools");
    }
    let packages: String = CRATES.iter().map(|name| format!(" -p oaklath-{name}")).collect();
    run_command(&mut cargo("llvm-cov clean --workspace --profraw-only"))?;
    for level in ["best", "scalar"] {
        let mut test = cargo(&format!("llvm-cov test --no-report --lib --tests{packages} --"));
        if !args.full {
            test.arg("--exact").args(SLOW.iter().flat_map(|name| ["--skip", name]));
        }
        if level == "scalar" {
            test.env("OAKLATH_SIMD", level);
        }
        run_command(&mut test)?;
    }
    let printed = capture(&mut cargo("llvm-cov report --json --summary-only"))?;
    let report: Report = serde_json::from_str(&printed).context("the report of llvm-cov")?;
    let by_crate = by_crate(&report, emulate::is_native());
    let mut few: Vec<&str> = Vec::new();
    for (name, Lines { count, covered }) in &by_crate {
        let part = *covered as f64 * 100.0 / *count as f64;
        println!("{name:10} {covered:>6} of {count:>6} lines, {part:5.1} %");
        few.extend((part < LEAST).then_some(*name));
    }
    println!("left out: {ELSEWHERE}{}", if emulate::is_native() { "" } else { ", *avx512*" });
    ensure!(by_crate.len() == CRATES.len(), "{} of {} crates", by_crate.len(), CRATES.len());
    if !few.is_empty() {
        println!("less than {LEAST} %: {}", few.join(", "));
    }
    Ok(())
}

#[derive(Deserialize)]
struct Report {
    data: Vec<Data>,
}

#[derive(Deserialize)]
struct Data {
    files: Vec<File>,
}

#[derive(Deserialize)]
struct File {
    filename: String,
    summary: Summary,
}

#[derive(Deserialize)]
struct Summary {
    lines: Lines,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
struct Lines {
    count: u64,
    covered: u64,
}

/// The lines of each crate, without tests in files of their own and without what cannot run here.
fn by_crate(report: &Report, has_avx512: bool) -> BTreeMap<&str, Lines> {
    let mut sums = BTreeMap::<_, Lines>::new();
    for File { filename, summary } in report.data.iter().flat_map(|data| &data.files) {
        let Some((_, path)) = filename.rsplit_once("/crates/") else { continue };
        let Some((name, file)) = path.split_once("/src/") else { continue };
        let elsewhere = ELSEWHERE.strip_prefix("crates/").is_some_and(|e| path.starts_with(e));
        let lacking = !has_avx512 && file.contains(AVX512);
        if elsewhere || lacking || file.contains("tests") || !CRATES.contains(&name) {
            continue;
        }
        let sum = sums.entry(name).or_default();
        sum.count += summary.lines.count;
        sum.covered += summary.lines.covered;
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    const CANNED: &str = r#"{"data":[{"files":[
        {"filename":"/a/crates/kem/src/ntru/fo.rs","summary":{"lines":{"count":10,"covered":9}}},
        {"filename":"/a/crates/kem/src/lib.rs","summary":{"lines":{"count":5,"covered":5}}},
        {"filename":"/a/crates/kem/src/tests.rs","summary":{"lines":{"count":50,"covered":5}}},
        {"filename":"/a/crates/simd/src/x86/avx512.rs","summary":{"lines":{"count":7,"covered":0}}},
        {"filename":"/a/crates/simd/src/arm/neon.rs","summary":{"lines":{"count":7,"covered":0}}},
        {"filename":"/a/crates/simd/src/ct.rs","summary":{"lines":{"count":3,"covered":1}}},
        {"filename":"/b/other.rs","summary":{"lines":{"count":7,"covered":0}}}]}]}"#;

    #[test]
    fn lines_are_counted_by_crate() {
        let report = serde_json::from_str(CANNED).unwrap();
        let kem = Lines { count: 15, covered: 14 };
        let sums = by_crate(&report, false);
        assert_eq!(sums, [("kem", kem), ("simd", Lines { count: 3, covered: 1 })].into());
        let simd = Lines { count: 10, covered: 1 };
        assert_eq!(by_crate(&report, true), [("kem", kem), ("simd", simd)].into());
    }
}
