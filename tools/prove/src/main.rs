//! `cargo xtask prove`: proves the kernels for every input, and writes what was proven to
//! `docs/proofs.md`.
mod operations;
mod page;
mod source;

use std::fs;
use std::process::{Command, ExitCode};
use std::thread::available_parallelism;

use anyhow::{Context, Result, ensure};
use clap::Parser;
use oaklath_prove_engine::{Rows, Theorem, run, watch};

/// The page that is written.
const PAGE: &str = "docs/proofs.md";

/// Kernels in which plain code compares numbers: their claims say so.
const COMPARING: [&str; 2] = ["q12289::decode_14_vartime", "q12289::decode_signed"];

/// Proves the kernels for every input.
#[derive(Parser)]
#[command(bin_name = "cargo xtask prove")]
struct Args {
    /// Write docs/proofs.md.
    #[arg(long, conflicts_with_all = ["only", "check"])]
    write: bool,
    /// Fails if docs/proofs.md says something else, seconds and levels of the CPU aside.
    #[arg(long, conflicts_with = "only")]
    check: bool,
    /// Compares the operations of every SIMD level that the CPU has with what a tape has of them,
    /// instead: those of 16 bits for all pairs of numbers, of 32 for each first operand; minutes.
    #[arg(long, conflicts_with_all = ["only", "check", "write"])]
    operations: bool,
    /// Looks for branches and addresses that depend on a number, in plain code around what is
    /// recorded, with valgrind, instead: minutes.
    #[arg(long, conflicts_with_all = ["check", "write", "operations"])]
    branches: bool,
    /// Of N shares of the theorems, record only this one under valgrind.
    #[arg(long, hide = true, num_args = 2, value_names = ["SHARE", "N"], requires = "branches")]
    share: Vec<usize>,
    /// Prove only theorems about kernels whose names contain one of these.
    only: Vec<String>,
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    if args.operations {
        return operations::check_all().map(|()| ExitCode::SUCCESS);
    }
    if args.branches && !watch::is_watching() {
        return watched(&args.only);
    }
    let is_wanted = |theorem: &&Theorem| {
        let named = |text: &String| theorem.kernels.iter().any(|kernel| kernel.contains(&**text));
        args.only.is_empty() || args.only.iter().any(named)
    };
    let theorems: Vec<&Theorem> = source::theorems().filter(is_wanted).collect();
    ensure!(!theorems.is_empty(), "no theorem is about such a kernel");
    if args.branches {
        return record(theorems, &args.share);
    }
    let (functions, of_schemes) = (source::functions()?, source::functions_of_schemes()?);
    let without = source::without_theorem(&functions)?;
    let mut failed = 0;
    let mut proven: Vec<(&Theorem, Rows)> = Vec::new();
    for (theorem, result) in theorems.iter().zip(run(&theorems)) {
        let result = result.and_then(|rows| {
            source::check_kernels(theorem, &[&functions, &of_schemes])?;
            source::check_results(theorem, &functions)?;
            Ok(rows)
        });
        match result {
            Ok(rows) => {
                print!("{}", page::rows_as_text(theorem, &rows));
                proven.push((theorem, rows));
            }
            Err(error) => {
                failed += 1;
                println!("NOT PROVEN: {error}");
            }
        }
    }
    println!("{} theorems are proven, {failed} are not", proven.len());
    if failed == 0 && (args.write || args.check) {
        let page = page::page(&proven, &without, &source::coverage()?);
        if args.write {
            fs::write(PAGE, page).context(PAGE)?;
        } else {
            let written = fs::read_to_string(PAGE).context(PAGE)?;
            let is_same = page::without_cpu(&written).eq(page::without_cpu(&page));
            ensure!(is_same, "{PAGE} is out of step: run `cargo xtask prove --write`");
        }
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Records the kernels of the theorems, or of a share of them, under valgrind.
fn record(mut theorems: Vec<&Theorem>, share: &[usize]) -> Result<ExitCode> {
    theorems.retain(|theorem| !theorem.kernels.iter().any(|kernel| COMPARING.contains(kernel)));
    if let [share, of] = *share {
        theorems = theorems.into_iter().skip(share).step_by(of).collect();
    }
    let wrong: Vec<String> = run(&theorems).into_iter().filter_map(Result::err).collect();
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{} theorems: their kernels were recorded under valgrind", theorems.len());
    Ok(ExitCode::SUCCESS)
}

/// Runs this program under valgrind, where each recording is one run, and names are undefined: a
/// process on each core, since valgrind runs one thread at a time.
fn watched(only: &[String]) -> Result<ExitCode> {
    let program = std::env::current_exe()?;
    let count = available_parallelism().map_or(1, usize::from);
    let start = |share: usize| {
        let mut valgrind = Command::new("valgrind");
        valgrind.args(["--quiet", "--error-exitcode=9", "--main-stacksize=67108864"]);
        valgrind.arg(&program).args(["--branches", "--share"]);
        valgrind.args([share.to_string(), count.to_string()]).arg("--").args(only);
        valgrind.spawn().context("cannot start valgrind (Debian: valgrind libc6-dbg)")
    };
    let started = (0..count).map(start).collect::<Result<Vec<_>>>()?;
    let ended = started.into_iter().map(|mut process| process.wait());
    let statuses = ended.collect::<Result<Vec<_>, _>>()?;
    let succeeded = statuses.iter().all(|status| status.success());
    Ok(if succeeded { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
