//! Chains of SHA-256 in vectors, what hash trees are made of: a step is one block.
use core::hint::black_box;

use oaklath_simd::{HashWords, Simd, aligned_frame, instances, vectorize, wipe};

use super::compress::{Sha256, first_rounds, last_rounds, words};
use super::message::{HEAD, Head, LaneTraces, length, padding};
use super::midstate::Midstate;
use crate::{ValueSpan, most_steps};

/// As many chains as there are lanes, or fewer: see
/// [`Sha256Lanes::advance_chains`](super::engines::Sha256Lanes::advance_chains).
#[inline(never)]
pub(super) fn advance<S: Simd, W: HashWords<S, u32>, const N: usize, const AT: usize>(
    s: S,
    start: &Midstate,
    heads: &[Head],
    steps: &[u32],
    values: &mut [[u8; N]],
    traces: &mut LaneTraces<'_, '_>,
) {
    // The word that holds the byte before the value, and that byte's place in it.
    let counter = const { (AT - 1) >> 2 };
    let one = const { 1_u32 << (8 * (3 - ((AT - 1) & 3))) };
    let (length, most) = (length(start, ValueSpan { at: AT, n: N }), most_steps(steps));
    vectorize!(s => {
        aligned_frame!();
        let mut fixed = words::<Sha256, S, W, _>(s, heads);
        let mut begin = [W::splat(s, 0); 8];
        let mut i = 0;
        while i < 8 {
            begin[i] = W::splat(s, start.state[i]);
            i += 1;
        }
        let head = first_rounds(s, &begin, &[fixed[0], fixed[1], fixed[2], fixed[3]]);
        let mut value = load_values::<S, W, N>(s, values);
        let mut step = 0;
        while step < most {
            let mut w = [W::splat(s, 0); 16];
            i = 0;
            while i < fixed.len() {
                w[i] = fixed[i];
                i += 1;
            }
            let (place, end) = const { padding(ValueSpan { at: AT, n: N }) };
            (w[place], w[15]) = (W::splat(s, end), W::splat(s, length));
            put_value::<S, W, N, AT>(&value, &mut w);
            let mut v = head;
            last_rounds::<Sha256, S, W, HEAD>(s, &mut v, &mut w);
            // From memory in each step: vectors that wait for the end of the rounds are on the
            // stack.
            let begin = black_box(&start.state);
            i = 0;
            while i < 8 {
                value[i] = v[i] + W::splat(s, begin[i]);
                i += 1;
            }
            fixed[counter] = fixed[counter] + W::splat(s, one);
            traces.record((step, steps), |lane, out| store_value::<S, W, N>(&value, lane, out));
            step += 1;
            store_ended((step, steps), &value, values);
        }
        wipe(&mut value);
        wipe(&mut fixed);
    });
}

/// Adds the value to the block from byte `AT` on.
#[inline(always)]
fn put_value<S: Simd, W: HashWords<S, u32>, const N: usize, const AT: usize>(
    value: &[W; 8],
    w: &mut [W; 16],
) {
    const { assert!(AT & 3 >= 2) };
    let first = const { AT >> 2 };
    let mut i = 0;
    while i < const { N >> 2 } {
        let x = value[i];
        // Bits of a word that are the next word's.
        let (here, next) = match const { AT & 3 } {
            2 => (x.shr::<16>(), x.shl::<16>()),
            _ => (x.shr::<24>(), x.shl::<8>()),
        };
        w[first + i] = w[first + i] ^ here;
        w[first + i + 1] = w[first + i + 1] ^ next;
        i += 1;
    }
}

#[inline(always)]
pub(super) fn load_values<S: Simd, W: HashWords<S, u32>, const N: usize>(
    s: S,
    values: &[[u8; N]],
) -> [W; 8] {
    let (mut words, mut i) = ([W::splat(s, 0); 8], 0);
    while i < const { N >> 2 } {
        let mut word = [0; 16];
        for (word, value) in word.iter_mut().zip(values) {
            *word = u32::from_be_bytes(value.as_chunks::<4>().0[i]);
        }
        words[i] = W::load(s, &word);
        i += 1;
    }
    words
}

#[inline(always)]
pub(super) fn store_value<S: Simd, W: HashWords<S, u32>, const N: usize>(
    words: &[W; 8],
    lane: usize,
    out: &mut [u8; N],
) {
    let mut i = 0;
    while i < const { N >> 2 } {
        let mut word = [0; 16];
        words[i].store(&mut word);
        out.as_chunks_mut::<4>().0[i] = word[lane].to_be_bytes();
        i += 1;
    }
}

/// Stores the values of the lanes that take so many steps.
#[inline(always)]
pub(super) fn store_ended<S: Simd, W: HashWords<S, u32>, const N: usize>(
    (step, steps): (u32, &[u32]),
    words: &[W; 8],
    values: &mut [[u8; N]],
) {
    if !steps.contains(&step) {
        return;
    }
    let mut i = 0;
    while i < const { N >> 2 } {
        let mut word = [0; 16];
        words[i].store(&mut word);
        for ((value, word), steps) in values.iter_mut().zip(&word).zip(steps) {
            if *steps == step {
                value.as_chunks_mut::<4>().0[i] = word.to_be_bytes();
            }
        }
        i += 1;
    }
}

instances! { S =>
    advance::<S, <S as Simd>::W32, 16, 22>,
    advance::<S, <S as Simd>::W32, 24, 22>,
    advance::<S, <S as Simd>::W32, 32, 22>,
    advance::<S, <S as Simd>::W32, 24, 23>,
    advance::<S, <S as Simd>::W32, 32, 23>,
}
