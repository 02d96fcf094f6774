//! Theorems about sponges of byte strings: absorbing, padding and squeezing (FIPS 202, section 4).
use std::format;
use std::string::String;
use std::vec::Vec;

use oaklath_prove_engine::proof::io::{Io, unwritten};
use oaklath_prove_engine::{Kernel, Rows, Term, Terms, Theorem, prove};
use oaklath_simd::scratch;

use crate::blocks::{Blocks, Ends};
use crate::keccak::{RATE_256, RATE_SHA3_512, RATE_SHAKE128, SUFFIX_SHA3, SUFFIX_SHAKE, permute};
use crate::proofs::keccak::{keccak_f, sponge};
use crate::proofs::words::{input_bytes, output_bytes, output_words};
use crate::sha3::{self, Absorb, Squeeze};

/// The theorems about sponges of byte strings.
pub(super) const THEOREMS: &[Theorem] = &[
    Theorem {
        kernels: &[
            "sha3::sponge",
            "sha3::sha3_256",
            "sha3::new",
            "sha3::absorb",
            "sha3::chain",
            "sha3::finish",
            "sha3::pad",
            "sha3::read",
            "sha3::empty",
            "sha3::restart",
            "sha3::take_over",
        ],
        results: &[],
        claim: "SHA3-256, SHA3-512, SHAKE128 and SHAKE256 of messages in uneven pieces, squeezed in \
                uneven pieces: FIPS 202, 4, 6.1 and 6.2; any bytes",
        is_quick: false,
        prove: strings,
    },
    Theorem {
        kernels: &[
            "blocks::absorb",
            "blocks::absorb_block",
            "blocks::block",
            "blocks::count",
            "blocks::empty",
            "blocks::sha3",
            "blocks::sha3_after",
            "blocks::shake",
            "blocks::whole",
            "blocks::write_words",
        ],
        results: &[],
        claim: "SHA3-256 and SHAKE256 of a prefix and a body, from any block on: FIPS 202, 4, 6.1 \
                and 6.2; any bytes",
        is_quick: false,
        prove: prefixes_and_bodies,
    },
];

/// The lengths of three pieces of a message: nothing, and ends within words, at the ends of words
/// and of blocks of each rate, and behind them.
const PIECES: [[usize; 3]; 6] =
    [[0; 3], [1, 0, 70], [5, 66, 64], [136, 0, 8], [167, 1, 0], [2, 134, 137]];

/// Splits a string in pieces.
fn pieces(message: &[u8], lens: [usize; 3]) -> [&[u8]; 3] {
    let (first, rest) = message.split_at(lens[0]);
    let (second, third) = rest.split_at(lens[1]);
    [first, second, third]
}

/// Checks that the outputs are those of the sponge, for a message that is the inputs.
fn is_sponge(k: &Kernel, rate: usize, suffix: u8) -> Result<(), String> {
    let mut t = Terms::new(k);
    let mut message = t.inputs(0..k.inputs().len()).to_vec();
    message.push(t.constant(suffix.into(), 8));
    let wanted = sponge(&mut t, "the message", rate, &message, k.count_outputs());
    t.prove(k, 0, &wanted)
}

/// Declares a message as inputs, and returns it.
fn input_message(io: &mut Io, len: usize) -> Vec<u8> {
    let mut message = unwritten(len);
    input_bytes(io, &mut message);
    message
}

fn strings(rows: &mut Rows) -> Result<(), String> {
    for lens in PIECES {
        let case = format!("SHA3-256 of {lens:?} bytes");
        prove!(rows, case, modulo 2, limit 2; |_s, io| {
            let message = input_message(io, lens.iter().sum());
            output_bytes(io, &sha3::sha3_256(&message));
        }, |k| is_sponge(k, RATE_256, SUFFIX_SHA3); Proof8);
        let case = format!("SHA3-512 of {lens:?} bytes");
        prove!(rows, case, modulo 2, limit 2; |_s, io| {
            scratch!(digest: [u8; 64]);
            let message = input_message(io, lens.iter().sum());
            sha3::sponge::<RATE_SHA3_512, SUFFIX_SHA3>(&pieces(&message, lens), digest);
            output_bytes(io, digest);
        }, |k| is_sponge(k, RATE_SHA3_512, SUFFIX_SHA3); Proof8);
        streams::<RATE_SHAKE128>(rows, lens, "SHAKE128")?;
        streams::<RATE_256>(rows, lens, "SHAKE256")?;
    }
    Ok(())
}

