//! NEON: doubles, complex numbers, singles. No fused operation: see `vectors/f64.rs`. Why the
//! `unsafe` is sound is in `arm.rs`.
use core::arch::aarch64::*;
use core::ops::{Add, Div, Mul, Sub};

use super::i32::I32x8;
use crate::arm::intrinsics::{op, operators, operators_of_two};
use crate::arm::tokens::Neon;
use crate::vectors::f64::{Complex, F32s, F64s, NativeComplex};

/// Four doubles.
#[derive(Clone, Copy)]
pub struct F64x4([float64x2_t; 2]);

/// A complex number, the real part in lane 0.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct C64(float64x2_t);

/// Eight singles.
#[derive(Clone, Copy)]
pub struct F32x8([float32x4_t; 2]);

operators_of_two! {
    F64x4 Add add vaddq_f64;
    F64x4 Sub sub vsubq_f64;
    F64x4 Mul mul vmulq_f64;
    F64x4 Div div vdivq_f64;
    F32x8 Add add vaddq_f32;
    F32x8 Sub sub vsubq_f32;
    F32x8 Mul mul vmulq_f32;
    F32x8 Div div vdivq_f32;
}

operators! {
    C64 Add add vaddq_f64;
    C64 Sub sub vsubq_f64;
}

impl F64s<Neon> for F64x4 {
    const LANES: usize = 4;
    type Cell = f64;

    #[inline(always)]
    fn splat(_: Neon, x: f64) -> Self {
        Self([op!(vdupq_n_f64(x)); 2])
    }
    #[inline(always)]
    fn load(_: Neon, from: &[f64]) -> Self {
        let from = from.first_chunk::<4>().expect("4 elements");
        Self(op!([vld1q_f64(from.as_ptr()), vld1q_f64(from.as_ptr().add(2))]))
    }
    #[inline(always)]
    fn store(self, to: &mut [f64]) {
        let to = to.first_chunk_mut::<4>().expect("4 elements");
        op!({
            vst1q_f64(to.as_mut_ptr(), self.0[0]);
            vst1q_f64(to.as_mut_ptr().add(2), self.0[1]);
        });
    }
    #[inline(always)]
    fn widen(_: Neon, from: &[i16]) -> Self {
        let from = from.first_chunk::<4>().expect("4 elements");
        Self(op!({
            let x = vmovl_s16(vld1_s16(from.as_ptr()));
            [vcvtq_f64_s64(vmovl_s32(vget_low_s32(x))), vcvtq_f64_s64(vmovl_high_s32(x))]
        }))
    }
    #[inline(always)]
    fn round(self, to: &mut [i16]) {
        let to = to.first_chunk_mut::<4>().expect("4 elements");
        op!({
            // Each step saturates.
            let (low, high) = (vcvtnq_s64_f64(self.0[0]), vcvtnq_s64_f64(self.0[1]));
            let x = vqmovn_high_s64(vqmovn_s64(low), high);
            vst1_s16(to.as_mut_ptr(), vqmovn_s32(x));
        });
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(op!([vsqrtq_f64(self.0[0]), vsqrtq_f64(self.0[1])]))
    }
}

/// The number with the sign of its lanes changed where these bits are set.
#[inline(always)]
fn flip(x: float64x2_t, signs: [u64; 2]) -> float64x2_t {
    op!(vreinterpretq_f64_u64(veorq_u64(vreinterpretq_u64_f64(x), vld1q_u64(signs.as_ptr()))))
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
            // To add what is negated is to subtract.
            vaddq_f64(re, flip(im, [SIGN, 0]))
        }))
    }
}

impl Complex<Neon> for C64 {
    type Cell = f64;

    #[inline(always)]
    fn new(_: Neon, re: f64, im: f64) -> Self {
        Self(op!(vld1q_f64([re, im].as_ptr())))
    }
    #[inline(always)]
    fn parts(self) -> [f64; 2] {
        op!([vgetq_lane_f64::<0>(self.0), vgetq_lane_f64::<1>(self.0)])
    }
    #[inline(always)]
    fn mul_conjugate(self, b: Self) -> Self {
        self * Self(flip(b.0, [0, SIGN]))
    }
    #[inline(always)]
    fn half(self) -> Self {
        Self(op!(vmulq_n_f64(self.0, 0.5)))
    }
}

impl NativeComplex<Neon> for C64 {
    #[inline(always)]
    fn floor(self) -> Self {
        Self(op!(vrndmq_f64(self.0)))
    }
}

impl F32s<Neon> for F32x8 {
    const LANES: usize = 8;
    type I32 = I32x8;
    type C64 = C64;

    #[inline(always)]
    fn splat(_: Neon, x: f32) -> Self {
        Self([op!(vdupq_n_f32(x)); 2])
    }
    #[inline(always)]
    fn load(_: Neon, from: &[f32]) -> Self {
        let from = from.first_chunk::<8>().expect("8 elements");
        Self(op!([vld1q_f32(from.as_ptr()), vld1q_f32(from.as_ptr().add(4))]))
    }
    #[inline(always)]
    fn store(self, to: &mut [f32]) {
        let to = to.first_chunk_mut::<8>().expect("8 elements");
        op!({
            vst1q_f32(to.as_mut_ptr(), self.0[0]);
            vst1q_f32(to.as_mut_ptr().add(4), self.0[1]);
        });
    }
    #[inline(always)]
    fn splat_parts(c: C64) -> (Self, Self) {
        op!({
            let x = vcvt_f32_f64(c.0);
            (Self([vdupq_lane_f32::<0>(x); 2]), Self([vdupq_lane_f32::<1>(x); 2]))
        })
    }
    #[inline(always)]
    fn of(x: I32x8) -> Self {
        Self(op!([vcvtq_f32_s32(x.0[0]), vcvtq_f32_s32(x.0[1])]))
    }
    #[inline(always)]
    fn from_bits(bits: I32x8) -> Self {
        Self(op!([vreinterpretq_f32_s32(bits.0[0]), vreinterpretq_f32_s32(bits.0[1])]))
    }
    #[inline(always)]
    fn to_bits(self) -> I32x8 {
        I32x8(op!([vreinterpretq_s32_f32(self.0[0]), vreinterpretq_s32_f32(self.0[1])]))
    }
    #[inline(always)]
    fn at_most(self, b: Self) -> u32 {
        const BITS: [u32; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
        op!({
            let low = vandq_u32(vcleq_f32(self.0[0], b.0[0]), vld1q_u32(BITS.as_ptr()));
            let high = vandq_u32(vcleq_f32(self.0[1], b.0[1]), vld1q_u32(BITS.as_ptr().add(4)));
            vaddvq_u32(vorrq_u32(low, high))
        })
    }
}
