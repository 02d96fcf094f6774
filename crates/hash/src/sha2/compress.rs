//! The compression functions of SHA-256 and SHA-512 (FIPS 180-4, sections 6.2 and 6.4), generic
//! over both, on words in lanes.
use core::slice::{from_mut, from_ref};

use oaklath_simd::{
    Erase, HashWords, Simd, Split, aligned_frame, each, instances, vectorize, wipe,
};

use super::constants::K;
use super::message::HEAD;

/// Words of SHA-256 in two vectors.
pub(super) type Twice<S> = Split<<S as Simd>::W32, 2>;

/// The differences between SHA-256 and SHA-512.
pub(super) trait Sha2: Copy {
    type Word: Copy + Default + Erase;
    const ROUNDS: usize;
    /// Reads a big-endian word.
    fn word(bytes: &[u8]) -> Self::Word;
    /// Compresses a block of one message.
    fn compress_block<S: Simd>(s: S, state: &mut [Self::Word; 8], block: &[Self::Word; 16]);
    fn k(round: usize) -> Self::Word;
    fn add(a: Self::Word, b: Self::Word) -> Self::Word;
    /// Computes a function of FIPS 180-4, section 4.1.2 or 4.1.3, as the next three do.
    fn big_sigma0<S, W: HashWords<S, Self::Word>>(x: W) -> W;
    fn big_sigma1<S, W: HashWords<S, Self::Word>>(x: W) -> W;
    fn sigma0<S, W: HashWords<S, Self::Word>>(x: W) -> W;
    fn sigma1<S, W: HashWords<S, Self::Word>>(x: W) -> W;
}

macro_rules! functions {
    ($($name:ident $word:ident $one:ident $rounds:literal $shift:literal
       $a0:literal $a1:literal $a2:literal, $b0:literal $b1:literal $b2:literal,
       $c0:literal $c1:literal $c2:literal, $d0:literal $d1:literal $d2:literal;)*) => { $(
        #[derive(Clone, Copy)]
        pub(super) struct $name;
        impl Sha2 for $name {
            type Word = $word;
            const ROUNDS: usize = $rounds;
            #[inline(always)]
            fn word(bytes: &[u8]) -> $word {
                $word::from_be_bytes(*bytes.first_chunk().expect("as many bytes as a word has"))
            }
            #[inline(always)]
            fn compress_block<S: Simd>(s: S, state: &mut [$word; 8], block: &[$word; 16]) {
                compress::<Self, S, S::$one>(s, from_mut(state), from_ref(block));
            }
            #[inline(always)]
            fn k(round: usize) -> $word {
                // SHA-256's constants are the first halves of SHA-512's.
                (K[round] >> $shift) as $word
            }
            #[inline(always)]
            fn add(a: $word, b: $word) -> $word {
                a.wrapping_add(b)
            }
            #[inline(always)]
            fn big_sigma0<S, W: HashWords<S, $word>>(x: W) -> W {
                x.ror::<$a0>().xor3(x.ror::<$a1>(), x.ror::<$a2>())
            }
            #[inline(always)]
            fn big_sigma1<S, W: HashWords<S, $word>>(x: W) -> W {
                x.ror::<$b0>().xor3(x.ror::<$b1>(), x.ror::<$b2>())
            }
            #[inline(always)]
            fn sigma0<S, W: HashWords<S, $word>>(x: W) -> W {
                x.ror::<$c0>().xor3(x.ror::<$c1>(), x.shr::<$c2>())
            }
            #[inline(always)]
            fn sigma1<S, W: HashWords<S, $word>>(x: W) -> W {
                x.ror::<$d0>().xor3(x.ror::<$d1>(), x.shr::<$d2>())
            }
        }
    )* };
}
functions! {
    Sha256 u32 OneW32 64 32  2 13 22,   6 11 25,  7 18 3,  17 19 10;
    Sha512 u64 OneW64 80 0  28 34 39,  14 18 41,  1  8 7,  19 61  6;
}

/// Computes round `j`, which has its variables a to h at `v[-j]`, `v[1 - j]` and so on, modulo 8,
/// so that none is moved.
macro_rules! round {
    ($f:ty, $s:ident, $v:ident, $w:ident, $start:expr, $j:literal) => {
        let [a, b, c, d, e, f, g, h] = const {
            [
                (16 - $j) & 7,
                (17 - $j) & 7,
                (18 - $j) & 7,
                (19 - $j) & 7,
                (20 - $j) & 7,
                (21 - $j) & 7,
                (22 - $j) & 7,
                (23 - $j) & 7,
            ]
        };
        let k = W::splat($s, <$f>::k($start + $j));
        let early = ($v[h] + (k + $w[$j])).settled() + $v[e].choose($v[f], $v[g]);
        let t1 = early.settled() + <$f>::big_sigma1($v[e]);
        $v[d] = $v[d] + t1;
        $v[h] = t1 + ($v[a].majority($v[b], $v[c]) + <$f>::big_sigma0($v[a])).settled();
    };
}

