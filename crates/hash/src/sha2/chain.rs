//! Chains of SHA-256 in vectors, for hash-based signatures. Each step hashes one block.
use core::hint::black_box;

use oaklath_simd::{
    HashWords, Simd, aligned_frame, array, each, instances, scratch, secret, vectorize, wipe,
};

use super::compress::{Sha256, finish_block, first_rounds, last_rounds, words};
use super::message::{HEAD, Head, LaneTraces, length, one_step};
use super::start::ChainStart;
use crate::{ValueSpan, next_end};

/// Evaluates `$code` with `$n`, the 16, 24 or 32 bytes of a value, as the constant `$N`. Loops over
/// values of a length that is not constant take up to a third of a call with few steps.
macro_rules! with_length {
    ($n:expr, $N:ident => $code:expr) => {
        match $n {
            16 => {
                const $N: usize = 16;
                $code
            }
            24 => {
                const $N: usize = 24;
                $code
            }
            _ => {
                const $N: usize = 32;
                $code
            }
        }
    };
}

/// Advances as many chains as there are lanes, or fewer, at most `MOST`: see
/// [`Sha256Lanes::advance_chains`](super::engines::Sha256Lanes::advance_chains). The span is known
/// to the compiler, unless `N` and `AT` are 0.
#[inline(never)]
pub(super) fn advance<
    S: Simd,
    W: HashWords<S, u32>,
    const N: usize,
    const AT: usize,
    const MOST: usize,
>(
    s: S,
    start: ChainStart<'_>,
    (span, heads): (ValueSpan, &[Head]),
    steps: &[u32],
    values: &mut [u8],
    traces: &mut LaneTraces<'_, '_>,
) {
    vectorize!(s => {
        aligned_frame!();
        let span = span.known::<N, AT>();
        let (mut fixed, mut value) = ([W::splat(s, 0); 6], [W::splat(s, 0); 8]);
        // Word by word where rows would take too much stack: LMS, whose values begin at byte 23,
        // verifies with little, and two vectors have twice as many rows.
        let by_rows = const { W::LANES > 1 && MOST == 16 } && span.at == 22;
        if by_rows && const { N > 0 } {
            (fixed, value) = load_rows::<S, W, 6, 16>(s, heads, span.n, values);
        } else if by_rows {
            load_chains(s, heads, span.n, values, &mut fixed, &mut value);
        } else {
            fixed = words::<Sha256, S, W, 6, MOST>(s, heads);
        }
        let begin = array!([W::splat(s, 0); 8]: i => start.word(s, i));
        let head = first_rounds(s, &begin, &[fixed[0], fixed[1], fixed[2], fixed[3]]);
        if !by_rows {
            load_values::<S, W, MOST>(s, span.n, values, &mut value);
        }
        let (mut w, mut step, mut next) = ([W::splat(s, 0); 16], 0, next_end(steps, 0));
        while let Some(end) = next {
            if const { MOST > 16 } {
                next_values::<S, W, N, AT>(s, start, span, &head, &fixed, &mut value);
            } else {
                next_value(s, start, span, &head, &fixed, &mut value, &mut w);
            }
            fixed[5] = fixed[5] + W::splat(s, one_step(span));
            if !traces.is_empty() {
                record::<S, W, MOST>(s, &value, span.n, (step, steps), traces);
            }
            step += 1;
            if step == end {
                store_ended::<S, W, MOST>((step, steps), &value, span.n, values);
                next = next_end(steps, step);
            }
        }
        wipe(&mut value);
        wipe(&mut fixed);
        if const { W::LANES == 8 } {
            wipe(&mut w);
        }
    });
}

