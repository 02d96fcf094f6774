//! `compare`: ours and every other implementation, interleaved in one binary on one core.

use std::process::ExitCode;

fn main() -> ExitCode {
    interop_common::compare::main(interop_current::kem::peers, interop_current::sig::peers)
}
