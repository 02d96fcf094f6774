//! The recording backend: words of SHA-2.
use crate::proof::tape::{Op, with};
use crate::proof::vector::{Vector, recorded};
use crate::vectors::hash::HashWords;

macro_rules! words {
    ($($ty:ty: $bits:literal;)*) => { $(
        impl<S, const N: usize> HashWords<S, $ty> for Vector<$bits, N> {
            const LANES: usize = N;

            recorded! { at;
                fn splat(_: S, x: $ty) -> Self = {
                    let id = with(|tape| tape.load(at, 0, &x.to_le_bytes()));
                    Self([id; N])
                };
                fn load(_: S, from: &[$ty]) -> Self = Self::read_sums(at, Op::Add, from);
                fn choose(self, b: Self, c: Self) -> Self =
                    self.zip(at, Op::And, b).zip(at, Op::Xor, self.zip(at, Op::AndNot, c));
                fn majority(self, b: Self, c: Self) -> Self = {
                    let and = |a: Self, b| a.zip(at, Op::And, b);
                    and(self, b).zip(at, Op::Xor, and(self, c)).zip(at, Op::Xor, and(b, c))
                };
                fn ror<const R: u32>(self) -> Self = self.map(at, Op::Rol($bits - R));
                fn shr<const R: u32>(self) -> Self = self.map(at, Op::Srl(R));
                fn shl<const R: u32>(self) -> Self = self.map(at, Op::Sll(R));
            }

            inlined! {
                fn store(self, to: &mut [$ty]) = self.write(to);
            }
        }
    )* };
}
words! {
    u32: 32;
    u64: 64;
}
