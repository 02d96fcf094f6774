//! The public interface: known answers, agreement of the layers, rejected inputs.
#![expect(clippy::unwrap_used, reason = "tests")]

mod batch;
mod known_answers;
mod surface;
mod wycheproof;
