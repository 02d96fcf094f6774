//! The portable backend of SHA-2: one state, no unit.
//!
//! The `unsafe` is sound: it marks integers as [`Erase`].
#![expect(missing_debug_implementations, reason = "words may be secret")]
#![expect(unsafe_code, reason = "the marker `Erase`")]
use core::ops::{Add, BitXor};

use crate::memory::Erase;
use crate::vectorize::{Frames, Token};
use crate::vectors::hash::{HashWords, ShaUnit};

/// A word of one state: a single lane, at any level.
#[derive(Clone, Copy)]
pub struct Word<T>(T);

macro_rules! words {
    ($($ty:ty)*) => { $(
        // SAFETY: an integer has no invalid bit pattern.
        unsafe impl Erase for Word<$ty> {}

        impl Add for Word<$ty> {
            type Output = Self;
            inlined! { fn add(self, b: Self) -> Self = Self(self.0.wrapping_add(b.0)); }
        }

        impl BitXor for Word<$ty> {
            type Output = Self;
            inlined! { fn bitxor(self, b: Self) -> Self = Self(self.0 ^ b.0); }
        }

        impl<S: Copy> HashWords<S, $ty> for Word<$ty> {
            const LANES: usize = 1;

            inlined! {
                fn splat(_: S, x: $ty) -> Self = Self(x);
                fn load(_: S, from: &[$ty]) -> Self = Self(from[0]);
                fn store(self, to: &mut [$ty]) = to[0] = self.0;
                fn choose(self, b: Self, c: Self) -> Self = Self(c.0 ^ (self.0 & (b.0 ^ c.0)));
                fn majority(self, b: Self, c: Self) -> Self =
                    Self((self.0 & b.0) | (c.0 & (self.0 | b.0)));
                fn ror<const N: u32>(self) -> Self = Self(self.0.rotate_right(N));
                fn shr<const N: u32>(self) -> Self = Self(self.0 >> N);
                fn shl<const N: u32>(self) -> Self = Self(self.0 << N);
            }
        }
    )* };
}
words!(u32 u64);

/// The unit of a CPU that has none: a type without values.
#[derive(Clone, Copy, Debug)]
pub enum NoUnit {}

impl Token for NoUnit {
    #[inline(always)]
    fn run_in<F: Frames, R>(self, _: impl FnOnce() -> R) -> R {
        match self {}
    }
}

impl ShaUnit for NoUnit {
    // Types with the operators that words have; there are no values of the unit to make them.
    type Words = Word<u32>;
    type State = Word<u32>;

    inlined! {
        fn load(self, _: &[u32; 4]) -> Word<u32> = match self {};
        fn store(self, _: Word<u32>, _: &mut [u32; 4]) = match self {};
        fn shuffle(self, _: Word<u32>, _: &[u8; 16]) -> Word<u32> = match self {};
        fn state(self, _: Word<u32>, _: Word<u32>) -> Word<u32> = match self {};
        fn words(self, _: Word<u32>) -> [Word<u32>; 2] = match self {};
        fn rounds(self, _: Word<u32>, _: Word<u32>) -> Word<u32> = match self {};
        fn schedule(self, _: [Word<u32>; 4]) -> Word<u32> = match self {};
    }
}
