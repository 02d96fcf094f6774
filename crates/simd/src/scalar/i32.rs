//! The portable backend: eight lanes of 32 bits, so that fields of any width fill whole bytes.
#![expect(missing_debug_implementations, reason = "vectors may hold secrets")]

use crate::vectors::i32::I32s;

/// Eight 32-bit lanes.
#[derive(Clone, Copy)]
pub struct I32x8(pub(super) [i32; 8]);

/// Eight 64-bit lanes.
#[derive(Clone, Copy)]
pub struct I64x8([i64; 8]);

/// Makes a vector lane by lane. (Not with `array::from_fn`, which is not always inlined.)
macro_rules! lanes {
    ($ty:ident: $i:ident => $e:expr) => {
        $ty(array!([0; 8]: $i => $e))
    };
}

operators! {
    I32x8 [lanes] Add    add    i32::wrapping_add;
    I32x8 [lanes] Sub    sub    i32::wrapping_sub;
    I32x8 [lanes] BitAnd bitand i32::bitand;
    I32x8 [lanes] BitOr  bitor  i32::bitor;
    I32x8 [lanes] BitXor bitxor i32::bitxor;
    I64x8 [lanes] Add    add    i64::wrapping_add;
    I64x8 [lanes] Sub    sub    i64::wrapping_sub;
}

impl I32x8 {
    /// Returns the lanes, about which the optimiser then knows nothing: without this, LLVM could
    /// turn a mask into a branch. In memory, so that one barrier serves eight lanes.
    #[inline(always)]
    fn opaque(mut self) -> Self {
        crate::opaque::touch(&raw mut self.0);
        self
    }
}

impl<S> I32s<S> for I32x8 {
    type Wide = I64x8;
    eight_lanes!(i32 u32 u64);

    inlined! {
        fn widen(_: S, from: &[i8]) -> Self = lanes!(Self: i => i32::from(from[..8][i]));
        fn mul_wide(self, b: Self) -> I64x8 =
            lanes!(I64x8: i => i64::from(self.0[i]) * i64::from(b.0[i]));
        fn negative(self) -> Self = lanes!(Self: i => self.0[i] >> 31).opaque();
    }

    #[inline(always)]
    fn narrow(self, to: &mut [i8]) {
        let to = &mut to[..8];
        each!(i in 0..8 => to[i] = self.0[i] as i8);
    }
    #[inline(always)]
    fn montgomery(p: I64x8, q: Self, q_inverse: Self) -> Self {
        let m = lanes!(Self: i => (p.0[i] as i32).wrapping_mul(q_inverse.0[i]));
        let difference = p - I32s::<S>::mul_wide(m, q);
        lanes!(Self: i => (difference.0[i] >> 32) as i32)
    }
    #[inline(always)]
    fn mul_montgomery(self, z: [Self; 4], q: Self) -> Self {
        let m = I32s::<S>::mullo(self, z[1]);
        let difference = I32s::<S>::mul_wide(self, z[0]) - I32s::<S>::mul_wide(m, q);
        lanes!(Self: i => (difference.0[i] >> 32) as i32)
    }
    #[inline(always)]
    fn min_unsigned(self, b: Self) -> Self {
        // The borrow of b - a.
        let borrow = |i: usize| i64::from(b.0[i] as u32) - i64::from(self.0[i] as u32);
        let mask = lanes!(Self: i => (borrow(i) >> 63) as i32).opaque();
        lanes!(Self: i => self.0[i] ^ (mask.0[i] & (self.0[i] ^ b.0[i])))
    }
    #[inline(always)]
    fn sort_pair(self, b: Self) -> (Self, Self) {
        let borrow = |i: usize| i64::from(b.0[i]) - i64::from(self.0[i]);
        let mask = lanes!(Self: i => (borrow(i) >> 63) as i32).opaque();
        let swapped = lanes!(Self: i => mask.0[i] & (self.0[i] ^ b.0[i]));
        (self ^ swapped, b ^ swapped)
    }

    #[inline(always)]
    fn unpack<const D: usize>(_: S, from: &[u8]) -> Self {
        let from = &from[..D];
        let (mut bits, mut filled, mut n) = (0_u64, 0, 0);
        lanes!(Self: _i => {
            while filled < D {
                bits |= u64::from(from[n]) << filled;
                filled += 8;
                n += 1;
            }
            let field = (bits & ((1 << D) - 1)) as i32;
            bits >>= D;
            filled -= D;
            field
        })
    }
}
