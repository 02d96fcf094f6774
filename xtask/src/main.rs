//! Tasks of the project, run as `cargo xtask TASK`, with one module for each task.

mod algorithms;
mod build_cost;
mod built;
mod ci;
mod compare;
mod coverage;
mod ct;
mod disasm;
mod emulate;
mod falcon;
mod fuzz;
mod interop;
mod levels;
mod machine;
mod mutants;
mod neon;
mod platforms;
mod profile;
mod prove;
mod shell;
mod tables;
mod tidy;
mod torture;

use std::process::ExitCode;

use clap::Parser;

/// Tasks of the project.
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
enum Task {
    /// Runs every check that a change must pass.
    Ci(ci::Args),
    /// Checks what the compiler does not: layers, lint tables, literals, sizes of files and
    /// functions.
    Tidy,
    /// Prints the CPU seconds that compiling costs, crate by crate, beside those of rustls.
    BuildCost(build_cost::Args),
    /// Checks the machine code of the release binary: nothing left out of line, no division.
    Disasm(disasm::Args),
    /// Estimates the cycles of kernels on cores with NEON, by llvm-mca.
    Neon(neon::Args),
    /// Looks for branches, addresses and divisions that depend on secrets.
    Ct(ct::Args),
    /// Counts the lines of the cryptographic crates that their tests run.
    Coverage(coverage::Args),
    /// Runs the tests at the level avx512, in an emulator where the CPU does not have it.
    Avx512(emulate::Args),
    /// Runs the tests on other architectures and CPUs, by emulators, an interpreter and a
    /// sanitizer.
    Platforms(platforms::Args),
    /// Writes the test PKI anew.
    #[command(disable_help_flag = true)]
    Certs(built::Args),
    /// Compares with other implementations: speed, or results on random inputs.
    Compare(compare::Args),
    /// Measures where the time of whole handshakes goes, by perf: a page and flame graphs.
    Profile(profile::Args),
    /// Measures every published table, and updates BENCHMARKS.md.
    Tables(tables::Args),
    /// Writes the tables of docs/algorithms.md from the parameters.
    Algorithms,
    /// Connects with other implementations of TLS.
    Interop(interop::Args),
    /// Compares which chains verifiers of certificates reject.
    #[command(disable_help_flag = true)]
    Chains(built::Args),
    /// Proves the kernels for every input.
    Prove(prove::Args),
    /// Plants faults one at a time, each of which a test must find.
    Mutants(mutants::Args),
    /// Kills, damages and restores stores of stateful keys, and counts reused indices.
    Torture(torture::Args),
    /// Compares Falcon's systems of numbers with each other, at length.
    Falcon(falcon::Args),
    /// Compares whole operations, or kernels, between the SIMD levels, at length.
    Levels(levels::Args),
    /// Runs the fuzzer over every target, and counts executions.
    Fuzz(fuzz::Args),
    /// Attacks TLS servers and clients of every group, and checks how they answer.
    #[command(disable_help_flag = true)]
    Hostile(built::Args),
}

fn main() -> ExitCode {
    if let Some(code) = build_cost::wrap() {
        return code;
    }
    match run(Task::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> anyhow::Result<()> {
    shell::enter_workspace()?;
    match task {
        Task::Ci(args) => ci::run(&args),
        Task::Tidy => tidy::run(),
        Task::BuildCost(args) => build_cost::run(&args),
        Task::Disasm(args) => disasm::run(&args),
        Task::Neon(args) => neon::run(&args),
        Task::Ct(args) => ct::run(&args),
        Task::Coverage(args) => coverage::run(&args),
        Task::Avx512(args) => emulate::run(&args),
        Task::Platforms(args) => platforms::run(&args),
        Task::Compare(args) => compare::run(&args),
        Task::Profile(args) => profile::run(&args),
        Task::Algorithms => algorithms::run(),
        Task::Tables(args) => tables::run(&args),
        Task::Interop(args) => interop::run(&args),
        Task::Prove(args) => prove::run(&args),
        Task::Mutants(args) => mutants::run(&args),
        Task::Torture(args) => torture::run(&args),
        Task::Falcon(args) => falcon::run(&args),
        Task::Levels(args) => levels::run(&args),
        Task::Fuzz(args) => fuzz::run(&args),
        Task::Hostile(args) => built::run("hostile", &args),
        Task::Certs(args) => built::run("testpki", &args),
        Task::Chains(args) => built::run("compare-chains", &args),
    }
}
