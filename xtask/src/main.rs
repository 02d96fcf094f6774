//! Tasks of the project.

mod certs;

use clap::{Parser, Subcommand};

/// Tasks of the project.
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Writes the test PKI anew.
    Certs(certs::Args),
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().task {
        Task::Certs(args) => certs::run(args),
    }
}
