//! The stages of `ci`, in the order in which they run.
//!
//! Everything is built in one target folder with one profile and, as far as possible, by the same
//! arguments ([`built`]); `OAKLATH_SIMD` chooses the level of a test run at run time, so that no
//! level needs a build.

use std::path::Path;

use anyhow::{Result, bail};
use cargo_metadata::MetadataCommand;
use oaklath_params::{kem, sig};
use oaklath_simd::Level;

use crate::{
    built,
    ci::Gaps,
    ct, disasm, emulate, interop as peers, levels, mutants,
    platforms::{self, run_each},
    prove,
    shell::{capture, cargo, command, run},
    tidy::{self, MSRV},
};

/// A microcontroller, and the web without an operating system: neither has `std`, so that its use
/// cannot go unnoticed.
const NO_STD_TARGETS: &[&str] = &["thumbv7em-none-eabihf", "wasm32-unknown-unknown"];

pub(super) fn fmt() -> Result<Gaps> {
    run(&mut cargo("fmt --all --check"))?;
    Ok(Gaps::new())
}

pub(super) fn clippy() -> Result<Gaps> {
    run(&mut cargo(
        "clippy --workspace --all-targets --features oaklath-measure/trace -- -D warnings",
    ))?;
    Ok(Gaps::new())
}

pub(super) fn doc() -> Result<Gaps> {
    // As docs.rs shows it.
    let mut doc = cargo("doc --no-deps --workspace --keep-going --all-features");
    run(doc.env("RUSTDOCFLAGS", "-D warnings"))?;
    Ok(Gaps::new())
}

pub(super) fn tidy() -> Result<Gaps> {
    tidy::run()?;
    Ok(Gaps::new())
}

/// Checks licences, sources and bans by `deny.toml`. The advisory database is not consulted: it
/// needs the network each time.
pub(super) fn deny() -> Result<Gaps> {
    if capture(&mut cargo("deny --version")).is_err() {
        return Ok(vec!["cargo-deny is not installed (cargo install cargo-deny --locked)".into()]);
    }
    run(&mut cargo("deny check licenses bans sources"))?;
    Ok(Gaps::new())
}

/// Runs the tests at the best level of this CPU.
pub(super) fn test() -> Result<Gaps> {
    // All but those in documentation and those of this program, which are other stages.
    run(&mut cargo(&format!("test {}", built::ALL)))?;
    Ok(Gaps::new())
}

pub(super) fn test_doc() -> Result<Gaps> {
    run(&mut cargo("test --doc"))?;
    Ok(Gaps::new())
}

/// Runs the tests at the level `avx2` if the stage `test` did not, since the CPU has a better one.
pub(super) fn test_avx2() -> Result<Gaps> {
    match missing_flags("avx2 bmi1 bmi2 abm fma aes pclmulqdq") {
        Some(flags) => Ok(vec![flags]),
        None if emulate::is_native() => test_at("avx2"),
        None => {
            println!("this CPU does not have AVX-512: the stage `test` has run at AVX2");
            Ok(Gaps::new())
        }
    }
}

pub(super) fn test_scalar() -> Result<Gaps> {
    test_at("scalar")
}

/// Runs the tests of what computes with a lower level as the current one. What goes through all
/// levels by itself did so in the stage `test`, and is left out.
fn test_at(level: &str) -> Result<Gaps> {
    const COMPUTES: &[&str] = &[
        "simd", "poly", "hash", "tree", "kem", "sig", "stateful", "hybrid", "stores", "tls", "cli",
    ];
    let skipped = SLOW_AT_LOWER_LEVELS.iter().flat_map(|test| ["--skip", *test]);
    for test in built::tests(COMPUTES)? {
        let mut tests = test.command();
        tests.args(skipped.clone()).env("OAKLATH_SIMD", level).env("OAKLATH_TEST_LEVEL", "none");
        run(&mut tests)?;
    }
    Ok(Gaps::new())
}

/// Tests of rules, not of arithmetic, that compute large trees, those that need the levels, and
/// theorems, which are of no level.
const SLOW_AT_LOWER_LEVELS: &[&str] = &[
    "faults::no_flipped_bit",
    "unbuffered::every_hash_tree_authenticates_both_sides",
    "commands::selftest",
    "quick_theorems_hold_for_every_input",
];

/// Runs the tests at the level `avx512` if the CPU lacks it, so that the stage `test` could not.
pub(super) fn avx512() -> Result<Gaps> {
    if emulate::is_native() {
        println!("this CPU has AVX-512: the stage `test` has run at that level");
        return Ok(Gaps::new());
    }
    Ok(vec![format!("tested at AVX-512: {}", emulate::run_kernels_emulated()?)])
}

