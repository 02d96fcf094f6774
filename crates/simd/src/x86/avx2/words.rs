//! AVX2: words of four Keccak states, and of eight as two times four. Why the `unsafe` is sound
//! is in `x86.rs`.
use core::arch::x86_64::*;
use core::ops::BitXor;

use crate::memory::Erase;
use crate::vectors::words::{U64Lanes, U64s};
use crate::x86::intrinsics::{count, load256, op};
use crate::x86::tokens::Avx2;

// SAFETY: registers have no invalid pattern.
unsafe impl Erase for Four {}
// SAFETY: two registers.
unsafe impl Erase for Eight {}

/// A word of four states.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Four(pub(in crate::x86) __m256i);

impl BitXor for Four {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, b: Self) -> Self {
        Self(op!(_mm256_xor_si256(self.0, b.0)))
    }
}

/// Byte indices of a rotation by `N` bits, a multiple of 8.
const fn rotation(n: usize) -> [u8; 32] {
    let mut t = [0; 32];
    let mut i = 0;
    while i < 32 {
        t[i] = (i % 16 / 8 * 8 + (i + 8 - n / 8) % 8) as u8;
        i += 1;
    }
    t
}
const ROL8: [u8; 32] = rotation(8);
const ROL56: [u8; 32] = rotation(56);

impl U64s<Avx2> for Four {
    type Part = Self;
    const PARTS: usize = 1;
    #[inline(always)]
    fn part(self, _: usize) -> Self {
        self
    }
    #[inline(always)]
    fn set_part(&mut self, _: usize, part: Self) {
        *self = part;
    }
    #[inline(always)]
    fn splat(_: Avx2, x: u64) -> Self {
        Self(op!(_mm256_set1_epi64x(x as i64)))
    }
    #[inline(always)]
    fn chi(self, b: Self, c: Self) -> Self {
        Self(op!(_mm256_xor_si256(self.0, _mm256_andnot_si256(b.0, c.0))))
    }
    #[inline(always)]
    fn rol<const N: i32>(self) -> Self {
        Self(op!(match N {
            8 => _mm256_shuffle_epi8(self.0, load256(&ROL8)),
            56 => _mm256_shuffle_epi8(self.0, load256(&ROL56)),
            _ => _mm256_or_si256(
                _mm256_slli_epi64::<N>(self.0),
                _mm256_srl_epi64(self.0, count(64 - N as u32)),
            ),
        }))
    }
    #[inline(always)]
    fn first(self) -> u64 {
        op!(_mm_cvtsi128_si64(_mm256_castsi256_si128(self.0)) as u64)
    }
}

impl U64Lanes<Avx2, 4> for Four {
    #[inline(always)]
    fn from_array(_: Avx2, x: [u64; 4]) -> Self {
        Self(load256(&x))
    }
    #[inline(always)]
    fn to_array(self) -> [u64; 4] {
        // SAFETY: both are 32 bytes without an invalid pattern.
        unsafe { core::mem::transmute(self.0) }
    }
    #[inline(always)]
    fn select(self, mask: Self, b: Self) -> Self {
        // The mask is whole lanes: bytes will do.
        Self(op!(_mm256_blendv_epi8(self.0, b.0, mask.0)))
    }
    #[inline(always)]
    fn xor_masked(self, mask: Self, x: u64) -> Self {
        let x = op!(_mm256_and_si256(mask.0, _mm256_set1_epi64x(x as i64)));
        Self(op!(_mm256_xor_si256(self.0, x)))
    }
    #[inline(always)]
    fn load_words(_: Avx2, [a, b, c, d]: [&[u64; 4]; 4]) -> [Self; 4] {
        let [a, b, c, d] = transpose([load256(a), load256(b), load256(c), load256(d)]);
        [Self(a), Self(b), Self(c), Self(d)]
    }
    #[inline(always)]
    fn store_words<const R: usize>(words: [Self; 4], to: &mut [[u8; R]; 4], at: usize) {
        let rows = transpose([words[0].0, words[1].0, words[2].0, words[3].0]);
        let mut lane = 0;
        while lane < 4 {
            store(rows[lane], &mut to[lane][at..at + 32]);
            lane += 1;
        }
    }
}

/// Four words of four lanes as four lanes of four words.
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

#[inline(always)]
pub(in crate::x86) fn store(v: __m256i, to: &mut [u8]) {
    let to = to.first_chunk_mut::<32>().expect("32 bytes");
    op!(_mm256_storeu_si256(to.as_mut_ptr().cast(), v));
}

/// A word of eight states: two times four, since fifty registers of state would spill.
#[derive(Clone, Copy)]
pub struct Eight([Four; 2]);

impl BitXor for Eight {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, b: Self) -> Self {
        Self([self.0[0] ^ b.0[0], self.0[1] ^ b.0[1]])
    }
}

impl U64s<Avx2> for Eight {
    type Part = Four;
    const PARTS: usize = 2;
    #[inline(always)]
    fn part(self, i: usize) -> Four {
        self.0[i]
    }
    #[inline(always)]
    fn set_part(&mut self, i: usize, part: Four) {
        self.0[i] = part;
    }
    #[inline(always)]
    fn splat(s: Avx2, x: u64) -> Self {
        Self([Four::splat(s, x); 2])
    }
    #[inline(always)]
    fn chi(self, b: Self, c: Self) -> Self {
        Self([self.0[0].chi(b.0[0], c.0[0]), self.0[1].chi(b.0[1], c.0[1])])
    }
    #[inline(always)]
    fn rol<const N: i32>(self) -> Self {
        Self([self.0[0].rol::<N>(), self.0[1].rol::<N>()])
    }
    #[inline(always)]
    fn first(self) -> u64 {
        self.0[0].first()
    }
}

impl U64Lanes<Avx2, 8> for Eight {
    #[inline(always)]
    fn from_array(s: Avx2, x: [u64; 8]) -> Self {
        let [a, b, c, d, e, f, g, h] = x;
        Self([Four::from_array(s, [a, b, c, d]), Four::from_array(s, [e, f, g, h])])
    }
    #[inline(always)]
    fn to_array(self) -> [u64; 8] {
        let ([a, b, c, d], [e, f, g, h]) = (self.0[0].to_array(), self.0[1].to_array());
        [a, b, c, d, e, f, g, h]
    }
    #[inline(always)]
    fn select(self, mask: Self, b: Self) -> Self {
        let half = |i: usize| self.0[i].select(mask.0[i], b.0[i]);
        Self([half(0), half(1)])
    }
    #[inline(always)]
    fn xor_masked(self, mask: Self, x: u64) -> Self {
        Self([self.0[0].xor_masked(mask.0[0], x), self.0[1].xor_masked(mask.0[1], x)])
    }
    #[inline(always)]
    fn load_words(s: Avx2, [a, b, c, d, e, f, g, h]: [&[u64; 4]; 8]) -> [Self; 4] {
        let (low, high) = (Four::load_words(s, [a, b, c, d]), Four::load_words(s, [e, f, g, h]));
        let word = |j: usize| Self([low[j], high[j]]);
        [word(0), word(1), word(2), word(3)]
    }
    #[inline(always)]
    fn store_words<const R: usize>(words: [Self; 4], to: &mut [[u8; R]; 8], at: usize) {
        let (low, high) = to.split_at_mut(4);
        for (half, rows) in [low, high].into_iter().enumerate() {
            let rows: &mut [[u8; R]; 4] = rows.try_into().expect("half of eight rows");
            let word = |j: usize| words[j].0[half];
            Four::store_words([word(0), word(1), word(2), word(3)], rows, at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rotation of a word by whole bytes moves them.
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
