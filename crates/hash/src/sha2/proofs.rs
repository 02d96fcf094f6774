//! Theorems about SHA-2, with FIPS 180-4, section 6, written as terms. The constants are those of
//! the crate, which known answers test; SHA-256 units are opaque to proofs, and tested.
#![expect(clippy::integer_division_remainder_used, reason = "proofs are not shipped")]
use std::format;
use std::string::String;
use std::vec::Vec;

use oaklath_prove_engine::proof::io::Io;
use oaklath_prove_engine::{Kernel, Rows, Term, Terms, Theorem, prove};
use oaklath_simd::{HashWords, Simd, scratch};

use super::compress::{Sha256, Sha512, compress, last_rounds};
use super::constants::{IV256, K};
use super::engines::{Sha256Lanes, Sha512Lanes};
use super::message::Head;
use super::midstate::{LaneStates, Midstate};
use crate::ValueSpan;
use crate::proofs::words::{input_bytes, output_bytes};

/// The theorems about SHA-2.
pub(crate) const THEOREMS: &[Theorem] = &[
    Theorem {
        kernels: &["sha2::last_rounds"],
        results: &[],
        claim: "SHA-256's and SHA-512's compression, round by round: FIPS 180-4, 6.2.2 and 6.4.2; \
                any states and blocks, in each lane",
        is_quick: true,
        prove: compressions,
    },
    Theorem {
        kernels: &["sha2::compress"],
        results: &[],
        claim: "the compression of each state, of as many as there are lanes, of more and of \
                fewer; any blocks, and states of zeros, to which plain code adds",
        is_quick: false,
        prove: states_and_blocks,
    },
    Theorem {
        kernels: &["sha2::advance_chains", "sha2::first_rounds", "sha2::set", "sha2::splat"],
        results: &[],
        claim: "as many times as the lane has steps, SHA-256 of the head and the value after a \
                midstate, and the head one up: FIPS 205, 11.2, and RFC 8554; any midstate, common \
                or of each lane, any values and first five words of heads",
        is_quick: false,
        prove: chains,
    },
    Theorem {
        kernels: &["sha2::advance_masked_chains", "sha2::finish_block"],
        results: &[],
        claim: "as many times as the lane has steps, F of a key and of the masked value, both from \
                PRF, and the address one up: RFC 8391, Algorithm 2 and 5.1; any midstate, addresses \
                and values",
        is_quick: false,
        prove: masked_chains,
    },
];

/// The differences between SHA-256 and SHA-512 (FIPS 180-4, sections 4.1.2 and 4.1.3). `sums` has
/// the right rotations of Sigma0, Sigma1, sigma0 and sigma1, where the last of sigma is a shift.
pub(crate) struct Text {
    pub(crate) bits: u8,
    rounds: usize,
    sums: [[u8; 3]; 4],
}

pub(crate) const SHA256: Text =
    Text { bits: 32, rounds: 64, sums: [[2, 13, 22], [6, 11, 25], [7, 18, 3], [17, 19, 10]] };

pub(crate) const SHA512: Text =
    Text { bits: 64, rounds: 80, sums: [[28, 34, 39], [14, 18, 41], [1, 8, 7], [19, 61, 6]] };

impl Text {
    fn sigma(&self, t: &mut Terms, which: usize, x: Term) -> Term {
        let [a, b, c] = self.sums[which];
        let (first, second) = (t.rotated(x, self.bits - a), t.rotated(x, self.bits - b));
        let third = if which < 2 { t.rotated(x, self.bits - c) } else { t.shifted(x, c) };
        let sum = t.xor(first, second);
        t.xor(sum, third)
    }

    fn constant(&self, t: &mut Terms, round: usize) -> Term {
        t.constant(K[round] >> (64 - self.bits), self.bits)
    }

