//! Tests AES.

use crate::compare::same_at_every_level;
use crate::dispatch;
use crate::level::Level;
use crate::token::Scalar;
use crate::vectors::Simd;
use crate::vectors::aes::Aes256;

/// NIST SP 800-38A, F.5.5: CTR-AES256.
#[test]
fn aes_counter_mode() {
    const KEY: [u8; 32] = [
        0x60, 0x3d, 0xeb, 0x10, 0x15, 0xca, 0x71, 0xbe, 0x2b, 0x73, 0xae, 0xf0, 0x85, 0x7d, 0x77,
        0x81, 0x1f, 0x35, 0x2c, 0x07, 0x3b, 0x61, 0x08, 0xd7, 0x2d, 0x98, 0x10, 0xa3, 0x09, 0x14,
        0xdf, 0xf4,
    ];
    const NONCE: [u8; 12] =
        [0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa, 0xfb];
    // The published output blocks of the first two counters.
    const STREAM: [u8; 32] = [
        0x0b, 0xdf, 0x7d, 0xf1, 0x59, 0x17, 0x16, 0x33, 0x5e, 0x9a, 0x8b, 0x15, 0xc8, 0x60, 0xc5,
        0x02, 0x5a, 0x6e, 0x69, 0x9d, 0x53, 0x61, 0x19, 0x06, 0x54, 0x33, 0x86, 0x3c, 0x8f, 0x65,
        0x7b, 0x94,
    ];
    #[inline(always)]
    fn stream<S: Simd>(s: S, nonce: &[u8; 12], counter: u32, out: &mut [u8]) {
        S::Aes::new(s, &KEY).key_stream(nonce, counter, out);
    }
    for level in Level::available() {
        let mut out = [0; 32];
        dispatch!(level, s => stream(s, &NONCE, 0xfcfd_feff, &mut out));
        assert_eq!(out, STREAM, "{level}");
        // Every length, and a counter that wraps, against the portable code.
        let (mut want, mut got) = ([0; 700], [0; 700]);
        stream(Scalar, &NONCE, u32::MAX - 3, &mut want);
        for len in (0..700).step_by(if cfg!(miri) { 99 } else { 1 }) {
            got.fill(0);
            dispatch!(level, s => stream(s, &NONCE, u32::MAX - 3, &mut got[..len]));
            assert!(got[..len] == want[..len] && got[len..].iter().all(|b| *b == 0), "{level}");
        }
    }
}

#[test]
fn block_primitives_same_at_every_level() {
    #[inline(always)]
    fn stream<S: Simd>(s: S, key: &[u8; 32], nonce: &[u8; 12], counter: u32, out: &mut [u8]) {
        S::Aes::new(s, key).key_stream(nonce, counter, out);
    }
    same_at_every_level("AES-256 counter mode", 50, |inputs| {
        let (key, nonce, counter) = (inputs.bytes(), inputs.bytes(), inputs.bits() as u32);
        // Some counters wrap.
        let counter = if counter % 4 == 0 { u32::MAX - counter % 32 } else { counter };
        let mut out = std::vec![0; (inputs.bits() % 600) as usize];
        dispatch!(s => stream(s, &key, &nonce, counter, &mut out));
        out
    });
}
