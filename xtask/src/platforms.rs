//! `cargo xtask platforms`: runs the tests elsewhere: on other architectures and older CPUs in
//! QEMU, in a WebAssembly engine, on targets without an operating system (which are only built), in
//! an interpreter that detects undefined behaviour, with an address sanitizer.
//!
//! Each platform makes a row: passed, failed, or not run, with the reason. Nothing is installed:
//! the reason says what is missing, and how to get it.

use std::{env, fmt, process::Command, time::Instant};

use anyhow::{Result, bail, ensure};

use crate::{
    built,
    shell::{capture, cargo, command, run as run_command},
};

/// A platform on which the tests can run.
struct Platform {
    name: &'static str,
    /// What it shows that other platforms do not.
    shows: &'static str,
    target: &'static str,
    /// Whether it needs the processor of this machine.
    native: bool,
    needs: &'static [Need],
    how: How,
}

/// A file or, without a slash, a program; and the Debian packages that have it.
struct Need(&'static str, &'static str);

/// How a platform runs.
enum How {
    /// By a program that gets the test program as its next argument.
    Emulator {
        linker: Option<&'static str>,
        runner: &'static [&'static str],
        /// The highest level that the library must find there.
        level: &'static str,
    },
    /// Without `std`: it only needs to build.
    Build,
    /// By the interpreter of the nightly tool chain.
    Miri,
    /// With the address sanitizer of the nightly tool chain.
    Sanitizer,
}

const PLATFORMS: &[Platform] = &[
    Platform {
        name: "aarch64",
        shows: "NEON, with the instructions for SHA-256, SHA-3 and AES",
        target: "aarch64-unknown-linux-gnu",
        native: false,
        needs: &[QEMU_AARCH64, GCC_AARCH64, LIBC_AARCH64],
        how: How::Emulator {
            linker: Some("aarch64-linux-gnu-gcc"),
            runner: &["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", "-cpu", "max"],
            level: "neon",
        },
    },
    Platform {
        name: "cortex-a72",
        shows: "NEON without the instructions for SHA-3",
        target: "aarch64-unknown-linux-gnu",
        native: false,
        needs: &[QEMU_AARCH64, GCC_AARCH64, LIBC_AARCH64],
        how: How::Emulator {
            linker: Some("aarch64-linux-gnu-gcc"),
            runner: &["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", "-cpu", "cortex-a72"],
            level: "neon",
        },
    },
    Platform {
        name: "s390x",
        shows: "big endian",
        target: "s390x-unknown-linux-gnu",
        native: false,
        needs: &[
            Need("qemu-s390x", "qemu-user"),
            Need("s390x-linux-gnu-gcc", "gcc-s390x-linux-gnu"),
            Need("/usr/s390x-linux-gnu/lib/libc.so.6", "libc6-dev-s390x-cross"),
        ],
        how: How::Emulator {
            linker: Some("s390x-linux-gnu-gcc"),
            runner: &["qemu-s390x", "-L", "/usr/s390x-linux-gnu"],
            level: "scalar",
        },
    },
    Platform {
        name: "i686",
        shows: "addresses of 32 bits",
        target: "i686-unknown-linux-gnu",
        native: true,
        needs: &[
            Need("i686-linux-gnu-gcc", "gcc-i686-linux-gnu"),
            Need("/usr/i686-linux-gnu/lib/libc.so.6", "libc6-dev-i386-cross"),
        ],
        how: How::Emulator {
            linker: Some("i686-linux-gnu-gcc"),
            // The loader of that architecture, and its own library.
            runner: &[
                "/usr/i686-linux-gnu/lib/ld-linux.so.2",
                "--library-path",
                "/usr/i686-linux-gnu/lib",
            ],
            level: "scalar",
        },
    },
    Platform {
        name: "wasip1",
        shows: "WebAssembly under node",
        target: "wasm32-wasip1",
        native: false,
        needs: &[Need("node", "nodejs")],
        how: How::Emulator {
            linker: None,
            runner: &["node", "--no-warnings", "{root}/xtask/wasi.mjs"],
            level: "scalar",
        },
    },
    Platform {
        name: "nehalem",
        shows: "no instruction of AVX2 on a CPU without it",
        target: HOST,
        native: true,
        needs: &[QEMU_X86_64],
        how: How::Emulator {
            linker: None,
            runner: &["qemu-x86_64", "-cpu", "Nehalem"],
            level: "scalar",
        },
    },
    Platform {
        name: "haswell",
        shows: "AVX2 on a CPU without AVX-512, SHA-NI and VAES",
        target: HOST,
        native: true,
        needs: &[QEMU_X86_64],
        how: How::Emulator {
            linker: None,
            runner: &["qemu-x86_64", "-cpu", "Haswell"],
            level: "avx2",
        },
    },
    Platform {
        name: "thumbv7em",
        shows: "a microcontroller (builds only)",
        target: "thumbv7em-none-eabihf",
        native: false,
        needs: &[],
        how: How::Build,
    },
    Platform {
        name: "wasm32",
        shows: "WebAssembly without an operating system (builds only)",
        target: "wasm32-unknown-unknown",
        native: false,
        needs: &[],
        how: How::Build,
    },
    Platform {
        name: "miri",
        shows: "no undefined behaviour at the levels scalar and avx2",
        target: HOST,
        native: false,
        needs: &[],
        how: How::Miri,
    },
    Platform {
        name: "asan",
        shows: "no access beside memory",
        target: HOST,
        native: true,
        needs: &[],
        how: How::Sanitizer,
    },
];

