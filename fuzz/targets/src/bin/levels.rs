//! Compares whole operations between the SIMD levels on random scripts, at length: `cargo xtask
//! levels`.

use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::panic::catch_unwind;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use std::{fs, thread};

use anyhow::{Context, Result, anyhow, ensure};
use clap::Parser;
use oaklath_simd::Level;
use targets::{Comparison, Family, families};

/// Compares whole operations between the SIMD levels of this CPU.
#[derive(Parser)]
#[command(bin_name = "cargo xtask levels")]
struct Args {
    /// Ten minutes a family, 20 runs a set, and the sets whose signatures take seconds
    #[arg(long)]
    long: bool,
    /// Seconds for each family [default: 5]
    #[arg(long, value_name = "S")]
    seconds: Option<u64>,
    /// Runs of each set at least, however long that takes [default: 1]
    #[arg(long, value_name = "N")]
    least: Option<u64>,
    /// Families side by side
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// Only families with this in their names (may be given several times)
    #[arg(long, value_name = "NAME")]
    family: Vec<String>,
    /// What the scripts follow from [default: a random one]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Writes a script on which levels differ into the corpus of its target
    #[arg(long)]
    keep: bool,
    /// Runs one script
    #[arg(long, num_args = 2, value_names = ["SET", "HEX"])]
    repeat: Option<Vec<String>>,
}

/// What a family came to.
struct Row {
    family: &'static str,
    /// Runs of each set.
    runs: Vec<u64>,
    time: Duration,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<()> {
    if let Some([set, script]) = args.repeat.as_deref() {
        return repeat(set, script);
    }
    let mut chosen: VecDeque<_> = families(args.long).into_iter().enumerate().collect();
    chosen.retain(|(_, family)| args.is_wanted(family));
    ensure!(!chosen.is_empty(), "no family is called so");
    let seed = args.seed.unwrap_or_else(|| RandomState::new().hash_one(0));
    let levels: Vec<_> = Level::available().map(Level::name).collect();
    ensure!(levels.len() > 1, "this CPU has one level: there is nothing to compare");
    println!("levels {}; --seed {seed}\n", levels.join(", "));
    println!("{:20} {:>4} {:>10} {:>10} {:>8}", "family", "sets", "runs", "least", "seconds");

    let (queue, differences) = (Mutex::new(chosen), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..args.threads.max(1) {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().expect("no thread panics with it").pop_front();
                    let Some((number, family)) = next else { return };
                    match args.compare(&family, seed.wrapping_add(number as u64)) {
                        Ok(row) => row.print(),
                        Err(error) => {
                            let mut found = differences.lock().expect("no thread panics with it");
                            found.push(error);
                        }
                    }
                }
            });
        }
    });
    let differences = differences.into_inner().expect("all threads have ended");
    for difference in &differences {
        println!("DIFFERENT {difference:#}");
    }
    ensure!(differences.is_empty(), "the levels differ");
    Ok(())
}

fn repeat(set: &str, script: &str) -> Result<()> {
    let script = hex::decode(script).context("the script is not hexadecimal")?;
    let all = families(true).into_iter().flat_map(|family| family.sets);
    let found = all.into_iter().find(|known| known.set == set);
    (found.with_context(|| format!("no set is called {set}"))?.run)(&script);
    println!("all levels agree");
    Ok(())
}

impl Args {
    fn is_wanted(&self, family: &Family) -> bool {
        self.family.is_empty() || self.family.iter().any(|name| family.name.contains(&**name))
    }

    /// Runs each set as often as must be, then whichever has taken the least time, until the time
    /// is over.
    fn compare(&self, family: &Family, seed: u64) -> Result<Row> {
        let (seconds, least) = if self.long { (600, 20) } else { (5, 1) };
        let seconds = Duration::from_secs(self.seconds.unwrap_or(seconds));
        let least = self.least.unwrap_or(least);
        let mut random = splitmix(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut runs = vec![0; family.sets.len()];
        let mut times = vec![Duration::ZERO; family.sets.len()];
        let start = Instant::now();
        loop {
            let behind = runs.iter().position(|runs| *runs < least);
            let quickest = || (0..times.len()).min_by_key(|set| times[*set]);
            let Some(set) = behind.or_else(quickest) else { break };
            if behind.is_none() && start.elapsed() >= seconds {
                break;
            }
            let begin = Instant::now();
            self.agree(&family.sets[set], &mut random)?;
            times[set] += begin.elapsed();
            runs[set] += 1;
        }
        Ok(Row { family: family.name, runs, time: start.elapsed() })
    }

    /// One run of a set.
    fn agree(&self, comparison: &Comparison, random: impl FnMut() -> u64) -> Result<()> {
        let script = comparison.script(random);
        if catch_unwind(|| (comparison.run)(&script)).is_ok() {
            return Ok(());
        }
        let digits = hex::encode(&script);
        if let (true, Some(target)) = (self.keep, comparison.target) {
            let folder = targets::corpus().join(target);
            fs::write(folder.join(format!("different-{digits}")), &script)?;
        }
        Err(anyhow!("cargo xtask levels --repeat {} {digits}", comparison.set))
    }
}

impl Row {
    fn print(&self) {
        let (sets, runs) = (self.runs.len(), self.runs.iter().sum::<u64>());
        let least = self.runs.iter().min().copied().unwrap_or_default();
        let seconds = self.time.as_secs_f64();
        println!("{:20} {sets:4} {runs:10} {least:10} {seconds:8.1}", self.family);
    }
}

fn splitmix(mut state: u64) -> impl FnMut() -> u64 {
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
