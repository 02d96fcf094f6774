//! Words of more states of Keccak or SHA-2 than one register holds.
//!
//! The `unsafe` is sound: it marks arrays as [`Erase`].
#![expect(missing_debug_implementations, reason = "vectors may hold secrets")]
#![expect(unsafe_code, reason = "the marker `Erase`")]
use core::ops::{Add, BitXor};

use crate::memory::Erase;
use crate::vectors::hash::HashWords;
use crate::vectors::words::{U64Lanes, U64s};

/// `P` registers as one word. A permutation of Keccak processes them one after the other, since all
/// states at once would spill registers; in SHA-2, with two, their operations alternate, so that
/// each waits for its last result while the other computes.
#[derive(Clone, Copy)]
pub struct Split<V, const P: usize>([V; P]);

// SAFETY: an array of `V`, which is `Erase`, has no padding, and there is no other field.
unsafe impl<V: Erase, const P: usize> Erase for Split<V, P> {}

/// Makes a word register by register. (Not with `array::from_fn`, which is not always inlined.)
macro_rules! parts {
    ($v:ident: $i:ident => $e:expr) => {{
        let mut out = $v;
        each!($i in 0..out.0.len() => out.0[$i] = $e);
        out
    }};
}

impl<V: Copy + BitXor<Output = V>, const P: usize> BitXor for Split<V, P> {
    type Output = Self;
    inlined! {
        fn bitxor(self, b: Self) -> Self = parts!(self: i => self.0[i] ^ b.0[i]);
    }
}

/// Makes a word of two registers without a loop: a round of SHA-2 has forty operations, and the
/// compiler takes ten times as long to unroll as many loops.
macro_rules! pair {
    ($i:ident => $e:expr) => {
        Self([
            {
                const $i: usize = 0;
                $e
            },
            {
                const $i: usize = 1;
                $e
            },
        ])
    };
}

impl<V: Copy + Add<Output = V>> Add for Split<V, 2> {
    type Output = Self;
    inlined! {
        fn add(self, b: Self) -> Self = pair!(I => self.0[I] + b.0[I]);
    }
}

impl<S: Copy, T: Copy, V: HashWords<S, T>> HashWords<S, T> for Split<V, 2> {
    const LANES: usize = 2 * V::LANES;
    inlined! {
        fn splat(s: S, x: T) -> Self = Self([V::splat(s, x); 2]);
        fn load(s: S, from: &[T]) -> Self = pair!(I => V::load(s, &from[I * V::LANES..]));
        fn store(self, to: &mut [T]) = each!(i in 0..2 => self.0[i].store(&mut to[i * V::LANES..]));
        fn choose(self, b: Self, c: Self) -> Self = pair!(I => self.0[I].choose(b.0[I], c.0[I]));
        fn majority(self, b: Self, c: Self) -> Self =
            pair!(I => self.0[I].majority(b.0[I], c.0[I]));
        fn settled(self) -> Self = pair!(I => self.0[I].settled());
        fn xor3(self, b: Self, c: Self) -> Self = pair!(I => self.0[I].xor3(b.0[I], c.0[I]));
        fn ror<const N: u32>(self) -> Self = pair!(I => self.0[I].ror::<N>());
        fn shr<const N: u32>(self) -> Self = pair!(I => self.0[I].shr::<N>());
        fn shl<const N: u32>(self) -> Self = pair!(I => self.0[I].shl::<N>());
    }

    #[inline(always)]
    fn columns(s: S, rows: &[[T; 16]]) -> [Self; 16] {
        let parts = [V::columns(s, rows), V::columns(s, &rows[V::LANES..])];
        array!([Self::splat(s, rows[0][0]); 16]: i => Self([parts[0][i], parts[1][i]]))
    }
}

impl<S: Copy, V: U64s<S>, const P: usize> U64s<S> for Split<V, P> {
    type Part = V;
    const PARTS: usize = P;
    inlined! {
        fn part(self, i: usize) -> V = self.0[i];
        fn set_part(&mut self, i: usize, part: V) = self.0[i] = part;
        fn splat(s: S, x: u64) -> Self = Self([V::splat(s, x); P]);
        fn chi(self, b: Self, c: Self) -> Self = parts!(self: i => self.0[i].chi(b.0[i], c.0[i]));
        fn rol<const N: i32>(self) -> Self = parts!(self: i => self.0[i].rol::<N>());
        fn first(self) -> u64 = self.0[0].first();
    }
}

macro_rules! lanes {
    ($($parts:literal of $each:literal: $lanes:literal;)*) => { $(
        impl<S: Copy, V: U64Lanes<S, $each>> U64Lanes<S, $lanes> for Split<V, $parts> {
            inlined! {
                fn select(self, mask: Self, b: Self) -> Self =
                    parts!(self: i => self.0[i].select(mask.0[i], b.0[i]));
                fn xor_masked(self, mask: Self, x: u64) -> Self =
                    parts!(self: i => self.0[i].xor_masked(mask.0[i], x));
            }

            #[inline(always)]
            fn from_array(s: S, x: [u64; $lanes]) -> Self {
                let (zero, x) = (Self::splat(s, 0), x.as_chunks().0);
                parts!(zero: i => V::from_array(s, x[i]))
            }
            #[inline(always)]
            fn to_array(self) -> [u64; $lanes] {
                let mut x = [0; $lanes];
                each!(i in 0..$parts => x.as_chunks_mut().0[i] = self.0[i].to_array());
                x
            }
            #[inline(always)]
            fn load_words(s: S, rows: [&[u64; 4]; $lanes]) -> [Self; 4] {
                let mut words = [Self::splat(s, 0); 4];
                each!(i in 0..$parts => {
                    let part = V::load_words(s, rows.as_chunks().0[i]);
                    each!(j in 0..4 => words[j].0[i] = part[j]);
                });
                words
            }
            #[inline(always)]
            fn store_words<const R: usize>(w: [Self; 4], to: &mut [[u8; R]; $lanes], at: usize) {
                each!(i in 0..$parts => {
                    let part = [w[0].0[i], w[1].0[i], w[2].0[i], w[3].0[i]];
                    V::store_words(part, &mut to.as_chunks_mut().0[i], at);
                });
            }
        }
    )* };
}
lanes! {
    4 of 1: 4;
    8 of 1: 8;
    2 of 2: 4;
    4 of 2: 8;
    2 of 4: 8;
}
