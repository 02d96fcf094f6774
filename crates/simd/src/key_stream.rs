//! AES-256 in counter mode, out of line.
#![expect(unsafe_code, reason = "the functions that `vectorize!` declares")]
use crate::vectors::Simd;
use crate::vectors::aes::Aes256;
use crate::{instances, vectorize};

/// Writes the key stream of a key: see [`Aes256::key_stream`].
#[inline(never)]
pub fn aes256_key_stream<S: Simd>(
    s: S,
    key: &[u8; 32],
    nonce: &[u8; 12],
    counter: u32,
    out: &mut [u8],
) {
    vectorize!(s => S::Aes::new(s, key).key_stream(nonce, counter, out));
}

instances!(_S => aes256_key_stream::<_S>);
