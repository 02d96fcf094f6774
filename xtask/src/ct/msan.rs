//! Runs the programs of [`secrets`](super::secrets) under the memory sanitizer, which follows
//! secrets through AVX-512, too.
//!
//! It sees the code before registers are allocated, and needs the standard library built anew on a
//! nightly compiler. The barrier of `simd::ct` would hide secrets from it: with `--cfg
//! oaklath_sanitize` that is no barrier, and the leak that is planted behind a mask shows that the
//! sanitizer still sees secrets.

use std::process::Output;

use anyhow::{Result, ensure};
use oaklath_simd::Level;

use super::{
    Args, Operation, Outcome,
    secrets::{EXAMPLES, Run},
    with_lines,
};
use crate::{
    emulate,
    platforms::{HOST, nightly},
    shell::{capture, command, run as run_command},
};

/// Undefined arguments of calls are no findings, only branches and addresses made of them.
const FLAGS: &str = "-Zsanitizer=memory --cfg oaklath_sanitize -Cllvm-args=-msan-eager-checks=0";

/// The beginning of the sanitizer's report.
const FOUND: &str = "MemorySanitizer: use-of-uninitialized-value";

pub(super) fn run(args: &Args) -> Result<Outcome> {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        return Ok(Outcome::not_run("it is set up for x86-64 Linux only"));
    }
    let sources = capture(&mut nightly("--version")).and_then(|_| {
        capture(&mut command("rustup", "component list --toolchain nightly --installed"))
    });
    if !sources.is_ok_and(|listed| listed.lines().any(|name| name == "rust-src")) {
        let missing = "missing: rustup toolchain install nightly --component rust-src";
        return Ok(Outcome::not_run(missing));
    }
    let mut runs = Run::all(&build()?, args)?;
    runs.retain(|run| !uses_aes(&run.operation));
    for level in Level::available() {
        let mut findings = Vec::new();
        for run in &runs {
            let mut program = command(&run.program, "");
            program.args(&run.args).env("OAKLATH_SIMD", level.name());
            findings.extend(judge(&run.operation, level.name(), &program.output()?));
        }
        findings.iter().for_each(|finding| println!("{finding}"));
        ensure!(findings.is_empty(), "{} of {} runs at {level}", findings.len(), runs.len());
        println!("{level}: {} runs, the planted leaks found and nothing else", runs.len());
    }
    let mut gaps =
        vec!["Kyber-90s and Dilithium-AES: it does not know the instructions of AES".into()];
    if !emulate::is_native() {
        gaps.push("this CPU does not have AVX-512".into());
    }
    Ok(Outcome::Ran(gaps))
}

/// Reports whether the sanitizer misjudges the key schedule, whose instructions it does not know.
fn uses_aes(operation: &Operation) -> bool {
    operation.algorithm.ends_with("-90s") || operation.algorithm.ends_with("-AES")
}

/// Builds the programs and all their dependencies with the sanitizer; returns their folder.
fn build() -> Result<String> {
    let build = format!("build --release -Zbuild-std --target {HOST} {EXAMPLES}");
    run_command(with_lines(nightly(&build).env("RUSTFLAGS", FLAGS)))?;
    let target = cargo_metadata::MetadataCommand::new().no_deps().exec()?.target_directory;
    Ok(target.join(HOST).join("release/examples").into_string())
}

/// Returns what is wrong with the way an operation ended, if anything is.
fn judge(operation: &Operation, level: &str, output: &Output) -> Option<String> {
    let stderr = String::from_utf8_lossy(&output.stderr);
    let what = format!("{} {} at {level}", operation.algorithm, operation.name);
    match (output.status.success(), stderr.contains(FOUND)) {
        (true, _) if !operation.is_leak() => None,
        (false, true) if operation.is_leak() => None,
        (true, _) => Some(format!("{what}: the planted leak was not found")),
        _ => Some(format!("{what}: {}\n{stderr}", output.status)),
    }
}

#[cfg(test)]
mod tests {
    use std::{os::unix::process::ExitStatusExt, process::ExitStatus};

    use super::*;

    #[test]
    fn a_leak_must_be_found_and_nothing_else_may() {
        let judged = |algorithm: &str, code: i32, stderr: &str| {
            let operation = Operation { algorithm: algorithm.into(), name: "mask".into() };
            let (status, stderr) = (ExitStatus::from_raw(code << 8), stderr.as_bytes().to_vec());
            judge(&operation, "avx2", &Output { status, stdout: Vec::new(), stderr })
        };
        assert_eq!(judged("ML-KEM-768", 0, ""), None);
        assert_eq!(judged("leak", 1, FOUND), None);
        assert!(judged("leak", 0, "").unwrap().contains("the planted leak was not found"));
        assert!(judged("leak", 1, "error: no memory").is_some(), "the program failed");
        assert!(judged("ML-KEM-768", 1, FOUND).unwrap().contains(FOUND));
    }
}
