//! NEON: eight lanes of 32 bits, two registers. `arm.rs` explains why the `unsafe` is sound.
use core::arch::aarch64::*;

use crate::arm::intrinsics::{first8, halves};
use crate::arm::tokens::Neon;
use crate::ct::declassify;
use crate::registers::{lanes, load, store};
use crate::tables::{Unpack32, compress, join};
use crate::vectors::i32::I32s;

/// Eight lanes of 32 bits.
#[derive(Clone, Copy)]
pub struct I32x8(pub(super) [int32x4_t; 2]);

/// Eight lanes of 64 bits.
#[derive(Clone, Copy)]
pub struct I64x8([int64x2_t; 4]);

operators! {
    I32x8 [two]  Add    add    vaddq_s32;
    I32x8 [two]  Sub    sub    vsubq_s32;
    I32x8 [two]  BitAnd bitand vandq_s32;
    I32x8 [two]  BitOr  bitor  vorrq_s32;
    I32x8 [two]  BitXor bitxor veorq_s32;
    I64x8 [four] Add    add    vaddq_s64;
    I64x8 [four] Sub    sub    vsubq_s64;
}

#[inline(always)]
fn unsigned(v: int32x4_t) -> uint32x4_t {
    op!(vreinterpretq_u32_s32(v))
}

impl I32s<Neon> for I32x8 {
    const LANES: usize = 8;
    type Wide = I64x8;

    inlined! {
        fn splat(_: Neon, x: i32) -> Self = Self([op!(vdupq_n_s32(x)); 2]);
        fn load(_: Neon, from: &[i32]) -> Self = Self(load(from));
        fn store(self, to: &mut [i32]) = store(self.0, to);

        fn mullo(self, b: Self) -> Self = Self(halves!(I => vmulq_s32(self.0[I], b.0[I])));
        fn montgomery(p: I64x8, q: Self, q_inverse: Self) -> Self = Self(halves!(I => {
            let (low, high, q) = (p.0[2 * I], p.0[2 * I + 1], q.0[I]);
            let m = vuzp1q_s32(vreinterpretq_s32_s64(low), vreinterpretq_s32_s64(high));
            let m = vmulq_s32(m, q_inverse.0[I]);
            let low = vmlsl_s32(low, vget_low_s32(m), vget_low_s32(q));
            let high = vmlsl_high_s32(high, m, q);
            vuzp2q_s32(vreinterpretq_s32_s64(low), vreinterpretq_s32_s64(high))
        }));
        // As for 16-bit lanes: half the difference of the high halves of the doubled products.
        fn mul_montgomery(self, z: [Self; 4], q: Self) -> Self = Self(halves!(I => {
            let m = vmulq_s32(self.0[I], z[1].0[I]);
            vhsubq_s32(vqdmulhq_s32(self.0[I], z[0].0[I]), vqdmulhq_s32(m, q.0[I]))
        }));
        fn min_unsigned(self, b: Self) -> Self = Self(halves!(I => {
            vreinterpretq_s32_u32(vminq_u32(unsigned(self.0[I]), unsigned(b.0[I])))
        }));
        fn negative(self) -> Self = Self(halves!(I => vshrq_n_s32::<31>(self.0[I])));
        fn sra<const N: u32>(self) -> Self =
            Self(halves!(I => vshlq_s32(self.0[I], vdupq_n_s32(-(N as i32)))));
        fn sll<const N: u32>(self) -> Self =
            Self(halves!(I => vshlq_s32(self.0[I], vdupq_n_s32(N as i32))));
    }

    #[inline(always)]
    fn widen(_: Neon, from: &[i8]) -> Self {
        Self(op!({
            let v = vmovl_s8(load(from));
            [vmovl_s16(vget_low_s16(v)), vmovl_high_s16(v)]
        }))
    }
    #[inline(always)]
    fn narrow(self, to: &mut [i8]) {
        store(op!(vmovn_s16(vmovn_high_s32(vmovn_s32(self.0[0]), self.0[1]))), to);
    }
    #[inline(always)]
    fn mul_wide(self, b: Self) -> I64x8 {
        let ([a0, a1], [b0, b1]) = (self.0, b.0);
        I64x8(op!([
            vmull_s32(vget_low_s32(a0), vget_low_s32(b0)),
            vmull_high_s32(a0, b0),
            vmull_s32(vget_low_s32(a1), vget_low_s32(b1)),
            vmull_high_s32(a1, b1),
        ]))
    }
    #[inline(always)]
    fn sort_pair(self, b: Self) -> (Self, Self) {
        let small = halves!(I => vminq_s32(self.0[I], b.0[I]));
        (Self(small), Self(halves!(I => vmaxq_s32(self.0[I], b.0[I]))))
    }

