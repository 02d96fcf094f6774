//! The vocabulary of kernels: a trait for tokens, and one for each kind of vector.
use core::fmt::Debug;
use core::ops::{Add, BitAnd, BitOr, BitXor, Sub};

use crate::vectorize::Token;
use crate::{Bits, Erase, F32s, F64s, HashWords, I8s, I32s, NativeComplex, ShaUnit};

/// A backend. Its values prove that the CPU has the instructions.
///
/// Sealed: backends live in this crate, so that operations may be added.
pub trait Simd: Token + Debug + Send + Sync + 'static + sealed::Sealed {
    /// 16-bit lanes.
    type I16: I16s<Self>;
    /// 32-bit lanes.
    type I32: I32s<Self>;
    /// Bytes.
    type I8: I8s<Self>;
    /// Bits in words.
    type Bits: Bits<Self>;
    /// Doubles.
    type F64: F64s<Self, Cell = f64>;
    /// At most four doubles, for short loops.
    type FewF64: F64s<Self, Cell = f64>;
    /// A complex number of two doubles.
    type C64: NativeComplex<Self>;
    /// Singles.
    type F32: F32s<Self>;
    /// A word of one Keccak state.
    type One: U64s<Self>;
    /// The same word of four Keccak states.
    type Four: U64Lanes<Self, 4>;
    /// The same word of eight Keccak states.
    type Eight: U64Lanes<Self, 8>;
    /// What permutations of Keccak run with.
    type Keccak: Token;
    /// An expanded key of AES-256.
    type Aes: Aes256<Self>;
    /// A word of several SHA-256 states.
    type W32: HashWords<Self, u32>;
    /// A word of several SHA-512 states.
    type W64: HashWords<Self, u64>;
    /// The unit for SHA-256.
    type Sha: ShaUnit;

    /// Runs `f` compiled with the backend's instructions. `f` and everything below it must be
    /// `#[inline(always)]`, a closure included: what is not inlined does not get them.
    fn vectorize<R>(self, f: impl FnOnce() -> R) -> R;

    /// What [`vectorize!`](crate::vectorize) runs permutations of Keccak with: the CPU's instructions
    /// for it where there are any.
    fn keccak_unit(self) -> Self::Keccak;

    /// A word of four states and the same word of four others.
    #[inline(always)]
    fn join(self, a: Self::Four, b: Self::Four) -> Self::Eight {
        let ([a, b, c, d], [e, f, g, h]) = (a.to_array(), b.to_array());
        Self::Eight::from_array(self, [a, b, c, d, e, f, g, h])
    }

    /// The two words that [`join`](Self::join) joined.
    #[inline(always)]
    fn split(self, word: Self::Eight) -> [Self::Four; 2] {
        let [a, b, c, d, e, f, g, h] = word.to_array();
        [Self::Four::from_array(self, [a, b, c, d]), Self::Four::from_array(self, [e, f, g, h])]
    }

    /// The product of polynomials over GF(2), a coefficient a bit: the low word and the high one.
    fn multiply_bits(self, a: u64, b: u64) -> [u64; 2];

    /// The sum of the products of the first of `a` and the last of `b`, and so on: a column of a product.
    #[inline(always)]
    fn multiply_bit_strings(self, a: &[u64], b: &[u64]) -> [u64; 2] {
        let mut sum = [0; 2];
        for (a, b) in a.iter().zip(b.iter().rev()) {
            let product = self.multiply_bits(*a, *b);
            sum = [sum[0] ^ product[0], sum[1] ^ product[1]];
        }
        sum
    }

    /// SHA-256's compression of whole blocks (FIPS 180-4, section 6.2.2) into a state.
    fn sha256(self, state: &mut [u32; 8], blocks: &[[u8; 64]]);

    /// The unit for SHA-256, if the CPU has one.
    fn sha_unit(self) -> Option<Self::Sha>;
}

pub(crate) mod sealed {
    pub trait Sealed {}
}

