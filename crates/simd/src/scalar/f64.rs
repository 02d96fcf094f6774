//! The portable backend: doubles, complex numbers, `f32`.
#![expect(missing_debug_implementations, reason = "numbers may hold secrets")]

use crate::scalar::i32::I32x8;
use crate::token::Scalar;
use crate::vectors::f64::{Complex, F32s, F64s, NativeComplex};

/// A double.
#[derive(Clone, Copy)]
pub struct F64(f64);

/// A complex number.
#[derive(Clone, Copy)]
pub struct C64([f64; 2]);

/// Eight `f32`.
#[derive(Clone, Copy)]
pub struct F32x8([f32; 8]);

operators! {
    F64   [alone] Add add f64::add;
    F64   [alone] Sub sub f64::sub;
    F64   [alone] Mul mul f64::mul;
    F64   [alone] Div div f64::div;
    C64   [lanes] Add add f64::add;
    C64   [lanes] Sub sub f64::sub;
    C64   [alone] Mul mul complex_product;
    F32x8 [lanes] Add add f32::add;
    F32x8 [lanes] Sub sub f32::sub;
    F32x8 [lanes] Mul mul f32::mul;
    F32x8 [lanes] Div div f32::div;
}

#[inline(always)]
fn complex_product(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}

/// Returns the nearest integer, ties to even, for |x| < 2^51: the sum has no fractional bits.
#[inline(always)]
fn rint(x: f64) -> f64 {
    const SHIFT: f64 = 6_755_399_441_055_744.0;
    (x + SHIFT) - SHIFT
}

#[cfg(feature = "std")]
#[inline(always)]
fn sqrt(x: f64) -> f64 {
    x.sqrt()
}

/// Returns the square root, which `core` lacks. For x = m 4^e with 2^106 <= m < 2^108, the integer
/// root of m has 54 bits, one more than the result; no root is halfway between two results.
#[cfg(any(test, not(feature = "std")))]
fn sqrt_by_integers(x: f64) -> f64 {
    let bits = x.to_bits();
    let exponent = (bits >> 52) as i64 - 1075;
    if exponent <= -1075 {
        return 0.0;
    }
    let mantissa = u128::from(bits & ((1 << 52) - 1) | 1 << 52);
    let odd = exponent & 1;
    let m = mantissa << (54 + odd);
    let root = m.isqrt();
    let sticky = u64::from(root * root != m);
    let scale = f64::from_bits(((((exponent - odd - 54) >> 1) - 1 + 1023) as u64) << 52);
    ((root as u64) << 1 | sticky) as f64 * scale
}

#[cfg(not(feature = "std"))]
use sqrt_by_integers as sqrt;

impl<S> F64s<S> for F64 {
    const LANES: usize = 1;
    type Cell = f64;

    inlined! {
        fn splat(_: S, x: f64) -> Self = Self(x);
        fn load(_: S, from: &[f64]) -> Self = Self(from[0]);
        fn store(self, to: &mut [f64]) = to[0] = self.0;
        fn widen(_: S, from: &[i16]) -> Self = Self(f64::from(from[0]));
        // `as` saturates.
        fn round(self, to: &mut [i16]) = to[0] = rint(self.0) as i16;
        fn sqrt(self) -> Self = Self(sqrt(self.0));
    }
}

impl<S> Complex<S> for C64 {
    type Cell = f64;

    inlined! {
        fn new(_: S, re: f64, im: f64) -> Self = Self([re, im]);
        fn parts(self) -> [f64; 2] = self.0;
        fn mul_conjugate(self, b: Self) -> Self = self * Self([b.0[0], -b.0[1]]);
        fn half(self) -> Self = Self([self.0[0] * 0.5, self.0[1] * 0.5]);
    }
}

impl<S> NativeComplex<S> for C64 {
    #[inline(always)]
    fn floor(self) -> Self {
        #[inline(always)]
        fn floor(x: f64) -> f64 {
            let near = rint(x);
            near - f64::from(u8::from(near > x))
        }
        Self([floor(self.0[0]), floor(self.0[1])])
    }
}

impl F32s<Scalar> for F32x8 {
    const LANES: usize = 8;
    type I32 = I32x8;
    type C64 = C64;

    inlined! {
        fn splat(_: Scalar, x: f32) -> Self = Self([x; 8]);
        fn load(_: Scalar, from: &[f32]) -> Self =
            Self(*from.first_chunk().expect("an element for each lane"));
        fn store(self, to: &mut [f32]) = to[..8].copy_from_slice(&self.0);
        fn splat_parts(c: C64) -> (Self, Self) =
            (Self([c.0[0] as f32; 8]), Self([c.0[1] as f32; 8]));
        fn of(x: I32x8) -> Self = Self(array!([0.0; 8]: i => x.0[i] as f32));
        fn from_bits(bits: I32x8) -> Self =
            Self(array!([0.0; 8]: i => f32::from_bits(bits.0[i] as u32)));
        fn to_bits(self) -> I32x8 = I32x8(array!([0; 8]: i => self.0[i].to_bits() as i32));
        fn at_most(self, b: Self) -> u32 = bits!(8: i => self.0[i] <= b.0[i]);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn square_roots_by_integers() {
        let mut x = 1_u64;
        for _ in 0..crate::tests::times(100_000) {
            x = x.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            let number = f64::from_bits((x >> 2) % (0x7fe << 52) + (1 << 52));
            assert_eq!(super::sqrt_by_integers(number).to_bits(), number.sqrt().to_bits(), "{x:x}");
            let square = (x >> 38) as f64;
            assert_eq!(super::sqrt_by_integers(square * square), square);
        }
        assert_eq!(super::sqrt_by_integers(0.0), 0.0);
    }
}
