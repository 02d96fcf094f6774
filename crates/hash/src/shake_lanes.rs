//! SHAKE256 of many short messages in parallel, and chains of it, for hash-based signatures.
//!
//! A call is for all lanes: a chain of 15 steps takes thousands of cycles, so there is no need to
//! inline calls. Unused lanes cost as little as the backend allows: a single lane takes the
//! permutation of one state.
use core::fmt;

use oaklath_simd::{
    Simd, U64Lanes, U64s, aligned_frame, copy_node, each, instances, pieces, pieces_mut, vectorize,
    wipe,
};

use crate::blocks::write_words;
use crate::keccak::{RATE_256, SUFFIX_SHAKE, f1600_of_few, permute, permute_lanes, words};
use crate::{Trace, next_end};

/// The largest number of blocks that a call takes.
pub const MOST: usize = 8;

/// A block of SHAKE256 as words: a whole padded message.
pub type Block = [u64; BLOCK];
const BLOCK: usize = words(RATE_256);

/// The last bit of the padding.
const LAST_BIT: u64 = 1 << 63;

/// Returns the largest number of lanes of a call, which is also the most efficient: 4 or 8.
#[must_use]
pub fn lanes<S: Simd>(_: S) -> usize {
    kernel_lanes::<S>().max(4)
}

/// Returns the largest number of lanes of a kernel: more would run one after the other, as all
/// lanes do in scalar code.
const fn kernel_lanes<S: Simd>() -> usize {
    if S::Eight::PARTS == 1 {
        8
    } else if size_of::<<S::Four as U64s<S>>::Part>() > 8 {
        4
    } else {
        1
    }
}

/// Writes the first `n` bytes of the hash of each block, one after the other. There are at most
/// [`lanes`] blocks; `n` is 16, 24 or 32.
///
/// # Panics
/// If `n` is another number, if there are more blocks, or if `out` is not `n` bytes for each.
pub fn hash_blocks<S: Simd>(s: S, blocks: &[Block], n: usize, out: &mut [u8]) {
    assert!(matches!(n, 16 | 24 | 32) && blocks.len() <= lanes(s), "{n} bytes");
    assert_eq!(n * blocks.len(), out.len(), "an output for each block");
    match blocks.len() {
        0 => {}
        1..=4 if blocks.len() == 1 || kernel_lanes::<S>() == 1 => {
            let lanes = blocks.iter().zip(pieces_mut(out, n));
            lanes.for_each(|(block, out)| hash_one(s, block, out));
        }
        2..=4 => hash_lanes::<S, S::Four, 4>(s, blocks, n, out),
        _ => hash_lanes::<S, S::Eight, 8>(s, blocks, n, out),
    }
}

fn hash_one<S: Simd>(s: S, block: &Block, out: &mut [u8]) {
    let mut state = [0; 25];
    state[..BLOCK].copy_from_slice(block);
    permute(s, &mut state);
    write_words(&state, out);
    wipe(&mut state);
}

/// Returns the item of each lane; lanes without an item get that of the first.
#[inline(always)]
fn of_lanes<T, const L: usize>(items: &[T]) -> [&T; L] {
    let mut lanes = [&items[0]; L];
    lanes.iter_mut().zip(items).for_each(|(lane, item)| *lane = item);
    lanes
}

/// Loads each word of the blocks into lanes.
#[inline(always)]
fn block_words<S: Simd, W: U64Lanes<S, L>, const L: usize>(s: S, blocks: &[Block]) -> [W; BLOCK] {
    let blocks = of_lanes::<_, L>(blocks);
    let mut last = [0; L];
    each!(lane in 0..L => last[lane] = blocks[lane][BLOCK - 1]);
    // Unrolled, since a loop would copy the words to the stack.
    macro_rules! four {
        ($i:literal) => {
            W::load_words(s, blocks.map(|block| &block.as_chunks::<4>().0[$i]))
        };
    }
    let ([a, b, c, d], [e, f, g, h]) = (four!(0), four!(1));
    let ([i, j, k, l], [m, n, o, p]) = (four!(2), four!(3));
    [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, W::from_array(s, last)]
}

