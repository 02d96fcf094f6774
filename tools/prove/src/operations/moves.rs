//! Operations that only move lanes, or bits of them.
use std::array::from_fn;

use anyhow::{Context, Result, ensure};
use oaklath_prove_engine::proof::memory::Id;
use oaklath_prove_engine::proof::record::record;
use oaklath_prove_engine::proof::{Proof8, Proof16, Proof32, ProofNeon};
use oaklath_prove_engine::{Kernel, Level, Values};
use oaklath_simd::{Bits, HashWords, I16s, I32s, Simd, U64Lanes, dispatch};

/// The bytes that are moved.
const BYTES: usize = 1024;
/// How many numbers each bit is told by: the bits of its place, and then ones.
const ROUNDS: usize = 14;

/// What is moved and where to.
struct Moves<'a> {
    from: &'a [u8],
    to: Vec<u8>,
}

/// Defines how numbers of a type are taken and moved.
macro_rules! numbers {
    ($($name:ident $ty:ty;)*) => { $(
        fn $name<const N: usize>(&self, at: usize) -> [$ty; N] {
            let size = size_of::<$ty>();
            from_fn(|i| {
                let bytes = &self.from[(at * N + i) * size..][..size];
                <$ty>::from_le_bytes(*bytes.first_chunk().expect("as many bytes"))
            })
        }
    )* };
}

impl Moves<'_> {
    numbers! { i8s i8; i16s i16; i32s i32; u32s u32; u64s u64; }

    /// Appends what was stored.
    fn end<const N: usize>(&mut self, numbers: impl IntoIterator<Item = [u8; N]>) {
        self.to.extend(numbers.into_iter().flatten());
    }

    /// Stores vectors of 16-bit lanes.
    fn store16<S: Simd>(&mut self, vectors: [S::I16; 2]) {
        for vector in vectors {
            let mut lanes = [0; 32];
            vector.store(&mut lanes);
            self.end(lanes.map(i16::to_le_bytes));
        }
    }

    /// Stores vectors of 32-bit lanes.
    fn store32<S: Simd>(&mut self, vectors: [S::I32; 2]) {
        for vector in vectors {
            let mut lanes = [0; 16];
            vector.store(&mut lanes);
            self.end(lanes.map(i32::to_le_bytes));
        }
    }
}

/// Moves lanes of 16 bits in each way.
fn move16<S: Simd>(s: S, moves: &mut Moves<'_>) {
    let [a, b] = [0, 1].map(|at| S::I16::load(s, &moves.i16s::<32>(at)));
    macro_rules! transpose {
        ($($len:literal)*) => { $(
            if 2 * $len <= S::I16::LANES {
                let (a, b) = a.transpose::<$len>(b);
                moves.store16::<S>([a, b]);
            }
        )* };
    }
    transpose!(1 2 4 8 16);
    for (a, b) in [a.unravel(b), a.ravel(b), (a.swap_pairs(), a.with_odd(b))] {
        moves.store16::<S>([a, b]);
    }
    macro_rules! fields {
        ($($d:literal)*) => { $(
            let unpacked = S::I16::unpack::<$d>(s, moves.from);
            moves.store16::<S>([unpacked; 2]);
        )* };
    }
    fields!(4 5 6 10 11 12);
    macro_rules! pack {
        ($($d:literal)*) => { $(
            let lanes = moves.i16s::<32>(0).map(|x| x & ((1 << $d) - 1));
            let mut bytes = [0; 64];
            S::I16::load(s, &lanes).pack::<$d>(&mut bytes[..S::I16::LANES * $d / 8]);
            moves.to.extend(bytes);
        )* };
    }
    pack!(4 5 10 11 12);
    moves.to.extend(a.signs().to_le_bytes());
    let [bits] = moves.u32s::<1>(0);
    moves.store16::<S>([S::I16::from_bits(s, bits, 0x5a3), S::I16::from_bits(s, bits, -1)]);
}

/// Moves lanes of 32 bits in each way.
fn move32<S: Simd>(s: S, moves: &mut Moves<'_>) {
    let [a, b] = [0, 1].map(|at| S::I32::load(s, &moves.i32s::<16>(at)));
    macro_rules! transpose {
        ($($len:literal)*) => { $(
            if 2 * $len <= S::I32::LANES {
                let (a, b) = a.transpose::<$len>(b);
                moves.store32::<S>([a, b]);
            }
        )* };
    }
    transpose!(1 2 4 8);
    for (a, b) in [a.unravel(b), a.ravel(b)] {
        moves.store32::<S>([a, b]);
    }
    macro_rules! fields {
        ($($d:literal)*) => { $(
            let unpacked = S::I32::unpack::<$d>(s, moves.from);
            moves.store32::<S>([unpacked; 2]);
        )* };
    }
    fields!(3 4 6 10 13 18 20 24);
    macro_rules! pack {
        ($($d:literal)*) => { $(
            let lanes = moves.i32s::<16>(0).map(|x| x & ((1 << $d) - 1));
            let mut bytes = [0; 64];
            S::I32::load(s, &lanes).pack::<$d>(&mut bytes[..S::I32::LANES * $d / 8]);
            moves.to.extend(bytes);
        )* };
    }
    pack!(3 4 6 10 13 18 20);
    moves.to.extend(a.signs().to_le_bytes());
    let mut bytes = [0; 16];
    a.narrow(&mut bytes);
    moves.end(bytes.map(i8::to_le_bytes));
    moves.store32::<S>([S::I32::widen(s, &moves.i8s::<16>(0)); 2]);
}

