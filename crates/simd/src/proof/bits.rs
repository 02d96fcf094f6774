//! The recording backend: bit strings.
use core::array::from_fn;
use core::panic::Location;

use crate::proof::tape::{NONE, Op, with};
use crate::proof::vector::{Vector, recorded};
use crate::vectors::bits::Bits;

impl<S> Bits<S> for Vector<64, 4> {
    recorded! { at;
        fn splat(_: S, x: u64) -> Self = {
            let id = with(|tape| tape.load(at, 0, &x.to_le_bytes()));
            Self([id; 4])
        };
        fn from_words(_: S, words: &[u64; 4]) -> Self = Self::read(at, words);
        fn select(self, mask: Self, b: Self) -> Self = {
            mask.owe_range(at, -1, 0);
            self.zip(at, Op::Xor, mask.zip(at, Op::And, self.zip(at, Op::Xor, b)))
        };
        fn up(self) -> Self = {
            let [a, b, c, d] = self.0;
            let d = with(|tape| tape.push(at, 0, Op::Sll(1), 64, [d, NONE]));
            Self([d, a, b, c])
        };
        fn down(self) -> Self = {
            let [a, b, c, d] = self.0;
            let a = with(|tape| tape.push(at, 3, Op::Srl(1), 64, [a, NONE]));
            Self([b, c, d, a])
        };
        fn lowest_everywhere(self, _: S) -> Self = {
            let lowest = |_| Some((self.0[0], 0));
            Self([with(|tape| tape.push_bits(at, 0, 64, (0..64).map(lowest).collect())); 4])
        };
    }

    inlined! {
        fn to_words(self) -> [u64; 4] = {
            let mut words = [0; 4];
            self.write(&mut words);
            words
        };
    }
}

/// Records the product of polynomials over GF(2).
#[track_caller]
pub(super) fn multiply(a: u64, b: u64) -> [u64; 2] {
    let at = Location::caller();
    with(|tape| {
        let [a, b] = [a, b].map(|x| tape.load(at, 0, &x.to_le_bytes()));
        [Op::ClmulLow, Op::ClmulHigh].map(|op| {
            let id = tape.push(at, 0, op, 64, [a, b]);
            u64::from_le_bytes(from_fn(|byte| tape.name(id, byte)))
        })
    })
}
