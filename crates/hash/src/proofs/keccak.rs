//! Theorems about Keccak, with FIPS 202, sections 3.2 and 3.3, written as terms.
#![expect(clippy::integer_division_remainder_used, reason = "proofs are not shipped")]
use std::format;
use std::string::String;
use std::vec::Vec;

use oaklath_prove_engine::proof::io::Io;
use oaklath_prove_engine::{Kernel, Rows, Term, Terms, Theorem, prove};
use oaklath_simd::{Simd, U64Lanes, scratch};

use crate::keccak::{permute, permute_lanes, permute_two};
use crate::lanes::{Lanes4, ROW, Start};
use crate::proofs::words::{bytes_of_words, input_bytes, input_words, output_bytes, output_words};
use crate::shake_lanes::{Block, ChainPrefix, ShakeThash, advance_chains, hash_blocks, lanes};

/// The theorems about Keccak.
pub(super) const THEOREMS: &[Theorem] = &[
    Theorem {
        kernels: &["keccak::permute", "keccak::round"],
        results: &[],
        claim: "Keccak-f[1600], round by round theta, rho, pi, chi, iota: FIPS 202, 3.3; any state",
        is_quick: true,
        prove: one_state,
    },
    Theorem {
        kernels: &["keccak::permute_lanes", "keccak::permute_two"],
        results: &[],
        claim: "Keccak-f[1600] of each of four or eight states that is active; any states",
        is_quick: false,
        prove: several_states,
    },
    Theorem {
        kernels: &[
            "lanes::new",
            "lanes::start",
            "lanes::load",
            "lanes::absorb",
            "lanes::replace",
            "lanes::permute",
            "lanes::permute_with",
            "lanes::squeeze",
            "lanes::words",
        ],
        results: &[],
        claim: "lanes are sponges of their own: SHA3-256 of two blocks, SHAKE128 and SHAKE256 of a \
                seed and a word, a state that is put back: FIPS 202, section 4; any bytes",
        is_quick: false,
        prove: mixed_lanes,
    },
    Theorem {
        kernels: &["shake_lanes::hash_blocks", "keccak::f1600_of_few"],
        results: &[],
        claim: "the first bytes of SHAKE256 of each padded block, of as many as there are lanes \
                and of fewer; any blocks",
        is_quick: false,
        prove: blocks,
    },
    Theorem {
        kernels: &["shake_lanes::advance_chains"],
        results: &[],
        claim: "a step of the lanes that have one: SHAKE256 of seed, address and value; FIPS 205, \
                Algorithm 5 and 11.1; any seed, common or of each lane, any values and first \
                three words of addresses",
        is_quick: false,
        prove: chains,
    },
    Theorem {
        kernels: &["shake_lanes::new", "shake_lanes::absorb_pieces", "shake_lanes::finish_digests"],
        results: &[],
        claim: "the first bytes of SHAKE256 of each message of three pieces and an end, in one \
                block; any pieces",
        is_quick: false,
        prove: pieces,
    },
];

/// Returns bit t of the linear feedback shift register of FIPS 202, Algorithm 5.
fn rc(t: usize) -> u64 {
    let mut r: u16 = 1;
    for _ in 0..t % 255 {
        // Bit i of R in the standard is bit i here.
        r <<= 1;
        if r >> 8 & 1 == 1 {
            r ^= 0b1_0111_0001;
        }
    }
    u64::from(r & 1)
}

/// Computes Keccak-f\[1600\], step by step. Word x + 5 y is A\[x, y\]; `name` is that of the state.
pub(super) fn keccak_f(t: &mut Terms, name: &str, start: &[Term; 25]) -> [Term; 25] {
    let mut a = *start;
    for round in 0..24 {
        a = theta(t, a);
        a = pi(rho(t, a));
        a = chi(t, a);
        a = iota(t, a, round);
        for (i, word) in a.iter_mut().enumerate() {
            *word = t.cut(format!("word {i} after round {round} of {name}"), *word);
        }
    }
    a
}

fn theta(t: &mut Terms, a: [Term; 25]) -> [Term; 25] {
    let c: [Term; 5] =
        core::array::from_fn(|x| (1..5).fold(a[x], |sum, y| t.xor(sum, a[x + 5 * y])));
    core::array::from_fn(|i| {
        let x = i % 5;
        let right = t.rotated(c[(x + 1) % 5], 1);
        let d = t.xor(c[(x + 4) % 5], right);
        t.xor(a[i], d)
    })
}

