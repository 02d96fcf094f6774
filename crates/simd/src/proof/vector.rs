//! A vector of unknowns, and what the operations of all widths have in common.
//!
//! The `unsafe` is sound: it marks arrays of numbers as [`Erase`].
#![expect(unsafe_code, reason = "the marker `Erase`")]
use core::array::from_fn;
use core::ops::{Add, BitAnd, BitOr, BitXor, Sub};
use core::panic::Location;
use std::vec::Vec;

use crate::memory::Erase;
use crate::proof::memory::Id;
use crate::proof::tape::{Duty, NONE, Op, Place, Source, Tape, with};

/// A vector of `L` unknowns.
#[derive(Clone, Copy)]
pub struct Vector<const BITS: u8, const L: usize>(pub(super) [Id; L]);

// SAFETY: numbers side by side.
unsafe impl<const BITS: u8, const L: usize> Erase for Vector<BITS, L> {}

/// Defines methods of one expression, one per row, with the place of the call as `$at`. They are
/// not inlined: kernels are, and this backend must compile in seconds.
macro_rules! recorded {
    ($at:ident; $(
        fn $name:ident $(<const $n:ident: $t:ty>)? ($($args:tt)*) $(-> $out:ty)? = $e:expr;
    )*) => { $(
        #[track_caller]
        #[inline(never)]
        fn $name $(<const $n: $t>)? ($($args)*) $(-> $out)? {
            let $at = core::panic::Location::caller();
            $e
        }
    )* };
}
pub(super) use recorded;

/// A number in memory.
pub trait Number: Copy {
    /// Converts from little-endian bytes.
    fn from_bytes(bytes: &[u8]) -> Self;
    /// Converts to eight little-endian bytes.
    fn to_bytes(self) -> [u8; 8];
}

macro_rules! numbers {
    ($($ty:ty)*) => { $(
        impl Number for $ty {
            fn from_bytes(bytes: &[u8]) -> Self {
                Self::from_le_bytes(*bytes.first_chunk().expect("as many bytes"))
            }
            fn to_bytes(self) -> [u8; 8] {
                (self as i64).to_le_bytes()
            }
        }
    )* };
}
numbers!(i8 u8 i16 u16 i32 u32 i64 u64);

impl<const BITS: u8, const L: usize> Vector<BITS, L> {
    /// Makes a vector lane by lane.
    pub(super) fn new(mut lane: impl FnMut(&mut Tape, usize) -> Id) -> Self {
        with(|tape| Self(from_fn(|i| lane(tape, i))))
    }
    #[inline(never)]
    pub(super) fn zip(self, at: Place, op: Op, b: Self) -> Self {
        Self::new(|tape, i| tape.push(at, i, op, BITS, [self.0[i], b.0[i]]))
    }
    #[inline(never)]
    pub(super) fn map(self, at: Place, op: Op) -> Self {
        Self::new(|tape, i| tape.push(at, i, op, BITS, [self.0[i], NONE]))
    }
    #[inline(never)]
    pub(super) fn constant(at: Place, x: i64) -> Self {
        let id = with(|tape| tape.push(at, 0, Op::Const(x), BITS, [NONE; 2]));
        Self([id; L])
    }
    #[inline(never)]
    pub(super) fn read<T: Number>(at: Place, from: &[T]) -> Self {
        let from = &from[..L];
        Self::new(|tape, i| tape.load(at, i, &from[i].to_bytes()[..size_of::<T>()]))
    }
    /// Reads numbers to which plain code may have added others, as `sum` says.
    #[inline(never)]
    pub(super) fn read_sums<T: Number>(at: Place, sum: Op, from: &[T]) -> Self {
        let from = &from[..L];
        let bytes = |i: usize| from[i].to_bytes();
        Self::new(|tape, i| tape.load_sum(at, i, sum, &bytes(i)[..size_of::<T>()]))
    }
    #[inline(never)]
    pub(super) fn write<T: Number>(self, to: &mut [T]) {
        with(|tape| {
            let write =
                |(to, id): (&mut T, Id)| *to = T::from_bytes(&tape.write(id, size_of::<T>()));
            to[..L].iter_mut().zip(self.0).for_each(write);
        });
    }
    /// Records (self z - m q) / 2^BITS, where the low halves are equal: `m` is `self` times `z_q`
    /// modulo 2^BITS.
    #[inline(never)]
    pub(super) fn reduced_product(self, at: Place, z: Self, z_q: Self, q: Self) -> Self {
        Self::new(|tape, i| {
            let product = tape.push(at, i, Op::MulWide, 2 * BITS, [self.0[i], z.0[i]]);
            let m = tape.push(at, i, Op::Mullo, BITS, [self.0[i], z_q.0[i]]);
            exact_quotient(tape, (at, i), BITS, product, [m, q.0[i]])
        })
    }
    #[inline(never)]
    pub(super) fn exchange<const LEN: usize>(self, b: Self) -> (Self, Self) {
        assert!(LEN.is_power_of_two() && LEN < L, "blocks of half a vector at most");
        let low = from_fn(|i| if i & LEN == 0 { self.0[i] } else { b.0[i - LEN] });
        let high = from_fn(|i| if i & LEN == 0 { self.0[i + LEN] } else { b.0[i] });
        (Self(low), Self(high))
    }
    #[inline(never)]
    pub(super) fn exchange_all(self, b: Self, lens: impl Iterator<Item = usize>) -> (Self, Self) {
        lens.fold((self, b), |(a, b), len| match len {
            1 => a.exchange::<1>(b),
            2 => a.exchange::<2>(b),
            4 => a.exchange::<4>(b),
            8 => a.exchange::<8>(b),
            _ => a.exchange::<16>(b),
        })
    }
    /// Each lane after the other, if it is below the bound: on the tape all are.
    #[inline(never)]
    pub(super) fn append<T: Number>(self, at: Place, bound: T, to: &mut [T], n: usize) -> usize {
        self.owe_range(at, 0, (1 << (BITS - 1)) - 1);
        let bound = i64::from_le_bytes(bound.to_bytes());
        with(|tape| self.0.iter().for_each(|id| tape.push_filter(*id, bound)));
        self.write(&mut to[n..]);
        n + L
    }
    /// Records the signs as a number of 32 bits.
    pub(super) fn sign_bits(self, at: Place) -> Id {
        let sign = |i: usize| self.0.get(i).map(|id| (*id, BITS - 1));
        with(|tape| tape.push_bits(at, 0, 32, (0..32).map(sign).collect()))
    }
    pub(super) fn owe_range(self, at: Place, least: i64, most: i64) {
        with(|tape| self.0.iter().for_each(|id| tape.owe(at, Duty::Within(*id, least, most))));
    }
}

