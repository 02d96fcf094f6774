//! Compares ours with other implementations. They are in `tools/interop/`, workspaces of their own,
//! since they need cmake, libclang and newer compilers: this builds them and passes arguments on.

use std::{
    env, fs,
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};
use clap::Subcommand;
use oaklath_simd::Level;
use serde_json::Value;

use crate::{interop::bench, machine::now, tables};

/// What is compared.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Compares the speed of key encapsulation: a table for each operation, contenders interleaved.
    #[command(disable_help_flag = true)]
    Kem {
        /// Options of the program `compare`; `--help` lists them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        options: Vec<String>,
    },
    /// Compares the speed of signatures in the same way.
    #[command(disable_help_flag = true)]
    Sig {
        /// Options of the program `compare`; `--help` lists them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        options: Vec<String>,
    },
    /// Compares all speeds at the best level: the ratio to the fastest peer of every operation goes
    /// into BENCHMARKS.md, the worst first.
    All {
        /// Only these kinds; the others keep their recorded lines
        #[arg(value_parser = tables::PEERS)]
        kinds: Vec<String>,
        /// Batches for each contender
        #[arg(long, value_name = "N", default_value_t = 31)]
        samples: u32,
    },
    /// Compares the speed of stateful signatures in the same way.
    #[command(disable_help_flag = true)]
    Stateful {
        /// Options of the program `compare`; `--help` lists them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        options: Vec<String>,
    },
    /// Compares batches of our operations with single ones, interleaved on one core.
    Batch {
        /// A SIMD level, by default the best, and an algorithm, by default every one with batches
        options: Vec<String>,
    },
    /// Compares handshakes per second on one core with wolfSSL's benchmark of connections and with
    /// rustls over aws-lc-rs alone: a table that goes into BENCHMARKS.md.
    Tls(bench::Args),
    /// Counts the permutations and compressions of operations that run, and compares them with the
    /// formulas of the bounds.
    Counts,
    /// Compares results on random keys, ciphertexts and messages, both directions, at every level.
    Differential {
        /// Cases for each algorithm and level
        #[arg(long, value_name = "N", default_value_t = 10_000)]
        cases: u32,
        /// Repeat the run whose seed a failure printed
        #[arg(long, value_name = "SEED")]
        seed: Option<u64>,
    },
}

