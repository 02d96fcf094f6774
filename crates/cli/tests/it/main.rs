//! The program `oaklath` as its users run it.
#![expect(clippy::unwrap_used, reason = "tests")]

mod certificates;
/// The output includes the groups of a base provider, so a build without one prints less.
#[cfg(any(feature = "aws-lc-rs", feature = "ring", feature = "graviola"))]
mod commands;
mod folder;
#[cfg(all(unix, feature = "aws-lc-rs", feature = "full"))]
mod guide;
#[cfg(target_os = "linux")]
mod interrupted;
mod kem;
#[cfg(any(feature = "aws-lc-rs", feature = "ring", feature = "graviola"))]
mod peers;
mod signatures;
mod stateful;
mod stateful_faults;
mod stateful_files;
