//! Stores on a simulated machine.
#![expect(clippy::unwrap_used, reason = "tests")]

mod disk;
mod file;
mod shared;
mod simulation;
