//! The vocabulary of AES, and counter mode.

/// An expanded key of AES-256 (FIPS 197), erased when dropped.
pub trait Aes256<S>: Sized {
    /// Expands a key.
    fn new(s: S, key: &[u8; 32]) -> Self;
    /// Writes the key stream of counter mode (NIST SP 800-38A, section 6.5) to `out`: the encrypted
    /// blocks `nonce || counter`, `nonce || counter + 1`, ..., with a counter that is big-endian
    /// and wraps. The last block is cut where `out` ends.
    fn key_stream(&self, nonce: &[u8; 12], counter: u32, out: &mut [u8]);
}

/// Returns the counter block after `i` others.
#[inline(always)]
pub(crate) fn counter_block(nonce: &[u8; 12], counter: u32, i: usize) -> [u8; 16] {
    let mut block = [0; 16];
    block[..12].copy_from_slice(nonce);
    block[12..].copy_from_slice(&counter.wrapping_add(i as u32).to_be_bytes());
    block
}