/// Moves words in each way.
fn move64<S: Simd>(s: S, moves: &mut Moves<'_>) {
    let rows = moves.u64s::<64>(0);
    let rows: [&[u64; 4]; 8] = from_fn(|i| rows[4 * i..].first_chunk().expect("four words"));
    let eight = S::Eight::load_words(s, rows);
    let four = S::Four::load_words(s, *rows.first_chunk().expect("four rows"));
    moves.end(eight.map(S::Eight::to_array).as_flattened().iter().map(|x| x.to_le_bytes()));
    moves.end(four.map(S::Four::to_array).as_flattened().iter().map(|x| x.to_le_bytes()));
    let (mut of_eight, mut of_four) = ([[0; 40]; 8], [[0; 40]; 4]);
    S::Eight::store_words(eight, &mut of_eight, 8);
    S::Four::store_words(four, &mut of_four, 8);
    moves.end(of_eight.into_iter().chain(of_four));
    let joined = s.join(four[0], four[1]);
    moves.end(joined.to_array().map(u64::to_le_bytes));
    for part in s.split(eight[0]) {
        moves.end(part.to_array().map(u64::to_le_bytes));
    }
    for lanes in 0..16 {
        let mask = from_fn(|i| u64::from(lanes >> i & 1 == 1).wrapping_neg());
        let selected = four[0].select(S::Four::from_array(s, mask), four[1]);
        moves.end(selected.to_array().map(u64::to_le_bytes));
        let mask = S::Bits::from_words(s, &mask);
        let [a, b] = [0, 1].map(|i| S::Bits::from_words(s, rows[i]));
        moves.end(a.select(mask, b).to_words().map(u64::to_le_bytes));
    }
    let bits = S::Bits::from_words(s, rows[0]);
    for moved in [bits.up(), bits.down(), bits.lowest_everywhere(s)] {
        moves.end(moved.to_words().map(u64::to_le_bytes));
    }
}

/// Moves columns of words.
fn move_columns<S: Simd>(s: S, moves: &mut Moves<'_>) {
    let rows: Vec<[u32; 16]> = (0..S::W32::LANES).map(|i| moves.u32s(i)).collect();
    for column in S::W32::columns(s, &rows) {
        let mut words = [0; 32];
        column.store(&mut words);
        moves.end(words.map(u32::to_le_bytes));
    }
}

fn move_all<S: Simd>(s: S, from: &[u8]) -> Vec<u8> {
    let mut moves = Moves { from, to: Vec::new() };
    move16(s, &mut moves);
    move32(s, &mut moves);
    move64(s, &mut moves);
    move_columns(s, &mut moves);
    moves.to
}

/// Returns byte `at` of what is moved in a round.
fn byte(at: usize, round: usize) -> u8 {
    let bit = |bit: usize| round == ROUNDS - 1 || (8 * at + bit) >> round & 1 == 1;
    (0..8).fold(0, |byte, i| byte | u8::from(bit(i)) << i)
}

/// Compares where each bit goes at each level, and on a tape with as many lanes.
pub(super) fn check_moves() -> Result<()> {
    for level in Level::available() {
        let tape = record(&|io| {
            let mut from = [0; BYTES];
            io.inputs(&mut from, -128..=127);
            io.outputs(&match dispatch!(level, s => words(s)) {
                1 => move_all(Proof8 {}, &from),
                4 => move_all(ProofNeon {}, &from),
                8 => move_all(Proof16 {}, &from),
                _ => move_all(Proof32 {}, &from),
            });
        });
        let k = Kernel::new("moves", 2, 2, tape.into_iter().next().context("a tape")?);
        let all: Vec<Vec<u8>> = (0..ROUNDS)
            .map(|round| {
                let from: Vec<u8> = (0..BYTES).map(|at| byte(at, round)).collect();
                dispatch!(level, s => move_all(s, &from))
            })
            .collect();
        ensure!(all[0].len() == k.count_outputs(), "{level} moves less");
        for i in 0..k.count_outputs() {
            let inputs = k.roots_of(k.output(i));
            let values = |input: &Id| {
                let at = k.inputs().iter().position(|id| id == input).expect("an input");
                from_fn(|round| i64::from(byte(at, round.min(ROUNDS - 1)) as i8))
            };
            let of: Vec<Values> = inputs.iter().map(values).collect();
            let wanted = k.function_of(k.output(i), &inputs).at(&of)[..ROUNDS].to_vec();
            let is = all.iter().map(|moved| i64::from(moved[i] as i8));
            ensure!(is.eq(wanted), "byte {i} at {level} is of other places");
        }
        println!("moves at {level}: each bit of {} bytes", k.count_outputs());
    }
    Ok(())
}

/// The words of SHA-256 in a vector, which tell the backends apart.
fn words<S: Simd>(_: S) -> usize {
    S::W32::LANES
}

#[cfg(test)]
mod tests {
    #[test]
    fn each_bit_moves_as_on_a_tape() {
        super::check_moves().unwrap();
    }
}