/// A vector of 16-bit lanes. All arithmetic wraps.
pub trait I16s<S>:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
{
    /// Number of lanes: 8, 16 or 32. Lane 0 comes first in memory.
    const LANES: usize;
    /// The same bits as 32-bit lanes, one for each pair of lanes.
    type Wide: Copy + Add<Output = Self::Wide> + Sub<Output = Self::Wide>;

    /// `x` in every lane.
    fn splat(s: S, x: i16) -> Self;
    /// The first `LANES` elements.
    ///
    /// # Panics
    /// If there are fewer.
    fn load(s: S, from: &[i16]) -> Self;
    /// The first `LANES` elements; where there are fewer, zeros follow.
    #[inline(always)]
    fn load_up_to(s: S, from: &[i16]) -> Self {
        if from.len() >= Self::LANES {
            return Self::load(s, from);
        }
        let mut whole = [0; 32];
        whole[..from.len()].copy_from_slice(from);
        Self::load(s, &whole)
    }
    /// Into the first `LANES` elements.
    ///
    /// # Panics
    /// If there are fewer.
    fn store(self, to: &mut [i16]);

    /// Low half of the product.
    fn mullo(self, b: Self) -> Self;
    /// High half of the signed product; `a = b = -2^15` excepted.
    fn mulhi(self, b: Self) -> Self;
    /// `(a b + 2^14) >> 15`; `a = b = -2^15` excepted.
    fn mulhrs(self, b: Self) -> Self;
    /// Montgomery's reduction of the product with a factor z: `z[0]`, and `z[1]` = z / q modulo 2^16.
    /// Neither z nor q is -2^15.
    #[inline(always)]
    fn mul_montgomery(self, z: [Self; 2], q: Self) -> Self {
        self.mulhi(z[0]) - self.mullo(z[1]).mulhi(q)
    }
    /// The smaller lane, both taken as unsigned.
    fn min_unsigned(self, b: Self) -> Self;
    /// Arithmetic shift right by `N`.
    fn sra<const N: u32>(self) -> Self;
    /// Logical shift right by `N`.
    fn srl<const N: u32>(self) -> Self;
    /// Shift left by `N`.
    fn sll<const N: u32>(self) -> Self;

    /// Transposes blocks of `LEN` lanes (`LEN` a power of two from 1 to `LANES / 2`): the even
    /// blocks of both vectors go to the first, the odd ones to the second. Its own inverse.
    ///
    /// # Panics
    /// If `LEN` is another number.
    fn transpose<const LEN: usize>(self, b: Self) -> (Self, Self);
    /// `transpose` by `LANES / 2`, then `LANES / 4`, down to 2.
    fn unravel(self, b: Self) -> (Self, Self);
    /// The inverse of [`unravel`](Self::unravel): `transpose` by 2, then 4, up to `LANES / 2`.
    fn ravel(self, b: Self) -> (Self, Self);
    /// Swaps the lanes of each pair.
    fn swap_pairs(self) -> Self;
    /// Even lanes of `self`, odd lanes of `odd`.
    fn with_odd(self, odd: Self) -> Self;

    /// For each pair of lanes `a0 b0 + a1 b1`, in 32 bits.
    fn dot_pairs(self, b: Self) -> Self::Wide;
    /// The 32-bit lanes as 16-bit lanes, low halves first.
    fn halves(wide: Self::Wide) -> Self;
    /// The high halves of `even` in even lanes, those of `odd` in odd ones.
    fn high_halves(even: Self::Wide, odd: Self::Wide) -> Self;

