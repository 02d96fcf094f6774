//! `cargo xtask ci`: every check that a change must pass, as a list of stages.
//!
//! A stage is one function in [`STAGES`]. It fails, or returns its gaps: what it could not run
//! here, and why. Gaps are printed in the summary, so that nothing is skipped silently.

mod stages;

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// The parts that could not run on this machine, one reason per line.
type Gaps = Vec<String>;

struct Stage {
    name: &'static str,
    /// Whether `--fast`, for checks between two edits, includes it.
    fast: bool,
    run: fn() -> Result<Gaps>,
}

const STAGES: &[Stage] = &[
    Stage { name: "fmt", fast: true, run: stages::fmt },
    Stage { name: "clippy", fast: true, run: stages::clippy },
    Stage { name: "doc", fast: false, run: stages::doc },
    Stage { name: "tidy", fast: true, run: stages::tidy },
    Stage { name: "deny", fast: false, run: stages::deny },
    Stage { name: "test", fast: true, run: stages::test },
    Stage { name: "test-doc", fast: false, run: stages::test_doc },
    Stage { name: "test-avx2", fast: false, run: stages::test_avx2 },
    Stage { name: "test-scalar", fast: false, run: stages::test_scalar },
    Stage { name: "avx512", fast: false, run: stages::avx512 },
    Stage { name: "test-tools", fast: false, run: stages::test_tools },
    Stage { name: "memory", fast: false, run: stages::memory },
    Stage { name: "examples", fast: false, run: stages::examples },
    Stage { name: "vectors", fast: false, run: stages::vectors },
    Stage { name: "levels", fast: false, run: stages::levels },
    Stage { name: "hostile", fast: false, run: stages::hostile },
    Stage { name: "interop", fast: false, run: stages::interop },
    Stage { name: "features", fast: false, run: stages::features },
    Stage { name: "no-std", fast: false, run: stages::no_std },
    Stage { name: "cpus", fast: false, run: stages::cpus },
    Stage { name: "platforms", fast: false, run: stages::platforms },
    Stage { name: "no-c", fast: false, run: stages::no_c },
    Stage { name: "msrv", fast: false, run: stages::msrv },
    Stage { name: "publish", fast: false, run: stages::publish },
    Stage { name: "disasm", fast: false, run: stages::disasm },
    Stage { name: "ct", fast: false, run: stages::ct },
    Stage { name: "prove", fast: false, run: stages::prove },
    Stage { name: "mutants", fast: false, run: stages::mutants },
];

/// The stages that run.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Runs only the quick stages: fmt, clippy, tidy and the tests at the best SIMD level.
    #[arg(long)]
    fast: bool,
    /// Runs only the stages of this name (may be given several times).
    #[arg(long, value_name = "STAGE", value_parser = stage_name)]
    only: Vec<String>,
    /// Leaves out the stages of this name (may be given several times).
    #[arg(long, value_name = "STAGE", value_parser = stage_name)]
    skip: Vec<String>,
    /// Treats gaps as failures.
    #[arg(long)]
    no_gaps: bool,
}

impl Args {
    /// Returns why this stage is left out, if it is.
    fn leaves_out(&self, stage: &Stage) -> Option<&'static str> {
        let named = |names: &[String]| names.iter().any(|name| name == stage.name);
        match () {
            () if named(&self.skip) => Some("left out by --skip"),
            () if !self.only.is_empty() && !named(&self.only) => Some("left out by --only"),
            () if self.fast && !stage.fast => Some("left out by --fast"),
            () => None,
        }
    }
}

fn stage_name(name: &str) -> Result<String, String> {
    if STAGES.iter().any(|stage| stage.name == name) {
        return Ok(name.to_owned());
    }
    let names: Vec<_> = STAGES.iter().map(|stage| stage.name).collect();
    Err(format!("expected one of {}", names.join(" ")))
}

/// Runs the stages in order, all of them even when one fails, and prints a summary at the end.
pub(crate) fn run(args: &Args) -> Result<()> {
    let mut summary = String::new();
    let mut failed = Vec::new();
    for stage in STAGES {
        if let Some(reason) = args.leaves_out(stage) {
            summary += &line(stage, "-", None, &[reason.to_owned()]);
            continue;
        }
        println!("\n== {}", stage.name);
        let start = Instant::now();
        let result = (stage.run)();
        let time = Some(start.elapsed());
        summary += &match result {
            Ok(gaps) if gaps.is_empty() => line(stage, "ok", time, &[]),
            Ok(gaps) => {
                failed.extend(args.no_gaps.then_some(stage.name));
                line(stage, "GAPS", time, &gaps)
            }
            Err(error) => {
                println!("{}: {error:#}", stage.name);
                failed.push(stage.name);
                line(stage, "FAILED", time, &[format!("{error:#}")])
            }
        };
    }
    println!("\n== summary (GAPS: something could not run here; the reason is below)\n{summary}");
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}

/// Formats a stage in the summary; of long notes only the first line, since the rest was printed
/// when it happened.
fn line(stage: &Stage, result: &str, time: Option<Duration>, notes: &[String]) -> String {
    let time = time.map_or_else(String::new, |time| format!("{:.1} s", time.as_secs_f64()));
    let mut text = format!("{:12} {result:7} {time:>8}\n", stage.name);
    for note in notes {
        text += &format!("{:13}{}\n", "", note.lines().next().unwrap_or_default());
    }
    text
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }

    fn chosen(line: &str) -> Vec<&'static str> {
        let args = Cli::try_parse_from(line.split(' ')).unwrap().args;
        STAGES.iter().filter(|s| args.leaves_out(s).is_none()).map(|s| s.name).collect()
    }

    #[test]
    fn options_choose_the_stages() {
        assert_eq!(chosen("ci").len(), STAGES.len());
        assert_eq!(chosen("ci --fast"), ["fmt", "clippy", "tidy", "test"]);
        assert_eq!(chosen("ci --only no-std --only msrv"), ["no-std", "msrv"]);
        assert!(!chosen("ci --skip test").contains(&"test"));
        assert!(Cli::try_parse_from(["ci", "--only", "tset"]).is_err());
    }
}
