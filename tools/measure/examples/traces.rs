//! Every algorithm with different secrets, step by step: the instructions that run and the
//! addresses that they name must be the same for all. The CPU itself runs the program, with AVX-512
//! if it has that. Declassified values (`ct::declassify` and similar) are made equal in all runs,
//! and so are the public parts of keys.
//!
//! ```sh
//! traces list                            # what there is, a line each: algorithm, operation
//! traces run ML-KEM-768 keygen 3000000   # one of them, by so many steps at most
//! traces run leak branch 10000           # a planted leak, which must be found
//! traces time ML-KEM-768 decapsulate 5   # five seconds of a statistical test of times
//! ```
//!
//! The steps are divided among as many secrets as they allow, 32 at most and 2 at least; longer
//! operations are followed for half of the steps only. `cargo xtask ct trace timing` runs all
//! operations.

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
#[path = "shared/layout.rs"]
mod layout;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
#[path = "shared/timed.rs"]
mod timed;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
#[path = "shared/traced.rs"]
mod traced;

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn main() -> std::process::ExitCode {
    program::main()
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
fn main() {
    eprintln!("error: steps can be followed on x86-64 Linux only");
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod program {
    use std::process::ExitCode;
    use std::time::Duration;

    use crate::timed::{self, CERTAIN, LIKELY};
    use crate::traced::{Case, Fallible, Keys, Verdict, list};

    /// The exit code when secrets are visible.
    const FOUND: u8 = 9;

    pub(crate) fn main() -> ExitCode {
        let args: Vec<_> = std::env::args().skip(1).collect();
        let args: Vec<_> = args.iter().map(String::as_str).collect();
        let result = match args[..] {
            ["list"] => {
                list();
                return ExitCode::SUCCESS;
            }
            ["run", algorithm, operation, steps] => run(algorithm, operation, steps),
            ["time", algorithm, operation, seconds] => time(algorithm, operation, seconds),
            _ => {
                eprintln!("usage: traces list | traces run|time ALGORITHM OPERATION STEPS|SECONDS");
                return ExitCode::from(2);
            }
        };
        match result {
            Ok(Verdict { text, is_equal }) => {
                println!("{} {}: {text}", args[1], args[2]);
                if is_equal { ExitCode::SUCCESS } else { FOUND.into() }
            }
            Err(error) => {
                eprintln!("error: {error}");
                ExitCode::FAILURE
            }
        }
    }

    fn run(algorithm: &str, operation: &str, steps: &str) -> Fallible<Verdict> {
        Case::of(algorithm, operation, Keys::Spliced)?.compare(steps.parse()?)
    }

    fn time(algorithm: &str, operation: &str, seconds: &str) -> Fallible<Verdict> {
        let time = Duration::from_secs(seconds.parse()?);
        let case = Case::of(algorithm, operation, Keys::Whole)?;
        let timed::Test { t, runs } = timed::test(&case, time);
        let verdict = match t {
            _ if t > CERTAIN => "times differ",
            _ if t > LIKELY => "times may differ",
            _ => "no difference seen",
        };
        let text = format!("|t| = {t:.1} of {runs} runs: {verdict} (advisory)");
        Ok(Verdict { text, is_equal: t <= CERTAIN })
    }
}
