//! The program `oaklath`.

use std::process::ExitCode;

fn main() -> ExitCode {
    oaklath_cli::main()
}
