//! AVX2: eight lanes of 32 bits. Why the `unsafe` is sound is in `x86.rs`.
use core::arch::x86_64::*;
use core::ops::{Add, BitAnd, BitOr, BitXor, Sub};

use crate::ct::declassify;
use crate::tables::{Unpack32, join};
use crate::vectors::i32::I32s;
use crate::x86::intrinsics::{count, load128, load256, op, operators};
use crate::x86::tokens::Avx2;

/// Eight lanes of 32 bits.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct I32x8(pub(in crate::x86) __m256i);

/// Eight lanes of 64 bits: the even ones and the odd ones.
#[derive(Clone, Copy)]
pub struct I64x8([__m256i; 2]);

operators! {
    I32x8 Add    add    _mm256_add_epi32;
    I32x8 Sub    sub    _mm256_sub_epi32;
    I32x8 BitAnd bitand _mm256_and_si256;
    I32x8 BitOr  bitor  _mm256_or_si256;
    I32x8 BitXor bitxor _mm256_xor_si256;
}

impl Add for I64x8 {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        let (a, b) = (self.0, b.0);
        Self(op!([_mm256_add_epi64(a[0], b[0]), _mm256_add_epi64(a[1], b[1])]))
    }
}

impl Sub for I64x8 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        let (a, b) = (self.0, b.0);
        Self(op!([_mm256_sub_epi64(a[0], b[0]), _mm256_sub_epi64(a[1], b[1])]))
    }
}

/// The odd lanes, in even places.
#[inline(always)]
fn odd(v: __m256i) -> __m256i {
    op!(_mm256_srli_epi64::<32>(v))
}

/// The high halves.
#[inline(always)]
fn high(wide: I64x8) -> I32x8 {
    I32x8(op!(_mm256_blend_epi32::<0xAA>(odd(wide.0[0]), wide.0[1])))
}

/// What Montgomery's reduction subtracts: the low half of `p z_q`, times q.
#[inline(always)]
fn multiple(p: __m256i, z_q: I32x8, q: I32x8) -> __m256i {
    op!(_mm256_mul_epi32(_mm256_mul_epi32(p, z_q.0), q.0))
}

impl I32s<Avx2> for I32x8 {
    const LANES: usize = 8;
    type Wide = I64x8;

