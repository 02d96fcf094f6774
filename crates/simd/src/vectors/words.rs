//! The vocabulary of Keccak: 64-bit words of one state or of several.
use core::ops::BitXor;

use crate::memory::Erase;

/// A 64-bit word at one position of one or more Keccak states.
pub trait U64s<S>: Copy + BitXor<Output = Self> + Erase {
    /// A part of the word that fits in one register.
    type Part: U64s<S>;
    /// Number of parts. A permutation processes them one after the other.
    const PARTS: usize;
    /// Whether one instruction computes the XOR of three words.
    const TERNARY: bool = false;
    /// Returns part `i`.
    fn part(self, i: usize) -> Self::Part;
    /// Replaces part `i`.
    fn set_part(&mut self, i: usize, part: Self::Part);

    /// Returns a word with `x` in every lane.
    fn splat(s: S, x: u64) -> Self;
    /// Returns `self ^ (!b & c)`.
    fn chi(self, b: Self, c: Self) -> Self;
    /// Rotates every lane left by `N` bits, 1 to 63.
    fn rol<const N: i32>(self) -> Self;
    /// Returns the XOR of three words.
    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        self ^ b ^ c
    }
    /// Returns the XOR of five words.
    #[inline(always)]
    fn xor5(self, b: Self, c: Self, d: Self, e: Self) -> Self {
        ((self ^ b) ^ (c ^ d)) ^ e
    }
    /// Returns lane 0.
    fn first(self) -> u64;
}

/// A word of each of `N` Keccak states, which may belong to different sponges.
pub trait U64Lanes<S, const N: usize>: U64s<S> {
    /// Returns the word whose lane `i` is `x[i]`.
    fn from_array(s: S, x: [u64; N]) -> Self;
    /// Returns lane `i` at index `i`.
    fn to_array(self) -> [u64; N];
    /// Returns `b` in the lanes where the mask is set, else `self`. Its lanes are all ones or zero.
    fn select(self, mask: Self, b: Self) -> Self;
    /// Returns `self ^ x` in the lanes where the mask is set, else `self`.
    fn xor_masked(self, mask: Self, x: u64) -> Self;
    /// Loads four words from each row: lane `i` of result `j` is `rows[i][j]`.
    fn load_words(s: S, rows: [&[u64; 4]; N]) -> [Self; 4];
    /// Stores four words of each lane as 32 bytes (little-endian words) to `to[lane][at..]`.
    ///
    /// # Panics
    /// If a row is too short.
    fn store_words<const R: usize>(words: [Self; 4], to: &mut [[u8; R]; N], at: usize);
}
