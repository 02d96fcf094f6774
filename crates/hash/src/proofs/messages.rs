//! Theorems about SHA-2 of byte strings: pieces, blocks and padding, of FIPS 180-4, section 5.
use std::format;
use std::string::String;
use std::vec::Vec;

use oaklath_prove_engine::proof::io::{Io, unwritten};
use oaklath_prove_engine::{Kernel, Rows, Term, Terms, Theorem, prove};
use oaklath_simd::Simd;

use crate::proofs::words::input_bytes;
use crate::sha2::proofs::{SHA256, SHA512, Text};
use crate::sha2::{
    Compress, IV512, Midstate, Sha2Thash, Sha256, Sha256Lanes, Sha512, Sha512Lanes, sha256, sha512,
};

/// The theorems about SHA-2 of byte strings.
pub(super) const THEOREMS: &[Theorem] = &[
    Theorem {
        kernels: &[
            "sha2::sha256",
            "sha2::compress_bytes",
            "sha2::compress_bytes256",
            "sha2::finish_by",
            "sha2::absorb",
            "sha2::chain",
            "sha2::finish",
        ],
        results: &[],
        claim: "SHA-256 of messages in uneven pieces: FIPS 180-4, 5.1.1 and 6.2; any bytes",
        is_quick: false,
        prove: messages_of_256,
    },
    Theorem {
        kernels: &["sha2::sha512", "sha2::compress_bytes", "sha2::compress_block"],
        results: &[],
        claim: "SHA-512 of messages in uneven pieces: FIPS 180-4, 5.1.2 and 6.4; any bytes",
        is_quick: false,
        prove: messages_of_512,
    },
    Theorem {
        kernels: &["sha2::absorb_pieces", "sha2::finish_digests", "sha2::words"],
        results: &[],
        claim: "SHA-256 and SHA-512 of each of three messages in uneven pieces: FIPS 180-4, 5.1, \
                6.2 and 6.4; any bytes",
        is_quick: false,
        prove: messages_in_lanes,
    },
];

/// Returns a message with its padding (FIPS 180-4, section 5.1), in blocks.
fn padded(t: &mut Terms, message: &[Term], block: usize) -> Vec<Vec<Term>> {
    let (mut all, length) = (message.to_vec(), block >> 3);
    all.push(t.constant(0x80, 8));
    let len = (all.len() + length).next_multiple_of(block) - length;
    all.resize_with(len, || t.constant(0, 8));
    let bits = (8 * message.len() as u128).to_be_bytes();
    all.extend(bits[16 - length..].iter().map(|byte| t.constant((*byte).into(), 8)));
    all.chunks(block).map(<[Term]>::to_vec).collect()
}

/// Returns the digest of a message, in words.
fn digest(t: &mut Terms, text: &Text, iv: &[u64; 8], message: &[Term]) -> Vec<Term> {
    let mut state = iv.map(|word| t.constant(word, text.bits)).to_vec();
    for (n, block) in padded(t, message, 2 * usize::from(text.bits)).iter().enumerate() {
        let word = |bytes: &[Term]| t.joined(&bytes.iter().rev().copied().collect::<Vec<_>>());
        let words: Vec<Term> = block.chunks(usize::from(text.bits >> 3)).map(word).collect();
        state = text.compressed(t, &format!("block {n} of {:?}", message.first()), &state, &words);
    }
    state
}

/// Declares the words of digests of SHA-512, big-endian, as outputs.
fn output_words_of_512(io: &mut Io, digests: &[u8]) {
    let words: Vec<i64> =
        digests.as_chunks().0.iter().map(|bytes| i64::from_be_bytes(*bytes)).collect();
    io.output_sums(&words);
}

/// Declares the words of digests of SHA-256, big-endian, as outputs.
fn output_words_of_256(io: &mut Io, digests: &[u8]) {
    let words: Vec<i32> =
        digests.as_chunks().0.iter().map(|bytes| i32::from_be_bytes(*bytes)).collect();
    io.output_sums(&words);
}

/// Returns the initial value of SHA-256 (FIPS 180-4, section 5.3.3).
fn iv256() -> [u64; 8] {
    Midstate::new().words().map(u64::from)
}

/// The lengths of three pieces of a message: nothing, ends within and at the ends of blocks, and
/// padding that fits behind them and that does not.
const PIECES: [[usize; 3]; 8] = [
    [0; 3],
    [1, 0, 54],
    [3, 53, 0],
    [64, 0, 0],
    [60, 5, 46],
    [1, 63, 128],
    [127, 1, 112],
    [130, 130, 3],
];

/// Splits a string in pieces.
fn pieces(message: &[u8], lens: [usize; 3]) -> [&[u8]; 3] {
    let (first, rest) = message.split_at(lens[0]);
    let (second, third) = rest.split_at(lens[1]);
    [first, second, third]
}

