//! NEON: doubles, complex numbers, `f32`. No operation is fused: see `vectors/f64.rs`. `arm.rs`
//! explains why the `unsafe` is sound.
use core::arch::aarch64::*;
use core::ops::Mul;

use super::i32::I32x8;
use crate::arm::intrinsics::halves;
use crate::arm::tokens::Neon;
use crate::registers::{lanes, load, store};
use crate::vectors::f64::{Complex, F32s, F64s, NativeComplex};

/// Four doubles.
#[derive(Clone, Copy)]
pub struct F64x4([float64x2_t; 2]);

/// A complex number, the real part in lane 0.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct C64(float64x2_t);

/// Eight `f32`.
#[derive(Clone, Copy)]
pub struct F32x8([float32x4_t; 2]);

operators! {
    F64x4 [two] Add add vaddq_f64;
    F64x4 [two] Sub sub vsubq_f64;
    F64x4 [two] Mul mul vmulq_f64;
    F64x4 [two] Div div vdivq_f64;
    F32x8 [two] Add add vaddq_f32;
    F32x8 [two] Sub sub vsubq_f32;
    F32x8 [two] Mul mul vmulq_f32;
    F32x8 [two] Div div vdivq_f32;
    C64 Add add vaddq_f64;
    C64 Sub sub vsubq_f64;
}

impl F64s<Neon> for F64x4 {
    const LANES: usize = 4;
    type Cell = f64;

    inlined! {
        fn splat(_: Neon, x: f64) -> Self = Self([op!(vdupq_n_f64(x)); 2]);
        fn load(_: Neon, from: &[f64]) -> Self = Self(load(from));
        fn store(self, to: &mut [f64]) = store(self.0, to);
        fn sqrt(self) -> Self = Self(halves!(I => vsqrtq_f64(self.0[I])));
    }

    #[inline(always)]
    fn widen(_: Neon, from: &[i16]) -> Self {
        Self(op!({
            let x = vmovl_s16(load(from));
            [vcvtq_f64_s64(vmovl_s32(vget_low_s32(x))), vcvtq_f64_s64(vmovl_high_s32(x))]
        }))
    }
    #[inline(always)]
    fn round(self, to: &mut [i16]) {
        // Each step saturates.
        let [low, high] = halves!(I => vcvtnq_s64_f64(self.0[I]));
        store(op!(vqmovn_s32(vqmovn_high_s64(vqmovn_s64(low), high))), to);
    }
}

/// Flips the bits `signs` in the lanes of `x`.
#[inline(always)]
fn flip(x: float64x2_t, signs: [u64; 2]) -> float64x2_t {
    op!(vreinterpretq_f64_u64(veorq_u64(vreinterpretq_u64_f64(x), load(&signs))))
}

const SIGN: u64 = 1 << 63;

impl Mul for C64 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        let (a, b) = (self.0, b.0);
        Self(op!({
            let swapped = vextq_f64::<1>(a, a);
            let (re, im) = (vmulq_laneq_f64::<0>(a, b), vmulq_laneq_f64::<1>(swapped, b));
            // Adding the negated number subtracts it.
            vaddq_f64(re, flip(im, [SIGN, 0]))
        }))
    }
}

impl Complex<Neon> for C64 {
    type Cell = f64;

    inlined! {
        fn new(_: Neon, re: f64, im: f64) -> Self = Self(load(&[re, im]));
        fn parts(self) -> [f64; 2] = lanes(self.0);
        fn mul_conjugate(self, b: Self) -> Self = self * Self(flip(b.0, [0, SIGN]));
        fn half(self) -> Self = Self(op!(vmulq_n_f64(self.0, 0.5)));
    }
}

impl NativeComplex<Neon> for C64 {
    inlined! {
        fn floor(self) -> Self = Self(op!(vrndmq_f64(self.0)));
    }
}

impl F32s<Neon> for F32x8 {
    const LANES: usize = 8;
    type I32 = I32x8;
    type C64 = C64;

    inlined! {
        fn splat(_: Neon, x: f32) -> Self = Self([op!(vdupq_n_f32(x)); 2]);
        fn load(_: Neon, from: &[f32]) -> Self = Self(load(from));
        fn store(self, to: &mut [f32]) = store(self.0, to);
        fn splat_parts(c: C64) -> (Self, Self) = op!({
            let x = vcvt_f32_f64(c.0);
            (Self([vdupq_lane_f32::<0>(x); 2]), Self([vdupq_lane_f32::<1>(x); 2]))
        });
        fn of(x: I32x8) -> Self = Self(halves!(I => vcvtq_f32_s32(x.0[I])));
        fn from_bits(bits: I32x8) -> Self =
            Self(halves!(I => vreinterpretq_f32_s32(bits.0[I])));
        fn to_bits(self) -> I32x8 =
            I32x8(halves!(I => vreinterpretq_s32_f32(self.0[I])));
    }

    #[inline(always)]
    fn at_most(self, b: Self) -> u32 {
        let bits: [_; 2] = load(&[1_u32, 2, 4, 8, 16, 32, 64, 128]);
        let [low, high] = halves!(I => vandq_u32(vcleq_f32(self.0[I], b.0[I]), bits[I]));
        op!(vaddvq_u32(vorrq_u32(low, high)))
    }
}
