//! AVX-512: 32 lanes of 16 bits.
use core::arch::x86_64::*;

use super::i32::{I32x16, Pack};
use crate::ct::declassify;
use crate::registers::{load, store};
use crate::vectors::i16::I16s;
use crate::x86::intrinsics::{count, permute, store_bytes, transposes_16};
use crate::x86::known::compress_16;
use crate::x86::tokens::Avx512;

/// 32 lanes of 16 bits.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct I16x32(__m512i);

operators! {
    I16x32 Add    add    _mm512_add_epi16;
    I16x32 Sub    sub    _mm512_sub_epi16;
    I16x32 BitAnd bitand _mm512_and_si512;
    I16x32 BitOr  bitor  _mm512_or_si512;
}

impl I16s<Avx512> for I16x32 {
    const LANES: usize = 32;
    type Wide = I32x16;

    inlined! {
        fn splat(_: Avx512, x: i16) -> Self = Self(op!(_mm512_set1_epi16(x)));
        fn load(_: Avx512, from: &[i16]) -> Self = Self(load(from));
        fn store(self, to: &mut [i16]) = store(self.0, to);

        fn mullo(self, b: Self) -> Self = Self(op!(_mm512_mullo_epi16(self.0, b.0)));
        fn mulhi(self, b: Self) -> Self = Self(op!(_mm512_mulhi_epi16(self.0, b.0)));
        fn mulhrs(self, b: Self) -> Self = Self(op!(_mm512_mulhrs_epi16(self.0, b.0)));
        fn min_unsigned(self, b: Self) -> Self = Self(op!(_mm512_min_epu16(self.0, b.0)));
        fn sra<const N: u32>(self) -> Self = Self(op!(_mm512_srai_epi16::<N>(self.0)));
        fn srl<const N: u32>(self) -> Self = Self(op!(_mm512_srli_epi16::<N>(self.0)));
        fn sll<const N: u32>(self) -> Self = Self(op!(_mm512_slli_epi16::<N>(self.0)));
        fn unravel(self, b: Self) -> (Self, Self) =
            permute!(_mm512_permutex2var_epi16, self, b, UNRAVEL);
        fn ravel(self, b: Self) -> (Self, Self) =
            permute!(_mm512_permutex2var_epi16, self, b, RAVEL);
        fn swap_pairs(self) -> Self = Self(op!(_mm512_rol_epi32::<16>(self.0)));
        fn with_odd(self, odd: Self) -> Self =
            Self(op!(_mm512_mask_blend_epi16(0xAAAA_AAAA, self.0, odd.0)));

        fn dot_pairs(self, b: Self) -> I32x16 = I32x16(op!(_mm512_madd_epi16(self.0, b.0)));
        fn halves(wide: I32x16) -> Self = Self(wide.0);
        fn high_halves(even: I32x16, odd: I32x16) -> Self =
            Self(op!(_mm512_mask_blend_epi16(0xAAAA_AAAA, _mm512_srli_epi32::<16>(even.0), odd.0)));
        fn lookup(self, table: &[i16; 16]) -> Self =
            Self(op!(_mm512_permutexvar_epi16(self.0, _mm512_broadcast_i64x4(load(table)))));
        fn signs(self) -> u32 = op!(_mm512_movepi16_mask(self.0));
        fn from_bits(_: Avx512, bits: u32, x: i16) -> Self =
            Self(op!(_mm512_maskz_set1_epi16(bits, x)));
    }

    #[inline(always)]
    fn load_up_to(_: Avx512, from: &[i16]) -> Self {
        let len = from.len().min(32) as u32;
        let mask = u32::MAX.checked_shr(32 - len).unwrap_or(0);
        Self(op!(_mm512_maskz_loadu_epi16(mask, from.as_ptr())))
    }