/// Tests the packages that are not default members, at the best level: the measuring tools, the
/// laboratory, the test PKI, the attacker, the corpora of the fuzzer.
pub(super) fn test_tools() -> Result<Gaps> {
    for test in built::tests(&["measure", "lab", "testpki", "hostile", "targets"])? {
        run(&mut test.command())?;
    }
    run(&mut cargo("test --package xtask"))?;
    Ok(Gaps::new())
}

/// Tests the promises of stack, heap and erasure once more in the profile of releases, whose frames
/// are not those of the tests' profile.
pub(super) fn memory() -> Result<Gaps> {
    run(&mut cargo("test --release --package oaklath-measure --tests"))?;
    Ok(Gaps::new())
}

/// Runs the example programs that need no peer, and the program's own check of this build.
pub(super) fn examples() -> Result<Gaps> {
    const NAMES: &[&str] =
        &["kem", "sealed_file", "signatures", "firmware", "verify", "chains", "groups", "mutual"];
    for name in NAMES {
        run(&mut command(&built::program(name)?, ""))?;
    }
    run(&mut command(&built::program("oaklath")?, "selftest --json"))?;
    Ok(Gaps::new())
}

/// Checks the folder of test vectors that is beside some checkouts: NIST's, and those of other
/// implementations. At the best level only: the tests have known answers at each, and `oaklath-lab
/// vectors` run by hand takes all levels, which takes minutes.
pub(super) fn vectors() -> Result<Gaps> {
    const FOLDER: &str = "../shared/vectors";
    if !Path::new(FOLDER).is_dir() {
        return Ok(vec![format!("there is no folder {FOLDER}")]);
    }
    let lab = built::program("oaklath-lab")?;
    let mut vectors = command(&lab, "vectors");
    run(vectors.arg(FOLDER).env("OAKLATH_TEST_LEVEL", Level::get().name()))?;
    Ok(Gaps::new())
}

/// Compares whole operations at every level, for a few seconds.
pub(super) fn levels() -> Result<Gaps> {
    Ok(levels::run_quick()?.into_iter().collect())
}

/// Runs the short form of `cargo xtask hostile`: a few cases of each kind for every group.
pub(super) fn hostile() -> Result<Gaps> {
    let hostile = built::program("hostile")?;
    run(&mut command(&hostile, "--cases 300 --stride 40 --slow 200"))?;
    Ok(Gaps::new())
}

/// Connects with the peers that are built already, each group and each certificate once.
pub(super) fn interop() -> Result<Gaps> {
    peers::run_quick()
}

/// Selections of features that a user may choose: wolfSSL's minimal build, a verifier, a server
/// without round 3.
const SELECTIONS: &[(&str, &str)] = &[
    ("oaklath-kem", "kyber,ntru"),
    ("oaklath-sig", "alloc,dilithium,falcon"),
    ("oaklath-pki", "ml-dsa"),
    ("oaklath-tls", "aws-lc-rs,kyber,falcon"),
    ("oaklath", "aws-lc-rs,kyber,falcon,tls"),
    ("oaklath", "aws-lc-rs,ml-kem,tls"),
    ("oaklath", "lms"),
    ("oaklath-cli", "graviola,kyber,falcon"),
    ("oaklath-cli", "graviola,tools"),
];

/// Checks each crate without features, and with each feature alone; crates that only pass on the
/// families of algorithms are checked with some selections instead. Clippy replaces check, because
/// it turns warnings of the named package into errors without changing the flags (and so the
/// builds) of the packages below.
pub(super) fn features() -> Result<Gaps> {
    const FAMILIES_BELONG_TO: &[&str] = &["oaklath-kem", "oaklath-sig", "oaklath-stateful"];
    let metadata = MetadataCommand::new().no_deps().exec()?;
    let mut selections = Vec::new();
    for package in metadata.workspace_default_packages() {
        let has_families = FAMILIES_BELONG_TO.contains(&package.name.as_str());
        let names = package.features.keys().map(String::as_str);
        let names = names.filter(|name| *name != "default" && (has_families || !is_family(name)));
        selections.extend([""].into_iter().chain(names).map(|name| (package.name.as_str(), name)));
    }
    selections.extend(SELECTIONS);
    let clippy = |(package, features): (&str, &str)| {
        let mut command = cargo(&format!("clippy --quiet -p {package} --no-default-features"));
        if !features.is_empty() {
            command.args(["--features", features]);
        }
        command.args(["--", "-D", "warnings"]);
        command
    };
    run_each(selections.into_iter().map(clippy).collect())?;
    Ok(Gaps::new())
}

/// Reports whether a feature compiles a family of algorithms.
fn is_family(feature: &str) -> bool {
    let kems = kem::ALL.iter().map(|info| info.feature);
    let signatures = sig::ALL.iter().map(|info| info.feature);
    kems.chain(signatures).chain(["lms", "xmss", "legacy"]).any(|family| family == feature)
}