    #[inline(always)]
    fn transpose<const LEN: usize>(self, b: Self) -> (Self, Self) {
        let (a, b) = (self.0, b.0);
        match LEN {
            4 => (Self([a[0], b[0]]), Self([a[1], b[1]])),
            2 => {
                let wide = |v: int32x4_t| op!(vreinterpretq_s64_s32(v));
                let low = halves!(I => {
                    vreinterpretq_s32_s64(vtrn1q_s64(wide(a[I]), wide(b[I])))
                });
                let high = halves!(I => {
                    vreinterpretq_s32_s64(vtrn2q_s64(wide(a[I]), wide(b[I])))
                });
                (Self(low), Self(high))
            }
            1 => {
                let low = halves!(I => vtrn1q_s32(a[I], b[I]));
                (Self(low), Self(halves!(I => vtrn2q_s32(a[I], b[I]))))
            }
            _ => unreachable!("blocks of 1, 2 or 4 lanes"),
        }
    }

    #[inline(always)]
    fn unpack<const D: usize>(_: Neon, from: &[u8]) -> Self {
        let from = &from[..D];
        // The bytes that contain the first four fields, and those that contain the others.
        let bytes = if D >= 16 {
            [load(from), load(&from[Unpack32::<D>::SECOND..])]
        } else if D >= 8 {
            let second = first8(&from[Unpack32::<D>::SECOND..]);
            [load(&[first8(from), 0]), load(&[second, 0])]
        } else {
            let mut bytes = [0; 8];
            bytes[..D].copy_from_slice(from);
            [load(&[u64::from_le_bytes(bytes), 0]); 2]
        };
        let (spread, shift) = (Unpack32::<D>::SPREAD.as_chunks::<16>().0, &Unpack32::<D>::SHIFT);
        Self(halves!(I => {
            let v = vreinterpretq_u32_u8(vqtbl1q_u8(bytes[I], load(&spread[I])));
            let v = vshlq_u32(v, vnegq_s32(load(&shift[4 * I..])));
            vreinterpretq_s32_u32(vandq_u32(v, vdupq_n_u32((1 << D) - 1)))
        }))
    }
    #[inline(always)]
    fn pack<const D: usize>(self, to: &mut [u8]) {
        // Joins 2 D bits per 64-bit word.
        let v = halves!(I => {
            let v = vreinterpretq_u64_s32(self.0[I]);
            let odd = vshlq_u64(vshrq_n_u64::<32>(v), vdupq_n_s64(D as i64));
            vorrq_u64(vandq_u64(v, vdupq_n_u64(0xffff_ffff)), odd)
        });
        join::<D>(lanes(v), &mut to[..D]);
    }
    #[inline(always)]
    fn append_below_vartime(self, bound: i32, to: &mut [i32], n: usize) -> usize {
        let to: &mut [i32; 8] = (&mut to[n..n + 8]).try_into().expect("8 elements");
        let good = halves!(I => {
            let good = vcltq_s32(self.0[I], vdupq_n_s32(bound));
            declassify(vaddvq_u32(vandq_u32(good, load(&[1, 2, 4, 8_u32]))).into())
        });
        let v = halves!(I => {
            let v = vreinterpretq_u8_s32(self.0[I]);
            vreinterpretq_s32_u8(vqtbl1q_u8(v, load(&COMPRESS[good[I] as usize])))
        });
        let m = good[0].count_ones() as usize;
        op!({
            vst1q_s32(to.as_mut_ptr(), v[0]);
            // m is at most 4, so four more elements fit.
            vst1q_s32(to.as_mut_ptr().add(m), v[1]);
        });
        n + m + good[1].count_ones() as usize
    }
    #[inline(always)]
    fn signs(self) -> u32 {
        let [low, high] = halves!(I => {
            let signs = vshrq_n_u32::<31>(unsigned(self.0[I]));
            vaddvq_u32(vshlq_u32(signs, load(&[0, 1, 2, 3_i32])))
        });
        low | high << 4
    }
}

/// For each mask, the byte indices of the lanes whose bits are set.
static COMPRESS: [[u8; 16]; 16] = compress(4);