    #[inline(always)]
    fn transpose<const LEN: usize>(self, b: Self) -> (Self, Self) {
        let (a, b) = (self.0, b.0);
        let (low, high) = op!(match LEN {
            16 => (_mm512_shuffle_i64x2::<0x44>(a, b), _mm512_shuffle_i64x2::<0xEE>(a, b)),
            8 => (
                _mm512_mask_shuffle_i64x2::<0xA0>(a, 0b1100_1100, b, b),
                _mm512_mask_shuffle_i64x2::<0xF5>(b, 0b0011_0011, a, a),
            ),
            4 => (_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b)),
            // A masked shuffle_epi32 would become vpermt2d, with five times the latency.
            2 => (
                _mm512_mask_blend_epi32(0xAAAA, a, _mm512_slli_epi64::<32>(b)),
                _mm512_mask_blend_epi32(0xAAAA, _mm512_srli_epi64::<32>(a), b),
            ),
            1 => (
                _mm512_mask_blend_epi16(0xAAAA_AAAA, a, _mm512_slli_epi32::<16>(b)),
                _mm512_mask_blend_epi16(0xAAAA_AAAA, _mm512_srli_epi32::<16>(a), b),
            ),
            _ => unreachable!("blocks of 1, 2, 4, 8 or 16 lanes"),
        });
        (Self(low), Self(high))
    }
    #[inline(always)]
    fn unpack<const D: usize>(_: Avx512, from: &[u8]) -> Self {
        let from = &from[..4 * D];
        Self(op!({
            let v = _mm512_maskz_loadu_epi8((1 << (4 * D)) - 1, from.as_ptr().cast());
            let v = _mm512_permutexvar_epi8(load(&Unpack::<D>::SPREAD), v);
            let v = _mm512_multishift_epi64_epi8(load(&Unpack::<D>::SHIFT), v);
            _mm512_and_si512(v, _mm512_set1_epi16((1 << D) - 1))
        }))
    }
    #[inline(always)]
    fn pack<const D: usize>(self, to: &mut [u8]) {
        let to = &mut to[..4 * D];
        let v = op!({
            // Joins 2 D bits per dword, then 4 D bits per qword.
            let v = _mm512_madd_epi16(self.0, _mm512_set1_epi32((1 << (16 + D)) | 1));
            let gap = 32 - 2 * D as u32;
            let v = _mm512_sllv_epi32(v, _mm512_set1_epi64(i64::from(gap)));
            Pack::<D, 4>::join(_mm512_srl_epi64(v, count(gap)))
        });
        let (low, third) = op!((_mm512_castsi512_si256(v), _mm512_extracti32x4_epi32::<2>(v)));
        match D {
            12 => store_32_and::<16>(low, third, to),
            11 => store_32_and::<12>(low, third, to),
            10 => store_32_and::<8>(low, third, to),
            5 => {
                store_bytes::<16>(op!(_mm256_castsi256_si128(low)), to);
                store_bytes::<4>(op!(_mm256_extracti128_si256::<1>(low)), &mut to[16..]);
            }
            _ => {
                const { assert!(D == 4 || D == 5 || D == 10 || D == 11 || D == 12) };
                store_bytes::<16>(op!(_mm256_castsi256_si128(low)), to);
            }
        }
    }
    #[inline(always)]
    fn append_below_vartime(self, bound: i16, to: &mut [i16], n: usize) -> usize {
        let good = op!(_mm512_cmplt_epu16_mask(self.0, _mm512_set1_epi16(bound)));
        let good = declassify(good.into()) as u32;
        // Compressing straight to memory is 12 to 20 times slower on Zen 4.
        Self(op!(compress_16(good, self.0))).store(&mut to[n..]);
        n + good.count_ones() as usize
    }
    #[inline(always)]
    fn pick_bits(self, from: &[u64; 16]) -> u32 {
        let [low, high] = from.as_chunks::<8>().0 else { unreachable!("16 words") };
        op!({
            // The 16-bit word that holds each bit, then the bit within it.
            let word = _mm512_srli_epi16::<4>(self.0);
            let word = _mm512_permutex2var_epi16(load(low), word, load(high));
            let bit = _mm512_and_si512(self.0, _mm512_set1_epi16(15));
            _mm512_test_epi16_mask(_mm512_srlv_epi16(word, bit), _mm512_set1_epi16(1))
        })
    }
}

/// Stores 32 bytes and the first `N` of 16 more.
#[inline(always)]
fn store_32_and<const N: usize>(low: __m256i, third: __m128i, to: &mut [u8]) {
    store(low, to);
    store_bytes::<N>(third, &mut to[32..]);
}

/// Indices of the transposes from 16 down to 2, and of those back up.
static UNRAVEL: [[i16; 32]; 2] = transposes_16([16, 8, 4, 2]);
static RAVEL: [[i16; 32]; 2] = transposes_16([2, 4, 8, 16]);

/// Tables for four fields per qword: `4 D` bits that begin at a byte or in the middle of one.
struct Unpack<const D: usize>;

impl<const D: usize> Unpack<D> {
    /// The byte indices of each qword.
    const SPREAD: [u8; 64] = {
        let mut t = [0; 64];
        each!(i in 0..64 => {
            let (first, last) = (4 * D * (i / 8) / 8, (4 * D * (i / 8 + 1) - 1) / 8);
            t[i] = (if first + i % 8 < last { first + i % 8 } else { last }) as u8;
        });
        t
    };
    /// The first bit of each byte of the result.
    const SHIFT: [u8; 64] =
        array!([0; 64]: i => (4 * D * (i / 8) % 8 + i % 8 / 2 * D + i % 2 * 8) as u8);
}
