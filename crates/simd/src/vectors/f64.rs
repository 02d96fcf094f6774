//! The vocabulary of Falcon: `f64` in lanes, complex numbers, and `f32` for comparisons.
//!
//! Every operation on doubles rounds once, to nearest, ties to even (IEEE 754). None is fused: the
//! signatures of Falcon's reference depend on every rounding.
use core::ops::{Add, Div, Mul, Sub};

use crate::memory::Plain;

/// A vector of doubles, which a `Cell` each represents in memory.
pub trait F64s<S>:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// Number of lanes: 1, 4 or 8. Lane 0 comes first in memory.
    const LANES: usize;
    /// A double in memory.
    type Cell: Plain + Copy;

    /// Returns a vector with `x` in every lane.
    fn splat(s: S, x: Self::Cell) -> Self;
    /// Loads the first `LANES` elements.
    ///
    /// # Panics
    /// If there are fewer elements.
    fn load(s: S, from: &[Self::Cell]) -> Self;
    /// Stores the lanes to the first `LANES` elements.
    ///
    /// # Panics
    /// If there are fewer elements.
    fn store(self, to: &mut [Self::Cell]);
    /// Converts the first `LANES` integers.
    ///
    /// # Panics
    /// If there are fewer integers.
    fn widen(s: S, from: &[i16]) -> Self;
    /// Stores the nearest integers, ties to even, to the first `LANES` elements. One that does not
    /// fit becomes some integer of magnitude 2^14 or more. Lanes are below 2^31 in magnitude.
    ///
    /// # Panics
    /// If there are fewer elements.
    fn round(self, to: &mut [i16]);
    /// Returns the square roots.
    fn sqrt(self) -> Self;
}

/// A complex number of two doubles. Multiplication is the schoolbook method: four products, the
/// difference of two of them and the sum of the others.
pub trait Complex<S>: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// A double in memory.
    type Cell: Plain + Copy;

    /// Makes a number from its parts.
    fn new(s: S, re: Self::Cell, im: Self::Cell) -> Self;
    /// Returns the real and the imaginary part.
    fn parts(self) -> [Self::Cell; 2];
    /// Returns the product with the conjugate of `b`.
    fn mul_conjugate(self, b: Self) -> Self;
    /// Returns half the number.
    fn half(self) -> Self;
}

/// A complex number of native doubles.
pub trait NativeComplex<S>: Complex<S, Cell = f64> {
    /// Rounds both parts down.
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

    /// Returns a vector with `x` in every lane.
    fn splat(s: S, x: f32) -> Self;
    /// Loads the first `LANES` elements.
    ///
    /// # Panics
    /// If there are fewer elements.
    fn load(s: S, from: &[f32]) -> Self;
    /// Stores the lanes to the first `LANES` elements.
    ///
    /// # Panics
    /// If there are fewer elements.
    fn store(self, to: &mut [f32]);
    /// Returns the real part in all lanes of one vector, the imaginary part in those of another.
    fn splat_parts(c: Self::C64) -> (Self, Self);
    /// Converts integers to `f32`.
    fn of(x: Self::I32) -> Self;
    /// Returns the numbers with these bits.
    fn from_bits(bits: Self::I32) -> Self;
    /// Returns the bits of the numbers.
    fn to_bits(self) -> Self::I32;
    /// Returns in bit `i` whether lane `i` is at most lane `i` of `b`.
    fn at_most(self, b: Self) -> u32;
}
