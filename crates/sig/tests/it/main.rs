//! Tests of the public interface, at every SIMD level.
#![expect(clippy::unwrap_used, reason = "tests")]

mod common;
mod fn_dsa;
mod known_answers;
mod registry;
mod slh_dsa;
mod typed;
mod wycheproof;
