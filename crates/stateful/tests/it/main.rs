//! Keys, signatures and what is kept of trees.
#![cfg(test)]

mod batch;
mod faults;
mod known_answers;
mod surface;
