//! Memcheck over the examples `secrets` and `falcon_secrets` of `crates/measure`, whose secrets are marked undefined.

use std::{collections::VecDeque, process::Output};

use anyhow::{Context, Result, ensure};

use super::{Args, Operation, in_parallel};
use crate::shell::{capture, cargo, command, run as run_command};

/// The levels that valgrind knows.
const LEVELS: [&str; 2] = ["scalar", "avx2"];

/// Optimisation levels; the third is that of release builds.
const OPT_LEVELS: [&str; 4] = ["3", "1", "2", "s"];

/// What memcheck ends with where it has found something; the programs end otherwise.
const FOUND: i32 = 9;

/// What `falcon_secrets` knows; the last one is a planted leak.
const FALCON: [&str; 6] =
    ["keygen", "sign", "sign-prepared", "sign-low-memory", "sign-emulated", "leak"];

/// Its sets, and which of them are part of `--short`.
const FALCON_SETS: [(&str, bool); 4] =
    [("Falcon-512", true), ("Falcon-1024", false), ("FN-DSA-512", true), ("FN-DSA-1024", false)];

/// One run of a program under valgrind.
#[derive(Debug)]
struct Job {
    level: &'static str,
    program: String,
    args: Vec<String>,
    /// Something must be found.
    is_leak: bool,
}

pub(super) fn run(args: &Args) -> Result<Vec<String>> {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        return Ok(vec!["secrets can be marked on x86-64 Linux only".into()]);
    }
    if capture(&mut command("valgrind", "--version")).is_err() {
        return Ok(vec!["valgrind is not installed (Debian: valgrind libc6-dbg)".into()]);
    }
    for opt_level in OPT_LEVELS {
        let wanted =
            args.opt_level.as_ref().map_or(!args.short || opt_level == "3", |o| o == opt_level);
        if wanted {
            at_opt_level(opt_level, args).with_context(|| format!("at opt-level {opt_level}"))?;
        }
    }
    Ok(Vec::new())
}

fn at_opt_level(opt_level: &str, args: &Args) -> Result<()> {
    let mut build =
        cargo("build --release -p oaklath-measure --example secrets --example falcon_secrets");
    run_command(build.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", opt_level))?;
    let target = cargo_metadata::MetadataCommand::new().no_deps().exec()?.target_directory;
    let program = |name: &str| target.join("release/examples").join(name).into_string();
    let mut jobs = VecDeque::new();
    for level in LEVELS {
        for operation in Operation::of_program(&program("secrets"), args)? {
            let is_leak = operation.is_leak();
            let args = vec!["run".into(), operation.algorithm, operation.name];
            jobs.push_back(Job { level, program: program("secrets"), args, is_leak });
        }
        for (set, in_short) in FALCON_SETS {
            let falcon = Operation { algorithm: set.into(), name: String::new() };
            if !(args.short && in_short || !args.short && falcon.is_wanted(args)) {
                continue;
            }
            for what in FALCON {
                let (args, is_leak) = (vec![what.into(), set.into()], what == "leak");
                jobs.push_back(Job { level, program: program("falcon_secrets"), args, is_leak });
            }
        }
    }
    let count = jobs.len();
    let findings = in_parallel(jobs, Job::run)?;
    findings.iter().for_each(|finding| println!("{finding}"));
    ensure!(findings.is_empty(), "{} of {count} runs", findings.len());
    println!("opt-level {opt_level}: {count} runs, the planted leaks found and nothing else");
    Ok(())
}

impl Job {
    /// What is wrong, if anything is.
    fn run(&self) -> Result<Option<String>> {
        // Some of our pieces of code between jumps are longer than valgrind takes by itself.
        let mut valgrind =
            command("valgrind", "--quiet --error-exitcode=9 --vex-guest-max-insns=20");
        valgrind.arg(&self.program).args(&self.args).env("OAKLATH_SIMD", self.level);
        let output = valgrind.output().context("cannot start valgrind")?;
        Ok(self.judge(&output))
    }

    fn judge(&self, Output { status, stderr, .. }: &Output) -> Option<String> {
        let what = format!("{} at {}", self.args.join(" "), self.level);
        match status.code() {
            Some(0) if !self.is_leak => None,
            Some(FOUND) if self.is_leak => None,
            Some(0) => Some(format!("{what}: the planted leak was not found")),
            _ => Some(format!("{what}: {status}\n{}", String::from_utf8_lossy(stderr))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{os::unix::process::ExitStatusExt, process::ExitStatus};

    use super::*;

    #[test]
    fn a_leak_must_be_found_and_nothing_else_may() {
        let judged = |is_leak, code: i32| {
            let job =
                Job { level: "avx2", program: String::new(), args: vec!["sign".into()], is_leak };
            let status = ExitStatus::from_raw(code << 8);
            job.judge(&Output { status, stdout: Vec::new(), stderr: b"==1== Use".to_vec() })
        };
        assert_eq!(judged(false, 0), None);
        assert_eq!(judged(true, FOUND), None);
        assert!(judged(true, 0).unwrap().contains("sign at avx2: the planted leak"));
        assert!(judged(false, FOUND).unwrap().contains("==1== Use"));
        assert!(judged(true, 1).is_some() && judged(false, 1).is_some(), "the program failed");
    }
}