/// Returns part `p` of the states that have absorbed the words.
#[inline(always)]
fn state_of<S: Simd, W: U64s<S>>(s: S, words: &[W; BLOCK], p: usize) -> [W::Part; 25] {
    let mut state = [W::Part::splat(s, 0); 25];
    each!(i in 0..BLOCK => state[i] = words[i].part(p));
    state
}

#[inline(never)]
fn hash_lanes<S: Simd, W: U64Lanes<S, L>, const L: usize>(
    s: S,
    blocks: &[Block],
    n: usize,
    out: &mut [u8],
) {
    if const { L > kernel_lanes::<S>() } {
        unreachable!("more lanes than a call takes");
    }
    vectorize!(s.keccak_unit() => {
        aligned_frame!();
        let (width, count) = (size_of::<W::Part>() >> 3, blocks.len());
        let mut words = block_words::<S, W, L>(s, blocks);
        let mut value = [W::splat(s, 0); 4];
        let mut p = 0;
        while p < W::PARTS && p * width < count {
            let out = f1600_of_few(s, &state_of(s, &words, p));
            set_part(&mut value, p, &[out[0], out[1], out[2], out[3]]);
            p += 1;
        }
        store_values(&value, n, out);
        wipe(&mut value);
        // A word of one part is a register.
        if const { W::PARTS > 1 } {
            wipe(&mut words);
        }
    });
}

/// The bytes that are hashed before the values of chains: FIPS 205, section 11.1.
#[derive(Clone, Copy, Debug)]
pub struct ChainPrefix<'a> {
    /// PK.seed of all lanes, or of each. As many bytes of it are used as a value has.
    pub seeds: &'a [&'a [u64; 4]],
    /// The address of each lane. Its last byte counts the steps.
    pub addresses: &'a [[u64; 4]],
}

