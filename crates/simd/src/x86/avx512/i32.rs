//! AVX-512: 16 lanes of 32 bits. `x86.rs` explains why the `unsafe` is sound.
use core::arch::x86_64::*;

use crate::ct::declassify;
use crate::registers::{load, store};
use crate::vectors::i32::I32s;
use crate::x86::intrinsics::{count, permute, transposes_32};
use crate::x86::known::compress_32;
use crate::x86::tokens::Avx512;

/// 16 lanes of 32 bits.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct I32x16(pub(in crate::x86) __m512i);

/// 16 lanes of 64 bits: the even ones and the odd ones.
#[derive(Clone, Copy)]
pub struct I64x16([__m512i; 2]);

operators! {
    I32x16 Add    add    _mm512_add_epi32;
    I32x16 Sub    sub    _mm512_sub_epi32;
    I32x16 BitAnd bitand _mm512_and_si512;
    I32x16 BitOr  bitor  _mm512_or_si512;
    I32x16 BitXor bitxor _mm512_xor_si512;
    I64x16 [two] Add add _mm512_add_epi64;
    I64x16 [two] Sub sub _mm512_sub_epi64;
}

/// Moves the odd lanes to even positions.
#[inline(always)]
fn odd(v: __m512i) -> __m512i {
    op!(_mm512_srli_epi64::<32>(v))
}

/// Returns the high halves.
#[inline(always)]
fn high(wide: I64x16) -> I32x16 {
    I32x16(shift_and_blend(wide.0[0], wide.0[1]))
}

/// Returns the odd lanes of `even` in even positions and those of `odd` in odd ones.
#[inline(always)]
fn shift_and_blend(even: __m512i, odd: __m512i) -> __m512i {
    /// Blends with one instruction; from intrinsics LLVM makes two, or a slow permutation.
    #[cfg(not(any(miri, oaklath_sanitize)))]
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn blend(even: __m512i, mut odd: __m512i) -> __m512i {
        // SAFETY: the instruction is part of AVX-512F.
        unsafe {
            core::arch::asm!(
                "vmovshdup {odd}{{{mask}}}, {even}",
                odd = inout(zmm_reg) odd, even = in(zmm_reg) even, mask = in(kreg) 0x5555_u16,
                options(pure, nomem, nostack, preserves_flags));
        }
        odd
    }
    #[cfg(any(miri, oaklath_sanitize))]
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn blend(even: __m512i, odd: __m512i) -> __m512i {
        _mm512_mask_blend_epi32(0xAAAA, _mm512_srli_epi64::<32>(even), odd)
    }
    op!(blend(even, odd))
}

/// Returns what Montgomery's reduction subtracts: the low half of `p q_inverse`, times q.
#[inline(always)]
fn multiple(p: __m512i, q_inverse: I32x16, q: I32x16) -> __m512i {
    op!(_mm512_mul_epi32(_mm512_mul_epi32(p, q_inverse.0), q.0))
}

impl I32s<Avx512> for I32x16 {
    const LANES: usize = 16;
    type Wide = I64x16;

