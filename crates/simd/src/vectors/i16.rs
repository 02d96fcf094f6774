//! The vocabulary of kernels on 16-bit lanes: arithmetic modulo 3329 and modulo powers of two.
use core::ops::{Add, BitAnd, BitOr, BitXor, Sub};

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
    /// These bits as 32-bit lanes, one for each pair of lanes.
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
    /// Montgomery's reduction of the product with a factor z: `z[0]`, and `z[1]` = z / q modulo
    /// 2^16. Neither z nor q is -2^15.
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
    #[inline(always)]
    fn unravel(self, b: Self) -> (Self, Self) {
        let (a, b) = if Self::LANES == 16 { self.transpose::<8>(b) } else { (self, b) };
        let (a, b) = a.transpose::<4>(b);
        a.transpose::<2>(b)
    }
    /// The inverse of [`unravel`](Self::unravel): `transpose` by 2, then 4, up to `LANES / 2`.
    #[inline(always)]
    fn ravel(self, b: Self) -> (Self, Self) {
        let (a, b) = self.transpose::<2>(b);
        let (a, b) = a.transpose::<4>(b);
        if Self::LANES == 16 { a.transpose::<8>(b) } else { (a, b) }
    }
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
    /// Whether a lane is below zero.
    #[inline(always)]
    fn any_negative(self) -> bool {
        self.signs() != 0
    }
    /// In bit `i` the bit of the string that has the number in lane `i`, which is in `0..1024`: at
    /// a time that depends on the lanes, but not on the string.
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
