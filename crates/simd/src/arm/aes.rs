//! AES-256 with the CPU's AES instructions, or in software where it has none. `arm.rs` explains why
//! the `unsafe` is sound: `AesUnit` proves the instructions, and `Expanded` is made only with it.
use core::arch::aarch64::*;

use crate::arm::tokens::{AesUnit, Neon};
use crate::memory::{Erase, wipe};
use crate::registers::{load, store};
use crate::scalar::aes as portable;
use crate::tables::fill_by_batches;
use crate::vectors::aes::{Aes256, counter_block};

/// An expanded key.
#[expect(clippy::large_enum_variant, reason = "of bytes on the stack, and there may be no heap")]
pub enum Aes {
    /// A key for the CPU's AES instructions.
    Rounds(Expanded),
    /// A key for the software implementation, which erases it.
    Software(portable::Aes),
}

/// The fifteen round keys of AES-256. Erased when dropped.
pub struct Expanded(RoundKeys);

#[derive(Clone, Copy)]
struct RoundKeys([uint8x16_t; 15]);

// SAFETY: registers have no invalid pattern.
unsafe impl Erase for RoundKeys {}

impl Drop for Expanded {
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}

/// The number of blocks encrypted in parallel, to hide the latency of a round.
const BATCH: usize = 8;

impl Aes256<Neon> for Aes {
    #[inline(always)]
    fn new(s: Neon, key: &[u8; 32]) -> Self {
        match AesUnit::detect() {
            Some(_) => Self::Rounds(Expanded(op!(expand(key)))),
            None => Self::Software(portable::Aes::new(s, key)),
        }
    }

    #[inline(always)]
    fn key_stream(&self, nonce: &[u8; 12], counter: u32, out: &mut [u8]) {
        let keys = match self {
            Self::Rounds(Expanded(keys)) => keys,
            Self::Software(aes) => return Aes256::<Neon>::key_stream(aes, nonce, counter, out),
        };
        fill_by_batches(counter, out, |counter, to| op!(encrypt_batch(keys, nonce, counter, to)));
    }
}

/// Expands a key of eight words: FIPS 197, section 5.2.
#[target_feature(enable = "neon,aes")]
fn expand(key: &[u8; 32]) -> RoundKeys {
    /// Computes `SubWord`: `ShiftRows` has no effect on four equal columns.
    #[target_feature(enable = "neon,aes")]
    fn substitute(word: u32) -> u32 {
        let columns = vreinterpretq_u8_u32(vdupq_n_u32(word));
        vgetq_lane_u32::<0>(vreinterpretq_u32_u8(vaeseq_u8(columns, vdupq_n_u8(0))))
    }
    let mut words = [[0_u32; 4]; 15];
    for (word, bytes) in words.as_flattened_mut().iter_mut().zip(key.as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    each!(i in 8..60 => {
        let w = words.as_flattened_mut();
        let word = match i & 7 {
            // Bytes are in memory order, so `RotWord` is a right rotation. Rcon is added last.
            0 => substitute(w[i - 1]).rotate_right(8) ^ 1 << ((i >> 3) - 1),
            4 => substitute(w[i - 1]),
            _ => w[i - 1],
        };
        w[i] = w[i - 8] ^ word;
    });
    let mut keys = RoundKeys([vdupq_n_u8(0); 15]);
    for (key, words) in keys.0.iter_mut().zip(&words) {
        *key = load(words);
    }
    wipe(&mut words);
    keys
}

#[target_feature(enable = "neon,aes")]
fn encrypt_batch(keys: &RoundKeys, nonce: &[u8; 12], counter: u32, out: &mut [u8; 16 * BATCH]) {
    let mut b = [vdupq_n_u8(0); BATCH];
    each!(i in 0..BATCH => b[i] = load(&counter_block(nonce, counter, i)));
    // AESE adds the round key first; the last round has no MixColumns.
    each!(round in 0..13 => {
        each!(i in 0..BATCH => b[i] = vaesmcq_u8(vaeseq_u8(b[i], keys.0[round])));
    });
    for (to, b) in out.as_chunks_mut::<16>().0.iter_mut().zip(b) {
        let last = veorq_u8(vaeseq_u8(b, keys.0[13]), keys.0[14]);
        store(last, to);
    }
}