    inlined! {
        fn splat(_: Avx512, x: i32) -> Self = Self(op!(_mm512_set1_epi32(x)));
        fn load(_: Avx512, from: &[i32]) -> Self = Self(load(from));
        fn store(self, to: &mut [i32]) = store(self.0, to);
        fn widen(_: Avx512, from: &[i8]) -> Self = Self(op!(_mm512_cvtepi8_epi32(load(from))));
        fn narrow(self, to: &mut [i8]) = store(op!(_mm512_cvtepi32_epi8(self.0)), to);

        fn mullo(self, b: Self) -> Self = Self(op!(_mm512_mullo_epi32(self.0, b.0)));
        fn mul_wide(self, b: Self) -> I64x16 =
            I64x16(op!([_mm512_mul_epi32(self.0, b.0), _mm512_mul_epi32(odd(self.0), odd(b.0))]));
        fn montgomery(p: I64x16, q: Self, q_inverse: Self) -> Self =
            high(p - I64x16([multiple(p.0[0], q_inverse, q), multiple(p.0[1], q_inverse, q)]));
        fn min_unsigned(self, b: Self) -> Self = Self(op!(_mm512_min_epu32(self.0, b.0)));
        fn sort_pair(self, b: Self) -> (Self, Self) =
            op!((Self(_mm512_min_epi32(self.0, b.0)), Self(_mm512_max_epi32(self.0, b.0))));
        fn negative(self) -> Self = Self(op!(_mm512_srai_epi32::<31>(self.0)));
        fn sra<const N: u32>(self) -> Self = Self(op!(_mm512_srai_epi32::<N>(self.0)));
        fn sll<const N: u32>(self) -> Self = Self(op!(_mm512_slli_epi32::<N>(self.0)));
        fn unravel(self, b: Self) -> (Self, Self) =
            permute!(_mm512_permutex2var_epi32, self, b, UNRAVEL);
        fn ravel(self, b: Self) -> (Self, Self) =
            permute!(_mm512_permutex2var_epi32, self, b, RAVEL);
        fn signs(self) -> u32 = u32::from(op!(_mm512_movepi32_mask(self.0)));
    }

    #[inline(always)]
    fn mul_montgomery(self, z: [Self; 4], q: Self) -> Self {
        let odd = odd(self.0);
        let product =
            I64x16(op!([_mm512_mul_epi32(self.0, z[0].0), _mm512_mul_epi32(odd, z[2].0)]));
        high(product - self.mullo(z[1]).mul_wide(q))
    }

    #[inline(always)]
    fn transpose<const LEN: usize>(self, b: Self) -> (Self, Self) {
        let (a, b) = (self.0, b.0);
        let (low, high) = op!(match LEN {
            8 => (_mm512_shuffle_i64x2::<0x44>(a, b), _mm512_shuffle_i64x2::<0xEE>(a, b)),
            4 => (
                _mm512_mask_shuffle_i64x2::<0xA0>(a, 0b1100_1100, b, b),
                _mm512_mask_shuffle_i64x2::<0xF5>(b, 0b0011_0011, a, a),
            ),
            2 => (_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b)),
            1 => (
                _mm512_mask_blend_epi32(0xAAAA, a, _mm512_slli_epi64::<32>(b)),
                shift_and_blend(a, b),
            ),
            _ => unreachable!("blocks of 1, 2, 4 or 8 lanes"),
        });
        (Self(low), Self(high))
    }

    #[inline(always)]
    fn unpack<const D: usize>(_: Avx512, from: &[u8]) -> Self {
        let from = &from[..2 * D];
        Self(op!({
            let v = _mm512_maskz_loadu_epi8((1 << (2 * D)) - 1, from.as_ptr().cast());
            let v = _mm512_permutexvar_epi8(load(&Unpack::<D>::SPREAD), v);
            let v = _mm512_srlv_epi32(v, load(&Unpack::<D>::SHIFT));
            _mm512_and_si512(v, _mm512_set1_epi32((1 << D) - 1))
        }))
    }
    #[inline(always)]
    fn pack<const D: usize>(self, to: &mut [u8]) {
        let to = &mut to[..2 * D];
        op!({
            // Joins 2 D bits per qword.
            let gap = 32 - D as u32;
            let v = _mm512_sllv_epi32(self.0, _mm512_set1_epi64(i64::from(gap)));
            let v = _mm512_srl_epi64(v, count(gap));
            let v = if D > 16 {
                Pack::<D, 2>::join(v)
            } else {
                // Joins 4 D bits in each of the first four qwords.
                let second = _mm512_sll_epi64(_mm512_bsrli_epi128::<8>(v), count(2 * D as u32));
                let v = _mm512_or_si512(v, second);
                let even = [0_i64, 2, 4, 6, 0, 0, 0, 0];
                Pack::<D, 4>::join(_mm512_permutexvar_epi64(load(&even), v))
            };
            _mm512_mask_storeu_epi8(to.as_mut_ptr().cast(), (1 << (2 * D)) - 1, v);
        });
    }
    #[inline(always)]
    fn append_below_vartime(self, bound: i32, to: &mut [i32], n: usize) -> usize {
        let good = op!(_mm512_cmplt_epu32_mask(self.0, _mm512_set1_epi32(bound)));
        let good = declassify(good.into()) as u16;
        // Compressing straight to memory is 12 to 20 times slower on Zen 4.
        Self(op!(compress_32(good, self.0))).store(&mut to[n..]);
        n + good.count_ones() as usize
    }
}