/// Returns an unknown of 32 bits, of which as many as there are lanes may be set, as memory holds
/// it.
pub(super) fn named(id: Id, lanes: usize) -> u32 {
    u32::from_le_bytes(with(|tape| from_fn(|byte| tape.name(id, byte))))
        & (u32::MAX >> (32 - lanes))
}

/// Records (p - m q) / 2^bits, which must be exact.
pub(super) fn exact_quotient(
    tape: &mut Tape,
    (at, i): (Place, usize),
    bits: u8,
    p: Id,
    [m, q]: [Id; 2],
) -> Id {
    let mq = tape.push(at, i, Op::MulWide, 2 * bits, [m, q]);
    let difference = tape.push(at, i, Op::Sub, 2 * bits, [p, mq]);
    tape.owe(at, Duty::LowHalfIsZero(difference));
    tape.push(at, i, Op::High, bits, [difference, NONE])
}

macro_rules! operators_of_vectors {
    ($($trait:ident $method:ident $op:ident)*) => { $(
        impl<const BITS: u8, const L: usize> $trait for Vector<BITS, L> {
            type Output = Self;
            #[track_caller]
            #[inline(never)]
            fn $method(self, b: Self) -> Self {
                self.zip(Location::caller(), Op::$op, b)
            }
        }
    )* };
}
operators_of_vectors! {
    Add add Add
    Sub sub Sub
    BitAnd bitand And
    BitOr bitor Or
    BitXor bitxor Xor
}

/// Writes lanes as fields of `bits` bits.
pub(super) fn pack(tape: &mut Tape, at: Place, lanes: &[Id], bits: usize, to: &mut [u8]) {
    for (i, to) in to.iter_mut().enumerate() {
        let source = |bit: usize| lanes.get(bit / bits).map(|lane| (*lane, (bit % bits) as u8));
        let id = tape.push_bits(at, i, 8, (8 * i..8 * i + 8).map(source).collect());
        *to = tape.name(id, 0);
    }
}

/// Reads `n` fields of `bits` bits as numbers of `width` bits.
pub(super) fn unpack(
    tape: &mut Tape,
    at: Place,
    width: u8,
    bits: usize,
    from: &[u8],
    n: usize,
) -> Vec<Id> {
    let from = &from[..(n * bits).div_ceil(8)];
    let bytes: Vec<Id> =
        from.iter().enumerate().map(|(i, byte)| tape.load(at, i, &[*byte])).collect();
    let source = |bit: usize| -> Source { Some((bytes[bit / 8], (bit % 8) as u8)) };
    let field = |i: usize| (i * bits..(i + 1) * bits).map(source).collect();
    (0..n).map(|i| tape.push_bits(at, i, width, field(i))).collect()
}