    /// Returns the state after the compression of a block; `name` is that of the state.
    pub(crate) fn compressed(
        &self,
        t: &mut Terms,
        name: &str,
        state: &[Term],
        block: &[Term],
    ) -> Vec<Term> {
        let mut w = block.to_vec();
        for i in 16..self.rounds {
            let (s1, s0) = (self.sigma(t, 3, w[i - 2]), self.sigma(t, 2, w[i - 15]));
            let word = t.sum(&[s1, w[i - 7], s0, w[i - 16]]);
            w.push(t.cut(format!("W{i} of {name}"), word));
        }
        let mut v: [Term; 8] = *state.first_chunk().expect("eight words");
        for (i, word) in w.into_iter().enumerate() {
            let [a, b, c, d, e, f, g, h] = v;
            let (s1, s0) = (self.sigma(t, 1, e), self.sigma(t, 0, a));
            let (ch, maj) = (choose(t, e, f, g), majority(t, a, b, c));
            let k = self.constant(t, i);
            let t1 = t.sum(&[h, s1, ch, k, word]);
            let new_e = t.sum(&[d, t1]);
            let new_e = t.cut(format!("e after round {i} of {name}"), new_e);
            let new_a = t.sum(&[t1, s0, maj]);
            let new_a = t.cut(format!("a after round {i} of {name}"), new_a);
            v = [new_a, a, b, c, new_e, e, f, g];
        }
        let sums = state.iter().zip(v).enumerate().map(|(i, (before, x))| {
            let sum = t.sum(&[*before, x]);
            t.cut(format!("word {i} of {name}"), sum)
        });
        sums.collect()
    }
}

/// Computes Ch of FIPS 180-4, section 4.1.
fn choose(t: &mut Terms, x: Term, y: Term, z: Term) -> Term {
    let not = t.not(x);
    let (first, second) = (t.and(x, y), t.and(not, z));
    t.xor(first, second)
}

/// Computes Maj of FIPS 180-4, section 4.1.
fn majority(t: &mut Terms, x: Term, y: Term, z: Term) -> Term {
    let (first, second, third) = (t.and(x, y), t.and(x, z), t.and(y, z));
    let sum = t.xor(first, second);
    t.xor(sum, third)
}

/// Defines a kernel with all rounds. Inputs: the words of states and of blocks, for sixteen lanes.
macro_rules! all_rounds {
    ($name:ident $f:ident $word:ident $signed:ident $w:ident) => {
        #[inline(always)]
        fn $name<S: Simd>(s: S, io: &mut Io) {
            scratch!(words: [[$word; 16]; 24], out: [[$word; 16]; 8]);
            let range = i64::from($signed::MIN)..=i64::from($signed::MAX);
            io.inputs(words.as_flattened_mut(), range);
            for first in (0..16).step_by(S::$w::LANES) {
                let load = |i: usize| <S::$w as HashWords<S, $word>>::load(s, &words[i][first..]);
                let start: [S::$w; 8] = core::array::from_fn(load);
                let mut w: [S::$w; 16] = core::array::from_fn(|i| load(8 + i));
                let mut v = start;
                last_rounds::<$f, S, S::$w, 0>(s, &mut v, &mut w);
                for (i, out) in out.iter_mut().enumerate() {
                    (v[i] + start[i]).store(&mut out[first..]);
                }
            }
            io.outputs(&out.as_flattened().iter().map(|x| *x as $signed).collect::<Vec<_>>());
        }
    };
}
all_rounds!(all_of_256 Sha256 u32 i32 W32);
all_rounds!(all_of_512 Sha512 u64 i64 W64);

/// Checks that the words of each lane are compressed.
fn lanes_are_compressed(k: &Kernel, text: &Text) -> Result<(), String> {
    let mut t = Terms::new(k);
    let states: Vec<Vec<Term>> = (0..16)
        .map(|lane| {
            let column: Vec<Term> = (0..24).map(|i| t.input(16 * i + lane)).collect();
            text.compressed(&mut t, &format!("lane {lane}"), &column[..8], &column[8..])
        })
        .collect();
    let wanted: Vec<Term> = (0..8).flat_map(|i| states.iter().map(move |v| v[i])).collect();
    t.prove(k, 0, &wanted)
}