fn rho(t: &mut Terms, a: [Term; 25]) -> [Term; 25] {
    let (mut b, mut x, mut y) = (a, 1, 0);
    for step in 0..24 {
        b[x + 5 * y] = t.rotated(a[x + 5 * y], ((step + 1) * (step + 2) / 2 % 64) as u8);
        (x, y) = (y, (2 * x + 3 * y) % 5);
    }
    b
}

fn pi(a: [Term; 25]) -> [Term; 25] {
    core::array::from_fn(|i| {
        let (x, y) = (i % 5, i / 5);
        a[(x + 3 * y) % 5 + 5 * x]
    })
}

fn chi(t: &mut Terms, a: [Term; 25]) -> [Term; 25] {
    core::array::from_fn(|i| {
        let (x, row) = (i % 5, i / 5 * 5);
        let not = t.not(a[row + (x + 1) % 5]);
        let product = t.and(not, a[row + (x + 2) % 5]);
        t.xor(a[i], product)
    })
}

fn iota(t: &mut Terms, mut a: [Term; 25], round: usize) -> [Term; 25] {
    let constant = (0..7).fold(0, |sum, j| sum | rc(j + 7 * round) << ((1 << j) - 1));
    let constant = t.constant(constant, 64);
    a[0] = t.xor(a[0], constant);
    a
}

/// Returns `out` bytes of the sponge of FIPS 202, Algorithm 8, for a message in bytes that ends
/// with its suffix.
pub(super) fn sponge(
    t: &mut Terms,
    name: &str,
    rate: usize,
    message: &[Term],
    out: usize,
) -> Vec<Term> {
    let zero = t.constant(0, 8);
    let mut padded = message.to_vec();
    padded.resize(message.len().next_multiple_of(rate), zero);
    let (last, high) = (padded.len() - 1, t.constant(0x80, 8));
    padded[last] = t.xor(padded[last], high);
    let mut state = [t.constant(0, 64); 25];
    for (n, block) in padded.chunks(rate).enumerate() {
        for (word, bytes) in state.iter_mut().zip(block.chunks(8)) {
            let bytes = t.joined(bytes);
            *word = t.xor(*word, bytes);
        }
        state = keccak_f(t, &format!("block {n} of {name}"), &state);
    }
    let (mut squeezed, mut n) = (Vec::new(), 0);
    loop {
        squeezed.extend(bytes_of_words(t, &state[..rate / 8]));
        if squeezed.len() >= out {
            squeezed.truncate(out);
            return squeezed;
        }
        n += 1;
        state = keccak_f(t, &format!("output {n} of {name}"), &state);
    }
}

fn one_state(rows: &mut Rows) -> Result<(), String> {
    prove!(rows, "one state", modulo 2, limit 2; |s, io| {
        scratch!(state: [u64; 25]);
        input_words(io, state);
        permute(s, state);
        output_words(io, state);
    }, |k| {
        let mut t = Terms::new(k);
        let start = *t.inputs(0..25).first_chunk().expect("25 words");
        let wanted = keccak_f(&mut t, "the state", &start);
        t.prove(k, 0, &wanted)
    }; Proof8 ProofNeon Proof16 Proof32);
    Ok(())
}

/// Returns states in lanes, whose words are inputs.
#[inline(always)]
fn states<S: Simd, W: U64Lanes<S, N>, const N: usize>(s: S, io: &mut Io) -> [W; 25] {
    scratch!(words: [[u64; N]; 25]);
    input_words(io, words.as_flattened_mut());
    words.map(|row| W::from_array(s, row))
}

#[inline(always)]
fn output_states<S: Simd, W: U64Lanes<S, N>, const N: usize>(io: &mut Io, state: &[W; 25]) {
    state.iter().for_each(|word| output_words(io, &word.to_array()));
}

/// Checks that each of `lanes` states is permuted, in each of `count` groups.
fn columns_are_permuted(k: &Kernel, lanes: usize, count: usize) -> Result<(), String> {
    let mut t = Terms::new(k);
    let mut wanted = Vec::new();
    for first in (0..count).map(|n| 25 * lanes * n) {
        let permuted: Vec<[Term; 25]> = (0..lanes)
            .map(|lane| {
                let start = core::array::from_fn(|i| t.input(first + lanes * i + lane));
                keccak_f(&mut t, &format!("lane {lane}"), &start)
            })
            .collect();
        wanted.extend((0..25 * lanes).map(|i| permuted[i % lanes][i / lanes]));
    }
    t.prove(k, 0, &wanted)
}