/// The target of older CPUs of this architecture, the interpreter and the sanitizer.
pub(crate) const HOST: &str = "x86_64-unknown-linux-gnu";
const IS_HOST: bool = cfg!(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"));

const QEMU_AARCH64: Need = Need("qemu-aarch64", "qemu-user");
const QEMU_X86_64: Need = Need("qemu-x86_64", "qemu-user");
const GCC_AARCH64: Need = Need("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu");
const LIBC_AARCH64: Need = Need("/usr/aarch64-linux-gnu/lib/libc.so.6", "libc6-dev-arm64-cross");

/// The tests of the crates that are written for all platforms. (TLS and the command line are for
/// computers with sockets.)
const TEST: &str = "test --lib --tests -p oaklath-simd -p oaklath-hash -p oaklath-poly -p oaklath-tree \
     -p oaklath-kem -p oaklath-sig -p oaklath-stateful --features oaklath-kem/legacy,oaklath-sig/legacy";

/// The part of these that the sanitizer checks without `--full`: the crate with `unsafe`, and
/// callers of all its operations except Falcon's.
const SANITIZED: &str = "test --lib --tests -p oaklath-simd -p oaklath-hash -p oaklath-poly -p oaklath-kem \
     --features oaklath-kem/legacy";

/// The tests that are left out without `--full`, by their full names: an emulator takes more than
/// ten seconds for each. First records, fast sets and low trees of the same schemes stay.
pub(crate) const SLOW: &[&str] = &[
    // oaklath-poly, whose theorems are of no level
    "q8380417::round::tests::decompositions_of_every_number",
    "quick_theorems_hold_for_every_input",
    // oaklath-kem, the first of them in oaklath-sig, too
    "known_answers::accumulated_digests",
    "known_answers::nist_kat_digests",
    // oaklath-sig
    "fn_dsa::fpr::tests::pairs_of_many_kinds",
    "fn_dsa::fpr::tests::single_numbers",
    "fn_dsa::keygen::tests::every_rejection_is_taken",
    "fn_dsa::keygen::tests::known_keys_at_every_level",
    "fn_dsa::tests::every_way_gives_the_same_signatures_of_1024",
    "fn_dsa::tests::every_way_gives_the_same_signatures_of_512",
    "fn_dsa::tests::every_way_gives_the_same_signatures_of_fn_dsa",
    "known_answers::kat_texts",
    "known_answers::kat_texts_of_falcon",
    "registry::contexts_and_forms_are_told_apart",
    "registry::tests::what_does_not_verify_does_not_leave",
    "registry::wrong_lengths_are_errors",
    "slh_dsa::tests::round_3",
    "slh_dsa::tests::round_3_1",
    "slh_dsa::many_signatures_are_told_apart",
    "slh_dsa::no_part_of_a_signature_may_change",
    "slh_dsa::roots_of_other_keys_are_rejected",
    "slh_dsa::signatures_of_the_small_sets",
    "typed::all_ways_of_signing_agree",
    "typed::many_signatures_at_once",
    "typed::messages_have_forms",
    "typed::no_hedged_signature_comes_twice",
    "typed::nothing_secret_is_printed",
    "typed::the_traits_of_signature",
    "typed::wrong_lengths_are_errors",
    "wycheproof::signatures",
    "wycheproof::verification",
    // oaklath-stateful
    "faults::no_flipped_bit_of_parts_of_trees_is_signed",
    "faults::no_flipped_bit_of_whole_trees_is_signed",
    "faults::no_flipped_bit_of_xmss_mt_is_signed",
    "surface::all_hash_functions_of_xmss_mt",
    "surface::all_types",
    "surface::fields_of_signatures",
    "surface::generations_are_gone_on_with",
    "surface::xmss_mt_signs_the_same_by_all_ways",
    "known_answers::signatures_of_liboqs",
    "known_answers::signatures_of_the_xmss_reference",
];

/// Crates that build without `std`, from the bottom up.
const NO_STD: &[&str] = &["params", "simd", "hash", "poly", "tree", "kem", "sig", "stateful"];

/// The tests that the interpreter runs in minutes: all of the crate with `unsafe`, and of the
/// crates above it those that do not go through thousands of numbers.
const MIRI: &[(&str, &[&str])] = &[
    ("simd", &[]),
    ("hash", &["is_the_permutation", "lanes_hold_different_sponges", "codes"]),
    ("poly", &["the_largest_sum", "bounds_of_z"]),
];

/// Features that the level avx2 needs: the interpreter has those that the build enables.
const MIRI_FLAGS: &str = "-Ctarget-feature=+avx2,+bmi1,+bmi2,+lzcnt,+popcnt,+fma,+aes,+pclmulqdq";

/// The tests and platforms that run.
#[derive(clap::Args, Default)]
pub(crate) struct Args {
    /// Runs only these; all of them if none is named.
    #[arg(value_name = "NAME", value_parser = known_name)]
    names: Vec<String>,
    /// Runs the slow tests too: up to an hour for each platform, and many hours for miri.
    #[arg(long)]
    full: bool,
    /// Only lists the platforms.
    #[arg(long)]
    list: bool,
}

fn known_name(name: &str) -> Result<String, String> {
    if PLATFORMS.iter().any(|platform| platform.name == name) {
        return Ok(name.to_owned());
    }
    let names: Vec<_> = PLATFORMS.iter().map(|platform| platform.name).collect();
    Err(format!("expected one of {}", names.join(" ")))
}

/// The result of a platform.
enum Outcome {
    Passed,
    Failed(String),
    NotRun(String),
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passed => f.write_str("passed"),
            Self::Failed(error) => write!(f, "FAILED: {}", first_line(error)),
            Self::NotRun(reason) => write!(f, "not run: {}", first_line(reason)),
        }
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Runs the platforms that were named. Returns an error if one failed, or if none of them ran.
pub(crate) fn run(args: &Args) -> Result<()> {
    if args.list {
        PLATFORMS.iter().for_each(|platform| println!("{:10}  {}", platform.name, platform.shows));
        return Ok(());
    }
    let outcomes = run_all(args);
    let failed = outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Failed(_))).count();
    ensure!(failed == 0, "{failed} platforms failed");
    ensure!(outcomes.iter().any(|outcome| matches!(outcome, Outcome::Passed)), "nothing has run");
    Ok(())
}