fn compressions(rows: &mut Rows) -> Result<(), String> {
    prove!(rows, "SHA-256", modulo 2, limit 2; |s, io| { all_of_256(s, io) }, |k| {
        lanes_are_compressed(k, &SHA256)
    }; Proof8 ProofNeon Proof16 Proof32);
    prove!(rows, "SHA-512", modulo 2, limit 2; |s, io| { all_of_512(s, io) }, |k| {
        lanes_are_compressed(k, &SHA512)
    }; Proof8 ProofNeon Proof16 Proof32);
    Ok(())
}

/// Compresses blocks, which are the inputs.
#[inline(always)]
fn blocks_of_256<S: Simd>(s: S, io: &mut Io, count: usize) {
    scratch!(blocks: [[u32; 16]; 17]);
    let mut states = [[0; 8]; 17];
    io.inputs(blocks[..count].as_flattened_mut(), i32::MIN.into()..=i32::MAX.into());
    Sha256Lanes::new(s).compress(&mut states[..count], &blocks[..count]);
    io.outputs(&states.as_flattened().iter().map(|x| *x as i32).collect::<Vec<_>>()[..8 * count]);
}

#[inline(always)]
fn blocks_of_512<S: Simd>(s: S, io: &mut Io, count: usize) {
    scratch!(blocks: [[u64; 16]; 17]);
    let mut states = [[0; 8]; 17];
    io.inputs(blocks[..count].as_flattened_mut(), i64::MIN..=i64::MAX);
    if count == 1 {
        compress::<Sha512, S, S::W64>(s, &mut states[..1], &blocks[..1]);
    } else {
        Sha512Lanes::new(s).compress(&mut states[..count], &blocks[..count]);
    }
    io.outputs(&states.as_flattened()[..8 * count]);
}

fn blocks_are_compressed(k: &Kernel, text: &Text) -> Result<(), String> {
    let (mut t, mut wanted) = (Terms::new(k), Vec::new());
    let zeros = [t.constant(0, text.bits); 8];
    for lane in 0..k.inputs().len() / 16 {
        let block = t.inputs(16 * lane..16 * (lane + 1)).to_vec();
        wanted.extend(text.compressed(&mut t, &format!("block {lane}"), &zeros, &block));
    }
    t.prove(k, 0, &wanted)
}

fn states_and_blocks(rows: &mut Rows) -> Result<(), String> {
    for count in [1, 3, 10, 16] {
        prove!(rows, format!("SHA-256, {count}"), modulo 2, limit 2; |s, io| {
            blocks_of_256(s, io, count);
        }, |k| blocks_are_compressed(k, &SHA256); Proof8 ProofNeon Proof16 Proof32);
        prove!(rows, format!("SHA-512, {count}"), modulo 2, limit 2; |s, io| {
            blocks_of_512(s, io, count);
        }, |k| blocks_are_compressed(k, &SHA512); Proof8 ProofNeon Proof16 Proof32);
    }
    Ok(())
}

/// Converts bytes to words of SHA-256, big-endian.
fn words(t: &mut Terms, bytes: &[Term]) -> Vec<Term> {
    let all = bytes.chunks(4);
    all.map(|bytes| t.joined(&[bytes[3], bytes[2], bytes[1], bytes[0]])).collect()
}

/// Converts words of SHA-256 to bytes, big-endian.
fn bytes(t: &mut Terms, words: &[Term]) -> Vec<Term> {
    let all = words.iter().flat_map(|word| [24, 16, 8, 0].map(|from| (*word, from)));
    all.map(|(word, from)| t.part(word, from, 8)).collect()
}

