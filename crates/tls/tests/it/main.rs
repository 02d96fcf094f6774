//! Handshakes in memory over three base providers: every group and every signature algorithm, and
//! every way they can go wrong.
#![cfg(test)]

mod bad_shares;
mod bad_signatures;
mod builder;
mod chains;
mod choice;
mod handshakes;
mod keys;
mod mutual;
mod order;
mod pool;
mod support;
mod unbuffered;
