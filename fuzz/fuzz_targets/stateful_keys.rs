//! See `targets`.
#![no_main]

const RUN: fn(&[u8]) = targets::named("stateful_keys");
libfuzzer_sys::fuzz_target!(|data: &[u8]| RUN(data));
