//! Dilithium-AES: AES-256 in counter mode where Dilithium has SHAKE128 and SHAKE256, with the nonce
//! in the first two bytes, little endian (submission of round 3, section 4.2). Hashes stay.
use oaklath_poly::q8380417::{self as ring, Entry, ROW};
use oaklath_simd::{Aes256, Simd, secret};

use super::run::STREAM;
use super::shape::Shape;

/// The cipher with a key, which is expanded when it is needed first.
#[inline(always)]
pub(super) fn keyed<'a, S: Simd>(
    s: S,
    cipher: &'a mut Option<S::Aes>,
    key: &[u8; 32],
) -> &'a S::Aes {
    if cipher.is_none() {
        *cipher = Some(S::Aes::new(s, key));
    }
    cipher.as_ref().expect("a cipher")
}

/// Blocks of a stream begin where the counter has come to.
#[inline(always)]
fn key_stream<S: Simd>(cipher: &S::Aes, nonce: u16, counter: u32, out: &mut [u8]) {
    let mut full = [0; 12];
    full[..2].copy_from_slice(&nonce.to_le_bytes());
    cipher.key_stream(&full, counter, out);
}

/// Bytes of a stream that are sampled at once: whole blocks of AES, and whole triples.
const CHUNK: usize = 144;

/// An entry of the matrix. Out of line.
#[inline(never)]
pub(super) fn entry<S: Simd>(s: S, cipher: &S::Aes, nonce: u16, entry: &mut Entry) {
    s.vectorize(
        #[inline(always)]
        || {
            // 256 of 23 bits need 768 bytes, a few more where some are refused.
            let (mut stream, mut n, mut counter) = ([[0; CHUNK]; 6], 0, 0);
            while n < 256 {
                key_stream::<S>(cipher, nonce, counter, stream.as_flattened_mut());
                for chunk in &stream {
                    let mut row = [0xff; ROW];
                    row[..CHUNK].copy_from_slice(chunk);
                    n = ring::reject_block_vartime(s, &row, entry, n);
                }
                counter += 6 * 9;
            }
        },
    );
}

/// The nibbles of a polynomial of s1 or s2. Out of line.
#[inline(never)]
pub(super) fn nibbles<S: Simd, const K: usize, const L: usize>(
    s: S,
    cipher: &S::Aes,
    nonce: u16,
    nibbles: &mut Entry<()>,
) {
    s.vectorize(
        #[inline(always)]
        || {
            secret!(stream: [u8; 256]);
            let (mut n, mut counter) = (0, 0);
            while n < 256 {
                key_stream::<S>(cipher, nonce, counter, stream);
                n = Shape::<K, L>::reject_nibbles_vartime(s, stream, nibbles, n);
                counter += 16;
            }
        },
    );
}

/// The bytes of a mask. Out of line.
#[inline(never)]
pub(super) fn mask<S: Simd>(s: S, cipher: &S::Aes, nonce: u16, stream: &mut [u8; STREAM]) {
    s.vectorize(
        #[inline(always)]
        || key_stream::<S>(cipher, nonce, 0, &mut stream[..640]),
    );
}

/// The key of AES for secrets and masks.
#[inline(always)]
pub(super) fn first_half(seed: &[u8; 64]) -> &[u8; 32] {
    seed.first_chunk().expect("64 bytes")
}
