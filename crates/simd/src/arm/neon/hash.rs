//! NEON: words of four states of SHA-256. `arm.rs` explains why the `unsafe` is sound.
use core::arch::aarch64::*;

use crate::arm::tokens::Neon;
use crate::memory::Erase;
use crate::registers::{load, store};
use crate::vectors::hash::HashWords;

/// Four `u32` words.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct U32x4(uint32x4_t);

// SAFETY: registers have no invalid pattern.
unsafe impl Erase for U32x4 {}

operators! {
    U32x4 Add    add    vaddq_u32;
    U32x4 BitXor bitxor veorq_u32;
}

/// Transposes four rows of four words.
#[inline(always)]
fn transpose([a, b, c, d]: [uint32x4_t; 4]) -> [U32x4; 4] {
    op!({
        let wide = |v: uint32x4_t| vreinterpretq_u64_u32(v);
        let (even, odd) = (wide(vtrn1q_u32(a, b)), wide(vtrn2q_u32(a, b)));
        let (even_, odd_) = (wide(vtrn1q_u32(c, d)), wide(vtrn2q_u32(c, d)));
        let narrow = |v: uint64x2_t| U32x4(vreinterpretq_u32_u64(v));
        [
            narrow(vtrn1q_u64(even, even_)),
            narrow(vtrn1q_u64(odd, odd_)),
            narrow(vtrn2q_u64(even, even_)),
            narrow(vtrn2q_u64(odd, odd_)),
        ]
    })
}

impl HashWords<Neon, u32> for U32x4 {
    const LANES: usize = 4;

    inlined! {
        fn splat(_: Neon, x: u32) -> Self = Self(op!(vdupq_n_u32(x)));
        fn load(_: Neon, from: &[u32]) -> Self = Self(load(from));
        fn store(self, to: &mut [u32]) = store(self.0, to);
        fn choose(self, b: Self, c: Self) -> Self = Self(op!(vbslq_u32(self.0, b.0, c.0)));
        // Selects c where a and b differ, else b.
        fn majority(self, b: Self, c: Self) -> Self = Self(op!(vbslq_u32((self ^ b).0, c.0, b.0)));
        fn ror<const N: u32>(self) -> Self =
            Self(op!(vorrq_u32(self.shr::<N>().0, vshlq_u32(self.0, vdupq_n_s32(32 - N as i32)))));
        fn shr<const N: u32>(self) -> Self = Self(op!(vshlq_u32(self.0, vdupq_n_s32(-(N as i32)))));
        fn shl<const N: u32>(self) -> Self = Self(op!(vshlq_u32(self.0, vdupq_n_s32(N as i32))));
    }

    #[inline(always)]
    fn columns(s: Neon, rows: &[[u32; 16]]) -> [Self; 16] {
        let [a, b, c, d] = rows.first_chunk().expect("a row for each lane");
        let mut out = [Self::splat(s, 0); 16];
        each!(i in 0..16, 4 => {
            let four = |row: &[u32; 16]| Self::load(s, &row[i..]).0;
            let columns = transpose([four(a), four(b), four(c), four(d)]);
            out[i..i + 4].copy_from_slice(&columns);
        });
        out
    }
}