/// Squeezes one stream in pieces, and from a second sponge in turn.
fn streams<const RATE: usize>(rows: &mut Rows, lens: [usize; 3], name: &str) -> Result<(), String> {
    prove!(rows, format!("{name} of {lens:?} bytes"), modulo 2, limit 2; |_s, io| {
        let (message, mut out) = (input_message(io, lens.iter().sum()), unwritten(RATE + 9));
        let [first, second, third] = pieces(&message, lens);
        let mut absorbing = Absorb::<RATE, SUFFIX_SHAKE>::new().chain(first);
        absorbing.absorb(second);
        let (mut stream, mut last) = (absorbing.chain(third).finish(), Squeeze::empty());
        let (head, rest) = out.split_at_mut(5);
        let (middle, tail) = rest.split_at_mut(RATE - 5);
        stream.read(head);
        stream.read(middle);
        last.take_over(&mut stream);
        last.read(tail);
        output_bytes(io, &out);
    }, |k| is_sponge(k, RATE, SUFFIX_SHAKE); Proof8);
    prove!(rows, format!("{name} of {lens:?} bytes, again"), modulo 2, limit 2; |s, io| {
        let message = input_message(io, lens.iter().sum());
        let mut stream = Squeeze::<RATE>::empty();
        stream.restart::<SUFFIX_SHAKE>(&[b"another message"]);
        stream.restart::<SUFFIX_SHAKE>(&pieces(&message, lens));
        scratch!(out: [u8; 16]);
        stream.read(out);
        output_bytes(io, out);
        let mut state = Absorb::<RATE, SUFFIX_SHAKE>::new().chain(&message).pad();
        permute(s, &mut state);
        output_bytes(io, state.map(u64::to_le_bytes).as_flattened().split_at(16).0);
    }, |k| {
        let mut t = Terms::new(k);
        let mut message = t.inputs(0..k.inputs().len()).to_vec();
        message.push(t.constant(SUFFIX_SHAKE.into(), 8));
        let wanted = sponge(&mut t, "the message", RATE, &message, 16);
        t.prove(k, 0, &[wanted.clone(), wanted].concat())
    }; Proof8);
    Ok(())
}

fn prefixes_and_bodies(rows: &mut Rows) -> Result<(), String> {
    // A prefix must fill a block with the body.
    for (prefix, body) in [(0, 0), (0, 71), (0, 135), (0, 136), (33, 103), (66, 200), (136, 140)] {
        for (suffix, name) in [(SUFFIX_SHA3, "SHA3-256"), (SUFFIX_SHAKE, "SHAKE256")] {
            let case = format!("{name} of {prefix} and {body} bytes");
            prove!(rows, case, modulo 2, limit 2; |s, io| {
                let message = input_message(io, prefix + body);
                let (prefix, body) = message.split_at(prefix);
                let mut ends = Ends::empty();
                let blocks = match (suffix, prefix) {
                    (SUFFIX_SHA3, []) => ends.sha3(body),
                    (SUFFIX_SHA3, _) => ends.sha3_after(prefix, body),
                    _ => ends.shake(prefix, body),
                };
                let count = message.len().div_euclid(RATE_256) + 1;
                assert_eq!(blocks.count(), count, "with the padding");
                let mut digest = [0; 32];
                blocks.absorb(s, &mut [0; 25], 0, &mut digest);
                output_bytes(io, &digest);
            }, |k| is_sponge(k, RATE_256, suffix); Proof8);
        }
    }
    prove!(rows, "blocks, the first of a whole body", modulo 2, limit 2; |s, io| {
        let body = input_message(io, 300);
        let (whole, mut ends, mut state) = (Blocks::whole(&body), Ends::empty(), [0; 25]);
        crate::blocks::absorb_block(&mut state, whole.block(0));
        permute(s, &mut state);
        output_words(io, &state);
        let mut rest = [0; 136];
        ends.shake(&[], &body).absorb(s, &mut state, 1, &mut rest);
        output_bytes(io, &rest);
    }, |k| {
        let mut t = Terms::new(k);
        let mut message = t.inputs(0..300).to_vec();
        let mut first = [t.constant(0, 64); 25];
        for (word, bytes) in first.iter_mut().zip(message[..136].chunks(8)) {
            *word = t.joined(bytes);
        }
        let mut wanted: Vec<Term> = keccak_f(&mut t, "block 0 of the message", &first).to_vec();
        message.push(t.constant(SUFFIX_SHAKE.into(), 8));
        wanted.extend(sponge(&mut t, "the message", RATE_256, &message, 136));
        t.prove(k, 0, &wanted)
    }; Proof8);
    Ok(())
}
