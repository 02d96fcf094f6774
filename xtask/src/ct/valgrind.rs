//! Runs the programs of [`secrets`](super::secrets), with secrets marked undefined, under memcheck.

use std::{collections::VecDeque, process::Output};

use anyhow::{Context, Result, ensure};

use super::{
    Args, Outcome, in_parallel,
    secrets::{EXAMPLES, Run},
    with_lines,
};
use crate::shell::{capture, cargo, command, run as run_command};

/// The levels whose instructions valgrind knows.
const LEVELS: [&str; 2] = ["scalar", "avx2"];

/// The optimisation levels; 3 is that of release builds.
const OPT_LEVELS: [&str; 4] = ["3", "1", "2", "s"];

/// The exit code of memcheck when it has found something; the programs have others.
const FOUND: i32 = 9;

/// The status of a program with an instruction that valgrind does not know.
const ILLEGAL: &str = "signal 4 (SIGILL)";
const UNKNOWN: &str = "valgrind does not know an instruction of it";

/// Reports whether this is the one case that is a gap and no fault: at this optimisation level the
/// compiler moves between registers by an encoding of `vmovq` that every CPU with AVX accepts, but
/// valgrind does not.
fn is_unknown(opt_level: &str, found: &str) -> bool {
    opt_level == "s" && found.contains("NTRU") && found.ends_with(UNKNOWN)
}

/// One run of a program under valgrind.
struct Job {
    level: &'static str,
    run: Run,
}

pub(super) fn run(args: &Args) -> Result<Outcome> {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        return Ok(Outcome::not_run("secrets can be marked on x86-64 Linux only"));
    }
    if capture(&mut command("valgrind", "--version")).is_err() {
        return Ok(Outcome::not_run("valgrind is not installed (Debian: valgrind libc6-dbg)"));
    }
    let mut gaps = Vec::new();
    for opt_level in OPT_LEVELS {
        let wanted =
            args.opt_level.as_ref().map_or(!args.short || opt_level == "3", |o| o == opt_level);
        if wanted {
            let run = at_opt_level(opt_level, args);
            gaps.extend(run.with_context(|| format!("at opt-level {opt_level}"))?);
        }
    }
    Ok(Outcome::Ran(gaps))
}

/// Returns what could not be followed, with the reasons.
fn at_opt_level(opt_level: &str, args: &Args) -> Result<Vec<String>> {
    let mut build = cargo(&format!("build --release {EXAMPLES}"));
    build.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", opt_level);
    run_command(with_lines(&mut build))?;
    let target = cargo_metadata::MetadataCommand::new().no_deps().exec()?.target_directory;
    let runs = Run::all(target.join("release/examples").as_str(), args)?;
    let at = |level| runs.iter().map(move |run| Job { level, run: run.clone() });
    let jobs: VecDeque<_> = LEVELS.into_iter().flat_map(at).collect();
    let count = jobs.len();
    let found = in_parallel(jobs, Job::run)?;
    let (unknown, findings): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|found| is_unknown(opt_level, found));
    findings.iter().for_each(|finding| println!("{finding}"));
    ensure!(findings.is_empty(), "{} of {count} runs", findings.len());
    let count = count - unknown.len();
    ensure!(count > unknown.len(), "{} runs not followed", unknown.len());
    println!("opt-level {opt_level}: {count} runs, the planted leaks found and nothing else");
    Ok(unknown.into_iter().map(|what| format!("opt-level {opt_level}: {what}")).collect())
}

impl Job {
    /// Returns what is wrong, if anything is.
    fn run(&self) -> Result<Option<String>> {
        // Some of our basic blocks are longer than valgrind accepts by default.
        let mut valgrind =
            command("valgrind", "--quiet --error-exitcode=9 --vex-guest-max-insns=20");
        let Run { program, args, .. } = &self.run;
        valgrind.arg(program).args(args).env("OAKLATH_SIMD", self.level);
        let output = valgrind.output().context("cannot start valgrind")?;
        Ok(self.judge(&output))
    }

    fn judge(&self, Output { status, stderr, .. }: &Output) -> Option<String> {
        let what = format!("{} at {}", self.run.args.join(" "), self.level);
        match status.code() {
            Some(0) if !self.run.is_leak() => None,
            Some(FOUND) if self.run.is_leak() => None,
            Some(0) => Some(format!("{what}: the planted leak was not found")),
            _ => match String::from_utf8_lossy(stderr) {
                text if text.contains(ILLEGAL) && !self.run.is_leak() => {
                    Some(format!("{what}: {UNKNOWN}"))
                }
                text => Some(format!("{what}: {status}\n{text}")),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{os::unix::process::ExitStatusExt, process::ExitStatus};

    use super::*;
    use crate::ct::Operation;

    #[test]
    fn a_leak_must_be_found_and_nothing_else_may() {
        let judged = |is_leak, code: i32, stderr: &str| {
            let name = if is_leak { "leak" } else { "sign" };
            let operation = Operation { algorithm: "ML-DSA-44".into(), name: name.into() };
            let run = Run { program: String::new(), args: vec![name.into()], operation };
            let job = Job { level: "avx2", run };
            let status = ExitStatus::from_raw(code << 8);
            job.judge(&Output { status, stdout: Vec::new(), stderr: stderr.into() })
        };
        assert_eq!(judged(false, 0, ""), None);
        assert_eq!(judged(true, FOUND, ""), None);
        assert!(judged(true, 0, "").unwrap().contains("leak at avx2: the planted leak"));
        assert!(judged(false, FOUND, "==1== Use").unwrap().contains("==1== Use"));
        assert!(judged(true, 1, "").is_some() && judged(false, 1, "").is_some(), "it failed");
        let unknown = judged(false, 1, ILLEGAL).unwrap();
        assert!(unknown.ends_with(UNKNOWN) && !is_unknown("s", &unknown));
        let of_ntru = format!("NTRU {unknown}");
        assert!(is_unknown("s", &of_ntru) && !is_unknown("3", &of_ntru));
        assert!(!judged(true, 1, ILLEGAL).unwrap().ends_with(UNKNOWN));
    }
}