fn several_states(rows: &mut Rows) -> Result<(), String> {
    prove!(rows, "four states", modulo 2, limit 2; |s, io| { four(s, io) }, |k| {
        columns_are_permuted(k, 4, 1)
    }; Proof8 ProofNeon Proof16 Proof32);
    prove!(rows, "eight states", modulo 2, limit 2; |s, io| { eight(s, io) }, |k| {
        columns_are_permuted(k, 8, 1)
    }; Proof8 ProofNeon Proof16 Proof32);
    prove!(rows, "two times four", modulo 2, limit 2; |s, io| { two(s, io) }, |k| {
        columns_are_permuted(k, 4, 2)
    }; Proof8 ProofNeon Proof16 Proof32);
    // States in other registers need not be permuted, those in the same one may be.
    for lane in [0, 3, 6] {
        prove!(rows, format!("state {lane} of eight alone"), modulo 2, limit 2; |s, io| {
            one_of_eight(s, io, lane);
        }, |k| {
            let mut t = Terms::new(k);
            let start = core::array::from_fn(|i| t.input(8 * i + lane));
            let wanted = keccak_f(&mut t, "the state", &start);
            t.prove(k, 0, &wanted)
        }; Proof8 ProofNeon Proof16 Proof32);
    }
    Ok(())
}

#[inline(always)]
fn four<S: Simd>(s: S, io: &mut Io) {
    let mut state: [S::Four; 25] = states(s, io);
    permute_lanes(s, &mut state, 15);
    output_states(io, &state);
}

#[inline(always)]
fn eight<S: Simd>(s: S, io: &mut Io) {
    let mut state: [S::Eight; 25] = states(s, io);
    permute_lanes(s, &mut state, 255);
    output_states(io, &state);
}

#[inline(always)]
fn one_of_eight<S: Simd>(s: S, io: &mut Io, lane: usize) {
    let mut state: [S::Eight; 25] = states(s, io);
    permute_lanes(s, &mut state, 1 << lane);
    state.iter().for_each(|word| output_words(io, &word.to_array()[lane..=lane]));
}

#[inline(always)]
fn two<S: Simd>(s: S, io: &mut Io) {
    let mut a: [S::Four; 25] = states(s, io);
    let mut b: [S::Four; 25] = states(s, io);
    permute_two(s, &mut a, &mut b);
    output_states(io, &a);
    output_states(io, &b);
}

/// Runs different sponges in lanes. Inputs: two blocks, a seed, two words, a state.
#[inline(always)]
fn mix<S: Simd>(s: S, io: &mut Io) {
    scratch!(first: [u8; 136], second: [u8; 136], seed: [u8; 32], state: [u64; 25]);
    input_bytes(io, first);
    input_bytes(io, second);
    input_bytes(io, seed);
    let mut words = [0; 4];
    input_words(io, &mut words[1..3]);
    input_words(io, state);
    let mask = |lane| core::array::from_fn(|i| if i == lane { u64::MAX } else { 0 });
    let (mut lanes, mut others) = (Lanes4::new(s), Lanes4::new(s));
    lanes.load(0, first);
    lanes.start::<168, 32>(&Start { mask: mask(1), word: words }, seed);
    lanes.start::<136, 32>(&Start { mask: mask(2), word: words }, seed);
    others.replace(3, state);
    lanes.permute_with(&mut others);
    scratch!(rows: [[u8; ROW]; 4]);
    lanes.squeeze(rows);
    output_bytes(io, &rows[1][..168]);
    output_bytes(io, &rows[2][..136]);
    lanes.absorb(0, second);
    let waiting = others.words::<25>(3);
    lanes.replace(3, &waiting);
    lanes.permute(15);
    output_words(io, &lanes.words::<4>(0));
    output_words(io, &lanes.words::<25>(3));
    lanes.squeeze(rows);
    output_bytes(io, &rows[1][..168]);
    output_bytes(io, &rows[2][..136]);
}

