//! SHA-256 by the CPU's unit, with four messages interleaved: each round waits for the one before,
//! and four messages hide this latency.
use oaklath_simd::{ShaUnit, Simd, array, each, instances, vectorize};

use super::constants::K256;
use super::message::{Block256, Head, LaneTraces, length, one_step, padding};
use super::start::ChainStart;
use crate::{ValueSpan, next_end};

/// The number of messages that are interleaved.
pub(super) const WIDTH: usize = 4;

/// Runs an expression in which slices of one to four items are arrays: those before `mut`, and the
/// last, whose length counts.
macro_rules! by_lanes {
    ($($slice:ident)*, mut $last:ident => $run:expr) => {
        match $last.len() {
            1 => by_lanes!(@1 $($slice)*, $last => $run),
            2 => by_lanes!(@2 $($slice)*, $last => $run),
            3 => by_lanes!(@3 $($slice)*, $last => $run),
            4 => by_lanes!(@4 $($slice)*, $last => $run),
            lanes => unreachable!("{lanes} lanes"),
        }
    };
    (@$lanes:literal $($slice:ident)*, $last:ident => $run:expr) => {{
        $(let $slice = $slice.first_chunk::<$lanes>().expect("an item for each lane");)*
        let $last = $last.first_chunk_mut::<$lanes>().expect("the matched length");
        $run
    }};
}
pub(super) use by_lanes;

/// Compresses a block into each state.
pub(super) fn compress<U: ShaUnit>(unit: U, states: &mut [[u32; 8]], blocks: &[Block256]) {
    for (states, blocks) in states.chunks_mut(WIDTH).zip(blocks.chunks(WIDTH)) {
        by_lanes!(blocks, mut states => compress_many(unit, states, blocks));
    }
}

/// Computes the rounds from `4 * FROM` on for `M` messages.
#[inline(always)]
pub(super) fn rounds<U: ShaUnit, const M: usize, const FROM: usize>(
    unit: U,
    v: &mut [U::State; M],
    w: &mut [[U::Words; 4]; M],
) {
    macro_rules! four {
        ($($i:literal)*) => { $(
            if $i >= FROM {
                let k = unit.load(&K256[$i]);
                each!(n in 0..M => {
                    v[n] = unit.rounds(v[n], w[n][$i & 3] + k);
                    if $i < 12 {
                        let words =
                            [w[n][$i & 3], w[n][($i + 1) & 3], w[n][($i + 2) & 3], w[n][($i + 3) & 3]];
                        w[n][$i & 3] = unit.schedule(words);
                    }
                });
            } else {
                each!(n in 0..M => {
                    let words =
                        [w[n][$i & 3], w[n][($i + 1) & 3], w[n][($i + 2) & 3], w[n][($i + 3) & 3]];
                    w[n][$i & 3] = unit.schedule(words);
                });
            }
        )* };
    }
    four!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
}

#[inline(always)]
pub(super) fn halves(words: &[u32; 8]) -> [&[u32; 4]; 2] {
    let [low, high] = words.as_chunks::<4>().0 else { unreachable!("eight are two times four") };
    [low, high]
}

#[inline(always)]
pub(super) fn load_state<U: ShaUnit>(unit: U, words: &[u32; 8]) -> U::State {
    let [low, high] = halves(words);
    unit.state(unit.load(low), unit.load(high))
}

#[inline(never)]
fn compress_many<U: ShaUnit, const M: usize>(
    unit: U,
    states: &mut [[u32; 8]; M],
    blocks: &[Block256; M],
) {
    vectorize!(unit => {
        let zero = unit.load(&[0; 4]);
        let mut start = [load_state(unit, &states[0]); M];
        let mut w = [[zero; 4]; M];
        each!(n in 0..M => {
            start[n] = load_state(unit, &states[n]);
            let block = blocks[n].as_chunks::<4>().0;
            w[n] = [
                unit.load(&block[0]),
                unit.load(&block[1]),
                unit.load(&block[2]),
                unit.load(&block[3]),
            ];
        });
        let mut v = start;
        rounds::<U, M, 0>(unit, &mut v, &mut w);
        each!(n in 0..M => store_words(unit, unit.words(start[n] + v[n]), &mut states[n]));
    });
}

#[inline(always)]
fn store_words<U: ShaUnit>(unit: U, words: [U::Words; 2], to: &mut [u32; 8]) {
    let [low, high] = to.as_chunks_mut::<4>().0 else { unreachable!("eight are two times four") };
    unit.store(words[0], low);
    unit.store(words[1], high);
}

