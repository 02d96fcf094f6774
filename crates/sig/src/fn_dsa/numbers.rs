//! The two arithmetics: the machine's doubles (f64) in vectors, or integers that emulate them. All
//! kernels are generic over these traits, and their results are bit for bit the same.
use core::ops::{Add, Div, Mul, Sub};

use oaklath_simd::ct::Mask;
use oaklath_simd::{Complex, F64s, Plain, Simd};

use super::fpr::{Emulated, Real};
use super::roots::{self, Roots};

/// An arithmetic.
pub(super) trait Arithmetic: Copy + 'static {
    /// A number in memory.
    type Cell: Plain + Copy + Send + Sync + 'static;
    /// A number with operators.
    type Real: Real;
    /// A vector of numbers.
    type Lanes<S: Simd>: F64s<S, Cell = Self::Cell>;
    /// A vector of at most four numbers, for short loops.
    type Few<S: Simd>: F64s<S, Cell = Self::Cell>;
    type Complex<S: Simd>: Complex<S, Cell = Self::Cell>;
    /// The roots of unity.
    const ROOTS: &'static Roots<Self::Cell>;

    fn cell(x: Self::Real) -> Self::Cell;
    fn real(x: Self::Cell) -> Self::Real;

    /// Returns a double as a number of this arithmetic.
    #[inline(always)]
    fn constant(x: f64) -> Self::Cell {
        Self::cell(Self::Real::from_bits(x.to_bits()))
    }
}

/// The machine's doubles.
#[cfg(any(test, not(feature = "falcon-emulated")))]
#[derive(Clone, Copy, Debug)]
pub(super) struct Native;

/// Doubles emulated by integers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Integers;

/// The arithmetic with which this build signs.
#[cfg(not(feature = "falcon-emulated"))]
pub(super) type DefaultArithmetic = Native;
#[cfg(not(feature = "falcon-emulated"))]
pub(super) type DefaultCell = f64;
#[cfg(feature = "falcon-emulated")]
pub(super) type DefaultArithmetic = Integers;
#[cfg(feature = "falcon-emulated")]
pub(super) type DefaultCell = u64;

#[cfg(any(test, not(feature = "falcon-emulated")))]
impl Arithmetic for Native {
    type Cell = f64;
    type Real = f64;
    type Lanes<S: Simd> = S::F64;
    type Few<S: Simd> = S::FewF64;
    type Complex<S: Simd> = S::C64;
    const ROOTS: &'static Roots<f64> = &roots::DOUBLES;

    #[inline(always)]
    fn cell(x: f64) -> f64 {
        x
    }
    #[inline(always)]
    fn real(x: f64) -> f64 {
        x
    }
}

impl Arithmetic for Integers {
    type Cell = u64;
    type Real = Emulated;
    type Lanes<S: Simd> = One;
    type Few<S: Simd> = One;
    type Complex<S: Simd> = Pair;
    const ROOTS: &'static Roots<u64> = &roots::BITS;

    #[inline(always)]
    fn cell(x: Emulated) -> u64 {
        x.to_bits()
    }
    #[inline(always)]
    fn real(x: u64) -> Emulated {
        Emulated::from_bits(x)
    }
}

/// A vector of one emulated number. Its operations are long, and therefore out of line.
#[derive(Clone, Copy)]
pub(super) struct One(Emulated);

/// A complex number, as two emulated numbers.
#[derive(Clone, Copy)]
pub(super) struct Pair(One, One);

macro_rules! operators {
    ($($trait:ident $method:ident;)*) => { $(
        impl $trait for One {
            type Output = Self;
            #[inline(never)]
            fn $method(self, b: Self) -> Self {
                Self(self.0.$method(b.0))
            }
        }
    )* };
}
operators! {
    Add add;
    Sub sub;
    Mul mul;
    Div div;
}

impl Add for Pair {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self(self.0 + b.0, self.1 + b.1)
    }
}

impl Sub for Pair {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self(self.0 - b.0, self.1 - b.1)
    }
}

impl Mul for Pair {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        Self(self.0 * b.0 - self.1 * b.1, self.0 * b.1 + self.1 * b.0)
    }
}

impl<S> F64s<S> for One {
    const LANES: usize = 1;
    type Cell = u64;

    #[inline(always)]
    fn splat(_: S, x: u64) -> Self {
        Self(Emulated::from_bits(x))
    }
    #[inline(always)]
    fn load(_: S, from: &[u64]) -> Self {
        Self(Emulated::from_bits(from[0]))
    }
    #[inline(always)]
    fn store(self, to: &mut [u64]) {
        to[0] = self.0.to_bits();
    }
    #[inline(always)]
    fn widen(_: S, from: &[i16]) -> Self {
        Self(Emulated::of(i64::from(from[0])))
    }
    #[inline(always)]
    fn round(self, to: &mut [i16]) {
        let (x, least, most) = (self.0.rint(), i64::from(i16::MIN), i64::from(i16::MAX));
        let above = Mask::from_bit(most.wrapping_sub(x) as u64 >> 63);
        let below = Mask::from_bit(x.wrapping_sub(least) as u64 >> 63);
        to[0] = below.select(above.select(x as u64, most as u64), least as u64) as i16;
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.sqrt())
    }
}

impl<S> Complex<S> for Pair {
    type Cell = u64;

    #[inline(always)]
    fn new(_: S, re: u64, im: u64) -> Self {
        Self(One(Emulated::from_bits(re)), One(Emulated::from_bits(im)))
    }
    #[inline(always)]
    fn parts(self) -> [u64; 2] {
        [self.0.0.to_bits(), self.1.0.to_bits()]
    }
    #[inline(always)]
    fn mul_conjugate(self, b: Self) -> Self {
        self * Self(b.0, One(-b.1.0))
    }
    #[inline(always)]
    fn half(self) -> Self {
        Self(One(self.0.0.half()), One(self.1.0.half()))
    }
}
