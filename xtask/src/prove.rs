//! `cargo xtask prove`: proves the kernels for every input, with the program of `tools/prove`; and
//! plants the faults of `proof_faults.toml` one at a time, each of which a theorem must find.

use std::ffi::OsString;

use anyhow::Result;

use crate::mutants;
use crate::shell::{cargo, run as run_shown};

/// The faults' path from the root of the workspace.
const FAULTS: &str = "xtask/proof_faults.toml";

/// The theorems or faults that are chosen.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Plants faults instead; names choose those whose file or description contains one.
    #[arg(long)]
    faults: bool,
    /// `--write` for docs/proofs.md, `--check` to compare it, `--branches` to look for branches
    /// with valgrind, or parts of names of kernels.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<OsString>,
}

/// Proves all theorems or some.
pub(crate) fn run(args: &Args) -> Result<()> {
    if args.faults {
        let names = args.options.iter().map(|name| name.to_string_lossy().into_owned());
        return mutants::plant(FAULTS, &mutants::Args::named(names.collect()));
    }
    run_shown(cargo("run --quiet -p oaklath-prove --").args(&args.options))
}

/// Plants the few faults that are marked as quick.
pub(crate) fn plant_few() -> Result<()> {
    mutants::plant(FAULTS, &mutants::Args::short())
}

/// Proves all theorems, and that docs/proofs.md says so.
pub(crate) fn run_check() -> Result<()> {
    run_shown(&mut cargo("run --quiet -p oaklath-prove -- --check"))
}

/// Looks for branches that depend on a number, in the kernels of rings and hashes: a minute.
pub(crate) fn run_branches() -> Result<()> {
    let kernels = "q3329 q8380417 q12289 keccak lanes sha2";
    run_shown(&mut cargo(&format!("run --quiet -p oaklath-prove -- --branches {kernels}")))
}
