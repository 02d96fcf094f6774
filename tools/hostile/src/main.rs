//! A hostile TLS 1.3 client and a hostile server against rustls with our provider: `cargo xtask
//! hostile`.
//!
//! The attacker writes its own records ([`wire`]), has its own key schedule ([`schedule`]) and
//! takes from the library only the arithmetic of an honest key exchange. Each kind of input
//! ([`kinds`]) says whom it attacks, what it changes and how that must end: with which alert on the
//! wire, as a peer reads it, or with silence.
//!
//! | module | attacks |
//! |---|---|
//! | [`honest`] | nothing: what must connect |
//! | [`shares`] | key shares |
//! | [`client_hello`], [`server_hello`] | hellos, retries |
//! | [`records`] | records |
//! | [`flights`] | certificates, signatures, Finished, what comes after |
//! | [`bytes`] | each byte of each message |
//! | [`slow`] | a server, by a thousand connections that hardly move |

mod attacker;
mod bytes;
mod client_hello;
mod dice;
mod flights;
mod hash_trees;
mod honest;
mod kinds;
mod outcome;
mod records;
mod report;
mod run;
mod schedule;
mod server_hello;
mod shares;
mod slow;
mod target;
mod victim;
mod wire;

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result};
use clap::Parser;
use oaklath_measure::CountingAllocator;
use oaklath_params::group::{self, GroupInfo};

use crate::hash_trees::HashTree;
use crate::run::Plan;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Attacks servers and clients of every group, and checks how they answer.
#[derive(Parser)]
#[command(bin_name = "cargo xtask hostile")]
struct Args {
    /// Attack only this group (any name or number; may be given several times)
    #[arg(long, value_name = "NAME")]
    group: Vec<String>,
    /// Cases for each group and role, in addition to those at each byte of each message
    #[arg(long, value_name = "N", default_value_t = 2000,
        value_parser = clap::value_parser!(u32).range(1..))]
    cases: u32,
    /// Try only every Nth byte of each message
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..))]
    stride: u32,
    /// Slow connections that are held while others are served; 0 leaves this out
    #[arg(long, value_name = "N", default_value_t = 1000)]
    slow: u16,
    /// Seed of the pseudorandom choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Attacks all groups and reports whether every case ended as it must.
fn run(args: &Args) -> Result<bool> {
    let groups: Vec<&'static GroupInfo> = match &*args.group {
        [] => oaklath_hybrid::all().map(|group| group.info()).collect(),
        names => names.iter().map(|name| named(name)).collect::<Result<_>>()?,
    };
    let plan = Plan { cases: args.cases as usize, stride: args.stride as usize, seed: args.seed };
    let tree = Arc::new(HashTree::new()?);
    let mut reports = Vec::new();
    for info in groups {
        let report = run::group(info, tree.clone(), plan)?;
        println!("{}", report::line(&report));
        reports.push(report);
    }
    let mut right = report::kinds(&reports);
    if args.slow > 0 {
        right &= slow::run(args.slow, tree)?;
    }
    Ok(right)
}

fn named(name: &str) -> Result<&'static GroupInfo> {
    group::by_name(name).with_context(|| format!("no group is called `{name}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tries each kind at least once where it applies; `cargo xtask hostile` tries many more cases.
    #[test]
    fn a_few_cases_of_every_kind() {
        let plan = Plan { cases: 1, stride: 200, seed: 0 };
        let tree = Arc::new(HashTree::new().unwrap());
        let groups = [&group::MLKEM512, &group::X25519MLKEM768, &group::P384_NTRU_HRSS_LEVEL3];
        let run = |info| run::group(info, tree.clone(), plan).unwrap();
        let reports: Vec<_> = groups.into_iter().map(run).collect();
        assert_eq!(reports.iter().map(|report| report.wrong).sum::<usize>(), 0);
        for (index, kind) in kinds::all().enumerate() {
            let tallies = reports.iter().map(|report| &report.tallies[&index]);
            let cases: usize = tallies.flat_map(|tally| tally.outcomes.values()).sum();
            assert!(cases > 0, "{} was not tried", kind.name);
        }
    }
}