fn mixed_lanes(rows: &mut Rows) -> Result<(), String> {
    prove!(rows, "four sponges", modulo 2, limit 2; |s, io| { mix(s, io) }, |k| {
        let mut t = Terms::new(k);
        let seed = t.inputs(272..304).to_vec();
        let (mut wanted, mut rest) = (Vec::new(), Vec::new());
        for (lane, rate) in [(1, 168), (2, 136)] {
            let word = t.input(303 + lane);
            let message = [&seed[..], &bytes_of_words(&mut t, &[word])].concat();
            let out = sponge(&mut t, &format!("lane {lane}"), rate, &message, 2 * rate);
            wanted.extend_from_slice(&out[..rate]);
            rest.extend_from_slice(&out[rate..]);
        }
        let blocks = |n: usize| 136 * n..136 * (n + 1);
        let mut state = [t.constant(0, 64); 25];
        for n in 0..2 {
            let block = t.inputs(blocks(n)).to_vec();
            for (word, bytes) in state.iter_mut().zip(block.chunks(8)) {
                let bytes = t.joined(bytes);
                *word = t.xor(*word, bytes);
            }
            state = keccak_f(&mut t, &format!("block {n} of lane 0"), &state);
        }
        wanted.extend(&state[..4]);
        let mut state = *t.inputs(306..331).first_chunk().expect("25 words");
        for n in 0..2 {
            state = keccak_f(&mut t, &format!("output {n} of lane 3"), &state);
        }
        wanted.extend(state);
        wanted.extend(rest);
        t.prove(k, 0, &wanted)
    }; Proof8 ProofNeon Proof16 Proof32);
    Ok(())
}

/// Returns `n` bytes of SHAKE256 of a block that is already padded.
fn shake_of_block(t: &mut Terms, name: &str, block: &[Term], n: usize) -> Vec<Term> {
    let zero = t.constant(0, 64);
    let words = core::array::from_fn(|i| block.get(i).copied().unwrap_or(zero));
    let state = keccak_f(t, name, &words);
    bytes_of_words(t, &state[..n / 8])
}

/// Hashes `count` blocks, with as many calls as the number of lanes requires.
#[inline(always)]
fn hash<S: Simd>(s: S, io: &mut Io, n: usize, count: usize) {
    scratch!(blocks: [Block; 8], out: [u8; 256]);
    let (blocks, out) = (&mut blocks[..count], &mut out[..n * count]);
    input_words(io, blocks.as_flattened_mut());
    for (blocks, out) in blocks.chunks(lanes(s)).zip(out.chunks_mut(n * lanes(s))) {
        hash_blocks(s, blocks, n, out);
    }
    output_bytes(io, out);
}

fn blocks(rows: &mut Rows) -> Result<(), String> {
    for (n, count) in [(16, 1), (24, 3), (32, 4), (16, 7), (32, 8)] {
        prove!(rows, format!("{n} bytes of {count}"), modulo 2, limit 2; |s, io| {
            hash(s, io, n, count);
        }, |k| {
            let mut t = Terms::new(k);
            let mut wanted = Vec::new();
            for lane in 0..k.inputs().len() / 17 {
                let block = t.inputs(17 * lane..17 * (lane + 1)).to_vec();
                wanted.extend(shake_of_block(&mut t, &format!("lane {lane}"), &block, n));
            }
            t.prove(k, 0, &wanted)
        }; Proof8 ProofNeon Proof16 Proof32);
    }
    Ok(())
}

/// Returns the last word of the address of a lane.
fn counter(lane: usize) -> u64 {
    0x0100_0000_5a00_0000 + ((lane as u64) << 56)
}

/// The number of steps of each lane: at most one, since plain code counts up for a second one.
const STEPS: [u32; 8] = [1, 1, 0, 1, 1, 0, 1, 1];

/// Advances chains. Inputs: the seeds, one or one for each; the first words of the addresses; the
/// values.
#[inline(always)]
fn advance<S: Simd>(s: S, io: &mut Io, n: usize, (seeds, count): (usize, usize)) {
    scratch!(words: [[u64; 4]; 8], addresses: [[u64; 4]; 8], values: [u8; 256], kept: [u8; 64]);
    words[..seeds].iter_mut().for_each(|seed| input_words(io, seed));
    for (lane, address) in addresses.iter_mut().enumerate().take(count) {
        input_words(io, &mut address[..3]);
        address[3] = counter(lane);
    }
    input_bytes(io, &mut values[..n * count]);
    for first in (0..count).step_by(lanes(s)) {
        let last = count.min(first + lanes(s));
        let own = words.each_ref();
        let seeds = if seeds == 1 { &own[..1] } else { &own[first..last] };
        let prefix = ChainPrefix { seeds, addresses: &addresses[first..last] };
        let mut traced = [(0, &mut kept[..])];
        let traces = if first == 0 { &mut traced[..] } else { &mut [] };
        let values = &mut values[n * first..n * last];
        advance_chains(s, (n, prefix), &STEPS[first..last], values, traces);
    }
    output_bytes(io, &values[..n * count]);
    output_bytes(io, &kept[..n]);
}

