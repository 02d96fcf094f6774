//! The vocabulary of bit-sliced arithmetic over small fields: bit strings.
use core::ops::{BitAnd, BitOr, BitXor};

use crate::ct::Mask;

/// 256 bits, as four words.
pub trait Bits<S>:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self>
{
    /// Returns `x` in every word.
    fn splat(s: S, x: u64) -> Self;
    /// Returns the vector whose word `i` is `words[i]`.
    fn from_words(s: S, words: &[u64; 4]) -> Self;
    /// Returns word `i` at index `i`.
    fn to_words(self) -> [u64; 4];
    /// Returns `b` where the mask is set, else `self`. Every word of the mask is all ones or zero.
    fn select(self, mask: Self, b: Self) -> Self;
    /// Moves words up by one place; the last becomes the first, shifted left by one bit.
    fn up(self) -> Self;
    /// Moves words down by one place; the first becomes the last, shifted right by one bit. Inverts
    /// [`up`](Self::up), except for the bit that is shifted out.
    fn down(self) -> Self;
    /// Copies the lowest bit of the first word to all bits, through a barrier like a [`Mask`].
    #[inline(always)]
    fn lowest_everywhere(self, s: S) -> Self {
        Self::splat(s, Mask::from_bit(self.to_words()[0]).select(0, u64::MAX))
    }
}
