//! SHA-256 and SHA-512 of several messages side by side: FIPS 180-4, sections 6.2 and 6.4, one text
//! for both over words in lanes; and chains of SHA-256, what hash trees are made of.
//!
//! States and blocks are words in the order of the host, big-endian when they were bytes.
use core::ops::Range;

use oaklath_simd::{A64, HashWords, Simd, Word, scratch, wipe};

use super::xmss::{self, Address};
use super::{K, Midstate, unit};
use crate::Trace;

/// A block of SHA-256.
pub type Block256 = [u32; 16];

/// What stands before a value in the block of a chain, as words; bytes after its length are zero.
pub type Head = [u32; 6];
/// A block of SHA-512.
pub type Block512 = [u64; 16];

/// What tells SHA-256 from SHA-512.
pub(super) trait Family: Copy {
    type Word: Copy + Default;
    const ROUNDS: usize;
    fn k(round: usize) -> Self::Word;
    /// The functions of FIPS 180-4, sections 4.1.2 and 4.1.3.
    fn big_sigma0<S, W: HashWords<S, Self::Word>>(x: W) -> W;
    fn big_sigma1<S, W: HashWords<S, Self::Word>>(x: W) -> W;
    fn sigma0<S, W: HashWords<S, Self::Word>>(x: W) -> W;
    fn sigma1<S, W: HashWords<S, Self::Word>>(x: W) -> W;
}

