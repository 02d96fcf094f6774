//! AVX-512: `f64` and `f32`. No operation is fused: see `vectors/f64.rs`. `x86.rs` explains why the
//! `unsafe` is sound.
use core::arch::x86_64::*;

use super::i32::I32x16;
use crate::registers::{load, store};
use crate::vectors::f64::{F32s, F64s};
use crate::x86::avx2::f64::C64;
use crate::x86::known::{compare_f32, rounded_32, saturated_16};
use crate::x86::tokens::Avx512;

/// Eight doubles.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct F64x8(__m512d);

/// 16 `f32`.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct F32x16(__m512);

operators! {
    F64x8  Add add _mm512_add_pd;
    F64x8  Sub sub _mm512_sub_pd;
    F64x8  Mul mul _mm512_mul_pd;
    F64x8  Div div _mm512_div_pd;
    F32x16 Add add _mm512_add_ps;
    F32x16 Sub sub _mm512_sub_ps;
    F32x16 Mul mul _mm512_mul_ps;
    F32x16 Div div _mm512_div_ps;
}

impl F64s<Avx512> for F64x8 {
    const LANES: usize = 8;
    type Cell = f64;

    inlined! {
        fn splat(_: Avx512, x: f64) -> Self = Self(op!(_mm512_set1_pd(x)));
        fn load(_: Avx512, from: &[f64]) -> Self = Self(load(from));
        fn store(self, to: &mut [f64]) = store(self.0, to);
        fn widen(_: Avx512, from: &[i16]) -> Self =
            Self(op!(_mm512_cvtepi32_pd(_mm256_cvtepi16_epi32(load(from)))));
        fn round(self, to: &mut [i16]) = store(op!(saturated_16(rounded_32(self.0))), to);
        fn sqrt(self) -> Self = Self(op!(_mm512_sqrt_pd(self.0)));
    }
}

impl F32s<Avx512> for F32x16 {
    const LANES: usize = 16;
    type I32 = I32x16;
    type C64 = C64;

    inlined! {
        fn splat(_: Avx512, x: f32) -> Self = Self(op!(_mm512_set1_ps(x)));
        fn load(_: Avx512, from: &[f32]) -> Self = Self(load(from));
        fn store(self, to: &mut [f32]) = store(self.0, to);
        fn of(x: I32x16) -> Self = Self(op!(_mm512_cvtepi32_ps(x.0)));
        fn from_bits(bits: I32x16) -> Self = Self(op!(_mm512_castsi512_ps(bits.0)));
        fn to_bits(self) -> I32x16 = I32x16(op!(_mm512_castps_si512(self.0)));
        fn at_most(self, b: Self) -> u32 = u32::from(op!(compare_f32::<_CMP_LE_OQ>(self.0, b.0)));
    }

    #[inline(always)]
    fn splat_parts(c: C64) -> (Self, Self) {
        let x = op!(_mm_cvtpd_ps(c.0));
        op!((Self(_mm512_broadcastss_ps(x)), Self(_mm512_broadcastss_ps(_mm_movehdup_ps(x)))))
    }
}
