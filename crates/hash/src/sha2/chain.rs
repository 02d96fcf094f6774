//! Chains of SHA-256 in vectors, what hash trees are made of: a step is one block.
use oaklath_simd::{HashWords, Simd, aligned_frame, instances, vectorize, wipe};

use super::compress::{HEAD, Sha256, first_rounds, rounds_from, words};
use super::message::{COUNTER, ChainBlock, Head, LaneTraces};
use super::midstate::Midstate;

/// As many chains as there are lanes, or fewer: see
/// [`Sha256Lanes::advance_chains`](super::engines::Sha256Lanes::advance_chains).
#[inline(never)]
pub(super) fn advance<S: Simd, W: HashWords<S, u32>>(
    s: S,
    start: &Midstate,
    (block, heads): (ChainBlock, &[Head]),
    steps: u32,
    values: &mut [u8],
    traces: &mut LaneTraces<'_, '_>,
) {
    vectorize!(s => {
        aligned_frame!();
        let n = block.n;
        let (mut fixed, mut begin) = ([W::splat(s, 0); 16], [W::splat(s, 0); 8]);
        let (heads, mut i) = (words::<Sha256, S, W, 6>(s, heads), 0);
        while i < 16 {
            fixed[i] = if i < 6 { heads[i] } else { W::splat(s, block.padding[i]) };
            i += 1;
        }
        i = 0;
        while i < 8 {
            begin[i] = W::splat(s, start.state[i]);
            i += 1;
        }
        let head = first_rounds(s, &begin, &[fixed[0], fixed[1], fixed[2], fixed[3]]);
        let mut value = load_values::<S, W>(s, n, values);
        let mut step = 0;
        while step < steps {
            let (mut v, mut w) = (head, fixed);
            put_value::<S, W>(block, &value, &mut w);
            rounds_from::<Sha256, S, W, HEAD>(s, &begin, &mut v, &mut w);
            value = v;
            fixed[COUNTER] = fixed[COUNTER] + W::splat(s, block.count());
            traces.record(W::LANES, step, n, |lane, out| store_value(&value, lane, out));
            step += 1;
        }
        store_values(&value, n, values);
        wipe(&mut value);
        wipe(&mut fixed);
    });
}

/// Adds the value to the block, from the last bytes of the head's last word on.
#[inline(always)]
fn put_value<S: Simd, W: HashWords<S, u32>>(block: ChainBlock, value: &[W; 8], w: &mut [W; 16]) {
    // Bits of a word that are the next word's.
    macro_rules! put {
        ($right:literal $left:literal: $($i:literal)*) => { $(
            if 4 * $i < block.n {
                w[COUNTER + $i] = w[COUNTER + $i] ^ value[$i].shr::<$right>();
                w[COUNTER + $i + 1] = w[COUNTER + $i + 1] ^ value[$i].shl::<$left>();
            }
        )* };
    }
    match block.at {
        2 => {
            put!(16 16: 0 1 2 3 4 5 6 7);
        }
        _ => {
            put!(24 8: 0 1 2 3 4 5 6 7);
        }
    }
}

/// The words of values of `n` bytes.
#[inline(always)]
pub(super) fn load_values<S: Simd, W: HashWords<S, u32>>(s: S, n: usize, values: &[u8]) -> [W; 8] {
    let (mut words, mut i) = ([W::splat(s, 0); 8], 0);
    while i < 8 {
        let mut word = [0; 16];
        if 4 * i < n {
            for (word, value) in word.iter_mut().zip(values.chunks_exact(n)) {
                *word = u32::from_be_bytes(value.as_chunks::<4>().0[i]);
            }
        }
        words[i] = W::load(s, &word);
        i += 1;
    }
    words
}

/// The value of a lane, of as many bytes as there is room for.
#[inline(always)]
pub(super) fn store_value<S: Simd, W: HashWords<S, u32>>(
    words: &[W; 8],
    lane: usize,
    out: &mut [u8],
) {
    let mut i = 0;
    while i < 8 {
        if let Some(bytes) = out.as_chunks_mut::<4>().0.get_mut(i) {
            let mut word = [0; 16];
            words[i].store(&mut word);
            *bytes = word[lane].to_be_bytes();
        }
        i += 1;
    }
}

/// The values of all lanes, of `n` bytes each.
#[inline(always)]
pub(super) fn store_values<S: Simd, W: HashWords<S, u32>>(
    words: &[W; 8],
    n: usize,
    values: &mut [u8],
) {
    let mut i = 0;
    while i < 8 {
        let mut word = [0; 16];
        words[i].store(&mut word);
        if 4 * i < n {
            for (value, word) in values.chunks_exact_mut(n).zip(&word) {
                value.as_chunks_mut::<4>().0[i] = word.to_be_bytes();
            }
        }
        i += 1;
    }
}

instances!(S => advance::<S, <S as Simd>::W32>);