pub(super) fn no_std() -> Result<Gaps> {
    let mut gaps = Gaps::new();
    let mut commands = Vec::new();
    for target in NO_STD_TARGETS {
        let there = platforms::has_target(target)
            || run(&mut command("rustup", &format!("target add {target}"))).is_ok();
        if there {
            commands.extend(platforms::no_std_builds(target));
        } else {
            gaps.push(format!("{target}: `rustup target add {target}` did not succeed"));
        }
    }
    run_each(commands)?;
    Ok(gaps)
}

/// Runs tests of the lowest crates on older CPUs, with tests that are built already, which have all
/// that emulators leave out.
pub(super) fn cpus() -> Result<Gaps> {
    platforms::check_slow()?;
    platforms::run_built()
}

/// Runs most of the tests on platforms other than this machine.
pub(super) fn platforms() -> Result<Gaps> {
    platforms::run_quick()
}

/// Checks the promise "without any C": the command line over graviola, with no package in its graph
/// that compiles C.
pub(super) fn no_c() -> Result<Gaps> {
    const FEATURES: &str = "-p oaklath-cli --no-default-features --features graviola,full";
    const COMPILE_C: &[&str] = &["cc", "cmake", "aws-lc-sys", "aws-lc-rs", "ring"];
    let tree = capture(&mut cargo(&format!("tree {FEATURES} --edges normal,build --prefix none")))?;
    let found = |name: &&str| {
        tree.lines().any(|line| line.split(' ').next().is_some_and(|first| first == *name))
    };
    if let Some(name) = COMPILE_C.iter().find(|name| found(name)) {
        bail!("the graph without C contains the package {name}");
    }
    // Only whether it builds matters here, not how fast the result is.
    run(cargo(&format!("build {FEATURES}")).env("CARGO_PROFILE_DEV_OPT_LEVEL", "0"))?;
    Ok(Gaps::new())
}

pub(super) fn msrv() -> Result<Gaps> {
    let version = format!("run {MSRV} rustc --version");
    if capture(&mut command("rustup", &version)).is_err() {
        let install = format!("toolchain install {MSRV} --profile minimal");
        if run(&mut command("rustup", &install)).is_err() {
            return Ok(vec![format!("`rustup toolchain install {MSRV}` did not succeed")]);
        }
    }
    // When cargo is started by a rustup proxy, it passes its own tool chain on; the other cargo
    // must not see that.
    let mut check = command("rustup", &format!("run {MSRV} cargo check --locked"));
    run(check.env_remove("CARGO").env_remove("RUSTC").env_remove("RUSTUP_TOOLCHAIN"))?;
    Ok(Gaps::new())
}

/// Packages everything as the registry would take it. Nothing is built again, since that compiles
/// everything from scratch; docs/release.md asks for it before a release.
pub(super) fn publish() -> Result<Gaps> {
    let args = "publish --dry-run --workspace --no-verify --allow-dirty";
    match capture(&mut cargo(args)) {
        Err(error) if error.to_string().contains("download of config.json failed") => {
            Ok(vec!["the index of crates.io cannot be reached".into()])
        }
        result => result.map(|_| Gaps::new()),
    }
}

pub(super) fn disasm() -> Result<Gaps> {
    if let Some(reason) = disasm::cannot_run() {
        return Ok(vec![reason]);
    }
    disasm::run(&disasm::Args::default())?;
    disasm::run(&disasm::Args { falcon_emulated: true, ..disasm::Args::default() })?;
    Ok(Gaps::new())
}

/// Runs the short form of `cargo xtask ct`, without the checks of the stage `disasm`.
pub(super) fn ct() -> Result<Gaps> {
    ct::run_quick()
}

/// All theorems, the page that lists them, and branches of the kernels of rings and hashes. The
/// tapes are compared with the levels that the CPU has.
pub(super) fn prove() -> Result<Gaps> {
    prove::run_check()?;
    let mut gaps = Gaps::new();
    match capture(&mut command("valgrind", "--version")) {
        Ok(_) => prove::run_branches()?,
        Err(_) => gaps.push("no valgrind: branches on numbers of kernels".into()),
    }
    if !emulate::is_native() {
        gaps.push("tapes of 32 lanes are not compared with AVX-512, which this CPU lacks".into());
    }
    Ok(gaps)
}

/// Plants a few of the faults, also of those in the engine that proves.
pub(super) fn mutants() -> Result<Gaps> {
    mutants::run(&mutants::Args::short())?;
    prove::plant_few()?;
    Ok(Gaps::new())
}

/// Says which of these CPU features Linux does not report; other systems report none of them.
fn missing_flags(wanted: &str) -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let flags = text.lines().find_map(|line| line.strip_prefix("flags")).unwrap_or_default();
    let has = |name: &str| flags.split_whitespace().any(|flag| flag == name);
    let missing: Vec<_> = wanted.split(' ').filter(|name| !has(name)).collect();
    (!missing.is_empty()).then(|| format!("this CPU does not report {}", missing.join(" ")))
}
