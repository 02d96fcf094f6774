//! The vocabulary of kernels: a trait for backends and, in modules, one for each kind of vector.
pub(crate) mod aes;
pub(crate) mod bits;
pub(crate) mod f64;
pub(crate) mod hash;
pub(crate) mod i16;
pub(crate) mod i32;
pub(crate) mod i8;
pub(crate) mod words;

use core::fmt::Debug;

use crate::scalar::bits as portable_bits;
use crate::vectorize::Token;
use aes::Aes256;
use bits::Bits;
use f64::{F32s, F64s, NativeComplex};
use hash::{HashWords, ShaUnit};
use i8::I8s;
use i16::I16s;
use i32::I32s;
use words::{U64Lanes, U64s};

/// A backend. Its values prove that the CPU has the instructions.
///
/// Sealed: all backends are in this crate, so that operations can be added.
pub trait Simd: Token + Debug + Send + Sync + 'static + sealed::Sealed {
    /// Whether vectors are arrays: kernels may then loop where those for registers are unrolled.
    const ARRAYS: bool = false;

    /// A vector of 16-bit lanes.
    type I16: I16s<Self>;
    /// A vector of 32-bit lanes.
    type I32: I32s<Self>;
    /// A vector of bytes.
    type I8: I8s<Self>;
    /// A bit string of four words.
    type Bits: Bits<Self>;
    /// A vector of doubles.
    type F64: F64s<Self, Cell = f64>;
    /// A vector of at most four doubles, for short loops.
    type FewF64: F64s<Self, Cell = f64>;
    /// A complex number of two doubles.
    type C64: NativeComplex<Self>;
    /// A vector of `f32`.
    type F32: F32s<Self, I32 = Self::I32, C64 = Self::C64>;
    /// A word of one Keccak state.
    type One: U64s<Self>;
    /// One word of each of four Keccak states.
    type Four: U64Lanes<Self, 4>;
    /// One word of each of eight Keccak states.
    type Eight: U64Lanes<Self, 8>;
    /// The token with which Keccak permutations run.
    type Keccak: Token;
    /// An expanded key of AES-256.
    type Aes: Aes256<Self>;
    /// A word of several SHA-256 states.
    type W32: HashWords<Self, u32>;
    /// A word of several SHA-512 states.
    type W64: HashWords<Self, u64>;
    /// A word of one SHA-256 state.
    type OneW32: HashWords<Self, u32>;
    /// A word of one SHA-512 state.
    type OneW64: HashWords<Self, u64>;
    /// The unit for SHA-256.
    type Sha: ShaUnit;

    /// Returns the token with which [`vectorize!`](crate::vectorize) runs Keccak permutations: that
    /// of the CPU's instructions for Keccak, if it has any.
    fn keccak_unit(self) -> Self::Keccak;

    /// Joins a word of four states with the same word of four others.
    #[inline(always)]
    fn join(self, a: Self::Four, b: Self::Four) -> Self::Eight {
        let ([a, b, c, d], [e, f, g, h]) = (a.to_array(), b.to_array());
        Self::Eight::from_array(self, [a, b, c, d, e, f, g, h])
    }

    /// Returns the two words that [`join`](Self::join) joined.
    #[inline(always)]
    fn split(self, word: Self::Eight) -> [Self::Four; 2] {
        let [a, b, c, d, e, f, g, h] = word.to_array();
        [Self::Four::from_array(self, [a, b, c, d]), Self::Four::from_array(self, [e, f, g, h])]
    }

    /// Multiplies polynomials over GF(2), one coefficient per bit: returns the low and high words.
    #[inline(always)]
    fn multiply_bits(self, a: u64, b: u64) -> [u64; 2] {
        portable_bits::multiply(a, b)
    }

    /// Returns the sum of the products of the first word of `a` and the last of `b`, and so on: one
    /// column of a product.
    #[inline(always)]
    fn multiply_bit_strings(self, a: &[u64], b: &[u64]) -> [u64; 2] {
        let mut sum = [0; 2];
        for (a, b) in a.iter().zip(b.iter().rev()) {
            let product = self.multiply_bits(*a, *b);
            sum = [sum[0] ^ product[0], sum[1] ^ product[1]];
        }
        sum
    }

    /// Returns the unit for SHA-256, if the CPU has one.
    #[inline(always)]
    fn sha_unit(self) -> Option<Self::Sha> {
        None
    }
}

pub(crate) mod sealed {
    pub trait Sealed {}
}
