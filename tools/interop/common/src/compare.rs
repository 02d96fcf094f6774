//! The comparison of speed. Everything that is measured runs in one process on one core, a batch of
//! each in turn, with the same inputs; see [`oaklath_measure::Sampler`].

mod bound;
mod kem;
mod report;
mod sig;
mod stateful;

use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::Parser;
use oaklath_measure::{Level, Sampler, pin_to_core};

use bound::Costs;
use report::{Introduction, Machine, Reporter};

/// The program `compare` of a workspace.
#[derive(clap::Parser)]
#[command(name = "compare", about = "Compares the speed of Oaklath with that of other libraries")]
enum Command {
    /// Key encapsulation: ML-KEM, Kyber and Kyber-90s, as far as a peer here has them
    Kem(Args),
    /// Signatures: ML-DSA, SLH-DSA, Dilithium, SPHINCS+, Falcon, as far as a peer here has them
    Sig(Args),
    /// Stateful signatures: LMS/HSS, XMSS and XMSS^MT, as far as a peer here has them
    Stateful(Args),
}

/// The implementations of the libraries of a workspace.
#[derive(Clone, Copy, Debug)]
pub struct Peers {
    /// Key encapsulation.
    pub kem: crate::kem::Peers,
    /// Signatures.
    pub sig: crate::sig::Peers,
    /// Stateful signatures.
    pub stateful: crate::stateful::Peers,
}

/// Reads the command line, compares with the peers, prints the result.
pub fn main(peers: Peers) -> ExitCode {
    let result = match Command::parse() {
        Command::Kem(args) => kem(&args, peers.kem),
        Command::Sig(args) => sig(&args, peers.sig),
        Command::Stateful(args) => stateful(&args, peers.stateful),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The options of a comparison.
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
    /// Batches for each contender, of about 100 microseconds each
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
/// If a level or an algorithm is unknown, the core is unavailable, or a library rejects an input.
pub fn kem(args: &Args, peers: crate::kem::Peers) -> anyhow::Result<()> {
    let mut compared: Vec<&str> = match &args.algorithm {
        Some(name) => vec![oaklath_kem::by_name(name)?.info().name],
        None => crate::kem::algorithms().collect(),
    };
    compared.retain(|algorithm| !peers(algorithm).is_empty());
    let introductions = compared.iter().flat_map(|algorithm| peers(algorithm)).map(|peer| {
        let (library, randomness) = (peer.library(), peer.randomness().to_string());
        Introduction { library, randomness, remark: peer.remark() }
    });
    run(args, &compared, &introductions.collect::<Vec<_>>(), "", |algorithm, reporter| {
        kem::compare(algorithm, &peers(algorithm), &args.sampler(), reporter)
    })
}

/// Compares signatures with those of `peers` and prints the result, as [`kem`](fn@kem) does.
///
/// # Errors
/// If a level or an algorithm is unknown, the core is unavailable, or a library rejects an input.
pub fn sig(args: &Args, peers: crate::sig::Peers) -> anyhow::Result<()> {
    let mut compared: Vec<&str> = match &args.algorithm {
        Some(name) => vec![oaklath_sig::by_name(name)?.info().name],
        None => crate::sig::algorithms().collect(),
    };
    compared.retain(|algorithm| !peers(algorithm).is_empty());
    let introductions = compared.iter().flat_map(|algorithm| peers(algorithm)).map(|peer| {
        let randomness = format!("keys: {}; signatures: {}", peer.randomness(), peer.coins());
        Introduction { library: peer.library(), randomness, remark: peer.remark() }
    });
    run(args, &compared, &introductions.collect::<Vec<_>>(), sig::NOTES, |algorithm, reporter| {
        sig::compare(algorithm, &peers(algorithm), args.samples, reporter)
    })
}

/// Compares stateful signatures with those of `peers` and prints the result, as [`kem`](fn@kem)
/// does.
///
/// # Errors
/// If a level or a set is unknown, the core is unavailable, or a library rejects an input.
pub fn stateful(args: &Args, peers: crate::stateful::Peers) -> anyhow::Result<()> {
    let wanted = |set: &&str| args.algorithm.as_deref().is_none_or(|name| name == *set);
    let mut compared: Vec<&str> = crate::stateful::TIMED.into_iter().filter(wanted).collect();
    if let (Some(name), true) = (&args.algorithm, compared.is_empty()) {
        bail!("no set `{name}` is timed; {} are", crate::stateful::TIMED.join(", "));
    }
    compared.retain(|set| !peers(set).is_empty());
    let introductions = compared.iter().flat_map(|set| peers(set)).map(|peer| {
        let (library, randomness) = (peer.library(), "a seed of its own".to_owned());
        Introduction { library, randomness, remark: peer.remark() }
    });
    let introductions: Vec<_> = introductions.collect();
    run(args, &compared, &introductions, stateful::NOTES, |set, reporter| {
        stateful::compare(set, &peers(set), args.samples, reporter)
    })
}

fn run(
    args: &Args,
    compared: &[&str],
    peers: &[Introduction],
    notes: &str,
    compare: impl Fn(&str, &Reporter<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let levels = levels(args.level.as_deref())?;
    if compared.is_empty() {
        return Ok(());
    }
    // The machine is described before this thread is confined to one core.
    let mut machine = Machine::look();
    machine.core = pin(args.core)?;
    let costs: Vec<_> = levels.iter().map(|level| Costs::measure(*level)).collect();
    let (json, samples) = (args.json, args.samples);
    let reporter = Reporter { json, samples, levels: &levels, costs: &costs };
    reporter.head(&machine, peers, notes);
    for algorithm in compared {
        compare(algorithm, &reporter).with_context(|| format!("comparing {algorithm}"))?;
    }
    Ok(())
}

impl Args {
    fn sampler(&self) -> Sampler {
        Sampler::new(self.samples as usize)
    }
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

/// Pins to the core that is used; returns none where the system cannot pin threads.
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
