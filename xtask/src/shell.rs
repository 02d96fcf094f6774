//! Commands that are shown before they run, from the root of the workspace and without standard
//! input.

use std::{
    env,
    path::Path,
    process::{Command, Output, Stdio},
};

use anyhow::{Context, Result, bail};

/// Makes the root of the workspace the current directory, wherever `cargo xtask` was called.
pub(crate) fn enter_workspace() -> Result<()> {
    let Some(package) = env::var_os("CARGO_MANIFEST_DIR") else {
        return Ok(()); // called without cargo: the current directory must be the root
    };
    let root = Path::new(&package).parent().context("the package xtask has no parent directory")?;
    env::set_current_dir(root).with_context(|| format!("cannot enter {}", root.display()))
}

/// Returns the cargo that runs this program, with these arguments (separated by spaces).
pub(crate) fn cargo(args: &str) -> Command {
    command(&env::var("CARGO").unwrap_or_else(|_| "cargo".into()), args)
}

/// Returns `program` with `args` (separated by spaces).
pub(crate) fn command(program: &str, args: &str) -> Command {
    let mut command = Command::new(program);
    command.args(args.split_whitespace()).stdin(Stdio::null());
    command
}

/// Shows and runs a command; its output goes to the terminal. Returns an error if it fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let text = describe(command);
    println!("$ {text}");
    let status = command.status().with_context(|| format!("cannot start `{text}`"))?;
    if !status.success() {
        bail!("`{text}` failed ({status})");
    }
    Ok(())
}

/// Runs a command and returns its standard output, or an error with its standard error.
pub(crate) fn capture(command: &mut Command) -> Result<String> {
    let text = describe(command);
    let Output { status, stdout, stderr } =
        command.output().with_context(|| format!("cannot start `{text}`"))?;
    if !status.success() {
        bail!("`{text}` failed ({status}): {}", String::from_utf8_lossy(&stderr).trim());
    }
    String::from_utf8(stdout).with_context(|| format!("`{text}` did not print UTF-8"))
}

/// Describes the command as one would type it, with the variables set for it.
fn describe(command: &Command) -> String {
    let variables = command.get_envs().filter_map(|(name, value)| {
        Some(format!("{}={:?} ", name.to_string_lossy(), value?.to_string_lossy()))
    });
    let program = Path::new(command.get_program()).file_name().unwrap_or_default();
    let args = command.get_args().map(|arg| format!(" {}", arg.to_string_lossy()));
    variables.chain([program.to_string_lossy().into_owned()]).chain(args).collect()
}