/// Computes the rounds from `FROM` on, sixteen at a time. From the second sixteen on, each computes
/// its message word.
#[inline(always)]
pub(super) fn last_rounds<F: Sha2, S: Simd, W: HashWords<S, F::Word>, const FROM: usize>(
    s: S,
    v: &mut [W; 8],
    w: &mut [W; 16],
) {
    macro_rules! rounds {
        ($start:ident: $($j:literal)*) => { $(
            if $start > 0 {
                w[$j] = (w[$j] + w[($j + 9) & 15])
                    + (F::sigma0(w[($j + 1) & 15]) + F::sigma1(w[($j + 14) & 15]));
            }
            if $start > 0 || $j >= FROM {
                round!(F, s, v, w, $start, $j);
            }
        )* };
    }
    macro_rules! sixteen {
        ($start:ident) => {
            rounds!($start: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        };
    }
    let mut start = 0;
    // The first sixteen by themselves, so that no round asks which they are: this saves vectors up
    // to 9 %. Single words, whose rounds wait for each other, are a tenth faster in half the code.
    if const { W::LANES > 1 } {
        sixteen!(start);
        start = 16;
    }
    while start < F::ROUNDS {
        sixteen!(start);
        start += 16;
    }
}

/// Computes the rounds after the first [`HEAD`], and adds the state before all rounds. Out of line,
/// so that all chains share one copy.
#[inline(never)]
pub(super) fn finish_block<S: Simd, W: HashWords<S, u32>>(
    s: S,
    start: &[W; 8],
    v: &mut [W; 8],
    w: &mut [W; 16],
) {
    vectorize!(s => {
        aligned_frame!();
        // Not in `v`, to which each round of two vectors would store.
        let mut state = *v;
        last_rounds::<Sha256, S, W, HEAD>(s, &mut state, w);
        each!(i in 0..8 => v[i] = state[i] + start[i]);
    });
}

/// Compresses a block into each state, for as many states as there are lanes, or fewer.
#[inline(never)]
pub(super) fn compress<F: Sha2, S: Simd, W: HashWords<S, F::Word>>(
    s: S,
    states: &mut [[F::Word; 8]],
    blocks: &[[F::Word; 16]],
) {
    vectorize!(s => {
        aligned_frame!();
        let mut w = columns::<F, S, W>(s, blocks);
        let mut v = words::<F, S, W, 8, 16>(s, states);
        last_rounds::<F, S, W, 0>(s, &mut v, &mut w);
        each!(i in 0..8 => {
            let mut word = [F::Word::default(); 16];
            v[i].store(&mut word);
            // Added lane by lane: vectors kept until the end of the rounds would be on the stack.
            states.iter_mut().zip(word).for_each(|(state, word)| state[i] = F::add(state[i], word));
        });
        wipe(&mut w);
    });
}

/// Loads the words of blocks; lanes without a block are zero.
#[inline(always)]
fn columns<F: Sha2, S: Simd, W: HashWords<S, F::Word>>(s: S, blocks: &[[F::Word; 16]]) -> [W; 16] {
    if blocks.len() == W::LANES {
        return W::columns(s, blocks);
    }
    words::<F, S, W, 16, 16>(s, blocks)
}

/// Loads the words of at most `MOST` states or blocks, one by one; lanes without a row are zero.
#[inline(always)]
pub(super) fn words<
    F: Sha2,
    S: Simd,
    W: HashWords<S, F::Word>,
    const N: usize,
    const MOST: usize,
>(
    s: S,
    rows: &[[F::Word; N]],
) -> [W; N] {
    let mut words = [W::splat(s, F::Word::default()); N];
    each!(i in 0..N => {
        let mut word = [F::Word::default(); MOST];
        word.iter_mut().zip(rows).for_each(|(word, row)| *word = row[i]);
        words[i] = W::load(s, &word);
    });
    words
}

/// Computes the first `HEAD` rounds; variables are then where the next round expects them.
#[inline(always)]
pub(super) fn first_rounds<S: Simd, W: HashWords<S, u32>>(
    s: S,
    begin: &[W; 8],
    w: &[W; HEAD],
) -> [W; 8] {
    let mut v = *begin;
    round!(Sha256, s, v, w, 0, 0);
    round!(Sha256, s, v, w, 0, 1);
    round!(Sha256, s, v, w, 0, 2);
    round!(Sha256, s, v, w, 0, 3);
    v
}

/// Compresses the blocks of one message, as bytes.
pub(super) fn compress_bytes<F: Sha2, S: Simd, const BLOCK: usize>(
    s: S,
    state: &mut [F::Word; 8],
    blocks: &[[u8; BLOCK]],
) {
    for block in blocks {
        let mut words = [F::Word::default(); 16];
        let bytes = block.chunks_exact(size_of::<F::Word>());
        words.iter_mut().zip(bytes).for_each(|(word, bytes)| *word = F::word(bytes));
        F::compress_block(s, state, &words);
        wipe(&mut words);
    }
}

instances! { S =>
    compress::<Sha256, S, <S as Simd>::W32>,
    compress::<Sha512, S, <S as Simd>::W64>,
    compress::<Sha256, S, <S as Simd>::OneW32>,
    compress::<Sha512, S, <S as Simd>::OneW64>,
    finish_block::<S, <S as Simd>::W32>,
}
instances! { only Avx512: S => finish_block::<S, Twice<S>> }
