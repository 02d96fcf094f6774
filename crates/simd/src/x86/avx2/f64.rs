//! AVX2, and what AVX-512 shares with it: doubles, complex numbers, `f32`. No operation is fused:
//! see `vectors/f64.rs`. `x86.rs` explains why the `unsafe` is sound.
use core::arch::x86_64::*;
use core::ops::Mul;

use super::i32::I32x8;
use crate::registers::{lanes, load, store};
use crate::vectors::f64::{Complex, F32s, F64s, NativeComplex};
use crate::x86::intrinsics::{load_half, store_half};
use crate::x86::tokens::{Avx2, ProvesAvx2};

/// Four doubles.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct F64x4(__m256d);

/// A complex number, the real part in lane 0.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct C64(pub(in crate::x86) __m128d);

/// Eight `f32`.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct F32x8(__m256);

operators! {
    F64x4  Add add _mm256_add_pd;
    F64x4  Sub sub _mm256_sub_pd;
    F64x4  Mul mul _mm256_mul_pd;
    F64x4  Div div _mm256_div_pd;
    C64    Add add _mm_add_pd;
    C64    Sub sub _mm_sub_pd;
    F32x8  Add add _mm256_add_ps;
    F32x8  Sub sub _mm256_sub_ps;
    F32x8  Mul mul _mm256_mul_ps;
    F32x8  Div div _mm256_div_ps;
}

impl<S: ProvesAvx2> F64s<S> for F64x4 {
    const LANES: usize = 4;
    type Cell = f64;

    inlined! {
        fn splat(_: S, x: f64) -> Self = Self(op!(_mm256_set1_pd(x)));
        fn load(_: S, from: &[f64]) -> Self = Self(load(from));
        fn store(self, to: &mut [f64]) = store(self.0, to);
        fn widen(_: S, from: &[i16]) -> Self =
            Self(op!(_mm256_cvtepi32_pd(_mm_cvtepi16_epi32(load_half(from)))));
        fn sqrt(self) -> Self = Self(op!(_mm256_sqrt_pd(self.0)));
    }

    #[inline(always)]
    fn round(self, to: &mut [i16]) {
        let x = op!(_mm256_cvtpd_epi32(self.0));
        store_half(op!(_mm_packs_epi32(x, x)), to);
    }
}

impl Mul for C64 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        let (a, b) = (self.0, b.0);
        Self(op!({
            let (re, im) = (_mm_movedup_pd(b), _mm_permute_pd::<0b11>(b));
            _mm_addsub_pd(_mm_mul_pd(a, re), _mm_mul_pd(_mm_permute_pd::<0b01>(a), im))
        }))
    }
}

impl F32s<Avx2> for F32x8 {
    const LANES: usize = 8;
    type I32 = I32x8;
    type C64 = C64;

    inlined! {
        fn splat(_: Avx2, x: f32) -> Self = Self(op!(_mm256_set1_ps(x)));
        fn load(_: Avx2, from: &[f32]) -> Self = Self(load(from));
        fn store(self, to: &mut [f32]) = store(self.0, to);
        fn of(x: I32x8) -> Self = Self(op!(_mm256_cvtepi32_ps(x.0)));
        fn from_bits(bits: I32x8) -> Self = Self(op!(_mm256_castsi256_ps(bits.0)));
        fn to_bits(self) -> I32x8 = I32x8(op!(_mm256_castps_si256(self.0)));
        fn at_most(self, b: Self) -> u32 =
            op!(_mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(self.0, b.0)) as u32);
    }

    #[inline(always)]
    fn splat_parts(c: C64) -> (Self, Self) {
        let x = op!(_mm_cvtpd_ps(c.0));
        op!((Self(_mm256_broadcastss_ps(x)), Self(_mm256_broadcastss_ps(_mm_movehdup_ps(x)))))
    }
}

impl<S: ProvesAvx2> Complex<S> for C64 {
    type Cell = f64;

    inlined! {
        fn new(_: S, re: f64, im: f64) -> Self = Self(op!(_mm_setr_pd(re, im)));
        fn parts(self) -> [f64; 2] = lanes(self.0);
        fn mul_conjugate(self, b: Self) -> Self =
            self * Self(op!(_mm_xor_pd(b.0, _mm_setr_pd(0.0, -0.0))));
        fn half(self) -> Self = Self(op!(_mm_mul_pd(self.0, _mm_set1_pd(0.5))));
    }
}

impl<S: ProvesAvx2> NativeComplex<S> for C64 {
    inlined! {
        fn floor(self) -> Self = Self(op!(_mm_floor_pd(self.0)));
    }
}
