//! `cargo xtask fuzz`: runs every target of `fuzz/` under libFuzzer, with the address sanitizer,
//! overflow checks and debug assertions, and counts the inputs of each.
//!
//! Inputs that raise the coverage are kept in the target folder and used again the next time; the
//! corpora of the repository are only read. To commit such inputs, a person runs `cargo fuzz cmin`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Mutex,
    thread,
    time::Instant,
};

use anyhow::{Context, Result, bail, ensure};

use crate::{
    platforms::{HOST, nightly},
    shell::{capture, command, run as run_command},
};

/// The targets, and how long they run.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Targets [default: all]
    targets: Vec<String>,
    /// Seconds for each target at most [default: 60, or no limit if executions are given]
    #[arg(long, value_name = "S")]
    seconds: Option<u64>,
    /// Executions of each target
    #[arg(long, value_name = "N", conflicts_with = "long")]
    runs: Option<u64>,
    /// 10^8 executions over all targets, most of them of the fast ones
    #[arg(long, conflicts_with = "seconds")]
    long: bool,
    /// Targets that run at the same time
    #[arg(long, value_name = "J", default_value_t = 1)]
    jobs: usize,
}

/// The folder of the programs and their corpora.
const FOLDER: &str = "fuzz";

/// The executions of each target in the long form, the slowest first. Whole operations at every
/// level, and connections, take a thousand times as long as a key that does not parse.
const LONG: [(&str, u64); 20] = [
    ("spki", 66_000_000),
    ("pkcs8", 14_000_000),
    ("certificate", 7_000_000),
    ("stateful_keys", 100_000),
    ("kem_ciphertexts", 250_000),
    ("level_diff_stateful", 10_000),
    ("pem", 2_000_000),
    ("request", 4_000_000),
    ("sig_keys", 250_000),
    ("stateful_signatures", 250_000),
    ("kem_keys", 300_000),
    ("state_records", 3_000_000),
    ("level_diff_slh", 10_000),
    ("signatures", 250_000),
    ("level_diff_lattices", 10_000),
    ("tls_client", 800_000),
    ("shares", 300_000),
    ("tls_server", 1_000_000),
    ("tls_unbuffered", 500_000),
    ("level_diff_kem", 10_000),
];

/// The result of a target.
struct Row {
    target: String,
    executions: u64,
    seconds: f64,
}

/// Builds the targets, runs them, and prints a table. Returns an error if an input breaks
/// something; that input is kept.
pub(crate) fn run(args: &Args) -> Result<()> {
    let all = targets(Path::new(FOLDER))?;
    for name in &args.targets {
        ensure!(all.contains(name), "no target is called {name}; there are {}", all.join(", "));
    }
    let chosen = if args.targets.is_empty() { all } else { args.targets.clone() };
    let programs = build()?;
    println!("{:20} {:>12} {:>9} {:>12}", "target", "executions", "seconds", "a second");
    let queue = Mutex::new(chosen.into_iter());
    let results = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..args.jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().expect("no thread panics with it").next();
                    let Some(target) = next else { return };
                    let row = args.fuzz(target, &programs);
                    row.iter().for_each(|row| println!("{}", row.line()));
                    results.lock().expect("no thread panics with it").push(row);
                }
            });
        }
    });
    let results = results.into_inner().expect("all threads have ended");
    let (rows, failures): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
    let (executions, seconds) = rows
        .iter()
        .flatten()
        .fold((0, 0.0), |sum, row| (sum.0 + row.executions, sum.1 + row.seconds));
    println!("{}", Row { target: "all".into(), executions, seconds }.line());
    for failure in failures.iter().filter_map(|failure| failure.as_ref().err()) {
        println!("FOUND {failure:#}");
    }
    ensure!(failures.is_empty(), "{} targets found something", failures.len());
    Ok(())
}

/// Returns the names of the targets, which are those of their programs.
fn targets(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder.join("fuzz_targets"))? {
        names.extend(entry?.path().file_stem().map(|name| name.to_string_lossy().into_owned()));
    }
    names.sort();
    // The targets that take longest in the long form begin first.
    names.sort_by_key(|name| LONG.iter().position(|(target, _)| target == name));
    Ok(names)
}

