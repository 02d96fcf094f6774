//! The guest's side: this very program is the first process of the guest, and everything it prints
//! goes to the console, which is the emulator's standard output.
//!
//! The markers separate the output of the tests from the kernel's messages before and after.

use std::{process::Command, thread, time::Duration};

use anyhow::{Context, Result, ensure};
use oaklath_simd::Level;

/// The line before the output of the program.
pub(super) const BEGIN: &str = "oaklath: the program begins";

/// The beginning of the line after it; `success` or the error follows.
pub(super) const END: &str = "oaklath: the program ends: ";

/// The text after [`END`] when all is well.
pub(super) const SUCCESS: &str = "success";

/// Runs a program and reports how it ended.
pub(super) fn run(program_and_args: &[String]) {
    println!("{BEGIN}");
    let result = try_run(program_and_args);
    println!("{END}{}", result.map_or_else(|error| format!("{error:#}"), |()| SUCCESS.to_owned()));
    // When the first process ends, the kernel panics and the emulator stops (that is how a guest is
    // switched off), but anything that the serial port has not sent by then is lost.
    thread::sleep(Duration::from_secs(1));
}

fn try_run(program_and_args: &[String]) -> Result<()> {
    // Otherwise the tests would pass without a single instruction of AVX-512.
    ensure!(Level::by_name("avx512").is_some(), "the guest does not have AVX-512");
    let (program, args) = program_and_args.split_first().context("no program")?;
    let status = Command::new(program).args(args).status().with_context(|| program.clone())?;
    ensure!(status.success(), "{status}");
    Ok(())
}
