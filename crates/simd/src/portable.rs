//! Block primitives where there are no instructions for them: AES by the crate `aes`, in constant
//! time, and SHA-256 as FIPS 180-4 has it.
use core::fmt;

use aes::cipher::{BlockCipherEncrypt, KeyInit};

use crate::Aes256;

/// An expanded key of AES-256. Its crate erases it.
pub struct Aes(aes::Aes256);

impl<S> Aes256<S> for Aes {
    fn new(_: S, key: &[u8; 32]) -> Self {
        Self(aes::Aes256::new(key.into()))
    }

    fn key_stream(&self, nonce: &[u8; 12], counter: u32, out: &mut [u8]) {
        for (i, out) in (0..).zip(out.chunks_mut(16)) {
            let mut block = [0; 16];
            block[..12].copy_from_slice(nonce);
            block[12..].copy_from_slice(&counter.wrapping_add(i).to_be_bytes());
            let mut block = block.into();
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

/// The constants of FIPS 180-4, section 4.2.2: fractional parts of the cube roots of the first 64
/// primes.
pub(crate) static K: [u32; 64] = {
    let (mut k, mut n, mut candidate) = ([0; 64], 0, 2);
    while n < 64 {
        if is_prime(candidate) {
            k[n] = cube_root_fraction(candidate);
            n += 1;
        }
        candidate += 1;
    }
    k
};

const fn is_prime(n: u128) -> bool {
    let mut d = 2;
    while d * d <= n {
        if n.is_multiple_of(d) {
            return false;
        }
        d += 1;
    }
    true
}

/// The first 32 bits after the point of the cube root of `n`: floor(2^32 n^(1/3)), the integer part
/// dropped.
const fn cube_root_fraction(n: u128) -> u32 {
    let (mut root, mut bit) = (0, 1 << 36);
    while bit > 0 {
        let next = root | bit;
        if next * next * next <= n << 96 {
            root = next;
        }
        bit >>= 1;
    }
    root as u32
}

/// SHA-256's compression: FIPS 180-4, section 6.2.2.
pub(crate) fn sha256(state: &mut [u32; 8], blocks: &[[u8; 64]]) {
    for block in blocks {
        let mut w = [0; 64];
        for (w, bytes) in w.iter_mut().zip(block.as_chunks::<4>().0) {
            *w = u32::from_be_bytes(*bytes);
        }
        for t in 16..64 {
            let s0 = w[t - 15].rotate_right(7) ^ w[t - 15].rotate_right(18) ^ (w[t - 15] >> 3);
            let s1 = w[t - 2].rotate_right(17) ^ w[t - 2].rotate_right(19) ^ (w[t - 2] >> 10);
            w[t] = w[t - 16].wrapping_add(s0).wrapping_add(w[t - 7]).wrapping_add(s1);
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
        for (k, w) in K.iter().zip(&w) {
            let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let choice = (e & f) ^ (!e & g);
            let t1 = h.wrapping_add(s1).wrapping_add(choice).wrapping_add(*k).wrapping_add(*w);
            let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let majority = (a & b) ^ (a & c) ^ (b & c);
            let t2 = s0.wrapping_add(majority);
            (h, g, f, e) = (g, f, e, d.wrapping_add(t1));
            (d, c, b, a) = (c, b, a, t1.wrapping_add(t2));
        }
        for (state, x) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *state = state.wrapping_add(x);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 180-4, section 4.2.2: constants of the first primes and of the last, 311.
    #[test]
    fn constants_are_roots_of_primes() {
        let primes = (2..=311).filter(|n| is_prime(*n));
        assert!(primes.map(cube_root_fraction).eq(K));
        assert_eq!((K[0], K[1], K[63]), (0x428a_2f98, 0x7137_4491, 0xc671_78f2));
    }

    #[test]
    fn keys_are_not_printed() {
        let key = <Aes as Aes256<crate::Scalar>>::new(crate::Scalar, &[7; 32]);
        assert_eq!(std::format!("{key:?}"), "Aes { .. }");
    }
}
