//! The program `oaklath`.

use std::process::ExitCode;

fn main() -> ExitCode {
    oaklath_cli::run(std::env::args_os())
}