/// Declares a message as inputs, and returns it.
fn input_message(io: &mut Io, len: usize) -> Vec<u8> {
    let mut message = unwritten(len);
    input_bytes(io, &mut message);
    message
}

fn messages_of_256(rows: &mut Rows) -> Result<(), String> {
    for lens in PIECES {
        prove!(rows, format!("SHA-256 of {lens:?} bytes"), modulo 2, limit 2; |_s, io| {
            let message = input_message(io, lens.iter().sum());
            output_words_of_256(io, &sha256(&message));
            let (blocks, rest) = message.as_chunks();
            output_words_of_256(io, &Midstate::new().absorb(blocks).finish(rest));
            let [first, second, third] = pieces(&message, lens);
            let mut hasher = Sha256::new().chain(first);
            hasher.absorb(second);
            output_words_of_256(io, &hasher.chain(third).finish());
        }, |k| are_digests_of_one(k, &SHA256, &iv256(), 3); Proof8);
    }
    Ok(())
}

fn messages_of_512(rows: &mut Rows) -> Result<(), String> {
    for lens in PIECES {
        prove!(rows, format!("SHA-512 of {lens:?} bytes"), modulo 2, limit 2; |_s, io| {
            let message = input_message(io, lens.iter().sum());
            output_words_of_512(io, &sha512(&message));
            let [first, second, third] = pieces(&message, lens);
            let mut hasher = Sha512::new().chain(first);
            hasher.absorb(second);
            output_words_of_512(io, &hasher.chain(third).finish());
        }, |k| are_digests_of_one(k, &SHA512, &IV512, 2); Proof8);
    }
    Ok(())
}

/// Checks that the outputs are the digest of all inputs, `times` times.
fn are_digests_of_one(k: &Kernel, text: &Text, iv: &[u64; 8], times: usize) -> Result<(), String> {
    let mut t = Terms::new(k);
    let message = t.inputs(0..k.inputs().len()).to_vec();
    let wanted = digest(&mut t, text, iv, &message).repeat(times);
    t.prove(k, 0, &wanted)
}

/// The messages in lanes.
const LANES: usize = 3;

/// Hashes messages in lanes, in three pieces. Inputs: the messages.
#[inline(always)]
fn hash_lanes<E: Compress>(
    io: &mut Io,
    engine: E,
    iv: &[E::Word; 8],
    lens: [usize; 3],
    output: fn(&mut Io, &[u8]),
) {
    let messages: Vec<Vec<u8>> = (0..LANES).map(|_| input_message(io, lens.iter().sum())).collect();
    let mut thash = Sha2Thash::new(engine, [*iv; 8], 0, LANES);
    for (i, len) in lens.into_iter().enumerate() {
        let piece: Vec<&[u8]> = messages.iter().map(|message| pieces(message, lens)[i]).collect();
        thash.absorb_pieces(len, &piece.concat());
    }
    let mut out = unwritten(8 * size_of::<E::Word>() * LANES);
    thash.finish_digests(8 * size_of::<E::Word>(), &mut out);
    output(io, &out);
}

#[inline(always)]
fn lanes_of_256<S: Simd>(s: S, io: &mut Io, lens: [usize; 3]) {
    hash_lanes(io, Sha256Lanes::new(s), &Midstate::new().words(), lens, output_words_of_256);
}

#[inline(always)]
fn lanes_of_512<S: Simd>(s: S, io: &mut Io, lens: [usize; 3]) {
    hash_lanes(io, Sha512Lanes::new(s), &IV512, lens, output_words_of_512);
}

fn messages_in_lanes(rows: &mut Rows) -> Result<(), String> {
    for lens in [[3, 53, 0], [60, 5, 46], [127, 1, 112]] {
        prove!(rows, format!("SHA-256 of {lens:?} bytes"), modulo 2, limit 2; |s, io| {
            lanes_of_256(s, io, lens);
        }, |k| are_digests(k, &SHA256, &iv256()); Proof8 ProofNeon Proof16 Proof32);
        prove!(rows, format!("SHA-512 of {lens:?} bytes"), modulo 2, limit 2; |s, io| {
            lanes_of_512(s, io, lens);
        }, |k| are_digests(k, &SHA512, &IV512); Proof8 ProofNeon Proof16 Proof32);
    }
    Ok(())
}

/// Checks that the outputs are the digests of as many messages as there are lanes.
fn are_digests(k: &Kernel, text: &Text, iv: &[u64; 8]) -> Result<(), String> {
    let (mut t, mut wanted) = (Terms::new(k), Vec::new());
    let all = t.inputs(0..k.inputs().len()).to_vec();
    for message in all.chunks(all.len().div_ceil(LANES)) {
        wanted.extend(digest(&mut t, text, iv, message));
    }
    t.prove(k, 0, &wanted)
}
