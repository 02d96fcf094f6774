//! `cargo xtask falcon`: runs Falcon at length with the machine's doubles and with doubles made of
//! integers, at every SIMD level; signatures and keys must be the same. The tests are those of
//! `crates/sig`, which `cargo test` runs in short.

use anyhow::Result;

use crate::shell::{cargo, run as run_command};

/// The numbers of cases.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Signatures of each set, for random messages.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    signatures: u32,
    /// Keys of each set.
    #[arg(long, value_name = "N", default_value_t = 300)]
    keys: u32,
}

/// Runs the tests, which takes a quarter of an hour.
pub(crate) fn run(args: &Args) -> Result<()> {
    let mut command = cargo("test --release -p oaklath-sig --lib fn_dsa::");
    command.env("OAKLATH_FALCON_SIGNATURES", args.signatures.to_string());
    command.env("OAKLATH_FALCON_KEYS", args.keys.to_string());
    run_command(&mut command)
}
