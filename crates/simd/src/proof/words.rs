//! The recording backend: words of Keccak states.
use core::array::from_fn;

use crate::proof::tape::{Op, with};
use crate::proof::vector::{Vector, recorded};
use crate::vectors::words::{U64Lanes, U64s};

impl<const N: usize> Vector<64, N> {
    fn words(self) -> [u64; N] {
        let mut words = [0; N];
        self.write(&mut words);
        words
    }
}

impl<S, const N: usize> U64s<S> for Vector<64, N> {
    one_part!();

    recorded! { at;
        fn splat(_: S, x: u64) -> Self = {
            let id = with(|tape| tape.load_sum(at, 0, Op::Xor, &x.to_le_bytes()));
            Self([id; N])
        };
        fn chi(self, b: Self, c: Self) -> Self =
            self.zip(at, Op::Xor, b.zip(at, Op::AndNot, c));
        fn rol<const R: i32>(self) -> Self = self.map(at, Op::Rol(R as u32));
    }

    inlined! {
        fn first(self) -> u64 = self.words()[0];
    }
}

impl<S, const N: usize> U64Lanes<S, N> for Vector<64, N> {
    recorded! { at;
        fn from_array(_: S, x: [u64; N]) -> Self = Self::read(at, &x);
        fn select(self, mask: Self, b: Self) -> Self = {
            mask.owe_range(at, -1, 0);
            self.zip(at, Op::Xor, mask.zip(at, Op::And, self.zip(at, Op::Xor, b)))
        };
        fn xor_masked(self, mask: Self, x: u64) -> Self = {
            mask.owe_range(at, -1, 0);
            let id = with(|tape| tape.load(at, 0, &x.to_le_bytes()));
            self.zip(at, Op::Xor, mask.zip(at, Op::And, Self([id; N])))
        };
        fn load_words(_: S, rows: [&[u64; 4]; N]) -> [Self; 4] =
            from_fn(|j| Self::read(at, &rows.map(|row| row[j])));
    }

    inlined! {
        fn to_array(self) -> [u64; N] = self.words();
    }

    fn store_words<const R: usize>(words: [Self; 4], to: &mut [[u8; R]; N], at: usize) {
        for (j, word) in words.into_iter().enumerate() {
            for (row, word) in to.iter_mut().zip(word.words()) {
                row[at + 8 * j..at + 8 * j + 8].copy_from_slice(&word.to_le_bytes());
            }
        }
    }
}
