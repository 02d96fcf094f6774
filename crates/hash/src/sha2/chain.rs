//! Chains of SHA-256 in vectors, for hash-based signatures. Each step hashes one block.
use core::hint::black_box;

use oaklath_simd::{
    HashWords, Simd, aligned_frame, array, each, instances, scratch, vectorize, wipe,
};

use super::compress::{Sha256, Twice, finish_block, first_rounds, last_rounds, words};
use super::message::{HEAD, Head, LaneTraces, length, padding};
use super::midstate::Midstate;
use crate::{ValueSpan, next_end};

/// Advances as many chains as there are lanes, or fewer, at most `MOST`: see
/// [`Sha256Lanes::advance_chains`](super::engines::Sha256Lanes::advance_chains).
#[inline(never)]
pub(super) fn advance<
    S: Simd,
    W: HashWords<S, u32>,
    const N: usize,
    const AT: usize,
    const MOST: usize,
>(
    s: S,
    start: &Midstate,
    heads: &[Head],
    steps: &[u32],
    values: &mut [[u8; N]],
    traces: &mut LaneTraces<'_, '_>,
) {
    vectorize!(s => {
        aligned_frame!();
        // The word with the byte before the value, and a 1 at the place of that byte.
        let counter = const { (AT - 1) >> 2 };
        let one_more = const { 1_u32 << (8 * (3 - ((AT - 1) & 3))) };
        // Word by word where rows would take too much stack: LMS, whose values begin at byte 23,
        // verifies with little, and two vectors have twice as many rows.
        let (mut fixed, value) = match const { (AT, MOST) } {
            (22, 16) => {
                let (fixed, value) = load_rows::<S, W, 6, N, 16>(s, heads, values);
                (fixed, Some(value))
            }
            _ => (words::<Sha256, S, W, 6, MOST>(s, heads), None),
        };
        let mut begin = [W::splat(s, 0); 8];
        each!(i in 0..8 => begin[i] = W::splat(s, start.state[i]));
        let head = first_rounds(s, &begin, &[fixed[0], fixed[1], fixed[2], fixed[3]]);
        let mut value = value.unwrap_or_else(|| load_values::<S, W, N, MOST>(s, values));
        let (mut step, mut next) = (0, next_end(steps, 0));
        while let Some(end) = next {
            if const { MOST > 16 } {
                next_values::<S, W, N, AT>(s, start, &head, &fixed, &mut value);
            } else {
                next_value::<S, W, N, AT>(s, start, &head, &fixed, &mut value);
            }
            fixed[counter] = fixed[counter] + W::splat(s, one_more);
            traces.record((step, steps), |lane, out| {
                store_value::<S, W, N, MOST>(&value, lane, out);
            });
            step += 1;
            if step == end {
                store_ended::<S, W, N, MOST>((step, steps), &value, values);
                next = next_end(steps, step);
            }
        }
        wipe(&mut value);
        wipe(&mut fixed);
    });
}

/// Replaces values by those after a step; `head` is the state after the first rounds.
#[inline(always)]
fn next_value<S: Simd, W: HashWords<S, u32>, const N: usize, const AT: usize>(
    s: S,
    start: &Midstate,
    head: &[W; 8],
    fixed: &[W; 6],
    value: &mut [W; 8],
) {
    let length = length(start, ValueSpan { at: AT, n: N });
    // Both states are loaded from memory in each step: vectors kept until the end of the rounds,
    // and sums that are equal in all steps, would be spilled to the stack, of which long vectors
    // take the most.
    let head = if const { W::LANES < 16 } { head } else { black_box(head) };
    let (mut v, mut w) = (*head, block::<S, W, N, AT>(s, fixed, value, length));
    // In line the rounds of sixteen lanes are up to 2.5 % faster, those of scalar words 5 %; of
    // eight lanes, however, 2 to 8 % slower.
    if const { W::LANES == 8 } {
        let begin = array!([W::splat(s, 0); 8]: i => W::splat(s, start.state[i]));
        finish_block(s, &begin, &mut v, &mut w);
        *value = v;
    } else {
        last_rounds::<Sha256, S, W, HEAD>(s, &mut v, &mut w);
        let begin = black_box(&start.state);
        each!(i in 0..8 => value[i] = v[i] + W::splat(s, begin[i]));
    }
}

/// Does [`next_value`] out of line, for words in two vectors, so that these have all registers.
#[inline(never)]
fn next_values<S: Simd, W: HashWords<S, u32>, const N: usize, const AT: usize>(
    s: S,
    start: &Midstate,
    head: &[W; 8],
    fixed: &[W; 6],
    value: &mut [W; 8],
) {
    vectorize!(s => {
        aligned_frame!();
        next_value::<S, W, N, AT>(s, start, head, fixed, value);
    });
}

/// Returns the block of a step.
#[inline(always)]
fn block<S: Simd, W: HashWords<S, u32>, const N: usize, const AT: usize>(
    s: S,
    fixed: &[W; 6],
    value: &[W; 8],
    length: u32,
) -> [W; 16] {
    let mut w = [W::splat(s, 0); 16];
    each!(i in 0..fixed.len() => w[i] = fixed[i]);
    let (place, one) = const { padding(ValueSpan { at: AT, n: N }) };
    (w[place], w[15]) = (W::splat(s, one), W::splat(s, length));
    put_value::<S, W, N, AT>(value, &mut w);
    w
}

