//! The example `traces` of `tools/measure`: follows each operation with different secrets step by
//! step on this CPU, and times some.

use std::collections::VecDeque;

use anyhow::{Context, Result, ensure};

use super::{Args, Operation, Outcome, in_parallel, with_lines};
use crate::{
    emulate,
    shell::{capture, cargo, command, run as run_command},
};

/// The steps that are followed of an operation, over all secrets: enough for 32 secrets of most
/// lattice operations.
const STEPS: u64 = 32_000_000;
/// The steps for hash trees, which repeat the same work over and over.
const OF_TREES: u64 = 4_000_000;
const IN_SHORT: u64 = 500_000;

/// The program's exit code when secrets are visible; it has others for other failures.
const FOUND: i32 = 9;

/// The operations that `--short` runs, at one level.
const SHORT: [(&str, &str); 9] = [
    ("ML-KEM-768", "keygen"),
    ("ML-KEM-768", "decapsulate"),
    ("Kyber512-90s", "decapsulate"),
    ("NTRU-HPS-2048-509", "decapsulate"),
    ("LightSaber-KEM", "decapsulate"),
    ("ML-DSA-44", "sign"),
    ("Falcon-512", "sign-prepared"),
    ("SLH-DSA-SHA2-128f", "keygen"),
    ("XMSSMT-SHA2", "keygen"),
];

struct Job<'a> {
    program: &'a str,
    level: &'static str,
    operation: Operation,
    steps: u64,
}

/// Compares the steps of operations.
pub(super) fn run(args: &Args) -> Result<Outcome> {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        return Ok(Outcome::not_run("steps can be followed on x86-64 Linux only"));
    }
    let program = &build()?;
    let levels: &[_] = match (emulate::is_native(), args.short) {
        (true, _) => &["avx512"],
        (false, true) => &["avx2"],
        (false, false) => &["avx2", "scalar"],
    };
    let mut operations = Operation::listed(&capture(&mut command(program, "list"))?);
    operations.retain(|operation| operation.is_leak() || is_wanted(operation, args));
    let chosen = operations.iter().filter(|operation| !operation.is_leak()).count();
    ensure!(chosen > 0, "no operation is called so");
    let is_part = args.short && args.operation.is_none();
    ensure!(!is_part || chosen == SHORT.len(), "{chosen} of {} operations", SHORT.len());
    let job = |level| {
        let to_job = move |operation: &Operation| {
            let steps = steps(operation, args);
            Job { program, level, operation: operation.clone(), steps }
        };
        operations.iter().map(to_job)
    };
    let jobs: VecDeque<_> = levels.iter().flat_map(|level| job(level)).collect();
    let count = jobs.len();
    let findings = in_parallel(jobs, Job::run)?;
    findings.iter().for_each(|finding| println!("{finding}"));
    ensure!(findings.is_empty(), "{} of {count} runs", findings.len());
    println!("{count} runs at {}, the planted leaks found and nothing else", levels.join(", "));
    let gap = "this CPU does not have AVX-512: other levels were followed";
    Ok(Outcome::Ran(if emulate::is_native() { Vec::new() } else { vec![gap.into()] }))
}

fn build() -> Result<String> {
    let build = "build --release -p oaklath-measure --features trace --example traces";
    run_command(with_lines(&mut cargo(build)))?;
    let target = cargo_metadata::MetadataCommand::new().no_deps().exec()?.target_directory;
    Ok(target.join("release/examples/traces").into_string())
}

fn is_wanted(operation: &Operation, args: &Args) -> bool {
    let pair = (operation.algorithm.as_str(), operation.name.as_str());
    let long = Args { short: false, operation: args.operation.clone(), ..Args::default() };
    operation.is_wanted(&long, None) && (!args.short || SHORT.contains(&pair))
}

fn steps(operation: &Operation, args: &Args) -> u64 {
    match operation.is_of_trees() {
        _ if args.short => IN_SHORT,
        true => OF_TREES,
        false => STEPS,
    }
}

impl Operation {
    fn is_of_trees(&self) -> bool {
        let trees = ["SLH-DSA", "SPHINCS", "LMS", "HSS", "XMSS"];
        trees.iter().any(|name| self.algorithm.starts_with(name))
    }
}