/// Replaces values by those after a step; `head` is the state after the first rounds. `memory` is
/// for the block of eight lanes, the only one that is not in registers; the caller erases it.
#[inline(always)]
fn next_value<S: Simd, W: HashWords<S, u32>>(
    s: S,
    start: ChainStart<'_>,
    span: ValueSpan,
    head: &[W; 8],
    fixed: &[W; 6],
    value: &mut [W; 8],
    memory: &mut [W; 16],
) {
    // Both states are loaded from memory in each step: vectors kept until the end of the rounds,
    // and sums that are equal in all steps, would be spilled to the stack, of which long vectors
    // take the most.
    let head = if const { W::LANES < 16 } { head } else { black_box(head) };
    let (mut v, mut w) = (*head, block(s, fixed, value, span, length(start.len, span)));
    // In line the rounds of sixteen lanes are up to 2.5 % faster, those of scalar words 5 %; of
    // eight lanes, however, 2 to 8 % slower.
    if const { W::LANES == 8 } {
        let begin = array!([W::splat(s, 0); 8]: i => start.word(s, i));
        *memory = w;
        finish_block(s, &begin, &mut v, memory);
        *value = v;
    } else {
        last_rounds::<Sha256, S, W, HEAD>(s, &mut v, &mut w);
        let start = black_box(start);
        each!(i in 0..8 => value[i] = v[i] + start.word(s, i));
    }
}

/// Does [`next_value`] out of line, for words in two vectors, so that these have all registers.
#[inline(never)]
fn next_values<S: Simd, W: HashWords<S, u32>, const N: usize, const AT: usize>(
    s: S,
    start: ChainStart<'_>,
    span: ValueSpan,
    head: &[W; 8],
    fixed: &[W; 6],
    value: &mut [W; 8],
) {
    vectorize!(s => {
        aligned_frame!();
        let span = span.known::<N, AT>();
        next_value(s, start, span, head, fixed, value, &mut [W::splat(s, 0); 16]);
    });
}

/// Returns the block of a step.
#[inline(always)]
fn block<S: Simd, W: HashWords<S, u32>>(
    s: S,
    fixed: &[W; 6],
    value: &[W; 8],
    span: ValueSpan,
    length: u32,
) -> [W; 16] {
    let mut w = [W::splat(s, 0); 16];
    each!(i in 0..fixed.len() => w[i] = fixed[i]);
    w[15] = W::splat(s, length);
    match span.at {
        22 => put_value::<S, W, 16, 16>(s, value, span.n, &mut w),
        _ => put_value::<S, W, 24, 8>(s, value, span.n, &mut w),
    }
    w
}

/// Puts the value of `n` bytes and the one bit after it into the block from the last bytes of word
/// 5 on. Each word of the value is split between two words of the block.
#[inline(always)]
fn put_value<S: Simd, W: HashWords<S, u32>, const HERE: u32, const NEXT: u32>(
    s: S,
    value: &[W; 8],
    n: usize,
    w: &mut [W; 16],
) {
    macro_rules! put {
        ($from:literal..$to:literal) => {
            each!(i in $from..$to => {
                w[5 + i] = w[5 + i] ^ value[i].shr::<HERE>();
                w[6 + i] = w[6 + i] ^ value[i].shl::<NEXT>();
            });
        };
    }
    let one = W::splat(s, const { 1 << (NEXT - 1) });
    put!(0..4);
    match n {
        16 => w[9] = w[9] ^ one,
        24 => {
            put!(4..6);
            w[11] = w[11] ^ one;
        }
        _ => {
            put!(4..8);
            w[13] = w[13] ^ one;
        }
    }
}

/// Loads the words of values of `n` bytes, one by one, in place: a copy would take stack.
#[inline(always)]
fn load_values<S: Simd, W: HashWords<S, u32>, const MOST: usize>(
    s: S,
    n: usize,
    values: &[u8],
    words: &mut [W; 8],
) {
    secret!(word: [u32; MOST]);
    with_length!(n, N => {
        let values = values.as_chunks::<N>().0;
        each!(i in 0..N >> 2 => {
            for (word, value) in word.iter_mut().zip(values) {
                *word = u32::from_be_bytes(value.as_chunks::<4>().0[i]);
            }
            words[i] = W::load(s, word);
        });
    });
}

/// Does [`load_rows`] out of line: in line, LMS, which shares the kernel but loads no rows, would
/// take their stack, too.
#[inline(never)]
fn load_chains<S: Simd, W: HashWords<S, u32>>(
    s: S,
    heads: &[Head],
    n: usize,
    values: &[u8],
    fixed: &mut [W; 6],
    value: &mut [W; 8],
) {
    vectorize!(s => {
        aligned_frame!();
        (*fixed, *value) = load_rows::<S, W, 6, 16>(s, heads, n, values);
    });
}

