//! The vocabulary of Falcon: `f64` in lanes, complex numbers, and `f32` for comparisons.
//!
//! Every operation on doubles rounds once, to nearest, ties to even (IEEE 754). None is fused: the
//! signatures of Falcon's reference depend on every rounding.
use core::ops::{Add, Div, Mul, Sub};

use crate::memory::Plain;

/// A vector of doubles, or of what represents them in memory.
pub trait F64s<S>:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// Number of lanes: 1, 4 or 8. Lane 0 comes first in memory.
    const LANES: usize;
    /// A double in memory.
    type Cell: Plain + Copy;

    /// `x` in every lane.
    fn splat(s: S, x: Self::Cell) -> Self;
    /// The first `LANES` elements.
    ///
    /// # Panics
    /// If there are fewer.
    fn load(s: S, from: &[Self::Cell]) -> Self;
    /// Into the first `LANES` elements.
    ///
    /// # Panics
    /// If there are fewer.
    fn store(self, to: &mut [Self::Cell]);
    /// The first `LANES` integers.
    ///
    /// # Panics
    /// If there are fewer.
    fn widen(s: S, from: &[i16]) -> Self;
    /// The nearest integers, ties to even, into the first `LANES` elements. Those that do not fit
    /// may be any number beyond 2^14 in absolute value; none is beyond 2^31.
    ///
    /// # Panics
    /// If there are fewer.
    fn round(self, to: &mut [i16]);
    /// The square root.
    fn sqrt(self) -> Self;
}

/// A complex number of two doubles. A product is that of the schoolbook: four products, and a sum
/// and a difference of two each.
pub trait Complex<S>: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// A double in memory.
    type Cell: Plain + Copy;

    /// Of its parts.
    fn new(s: S, re: Self::Cell, im: Self::Cell) -> Self;
    /// Its parts.
    fn parts(self) -> [Self::Cell; 2];
    /// The product with the conjugate of `b`.
    fn mul_conjugate(self, b: Self) -> Self;
    /// Half of it.
    fn half(self) -> Self;
}

/// A complex number in the machine's doubles.
pub trait NativeComplex<S>: Complex<S, Cell = f64> {
    /// Both parts rounded down.
    fn floor(self) -> Self;
}

/// A vector of `f32`, for decisions with a margin.
pub trait F32s<S>:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// Number of lanes: as many as [`I32`](Self::I32) has.
    const LANES: usize;
    /// Integers of the same width.
    type I32;
    /// Complex numbers of doubles.
    type C64;

    /// `x` in every lane.
    fn splat(s: S, x: f32) -> Self;
    /// The first `LANES` elements.
    ///
    /// # Panics
    /// If there are fewer.
    fn load(s: S, from: &[f32]) -> Self;
    /// Into the first `LANES` elements.
    ///
    /// # Panics
    /// If there are fewer.
    fn store(self, to: &mut [f32]);
    /// The real part in all lanes of one vector, the imaginary part in those of the other.
    fn splat_parts(c: Self::C64) -> (Self, Self);
    /// The integers as numbers.
    fn of(x: Self::I32) -> Self;
    /// The numbers with these bits.
    fn from_bits(bits: Self::I32) -> Self;
    /// The bits of the numbers.
    fn to_bits(self) -> Self::I32;
    /// In bit `i` whether lane `i` is at most that of `b`.
    fn at_most(self, b: Self) -> u32;
}
