//! `compare-round3`: measures ours and every other implementation, interleaved on one core.

use std::process::ExitCode;

use interop_common::compare::Peers;

fn main() -> ExitCode {
    interop_common::compare::main(Peers {
        kem: interop_round3::kem::peers,
        sig: interop_round3::sig::peers,
        stateful: |_| Vec::new(),
    })
}
