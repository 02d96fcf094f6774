//! The recording backend: 32-bit lanes.
use core::array::from_fn;

use crate::proof::tape::{Duty, NONE, Op, with};
use crate::proof::vector::{Vector, exact_quotient, named, pack, recorded, unpack};
use crate::vectors::i32::I32s;

impl<S, const W: usize> I32s<S> for Vector<32, W> {
    const LANES: usize = W;
    type Wide = Vector<64, W>;

    recorded! { at;
        fn splat(_: S, x: i32) -> Self = Self::constant(at, x.into());
        fn load(_: S, from: &[i32]) -> Self = Self::read(at, from);
        fn widen(_: S, from: &[i8]) -> Self =
            Self(Vector::<8, W>::read(at, from).0).map(at, Op::Extend);
        fn mullo(self, b: Self) -> Self = self.zip(at, Op::Mullo, b);
        fn mul_wide(self, b: Self) -> Vector<64, W> =
            Vector(self.0).zip(at, Op::MulWide, Vector(b.0));
        fn montgomery(p: Vector<64, W>, q: Self, q_inverse: Self) -> Self =
            Self::new(|tape, i| {
                let low = tape.push(at, i, Op::Low, 32, [p.0[i], NONE]);
                let m = tape.push(at, i, Op::Mullo, 32, [low, q_inverse.0[i]]);
                exact_quotient(tape, (at, i), 32, p.0[i], [m, q.0[i]])
            });
        fn mul_montgomery(self, z: [Self; 4], q: Self) -> Self = {
            with(|tape| {
                for i in (0..W).step_by(2) {
                    tape.owe(at, Duty::Equal(z[0].0[i + 1], z[2].0[i]));
                    tape.owe(at, Duty::Equal(z[1].0[i + 1], z[3].0[i]));
                }
            });
            self.reduced_product(at, z[0], z[1], q)
        };
        fn min_unsigned(self, b: Self) -> Self = self.zip(at, Op::MinUnsigned, b);
        fn sort_pair(self, b: Self) -> (Self, Self) =
            (self.zip(at, Op::Min, b), self.zip(at, Op::Max, b));
        fn negative(self) -> Self = self.map(at, Op::Sra(31));
        fn sra<const N: u32>(self) -> Self = self.map(at, Op::Sra(N));
        fn sll<const N: u32>(self) -> Self = self.map(at, Op::Sll(N));
        fn unpack<const D: usize>(_: S, from: &[u8]) -> Self = {
            let lanes = with(|tape| unpack(tape, at, 32, D, from, W));
            Self(from_fn(|i| lanes[i]))
        };
        fn pack<const D: usize>(self, to: &mut [u8]) = {
            self.owe_range(at, 0, (1 << D) - 1);
            with(|tape| pack(tape, at, &self.0, D, &mut to[..W * D / 8]));
        };
        fn append_below_vartime(self, bound: i32, to: &mut [i32], n: usize) -> usize =
            self.append(at, bound, to, n);
        fn signs(self) -> u32 = named(self.sign_bits(at), W);
        fn any_negative(self) -> bool = {
            let signs = self.sign_bits(at);
            with(|tape| tape.decide(signs))
        };
    }

    inlined! {
        fn store(self, to: &mut [i32]) = self.write(to);
        fn narrow(self, to: &mut [i8]) = self.write(to);
        fn transpose<const LEN: usize>(self, b: Self) -> (Self, Self) = self.exchange::<LEN>(b);
        fn unravel(self, b: Self) -> (Self, Self) =
            self.exchange_all(b, (0..W.ilog2()).rev().map(|log| 1 << log));
        fn ravel(self, b: Self) -> (Self, Self) =
            self.exchange_all(b, (0..W.ilog2()).map(|log| 1 << log));
    }
}
