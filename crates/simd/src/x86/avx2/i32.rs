//! AVX2: eight lanes of 32 bits. `x86.rs` explains why the `unsafe` is sound.
use core::arch::x86_64::*;

use crate::ct::declassify;
use crate::registers::{lanes, load, store};
use crate::tables::{Unpack32, compress, join};
use crate::vectors::i32::I32s;
use crate::x86::intrinsics::{count, load_half, store_half};
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
    I64x8 [two] Add add _mm256_add_epi64;
    I64x8 [two] Sub sub _mm256_sub_epi64;
}

/// Moves the odd lanes to even positions.
#[inline(always)]
fn odd(v: __m256i) -> __m256i {
    op!(_mm256_srli_epi64::<32>(v))
}

/// Returns the high halves.
#[inline(always)]
fn high(wide: I64x8) -> I32x8 {
    I32x8(op!(_mm256_blend_epi32::<0xAA>(odd(wide.0[0]), wide.0[1])))
}

/// Returns what Montgomery's reduction subtracts: the low half of `p z_q`, times q.
#[inline(always)]
fn multiple(p: __m256i, z_q: I32x8, q: I32x8) -> __m256i {
    op!(_mm256_mul_epi32(_mm256_mul_epi32(p, z_q.0), q.0))
}

impl I32s<Avx2> for I32x8 {
    const LANES: usize = 8;
    type Wide = I64x8;

    inlined! {
        fn splat(_: Avx2, x: i32) -> Self = Self(op!(_mm256_set1_epi32(x)));
        fn load(_: Avx2, from: &[i32]) -> Self = Self(load(from));
        fn store(self, to: &mut [i32]) = store(self.0, to);

        fn widen(_: Avx2, from: &[i8]) -> Self = Self(op!(_mm256_cvtepi8_epi32(load_half(from))));

        fn mullo(self, b: Self) -> Self = Self(op!(_mm256_mullo_epi32(self.0, b.0)));
        fn mul_wide(self, b: Self) -> I64x8 =
            I64x8(op!([_mm256_mul_epi32(self.0, b.0), _mm256_mul_epi32(odd(self.0), odd(b.0))]));
        fn montgomery(p: I64x8, q: Self, q_inverse: Self) -> Self =
            high(p - I64x8([multiple(p.0[0], q_inverse, q), multiple(p.0[1], q_inverse, q)]));
        fn min_unsigned(self, b: Self) -> Self = Self(op!(_mm256_min_epu32(self.0, b.0)));
        fn sort_pair(self, b: Self) -> (Self, Self) =
            op!((Self(_mm256_min_epi32(self.0, b.0)), Self(_mm256_max_epi32(self.0, b.0))));
        fn negative(self) -> Self = Self(op!(_mm256_srai_epi32::<31>(self.0)));
        fn sra<const N: u32>(self) -> Self = Self(op!(_mm256_sra_epi32(self.0, count(N))));
        fn sll<const N: u32>(self) -> Self = Self(op!(_mm256_sll_epi32(self.0, count(N))));
        fn signs(self) -> u32 = op!(_mm256_movemask_ps(_mm256_castsi256_ps(self.0)) as u32);
    }

    #[inline(always)]
    fn narrow(self, to: &mut [i8]) {
        /// Indices that move the low byte of each lane to the first four bytes of each half.
        const LOW: [u8; 32] =
            array!([0; 32]: i => if i % 16 < 4 { i as u8 % 16 * 4 } else { 0x80 });
        let v = op!({
            let v = _mm256_shuffle_epi8(self.0, load(&LOW));
            _mm_unpacklo_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v))
        });
        store_half(v, to);
    }
    #[inline(always)]
    fn mul_montgomery(self, z: [Self; 4], q: Self) -> Self {
        let odd = odd(self.0);
        let product = I64x8(op!([_mm256_mul_epi32(self.0, z[0].0), _mm256_mul_epi32(odd, z[2].0)]));
        high(product - I64x8([multiple(self.0, z[1], q), multiple(odd, z[3], q)]))
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
    fn unpack<const D: usize>(_: Avx2, from: &[u8]) -> Self {
        let from = &from[..D];
        Self(op!({
            let v = if D >= 16 {
                _mm256_set_m128i(load(&from[Unpack32::<D>::SECOND..]), load(from))
            } else if D >= 8 {
                _mm256_set_m128i(load_half(&from[Unpack32::<D>::SECOND..]), load_half(from))
            } else {
                let mut bytes = [0; 8];
                bytes[..D].copy_from_slice(from);
                _mm256_set1_epi64x(i64::from_le_bytes(bytes))
            };
            let v = _mm256_shuffle_epi8(v, load(&Unpack32::<D>::SPREAD));
            let v = _mm256_srlv_epi32(v, load(&Unpack32::<D>::SHIFT));
            _mm256_and_si256(v, _mm256_set1_epi32((1 << D) - 1))
        }))
    }
    #[inline(always)]
    fn pack<const D: usize>(self, to: &mut [u8]) {
        let to = &mut to[..D];
        // Joins 2 D bits per qword.
        let v = op!({
            let gap = 32 - D as u32;
            let v = _mm256_sllv_epi32(self.0, _mm256_set1_epi64x(i64::from(gap)));
            _mm256_srl_epi64(v, count(gap))
        });
        join::<D>(lanes(v), to);
    }
    #[inline(always)]
    fn append_below_vartime(self, bound: i32, to: &mut [i32], n: usize) -> usize {
        let to: &mut [i32; 8] = (&mut to[n..n + 8]).try_into().expect("8 elements");
        op!({
            let good = _mm256_cmpgt_epi32(_mm256_set1_epi32(bound), self.0);
            let good = _mm256_movemask_ps(_mm256_castsi256_ps(good)) as u8;
            let good = declassify(good.into());
            let lanes = load_half(&COMPRESS[usize::from(good as u8)]);
            let v = _mm256_permutevar8x32_epi32(self.0, _mm256_cvtepu8_epi32(lanes));
            _mm256_storeu_si256(to.as_mut_ptr().cast(), v);
            n + good.count_ones() as usize
        })
    }
}

/// For each mask, the numbers of the lanes whose bits are set.
static COMPRESS: [[u8; 8]; 256] = compress(1);
