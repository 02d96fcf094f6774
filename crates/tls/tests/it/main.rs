//! Handshakes in memory over three base providers: every group, and every way it can go wrong.

mod bad_shares;
mod builder;
mod handshakes;
mod support;