/// Runs the tests of the lowest crates, as they are built for other stages, on older CPUs in the
/// emulator. Returns which of them did not run, with the reasons.
pub(crate) fn run_built() -> Result<Vec<String>> {
    let mut gaps = Vec::new();
    let tests = built::tests(&["simd", "hash"])?;
    for platform in PLATFORMS.iter().filter(|platform| platform.target == HOST) {
        let How::Emulator { linker, runner, level } = platform.how else { continue };
        println!("\n-- {}: {}", platform.name, platform.shows);
        if let Some(reason) = platform.missing() {
            gaps.push(format!("{}: {reason}", platform.name));
            continue;
        }
        platform.check_level(linker, runner, level)?;
        for test in &tests {
            let mut test = test.under(runner);
            run_command(test.env("OAKLATH_TEST_LEVEL", level))?;
        }
    }
    Ok(gaps)
}

/// Checks that each name of [`SLOW`] is that of a test.
pub(crate) fn check_slow() -> Result<()> {
    let mut tests = String::new();
    for test in built::tests(&["hash", "poly", "kem", "sig", "stateful"])? {
        tests += &capture(test.command().args(["--list", "--format", "terse"]))?;
    }
    let is_test = |name: &str| tests.lines().any(|line| line.strip_suffix(": test") == Some(name));
    match SLOW.iter().find(|name| !is_test(name)) {
        Some(name) => bail!("no test has the name of the slow one `{name}`"),
        None => Ok(()),
    }
}

