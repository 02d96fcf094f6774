//! NEON: words of two Keccak states, and of four and eight as twice and four times two. Why the
//! `unsafe` is sound is in `arm.rs`.
use core::arch::aarch64::*;
use core::ops::BitXor;

use crate::arm::intrinsics::op;
use crate::arm::tokens::Neon;
use crate::memory::Erase;
use crate::vectors::words::{U64Lanes, U64s};

/// A word of two states.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Two(uint64x2_t);

/// A word of four states: two times two, since fifty registers of state would spill.
pub(super) type Four = Twos<2>;
/// A word of eight states.
pub(super) type Eight = Twos<4>;

/// A word of twice as many states.
#[derive(Clone, Copy)]
pub struct Twos<const P: usize>([Two; P]);

// SAFETY: registers have no invalid pattern.
unsafe impl Erase for Two {}
// SAFETY: registers.
unsafe impl<const P: usize> Erase for Twos<P> {}

impl BitXor for Two {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, b: Self) -> Self {
        Self(op!(veorq_u64(self.0, b.0)))
    }
}

impl Two {
    #[inline(always)]
    fn select(self, mask: Self, b: Self) -> Self {
        Self(op!(vbslq_u64(mask.0, b.0, self.0)))
    }

    #[inline(always)]
    fn xor_masked(self, mask: Self, x: u64) -> Self {
        Self(op!(veorq_u64(self.0, vandq_u64(mask.0, vdupq_n_u64(x)))))
    }
}

impl U64s<Neon> for Two {
    type Part = Self;
    const PARTS: usize = 1;
    #[inline(always)]
    fn part(self, _: usize) -> Self {
        self
    }
    #[inline(always)]
    fn set_part(&mut self, _: usize, part: Self) {
        *self = part;
    }
    #[inline(always)]
    fn splat(_: Neon, x: u64) -> Self {
        Self(op!(vdupq_n_u64(x)))
    }
    #[inline(always)]
    fn chi(self, b: Self, c: Self) -> Self {
        Self(op!(veorq_u64(self.0, vbicq_u64(c.0, b.0))))
    }
    #[inline(always)]
    fn rol<const N: i32>(self) -> Self {
        let n = i64::from(N);
        Self(op!({
            let low = vshlq_u64(self.0, vdupq_n_s64(n - 64));
            vorrq_u64(vshlq_u64(self.0, vdupq_n_s64(n)), low)
        }))
    }
    #[inline(always)]
    fn first(self) -> u64 {
        op!(vgetq_lane_u64::<0>(self.0))
    }
}

impl<const P: usize> Twos<P> {
    /// Part by part. (Not `array::from_fn`, which is not always inlined.)
    #[inline(always)]
    fn each(mut self, f: impl Fn(usize, Two) -> Two) -> Self {
        let mut i = 0;
        while i < P {
            self.0[i] = f(i, self.0[i]);
            i += 1;
        }
        self
    }
}

impl<const P: usize> BitXor for Twos<P> {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, b: Self) -> Self {
        self.each(
            #[inline(always)]
            |i, a| a ^ b.0[i],
        )
    }
}

impl<const P: usize> U64s<Neon> for Twos<P> {
    type Part = Two;
    const PARTS: usize = P;
    #[inline(always)]
    fn part(self, i: usize) -> Two {
        self.0[i]
    }
    #[inline(always)]
    fn set_part(&mut self, i: usize, part: Two) {
        self.0[i] = part;
    }
    #[inline(always)]
    fn splat(s: Neon, x: u64) -> Self {
        Self([Two::splat(s, x); P])
    }
    #[inline(always)]
    fn chi(self, b: Self, c: Self) -> Self {
        self.each(
            #[inline(always)]
            |i, a| a.chi(b.0[i], c.0[i]),
        )
    }
    #[inline(always)]
    fn rol<const N: i32>(self) -> Self {
        self.each(
            #[inline(always)]
            |_, a| a.rol::<N>(),
        )
    }
    #[inline(always)]
    fn first(self) -> u64 {
        self.0[0].first()
    }
}

macro_rules! lanes {
    ($($parts:literal $lanes:literal;)*) => { $(
        impl U64Lanes<Neon, $lanes> for Twos<$parts> {
            #[inline(always)]
            fn from_array(_: Neon, x: [u64; $lanes]) -> Self {
                // SAFETY: both are as many bytes, without an invalid pattern.
                unsafe { core::mem::transmute(x) }
            }
            #[inline(always)]
            fn to_array(self) -> [u64; $lanes] {
                // SAFETY: both are as many bytes, without an invalid pattern.
                unsafe { core::mem::transmute(self.0) }
            }
            #[inline(always)]
            fn select(self, mask: Self, b: Self) -> Self {
                self.each(
                    #[inline(always)]
                    |i, a| a.select(mask.0[i], b.0[i]),
                )
            }
            #[inline(always)]
            fn xor_masked(self, mask: Self, x: u64) -> Self {
                self.each(
                    #[inline(always)]
                    |i, a| a.xor_masked(mask.0[i], x),
                )
            }
            #[inline(always)]
            fn load_words(s: Neon, rows: [&[u64; 4]; $lanes]) -> [Self; 4] {
                let (mut words, mut i) = ([Self::splat(s, 0); 4], 0);
                while i < $parts {
                    let ([a, b], [c, d]) = (load(rows[2 * i]), load(rows[2 * i + 1]));
                    op!({
                        words[0].0[i] = Two(vtrn1q_u64(a, c));
                        words[1].0[i] = Two(vtrn2q_u64(a, c));
                        words[2].0[i] = Two(vtrn1q_u64(b, d));
                        words[3].0[i] = Two(vtrn2q_u64(b, d));
                    });
                    i += 1;
                }
                words
            }
            #[inline(always)]
            fn store_words<const R: usize>(
                words: [Self; 4],
                to: &mut [[u8; R]; $lanes],
                at: usize,
            ) {
                let mut i = 0;
                while i < $parts {
                    let [a, b, c, d] =
                        [words[0].0[i].0, words[1].0[i].0, words[2].0[i].0, words[3].0[i].0];
                    op!({
                        let (row, next) = ([vtrn1q_u64(a, b), vtrn1q_u64(c, d)], 2 * i + 1);
                        store(row, &mut to[2 * i][at..]);
                        store([vtrn2q_u64(a, b), vtrn2q_u64(c, d)], &mut to[next][at..]);
                    });
                    i += 1;
                }
            }
        }
    )* };
}
lanes! {
    2 4;
    4 8;
}

#[inline(always)]
fn load(row: &[u64; 4]) -> [uint64x2_t; 2] {
    let [low, high] = row.as_chunks::<2>().0 else { unreachable!("four are two times two") };
    op!([vld1q_u64(low.as_ptr()), vld1q_u64(high.as_ptr())])
}

/// The first 32 bytes.
#[inline(always)]
fn store(row: [uint64x2_t; 2], to: &mut [u8]) {
    let to = to.first_chunk_mut::<32>().expect("32 bytes");
    op!({
        vst1q_u8(to.as_mut_ptr(), vreinterpretq_u8_u64(row[0]));
        vst1q_u8(to.as_mut_ptr().add(16), vreinterpretq_u8_u64(row[1]));
    });
}
