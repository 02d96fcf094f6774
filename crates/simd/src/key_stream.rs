//! AES-256 in counter mode at the level of the CPU.
#![expect(unsafe_code, reason = "the functions that `vectorize!` declares")]
use crate::vectors::Simd;
use crate::vectors::aes::Aes256;
use crate::{dispatch, vectorize};

/// Writes the key stream of a key: see [`Aes256::key_stream`]. Not generic, so that it is compiled
/// here and optimised as this crate is.
pub fn aes256_key_stream(key: &[u8; 32], nonce: &[u8; 12], counter: u32, out: &mut [u8]) {
    dispatch!(s => write(s, key, nonce, counter, out));
}

#[inline(never)]
fn write<S: Simd>(s: S, key: &[u8; 32], nonce: &[u8; 12], counter: u32, out: &mut [u8]) {
    vectorize!(s => S::Aes::new(s, key).key_stream(nonce, counter, out));
}
