//! `cargo xtask torture`: tries at length everything that could make a store issue an index twice,
//! and counts.
//!
//! The tests are those of `crates/stores` and `crates/stateful`, which `cargo test` runs in short;
//! here they run with more rounds, and with real databases if these are installed.

mod faults;

use std::process::Command;

use anyhow::{Result, ensure};

use crate::shell::{capture, cargo};

/// The extent of the tests.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Rounds in which eight processes are killed while they take indices from a file.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    rounds: u32,
    /// System calls of each kind that fail, one in each run.
    #[arg(long, value_name = "N", default_value_t = 14)]
    calls: u32,
    /// How often each database is killed while eight machines lease from it, and how often it is
    /// promoted, recovered, restored and changed by hand.
    #[arg(long, value_name = "N", default_value_t = 20)]
    kills: u32,
    /// Bits that flip in the memory of each key while its trees grow.
    #[arg(long, value_name = "N", default_value_t = 5000)]
    flips: u32,
    /// Runs everything in about a minute.
    #[arg(long, conflicts_with_all = ["rounds", "calls", "kills", "flips"])]
    short: bool,
}

const TEST: &str = "test --quiet --release -p oaklath-stores --features postgres,etcd";

/// Runs the tests, prints what they counted, and names what could not run.
pub(crate) fn run(args: &Args) -> Result<()> {
    let (rounds, calls, kills, flips) = match args.short {
        true => (20, 3, 2, 200),
        false => (args.rounds, args.calls, args.kills, args.flips),
    };
    let runs = [
        ("crashes, failures, decay, files that are replaced, linked and copied", "stores", 0),
        ("the signer", "signer", 0),
        ("children by fork", "fork", 1),
        ("killed processes", "kill", rounds),
        ("failing system calls", "faults", calls),
        ("databases that are killed, restored and failed over", "databases", kills),
    ];
    let of_stores = runs.map(|(what, test, count)| (what, of_stores(test, count)));
    let runs = of_stores.into_iter().chain([(faults::WHAT, faults::command(flips))]);
    let mut gaps = Vec::new();
    let mut failed = Vec::new();
    for (what, mut command) in runs {
        println!("\n== {what}");
        match capture(&mut command) {
            Err(error) => {
                println!("FAILED: {error:#}");
                failed.push(what);
            }
            Ok(printed) => {
                print!("{printed}");
                gaps.extend(not_run(&printed));
            }
        }
    }
    println!("\n== summary");
    gaps.iter().for_each(|gap| println!("NOT RUN: {gap}"));
    ensure!(failed.is_empty(), "failed: {}", failed.join(", "));
    println!("no index was given twice{}", if gaps.is_empty() { "" } else { " where it ran" });
    Ok(())
}

fn of_stores(test: &str, count: u32) -> Command {
    // The harness prints the output of tests only on request; ours takes no arguments.
    let harness = if count == 0 { " -- --nocapture --test-threads=1" } else { "" };
    let mut command = cargo(&format!("{TEST} --test {test}{harness}"));
    if count > 0 {
        command.env("OAKLATH_TORTURE", count.to_string());
    }
    command
}

/// Returns what a test reported that it could not do.
fn not_run(printed: &str) -> impl Iterator<Item = String> {
    printed.lines().filter_map(|line| line.strip_prefix("NOT RUN: ")).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_did_not_run_is_heard_of() {
        let printed = "kill: fine\nNOT RUN: etcd: `etcd` is not installed\nPostgreSQL: fine\n";
        let gaps: Vec<_> = not_run(printed).collect();
        assert_eq!(gaps, ["etcd: `etcd` is not installed"]);
    }
}
