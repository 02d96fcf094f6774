//! AES where the CPU has no instructions for it: the constant-time crate `aes`.
use core::fmt;

use aes::cipher::{BlockCipherEncrypt, KeyInit};

use crate::vectors::aes::{Aes256, counter_block};

/// An expanded key of AES-256. The crate `aes` erases it.
pub struct Aes(aes::Aes256);

impl<S> Aes256<S> for Aes {
    fn new(_: S, key: &[u8; 32]) -> Self {
        Self(aes::Aes256::new(key.into()))
    }

    fn key_stream(&self, nonce: &[u8; 12], counter: u32, out: &mut [u8]) {
        for (i, out) in (0..).zip(out.chunks_mut(16)) {
            let mut block = counter_block(nonce, counter, i).into();
            self.0.encrypt_block(&mut block);
            out.copy_from_slice(&block[..out.len()]);
        }
    }
}

impl fmt::Debug for Aes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Aes").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::Scalar;

    #[test]
    fn keys_are_not_printed() {
        let key = <Aes as Aes256<Scalar>>::new(Scalar, &[7; 32]);
        assert_eq!(std::format!("{key:?}"), "Aes { .. }");
    }
}
