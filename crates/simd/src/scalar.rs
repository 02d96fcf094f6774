//! The portable backend: only instructions that every CPU has.
/// Computes bit `i` of a word from lane `i`.
macro_rules! bits {
    ($lanes:literal: $i:ident => $e:expr) => {{
        let mut bits = 0;
        each!($i in 0..$lanes => bits |= u32::from($e) << $i);
        bits
    }};
}

/// Implements what vectors of eight lanes share. The third type holds the bits of a lane and seven
/// more.
macro_rules! eight_lanes {
    ($lane:ident $unsigned:ident $word:ident) => {
        const LANES: usize = 8;
        inlined! {
            fn splat(_: S, x: $lane) -> Self = Self([x; 8]);
            fn load(_: S, from: &[$lane]) -> Self =
                Self(*from.first_chunk().expect("an element for each lane"));
            fn store(self, to: &mut [$lane]) = to[..8].copy_from_slice(&self.0);
            fn signs(self) -> u32 =
                bits!(8: i => self.0[i] as $unsigned >> const { $lane::BITS - 1 });
            fn mullo(self, b: Self) -> Self =
                Self(array!([0; 8]: i => self.0[i].wrapping_mul(b.0[i])));
            fn sra<const N: u32>(self) -> Self = Self(array!([0; 8]: i => self.0[i] >> N));
            fn sll<const N: u32>(self) -> Self = Self(array!([0; 8]: i => self.0[i] << N));
        }

        #[inline(always)]
        fn transpose<const LEN: usize>(self, b: Self) -> (Self, Self) {
            let low = array!([0; 8]: i => if i & LEN == 0 { self.0[i] } else { b.0[i - LEN] });
            let high = array!([0; 8]: i => if i & LEN == 0 { self.0[i + LEN] } else { b.0[i] });
            (Self(low), Self(high))
        }
        #[inline(always)]
        fn pack<const D: usize>(self, to: &mut [u8]) {
            let to = &mut to[..D];
            let (mut bits, mut filled, mut n) = (0, 0, 0);
            each!(i in 0..8 => {
                bits |= $word::from(self.0[i] as $unsigned) << filled;
                filled += D;
                while filled >= 8 {
                    to[n] = bits as u8;
                    bits >>= 8;
                    filled -= 8;
                    n += 1;
                }
            });
        }
        #[inline(always)]
        fn append_below_vartime(self, bound: $lane, to: &mut [$lane], n: usize) -> usize {
            let to = &mut to[n..n + 8];
            let mut m = 0;
            each!(i in 0..8 => {
                to[m] = self.0[i];
                m += $crate::ct::declassify(u64::from(self.0[i] < bound)) as usize;
            });
            n + m
        }
    };
}

pub(crate) mod aes;
pub(crate) mod bits;
pub(crate) mod f64;
pub(crate) mod hash;
pub(crate) mod i16;
pub(crate) mod i32;
pub(crate) mod i8;
pub(crate) mod words;

use crate::split::Split;
use crate::token::Scalar;
use crate::vectors::Simd;
use crate::vectors::sealed::Sealed;

impl Sealed for Scalar {}

impl Simd for Scalar {
    const ARRAYS: bool = true;

    type I16 = i16::I16x8;
    type I32 = i32::I32x8;
    type I8 = i8::I8x32;
    type Bits = bits::Bits4;
    type F64 = f64::F64;
    type FewF64 = f64::F64;
    type C64 = f64::C64;
    type F32 = f64::F32x8;
    type One = words::One;
    type Four = Split<words::One, 4>;
    type Eight = Split<words::One, 8>;
    type Keccak = Self;
    type Aes = aes::Aes;
    type W32 = hash::Word<u32>;
    type W64 = hash::Word<u64>;
    type OneW32 = hash::Word<u32>;
    type OneW64 = hash::Word<u64>;
    type Sha = hash::NoUnit;

    #[inline(always)]
    fn keccak_unit(self) -> Self {
        self
    }
}
