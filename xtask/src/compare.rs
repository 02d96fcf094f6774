//! Ours beside other implementations. They live in `interop/`, workspaces of their own, since they need
//! cmake, libclang and newer compilers: this builds them and passes its arguments on.

use std::{
    env,
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context, ensure};
use clap::Subcommand;

/// What is compared.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// The speed of key encapsulation: one table an operation, ours and every peer interleaved.
    #[command(disable_help_flag = true)]
    Kem {
        /// Options of the program `compare`; `--help` lists them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        options: Vec<String>,
    },
    /// The results on random keys and ciphertexts, both directions, at every SIMD level.
    Differential {
        /// Cases an algorithm and level
        #[arg(long, value_name = "N", default_value_t = 10_000)]
        cases: u32,
        /// Repeat the run whose seed a failure printed
        #[arg(long, value_name = "SEED")]
        seed: Option<u64>,
    },
}

const CURRENT: &str = "interop/current/Cargo.toml";

/// Builds `interop/current` in release and runs what was asked for.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    match &args.what {
        What::Kem { options } => run_shown(cargo("run").arg("--").arg("kem").args(options)),
        What::Differential { cases, seed } => {
            let mut command = cargo("test");
            command.args(["--tests"]).env("OAKLATH_CASES", cases.to_string());
            if let Some(seed) = seed {
                command.env("OAKLATH_SEED", seed.to_string());
            }
            run_shown(&mut command)
        }
    }
}

/// `cargo SUBCOMMAND` on the workspace of the peers, quiet so that standard output is the program's own.
fn cargo(subcommand: &str) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args([subcommand, "--quiet", "--release", "--manifest-path", CURRENT]);
    command.stdin(Stdio::null());
    command
}

/// Runs a command, which is told on standard error.
fn run_shown(command: &mut Command) -> anyhow::Result<()> {
    let program = Path::new(command.get_program()).display().to_string();
    let line = command
        .get_args()
        .fold("cargo".to_owned(), |line, arg| line + " " + &arg.to_string_lossy());
    eprintln!("$ {line}");
    let status = command.status().with_context(|| format!("cannot start {program}"))?;
    ensure!(
        status.success(),
        "`{line}` failed ({status}); the first build needs a C compiler, cmake and libclang \
         (Debian: apt-get install cmake libclang-dev)"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn parse(line: &str) -> Args {
        Line::try_parse_from(line.split_whitespace()).unwrap().args
    }

    #[test]
    fn options_of_the_program_are_passed_on() {
        let What::Kem { options } = parse("compare kem --level avx2 --json --help").what else {
            panic!("another command");
        };
        assert_eq!(options, ["--level", "avx2", "--json", "--help"]);
    }

    #[test]
    fn ten_thousand_cases_unless_told_otherwise() {
        let What::Differential { cases, seed } = parse("compare differential --seed 7").what else {
            panic!("another command");
        };
        assert_eq!((cases, seed), (10_000, Some(7)));
    }
}