    /// Reads `LANES` fields of `D` bits, packed from the low bit of the first byte on.
    /// `D` is 4, 5, 6, 10, 11 or 12.
    ///
    /// # Panics
    /// If there are fewer than `LANES * D / 8` bytes.
    fn unpack<const D: usize>(s: S, from: &[u8]) -> Self;
    /// Writes the lanes as fields of `D` bits, in exactly `LANES * D / 8` bytes.
    /// The lanes are in `0..2^D`, `D` is 4, 5, 10, 11 or 12.
    ///
    /// # Panics
    /// If there are fewer bytes.
    fn pack<const D: usize>(self, to: &mut [u8]);
    /// `table[lane]` for lanes in `0..16`, at no address that depends on them.
    fn lookup(self, table: &[i16; 16]) -> Self;
    /// Writes the lanes below `bound` to `to[n..]` without gaps and returns the new `n`.
    /// All lanes are non-negative. Writes `LANES` elements, of which those after the new `n` mean
    /// nothing. Its time depends on nothing, but `n` does on the lanes: for public data.
    ///
    /// # Panics
    /// If `to` has fewer than `n + LANES` elements.
    fn append_below_vartime(self, bound: i16, to: &mut [i16], n: usize) -> usize;
    /// The sign of lane `i` in bit `i`.
    fn signs(self) -> u32;
    /// In bit `i` the bit of the string that has the number in lane `i`, which is in `0..1024`: at a time
    /// that depends on the lanes, but not on the string.
    #[inline(always)]
    fn pick_bits(self, from: &[u64; 16]) -> u32 {
        let (mut lanes, mut picked, mut i) = ([0; 32], 0, 0);
        self.store(&mut lanes);
        while i < Self::LANES {
            let at = lanes[i] as usize & 1023;
            picked |= (from[at >> 6] >> (at & 63) & 1) << i;
            i += 1;
        }
        picked as u32
    }
    /// `x` in lane `i` where bit `i` of `bits` is set, else 0.
    fn from_bits(s: S, bits: u32, x: i16) -> Self;
}

/// The same 64-bit word of one or more Keccak states.
pub trait U64s<S>: Copy + BitXor<Output = Self> + Erase {
    /// What of the vector fits one register.
    type Part: U64s<S>;
    /// Number of parts. A permutation takes them one after the other.
    const PARTS: usize;
    /// Whether one instruction adds three.
    const TERNARY: bool = false;
    /// Part `i`.
    fn part(self, i: usize) -> Self::Part;
    /// Replaces part `i`.
    fn set_part(&mut self, i: usize, part: Self::Part);

    /// `x` in every lane.
    fn splat(s: S, x: u64) -> Self;
    /// `a ^ (!b & c)`.
    fn chi(self, b: Self, c: Self) -> Self;
    /// Rotates every lane left by `N`, 1 to 63.
    fn rol<const N: i32>(self) -> Self;
    /// The sum of three.
    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        self ^ b ^ c
    }
    /// The sum of five.
    #[inline(always)]
    fn xor5(self, b: Self, c: Self, d: Self, e: Self) -> Self {
        ((self ^ b) ^ (c ^ d)) ^ e
    }
    /// Lane 0.
    fn first(self) -> u64;
}

/// Words of `N` Keccak states that may be different sponges.
pub trait U64Lanes<S, const N: usize>: U64s<S> {
    /// Lane `i` is `x[i]`.
    fn from_array(s: S, x: [u64; N]) -> Self;
    /// Lane `i` at index `i`.
    fn to_array(self) -> [u64; N];
    /// For each bit `b` where the mask is set, else `self`.
    fn select(self, mask: Self, b: Self) -> Self;
    /// `self ^ x` in the lanes where the mask is set.
    fn xor_masked(self, mask: Self, x: u64) -> Self;
    /// Four words as 32 bytes of each lane (words in little-endian order), to `to[lane][at..]`.
    ///
    /// # Panics
    /// If a row is shorter.
    fn store_words<const R: usize>(words: [Self; 4], to: &mut [[u8; R]; N], at: usize);
}

/// An expanded key of AES-256 (FIPS 197), erased when dropped.
pub trait Aes256<S>: Sized {
    /// Expands a key.
    fn new(s: S, key: &[u8; 32]) -> Self;
    /// The key stream of counter mode (NIST SP 800-38A, section 6.5): the blocks
    /// `nonce || counter`, `nonce || counter + 1`, ... encrypted, the counter in big endian and
    /// wrapping. A last block is cut where `out` ends.
    fn key_stream(&self, nonce: &[u8; 12], counter: u32, out: &mut [u8]);
}
