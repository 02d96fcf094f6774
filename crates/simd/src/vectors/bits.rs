//! Bit strings: what bit-sliced arithmetic over small fields is made of.
use core::ops::{BitAnd, BitOr, BitXor};

use crate::ct::Mask;

/// 256 bits, as four words.
pub trait Bits<S>:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self>
{
    /// `x` in every word.
    fn splat(s: S, x: u64) -> Self;
    /// Word `i` is `words[i]`.
    fn from_words(s: S, words: &[u64; 4]) -> Self;
    /// Word `i` at index `i`.
    fn to_words(self) -> [u64; 4];
    /// `b` where the mask is set, else `self`. Every word of the mask is all ones or zero.
    fn select(self, mask: Self, b: Self) -> Self;
    /// Words move up by one place; the last becomes the first, shifted left by one bit.
    fn up(self) -> Self;
    /// The inverse, except for the bit that falls off: words move down by one place; the first
    /// becomes the last, shifted right by one bit.
    fn down(self) -> Self;
    /// All bits as the lowest bit of the first word, through a barrier like a [`Mask`].
    #[inline(always)]
    fn lowest_everywhere(self, s: S) -> Self {
        Self::splat(s, Mask::from_bit(self.to_words()[0]).select(0, u64::MAX))
    }
}
