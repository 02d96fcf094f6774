//! Sources and programs of peers in the target folder, from the package managers that have them.

use std::{
    env::consts::EXE_SUFFIX,
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};
use cargo_metadata::MetadataCommand;

use super::peer::Site;
use crate::shell::{cargo, command, run};

/// Names those of these commands that are not installed, with the Debian packages that have them.
pub(crate) fn missing(commands: &[(&str, &str)]) -> Option<String> {
    let missing: Vec<_> = commands.iter().filter(|(name, _)| !is_installed(name)).collect();
    let names: Vec<_> = missing.iter().map(|(name, _)| *name).collect();
    let packages: Vec<_> = missing.iter().map(|(_, package)| *package).collect();
    let (names, packages) = (names.join(", "), packages.join(" "));
    let text = format!("not installed: {names} (Debian: apt-get install {packages})");
    (!missing.is_empty()).then_some(text)
}

fn is_installed(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

/// Builds a workspace in `tools/interop` into the target folder of our program.
pub(super) fn build_workspace(site: &Site, folder: &str) -> Result<()> {
    let manifest = format!("tools/interop/{folder}/Cargo.toml");
    let mut build = cargo(&format!("build --quiet --locked --manifest-path {manifest}"));
    run(build.arg("--target-dir").arg(&site.target))
}

/// Where that leaves a program.
pub(super) fn program_of_workspace(site: &Site, name: &str) -> PathBuf {
    site.oaklath.with_file_name(format!("{name}{EXE_SUFFIX}"))
}

/// The manifest that names the crates that carry sources.
const SOURCES: &str = "tools/interop/sources/Cargo.toml";

/// Copies the folder `inside` of a crate, which contains a peer's source; the crate itself is not
/// compiled.
pub(super) fn source_of_crate(
    name: &str,
    version: &str,
    inside: &str,
    folder: &Path,
) -> Result<()> {
    run(&mut cargo(&format!("fetch --quiet --locked --manifest-path {SOURCES}")))?;
    let metadata = MetadataCommand::new().manifest_path(SOURCES).exec()?;
    let package = metadata.packages.iter().find(|package| {
        package.name.as_str() == name && package.version.to_string().starts_with(version)
    });
    let package = package.with_context(|| format!("{SOURCES} does not name {name} {version}"))?;
    let source = package.manifest_path.with_file_name(inside);
    copy(source.as_std_path(), folder).with_context(|| format!("cannot copy {source}"))
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            copy(&from, &to)?;
        } else {
            fs::copy(&from, &to)?;
        }
    }
    Ok(())
}

/// Runs a command that prints much; its output goes to a file that is named if it fails.
pub(super) fn run_quietly(command: &mut Command, log: &Path) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let args: Vec<_> = command.get_args().map(OsStr::to_string_lossy).collect();
    println!("$ {program} {}", args.join(" "));
    let output =
        fs::File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
    let status = command.stdout(output.try_clone()?).stderr(output).status();
    let status = status.with_context(|| format!("cannot start {program}"))?;
    if !status.success() {
        bail!("`{program}` failed ({status}); see {}", log.display());
    }
    Ok(())
}

/// Runs `make` with these targets, using half of the machine.
pub(super) fn make(folder: &Path, targets: &str) -> Result<()> {
    let mut make = command("make", targets);
    make.arg(format!("-j{}", workers())).current_dir(folder);
    run_quietly(&mut make, &folder.join("make.log"))
}

/// Returns the number of parallel jobs: half the processors, since a connection is two processes.
pub(super) fn workers() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get().div_ceil(2))
}

/// Returns cargo's target folder.
pub(crate) fn target() -> Result<PathBuf> {
    Ok(MetadataCommand::new().no_deps().exec()?.target_directory.into())
}
