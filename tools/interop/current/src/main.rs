//! `compare`: measures ours and every other implementation, interleaved in one binary on one core.

use std::process::ExitCode;

use interop_common::compare::Peers;

fn main() -> ExitCode {
    interop_common::compare::main(Peers {
        kem: interop_current::kem::peers,
        sig: interop_current::sig::peers,
        stateful: interop_current::stateful::peers,
    })
}
