//! The vocabulary of kernels on 32-bit lanes: arithmetic modulo 8380417.
use core::ops::{Add, BitAnd, BitOr, BitXor, Sub};

/// A vector of 32-bit lanes. All arithmetic wraps.
pub trait I32s<S>:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
{
    /// Number of lanes: 8 or 16. Lane 0 comes first in memory.
    const LANES: usize;
    /// 64-bit lanes, as many.
    type Wide: Copy + Add<Output = Self::Wide> + Sub<Output = Self::Wide>;

    /// `x` in every lane.
    fn splat(s: S, x: i32) -> Self;
    /// The first `LANES` elements.
    ///
    /// # Panics
    /// If there are fewer.
    fn load(s: S, from: &[i32]) -> Self;
    /// Into the first `LANES` elements.
    ///
    /// # Panics
    /// If there are fewer.
    fn store(self, to: &mut [i32]);
    /// The first `LANES` bytes, taken as signed.
    ///
    /// # Panics
    /// If there are fewer.
    fn widen(s: S, from: &[i8]) -> Self;
    /// The low bytes of the lanes into the first `LANES` bytes.
    ///
    /// # Panics
    /// If there are fewer.
    fn narrow(self, to: &mut [i8]);

    /// Low half of the product.
    fn mullo(self, b: Self) -> Self;
    /// The signed product.
    fn mul_wide(self, b: Self) -> Self::Wide;
    /// `(p - m q) / 2^32`, exactly, with `m` the low half of `p q_inverse`, signed: for
    /// `q q_inverse = 1` modulo 2^32 Montgomery's reduction.
    fn montgomery(p: Self::Wide, q: Self, q_inverse: Self) -> Self;
    /// Montgomery's reduction of the product with a factor z: `z[0]`, `z[1]` = z / q modulo 2^32;
    /// and of `z[2]`, `z[3]` the even lanes are the odd ones of `z[0]`, `z[1]`: two more loads, or
    /// the same vectors again where all lanes are equal, and not a shift.
    fn mul_montgomery(self, z: [Self; 4], q: Self) -> Self;
    /// The smaller lane, both taken as unsigned.
    fn min_unsigned(self, b: Self) -> Self;
    /// In each lane the smaller and the larger of the two, both taken as signed.
    fn sort_pair(self, b: Self) -> (Self, Self);
    /// All bits set in the lanes below zero, else none: a mask that no optimiser turns into a
    /// branch.
    fn negative(self) -> Self;
    /// Arithmetic shift right by `N`.
    fn sra<const N: u32>(self) -> Self;
    /// Shift left by `N`.
    fn sll<const N: u32>(self) -> Self;

    /// Transposes blocks of `LEN` lanes (`LEN` a power of two from 1 to `LANES / 2`): the even
    /// blocks of both vectors go to the first, the odd ones to the second. Its own inverse.
    ///
    /// # Panics
    /// If `LEN` is another number.
    fn transpose<const LEN: usize>(self, b: Self) -> (Self, Self);
    /// `transpose` by `LANES / 2`, then `LANES / 4`, down to 1.
    #[inline(always)]
    fn unravel(self, b: Self) -> (Self, Self) {
        let (a, b) = self.transpose::<4>(b);
        let (a, b) = a.transpose::<2>(b);
        a.transpose::<1>(b)
    }
    /// The inverse of [`unravel`](Self::unravel): `transpose` by 1, then 2, up to `LANES / 2`.
    #[inline(always)]
    fn ravel(self, b: Self) -> (Self, Self) {
        let (a, b) = self.transpose::<1>(b);
        let (a, b) = a.transpose::<2>(b);
        a.transpose::<4>(b)
    }

    /// Reads `LANES` fields of `D` bits, packed from the low bit of the first byte on.
    /// `D` is 3, 4, 6, 10, 13, 18, 20 or 24.
    ///
    /// # Panics
    /// If there are fewer than `LANES * D / 8` bytes.
    fn unpack<const D: usize>(s: S, from: &[u8]) -> Self;
    /// Writes the lanes as fields of `D` bits, in exactly `LANES * D / 8` bytes.
    /// The lanes are in `0..2^D`, `D` is 3, 4, 6, 10, 13, 18 or 20.
    ///
    /// # Panics
    /// If there are fewer bytes.
    fn pack<const D: usize>(self, to: &mut [u8]);
    /// Writes the lanes below `bound` to `to[n..]` without gaps and returns the new `n`.
    /// All lanes are non-negative. Writes `LANES` elements, of which those after the new `n` mean
    /// nothing. Which lanes are rejected shows in the addresses: that is public, the lanes need not
    /// be.
    ///
    /// # Panics
    /// If `to` has fewer than `n + LANES` elements.
    fn append_below_vartime(self, bound: i32, to: &mut [i32], n: usize) -> usize;
    /// The sign of lane `i` in bit `i`.
    fn signs(self) -> u32;
    /// Whether a lane is below zero.
    #[inline(always)]
    fn any_negative(self) -> bool {
        self.signs() != 0
    }
}
