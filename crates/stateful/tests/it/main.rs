//! Keys, signatures and what is kept of trees.
#![cfg(test)]

mod known_answers;
mod surface;