/// Builds all targets at once; returns the folder of their programs.
fn build() -> Result<PathBuf> {
    if capture(&mut nightly("--version")).is_err() {
        bail!("missing: rustup toolchain install nightly");
    }
    if capture(&mut nightly("fuzz --version")).is_err() {
        bail!("missing: cargo install cargo-fuzz --locked");
    }
    run_command(&mut nightly("fuzz build --release --debug-assertions"))?;
    let mut metadata = cargo_metadata::MetadataCommand::new();
    let folder = metadata.manifest_path("fuzz/Cargo.toml").no_deps().exec()?.target_directory;
    Ok(folder.join(HOST).join("release").into())
}

impl Args {
    /// Runs a target.
    fn fuzz(&self, target: String, programs: &Path) -> Result<Row> {
        let found = programs.join("inputs").join(&target);
        let artifacts = Path::new(FOLDER).join("artifacts").join(&target);
        fs::create_dir_all(&found)?;
        fs::create_dir_all(&artifacts)?;
        let mut program = command(&programs.join(&target).to_string_lossy(), "");
        program.args(["-print_final_stats=1", "-timeout=60"]).args(self.end(&target));
        program.arg(format!("-artifact_prefix={}/", artifacts.display()));
        program.args([&found, &Path::new(FOLDER).join("corpus").join(&target)]);
        // Two crates of the same name, which the linker has merged, are not a finding.
        program.env("ASAN_OPTIONS", "detect_odr_violation=0");
        let start = Instant::now();
        let log = logged(&mut program, &found.with_extension("log"))?;
        let seconds = start.elapsed().as_secs_f64();
        let executions = executions(&log).with_context(|| last_lines(&target, &log))?;
        let wanted = self.runs(&target).filter(|_| self.seconds.is_none());
        ensure!(wanted.is_none_or(|wanted| executions >= wanted), "{target}: {executions} only");
        Ok(Row { target, executions, seconds })
    }

    /// Returns the number of requested executions.
    fn runs(&self, target: &str) -> Option<u64> {
        let of_target = || LONG.iter().find(|(name, _)| *name == target).map(|(_, runs)| *runs);
        if self.long { of_target() } else { self.runs }
    }

    /// Returns the arguments that end a target.
    fn end(&self, target: &str) -> Vec<String> {
        let runs = self.runs(target);
        let seconds = self.seconds.or(runs.is_none().then_some(60));
        let runs = runs.map(|runs| format!("-runs={runs}"));
        runs.into_iter().chain(seconds.map(|s| format!("-max_total_time={s}"))).collect()
    }
}

/// Runs a program and logs its output to a file; returns the output, or its end as an error.
fn logged(program: &mut Command, path: &Path) -> Result<String> {
    let log = fs::File::create(path).with_context(|| path.display().to_string())?;
    let status = program.stdout(log.try_clone()?).stderr(log).status()?;
    let log = String::from_utf8_lossy(&fs::read(path)?).into_owned();
    ensure!(status.success(), "{}", last_lines(&path.display().to_string(), &log));
    Ok(log)
}

/// Returns the end of a program's output, which has the reason and the input that was kept.
fn last_lines(what: &str, log: &str) -> String {
    let lines: Vec<_> = log.lines().collect();
    format!("{what}:\n{}", lines[lines.len().saturating_sub(25)..].join("\n"))
}

/// Returns the number of executions in libFuzzer's final statistics.
fn executions(log: &str) -> Option<u64> {
    let said = |line: &str| {
        line.strip_prefix("stat::number_of_executed_units:").map(|count| count.trim().parse().ok())
    };
    log.lines().find_map(said)?
}

impl Row {
    fn line(&self) -> String {
        let Self { target, executions, seconds } = self;
        let rate = *executions as f64 / seconds.max(0.001);
        format!("{target:20} {executions:12} {seconds:9.1} {rate:12.0}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executions_are_read_from_the_statistics() {
        let log = "Done 12 runs in 0 second(s)\nstat::number_of_executed_units: 1234\nstat::x: 5";
        assert_eq!(executions(log), Some(1234));
        assert_eq!(executions("Done 12 runs"), None);
    }

    /// Every target has a number of executions, none less than promised, and neither is their sum.
    #[test]
    fn the_long_form_is_a_hundred_million_executions() {
        let sum: u64 = LONG.iter().map(|(_, runs)| runs).sum();
        assert!(sum >= 100_000_000, "{sum}");
        let is_whole = |name: &str| name.starts_with("level_diff");
        assert!(
            LONG.iter().all(|(name, runs)| *runs >= if is_whole(name) { 10_000 } else { 100_000 })
        );
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name(FOLDER);
        let names: Vec<_> = LONG.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(names, targets(&folder).unwrap());
    }
}