/// The workspaces of peers, since cargo accepts only one version of a crate that links a C library:
/// today's libraries, and the last ones that have all of NIST's round 3.
const CURRENT: &str = "tools/interop/current/Cargo.toml";
const ROUND3: &str = "tools/interop/round3/Cargo.toml";
/// A workspace, and the features with which it is built.
type Build = (&'static str, &'static [&'static str]);
/// The third has NTRU and SABER of a second library with the same symbols.
const BUILDS: [Build; 3] = [(CURRENT, &[]), (ROUND3, &[]), (ROUND3, &["--features", "pqcrypto"])];
/// The crates that `oaklath-pqcrypto` stands in for, and tests that compare both.
const PQCRYPTO: Build = ("tools/interop/pqcrypto/Cargo.toml", &[]);

/// The program that compares our batches with our single operations.
const BATCH: [&str; 4] = ["--package", "oaklath-measure", "--example", "batch"];
/// The program that counts permutations.
const COUNTS: [&str; 6] =
    ["--package", "oaklath-measure", "--features", "trace", "--example", "counts"];

const NEEDS: &str =
    "the peers need a C compiler, cmake and libclang (Debian: apt-get install cmake libclang-dev)";

/// Builds the workspaces in release and runs the requested comparison in each.
pub(crate) fn run(args: &Args) -> Result<()> {
    match &args.what {
        What::Kem { options } => speed("kem", options),
        What::Sig { options } => speed("sig", options),
        What::Stateful { options } => speed("stateful", options),
        What::Batch { options } => {
            let mut command = cargo("run", ("Cargo.toml", &BATCH));
            run_shown(command.arg("--").args(options))
        }
        What::All { kinds, samples } => all(kinds, *samples),
        What::Counts => run_shown(&mut cargo("run", ("Cargo.toml", &COUNTS))),
        What::Tls(args) => bench::run(args),
        What::Differential { cases, seed } => {
            for build in BUILDS.into_iter().chain([PQCRYPTO]) {
                let mut command = cargo("test", build);
                command.args(["--workspace", "--tests"]).env("OAKLATH_CASES", cases.to_string());
                if let Some(seed) = seed {
                    command.env("OAKLATH_SEED", seed.to_string());
                }
                run_shown(&mut cargo("build", build)).context(NEEDS)?;
                run_shown(&mut command)?;
            }
            Ok(())
        }
    }
}

/// Compares every kind, with ours at the best level of this CPU; the lines are kept in files, which
/// the tables read.
fn all(kinds: &[String], samples: u32) -> Result<()> {
    let level = Level::get().name();
    let options =
        ["--json", "--level", level, "--samples", &samples.to_string()].map(str::to_owned);
    let is_wanted = |kind: &&str| kinds.is_empty() || kinds.iter().any(|wanted| wanted == kind);
    for kind in tables::PEERS.into_iter().filter(is_wanted) {
        let (measured, reports) = reports(kind, &options)?;
        let lines = measured + &join_json(&reports)?;
        let path = tables::peers_of(kind);
        fs::write(&path, lines).with_context(|| path.display().to_string())?;
    }
    tables::peers()
}

/// Runs one process for each build, one after the other, each built just before it runs, so that
/// nothing is built during measurements; their output is joined.
fn speed(what: &str, options: &[String]) -> Result<()> {
    let has = |flags: &[&str]| options.iter().any(|option| flags.contains(&&**option));
    if has(&["--help", "-h"]) {
        return run_shown(&mut compare(what, BUILDS[0], options));
    }
    let (_, reports) = reports(what, options)?;
    let joined = match has(&["--json"]) {
        true => join_json(&reports)?,
        false => join_tables(&reports),
    };
    print!("{joined}");
    Ok(())
}

/// Returns the command that runs the program of a workspace of peers.
fn compare(what: &str, build: Build, options: &[String]) -> Command {
    let mut command = cargo("run", build);
    command.args(["--", what]).args(options);
    command
}

/// Returns what each build prints, and for each a line that says when.
fn reports(what: &str, options: &[String]) -> Result<(String, Vec<String>)> {
    let (mut measured, mut reports) = (String::new(), Vec::new());
    for build in BUILDS {
        // The third build has no signatures, and only the first has stateful ones.
        let has_peers = match what {
            "kem" => true,
            "sig" => build.1.is_empty(),
            _ => build.0 == CURRENT,
        };
        if has_peers {
            run_shown(&mut cargo("build", build)).context(NEEDS)?;
            measured += &now()?;
            reports.push(capture_shown(&mut compare(what, build, options))?);
        }
    }
    Ok((measured, reports))
}

/// Returns one object for each algorithm, operation and level: if several reports have it, the one
/// with the lower ratio, which compares contenders of one process.
fn join_json(reports: &[String]) -> Result<String> {
    let mut rows: Vec<(Value, &str)> = Vec::new();
    for line in reports.iter().flat_map(|report| report.lines()) {
        let row: Value = serde_json::from_str(line).with_context(|| line.to_owned())?;
        let same = |other: &Value| {
            ["algorithm", "operation", "level"].iter().all(|key| row[key] == other[key])
        };
        match rows.iter_mut().find(|(other, _)| same(other)) {
            None => rows.push((row, line)),
            Some(known) if row["ratio"].as_f64() < known.0["ratio"].as_f64() => {
                *known = (row, line);
            }
            Some(_) => {}
        }
    }
    Ok(rows.iter().map(|(_, line)| format!("{line}\n")).collect())
}

/// Joins the heads, then the tables; rows that later reports have for a title follow its table.
fn join_tables(reports: &[String]) -> String {
    let (mut heads, mut tables) = (Vec::new(), Vec::<(&str, String)>::new());
    for report in reports {
        let mut parts = report.trim_end().split("\n\n").filter(|part| !part.is_empty());
        heads.extend(parts.next());
        for part in parts {
            let (title, rows) = part.split_once('\n').unwrap_or((part, ""));
            match tables.iter_mut().find(|(known, _)| name(known) == name(title)) {
                None => tables.push((title, rows.to_owned())),
                Some((_, table)) => {
                    *table += &format!("\n beside the libraries of round 3\n{rows}");
                }
            }
        }
    }
    let tables = tables.iter().map(|(title, rows)| format!("\n{title}\n{rows}\n"));
    heads.join("\n\n") + "\n" + &tables.collect::<String>()
}

/// Returns algorithm and operation, the first two words of a title.
fn name(title: &str) -> Vec<&str> {
    title.split_whitespace().take(2).collect()
}

/// Returns `cargo SUBCOMMAND` on a workspace of peers, quiet so that only the program prints.
fn cargo(subcommand: &str, (manifest, features): Build) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args([subcommand, "--quiet", "--release", "--manifest-path", manifest]).args(features);
    command.stdin(Stdio::null());
    command
}

/// Runs a command, and prints its command line on standard error.
fn run_shown(command: &mut Command) -> Result<()> {
    capture_shown(command.stdout(Stdio::inherit())).map(drop)
}

/// Runs a command in the same way, and returns its standard output unless that is redirected.
fn capture_shown(command: &mut Command) -> Result<String> {
    let program = Path::new(command.get_program()).display().to_string();
    let line = command
        .get_args()
        .fold("cargo".to_owned(), |line, arg| line + " " + &arg.to_string_lossy());
    eprintln!("$ {line}");
    let child = command.stderr(Stdio::inherit());
    let output = child.output().with_context(|| format!("cannot start {program}"))?;
    ensure!(output.status.success(), "`{line}` failed ({})", output.status);
    String::from_utf8(output.stdout).with_context(|| format!("`{line}` did not print UTF-8"))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn parse(line: &str) -> Args {
        Line::try_parse_from(line.split_whitespace()).unwrap().args
    }

    #[test]
    fn options_of_the_program_are_passed_on() {
        let What::Kem { options } = parse("compare kem --level avx2 --json --help").what else {
            panic!("another command");
        };
        assert_eq!(options, ["--level", "avx2", "--json", "--help"]);
        let What::Sig { options } = parse("compare sig --algorithm ML-DSA-65").what else {
            panic!("another command");
        };
        assert_eq!(options, ["--algorithm", "ML-DSA-65"]);
    }

    #[test]
    fn ten_thousand_cases_unless_told_otherwise() {
        let What::Differential { cases, seed } = parse("compare differential --seed 7").what else {
            panic!("another command");
        };
        assert_eq!((cases, seed), (10_000, Some(7)));
    }

    #[test]
    fn the_strongest_peer_of_both_workspaces_stays() {
        let row = |algorithm: &str, peer: &str, ratio: f64| {
            format!(
                r#"{{"algorithm":"{algorithm}","level":"avx2","peer":"{peer}","ratio":{ratio}}}"#
            ) + "\n"
        };
        let current = row("A", "new", 1.5) + &row("B", "new", 1.5);
        let round3 = row("B", "old", 1.25) + &row("A", "old", 2.0) + &row("C", "old", 3.0);
        let joined = join_json(&[current, round3]).unwrap();
        assert_eq!(joined, row("A", "new", 1.5) + &row("B", "old", 1.25) + &row("C", "old", 3.0));
        join_json(&["no JSON".to_owned()]).unwrap_err();
    }

    #[test]
    fn rows_of_one_title_stand_together() {
        let current = "CPU\n\nA keygen   cc\n  ours 1\n\nB keygen   cc\n  ours 2\n".to_owned();
        let round3 = "CPU again\n\nB keygen  cc\n  ours 3\n\nC keygen   cc\n  ours 4\n".to_owned();
        assert_eq!(
            join_tables(&[current.clone(), round3.clone()]),
            "CPU\n\nCPU again\n\nA keygen   cc\n  ours 1\n\nB keygen   cc\n  ours 2\n \
             beside the libraries of round 3\n  ours 3\n\nC keygen   cc\n  ours 4\n"
        );
        assert_eq!(join_tables(&[current.clone(), String::new()]), current);
        assert_eq!(join_tables(&[String::new(), round3.clone()]), round3);
    }
}
