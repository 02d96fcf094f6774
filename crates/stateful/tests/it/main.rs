//! Tests of keys, signatures and cached nodes.
#![cfg(test)]

mod batch;
mod faults;
mod known_answers;
mod surface;
