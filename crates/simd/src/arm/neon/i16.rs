//! NEON: eight lanes of 16 bits. `arm.rs` explains why the `unsafe` is sound.
//!
//! Shifts take vectors of counts, which are negative for right shifts: constants of the form `-N`
//! cannot be const arguments, and LLVM turns these vectors into immediates.
use core::arch::aarch64::*;

use crate::arm::intrinsics::first8;
use crate::arm::tokens::Neon;
use crate::ct::declassify;
use crate::registers::{lanes, load, store};
use crate::tables::COMPRESS16;
use crate::vectors::i16::I16s;

/// Eight lanes of 16 bits.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct I16x8(int16x8_t);

/// Four lanes of 32 bits.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct I32x4(int32x4_t);

operators! {
    I16x8 Add    add    vaddq_s16;
    I16x8 Sub    sub    vsubq_s16;
    I16x8 BitAnd bitand vandq_s16;
    I16x8 BitOr  bitor  vorrq_s16;
    I32x4 Add    add    vaddq_s32;
    I32x4 Sub    sub    vsubq_s32;
}

impl I16x8 {
    inlined! {
        fn unsigned(self) -> uint16x8_t = op!(vreinterpretq_u16_s16(self.0));

        fn from_unsigned(v: uint16x8_t) -> Self = Self(op!(vreinterpretq_s16_u16(v)));
    }
}

impl I16s<Neon> for I16x8 {
    const LANES: usize = 8;
    type Wide = I32x4;

    inlined! {
        fn splat(_: Neon, x: i16) -> Self = Self(op!(vdupq_n_s16(x)));
        fn load(_: Neon, from: &[i16]) -> Self = Self(load(from));
        fn store(self, to: &mut [i16]) = store(self.0, to);

        fn mullo(self, b: Self) -> Self = Self(op!(vmulq_s16(self.0, b.0)));
        // `vqdmulh` returns the high half of the doubled product.
        fn mulhi(self, b: Self) -> Self = Self(op!(vshrq_n_s16::<1>(vqdmulhq_s16(self.0, b.0))));
        fn mulhrs(self, b: Self) -> Self = Self(op!(vqrdmulhq_s16(self.0, b.0)));
        fn min_unsigned(self, b: Self) -> Self =
            Self::from_unsigned(op!(vminq_u16(self.unsigned(), b.unsigned())));
        fn sra<const N: u32>(self) -> Self = Self(op!(vshlq_s16(self.0, vdupq_n_s16(-(N as i16)))));
        fn srl<const N: u32>(self) -> Self =
            Self::from_unsigned(op!(vshlq_u16(self.unsigned(), vdupq_n_s16(-(N as i16)))));
        fn sll<const N: u32>(self) -> Self = Self(op!(vshlq_s16(self.0, vdupq_n_s16(N as i16))));
        fn swap_pairs(self) -> Self = Self(op!(vrev32q_s16(self.0)));
        fn with_odd(self, odd: Self) -> Self =
            Self(op!(vbslq_s16(vreinterpretq_u16_u32(vdupq_n_u32(0xffff)), self.0, odd.0)));
        fn dot_pairs(self, b: Self) -> I32x4 = I32x4(op!(vpaddq_s32(
            vmull_s16(vget_low_s16(self.0), vget_low_s16(b.0)),
            vmull_high_s16(self.0, b.0),
        )));
        fn high_halves(even: I32x4, odd: I32x4) -> Self =
            Self(op!(vtrn2q_s16(Self::halves(even).0, Self::halves(odd).0)));
        fn halves(wide: I32x4) -> Self = Self(op!(vreinterpretq_s16_s32(wide.0)));
        fn from_bits(_: Neon, bits: u32, x: i16) -> Self = Self(op!({
            let set = vtstq_s16(vdupq_n_s16(bits as i16), load(&BITS));
            vandq_s16(vreinterpretq_s16_u16(set), vdupq_n_s16(x))
        }));
    }

    #[inline(always)]
    fn mul_montgomery(self, z: [Self; 2], q: Self) -> Self {
        // The low halves of the two products are equal, also after doubling: the difference of the
        // high halves is exact and even.
        let m = self.mullo(z[1]);
        Self(op!(vhsubq_s16(vqdmulhq_s16(self.0, z[0].0), vqdmulhq_s16(m.0, q.0))))
    }

    #[inline(always)]
    fn transpose<const LEN: usize>(self, b: Self) -> (Self, Self) {
        let (a, b) = (self.0, b.0);
        let (low, high) = op!(match LEN {
            4 => {
                let (a, b) = (vreinterpretq_s64_s16(a), vreinterpretq_s64_s16(b));
                let (low, high) = (vtrn1q_s64(a, b), vtrn2q_s64(a, b));
                (vreinterpretq_s16_s64(low), vreinterpretq_s16_s64(high))
            }
            2 => {
                let (a, b) = (vreinterpretq_s32_s16(a), vreinterpretq_s32_s16(b));
                let (low, high) = (vtrn1q_s32(a, b), vtrn2q_s32(a, b));
                (vreinterpretq_s16_s32(low), vreinterpretq_s16_s32(high))
            }
            1 => (vtrn1q_s16(a, b), vtrn2q_s16(a, b)),
            _ => unreachable!("blocks of 1, 2 or 4 lanes"),
        });
        (Self(low), Self(high))
    }