macro_rules! families {
    ($($name:ident $word:ident $rounds:literal $shift:literal
       $a0:literal $a1:literal $a2:literal, $b0:literal $b1:literal $b2:literal,
       $c0:literal $c1:literal $c2:literal, $d0:literal $d1:literal $d2:literal;)*) => { $(
        #[derive(Clone, Copy)]
        pub(super) struct $name;
        impl Family for $name {
            type Word = $word;
            const ROUNDS: usize = $rounds;
            #[inline(always)]
            fn k(round: usize) -> $word {
                // SHA-256's constants are the first halves of SHA-512's.
                (K[round] >> $shift) as $word
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
families! {
    Sha256 u32 64 32  2 13 22,   6 11 25,  7 18 3,  17 19 10;
    Sha512 u64 80 0  28 34 39,  14 18 41,  1  8 7,  19 61  6;
}

/// Sixteen rounds, of which those before `FROM` are left out. Round `j` has its variables a to h
/// at `v[-j]`, `v[1 - j]` and so on modulo 8: nothing moves.
#[inline(always)]
fn rounds16<F: Family, S: Simd, W: HashWords<S, F::Word>, const FROM: usize>(
    s: S,
    v: &mut [W; 8],
    w: &[W; 16],
    start: usize,
) {
    macro_rules! round {
        ($($j:literal)*) => { $(
            if $j >= FROM {
                let [a, b, c, d, e, f, g, h] = const {
                    [(16 - $j) & 7, (17 - $j) & 7, (18 - $j) & 7, (19 - $j) & 7,
                     (20 - $j) & 7, (21 - $j) & 7, (22 - $j) & 7, (23 - $j) & 7]
                };
                let k = W::splat(s, F::k(start + $j));
                let t1 = v[h] + (k + w[$j]) + v[e].choose(v[f], v[g]) + F::big_sigma1(v[e]);
                v[d] = v[d] + t1;
                v[h] = t1 + v[a].majority(v[b], v[c]) + F::big_sigma0(v[a]);
            }
        )* };
    }
    round!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
}

/// Sixteen rounds, each after the message word it takes.
#[inline(always)]
fn schedule16<F: Family, S: Simd, W: HashWords<S, F::Word>>(
    s: S,
    v: &mut [W; 8],
    w: &mut [W; 16],
    start: usize,
) {
    macro_rules! round {
        ($($j:literal)*) => { $(
            let [a, b, c, d, e, f, g, h] = const {
                [(16 - $j) & 7, (17 - $j) & 7, (18 - $j) & 7, (19 - $j) & 7,
                 (20 - $j) & 7, (21 - $j) & 7, (22 - $j) & 7, (23 - $j) & 7]
            };
            w[$j] = (w[$j] + w[($j + 9) & 15])
                + (F::sigma0(w[($j + 1) & 15]) + F::sigma1(w[($j + 14) & 15]));
            let k = W::splat(s, F::k(start + $j));
            let t1 = v[h] + (k + w[$j]) + v[e].choose(v[f], v[g]) + F::big_sigma1(v[e]);
            v[d] = v[d] + t1;
            v[h] = t1 + v[a].majority(v[b], v[c]) + F::big_sigma0(v[a]);
        )* };
    }
    round!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
}

/// The rounds from `FROM` on, and the sum with `start`, the state before all rounds.
#[inline(always)]
pub(super) fn rounds_from<F: Family, S: Simd, W: HashWords<S, F::Word>, const FROM: usize>(
    s: S,
    start: &[W; 8],
    v: &mut [W; 8],
    w: &mut [W; 16],
) {
    rounds16::<F, S, W, FROM>(s, v, w, 0);
    let mut i = 16;
    while i < F::ROUNDS {
        schedule16::<F, S, W>(s, v, w, i);
        i += 16;
    }
    i = 0;
    while i < 8 {
        v[i] = v[i] + start[i];
        i += 1;
    }
}

/// A block into each state; as many as there are lanes, or fewer.
#[inline(never)]
fn compress<F: Family, S: Simd, W: HashWords<S, F::Word>>(
    s: S,
    states: &mut [[F::Word; 8]],
    blocks: &[[F::Word; 16]],
) {
    s.vectorize(
        #[inline(always)]
        || {
            // For an aligned frame: see `keccak::permute_lanes`.
            scratch!(_frame: A64<[u64; 8]>);
            let mut w = columns::<F, S, W>(s, blocks);
            let start = words::<F, S, W, 8>(s, states);
            let mut v = start;
            rounds_from::<F, S, W, 0>(s, &start, &mut v, &mut w);
            let mut i = 0;
            while i < 8 {
                let mut word = [F::Word::default(); 16];
                v[i].store(&mut word);
                states.iter_mut().enumerate().for_each(|(lane, state)| state[i] = word[lane]);
                i += 1;
            }
            wipe(&mut w);
        },
    );
}

/// The words of the blocks; lanes without a block have zeros.
#[inline(always)]
pub(super) fn columns<F: Family, S: Simd, W: HashWords<S, F::Word>>(
    s: S,
    blocks: &[[F::Word; 16]],
) -> [W; 16] {
    if blocks.len() == W::LANES {
        return W::columns(s, blocks);
    }
    words::<F, S, W, 16>(s, blocks)
}

/// The words of states or of blocks, one by one; lanes without one have zeros.
#[inline(always)]
pub(super) fn words<F: Family, S: Simd, W: HashWords<S, F::Word>, const N: usize>(
    s: S,
    rows: &[[F::Word; N]],
) -> [W; N] {
    let (mut words, mut i) = ([W::splat(s, F::Word::default()); N], 0);
    while i < N {
        let mut word = [F::Word::default(); 16];
        rows.iter().enumerate().for_each(|(lane, row)| word[lane] = row[i]);
        words[i] = W::load(s, &word);
        i += 1;
    }
    words
}

/// SHA-256 in lanes, by whatever the CPU is best at.
#[derive(Clone, Copy, Debug)]
pub struct Sha256Lanes<S: Simd> {
    s: S,
    unit: Option<S::Sha>,
}

/// From so many messages on vectors of sixteen lanes are taken. They are as fast as the unit with ten on Sapphire
/// Rapids, with sixteen on Zen 4.
const FOR_SIXTEEN: usize = 13;

impl<S: Simd> Sha256Lanes<S> {
    /// Looks whether the CPU has a unit for SHA-256.
    #[must_use]
    pub fn new(s: S) -> Self {
        Self { s, unit: s.sha_unit() }
    }

    /// Lanes that a call fills best: 1, 4, 8 or 16.
    #[must_use]
    pub fn lanes(&self) -> usize {
        if self.unit.is_some() && S::W32::LANES < 16 { 2 * unit::WIDTH } else { S::W32::LANES }
    }

    /// The unit, if it is to hash what is left of messages.
    fn unit_for(&self, left: usize) -> Option<S::Sha> {
        self.unit.filter(|_| S::W32::LANES < 16 || left < FOR_SIXTEEN)
    }

    /// The compression function: a block into each state. Any number of them.
    ///
    /// # Panics
    /// If there are not as many blocks as states.
    pub fn compress(&self, states: &mut [[u32; 8]], blocks: &[Block256]) {
        assert_eq!(states.len(), blocks.len(), "a block for each state");
        let lanes = self.lanes();
        for (states, blocks) in states.chunks_mut(lanes).zip(blocks.chunks(lanes)) {
            match self.unit_for(states.len()) {
                Some(unit) => unit::compress(unit, states, blocks),
                None => compress::<Sha256, S, S::W32>(self.s, states, blocks),
            }
        }
    }

    /// Chains of hashes whose last block is a head of `AT` bytes, 17 to 23, and a value: `steps` times,
    /// the first `N` bytes of the hash become the value; then the last byte of the head, which is not to
    /// overflow, counts one up. `start` is the state after the blocks before, if any.
    ///
    /// Each trace takes a copy of its lane's value after each step.
    ///
    /// # Panics
    /// If there are not as many values as heads, or if a trace is too short.
    pub fn chain<const N: usize, const AT: usize>(
        &self,
        start: &Midstate,
        heads: &[Head],
        steps: u32,
        values: &mut [[u8; N]],
        traces: &mut [Trace<'_, N>],
    ) {
        assert_eq!(heads.len(), values.len(), "a value for each head");
        for (unit, next) in self.groups(heads.len()) {
            let traces = &mut Traces::new(traces, next.start);
            let (heads, values) = (&heads[next.clone()], &mut values[next]);
            match unit {
                Some(unit) => unit::chain::<_, N, AT>(unit, start, heads, steps, values, traces),
                None => chain::<S, S::W32, N, AT>(self.s, start, heads, steps, values, traces),
            }
        }
    }

    /// Chains whose steps have keys and masks, as XMSS has them with values of 32 bytes: RFC 8391,
    /// Algorithm 2, with the functions of its section 5.1. `prf` is the state after the first block of
    /// PRF; addresses are those of first steps. `steps` times, the value of each lane becomes F of the
    /// key and of itself masked, and its address counts one up.
    ///
    /// Each trace takes a copy of its lane's value after each step.
    ///
    /// # Panics
    /// If there are not as many values as addresses, or if a trace is too short.
    pub fn masked_chain(
        &self,
        prf: &[u32; 8],
        addresses: &[Address],
        steps: u32,
        values: &mut [[u8; 32]],
        traces: &mut [Trace<'_, 32>],
    ) {
        assert_eq!(addresses.len(), values.len(), "a value for each address");
        for (unit, next) in self.groups(addresses.len()) {
            let traces = &mut Traces::new(traces, next.start);
            let (addresses, values) = (&addresses[next.clone()], &mut values[next]);
            match unit {
                Some(unit) => xmss::chain_by_unit(unit, prf, addresses, steps, values, traces),
                None => xmss::chain::<S, S::W32>(self.s, prf, addresses, steps, values, traces),
            }
        }
    }

    /// Which of `count` chains run side by side, one group after the other, and by what.
    fn groups(&self, count: usize) -> impl Iterator<Item = (Option<S::Sha>, Range<usize>)> {
        let mut first = 0;
        core::iter::from_fn(move || {
            let unit = self.unit_for(count - first);
            let width = if unit.is_some() { unit::WIDTH } else { S::W32::LANES };
            let group = first..count.min(first + width);
            first = group.end;
            (!group.is_empty()).then_some((unit, group))
        })
    }
}

/// Without the unit, where there is one.
#[cfg(test)]
impl<S: Simd> Sha256Lanes<S> {
    pub(super) fn without_unit(s: S) -> Self {
        Self { s, unit: None }
    }
}

/// The traces, for lanes from `first` on.
pub(super) struct Traces<'a, 'b, const N: usize> {
    traces: &'a mut [Trace<'b, N>],
    first: usize,
}

impl<'a, 'b, const N: usize> Traces<'a, 'b, N> {
    fn new(traces: &'a mut [Trace<'b, N>], first: usize) -> Self {
        Self { traces, first }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.traces.is_empty()
    }

    /// Gives each trace of the lanes below `width` the value of its lane after `step`.
    #[inline(always)]
    pub(super) fn record(
        &mut self,
        width: usize,
        step: u32,
        mut value: impl FnMut(usize, &mut [u8; N]),
    ) {
        for (lane, trace) in self.traces.iter_mut() {
            if let Some(lane) = lane.checked_sub(self.first).filter(|lane| *lane < width) {
                value(lane, &mut trace[step as usize]);
            }
        }
    }
}

/// Words that begin a block of a chain: rounds that are the same in every step.
pub(super) const HEAD: usize = 4;

/// What is the same in all blocks of chains: what follows the value.
pub(super) struct Padding<const N: usize, const AT: usize>;

impl<const N: usize, const AT: usize> Padding<N, AT> {
    /// The word that has the one after the value, which is behind those of the head.
    pub(super) const PLACE: usize = {
        assert!(AT > 16 && AT < 24 && N >= 16 && AT + N <= 55);
        (AT + N) >> 2
    };
    pub(super) const ONE: u32 = 0x80 << (8 * (3 - ((AT + N) & 3)));

    /// The last word: the length in bits.
    #[inline(always)]
    pub(super) fn length(start: &Midstate) -> u32 {
        8 * (start.len as u32 + const { (AT + N) as u32 })
    }

    /// It as the last two rows of four words; the value comes to it.
    #[inline(always)]
    pub(super) fn rows(start: &Midstate) -> [[u32; 4]; 2] {
        const { assert!(Self::PLACE >= 8) };
        let mut words = [0; 8];
        words[const { Self::PLACE - 8 }] = Self::ONE;
        words[7] = Self::length(start);
        let [low, high] = words.as_chunks().0 else { unreachable!("eight are two times four") };
        [*low, *high]
    }
}

#[inline(never)]
fn chain<S: Simd, W: HashWords<S, u32>, const N: usize, const AT: usize>(
    s: S,
    start: &Midstate,
    heads: &[Head],
    steps: u32,
    values: &mut [[u8; N]],
    traces: &mut Traces<'_, '_, N>,
) {
    // The word that holds the byte before the value, and that byte's place in it.
    let counter = const { (AT - 1) >> 2 };
    let one = const { 1_u32 << (8 * (3 - ((AT - 1) & 3))) };
    s.vectorize(
        #[inline(always)]
        || {
            // For an aligned frame: see `keccak::permute_lanes`.
            scratch!(_frame: A64<[u64; 8]>);
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
            while step < steps {
                let mut w = [W::splat(s, 0); 16];
                i = 0;
                while i < fixed.len() {
                    w[i] = fixed[i];
                    i += 1;
                }
                w[Padding::<N, AT>::PLACE] = W::splat(s, Padding::<N, AT>::ONE);
                w[15] = W::splat(s, Padding::<N, AT>::length(start));
                put_value::<S, W, N, AT>(&value, &mut w);
                let mut v = head;
                rounds_from::<Sha256, S, W, HEAD>(s, &begin, &mut v, &mut w);
                value = v;
                fixed[counter] = fixed[counter] + W::splat(s, one);
                if !traces.is_empty() {
                    traces.record(W::LANES, step, |lane, out| store_value(&value, lane, out));
                }
                step += 1;
            }
            store_values(&value, values);
            wipe(&mut value);
            wipe(&mut fixed);
        },
    );
}

/// The first `HEAD` rounds, after which variables stand at the places where the next round has them.
#[inline(always)]
pub(super) fn first_rounds<S: Simd, W: HashWords<S, u32>>(
    s: S,
    begin: &[W; 8],
    w: &[W; HEAD],
) -> [W; 8] {
    let mut v = *begin;
    macro_rules! round {
        ($($j:literal)*) => { $(
            let [a, b, c, d, e, f, g, h] = const {
                [(16 - $j) & 7, (17 - $j) & 7, (18 - $j) & 7, (19 - $j) & 7,
                 (20 - $j) & 7, (21 - $j) & 7, (22 - $j) & 7, (23 - $j) & 7]
            };
            let k = W::splat(s, Sha256::k($j));
            let t1 = v[h] + (k + w[$j]) + v[e].choose(v[f], v[g]) + Sha256::big_sigma1(v[e]);
            v[d] = v[d] + t1;
            v[h] = t1 + v[a].majority(v[b], v[c]) + Sha256::big_sigma0(v[a]);
        )* };
    }
    round!(0 1 2 3);
    v
}

/// Adds the value to the block from byte `AT` on.
#[inline(always)]
fn put_value<S: Simd, W: HashWords<S, u32>, const N: usize, const AT: usize>(
    value: &[W; 8],
    w: &mut [W; 16],
) {
    let first = const { AT >> 2 };
    let mut i = 0;
    while i < const { N >> 2 } {
        let x = value[i];
        // Bits of a word that are the next word's.
        let (here, next) = match const { AT & 3 } {
            0 => (x, None),
            1 => (x.shr::<8>(), Some(x.shl::<24>())),
            2 => (x.shr::<16>(), Some(x.shl::<16>())),
            _ => (x.shr::<24>(), Some(x.shl::<8>())),
        };
        w[first + i] = w[first + i] ^ here;
        if let Some(next) = next {
            w[first + i + 1] = w[first + i + 1] ^ next;
        }
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

#[inline(always)]
pub(super) fn store_values<S: Simd, W: HashWords<S, u32>, const N: usize>(
    words: &[W; 8],
    values: &mut [[u8; N]],
) {
    let mut i = 0;
    while i < const { N >> 2 } {
        let mut word = [0; 16];
        words[i].store(&mut word);
        for (value, word) in values.iter_mut().zip(&word) {
            value.as_chunks_mut::<4>().0[i] = word.to_be_bytes();
        }
        i += 1;
    }
}

/// SHA-512's compression of one block: FIPS 180-4, section 6.4.2.
pub(super) fn compress512<S: Simd>(s: S, state: &mut [u64; 8], block: &Block512) {
    let (states, blocks) = (core::slice::from_mut(state), core::slice::from_ref(block));
    compress::<Sha512, S, Word<u64>>(s, states, blocks);
}

/// SHA-512 in lanes.
#[derive(Clone, Copy, Debug)]
pub struct Sha512Lanes<S: Simd>(S);

impl<S: Simd> Sha512Lanes<S> {
    /// SHA-512 by the instructions of `s`.
    #[must_use]
    pub fn new(s: S) -> Self {
        Self(s)
    }

    /// The compression function: a block into each state. Any number of them.
    ///
    /// # Panics
    /// If there are not as many blocks as states.
    pub fn compress(&self, states: &mut [[u64; 8]], blocks: &[Block512]) {
        assert_eq!(states.len(), blocks.len(), "a block for each state");
        let lanes = S::W64::LANES;
        for (states, blocks) in states.chunks_mut(lanes).zip(blocks.chunks(lanes)) {
            if states.len() == 1 {
                compress::<Sha512, S, Word<u64>>(self.0, states, blocks);
            } else {
                compress::<Sha512, S, S::W64>(self.0, states, blocks);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sha2::{sha256, sha512};
    use oaklath_simd::{Level, dispatch};
    use std::vec::Vec;

    const IV512: [u64; 8] = super::super::IV512;

    /// The only block of a message of at most 55 bytes.
    fn block256(message: &[u8]) -> Block256 {
        let mut bytes = [0; 64];
        bytes[..message.len()].copy_from_slice(message);
        bytes[message.len()] = 0x80;
        bytes[56..].copy_from_slice(&(8 * message.len() as u64).to_be_bytes());
        words_of(&bytes)
    }

    /// Bytes as words, and zeros after them.
    fn words_of<const N: usize>(bytes: &[u8]) -> [u32; N] {
        let mut padded = [[0; 4]; N];
        padded.as_flattened_mut()[..bytes.len()].copy_from_slice(bytes);
        padded.map(u32::from_be_bytes)
    }

    fn message(lane: usize, len: usize) -> Vec<u8> {
        (0..len).map(|i| ((lane * 37 + i * 5) % 250) as u8).collect()
    }

    #[test]
    fn compressions() {
        fn check<S: Simd>(s: S, lanes: usize) {
            let messages: Vec<_> = (0..lanes).map(|lane| message(lane, 50)).collect();
            let blocks: Vec<_> = messages.iter().map(|m| block256(m)).collect();
            let mut states = std::vec![Midstate::new().words(); lanes];
            Sha256Lanes::new(s).compress(&mut states, &blocks);
            for (state, message) in states.iter().zip(&messages) {
                let digest: Vec<u8> = state.iter().flat_map(|word| word.to_be_bytes()).collect();
                assert_eq!(digest, sha256(message), "{s:?} {lanes}");
            }
            let long: Vec<Block512> = messages
                .iter()
                .map(|message| {
                    let mut bytes = [0; 128];
                    bytes[..50].copy_from_slice(message);
                    bytes[50] = 0x80;
                    bytes[120..].copy_from_slice(&400_u64.to_be_bytes());
                    core::array::from_fn(|i| u64::from_be_bytes(bytes.as_chunks::<8>().0[i]))
                })
                .collect();
            let mut states = std::vec![IV512; lanes];
            Sha512Lanes::new(s).compress(&mut states, &long);
            for (state, message) in states.iter().zip(&messages) {
                let digest: Vec<u8> = state.iter().flat_map(|word| word.to_be_bytes()).collect();
                assert_eq!(digest, sha512(message), "{s:?} {lanes}");
            }
        }
        for level in Level::available() {
            for lanes in 0..=17 {
                dispatch!(level, s => check(s, lanes));
            }
        }
    }

    #[test]
    fn chains() {
        fn check<S: Simd, const N: usize, const AT: usize>(s: S, lanes: usize) {
            let start = Midstate::new().absorb(&[[7; 64]]);
            let value = |lane: usize| [lane as u8 + 1; N];
            let heads: Vec<Head> = (0..lanes).map(|lane| words_of(&message(lane, AT))).collect();
            let mut values: Vec<_> = (0..lanes).map(value).collect();
            let (mut first, mut last) = ([[0; N]; 4], [[0; N]; 4]);
            let mut traces = [(0, &mut first[..]), (lanes.saturating_sub(1), &mut last[..])];
            let engines = [Sha256Lanes::new(s), Sha256Lanes::without_unit(s)];
            for engine in engines {
                values.iter_mut().enumerate().for_each(|(lane, v)| *v = value(lane));
                engine.chain::<N, AT>(&start, &heads, 4, &mut values, &mut traces);
                for (lane, got) in values.iter().enumerate() {
                    let (mut want, mut head) = (value(lane), message(lane, AT));
                    for step in 0..4 {
                        let digest = start.finish(&[&head[..], &want].concat());
                        want.copy_from_slice(&digest[..N]);
                        head[AT - 1] = head[AT - 1].wrapping_add(1);
                        if lane == 0 {
                            assert_eq!(traces[0].1[step], want, "{s:?} step {step}");
                        }
                        if lane == lanes - 1 {
                            assert_eq!(traces[1].1[step], want, "{s:?} step {step}");
                        }
                    }
                    assert_eq!(*got, want, "{s:?} lane {lane} of {lanes}");
                }
            }
        }
        for level in Level::available() {
            for lanes in 0..=17 {
                dispatch!(level, s => check::<_, 16, 22>(s, lanes));
                dispatch!(level, s => check::<_, 24, 22>(s, lanes));
                dispatch!(level, s => check::<_, 32, 22>(s, lanes));
                dispatch!(level, s => check::<_, 32, 23>(s, lanes));
                dispatch!(level, s => check::<_, 24, 21>(s, lanes));
                dispatch!(level, s => check::<_, 32, 20>(s, lanes));
            }
        }
    }
}
