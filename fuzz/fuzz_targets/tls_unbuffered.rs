//! See `targets`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| targets::run("tls_unbuffered", data));
