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
    /// A vector of as many 64-bit lanes.
    type Wide: Copy + Add<Output = Self::Wide> + Sub<Output = Self::Wide>;

    /// Returns a vector with `x` in every lane.
    fn splat(s: S, x: i32) -> Self;
    /// Loads the first `LANES` elements.
    ///
    /// # Panics
    /// If there are fewer elements.
    fn load(s: S, from: &[i32]) -> Self;
    /// Stores the lanes to the first `LANES` elements.
    ///
    /// # Panics
    /// If there are fewer elements.
    fn store(self, to: &mut [i32]);
    /// Loads the first `LANES` bytes as signed numbers.
    ///
    /// # Panics
    /// If there are fewer bytes.
    fn widen(s: S, from: &[i8]) -> Self;
    /// Stores the low bytes of the lanes to the first `LANES` bytes.
    ///
    /// # Panics
    /// If there are fewer bytes.
    fn narrow(self, to: &mut [i8]);

    /// Returns the low half of the product.
    fn mullo(self, b: Self) -> Self;
    /// Returns the signed product in 64 bits.
    fn mul_wide(self, b: Self) -> Self::Wide;
    /// Returns `(p - m q) / 2^32`, where `m` is the signed low half of `p q_inverse`. This is
    /// exact, and Montgomery's reduction, if `q q_inverse = 1` modulo 2^32.
    fn montgomery(p: Self::Wide, q: Self, q_inverse: Self) -> Self;
    /// Multiplies by a factor z with Montgomery's reduction: `z[0]` is z, `z[1]` is z / q modulo
    /// 2^32. The even lanes of `z[2]`, `z[3]` are the odd ones of `z[0]`, `z[1]`: two more loads
    /// (or the same vectors again, where all lanes are equal) instead of two shifts.
    fn mul_montgomery(self, z: [Self; 4], q: Self) -> Self;
    /// Returns the smaller of the two lanes, as unsigned numbers.
    fn min_unsigned(self, b: Self) -> Self;
    /// Returns the smaller and the larger of the two lanes, as signed numbers.
    fn sort_pair(self, b: Self) -> (Self, Self);
    /// Returns all bits set in the negative lanes and none in the others: a mask that no optimiser
    /// turns into a branch.
    fn negative(self) -> Self;
    /// Shifts every lane right by `N` bits, arithmetically.
    fn sra<const N: u32>(self) -> Self;
    /// Shifts every lane left by `N` bits.
    fn sll<const N: u32>(self) -> Self;

    /// Transposes blocks of `LEN` lanes (`LEN` a power of two from 1 to `LANES / 2`): the even
    /// blocks of both vectors go to the first, the odd ones to the second. Its own inverse.
    ///
    /// # Panics
    /// If `LEN` is another number.
    fn transpose<const LEN: usize>(self, b: Self) -> (Self, Self);
    /// Transposes blocks of `LANES / 2` lanes, then of `LANES / 4`, down to 1.
    #[inline(always)]
    fn unravel(self, b: Self) -> (Self, Self) {
        let (a, b) = self.transpose::<4>(b);
        let (a, b) = a.transpose::<2>(b);
        a.transpose::<1>(b)
    }
    /// Inverts [`unravel`](Self::unravel): transposes blocks of 1 lane, then 2, up to `LANES / 2`.
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
    /// The lanes are in `0..2^D`; `D` is 3, 4, 6, 10, 13, 18 or 20.
    ///
    /// # Panics
    /// If there are fewer bytes.
    fn pack<const D: usize>(self, to: &mut [u8]);
    /// Writes the lanes below `bound` to `to[n..]` without gaps and returns the new `n`.
    /// All lanes are non-negative. Writes `LANES` elements; those from the new `n` on are
    /// unspecified. Addresses and `n` depend on which lanes are below `bound`: that must be public,
    /// the lanes need not be.
    ///
    /// # Panics
    /// If `to` has fewer than `n + LANES` elements.
    fn append_below_vartime(self, bound: i32, to: &mut [i32], n: usize) -> usize;
    /// Returns the sign of lane `i` in bit `i`.
    fn signs(self) -> u32;
    /// Reports whether any lane is negative.
    #[inline(always)]
    fn any_negative(self) -> bool {
        self.signs() != 0
    }
}
