//! The vocabulary of kernels on 16-bit lanes: arithmetic modulo 3329 and modulo powers of two.
use core::ops::{Add, BitAnd, BitOr, Sub};

/// A vector of 16-bit lanes. All arithmetic wraps.
pub trait I16s<S>:
    Copy + Add<Output = Self> + Sub<Output = Self> + BitAnd<Output = Self> + BitOr<Output = Self>
{
    /// Number of lanes: 8, 16 or 32. Lane 0 comes first in memory.
    const LANES: usize;
    /// A vector of 32-bit lanes, one for each pair of lanes.
    type Wide: Copy + Add<Output = Self::Wide> + Sub<Output = Self::Wide>;

    /// Returns a vector with `x` in every lane.
    fn splat(s: S, x: i16) -> Self;
    /// Loads the first `LANES` elements.
    ///
    /// # Panics
    /// If there are fewer elements.
    fn load(s: S, from: &[i16]) -> Self;
    /// Loads the first `LANES` elements; if there are fewer, the other lanes are zero.
    #[inline(always)]
    fn load_up_to(s: S, from: &[i16]) -> Self {
        if from.len() >= Self::LANES {
            return Self::load(s, from);
        }
        let mut whole = [0; 32];
        whole[..from.len()].copy_from_slice(from);
        Self::load(s, &whole)
    }
    /// Stores the lanes to the first `LANES` elements.
    ///
    /// # Panics
    /// If there are fewer elements.
    fn store(self, to: &mut [i16]);

    /// Returns the low half of the product.
    fn mullo(self, b: Self) -> Self;
    /// Returns the high half of the signed product; `a = b = -2^15` is not allowed.
    fn mulhi(self, b: Self) -> Self;
    /// Returns `(a b + 2^14) >> 15`; `a = b = -2^15` is not allowed.
    fn mulhrs(self, b: Self) -> Self;
    /// Multiplies by a factor z with Montgomery's reduction: `z[0]` is z, `z[1]` is z / q modulo
    /// 2^16. Returns `(a z - m q) / 2^16`, where m is the low half of `a z[1]`. That is exact,
    /// since `z[1] q = z` modulo 2^16. Neither z nor q is -2^15.
    #[inline(always)]
    fn mul_montgomery(self, z: [Self; 2], q: Self) -> Self {
        self.mulhi(z[0]) - self.mullo(z[1]).mulhi(q)
    }
    /// Returns the smaller of the two lanes, as unsigned numbers.
    fn min_unsigned(self, b: Self) -> Self;
    /// Shifts every lane right by `N` bits, arithmetically.
    fn sra<const N: u32>(self) -> Self;
    /// Shifts every lane right by `N` bits, logically.
    fn srl<const N: u32>(self) -> Self;
    /// Shifts every lane left by `N` bits.
    fn sll<const N: u32>(self) -> Self;

    /// Transposes blocks of `LEN` lanes (`LEN` a power of two from 1 to `LANES / 2`): the even
    /// blocks of both vectors go to the first, the odd ones to the second. Its own inverse.
    ///
    /// # Panics
    /// If `LEN` is another number.
    fn transpose<const LEN: usize>(self, b: Self) -> (Self, Self);
    /// Transposes blocks of `LANES / 2` lanes, then of `LANES / 4`, down to 2.
    #[inline(always)]
    fn unravel(self, b: Self) -> (Self, Self) {
        let (a, b) = if const { Self::LANES == 16 } { self.transpose::<8>(b) } else { (self, b) };
        let (a, b) = a.transpose::<4>(b);
        a.transpose::<2>(b)
    }
    /// Inverts [`unravel`](Self::unravel): transposes blocks of 2 lanes, then 4, up to `LANES / 2`.
    #[inline(always)]
    fn ravel(self, b: Self) -> (Self, Self) {
        let (a, b) = self.transpose::<2>(b);
        let (a, b) = a.transpose::<4>(b);
        if const { Self::LANES == 16 } { a.transpose::<8>(b) } else { (a, b) }
    }
    /// Swaps the lanes of each pair.
    fn swap_pairs(self) -> Self;
    /// Returns the even lanes of `self` and the odd lanes of `odd`.
    fn with_odd(self, odd: Self) -> Self;

    /// Returns `a0 b0 + a1 b1` in 32 bits for each pair of lanes.
    fn dot_pairs(self, b: Self) -> Self::Wide;
    /// Returns the 32-bit lanes as pairs of 16-bit lanes, low halves first.
    fn halves(wide: Self::Wide) -> Self;
    /// Returns the high halves of `even` in even lanes, those of `odd` in odd ones.
    fn high_halves(even: Self::Wide, odd: Self::Wide) -> Self;

    /// Reads `LANES` fields of `D` bits, packed from the low bit of the first byte on.
    /// `D` is 4, 5, 6, 10, 11 or 12.
    ///
    /// # Panics
    /// If there are fewer than `LANES * D / 8` bytes.
    fn unpack<const D: usize>(s: S, from: &[u8]) -> Self;
    /// Writes the lanes as fields of `D` bits, in exactly `LANES * D / 8` bytes.
    /// The lanes are in `0..2^D`; `D` is 4, 5, 10, 11 or 12.
    ///
    /// # Panics
    /// If there are fewer bytes.
    fn pack<const D: usize>(self, to: &mut [u8]);
    /// Returns `table[lane]` for lanes in `0..16`; no address depends on them.
    fn lookup(self, table: &[i16; 16]) -> Self;
    /// Writes the lanes below `bound` to `to[n..]` without gaps and returns the new `n`.
    /// All lanes are non-negative. Writes `LANES` elements; those from the new `n` on are
    /// unspecified. Addresses and `n` depend on which lanes are below `bound`: that must be public.
    ///
    /// # Panics
    /// If `to` has fewer than `n + LANES` elements.
    fn append_below_vartime(self, bound: i16, to: &mut [i16], n: usize) -> usize;
    /// Returns the sign of lane `i` in bit `i`.
    fn signs(self) -> u32;
    /// Reports whether any lane is negative.
    #[inline(always)]
    fn any_negative(self) -> bool {
        self.signs() != 0
    }
    /// Returns in bit `i` the bit of the string whose number is in lane `i`, in `0..1024`. The time
    /// may depend on the lanes, but not on the string.
    #[inline(always)]
    fn pick_bits(self, from: &[u64; 16]) -> u32 {
        let (mut lanes, mut picked) = ([0; 32], 0);
        self.store(&mut lanes);
        each!(i in 0..Self::LANES => {
            let at = lanes[i] as usize & 1023;
            picked |= (from[at >> 6] >> (at & 63) & 1) << i;
        });
        picked as u32
    }
    /// Returns `x` in lane `i` where bit `i` of `bits` is set, else 0.
    fn from_bits(s: S, bits: u32, x: i16) -> Self;
}
