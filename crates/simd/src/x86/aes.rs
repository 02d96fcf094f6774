//! AES-256 with AES-NI, or with VAES on two blocks per register. `x86.rs` explains why the `unsafe`
//! is sound: both tokens of this architecture prove AES-NI, `Vaes` proves VAES.
use core::arch::x86_64::*;

use crate::memory::{Erase, wipe};
use crate::registers::{load, store};
use crate::tables::fill_by_batches;
use crate::vectors::aes::{Aes256, counter_block};
use crate::x86::tokens::{ProvesAvx2, Vaes};

/// The fifteen round keys of AES-256. Erased when dropped.
pub struct Aes {
    keys: RoundKeys,
    vaes: Option<Vaes>,
}

#[derive(Clone, Copy)]
struct RoundKeys([__m128i; 15]);

// SAFETY: registers have no invalid pattern.
unsafe impl Erase for RoundKeys {}

impl Drop for Aes {
    fn drop(&mut self) {
        wipe(&mut self.keys);
    }
}

/// The number of blocks encrypted in parallel, to hide the latency of a round.
const BATCH: usize = 12;

impl<S: ProvesAvx2> Aes256<S> for Aes {
    inlined! {
        fn new(_: S, key: &[u8; 32]) -> Self =
            Self { keys: op!(expand(key)), vaes: Vaes::detect() };
    }

    #[inline(always)]
    fn key_stream(&self, nonce: &[u8; 12], counter: u32, out: &mut [u8]) {
        fill_by_batches(
            counter,
            out,
            #[inline(always)]
            |counter, to| match self.vaes {
                Some(_) => op!(batch_vaes(&self.keys, nonce, counter, to)),
                None => op!(batch_aes(&self.keys, nonce, counter, to)),
            },
        );
    }
}

/// Expands a key of eight words: FIPS 197, section 5.2.
#[target_feature(enable = "aes,avx2")]
fn expand(key: &[u8; 32]) -> RoundKeys {
    /// Computes the prefix sums of four words and adds `word` to each.
    #[target_feature(enable = "aes,avx2")]
    fn next(previous: __m128i, word: __m128i) -> __m128i {
        let x = _mm_xor_si128(previous, _mm_slli_si128::<4>(previous));
        _mm_xor_si128(_mm_xor_si128(x, _mm_slli_si128::<8>(x)), word)
    }
    let (low, high) = key.split_at(16);
    let mut keys = RoundKeys([load(low); 15]);
    keys.0[1] = load(high);
    macro_rules! pair {
        ($i:literal, $round:literal) => {
            // Word 3 of this is RotWord(SubWord(w)) + Rcon; word 2 of the next is SubWord(w).
            let word = _mm_aeskeygenassist_si128::<$round>(keys.0[$i - 1]);
            keys.0[$i] = next(keys.0[$i - 2], _mm_shuffle_epi32::<0xFF>(word));
            if $i < 14 {
                let word = _mm_aeskeygenassist_si128::<0>(keys.0[$i]);
                keys.0[$i + 1] = next(keys.0[$i - 1], _mm_shuffle_epi32::<0xAA>(word));
            }
        };
    }
    pair!(2, 0x01);
    pair!(4, 0x02);
    pair!(6, 0x04);
    pair!(8, 0x08);
    pair!(10, 0x10);
    pair!(12, 0x20);
    // The last pair has only a first half.
    let word = _mm_aeskeygenassist_si128::<0x40>(keys.0[13]);
    keys.0[14] = next(keys.0[12], _mm_shuffle_epi32::<0xFF>(word));
    keys
}

#[target_feature(enable = "aes,avx2")]
fn batch_aes(keys: &RoundKeys, nonce: &[u8; 12], counter: u32, out: &mut [u8; 16 * BATCH]) {
    let mut b = [_mm_setzero_si128(); BATCH];
    each!(i in 0..BATCH => {
        b[i] = load(&counter_block(nonce, counter, i));
        b[i] = _mm_xor_si128(b[i], keys.0[0]);
    });
    each!(round in 1..14 => {
        each!(i in 0..BATCH => b[i] = _mm_aesenc_si128(b[i], keys.0[round]));
    });
    each!(i in 0..BATCH => {
        let last = _mm_aesenclast_si128(b[i], keys.0[14]);
        store(last, &mut out[16 * i..]);
    });
}

#[target_feature(enable = "vaes,aes,avx2")]
fn batch_vaes(keys: &RoundKeys, nonce: &[u8; 12], counter: u32, out: &mut [u8; 16 * BATCH]) {
    const PAIRS: usize = BATCH >> 1;
    let mut b = [_mm256_setzero_si256(); PAIRS];
    each!(i in 0..PAIRS => {
        let block = |j: usize| load(&counter_block(nonce, counter, 2 * i + j));
        b[i] = _mm256_set_m128i(block(1), block(0));
        b[i] = _mm256_xor_si256(b[i], _mm256_broadcastsi128_si256(keys.0[0]));
    });
    each!(round in 1..14 => {
        let key = _mm256_broadcastsi128_si256(keys.0[round]);
        each!(i in 0..PAIRS => b[i] = _mm256_aesenc_epi128(b[i], key));
    });
    let key = _mm256_broadcastsi128_si256(keys.0[14]);
    each!(i in 0..PAIRS => {
        let last = _mm256_aesenclast_epi128(b[i], key);
        store(last, &mut out[32 * i..]);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::Level;
    use crate::scalar::aes as portable;
    use crate::token::Scalar;
    use crate::x86::tokens::Avx2;

    /// A CPU with VAES has AES-NI, too: both produce the stream of the portable code, for whole
    /// batches and for parts.
    #[test]
    fn both_widths_of_registers_agree() {
        let Some(Level::Avx2(s)) = Level::by_name("avx2") else {
            std::eprintln!("no AES-NI on this CPU");
            return;
        };
        let (key, nonce) = ([7; 32], [9; 12]);
        let wide = <Aes as Aes256<Avx2>>::new(s, &key);
        let narrow = Aes { keys: wide.keys, vaes: None };
        let plain = <portable::Aes as Aes256<Scalar>>::new(Scalar, &key);
        for len in [0, 1, 16, 100, 192, 193, 400] {
            let mut streams = [[0; 400]; 3];
            let [a, b, c] = &mut streams;
            Aes256::<Avx2>::key_stream(&wide, &nonce, u32::MAX - 5, &mut a[..len]);
            Aes256::<Avx2>::key_stream(&narrow, &nonce, u32::MAX - 5, &mut b[..len]);
            Aes256::<Scalar>::key_stream(&plain, &nonce, u32::MAX - 5, &mut c[..len]);
            assert!(streams.iter().all(|stream| *stream == streams[2]), "{len} bytes");
        }
    }
}