    #[inline(always)]
    fn unpack<const D: usize>(_: Neon, from: &[u8]) -> Self {
        let from = &from[..D];
        // All bytes twice, or the first eight and the last eight.
        let bytes = if D >= 8 {
            [first8(from), first8(&from[D - 8..])]
        } else {
            let four = |at: usize| {
                u64::from(u32::from_le_bytes(*from[at..].first_chunk().expect("4 bytes")))
            };
            [four(0) | four(D - 4) << (8 * (D - 4)); 2]
        };
        Self::from_unsigned(op!({
            let bytes = load(&bytes);
            let v = vreinterpretq_u16_u8(vqtbl1q_u8(bytes, load(&Unpack::<D>::BYTES)));
            let mut v = vshlq_u16(v, load(&Unpack::<D>::RIGHT));
            if Unpack::<D>::THREE {
                let third = vreinterpretq_u16_u8(vqtbl1q_u8(bytes, load(&Unpack::<D>::THIRD)));
                v = vorrq_u16(v, vshlq_u16(third, load(&Unpack::<D>::LEFT)));
            }
            vandq_u16(v, vdupq_n_u16((1 << D) - 1))
        }))
    }
    #[inline(always)]
    fn pack<const D: usize>(self, to: &mut [u8]) {
        let [low, high]: [u64; 2] = lanes(op!({
            // Joins 2 D bits per 32-bit word, then 4 D bits per 64-bit word.
            let v = vreinterpretq_u32_s16(self.0);
            let odd = vshlq_u32(vshrq_n_u32::<16>(v), vdupq_n_s32(D as i32));
            let v = vorrq_u32(vandq_u32(v, vdupq_n_u32(0xffff)), odd);
            let v = vreinterpretq_u64_u32(v);
            let odd = vshlq_u64(vshrq_n_u64::<32>(v), vdupq_n_s64(2 * D as i64));
            vorrq_u64(vandq_u64(v, vdupq_n_u64(0xffff_ffff)), odd)
        }));
        let all = u128::from(low) | u128::from(high) << (4 * D);
        to[..D].copy_from_slice(&all.to_le_bytes()[..D]);
    }
    #[inline(always)]
    fn lookup(self, table: &[i16; 16]) -> Self {
        let [low, high] = table.as_chunks::<8>().0 else { unreachable!("16 are two times eight") };
        Self(op!({
            // The indices of the two bytes of each entry.
            let bytes = vmlaq_n_u16(vdupq_n_u16(0x0100), self.unsigned(), 2 * 0x0101);
            let table = uint8x16x2_t(load(low), load(high));
            vreinterpretq_s16_u8(vqtbl2q_u8(table, vreinterpretq_u8_u16(bytes)))
        }))
    }
    #[inline(always)]
    fn append_below_vartime(self, bound: i16, to: &mut [i16], n: usize) -> usize {
        let to: &mut [i16; 8] = (&mut to[n..n + 8]).try_into().expect("8 elements");
        op!({
            let good = vcltq_s16(self.0, vdupq_n_s16(bound));
            let good = vaddvq_u16(vandq_u16(good, load(&BITS)));
            let good = declassify(good.into()) as u8;
            let v = vreinterpretq_u8_s16(self.0);
            let v = vqtbl1q_u8(v, load(&COMPRESS16[usize::from(good)]));
            store(v, to);
            n + good.count_ones() as usize
        })
    }
    #[inline(always)]
    fn signs(self) -> u32 {
        const NUMBERS: [i16; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
        op!({
            let signs = vshrq_n_u16::<15>(self.unsigned());
            u32::from(vaddvq_u16(vshlq_u16(signs, load(&NUMBERS))))
        })
    }
}

const BITS: [i16; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

/// Tables for eight fields of `D` bits in `D` bytes. A register holds the first eight and the last
/// eight bytes, or all bytes from index 0 on if `D` is less than 8.
struct Unpack<const D: usize>;

impl<const D: usize> Unpack<D> {
    /// Returns the index of a byte in the register, or an invalid index for bytes beyond the end.
    const fn place(byte: usize) -> u8 {
        if byte >= D {
            255
        } else if byte >= 8 {
            (byte + 16 - D) as u8
        } else {
            byte as u8
        }
    }
    /// The indices of the two bytes in which each field begins.
    const BYTES: [u8; 16] = array!([0; 16]: i => Self::place(i / 2 * D / 8 + i % 2));
    /// The first bit of each field in its two bytes, as a negative count of a right shift.
    const RIGHT: [i16; 8] = array!([0; 8]: i => -((i * D % 8) as i16));
    /// The index of the third byte of each field that has one.
    const THIRD: [u8; 16] = {
        let mut t = [255; 16];
        each!(i in 0..8 => {
            if i * D % 8 + D > 16 {
                t[2 * i] = Self::place(i * D / 8 + 2);
            }
        });
        t
    };
    /// The count of the left shift that moves the third byte into place.
    const LEFT: [i16; 8] = array!([0; 8]: i => 16 + Self::RIGHT[i]);
    /// Whether any field has a third byte.
    const THREE: bool = {
        let mut three = false;
        each!(i in 0..16 => three |= Self::THIRD[i] != 255);
        three
    };
}
