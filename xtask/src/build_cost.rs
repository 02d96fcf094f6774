//! `cargo xtask build-cost`: prints the CPU seconds that compiling costs, crate by crate, beside
//! those of the crate rustls in the same run, so that different machines and loads can be compared.
//!
//! Each build is a clean one, into a folder of its own. Cargo starts this very program in the place
//! of rustc (`RUSTC_WRAPPER`); it runs rustc, reads from `/proc` what that has used, and adds a
//! line to a file.

use std::{
    collections::BTreeMap,
    env,
    ffi::OsString,
    fmt::Write as _,
    fs::{self, File, OpenOptions},
    io::Write as _,
    path::Path,
    process::{Command, ExitCode},
    time::Instant,
};

use anyhow::{Context, Result, ensure};

use crate::shell::{cargo, run as run_shown};

/// The variable that is set for the wrapper: the file to which it adds lines.
const RECORD: &str = "OAKLATH_BUILD_COST";

/// Ticks per second in `/proc/self/stat`: `USER_HZ`, the same on every Linux.
const TICKS: f64 = 100.0;

/// The builds that are measured.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Measures what `cargo test` builds as well
    #[arg(long)]
    tests: bool,
    /// Prints every crate instead of the twenty most expensive
    #[arg(long)]
    all: bool,
}

/// A build, and the most that its own crates should cost, as a multiple of rustls.
struct Build {
    command: &'static str,
    limit: Option<f64>,
}

const LIBRARY: Build = Build { command: "build --release -p oaklath", limit: Some(1.5) };
const DEMO: Build = Build { command: "build --release -p oaklath-cli", limit: Some(4.0) };
const TESTS: Build = Build { command: "test --no-run", limit: None };

/// Builds and prints the costs.
pub(crate) fn run(args: &Args) -> Result<()> {
    ensure!(cfg!(target_os = "linux"), "CPU seconds are read from /proc, which only Linux has");
    let builds = [LIBRARY, DEMO].into_iter().chain(args.tests.then_some(TESTS));
    builds.into_iter().try_for_each(|build| measure(&build, args.all))
}

fn measure(build: &Build, all: bool) -> Result<()> {
    let folder = env::current_dir()?.join("target/build-cost");
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    }
    fs::create_dir_all(&folder)?;
    let record = folder.join("seconds");
    File::create(&record)?;
    let start = Instant::now();
    run_shown(
        cargo(&format!("{} --quiet", build.command))
            .env("RUSTC_WRAPPER", env::current_exe()?)
            .env("CARGO_TARGET_DIR", &folder)
            .env(RECORD, &record),
    )?;
    let elapsed = start.elapsed().as_secs();
    let costs = Costs::parse(&fs::read_to_string(&record)?)?;
    print!("{}", costs.report(build, all));
    println!("{:8.1}  all, in {elapsed} s of wall-clock time\n", costs.sum(|_| true));
    fs::remove_dir_all(&folder)?;
    Ok(())
}

/// The CPU seconds of each crate, over all its compilations: the library, its tests, build scripts.
struct Costs(BTreeMap<String, f64>);

impl Costs {
    fn parse(record: &str) -> Result<Self> {
        let mut costs = BTreeMap::new();
        for line in record.lines() {
            let (name, seconds) = line.split_once(' ').context("a line without a figure")?;
            *costs.entry(name.to_owned()).or_insert(0.0) += seconds.parse::<f64>()?;
        }
        Ok(Self(costs))
    }

    fn sum(&self, counts: impl Fn(&str) -> bool) -> f64 {
        self.0.iter().filter(|(name, _)| counts(name)).map(|(_, seconds)| seconds).sum()
    }

    fn report(&self, build: &Build, all: bool) -> String {
        let mut text = format!("CPU seconds of `cargo {}`\n", build.command);
        let mut costs: Vec<_> = self.0.iter().collect();
        costs.sort_by(|a, b| b.1.total_cmp(a.1));
        for (name, seconds) in costs.iter().take(if all { usize::MAX } else { 20 }) {
            writeln!(text, "{seconds:8.1}  {name}").expect("a String takes everything");
        }
        let (own, rustls) = (self.sum(is_own), self.sum(|name| name == "rustls"));
        write!(text, "{own:8.1}  own crates").expect("a String takes everything");
        if let Some(limit) = build.limit {
            let ratio = own / rustls;
            write!(text, ", {ratio:.2} times rustls (at most {limit:.1})")
                .expect("a String takes everything");
        }
        text + "\n"
    }
}

fn is_own(name: &str) -> bool {
    name.starts_with("oaklath")
}

/// Runs rustc in the place of this program if cargo asked for it, and records its cost.
pub(crate) fn wrap() -> Option<ExitCode> {
    let record = env::var_os(RECORD)?;
    let mut args = env::args_os().skip(1);
    let compiler = args.next()?;
    let args: Vec<OsString> = args.collect();
    let status = match Command::new(compiler).args(&args).status() {
        Ok(status) => status,
        Err(error) => {
            eprintln!("error: rustc: {error}");
            return Some(ExitCode::FAILURE);
        }
    };
    let name = args.iter().skip_while(|arg| *arg != "--crate-name").nth(1);
    if let Some(name) = name.and_then(|name| name.to_str())
        && name != "___"
        && let Err(error) = add_line(Path::new(&record), name)
    {
        eprintln!("error: {error:#}");
        return Some(ExitCode::FAILURE);
    }
    Some(u8::try_from(status.code().unwrap_or(1)).unwrap_or(1).into())
}

/// Adds a line with the CPU seconds of the children of this process.
fn add_line(record: &Path, name: &str) -> Result<()> {
    let stat = fs::read_to_string("/proc/self/stat").context("/proc/self/stat")?;
    let seconds = children(&stat).context("/proc/self/stat has another form")?;
    let mut file = OpenOptions::new().append(true).open(record)?;
    Ok(file.write_all(format!("{name} {seconds}\n").as_bytes())?)
}

/// Returns user and system seconds of the children that have ended: fields 16 and 17 of proc(5).
/// The second field is the name of the program in parentheses, which may contain spaces.
fn children(stat: &str) -> Option<f64> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut fields = after_name.split_whitespace().skip(13);
    let user: f64 = fields.next()?.parse().ok()?;
    let system: f64 = fields.next()?.parse().ok()?;
    Some((user + system) / TICKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_are_the_fields_after_those_of_the_process() {
        let stat = "7 (a (b) c) S 1 1 1 0 -1 4 5 6 7 8 9 10 250 50 20 0 1";
        assert_eq!(children(stat), Some(3.0));
        assert_eq!(children("7 (x"), None);
    }

    #[test]
    fn compilations_of_a_crate_add_up_and_are_related_to_rustls() {
        let costs = Costs::parse("oaklath_kem 2.5\nrustls 4\noaklath_kem 0.5\nclap 1\n").unwrap();
        let report = costs.report(&LIBRARY, true);
        assert!(
            report.contains("     3.0  own crates, 0.75 times rustls (at most 1.5)"),
            "{report}"
        );
        assert!(Costs::parse("rustls").is_err());
    }
}