impl Job<'_> {
    /// Returns what is wrong, if anything is.
    fn run(&self) -> Result<Option<String>> {
        let Operation { algorithm, name } = &self.operation;
        let mut program = command(self.program, "run");
        program.args([algorithm, name, &self.steps.to_string()]).env("OAKLATH_SIMD", self.level);
        let output = program.output().context("cannot start `traces`")?;
        let text = String::from_utf8_lossy(&output.stdout);
        let what = format!("{} at {}", text.trim(), self.level);
        let is_leak = self.operation.is_leak();
        Ok(match output.status.code() {
            Some(0) if is_leak => Some(format!("{what}: the planted leak was not found")),
            Some(0) => {
                println!("{what}");
                None
            }
            Some(FOUND) if is_leak => None,
            Some(FOUND) => Some(format!("{what}\n{}", self.place(&text))),
            _ => {
                let error = String::from_utf8_lossy(&output.stderr);
                Some(format!("{algorithm} {name} at {}: {}\n{error}", self.level, output.status))
            }
        })
    }

    /// Returns the source lines of an address of the program.
    fn place(&self, text: &str) -> String {
        let address = text.split_whitespace().find(|word| word.starts_with("0x"));
        let mut lookup = command("addr2line", "--demangle --functions --inlines --pretty-print -e");
        capture(lookup.arg(self.program).args(address))
            .unwrap_or_else(|_| "`addr2line` (Debian: binutils) says where that is".into())
    }
}

/// The seconds for each operation.
const TIME: &str = "3";

/// Prints statistics of times, which mean something on a quiet machine only: they are no reason to
/// fail. The planted leak must be visible.
pub(super) fn times(args: &Args) -> Result<Outcome> {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        return Ok(Outcome::not_run("`traces` is a program for x86-64 Linux"));
    }
    let program = build()?;
    let time = |operation: &Operation| {
        let Operation { algorithm, name } = operation;
        let output = command(&program, "time").args([algorithm, name, TIME]).output()?;
        print!("{}", String::from_utf8_lossy(&output.stdout));
        ensure!(matches!(output.status.code(), Some(0 | FOUND)), "{algorithm}: {}", output.status);
        Ok(output.status.code() == Some(FOUND))
    };
    for operation in Operation::listed(&capture(&mut command(&program, "list"))?) {
        // Keys differ in their matrix, which is public but takes varying time: it is made before.
        let signs = operation.name == "sign-prepared" && !operation.is_of_trees();
        if !operation.is_leak()
            && is_wanted(&operation, args)
            && (signs || operation.name == "decapsulate")
        {
            time(&operation)?;
        }
    }
    let leak = Operation { algorithm: "leak".into(), name: "compare".into() };
    ensure!(time(&leak)?, "the planted leak was not seen");
    Ok(Outcome::ran())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(algorithm: &str, name: &str) -> Operation {
        Operation { algorithm: algorithm.into(), name: name.into() }
    }

    #[test]
    fn the_short_form_is_a_part() {
        let short = Args { short: true, ..Args::default() };
        let [long, kyber] =
            ["", "Kyber"].map(|name| Args { operation: Some(name.to_owned()), ..Args::default() });
        let sign = operation("ML-DSA-44", "sign");
        assert!(is_wanted(&sign, &short) && is_wanted(&sign, &long) && !is_wanted(&sign, &kyber));
        let keygen = operation("ML-DSA-44", "keygen");
        assert!(!is_wanted(&keygen, &short) && is_wanted(&keygen, &long));
        assert_eq!(steps(&sign, &short), IN_SHORT);
        assert_eq!(steps(&sign, &long), STEPS);
        assert_eq!(steps(&operation("LMS-SHAKE", "sign"), &long), OF_TREES);
    }

    #[test]
    fn a_leak_must_be_found_and_nothing_else_may() {
        let job = |algorithm| Job {
            program: "false",
            level: "avx2",
            operation: operation(algorithm, "sign"),
            steps: 1,
        };
        assert!(job("ML-DSA-44").run().unwrap().is_some(), "the program failed");
        let passes = |algorithm| Job { program: "true", ..job(algorithm) }.run().unwrap();
        assert_eq!(passes("ML-DSA-44"), None);
        assert!(passes("leak").unwrap().contains("the planted leak was not found"));
    }
}
