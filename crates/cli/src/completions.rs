//! `oaklath completions`: scripts for shells.

use std::io::{self, Write};

use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;

use crate::Cli;

/// Arguments of `oaklath completions`.
#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Prints the script.
pub(crate) fn run(args: &CompletionsArgs) -> Result<()> {
    // The generator panics on a closed pipe, so it writes into memory first.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "oaklath", &mut script);
    Ok(io::stdout().lock().write_all(&script)?)
}
