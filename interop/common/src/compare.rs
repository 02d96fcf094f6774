//! The comparison of speed. Everything that is measured runs in one process on one core, a batch of
//! each in turn, with the same inputs; see [`oaklath_measure::Sampler`].

mod kem;
mod report;

use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::Parser;
use oaklath_measure::{Level, Sampler, pin_to_core};

use crate::kem::{Peers, algorithms};
use report::{Machine, Reporter};

/// The program `compare` of a workspace.
#[derive(clap::Parser)]
#[command(name = "compare", about = "Compares the speed of Oaklath with that of other libraries")]
enum Command {
    /// Key encapsulation: ML-KEM, Kyber and Kyber-90s, as far as a peer here has them
    Kem(Args),
}

/// Reads the command line, compares with `peers`, prints the result.
pub fn main(peers: Peers) -> ExitCode {
    let Command::Kem(args) = Command::parse();
    match kem(&args, peers) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// What is compared, and how.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// Measure ours at this SIMD level only: scalar, avx2, avx512 [default: every level of the CPU]
    #[arg(long, env = "OAKLATH_SIMD", value_name = "LEVEL")]
    level: Option<String>,
    /// Compare this algorithm only, by any of its names
    #[arg(long, value_name = "NAME")]
    algorithm: Option<String>,
    /// Print one JSON object a line; what was compared goes to standard error
    #[arg(long)]
    json: bool,
    /// Batches a contender, of about 100 microseconds each
    #[arg(long, value_name = "N", default_value_t = 201, value_parser = clap::value_parser!(u32).range(1..))]
    samples: u32,
    /// Run on this core, counted from 0 [default: the last one allowed]
    #[arg(long, value_name = "CORE")]
    core: Option<usize>,
}

/// Compares key encapsulation with that of `peers` and prints the result. Algorithms that no peer
/// offers are left out; without any, nothing is printed.
///
/// # Errors
/// If a level or an algorithm is unknown, the core cannot be had, or a library refuses an input.
pub fn kem(args: &Args, peers: Peers) -> anyhow::Result<()> {
    let levels = levels(args.level.as_deref())?;
    let mut compared: Vec<&str> = match &args.algorithm {
        Some(name) => vec![oaklath_kem::by_name(name)?.info().name],
        None => algorithms().collect(),
    };
    compared.retain(|algorithm| !peers(algorithm).is_empty());
    if compared.is_empty() {
        return Ok(());
    }
    // The machine is looked at before this thread sees one core only.
    let mut machine = Machine::look();
    machine.core = pin(args.core)?;
    let reporter = Reporter { json: args.json, samples: args.samples, levels: &levels, peers };
    reporter.head(&machine, &compared);
    let sampler = Sampler::new(args.samples as usize);
    for algorithm in compared {
        kem::compare(algorithm, &levels, &sampler, &reporter)
            .with_context(|| format!("comparing {algorithm}"))?;
    }
    Ok(())
}

fn levels(only: Option<&str>) -> anyhow::Result<Vec<Level>> {
    let Some(name) = only else {
        return Ok(Level::available().collect());
    };
    match Level::by_name(name) {
        Some(level) => Ok(vec![level]),
        None => {
            let known: Vec<&str> = Level::available().map(Level::name).collect();
            bail!("this CPU has no level `{name}`; it has {}", known.join(", "))
        }
    }
}

/// The core that is used, or none where the system cannot hold a thread on one.
fn pin(core: Option<usize>) -> anyhow::Result<Option<usize>> {
    match pin_to_core(core) {
        Ok(core) => Ok(Some(core)),
        Err(error) if core.is_none() && error.kind() == std::io::ErrorKind::Unsupported => Ok(None),
        Err(error) => Err(error).context(match core {
            Some(core) => format!("running on core {core}"),
            None => "running on one core".to_owned(),
        }),
    }
}
