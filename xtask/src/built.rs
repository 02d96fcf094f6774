//! Programs of the workspace, all from one build.
//!
//! Cargo unites the features that the packages of a command ask for, and compiles a crate anew for
//! each union. So programs that run here are built by the same arguments as the tests of the stage
//! `test`, and nothing is built twice.

use std::{
    ffi::OsString,
    io::BufReader,
    path::PathBuf,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};
use cargo_metadata::{Artifact, Message};

use crate::shell::{cargo, command, run as run_shown};

/// All packages that share features with the default members, so that `cargo test` and this build
/// compile each crate once. Excluded are the benches, whose criterion needs more features of serde,
/// this program, which needs more of syn, and the crates that are compiled again to be proven:
/// their unit tests are those of the crates themselves. Examples that need web frameworks are
/// behind features of their own.
pub(crate) const ALL: &str = "--workspace --exclude benches --exclude xtask \
     --exclude oaklath-prove-simd --exclude oaklath-prove-poly --exclude oaklath-prove-hash \
     --exclude oaklath-prove-kem --exclude oaklath-prove-opaque --exclude oaklath-prove-sig \
     --lib --bins --tests";

/// The options that are passed on to a program.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Options of the program, `--help` among them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<OsString>,
}

/// A test program.
pub(crate) struct Test {
    pub(crate) program: String,
    /// The folder in which its tests expect to run.
    folder: PathBuf,
}

impl Test {
    pub(crate) fn command(&self) -> Command {
        self.under(&[])
    }

    /// Returns a command for the tests under a program, which takes theirs as its next argument.
    pub(crate) fn under(&self, runner: &[&str]) -> Command {
        let mut words = runner.iter().copied().chain([&*self.program]);
        let mut command = command(words.next().unwrap_or_default(), "");
        command.args(words).current_dir(&self.folder);
        command
    }
}

/// Runs a program, with overflow checks as in tests.
pub(crate) fn run(name: &str, args: &Args) -> Result<()> {
    run_shown(command(&program(name)?, "").args(&args.options))
}

/// Returns the path of a program.
pub(crate) fn program(name: &str) -> Result<String> {
    let is_it = |artifact: &&Artifact| {
        artifact.target.is_bin() && artifact.target.name == name && !artifact.profile.test
    };
    let artifacts = build()?;
    let program = artifacts.iter().find(is_it).and_then(|artifact| artifact.executable.clone());
    Ok(program.with_context(|| format!("no program has the name {name}"))?.into_string())
}

/// Returns the tests of packages, which are named by their folders, from the bottom layer up.
pub(crate) fn tests(packages: &[&str]) -> Result<Vec<Test>> {
    let mut tests = Vec::new();
    for artifact in build()?.into_iter().filter(|artifact| artifact.profile.test) {
        let folder = artifact.manifest_path.parent().context("a manifest without folder")?;
        if let Some(program) = artifact.executable
            && packages.iter().any(|package| folder.file_name() == Some(package))
        {
            tests.push(Test { program: program.into_string(), folder: folder.into() });
        }
    }
    Ok(tests)
}

fn build() -> Result<Vec<Artifact>> {
    let build = format!("build {ALL}");
    println!("$ cargo {build}");
    let mut command = cargo(&format!("{build} --message-format=json-render-diagnostics"));
    let mut cargo = command.stdout(Stdio::piped()).spawn().context("cannot start cargo")?;
    let messages = BufReader::new(cargo.stdout.take().context("cargo has no output")?);
    let mut artifacts = Vec::new();
    for message in Message::parse_stream(messages) {
        if let Message::CompilerArtifact(artifact) = message? {
            artifacts.push(artifact);
        }
    }
    ensure!(cargo.wait()?.success(), "the workspace does not compile");
    Ok(artifacts)
}