/// Compresses the blocks of one message, as bytes.
#[inline(always)]
pub(super) fn compress_bytes<U: ShaUnit>(unit: U, state: &mut [u32; 8], blocks: &[[u8; 64]]) {
    vectorize!(unit => {
        let mut v = [load_state(unit, state)];
        for block in blocks {
            let words = block.as_chunks::<4>().0;
            let row = |i: usize| load_row(unit, [words[i], words[i + 1], words[i + 2], words[i + 3]]);
            let (start, mut w) = (v[0], [[row(0), row(4), row(8), row(12)]]);
            rounds::<U, 1, 0>(unit, &mut v, &mut w);
            v[0] = start + v[0];
        }
        store_words(unit, unit.words(v[0]), state);
    });
}

/// Advances at most `WIDTH` chains: see
/// [`Sha256Lanes::advance_chains`](super::engines::Sha256Lanes::advance_chains).
pub(super) fn advance<U: ShaUnit, const N: usize, const AT: usize>(
    unit: U,
    start: ChainStart<'_>,
    heads: &[Head],
    steps: &[u32],
    values: &mut [[u8; N]],
    traces: &mut LaneTraces<'_, '_>,
) {
    by_lanes!(heads steps, mut values =>
        advance_many::<U, _, N, AT>(unit, start, heads, steps, values, traces));
}

/// Returns the shuffle that moves half `half` of a value of `n` bytes at byte `at` of a block to
/// row `row` of the block. Words are little-endian in registers and big-endian in the message.
const fn table(at: usize, n: usize, row: usize, half: usize) -> [u8; 16] {
    let mut table = [255; 16];
    each!(i in 0..16 => {
        let byte = 16 * row + i;
        if byte >= at && byte < at + n && (byte - at) >> 4 == half {
            table[i ^ 3] = (((byte - at) & 15) ^ 3) as u8;
        }
    });
    table
}

/// The tables of rows 1 to 3, for both halves of the value.
struct Tables<const AT: usize, const N: usize>;

impl<const AT: usize, const N: usize> Tables<AT, N> {
    const ALL: [[[u8; 16]; 2]; 3] = [
        [table(AT, N, 1, 0), table(AT, N, 1, 1)],
        [table(AT, N, 2, 0), table(AT, N, 2, 1)],
        [table(AT, N, 3, 0), table(AT, N, 3, 1)],
    ];
    /// Whether each table moves any byte.
    const TAKES: [[bool; 2]; 3] = {
        let mut takes = [[false; 2]; 3];
        each!(i in 0..96 => {
            let (row, half) = (i >> 5, (i >> 4) & 1);
            takes[row][half] |= Self::ALL[row][half][i & 15] != 255;
        });
        takes
    };
    /// What a step adds to row 1.
    const ONE: [u32; 4] = [0, one_step(ValueSpan { at: AT, n: N }), 0, 0];
}

#[inline(never)]
fn advance_many<U: ShaUnit, const M: usize, const N: usize, const AT: usize>(
    unit: U,
    start: ChainStart<'_>,
    heads: &[Head; M],
    steps: &[u32; M],
    values: &mut [[u8; N]; M],
    traces: &mut LaneTraces<'_, '_>,
) {
    let (mut padding_rows, (word, one)) =
        ([[0; 4]; 2], const { padding(ValueSpan { at: AT, n: N }) });
    padding_rows.as_flattened_mut()[word - 8] = one;
    padding_rows[1][3] = length(start.len, ValueSpan { at: AT, n: N });
    vectorize!(unit => {
        let begin = array!([load_state(unit, &start.of_lane(0)); M]:
            n => load_state(unit, &start.of_lane(n)));
        let zero = unit.load(&[0; 4]);
        // The rows of the blocks without values (two of them have only padding), and the states
        // after the rounds of row 0.
        let (mut fixed, mut head) = ([[zero; 2]; M], begin);
        let padding = [unit.load(&padding_rows[0]), unit.load(&padding_rows[1])];
        let mut value = [[zero; 2]; M];
        let mut n = 0;
        while n < M {
            let [a, b, c, d, e, f] = heads[n];
            fixed[n] = [unit.load(&[a, b, c, d]), unit.load(&[e, f, 0, 0])];
            head[n] = unit.rounds(begin[n], fixed[n][0] + unit.load(&K256[0]));
            value[n] = load_value(unit, &values[n]);
            n += 1;
        }
        let one = unit.load(const { &Tables::<AT, N>::ONE });
        let (mut count, mut step, mut next) = (zero, 0, next_end(steps, 0));
        while let Some(end) = next {
            let (mut v, mut w) = (head, [[zero; 4]; M]);
            each!(n in 0..M => {
                // Row by row: a copy of all rows would go through wide registers.
                w[n] = [fixed[n][0], fixed[n][1] + count, padding[0], padding[1]];
                put_value::<U, N, AT>(unit, &value[n], &mut w[n]);
            });
            count = count + one;
            rounds::<U, M, 1>(unit, &mut v, &mut w);
            each!(n in 0..M => value[n] = unit.words(begin[n] + v[n]));
            traces.record((step, steps), N, |lane, out| store_value(unit, value[lane], out));
            step += 1;
            if step == end {
                store_ended(unit, (step, steps), &value, values);
                next = next_end(steps, step);
            }
        }
    });
}