fn chains(rows: &mut Rows) -> Result<(), String> {
    for (n, seeds, count) in [(16, 8, 8), (24, 1, 5), (32, 3, 3), (32, 1, 1)] {
        let case = format!("{count} of {n} bytes, seeds: {seeds}");
        prove!(rows, case, modulo 2, limit 2; |s, io| {
            advance(s, io, n, (seeds, count));
        }, |k| {
            chains_are_hashes(k, n, seeds)
        }; Proof8 ProofNeon Proof16 Proof32);
    }
    Ok(())
}

fn chains_are_hashes(k: &Kernel, n: usize, seeds: usize) -> Result<(), String> {
    let mut t = Terms::new(k);
    let addresses = 4 * seeds;
    let lanes = (k.inputs().len() - addresses) / (3 + n);
    let (mut wanted, mut kept) = (Vec::new(), Vec::new());
    for (lane, steps) in STEPS.iter().enumerate().take(lanes) {
        let seed = 4 * lane.min(seeds - 1);
        let seed = t.inputs(seed..seed + n / 8).to_vec();
        let seed = bytes_of_words(&mut t, &seed);
        let first = addresses + 3 * lanes + n * lane;
        let mut value = t.inputs(first..first + n).to_vec();
        for step in 0..*steps {
            let address = addresses + 3 * lane;
            let mut address = t.inputs(address..address + 3).to_vec();
            address.push(t.constant(counter(lane) + (u64::from(step) << 56), 64));
            let address = bytes_of_words(&mut t, &address);
            let suffix = [t.constant(0x1f, 8)];
            let message = [&seed[..], &address, &value, &suffix].concat();
            value = sponge(&mut t, &format!("step {step} of lane {lane}"), 136, &message, n);
            if lane == 0 {
                kept.extend_from_slice(&value);
            }
        }
        wanted.extend(value);
    }
    t.prove(k, 0, &[wanted, kept].concat())
}

/// Hashes messages of three pieces. Inputs: pieces of 32, 40 and 24 bytes of each message.
#[inline(always)]
fn absorb_three<S: Simd>(s: S, io: &mut Io, count: usize) {
    scratch!(messages: [[u8; 96]; 8], out: [u8; 24 * 8]);
    input_bytes(io, messages[..count].as_flattened_mut());
    let groups = messages[..count].chunks(lanes(s)).zip(out.chunks_mut(24 * lanes(s)));
    for (messages, out) in groups {
        let mut thash = ShakeThash::<_, 8>::new(s, messages.len());
        for (from, to) in [(0, 32), (32, 72), (72, 96)] {
            let pieces: Vec<&[u8]> = messages.iter().map(|message| &message[from..to]).collect();
            thash.absorb_pieces(to - from, &pieces.concat());
        }
        thash.finish_digests(&[0x1f_0605; 8], 24, &mut out[..24 * messages.len()]);
    }
    output_bytes(io, &out[..24 * count]);
}

fn pieces(rows: &mut Rows) -> Result<(), String> {
    for count in [1, 3, 8] {
        prove!(rows, format!("{count} messages"), modulo 2, limit 2; |s, io| {
            absorb_three(s, io, count);
        }, |k| {
            let mut t = Terms::new(k);
            let mut wanted = Vec::new();
            for lane in 0..k.inputs().len() / 96 {
                let mut message = t.inputs(96 * lane..96 * (lane + 1)).to_vec();
                message.extend([5, 6, 0x1f].map(|byte| t.constant(byte, 8)));
                wanted.extend(sponge(&mut t, &format!("lane {lane}"), 136, &message, 24));
            }
            t.prove(k, 0, &wanted)
        }; Proof8 ProofNeon Proof16 Proof32);
    }
    Ok(())
}