/// Indices of the transposes from 8 down to 1, and of those back up.
static UNRAVEL: [[i32; 16]; 2] = transposes_32([8, 4, 2, 1]);
static RAVEL: [[i32; 16]; 2] = transposes_32([1, 2, 4, 8]);

struct Unpack<const D: usize>;

impl<const D: usize> Unpack<D> {
    /// The indices of four bytes for each field; bytes beyond the last belong to no field.
    const SPREAD: [u8; 64] = {
        let mut t = [0; 64];
        each!(i in 0..64 => {
            let byte = i / 4 * D / 8 + i % 4;
            t[i] = (if byte < 2 * D { byte } else { 0 }) as u8;
        });
        t
    };
    /// The first bit of each field in its four bytes.
    const SHIFT: [u32; 16] = {
        let mut t = [0; 16];
        each!(i in 0..16 => {
            t[i] = (i * D % 8) as u32;
            assert!(t[i] as usize + D <= 32, "the field is within four bytes");
        });
        t
    };
}

/// Joins qwords of `D * PER` bits each, a multiple of four. Where these do not fill whole bytes,
/// every second qword begins in the middle of a byte.
pub(in crate::x86) struct Pack<const D: usize, const PER: usize>;

impl<const D: usize, const PER: usize> Pack<D, PER> {
    const BITS: usize = D * PER;
    /// The byte indices of every qword, or of the first of each pair.
    const EVEN: [u8; 64] = Self::table(false);
    /// The byte indices of the second qword of each pair, which was shifted by four bits.
    const ODD: [u8; 64] = Self::table(true);
    /// The bytes of the result that come from [`EVEN`](Self::EVEN).
    const IN_EVEN: u64 = Self::mask(false);
    /// The bytes of the result that come from [`ODD`](Self::ODD). One byte of each pair is in both.
    const IN_ODD: u64 = Self::mask(true);

    /// Joins the qwords, the first in the low bits.
    #[inline(always)]
    pub(in crate::x86) fn join(v: __m512i) -> __m512i {
        op!({
            let even = _mm512_permutexvar_epi8(load(&Self::EVEN), v);
            if Self::BITS.is_multiple_of(8) {
                even
            } else {
                let shifted = _mm512_sllv_epi64(v, _mm512_setr_epi64(0, 4, 0, 4, 0, 4, 0, 4));
                let odd = _mm512_permutexvar_epi8(load(&Self::ODD), shifted);
                _mm512_or_si512(
                    _mm512_maskz_mov_epi8(Self::IN_EVEN, even),
                    _mm512_maskz_mov_epi8(Self::IN_ODD, odd),
                )
            }
        })
    }

    const fn table(odd: bool) -> [u8; 64] {
        // The number of bytes of one qword (rounded down), and of two.
        let (one, two) = (Self::BITS / 8, Self::BITS / 4);
        let mut t = [0; 64];
        each!(i in 0..64 => {
            let byte = if Self::BITS.is_multiple_of(8) {
                i / one * 8 + i % one
            } else if odd {
                // Bytes before the middle are masked away.
                i / two * 16 + 8 + (i % two + two - one) % two
            } else {
                i / two * 16 + i % two
            };
            t[i] = if byte < 64 { byte as u8 } else { 0 };
        });
        t
    }

    const fn mask(odd: bool) -> u64 {
        let (one, two) = (Self::BITS / 8, Self::BITS / 4);
        let mut mask = 0;
        each!(i in 0..64 => {
            if (odd && i % two >= one) || (!odd && i % two <= one) {
                mask |= 1 << i;
            }
        });
        mask
    }
}