/// Stores the values of the lanes that end after `step` steps.
#[inline(always)]
pub(super) fn store_ended<U: ShaUnit, const M: usize, const N: usize>(
    unit: U,
    (step, steps): (u32, &[u32; M]),
    value: &[[U::Words; 2]; M],
    values: &mut [[u8; N]; M],
) {
    each!(n in 0..M => {
        if steps[n] == step {
            store_value(unit, value[n], &mut values[n]);
        }
    });
}

/// Puts the value into rows 1 to 3.
#[inline(always)]
fn put_value<U: ShaUnit, const N: usize, const AT: usize>(
    unit: U,
    value: &[U::Words; 2],
    w: &mut [U::Words; 4],
) {
    macro_rules! put {
        ($($row:literal $half:literal)*) => { $(
            if const { Tables::<AT, N>::TAKES[$row][$half] } {
                let table = const { &Tables::<AT, N>::ALL[$row][$half] };
                w[$row + 1] = w[$row + 1] ^ unit.shuffle(value[$half], table);
            }
        )* };
    }
    put!(0 0  0 1  1 0  1 1  2 0  2 1);
}

/// A shuffle that reverses the bytes of each word.
const SWAP: [u8; 16] = [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12];

/// Loads a value of 16, 24 or 32 bytes, and zeros after it. Does not assemble it in memory, which
/// the compiler would do with wide registers.
#[inline(always)]
pub(super) fn load_value<U: ShaUnit>(unit: U, value: &[u8]) -> [U::Words; 2] {
    const NONE: [u8; 4] = [0; 4];
    let [first, second] = match *value.as_chunks::<4>().0 {
        [a, b, c, d] => [[a, b, c, d], [NONE; 4]],
        [a, b, c, d, e, f] => [[a, b, c, d], [e, f, NONE, NONE]],
        [a, b, c, d, e, f, g, h] => [[a, b, c, d], [e, f, g, h]],
        _ => unreachable!("no value has {} bytes", value.len()),
    };
    [load_row(unit, first), load_row(unit, second)]
}

/// Loads four big-endian words.
#[inline(always)]
fn load_row<U: ShaUnit>(unit: U, words: [[u8; 4]; 4]) -> U::Words {
    unit.shuffle(unit.load(&words.map(u32::from_ne_bytes)), &SWAP)
}

/// Stores the first bytes of a value, as many as `to` has room for.
#[inline(always)]
pub(super) fn store_value<U: ShaUnit>(unit: U, words: [U::Words; 2], to: &mut [u8]) {
    let mut native = [[0; 4]; 2];
    unit.store(unit.shuffle(words[0], &SWAP), &mut native[0]);
    unit.store(unit.shuffle(words[1], &SWAP), &mut native[1]);
    let [a, b, c, d] = native[0].map(u32::to_ne_bytes);
    let [e, f, g, h] = native[1].map(u32::to_ne_bytes);
    let to = to.as_chunks_mut::<4>().0;
    match to.len() {
        4 => to.copy_from_slice(&[a, b, c, d]),
        6 => to.copy_from_slice(&[a, b, c, d, e, f]),
        _ => to.copy_from_slice(&[a, b, c, d, e, f, g, h]),
    }
}

/// Instantiates chains for each length of head and value.
macro_rules! chains {
    ($($lanes:literal)*) => { instances! { S => $(
        compress_many::<<S as Simd>::Sha, $lanes>,
        advance_many::<<S as Simd>::Sha, $lanes, 16, 22>,
        advance_many::<<S as Simd>::Sha, $lanes, 24, 22>,
        advance_many::<<S as Simd>::Sha, $lanes, 32, 22>,
        advance_many::<<S as Simd>::Sha, $lanes, 24, 23>,
        advance_many::<<S as Simd>::Sha, $lanes, 32, 23>
    ),* } };
}
chains!(1 2 3 4);

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that every byte of a value goes to its place in the block: the tables of both halves
    /// and of rows 1 to 3 move each byte once.
    #[test]
    fn tables_take_every_byte_once() {
        for (at, n) in [(22, 24), (22, 32), (23, 24), (23, 32), (31, 24)] {
            let mut taken = std::vec::Vec::new();
            for (row, half) in [(1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1)] {
                for (i, from) in table(at, n, row, half).into_iter().enumerate() {
                    // Words are little-endian in both registers.
                    let (to, from) = (16 * row + (i ^ 3), usize::from(from));
                    if from != 255 {
                        assert_eq!(to, at + 16 * half + (from ^ 3), "{n} bytes at {at}");
                        taken.push(to - at);
                    }
                }
            }
            taken.sort_unstable();
            assert!(taken.into_iter().eq(0..n), "{n} bytes at {at}");
        }
    }
}