/// Returns SHA-256 of at most 55 bytes after a midstate of `len` bytes: the padding and the last
/// block (FIPS 180-4, sections 5.1.1 and 6.2.2).
fn finished(t: &mut Terms, name: &str, (state, len): (&[Term], u64), rest: &[Term]) -> Vec<Term> {
    let mut block = rest.to_vec();
    block.push(t.constant(0x80, 8));
    block.resize_with(56, || t.constant(0, 8));
    let length = 8 * (len + rest.len() as u64);
    block.extend(length.to_be_bytes().map(|byte| t.constant(byte.into(), 8)));
    let block = words(t, &block);
    let state = SHA256.compressed(t, name, state, &block);
    bytes(t, &state)
}

/// The most lanes: as many as make sixteen lanes two vectors.
const MOST: usize = 21;

/// The number of steps of each lane.
const STEPS: [u32; MOST] = [2, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 0];

/// Returns the last word of the head of a lane: the bytes before `at`, the last of which counts.
fn last_word(lane: usize, at: usize) -> u32 {
    let counter = 1 << (8 * (24 - at as u32));
    if at == 22 { 0x4500_0000 + counter * lane as u32 } else { 0x4567_0000 + counter * lane as u32 }
}

/// Advances chains. Inputs: as many midstates as start chains, one or one for each; the first words
/// of the heads; the values.
#[inline(always)]
fn advance<S: Simd>(s: S, io: &mut Io, span: ValueSpan, (starts, count): (usize, usize)) {
    scratch!(state: [u32; 8], heads: [Head; MOST], values: [u8; 32 * MOST], kept: [u8; 64]);
    io.inputs(state, i32::MIN.into()..=i32::MAX.into());
    let first = Midstate { state: *state, len: 64 };
    let mut of_lanes = LaneStates::splat(&first);
    for lane in 1..starts {
        io.inputs(state, i32::MIN.into()..=i32::MAX.into());
        of_lanes.set(lane, &Midstate { state: *state, len: 64 });
    }
    let start = if starts == 1 { (&first).into() } else { (&of_lanes).into() };
    for (lane, head) in heads.iter_mut().enumerate().take(count) {
        io.inputs(&mut head[..5], i32::MIN.into()..=i32::MAX.into());
        head[5] = last_word(lane, span.at);
    }
    let values = &mut values[..span.n * count];
    input_bytes(io, values);
    let traces = &mut [(0, &mut kept[..])];
    let heads = (span, &heads[..count]);
    Sha256Lanes::new(s).advance_chains(start, heads, &STEPS[..count], values, traces);
    output_bytes(io, values);
    output_bytes(io, &kept[..2 * span.n]);
}

fn chains(rows: &mut Rows) -> Result<(), String> {
    for (at, n, starts, count) in [
        (22, 16, 1, 8),
        (22, 16, MOST, MOST),
        (22, 24, 17, 17),
        (22, 32, 3, 3),
        (23, 24, 1, 8),
        (23, 32, 1, MOST),
    ] {
        let (span, counts) = (ValueSpan { at, n }, (starts, count));
        let case = format!("{count} of {n} bytes at {at}, starts: {starts}");
        prove!(rows, case, modulo 2, limit 2; |s, io| {
            advance(s, io, span, counts);
        }, |k| chains_are_hashes(k, span, counts); Proof8 ProofNeon Proof16 Proof32);
    }
    Ok(())
}

fn chains_are_hashes(
    k: &Kernel,
    span: ValueSpan,
    (starts, count): (usize, usize),
) -> Result<(), String> {
    let (mut t, mut wanted, mut kept) = (Terms::new(k), Vec::new(), Vec::new());
    let heads = 8 * starts;
    for (lane, steps) in STEPS.iter().enumerate().take(count) {
        let start = 8 * lane.min(starts - 1);
        let start = t.inputs(start..start + 8).to_vec();
        let first = heads + 5 * count + span.n * lane;
        let mut value = t.inputs(first..first + span.n).to_vec();
        for step in 0..*steps {
            let last = last_word(lane, span.at) + (step << (8 * (24 - span.at)));
            let mut head = t.inputs(heads + 5 * lane..heads + 5 + 5 * lane).to_vec();
            head.push(t.constant(last.into(), 32));
            let mut message = bytes(&mut t, &head);
            message.truncate(span.at);
            message.extend(value);
            let name = format!("step {step} of lane {lane}");
            value = finished(&mut t, &name, (&start, 64), &message);
            value.truncate(span.n);
            if lane == 0 {
                kept.extend_from_slice(&value);
            }
        }
        wanted.extend(value);
    }
    t.prove(k, 0, &[wanted, kept].concat())
}