    #[inline(always)]
    fn splat(_: Avx2, x: i32) -> Self {
        Self(op!(_mm256_set1_epi32(x)))
    }
    #[inline(always)]
    fn load(_: Avx2, from: &[i32]) -> Self {
        Self(load256(from.first_chunk::<8>().expect("8 elements")))
    }
    #[inline(always)]
    fn store(self, to: &mut [i32]) {
        let to = to.first_chunk_mut::<8>().expect("8 elements");
        op!(_mm256_storeu_si256(to.as_mut_ptr().cast(), self.0));
    }
    #[inline(always)]
    fn widen(_: Avx2, from: &[i8]) -> Self {
        let from = from.first_chunk::<8>().expect("8 elements");
        Self(op!(_mm256_cvtepi8_epi32(_mm_loadl_epi64(from.as_ptr().cast()))))
    }
    #[inline(always)]
    fn narrow(self, to: &mut [i8]) {
        /// The low byte of each lane, to the first four of each half.
        const LOW: [u8; 32] = {
            let mut t = [0x80; 32];
            let mut i = 0;
            while i < 4 {
                (t[i], t[16 + i]) = (4 * i as u8, 4 * i as u8);
                i += 1;
            }
            t
        };
        let to = to.first_chunk_mut::<8>().expect("8 elements");
        op!({
            let v = _mm256_shuffle_epi8(self.0, load256(&LOW));
            let (low, high) = (_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v));
            _mm_storel_epi64(to.as_mut_ptr().cast(), _mm_unpacklo_epi32(low, high));
        });
    }

    #[inline(always)]
    fn mullo(self, b: Self) -> Self {
        Self(op!(_mm256_mullo_epi32(self.0, b.0)))
    }
    #[inline(always)]
    fn mul_wide(self, b: Self) -> I64x8 {
        I64x8(op!([_mm256_mul_epi32(self.0, b.0), _mm256_mul_epi32(odd(self.0), odd(b.0))]))
    }
    #[inline(always)]
    fn montgomery(p: I64x8, q: Self, q_inverse: Self) -> Self {
        high(p - I64x8([multiple(p.0[0], q_inverse, q), multiple(p.0[1], q_inverse, q)]))
    }
    #[inline(always)]
    fn mul_montgomery(self, z: [Self; 4], q: Self) -> Self {
        let odd = odd(self.0);
        let product = I64x8(op!([_mm256_mul_epi32(self.0, z[0].0), _mm256_mul_epi32(odd, z[2].0)]));
        high(product - I64x8([multiple(self.0, z[1], q), multiple(odd, z[3], q)]))
    }
    #[inline(always)]
    fn min_unsigned(self, b: Self) -> Self {
        Self(op!(_mm256_min_epu32(self.0, b.0)))
    }
    #[inline(always)]
    fn sort_pair(self, b: Self) -> (Self, Self) {
        let (a, b) = (self.0, b.0);
        (Self(op!(_mm256_min_epi32(a, b))), Self(op!(_mm256_max_epi32(a, b))))
    }
    #[inline(always)]
    fn negative(self) -> Self {
        Self(op!(_mm256_srai_epi32::<31>(self.0)))
    }
    #[inline(always)]
    fn sra<const N: u32>(self) -> Self {
        Self(op!(_mm256_sra_epi32(self.0, count(N))))
    }
    #[inline(always)]
    fn sll<const N: u32>(self) -> Self {
        Self(op!(_mm256_sll_epi32(self.0, count(N))))
    }

    #[inline(always)]
    fn transpose<const LEN: usize>(self, b: Self) -> (Self, Self) {
        let (a, b) = (self.0, b.0);
        let (low, high) = op!(match LEN {
            4 =>
                (_mm256_permute2x128_si256::<0x20>(a, b), _mm256_permute2x128_si256::<0x31>(a, b),),
            2 => (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b)),
            1 => (
                _mm256_blend_epi32::<0xAA>(a, _mm256_slli_epi64::<32>(b)),
                _mm256_blend_epi32::<0xAA>(_mm256_srli_epi64::<32>(a), b),
            ),
            _ => unreachable!("blocks of 1, 2 or 4 lanes"),
        });
        (Self(low), Self(high))
    }
    #[inline(always)]
    fn unravel(self, b: Self) -> (Self, Self) {
        let (a, b) = self.transpose::<4>(b);
        let (a, b) = a.transpose::<2>(b);
        a.transpose::<1>(b)
    }
    #[inline(always)]
    fn ravel(self, b: Self) -> (Self, Self) {
        let (a, b) = self.transpose::<1>(b);
        let (a, b) = a.transpose::<2>(b);
        a.transpose::<4>(b)
    }

    #[inline(always)]
    fn unpack<const D: usize>(_: Avx2, from: &[u8]) -> Self {
        let from = &from[..D];
        Self(op!({
            let v = if D >= 16 {
                _mm256_set_m128i(load128(&from[Unpack32::<D>::SECOND..]), load128(from))
            } else if D >= 8 {
                let low = _mm_loadl_epi64(from[..8].as_ptr().cast());
                let high = _mm_loadl_epi64(from[Unpack32::<D>::SECOND..][..8].as_ptr().cast());
                _mm256_set_m128i(high, low)
            } else {
                let mut bytes = [0; 8];
                bytes[..D].copy_from_slice(from);
                _mm256_set1_epi64x(i64::from_le_bytes(bytes))
            };
            let v = _mm256_shuffle_epi8(v, load256(&Unpack32::<D>::SPREAD));
            let v = _mm256_srlv_epi32(v, load256(&Unpack32::<D>::SHIFT));
            _mm256_and_si256(v, _mm256_set1_epi32((1 << D) - 1))
        }))
    }
    #[inline(always)]
    fn pack<const D: usize>(self, to: &mut [u8]) {
        let to = &mut to[..D];
        // 2 D bits a qword.
        let v = op!({
            let gap = 32 - D as u32;
            let v = _mm256_sllv_epi32(self.0, _mm256_set1_epi64x(i64::from(gap)));
            _mm256_srl_epi64(v, count(gap))
        });
        // SAFETY: both are 32 bytes without an invalid pattern.
        let words: [u64; 4] = unsafe { core::mem::transmute(v) };
        join::<D>(words, to);
    }
    #[inline(always)]
    fn append_below_vartime(self, bound: i32, to: &mut [i32], n: usize) -> usize {
        let to: &mut [i32; 8] = (&mut to[n..n + 8]).try_into().expect("8 elements");
        op!({
            let good = _mm256_cmpgt_epi32(_mm256_set1_epi32(bound), self.0);
            let good = _mm256_movemask_ps(_mm256_castsi256_ps(good)) as u8;
            let good = declassify(good.into());
            let lanes = _mm_loadl_epi64(COMPRESS[usize::from(good as u8)].as_ptr().cast());
            let v = _mm256_permutevar8x32_epi32(self.0, _mm256_cvtepu8_epi32(lanes));
            _mm256_storeu_si256(to.as_mut_ptr().cast(), v);
            n + good.count_ones() as usize
        })
    }
    #[inline(always)]
    fn signs(self) -> u32 {
        op!(_mm256_movemask_ps(_mm256_castsi256_ps(self.0)) as u32)
    }
}

/// The numbers of the lanes whose bits are set.
static COMPRESS: [[u8; 8]; 256] = {
    let mut t = [[0; 8]; 256];
    let mut good = 0;
    while good < 256 {
        let (mut n, mut bit) = (0, 0);
        while bit < 8 {
            if good >> bit & 1 == 1 {
                t[good][n] = bit as u8;
                n += 1;
            }
            bit += 1;
        }
        good += 1;
    }
    t
};
