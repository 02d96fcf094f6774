//! The portable backend: 64-bit words of Keccak states.
//!
//! The `unsafe` is sound: it marks integers and arrays of integers as [`Erase`].
#![expect(missing_debug_implementations, reason = "vectors may hold secrets")]
#![expect(unsafe_code, reason = "the marker `Erase`")]
use core::ops::{BitAnd, BitXor};

use crate::memory::Erase;
use crate::vectors::words::{U64Lanes, U64s};

/// A word.
#[derive(Clone, Copy)]
pub struct One(u64);

impl BitXor for One {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, b: Self) -> Self {
        Self(self.0 ^ b.0)
    }
}

// SAFETY: an integer.
unsafe impl Erase for One {}
// SAFETY: integers.
unsafe impl<const N: usize> Erase for Many<N> {}

impl<S> U64s<S> for One {
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
    fn splat(_: S, x: u64) -> Self {
        Self(x)
    }
    #[inline(always)]
    fn chi(self, b: Self, c: Self) -> Self {
        Self(self.0 ^ (!b.0 & c.0))
    }
    #[inline(always)]
    fn rol<const N: i32>(self) -> Self {
        Self(self.0.rotate_left(N as u32))
    }
    #[inline(always)]
    fn first(self) -> u64 {
        self.0
    }
}

/// Words of several states, permuted one after the other.
#[derive(Clone, Copy)]
pub struct Many<const N: usize>([u64; N]);

impl<const N: usize> Many<N> {
    #[inline(always)]
    fn zip(self, b: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        let (mut out, mut i) = (self, 0);
        while i < N {
            out.0[i] = f(self.0[i], b.0[i]);
            i += 1;
        }
        out
    }
}

impl<const N: usize> BitXor for Many<N> {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, b: Self) -> Self {
        self.zip(b, u64::bitxor)
    }
}

impl<S, const N: usize> U64s<S> for Many<N> {
    type Part = One;
    const PARTS: usize = N;
    #[inline(always)]
    fn part(self, i: usize) -> One {
        One(self.0[i])
    }
    #[inline(always)]
    fn set_part(&mut self, i: usize, part: One) {
        self.0[i] = part.0;
    }
    #[inline(always)]
    fn splat(_: S, x: u64) -> Self {
        Self([x; N])
    }
    #[inline(always)]
    fn chi(self, b: Self, c: Self) -> Self {
        self ^ b.zip(c, |b, c| !b & c)
    }
    #[inline(always)]
    fn rol<const R: i32>(self) -> Self {
        self.zip(self, |a, _| a.rotate_left(R as u32))
    }
    #[inline(always)]
    fn first(self) -> u64 {
        self.0[0]
    }
}

impl<S, const N: usize> U64Lanes<S, N> for Many<N> {
    #[inline(always)]
    fn from_array(_: S, x: [u64; N]) -> Self {
        Self(x)
    }
    #[inline(always)]
    fn to_array(self) -> [u64; N] {
        self.0
    }
    #[inline(always)]
    fn select(self, mask: Self, b: Self) -> Self {
        self ^ mask.zip(self ^ b, u64::bitand)
    }
    #[inline(always)]
    fn xor_masked(self, mask: Self, x: u64) -> Self {
        self.zip(mask, |a, m| a ^ (m & x))
    }
    #[inline(always)]
    fn load_words(_: S, rows: [&[u64; 4]; N]) -> [Self; 4] {
        let (mut words, mut lane) = ([Self([0; N]); 4], 0);
        while lane < N {
            let mut j = 0;
            while j < 4 {
                words[j].0[lane] = rows[lane][j];
                j += 1;
            }
            lane += 1;
        }
        words
    }
    #[inline(always)]
    fn store_words<const R: usize>(words: [Self; 4], to: &mut [[u8; R]; N], at: usize) {
        let mut lane = 0;
        while lane < N {
            let row = &mut to[lane][at..at + 32];
            let mut j = 0;
            while j < 4 {
                row[8 * j..8 * j + 8].copy_from_slice(&words[j].0[lane].to_le_bytes());
                j += 1;
            }
            lane += 1;
        }
    }
}
