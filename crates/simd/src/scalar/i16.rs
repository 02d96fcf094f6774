//! The portable backend: arrays and loops. Eight 16-bit lanes are the fewest for which fields of
//! any width fill whole bytes.
#![expect(missing_debug_implementations, reason = "vectors may hold secrets")]

use crate::opaque::touch;
use crate::vectors::i16::I16s;

/// Eight 16-bit lanes.
#[derive(Clone, Copy)]
pub struct I16x8([i16; 8]);

/// Four 32-bit lanes.
#[derive(Clone, Copy)]
pub struct I32x4([i32; 4]);

impl I16x8 {
    /// Returns the lanes, about which the optimiser then knows nothing: without this, LLVM could
    /// turn a mask into a branch. In memory, so that one barrier serves eight lanes.
    #[inline(always)]
    fn opaque(mut self) -> Self {
        touch(&raw mut self.0);
        self
    }

    /// Returns `b` where the mask is set, else `self`.
    #[inline(always)]
    fn select(self, mask: Self, b: Self) -> Self {
        self ^ (mask & (self ^ b))
    }
}

/// Makes a vector lane by lane. (Not with `array::from_fn`, which is not always inlined.)
macro_rules! lanes {
    ($i:ident => $e:expr) => {
        I16x8(array!([0; 8]: $i => $e))
    };
}

operators! {
    I16x8 [lanes] Add    add    i16::wrapping_add;
    I16x8 [lanes] Sub    sub    i16::wrapping_sub;
    I16x8 [lanes] BitAnd bitand i16::bitand;
    I16x8 [lanes] BitOr  bitor  i16::bitor;
    I16x8 [lanes] BitXor bitxor i16::bitxor;
    I32x4 [lanes] Add    add    i32::wrapping_add;
    I32x4 [lanes] Sub    sub    i32::wrapping_sub;
}

impl<S> I16s<S> for I16x8 {
    type Wide = I32x4;
    eight_lanes!(i16 u16 u32);

    inlined! {
        fn mulhi(self, b: Self) -> Self =
            lanes!(i => ((i32::from(self.0[i]) * i32::from(b.0[i])) >> 16) as i16);
        fn mulhrs(self, b: Self) -> Self =
            lanes!(i => ((i32::from(self.0[i]) * i32::from(b.0[i]) + (1 << 14)) >> 15) as i16);
        fn srl<const N: u32>(self) -> Self = lanes!(i => (self.0[i] as u16 >> N) as i16);
        fn swap_pairs(self) -> Self = lanes!(i => self.0[i ^ 1]);
        fn with_odd(self, odd: Self) -> Self =
            lanes!(i => if i & 1 == 0 { self.0[i] } else { odd.0[i] });
        fn halves(wide: I32x4) -> Self = lanes!(i => (wide.0[i / 2] >> (16 * (i & 1))) as i16);
        fn high_halves(even: I32x4, odd: I32x4) -> Self =
            lanes!(i => ((if i & 1 == 0 { even } else { odd }).0[i / 2] >> 16) as i16);
        fn from_bits(_: S, bits: u32, x: i16) -> Self =
            lanes!(i => ((bits >> i & 1) as i16).wrapping_neg()).opaque() & Self([x; 8]);
    }

    #[inline(always)]
    fn min_unsigned(self, b: Self) -> Self {
        // The borrow of b - a.
        let borrow = |i: usize| i32::from(b.0[i] as u16) - i32::from(self.0[i] as u16);
        let mask = lanes!(i => (borrow(i) >> 31) as i16);
        self.select(mask.opaque(), b)
    }

    #[inline(always)]
    fn dot_pairs(self, b: Self) -> I32x4 {
        let (a, b) = (self.0, b.0);
        let dot = |i: usize| {
            let (even, odd) = (i32::from(a[i]) * i32::from(b[i]), (a[i + 1], b[i + 1]));
            even.wrapping_add(i32::from(odd.0) * i32::from(odd.1))
        };
        I32x4([dot(0), dot(2), dot(4), dot(6)])
    }

    #[inline(always)]
    fn unpack<const D: usize>(_: S, from: &[u8]) -> Self {
        let from = &from[..D];
        // Eight fields of D bits in D bytes, four at a time: 4 D is at most 48.
        let word = |at: usize| {
            let mut x = 0;
            each!(i in 0..D.div_ceil(2) => x |= u64::from(from[at + i]) << (8 * i));
            x
        };
        let (low, high) = (word(0), word(D / 2) >> (4 * D % 8));
        let mask = (1 << D) - 1;
        lanes!(i => ((if i < 4 { low } else { high }) >> (D * (i & 3)) & mask) as i16)
    }
    #[inline(always)]
    fn lookup(self, table: &[i16; 16]) -> Self {
        // A tree of choices by the bits of the index, which may be secret.
        let bit = |n: u32| {
            let v = self;
            lanes!(i => (v.0[i] >> n & 1).wrapping_neg()).opaque()
        };
        let mask = [bit(0), bit(1), bit(2), bit(3)];
        let entry = |i: usize| Self([table[i]; 8]);
        let pair = |i: usize| entry(i).select(mask[0], entry(i + 1));
        let four = |i: usize| pair(i).select(mask[1], pair(i + 2));
        let eight = |i: usize| four(i).select(mask[2], four(i + 4));
        eight(0).select(mask[3], eight(8))
    }
}