/// Runs the quick tests on each platform. Returns which platforms did not run, with the reasons.
pub(crate) fn run_quick() -> Result<Vec<String>> {
    let mut gaps = Vec::new();
    let mut failed = Vec::new();
    for (platform, outcome) in PLATFORMS.iter().zip(run_all(&Args::default())) {
        match outcome {
            Outcome::Passed => {}
            Outcome::Failed(_) => failed.push(platform.name),
            Outcome::NotRun(reason) => gaps.push(format!("{}: {reason}", platform.name)),
        }
    }
    ensure!(failed.is_empty(), "failed: {}", failed.join(", "));
    Ok(gaps)
}

/// Runs all that were named, one after another, and prints the rows at the end.
fn run_all(args: &Args) -> Vec<Outcome> {
    let named = |p: &&Platform| args.names.is_empty() || args.names.iter().any(|n| n == p.name);
    let mut rows = String::new();
    let mut outcomes = Vec::new();
    for platform in PLATFORMS.iter().filter(named) {
        println!("\n-- {}: {}", platform.name, platform.shows);
        let start = Instant::now();
        let outcome = match platform.missing() {
            Some(reason) => Outcome::NotRun(reason),
            None => match platform.run(args.full) {
                Ok(()) => Outcome::Passed,
                Err(error) => Outcome::Failed(format!("{error:#}")),
            },
        };
        println!("{}: {outcome}", platform.name);
        let time = format!("{:.0} s", start.elapsed().as_secs_f64());
        rows += &format!("{:10} {time:>7}  {outcome}\n", platform.name);
        outcomes.push(outcome);
    }
    println!("\n{rows}");
    outcomes
}

impl Platform {
    /// Returns why it cannot run on this machine, if it cannot.
    fn missing(&self) -> Option<String> {
        if self.native && !IS_HOST {
            return Some(format!("this machine is not {HOST}"));
        }
        if let Some(Need(what, package)) = self.needs.iter().find(|need| !need.is_there()) {
            return Some(format!("{what} is not installed (Debian: {package})"));
        }
        let missing = match self.how {
            How::Emulator { .. } | How::Build if !has_target(self.target) => {
                format!("rustup target add {}", self.target)
            }
            How::Miri if capture(&mut nightly("miri --version")).is_err() => {
                "rustup toolchain install nightly --component miri,rust-src".into()
            }
            How::Sanitizer if capture(&mut nightly("--version")).is_err() => {
                "rustup toolchain install nightly".into()
            }
            _ => return None,
        };
        Some(format!("missing: {missing}"))
    }

    fn run(&self, full: bool) -> Result<()> {
        match self.how {
            How::Emulator { linker, runner, level } => {
                self.check_level(linker, runner, level)?;
                let mut command = self.tests(linker, runner, full);
                if !full {
                    // Lower levels run in other stages.
                    command.env("OAKLATH_TEST_LEVEL", level);
                }
                run_command(&mut command)
            }
            How::Build => run_each(no_std_builds(self.target)),
            How::Miri => run_each(miri(full)),
            How::Sanitizer => {
                let tests = if full { TEST } else { SANITIZED };
                let mut command = nightly(&format!("{tests} --target {}", self.target));
                command.env("RUSTFLAGS", "-Zsanitizer=address");
                run_command(command.args(for_tests(full)))
            }
        }
    }

    /// Checks that the library finds the level for which the platform is listed.
    fn check_level(&self, linker: Option<&str>, runner: &[&str], level: &str) -> Result<()> {
        let mut command = cargo("run --quiet -p oaklath-simd --example level");
        let levels = capture(self.configure(&mut command, linker, runner))?;
        let best = levels.lines().last().unwrap_or_default();
        if best != level {
            bail!("the best level is {best:?} instead of {level:?}");
        }
        println!("the best level is {level}");
        Ok(())
    }

    fn tests(&self, linker: Option<&str>, runner: &[&str], full: bool) -> Command {
        let mut command = cargo(TEST);
        self.configure(&mut command, linker, runner).args(for_tests(full));
        command
    }

    /// Tells cargo the target, and what links and runs its programs. (For this machine's own target
    /// it is not told: builds of other stages are used here, too.)
    fn configure<'a>(
        &self,
        command: &'a mut Command,
        linker: Option<&str>,
        runner: &[&str],
    ) -> &'a mut Command {
        let target = self.target;
        if !(IS_HOST && target == HOST) {
            command.args(["--target", target]);
        }
        let root = env::current_dir().unwrap_or_default();
        let runner: Vec<_> =
            runner.iter().map(|word| word.replace("{root}", &root.to_string_lossy())).collect();
        command.arg("--config").arg(format!("target.{target}.runner={runner:?}"));
        if let Some(linker) = linker {
            command.arg("--config").arg(format!("target.{target}.linker={linker:?}"));
        }
        command
    }
}