/// Loads the words of as many lanes as there are heads: the words before the value, and those of
/// the value, which has `n` bytes. Each row has the length of a block, so that rows are transposed
/// in registers. There is memory for `MOST`.
#[inline(always)]
pub(super) fn load_rows<S: Simd, W: HashWords<S, u32>, const HEAD: usize, const MOST: usize>(
    s: S,
    heads: &[[u32; HEAD]],
    n: usize,
    values: &[u8],
) -> ([W; HEAD], [W; 8]) {
    scratch!(rows: [[u32; 16]; MOST]);
    let rows = &mut rows[..W::LANES];
    with_length!(n, N => {
        for ((row, head), value) in rows.iter_mut().zip(heads).zip(values.as_chunks::<N>().0) {
            row[..HEAD].copy_from_slice(head);
            each!(i in 0..N >> 2 => row[8 + i] = u32::from_be_bytes(value.as_chunks::<4>().0[i]));
        }
    });
    let words = W::columns(s, rows);
    rows.iter_mut().for_each(wipe);
    let (head, _) = words.split_first_chunk().expect("at most eight of sixteen");
    let (_, value) = words.split_last_chunk().expect("eight of sixteen");
    (*head, *value)
}

/// Writes the values after a step to the traces of its lanes. Out of line: few calls have traces,
/// and all others spare its stack.
#[inline(never)]
pub(super) fn record<S: Simd, W: HashWords<S, u32>, const MOST: usize>(
    s: S,
    value: &[W; 8],
    n: usize,
    (step, steps): (u32, &[u32]),
    traces: &mut LaneTraces<'_, '_>,
) {
    vectorize!(s => {
        secret!(words: [[u32; MOST]; 8]);
        each!(i in 0..8 => value[i].store(&mut words[i]));
        traces.record((step, steps), n, |lane, out| {
            for (out, word) in out.as_chunks_mut::<4>().0.iter_mut().zip(words.iter()) {
                *out = word[lane].to_be_bytes();
            }
        });
    });
}

/// Stores the values, of `n` bytes, of the lanes that end after `step` steps.
#[inline(always)]
pub(super) fn store_ended<S: Simd, W: HashWords<S, u32>, const MOST: usize>(
    (step, steps): (u32, &[u32]),
    words: &[W; 8],
    n: usize,
    values: &mut [u8],
) {
    // Otherwise vectors of the addresses of all words are computed before the loop over the steps,
    // and take a third of its stack.
    let values = if const { W::LANES < 16 } { values } else { black_box(values) };
    secret!(word: [u32; MOST]);
    with_length!(n, N => {
        let values = values.as_chunks_mut::<N>().0;
        each!(i in 0..N >> 2 => {
            words[i].store(word);
            for ((value, word), steps) in values.iter_mut().zip(word.iter()).zip(steps) {
                if *steps == step {
                    value.as_chunks_mut::<4>().0[i] = word.to_be_bytes();
                }
            }
        });
    });
}

instances! { S => advance::<S, <S as Simd>::W32, 16, 22, 16> }
instances! { only vectors: S =>
    advance::<S, <S as Simd>::W32, 0, 0, 16>,
    load_chains::<S, <S as Simd>::W32>,
    record::<S, <S as Simd>::W32, 16>,
}
instances! { only Avx512: S =>
    advance::<S, super::compress::Twice<S>, 16, 22, 32>,
    advance::<S, super::compress::Twice<S>, 0, 0, 32>,
    record::<S, super::compress::Twice<S>, 32>,
    next_values::<S, super::compress::Twice<S>, 16, 22>,
    next_values::<S, super::compress::Twice<S>, 0, 0>,
}
instances! { only Scalar: S =>
    advance::<S, <S as Simd>::W32, 24, 22, 16>,
    advance::<S, <S as Simd>::W32, 32, 22, 16>,
    advance::<S, <S as Simd>::W32, 24, 23, 16>,
    advance::<S, <S as Simd>::W32, 32, 23, 16>,
}