/// Advances masked chains. Inputs: the midstate of PRF, the addresses without their last word, the
/// values.
#[inline(always)]
fn advance_masked<S: Simd>(s: S, io: &mut Io, count: usize) {
    scratch!(prf: [u32; 8], addresses: [[u32; 8]; MOST], values: [u8; 32 * MOST], kept: [u8; 64]);
    io.inputs(prf, i32::MIN.into()..=i32::MAX.into());
    for address in &mut addresses[..count] {
        io.inputs(&mut address[..7], i32::MIN.into()..=i32::MAX.into());
        address[7] = 0;
    }
    let values = &mut values[..32 * count];
    input_bytes(io, values);
    let traces = &mut [(0, &mut kept[..])];
    let engine = Sha256Lanes::new(s);
    engine.advance_masked_chains(prf, &addresses[..count], &STEPS[..count], values, traces);
    output_bytes(io, values);
    output_bytes(io, kept);
}

fn masked_chains(rows: &mut Rows) -> Result<(), String> {
    for count in [3, 8, 17, MOST] {
        prove!(rows, format!("{count} chains"), modulo 2, limit 2; |s, io| {
            advance_masked(s, io, count);
        }, |k| masked_chains_are_hashes(k, count); Proof8 ProofNeon Proof16 Proof32);
    }
    Ok(())
}

fn masked_chains_are_hashes(k: &Kernel, count: usize) -> Result<(), String> {
    let (mut t, mut wanted, mut kept) = (Terms::new(k), Vec::new(), Vec::new());
    let prf = t.inputs(0..8).to_vec();
    for (lane, steps) in STEPS.iter().enumerate().take(count) {
        let first = 8 + 7 * count + 32 * lane;
        let mut value = t.inputs(first..first + 32).to_vec();
        for step in 0..*steps {
            let mut address = t.inputs(8 + 7 * lane..15 + 7 * lane).to_vec();
            let up = t.constant(step.into(), 32);
            address[6] = t.sum(&[address[6], up]);
            value =
                masked_step(&mut t, &format!("step {step} of lane {lane}"), &prf, &address, &value);
            if lane == 0 {
                kept.extend_from_slice(&value);
            }
        }
        wanted.extend(value);
    }
    t.prove(k, 0, &[wanted, kept].concat())
}

/// Returns F(KEY, value xor BM), where KEY and BM are PRF of the address with keyAndMask 0 and 1.
fn masked_step(
    t: &mut Terms,
    name: &str,
    prf: &[Term],
    address: &[Term],
    value: &[Term],
) -> Vec<Term> {
    let [key, mask] = [0, 1].map(|key_and_mask| {
        let last = [t.constant(key_and_mask, 32)];
        let message = bytes(t, &[address, &last].concat());
        finished(t, &format!("PRF {key_and_mask} of {name}"), (prf, 64), &message)
    });
    let iv = IV256.map(|word| t.constant(word.into(), 32));
    let first = [[t.constant(0, 8); 32].as_slice(), &key].concat();
    let first = words(t, &first);
    let middle = SHA256.compressed(t, &format!("key of {name}"), &iv, &first);
    // The XOR is of words, since the block consists of words.
    let (value, mask) = (words(t, value), words(t, &mask));
    let mut block: Vec<Term> = value.iter().zip(mask).map(|(x, mask)| t.xor(*x, mask)).collect();
    block.push(t.constant(1 << 31, 32));
    block.resize_with(15, || t.constant(0, 32));
    block.push(t.constant(8 * 96, 32));
    let state = SHA256.compressed(t, name, &middle, &block);
    bytes(t, &state)
}
