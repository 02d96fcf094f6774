//! `compare`: ours and every other implementation, interleaved in one binary on one core.

use std::process::ExitCode;

use clap::Parser;
use interop_current::compare;

/// Compares the speed of Oaklath with that of other libraries.
#[derive(Parser)]
#[command(name = "compare")]
enum Command {
    /// Key encapsulation: ML-KEM and Kyber.
    Kem(compare::Args),
}

fn main() -> ExitCode {
    let Command::Kem(args) = Command::parse();
    match compare::kem(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