/// Puts the value into the block from byte `AT` on.
#[inline(always)]
fn put_value<S: Simd, W: HashWords<S, u32>, const N: usize, const AT: usize>(
    value: &[W; 8],
    w: &mut [W; 16],
) {
    const { assert!(AT & 3 >= 2) };
    let first = const { AT >> 2 };
    each!(i in 0..const { N >> 2 } => {
        let x = value[i];
        // Each word of the value is split between two words of the block.
        let (here, next) = match const { AT & 3 } {
            2 => (x.shr::<16>(), x.shl::<16>()),
            _ => (x.shr::<24>(), x.shl::<8>()),
        };
        w[first + i] = w[first + i] ^ here;
        w[first + i + 1] = w[first + i + 1] ^ next;
    });
}

/// Loads the words of values, one by one.
#[inline(always)]
fn load_values<S: Simd, W: HashWords<S, u32>, const N: usize, const MOST: usize>(
    s: S,
    values: &[[u8; N]],
) -> [W; 8] {
    let mut words = [W::splat(s, 0); 8];
    each!(i in 0..const { N >> 2 } => {
        let mut word = [0; MOST];
        for (word, value) in word.iter_mut().zip(values) {
            *word = u32::from_be_bytes(value.as_chunks::<4>().0[i]);
        }
        words[i] = W::load(s, &word);
    });
    words
}

/// Loads the words of as many lanes as there are heads: the words before the value, and those of
/// the value. Each row has the length of a block, so that rows are transposed in registers. There
/// is memory for `MOST`.
#[inline(always)]
pub(super) fn load_rows<
    S: Simd,
    W: HashWords<S, u32>,
    const HEAD: usize,
    const N: usize,
    const MOST: usize,
>(
    s: S,
    heads: &[[u32; HEAD]],
    values: &[[u8; N]],
) -> ([W; HEAD], [W; 8]) {
    scratch!(rows: [[u32; 16]; MOST]);
    let rows = &mut rows[..W::LANES];
    for ((row, head), value) in rows.iter_mut().zip(heads).zip(values) {
        row[..HEAD].copy_from_slice(head);
        each!(i in 0..const { N >> 2 } => {
            row[8 + i] = u32::from_be_bytes(value.as_chunks::<4>().0[i]);
        });
    }
    let words = W::columns(s, rows);
    rows.iter_mut().for_each(wipe);
    let (head, _) = words.split_first_chunk().expect("at most eight of sixteen");
    let (_, value) = words.split_last_chunk().expect("eight of sixteen");
    (*head, *value)
}

#[inline(always)]
pub(super) fn store_value<S: Simd, W: HashWords<S, u32>, const N: usize, const MOST: usize>(
    words: &[W; 8],
    lane: usize,
    out: &mut [u8; N],
) {
    each!(i in 0..const { N >> 2 } => {
        let mut word = [0; MOST];
        words[i].store(&mut word);
        out.as_chunks_mut::<4>().0[i] = word[lane].to_be_bytes();
    });
}

/// Stores the values of the lanes that end after `step` steps.
#[inline(always)]
pub(super) fn store_ended<S: Simd, W: HashWords<S, u32>, const N: usize, const MOST: usize>(
    (step, steps): (u32, &[u32]),
    words: &[W; 8],
    values: &mut [[u8; N]],
) {
    // Otherwise vectors of the addresses of all words are computed before the loop over the steps,
    // and take a third of its stack.
    let values = if const { W::LANES < 16 } { values } else { black_box(values) };
    each!(i in 0..const { N >> 2 } => {
        let mut word = [0; MOST];
        words[i].store(&mut word);
        for ((value, word), steps) in values.iter_mut().zip(&word).zip(steps) {
            if *steps == step {
                value.as_chunks_mut::<4>().0[i] = word.to_be_bytes();
            }
        }
    });
}

instances! { S =>
    advance::<S, <S as Simd>::W32, 16, 22, 16>,
    advance::<S, <S as Simd>::W32, 24, 22, 16>,
    advance::<S, <S as Simd>::W32, 32, 22, 16>,
    advance::<S, <S as Simd>::W32, 24, 23, 16>,
    advance::<S, <S as Simd>::W32, 32, 23, 16>,
}
instances! { only Avx512: S =>
    advance::<S, Twice<S>, 16, 22, 32>,
    advance::<S, Twice<S>, 24, 22, 32>,
    advance::<S, Twice<S>, 32, 22, 32>,
    advance::<S, Twice<S>, 24, 23, 32>,
    advance::<S, Twice<S>, 32, 23, 32>,
    next_values::<S, Twice<S>, 16, 22>,
    next_values::<S, Twice<S>, 24, 22>,
    next_values::<S, Twice<S>, 32, 22>,
    next_values::<S, Twice<S>, 24, 23>,
    next_values::<S, Twice<S>, 32, 23>,
}
