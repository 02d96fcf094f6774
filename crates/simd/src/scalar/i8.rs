//! The portable backend: bytes.
#![expect(missing_debug_implementations, reason = "vectors may hold secrets")]
use core::ops::Add;

use crate::vectors::i8::I8s;

/// 32 bytes.
#[derive(Clone, Copy)]
pub struct I8x32([i8; 32]);

impl Add for I8x32 {
    type Output = Self;
    #[inline(always)]
    fn add(mut self, b: Self) -> Self {
        let mut i = 0;
        while i < 32 {
            self.0[i] = self.0[i].wrapping_add(b.0[i]);
            i += 1;
        }
        self
    }
}

impl<S> I8s<S> for I8x32 {
    const LANES: usize = 32;

    #[inline(always)]
    fn splat(_: S, x: i8) -> Self {
        Self([x; 32])
    }
    #[inline(always)]
    fn load(_: S, from: &[i8]) -> Self {
        Self(*from.first_chunk().expect("32 elements"))
    }
    #[inline(always)]
    fn store(self, to: &mut [i8]) {
        to[..32].copy_from_slice(&self.0);
    }
    #[inline(always)]
    fn nonzero(self) -> u32 {
        let (mut bits, mut i) = (0, 0);
        while i < 32 {
            bits |= u32::from(self.0[i] != 0) << i;
            i += 1;
        }
        bits
    }
}
