//! The recording backend: 16-bit lanes.
use core::array::from_fn;
use core::ops::{Add, Sub};
use core::panic::Location;

use crate::proof::memory::Id;
use crate::proof::tape::{Duty, NONE, Op, Place, with};
use crate::proof::vector::{Vector, named, pack, recorded, unpack};
use crate::vectors::i16::I16s;

/// A 32-bit number for each pair of the `L` lanes, in the first half of the array.
#[derive(Clone, Copy)]
pub struct Pairs<const L: usize>([Id; L]);

impl<const L: usize> Pairs<L> {
    #[inline(never)]
    fn zip(mut self, at: Place, op: Op, b: Self) -> Self {
        with(|tape| {
            for i in 0..L / 2 {
                self.0[i] = tape.push(at, i, op, 32, [self.0[i], b.0[i]]);
            }
        });
        self
    }
}

impl<const L: usize> Add for Pairs<L> {
    type Output = Self;
    #[track_caller]
    fn add(self, b: Self) -> Self {
        self.zip(Location::caller(), Op::Add, b)
    }
}

impl<const L: usize> Sub for Pairs<L> {
    type Output = Self;
    #[track_caller]
    fn sub(self, b: Self) -> Self {
        self.zip(Location::caller(), Op::Sub, b)
    }
}

/// A function that records an operation, with the width and the arguments.
type Push<'a> = &'a mut dyn FnMut(Op, u8, Id, Id) -> Id;

impl<const L: usize> Vector<16, L> {
    /// Records 32-bit products, whose factors must not both be the least number, and applies `end`.
    fn product(self, at: Place, b: Self, end: fn(Push<'_>, Id) -> Id) -> Self {
        Self::new(|tape, i| {
            tape.owe(at, Duty::NotBothLeast(self.0[i], b.0[i]));
            let product = tape.push(at, i, Op::MulWide, 32, [self.0[i], b.0[i]]);
            end(&mut |op, bits, a, b| tape.push(at, i, op, bits, [a, b]), product)
        })
    }
}

impl<S, const L: usize> I16s<S> for Vector<16, L> {
    const LANES: usize = L;
    type Wide = Pairs<L>;

    recorded! { at;
        fn splat(_: S, x: i16) -> Self = Self::constant(at, x.into());
        fn load(_: S, from: &[i16]) -> Self = Self::read(at, from);
        fn mullo(self, b: Self) -> Self = self.zip(at, Op::Mullo, b);
        fn mulhi(self, b: Self) -> Self =
            self.product(at, b, |push, product| push(Op::High, 16, product, NONE));
        fn mulhrs(self, b: Self) -> Self = self.product(at, b, |push, product| {
            let half = push(Op::Const(1 << 14), 32, NONE, NONE);
            let sum = push(Op::Add, 32, product, half);
            let quotient = push(Op::Sra(15), 32, sum, NONE);
            push(Op::Low, 16, quotient, NONE)
        });
        fn mul_montgomery(self, z: [Self; 2], q: Self) -> Self = {
            z[0].owe_range(at, -32767, 32767);
            q.owe_range(at, -32767, 32767);
            self.reduced_product(at, z[0], z[1], q)
        };
        fn min_unsigned(self, b: Self) -> Self = self.zip(at, Op::MinUnsigned, b);
        fn sra<const N: u32>(self) -> Self = self.map(at, Op::Sra(N));
        fn srl<const N: u32>(self) -> Self = self.map(at, Op::Srl(N));
        fn sll<const N: u32>(self) -> Self = self.map(at, Op::Sll(N));
        fn dot_pairs(self, b: Self) -> Pairs<L> = {
            let mut sums = Pairs([NONE; L]);
            with(|tape| {
                for i in 0..L / 2 {
                    let [even, odd] = [2 * i, 2 * i + 1]
                        .map(|j| tape.push(at, j, Op::MulWide, 32, [self.0[j], b.0[j]]));
                    sums.0[i] = tape.push(at, i, Op::Add, 32, [even, odd]);
                }
            });
            sums
        };
        fn halves(wide: Pairs<L>) -> Self = Self::new(|tape, i| {
            let op = if i & 1 == 0 { Op::Low } else { Op::High };
            tape.push(at, i, op, 16, [wide.0[i / 2], NONE])
        });
        fn high_halves(even: Pairs<L>, odd: Pairs<L>) -> Self = Self::new(|tape, i| {
            let of = if i & 1 == 0 { even } else { odd };
            tape.push(at, i, Op::High, 16, [of.0[i / 2], NONE])
        });
        fn unpack<const D: usize>(_: S, from: &[u8]) -> Self = {
            let lanes = with(|tape| unpack(tape, at, 16, D, from, L));
            Self(from_fn(|i| lanes[i]))
        };
        fn pack<const D: usize>(self, to: &mut [u8]) = {
            self.owe_range(at, 0, (1 << D) - 1);
            with(|tape| pack(tape, at, &self.0, D, &mut to[..L * D / 8]));
        };
        fn lookup(self, table: &[i16; 16]) -> Self = {
            self.owe_range(at, 0, 15);
            let op = with(|tape| tape.push_table(at, table));
            self.map(at, op)
        };
        fn append_below_vartime(self, bound: i16, to: &mut [i16], n: usize) -> usize =
            self.append(at, bound, to, n);
        fn signs(self) -> u32 = named(self.sign_bits(at), L);
        fn any_negative(self) -> bool = {
            let signs = self.sign_bits(at);
            with(|tape| tape.decide(signs))
        };
        fn from_bits(_: S, bits: u32, x: i16) -> Self = {
            let word = with(|tape| tape.load(at, 0, &bits.to_le_bytes()));
            Self::new(|tape, i| {
                let source = |bit: u32| (x >> bit & 1 == 1).then_some((word, i as u8));
                tape.push_bits(at, i, 16, (0..16).map(source).collect())
            })
        };
    }

    inlined! {
        fn store(self, to: &mut [i16]) = self.write(to);
        fn transpose<const LEN: usize>(self, b: Self) -> (Self, Self) = self.exchange::<LEN>(b);
        fn unravel(self, b: Self) -> (Self, Self) =
            self.exchange_all(b, (1..L.ilog2()).rev().map(|log| 1 << log));
        fn ravel(self, b: Self) -> (Self, Self) =
            self.exchange_all(b, (1..L.ilog2()).map(|log| 1 << log));
        fn swap_pairs(self) -> Self = Self(from_fn(|i| self.0[i ^ 1]));
        fn with_odd(self, odd: Self) -> Self =
            Self(from_fn(|i| if i & 1 == 0 { self.0[i] } else { odd.0[i] }));
    }
}
