//! Tests of what the crate offers: keys, certificates and chains, reports.
#![expect(clippy::unwrap_used, reason = "tests")]

mod chains;
mod common;
mod inspect;
mod keys;
mod stateful;