/// Advances chains with values of `n` bytes: in each of the `steps` of a lane, the first bytes of
/// the hash of prefix and value become the value, and the last byte of the address is incremented.
/// `values` has one value after the other.
///
/// Each trace receives a copy of its lane's value after each step.
///
/// # Panics
/// If `n` is not 16, 24 or 32, if there are more addresses than [`lanes`], if there are neither one
/// seed nor as many as addresses, if there are not as many values and steps as addresses, or if a
/// trace is too short.
pub fn advance_chains<S: Simd>(
    s: S,
    (n, prefix): (usize, ChainPrefix<'_>),
    steps: &[u32],
    values: &mut [u8],
    traces: &mut [Trace<'_>],
) {
    let lanes = prefix.addresses.len();
    assert!(matches!(n, 16 | 24 | 32) && lanes <= self::lanes(s), "{n} bytes");
    assert!(prefix.seeds.len() == 1 || prefix.seeds.len() == lanes, "a seed, or one for each lane");
    assert_eq!(n * lanes, values.len(), "a value for each address");
    assert_eq!(steps.len(), lanes, "steps for each address");
    macro_rules! advance {
        ($($n:literal)*) => {
            match n {
                $($n if lanes <= 4 => {
                    advance_lanes::<S, S::Four, 4, $n>(s, prefix, steps, values, traces);
                }
                $n => advance_lanes::<S, S::Eight, 8, $n>(s, prefix, steps, values, traces),)*
                _ => unreachable!("{n} bytes"),
            }
        };
    }
    match lanes {
        0 => {}
        1..=4 if lanes == 1 || kernel_lanes::<S>() == 1 => {
            for (lane, value) in pieces_mut(values, n).enumerate() {
                advance_one(s, (n, prefix), (lane, steps[lane]), value, traces);
            }
        }
        _ => advance!(16 24 32),
    }
}

/// A 1 in the last byte of a word.
const COUNT: u64 = 1 << 56;

fn advance_one<S: Simd>(
    s: S,
    (n, ChainPrefix { seeds, addresses }): (usize, ChainPrefix<'_>),
    (lane, steps): (usize, u32),
    value: &mut [u8],
    traces: &mut [Trace<'_>],
) {
    let (mut block, words) = ([0; BLOCK], n >> 3);
    block[..words].copy_from_slice(&seeds.get(lane).unwrap_or(&seeds[0])[..words]);
    block[words..words + 4].copy_from_slice(&addresses[lane]);
    block[2 * words + 4] = SUFFIX_SHAKE.into();
    block[BLOCK - 1] = LAST_BIT;
    for step in 0..steps {
        for (word, bytes) in block[words + 4..].iter_mut().zip(value.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        hash_one(s, &block, value);
        block[words + 3] = block[words + 3].wrapping_add(COUNT);
        for (_, values) in traces.iter_mut().filter(|(traced, _)| *traced == lane) {
            values[step as usize * n..][..n].copy_from_slice(value);
        }
    }
    wipe(&mut block);
}

/// Returns the blocks of all lanes, without the values.
#[inline(always)]
fn prefix_words<S: Simd, W: U64Lanes<S, L>, const L: usize, const N: usize>(
    s: S,
    ChainPrefix { seeds, addresses }: ChainPrefix<'_>,
) -> [W; BLOCK] {
    let mut words = [W::splat(s, 0); BLOCK];
    let at = const { N >> 3 };
    if let [seed] = *seeds {
        each!(i in 0..at => words[i] = W::splat(s, seed[i]));
    } else {
        let seeds = W::load_words(s, of_lanes(seeds).map(|seed| *seed));
        each!(i in 0..at => words[i] = seeds[i]);
    }
    [words[at], words[at + 1], words[at + 2], words[at + 3]] =
        W::load_words(s, of_lanes(addresses));
    words[2 * at + 4] = W::splat(s, SUFFIX_SHAKE.into());
    words[BLOCK - 1] = W::splat(s, LAST_BIT);
    words
}

#[inline(never)]
fn advance_lanes<S: Simd, W: U64Lanes<S, L>, const L: usize, const N: usize>(
    s: S,
    prefix: ChainPrefix<'_>,
    steps: &[u32],
    values: &mut [u8],
    traces: &mut [Trace<'_>],
) {
    if const { L > kernel_lanes::<S>() } {
        unreachable!("more lanes than a call takes");
    }
    vectorize!(s.keccak_unit() => {
        aligned_frame!();
        let width = size_of::<W::Part>() >> 3;
        let mut value = load_values::<S, W, L>(s, N, values);
        let words = prefix_words::<S, W, L, N>(s, prefix);
        let mut p = 0;
        while p < W::PARTS && p * width < steps.len() {
            let state = (&words, &mut value);
            advance_part::<S, W, L, N>(s, state, p, steps, values, traces);
            p += 1;
        }
        wipe(&mut value);
    });
}

/// Advances the chains of the lanes of one part.
#[inline(always)]
fn advance_part<S: Simd, W: U64Lanes<S, L>, const L: usize, const N: usize>(
    s: S,
    (words, value): (&[W; BLOCK], &mut [W; 4]),
    p: usize,
    steps: &[u32],
    values: &mut [u8],
    traces: &mut [Trace<'_>],
) {
    let (at, width) = (const { 4 + (N >> 3) }, size_of::<W::Part>() >> 3);
    let lanes = p * width..steps.len().min((p + 1) * width);
    let mut count = words[at - 1].to_array();
    let mut m = [value[0].part(p), value[1].part(p), value[2].part(p), value[3].part(p)];
    let mut step = 0;
    while let Some(end) = next_end(&steps[lanes.clone()], step) {
        let mut a = state_of(s, words, p);
        a[at - 1] = W::from_array(s, count).part(p);
        each!(i in 0..const { N >> 3 } => a[at + i] = m[i]);
        a = f1600_of_few(s, &a);
        m = [a[0], a[1], a[2], a[3]];
        let mut lane = 0;
        while lane < L {
            count[lane] = count[lane].wrapping_add(COUNT);
            lane += 1;
        }
        step += 1;
        if step == end || !traces.is_empty() {
            set_part(value, p, &m);
            let mut rows = [[0; 32]; L];
            W::store_words(*value, &mut rows, 0);
            for lane in lanes.clone().filter(|lane| steps[*lane] == step) {
                copy_node(&mut values[lane * N..], &rows[lane][..N]);
            }
            for (lane, trace) in traces.iter_mut() {
                if lanes.contains(lane) && step <= steps[*lane] {
                    copy_node(&mut trace[(step as usize - 1) * N..], &rows[*lane][..N]);
                }
            }
            wipe(&mut rows);
        }
    }
}

#[inline(always)]
fn set_part<S: Simd, W: U64s<S>>(value: &mut [W; 4], p: usize, part: &[W::Part; 4]) {
    each!(i in 0..4 => value[i].set_part(p, part[i]));
}

/// Loads values of `n` bytes, with zeros after them.
#[inline(always)]
fn load_values<S: Simd, W: U64Lanes<S, L>, const L: usize>(
    s: S,
    n: usize,
    values: &[u8],
) -> [W; 4] {
    let (mut words, mut i) = ([W::splat(s, 0); 4], 0);
    while i < 4 && 8 * i < n {
        let mut word = [0; L];
        for (word, value) in word.iter_mut().zip(pieces(values, n)) {
            *word = u64::from_le_bytes(value.as_chunks::<8>().0[i]);
        }
        words[i] = W::from_array(s, word);
        i += 1;
    }
    words
}

/// Writes the first `n` bytes of the value of each lane, one after the other.
#[inline(always)]
fn store_values<S: Simd, W: U64Lanes<S, L>, const L: usize>(
    value: &[W; 4],
    n: usize,
    values: &mut [u8],
) {
    let mut rows = [[0; 32]; L];
    W::store_words(*value, &mut rows, 0);
    for (value, row) in pieces_mut(values, n).zip(&rows) {
        copy_node(value, &row[..n]);
    }
    wipe(&mut rows);
}

/// SHAKE256 of up to `LANES` long messages of the same length in parallel, absorbed piece by piece.
/// `LANES` is at most eight. Erased when dropped.
pub struct ShakeThash<S: Simd, const LANES: usize> {
    s: S,
    state: [[u64; LANES]; 25],
    lanes: usize,
    /// The number of words of the block absorbed so far, fewer than a block has.
    at: usize,
}

impl<S: Simd, const LANES: usize> ShakeThash<S, LANES> {
    /// Starts an empty message in each of `lanes` lanes.
    ///
    /// # Panics
    /// If there are more lanes than `LANES` or [`lanes`].
    #[must_use]
    pub fn new(s: S, lanes: usize) -> Self {
        const { assert!(LANES <= MOST, "at most eight lanes") };
        assert!(lanes <= LANES.min(self::lanes(s)), "at most {LANES} lanes");
        Self { s, state: [[0; LANES]; 25], lanes, at: 0 }
    }

    /// Appends a piece of `n` bytes, a multiple of eight, to each message. `pieces` has one after
    /// the other.
    ///
    /// # Panics
    /// If the length of `pieces` is not `n` bytes for each lane.
    pub fn absorb_pieces(&mut self, n: usize, pieces: &[u8]) {
        assert_eq!(pieces.len(), n * self.lanes, "a piece for each lane");
        for i in 0..n >> 3 {
            for (word, piece) in self.state[self.at].iter_mut().zip(oaklath_simd::pieces(pieces, n))
            {
                *word ^= u64::from_le_bytes(piece.as_chunks::<8>().0[i]);
            }
            self.at += 1;
            if self.at == BLOCK {
                self.permute();
            }
        }
    }

    /// Writes the first `n` bytes of the hash of each message, one after the other. Messages may
    /// end with fewer than eight further bytes: for each, `ends` has a little-endian word of these
    /// followed by [`SUFFIX_SHAKE`]. The hasher must not be used afterwards.
    ///
    /// # Panics
    /// If the length of `out` is not `n` bytes for each lane.
    pub fn finish_digests(&mut self, ends: &[u64; LANES], n: usize, out: &mut [u8]) {
        assert_eq!(out.len(), n * self.lanes, "an output for each lane");
        self.state[self.at].iter_mut().zip(ends).for_each(|(word, end)| *word ^= end);
        self.state[BLOCK - 1].iter_mut().for_each(|word| *word ^= LAST_BIT);
        self.permute();
        for (lane, out) in pieces_mut(out, n).enumerate() {
            let mut state = self.column(lane);
            write_words(&state, out);
            wipe(&mut state);
        }
    }

    fn column(&self, lane: usize) -> [u64; 25] {
        let mut column = [0; 25];
        column.iter_mut().zip(&self.state).for_each(|(word, row)| *word = row[lane]);
        column
    }

    fn permute(&mut self) {
        match self.lanes {
            0 => {}
            lanes if lanes == 1 || kernel_lanes::<S>() == 1 => {
                for lane in 0..lanes {
                    let mut state = self.column(lane);
                    permute(self.s, &mut state);
                    self.state.iter_mut().zip(&state).for_each(|(row, word)| row[lane] = *word);
                    wipe(&mut state);
                }
            }
            2..=4 => permute_rows::<S, S::Four, 4, LANES>(self.s, &mut self.state, self.lanes),
            _ => permute_rows::<S, S::Eight, 8, LANES>(self.s, &mut self.state, self.lanes),
        }
        self.at = 0;
    }
}

#[inline(never)]
fn permute_rows<S: Simd, W: U64Lanes<S, L>, const L: usize, const LANES: usize>(
    s: S,
    state: &mut [[u64; LANES]; 25],
    lanes: usize,
) {
    if const { L > kernel_lanes::<S>() } {
        unreachable!("more lanes than a call takes");
    }
    vectorize!(s => {
        let mut a = [W::splat(s, 0); 25];
        each!(i in 0..25 => {
            let mut row = [0; L];
            row.iter_mut().zip(&state[i]).for_each(|(to, word)| *to = *word);
            a[i] = W::from_array(s, row);
        });
        permute_lanes(s, &mut a, (1 << lanes) - 1);
        each!(i in 0..25 => {
            let row = a[i].to_array();
            state[i].iter_mut().zip(&row).for_each(|(to, word)| *to = *word);
        });
        wipe(&mut a);
    });
}

impl<S: Simd, const LANES: usize> Drop for ShakeThash<S, LANES> {
    fn drop(&mut self) {
        wipe(&mut self.state);
    }
}

impl<S: Simd, const LANES: usize> fmt::Debug for ShakeThash<S, LANES> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShakeThash").field("lanes", &self.lanes).finish_non_exhaustive()
    }
}

instances! { S =>
    hash_lanes::<S, <S as Simd>::Four, 4>,
    hash_lanes::<S, <S as Simd>::Eight, 8>,
    advance_lanes::<S, <S as Simd>::Four, 4, 16>,
    advance_lanes::<S, <S as Simd>::Four, 4, 24>,
    advance_lanes::<S, <S as Simd>::Four, 4, 32>,
    advance_lanes::<S, <S as Simd>::Eight, 8, 16>,
    advance_lanes::<S, <S as Simd>::Eight, 8, 24>,
    advance_lanes::<S, <S as Simd>::Eight, 8, 32>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sha3::Shake256;
    use oaklath_simd::{Level, dispatch};
    use std::vec::Vec;

    fn shake256<const N: usize>(message: &[u8]) -> [u8; N] {
        let mut out = [0; N];
        Shake256::new().chain(message).finish().read(&mut out);
        out
    }

    /// Returns the words of lane `lane` before the value.
    fn head(lane: usize) -> [u64; 8] {
        core::array::from_fn(|i| ((lane * 31 + i * 7) as u64).wrapping_mul(0x0102_0408_1123_5813))
    }

    fn bytes(words: &[u64]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn block(message: &[u64]) -> Block {
        let mut block = [0; BLOCK];
        block[..message.len()].copy_from_slice(message);
        block[message.len()] = SUFFIX_SHAKE.into();
        block[BLOCK - 1] |= LAST_BIT;
        block
    }

    fn each(check: impl Fn(Level, usize)) {
        for level in Level::available() {
            for lanes in 0..=8 {
                check(level, lanes);
            }
        }
    }

    #[test]
    fn hashes() {
        fn check<S: Simd>(s: S, lanes: usize) {
            if lanes > super::lanes(s) {
                return;
            }
            let blocks: Vec<Block> = (0..lanes).map(|lane| block(&head(lane))).collect();
            let mut out = std::vec![[0; 24]; lanes];
            hash_blocks(s, &blocks, 24, out.as_flattened_mut());
            for (lane, out) in out.iter().enumerate() {
                assert_eq!(*out, shake256(&bytes(&head(lane))), "{s:?} lane {lane} of {lanes}");
            }
        }
        each(|level, lanes| dispatch!(level, s => check(s, lanes)));
    }

    #[test]
    fn chains() {
        fn check<S: Simd, const N: usize>(s: S, lanes: usize) {
            if lanes > super::lanes(s) {
                return;
            }
            let seeds: Vec<[u64; 4]> = (0..lanes.max(1))
                .map(|lane| [4, 3, 2, 1].map(|i| !(4 * lane as u64 + i)))
                .collect();
            let seeds: Vec<_> = seeds.iter().collect();
            let value = |lane: usize| [lane as u8 + 1; N];
            let addresses: Vec<[u64; 4]> =
                (0..lanes).map(|lane| *head(lane).first_chunk().unwrap()).collect();
            // The first lane has as many steps as the last, the others have fewer or more.
            let steps_of = |lane| if lane == 0 || lane + 1 == lanes { 5 } else { lane as u32 % 7 };
            let steps: Vec<u32> = (0..lanes).map(steps_of).collect();
            // A seed for all lanes, and one for each.
            for seeds in [&seeds[..1], &seeds] {
                let mut values: Vec<_> = (0..lanes).map(value).collect();
                let (mut first, mut last) = ([[0; N]; 5], [[0; N]; 5]);
                let mut traces = [
                    (0, first.as_flattened_mut()),
                    (lanes.saturating_sub(1), last.as_flattened_mut()),
                ];
                let chains = (N, ChainPrefix { seeds, addresses: &addresses });
                advance_chains(s, chains, &steps, values.as_flattened_mut(), &mut traces);
                for (lane, got) in values.iter().enumerate() {
                    let (mut want, seed) = (value(lane), seeds.get(lane).unwrap_or(&seeds[0]));
                    let mut head = [bytes(&seed[..N / 8]), bytes(&addresses[lane])].concat();
                    for step in 0..steps[lane] as usize {
                        want = shake256(&[&head[..], &want].concat());
                        head[N + 31] = head[N + 31].wrapping_add(1);
                        if lane == 0 {
                            assert_eq!(first[step], want, "{s:?} step {step}");
                        }
                        if lane == lanes - 1 {
                            assert_eq!(last[step], want, "{s:?} step {step}");
                        }
                    }
                    assert_eq!(*got, want, "{s:?} lane {lane} of {lanes}");
                }
            }
        }
        each(|level, lanes| {
            dispatch!(level, s => check::<_, 16>(s, lanes));
            dispatch!(level, s => check::<_, 24>(s, lanes));
            dispatch!(level, s => check::<_, 32>(s, lanes));
        });
    }

    #[test]
    fn thash_is_of_the_pieces_put_together() {
        fn check<S: Simd>(s: S, lanes: usize, pieces: usize) {
            if lanes > super::lanes(s) {
                return;
            }
            let piece = |lane: usize, i: usize| [(lane * 13 + i) as u8; 24];
            let mut thash = ShakeThash::<_, MOST>::new(s, lanes);
            for i in 0..pieces {
                let row: Vec<_> = (0..lanes).map(|lane| piece(lane, i)).collect();
                thash.absorb_pieces(24, row.as_flattened());
            }
            let mut out = std::vec![[0; 32]; lanes];
            thash.finish_digests(&[SUFFIX_SHAKE.into(); MOST], 32, out.as_flattened_mut());
            for (lane, out) in out.iter().enumerate() {
                let message: Vec<u8> = (0..pieces).flat_map(|i| piece(lane, i)).collect();
                assert_eq!(*out, shake256(&message), "{s:?} lane {lane} of {lanes}");
            }
        }
        each(|level, lanes| {
            for pieces in [0, 1, 5, 6, 17, 20] {
                dispatch!(level, s => check(s, lanes, pieces));
            }
        });
    }
}
