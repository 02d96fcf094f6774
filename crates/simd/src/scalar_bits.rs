//! The portable backend: bit strings.
#![expect(missing_debug_implementations, reason = "bits may be secrets")]
use core::ops::{BitAnd, BitOr, BitXor};

use crate::Bits;

/// 256 bits.
#[derive(Clone, Copy)]
pub struct Bits4([u64; 4]);

macro_rules! operators {
    ($($trait:ident $method:ident;)*) => { $(
        impl $trait for Bits4 {
            type Output = Self;
            #[inline(always)]
            fn $method(self, b: Self) -> Self {
                let (a, b) = (self.0, b.0);
                Self([a[0].$method(b[0]), a[1].$method(b[1]), a[2].$method(b[2]), a[3].$method(b[3])])
            }
        }
    )* };
}
operators! {
    BitAnd bitand;
    BitOr  bitor;
    BitXor bitxor;
}

impl<S> Bits<S> for Bits4 {
    #[inline(always)]
    fn splat(_: S, x: u64) -> Self {
        Self([x; 4])
    }
    #[inline(always)]
    fn from_words(_: S, words: &[u64; 4]) -> Self {
        Self(*words)
    }
    #[inline(always)]
    fn to_words(self) -> [u64; 4] {
        self.0
    }
    #[inline(always)]
    fn select(self, mask: Self, b: Self) -> Self {
        self ^ (mask & (self ^ b))
    }
    #[inline(always)]
    fn up(self) -> Self {
        let a = self.0;
        Self([a[3] << 1, a[0], a[1], a[2]])
    }
    #[inline(always)]
    fn down(self) -> Self {
        let a = self.0;
        Self([a[1], a[2], a[3], a[0] >> 1])
    }
}
