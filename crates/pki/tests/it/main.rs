//! Tests of the public interface: keys, certificates and chains, reports.
#![expect(clippy::unwrap_used, reason = "tests")]

mod chains;
mod common;
mod inspect;
mod keys;
mod stateful;
