//! Handshakes in memory over three base providers: every group, and every way it can go wrong.
#![cfg(test)]

mod bad_shares;
mod builder;
mod handshakes;
mod support;
