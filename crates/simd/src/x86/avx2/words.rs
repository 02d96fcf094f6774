//! AVX2: words of four Keccak states. `x86.rs` explains why the `unsafe` is sound.
use core::arch::x86_64::*;

use crate::memory::Erase;
use crate::registers::{lanes, load, store};
use crate::vectors::words::{U64Lanes, U64s};
use crate::x86::intrinsics::count;
use crate::x86::tokens::Avx2;

// SAFETY: registers have no invalid pattern.
unsafe impl Erase for Four {}

/// A word of four states.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Four(__m256i);

operators!(Four BitXor bitxor _mm256_xor_si256;);

/// Returns the byte indices of a left rotation by `n` bits, a multiple of 8.
const fn rotation(n: usize) -> [u8; 32] {
    let mut t = [0; 32];
    each!(i in 0..32 => t[i] = (i % 16 / 8 * 8 + (i + 8 - n / 8) % 8) as u8);
    t
}
const ROL8: [u8; 32] = rotation(8);
const ROL56: [u8; 32] = rotation(56);

impl U64s<Avx2> for Four {
    one_part!();

    inlined! {
        fn splat(_: Avx2, x: u64) -> Self = Self(op!(_mm256_set1_epi64x(x as i64)));
        fn chi(self, b: Self, c: Self) -> Self =
            Self(op!(_mm256_xor_si256(self.0, _mm256_andnot_si256(b.0, c.0))));
        fn rol<const N: i32>(self) -> Self = Self(op!(match N {
            8 => _mm256_shuffle_epi8(self.0, load(&ROL8)),
            56 => _mm256_shuffle_epi8(self.0, load(&ROL56)),
            _ => _mm256_or_si256(
                _mm256_slli_epi64::<N>(self.0),
                _mm256_srl_epi64(self.0, count(64 - N as u32)),
            ),
        }));
        fn first(self) -> u64 = op!(_mm_cvtsi128_si64(_mm256_castsi256_si128(self.0)) as u64);
    }
}

impl U64Lanes<Avx2, 4> for Four {
    inlined! {
        fn from_array(_: Avx2, x: [u64; 4]) -> Self = Self(load(&x));
        fn to_array(self) -> [u64; 4] = lanes(self.0);
        // The mask consists of whole lanes, so selecting bytes is enough.
        fn select(self, mask: Self, b: Self) -> Self =
            Self(op!(_mm256_blendv_epi8(self.0, b.0, mask.0)));
        fn xor_masked(self, mask: Self, x: u64) -> Self =
            self ^ Self(op!(_mm256_and_si256(mask.0, _mm256_set1_epi64x(x as i64))));
        fn load_words(_: Avx2, rows: [&[u64; 4]; 4]) -> [Self; 4] = of_columns!(Self, rows);
        fn store_words<const R: usize>(w: [Self; 4], to: &mut [[u8; R]; 4], at: usize) =
            store_columns([w[0].0, w[1].0, w[2].0, w[3].0], to, at);
    }
}

/// Loads four words of each of four rows as four vectors.
macro_rules! of_columns {
    ($ty:ident, $rows:ident) => {{
        let [a, b, c, d] = $rows;
        let [a, b, c, d] = transpose([load(a), load(b), load(c), load(d)]);
        [$ty(a), $ty(b), $ty(c), $ty(d)]
    }};
}
pub(in crate::x86) use of_columns;

/// Stores four words of four lanes to 32 bytes of each of four rows, from `at` on.
#[inline(always)]
pub(in crate::x86) fn store_columns<const R: usize>(
    words: [__m256i; 4],
    to: &mut [[u8; R]],
    at: usize,
) {
    let rows = transpose(words);
    each!(lane in 0..4 => store(rows[lane], &mut to[lane][at..]));
}

/// Transposes four words of four lanes to four lanes of four words.
#[inline(always)]
pub(in crate::x86) fn transpose(w: [__m256i; 4]) -> [__m256i; 4] {
    op!({
        let (a, b) = (_mm256_unpacklo_epi64(w[0], w[1]), _mm256_unpackhi_epi64(w[0], w[1]));
        let (c, d) = (_mm256_unpacklo_epi64(w[2], w[3]), _mm256_unpackhi_epi64(w[2], w[3]));
        [
            _mm256_permute2x128_si256::<0x20>(a, c),
            _mm256_permute2x128_si256::<0x20>(b, d),
            _mm256_permute2x128_si256::<0x31>(a, c),
            _mm256_permute2x128_si256::<0x31>(b, d),
        ]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rotation of a word by whole bytes moves its bytes.
    #[test]
    fn rotations_by_bytes() {
        for (n, table) in [(8, ROL8), (56, ROL56)] {
            assert_eq!(rotation(n as usize), table);
            for (word, places) in table.as_chunks::<8>().0.iter().enumerate() {
                let bytes: [u8; 8] = core::array::from_fn(|i| (8 * (word % 2) + i) as u8);
                let moved = u64::from_le_bytes(bytes).rotate_left(n).to_le_bytes();
                assert_eq!(*places, moved, "word {word} by {n} bits");
            }
        }
    }
}
