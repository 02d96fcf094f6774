//! The portable backend: a 64-bit word of a Keccak state.
//!
//! The `unsafe` is sound: it marks an integer as [`Erase`].
#![expect(missing_debug_implementations, reason = "vectors may hold secrets")]
#![expect(unsafe_code, reason = "the marker `Erase`")]
use core::ops::BitXor;

use crate::memory::Erase;
use crate::vectors::words::{U64Lanes, U64s};

/// A word.
#[derive(Clone, Copy)]
pub struct One(u64);

// SAFETY: an integer.
unsafe impl Erase for One {}

impl BitXor for One {
    type Output = Self;
    inlined! {
        fn bitxor(self, b: Self) -> Self = Self(self.0 ^ b.0);
    }
}

impl<S> U64s<S> for One {
    one_part!();
    inlined! {
        fn splat(_: S, x: u64) -> Self = Self(x);
        fn chi(self, b: Self, c: Self) -> Self = Self(self.0 ^ (!b.0 & c.0));
        fn rol<const N: i32>(self) -> Self = Self(self.0.rotate_left(N as u32));
        fn first(self) -> u64 = self.0;
    }
}

impl<S> U64Lanes<S, 1> for One {
    inlined! {
        fn from_array(_: S, x: [u64; 1]) -> Self = Self(x[0]);
        fn to_array(self) -> [u64; 1] = [self.0];
        fn select(self, mask: Self, b: Self) -> Self = Self(self.0 ^ (mask.0 & (self.0 ^ b.0)));
        fn xor_masked(self, mask: Self, x: u64) -> Self = Self(self.0 ^ (mask.0 & x));
        fn load_words(_: S, [r]: [&[u64; 4]; 1]) -> [Self; 4] =
            [Self(r[0]), Self(r[1]), Self(r[2]), Self(r[3])];
    }

    #[inline(always)]
    fn store_words<const R: usize>(words: [Self; 4], [row]: &mut [[u8; R]; 1], at: usize) {
        for (to, word) in row[at..at + 32].as_chunks_mut().0.iter_mut().zip(words) {
            *to = word.0.to_le_bytes();
        }
    }
}
