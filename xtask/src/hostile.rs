//! `cargo xtask hostile`: builds and runs the program `hostile`, which knows the options.

use std::ffi::OsString;

use anyhow::Result;

use crate::shell::{cargo, run as run_shown};

/// What is passed on.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Options of the program, `--help` among them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<OsString>,
}

/// Every input, or what the options choose. With overflow checks, as tests have them.
pub(crate) fn run(args: &Args) -> Result<()> {
    run_shown(cargo("run --quiet --package hostile --").args(&args.options))
}

/// A few cases of each kind for every group: what is in time for each change.
pub(crate) fn run_quick() -> Result<()> {
    run_shown(&mut cargo("run --quiet --package hostile -- --cases 300 --stride 40 --slow 200"))
}