impl Need {
    fn is_there(&self) -> bool {
        if self.0.contains('/') {
            return std::path::Path::new(self.0).exists();
        }
        capture(&mut command(self.0, "--version")).is_ok()
    }
}

/// Returns the arguments of the test programs.
fn for_tests(full: bool) -> Vec<&'static str> {
    let skip = SLOW.iter().flat_map(|name| ["--skip", name]);
    ["--", "--exact"].into_iter().chain(skip).take(if full { 0 } else { usize::MAX }).collect()
}

/// Returns the commands of the interpreter, one for each crate.
fn miri(full: bool) -> Vec<Command> {
    let commands = MIRI.iter().map(|(name, tests)| {
        let mut command = nightly(&format!("miri test -p oaklath-{name} --lib"));
        command.env("RUSTFLAGS", MIRI_FLAGS);
        if !full {
            command.arg("--").args(*tests);
        }
        command
    });
    commands.collect()
}

/// Returns the cargo of the nightly tool chain. (A cargo that was started by a rustup proxy would
/// pass its own tool chain on.)
pub(crate) fn nightly(args: &str) -> Command {
    let mut command = command("rustup", &format!("run nightly cargo {args}"));
    command.env_remove("CARGO").env_remove("RUSTC").env_remove("RUSTUP_TOOLCHAIN");
    command
}

/// Returns builds of the cryptographic crates without `std`, with minimal and with all features.
pub(crate) fn no_std_builds(target: &str) -> Vec<Command> {
    let packages: String = NO_STD.iter().map(|name| format!(" -p oaklath-{name}")).collect();
    let build = format!("build --target {target} --no-default-features{packages}");
    let features =
        "oaklath-kem/alloc,oaklath-kem/legacy,oaklath-sig/fn-dsa-draft,oaklath-sig/legacy";
    let all = format!("{build} --features {features},oaklath-sig/signature");
    vec![cargo(&build), cargo(&all)]
}

/// Reports whether the standard library for this target is installed.
pub(crate) fn has_target(target: &str) -> bool {
    capture(&mut command("rustup", "target list --installed"))
        .is_ok_and(|list| list.lines().any(|line| line == target))
}

/// Runs all of them, even when one fails, so that one run shows every fault.
pub(crate) fn run_each(commands: Vec<Command>) -> Result<()> {
    let errors: Vec<_> =
        commands.into_iter().filter_map(|mut command| run_command(&mut command).err()).collect();
    match errors.first() {
        None => Ok(()),
        Some(first) => bail!("{} commands failed, first {first}", errors.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_apart() {
        for (i, platform) in PLATFORMS.iter().enumerate() {
            assert_eq!(known_name(platform.name).as_deref(), Ok(platform.name));
            assert!(PLATFORMS[..i].iter().all(|other| other.name != platform.name));
        }
        assert!(known_name("pdp11").unwrap_err().contains("s390x"));
    }

    #[test]
    fn what_is_missing_is_no_success() {
        const NOTHING: &Platform = &Platform {
            name: "nothing",
            shows: "that nothing is there",
            target: HOST,
            native: false,
            needs: &[Need("no-such-program", "no-such-package")],
            how: How::Build,
        };
        let reason = NOTHING.missing().unwrap();
        assert_eq!(reason, "no-such-program is not installed (Debian: no-such-package)");
        assert_eq!(Outcome::NotRun(reason).to_string().split(':').next(), Some("not run"));
    }

    #[test]
    fn cargo_is_told_target_linker_and_runner() {
        let platform = PLATFORMS.iter().find(|platform| platform.name == "s390x").unwrap();
        let How::Emulator { linker, runner, .. } = platform.how else { unreachable!("by QEMU") };
        let command = platform.tests(linker, runner, true);
        let args: Vec<_> = command.get_args().map(|arg| arg.to_string_lossy()).collect();
        let config = args.iter().filter(|arg| arg.starts_with("target.")).collect::<Vec<_>>();
        assert_eq!(
            config,
            [
                "target.s390x-unknown-linux-gnu.runner=[\"qemu-s390x\", \"-L\", \"/usr/s390x-linux-gnu\"]",
                "target.s390x-unknown-linux-gnu.linker=\"s390x-linux-gnu-gcc\"",
            ]
        );
        assert!(!args.iter().any(|arg| arg == "--skip"), "all tests");
        assert!(for_tests(false).contains(&"--skip"));
    }
}
