//! `compare-round3`: ours and every other implementation, interleaved in one binary on one core.

use std::process::ExitCode;

use interop_common::compare::Peers;

fn main() -> ExitCode {
    interop_common::compare::main(Peers {
        kem: interop_round3::kem::peers,
        sig: interop_round3::sig::peers,
        stateful: |_| Vec::new(),
    })
}
