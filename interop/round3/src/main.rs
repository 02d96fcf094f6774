//! `compare-round3`: ours and every other implementation, interleaved in one binary on one core.

use std::process::ExitCode;

fn main() -> ExitCode {
    interop_common::compare::main(interop_round3::kem::peers, interop_round3::sig::peers)
}
