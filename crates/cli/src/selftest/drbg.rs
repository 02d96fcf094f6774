//! The random generator of NIST's known-answer texts. It must not be used for keys.
//!
//! The package `oaklath-kat` consists of this file, for the tests of the crates that this one uses.

use oaklath_simd::aes256_key_stream;

/// NIST's AES-256-CTR-DRBG (SP 800-90A, section 10.2.1) without a derivation function.
#[derive(Debug)]
pub struct Drbg {
    key: [u8; 32],
    v: u128,
}

impl Drbg {
    /// Starts from 48 bytes of entropy.
    #[must_use]
    pub fn new(entropy: &[u8; 48]) -> Self {
        let mut drbg = Self { key: [0; 32], v: 0 };
        drbg.update(entropy);
        drbg
    }

    /// Draws bytes. The result depends on how bytes are split into draws.
    pub fn draw(&mut self, out: &mut [u8]) {
        self.blocks(out);
        self.update(&[0; 48]);
    }

    /// Returns one draw of `N` bytes.
    pub fn array<const N: usize>(&mut self) -> [u8; N] {
        let mut out = [0; N];
        self.draw(&mut out);
        out
    }

    /// Returns one draw of `len` bytes.
    pub fn vec(&mut self, len: usize) -> Vec<u8> {
        let mut out = vec![0; len];
        self.draw(&mut out);
        out
    }

    fn blocks(&mut self, out: &mut [u8]) {
        for block in out.chunks_mut(16) {
            self.v = self.v.wrapping_add(1);
            // V is one block of counter mode, whose own counter has 32 bits.
            let bytes = self.v.to_be_bytes();
            let nonce = bytes.first_chunk().expect("twelve of sixteen bytes");
            aes256_key_stream(&self.key, nonce, self.v as u32, block);
        }
    }

    fn update(&mut self, data: &[u8; 48]) {
        let (mut key, mut v) = ([0; 32], [0; 16]);
        let mut state = [0; 48];
        self.blocks(&mut state);
        state.iter_mut().zip(data).for_each(|(s, d)| *s ^= d);
        key.copy_from_slice(&state[..32]);
        v.copy_from_slice(&state[32..]);
        *self = Self { key, v: u128::from_be_bytes(v) };
    }
}

/// Returns the generator of a text's seeds, whose entropy is the bytes 0 to 47.
#[must_use]
pub fn outer() -> Drbg {
    Drbg::new(&core::array::from_fn(|i| i as u8))
}

/// Returns the seeds of the records of a KEM's text, in order.
pub fn entropies() -> impl Iterator<Item = [u8; 48]> {
    let mut outer = outer();
    core::iter::from_fn(move || Some(outer.array()))
}

/// Returns the seeds and messages of the records of a signature scheme's text, in order: record i
/// signs 33 (i + 1) bytes.
pub fn messages() -> impl Iterator<Item = ([u8; 48], Vec<u8>)> {
    let mut outer = outer();
    (1..).map(move |n| (outer.array(), outer.vec(33 * n)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Record 0 has this seed, from which the generator of its random bytes starts.
    #[test]
    fn the_first_draws() {
        let entropy = entropies().next().unwrap();
        assert_eq!(entropy[..4], [0x06, 0x15, 0x50, 0x23]);
        let d: [u8; 32] = Drbg::new(&entropy).array();
        assert_eq!(d[..4], [0x7c, 0x99, 0x35, 0xa0]);
    }
}
