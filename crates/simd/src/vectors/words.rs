//! The vocabulary of Keccak: 64-bit words of one state or of several.
use core::ops::BitXor;

use crate::memory::Erase;

/// A 64-bit word at one position of one or more Keccak states.
pub trait U64s<S>: Copy + BitXor<Output = Self> + Erase {
    /// What of the vector fits one register.
    type Part: U64s<S>;
    /// Number of parts. A permutation takes them one after the other.
    const PARTS: usize;
    /// Whether one instruction adds three.
    const TERNARY: bool = false;
    /// Part `i`.
    fn part(self, i: usize) -> Self::Part;
    /// Replaces part `i`.
    fn set_part(&mut self, i: usize, part: Self::Part);

    /// `x` in every lane.
    fn splat(s: S, x: u64) -> Self;
    /// `a ^ (!b & c)`.
    fn chi(self, b: Self, c: Self) -> Self;
    /// Rotates every lane left by `N`, 1 to 63.
    fn rol<const N: i32>(self) -> Self;
    /// The sum of three.
    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        self ^ b ^ c
    }
    /// The sum of five.
    #[inline(always)]
    fn xor5(self, b: Self, c: Self, d: Self, e: Self) -> Self {
        ((self ^ b) ^ (c ^ d)) ^ e
    }
    /// Lane 0.
    fn first(self) -> u64;
}

/// Words of `N` Keccak states that may be different sponges.
pub trait U64Lanes<S, const N: usize>: U64s<S> {
    /// Lane `i` is `x[i]`.
    fn from_array(s: S, x: [u64; N]) -> Self;
    /// Lane `i` at index `i`.
    fn to_array(self) -> [u64; N];
    /// For each bit `b` where the mask is set, else `self`.
    fn select(self, mask: Self, b: Self) -> Self;
    /// `self ^ x` in the lanes where the mask is set.
    fn xor_masked(self, mask: Self, x: u64) -> Self;
    /// Words of a row each: lane `i` of result `j` is `rows[i][j]`.
    fn load_words(s: S, rows: [&[u64; 4]; N]) -> [Self; 4];
    /// Four words as 32 bytes of each lane (words in little-endian order), to `to[lane][at..]`.
    ///
    /// # Panics
    /// If a row is shorter.
    fn store_words<const R: usize>(words: [Self; 4], to: &mut [[u8; R]; N], at: usize);
}
