//! Hash functions leave no secrets on the stack: neither a message that is padded or scheduled, nor
//! a state, which equals the digest.
#![cfg(unix)]

use oaklath_hash::ValueSpan;
use oaklath_hash::sha2::{Midstate, Sha256Lanes, sha256, sha512};
use oaklath_measure::{Level, stack_left_by};
use oaklath_simd::{Simd, dispatch};

const ROOM: usize = 1 << 18;

/// Checks that `run` leaves none of the secrets on the stack at any level.
fn check(what: &str, secrets: &[Vec<u8>], run: impl Fn() + Sync) {
    for level in Level::available() {
        let ((), left) = stack_left_by(ROOM, || level.with(&run)).expect("a thread with a stack");
        for (i, secret) in secrets.iter().enumerate() {
            let copies = left.windows(secret.len()).filter(|bytes| bytes == secret).count();
            assert_eq!(copies, 0, "{what} {i} at {level}");
        }
    }
}

fn message() -> Vec<u8> {
    (0..48).map(|i: u8| i.wrapping_mul(0x4f) ^ 0xa5).collect()
}

/// Returns big-endian words as they are in memory while they are computed with.
fn native(bytes: &[u8], word: usize) -> Vec<u8> {
    let reversed = |word: &[u8]| word.iter().rev().copied().collect::<Vec<u8>>();
    let swapped = bytes.chunks(word).flat_map(reversed).collect();
    if cfg!(target_endian = "little") { swapped } else { bytes.to_vec() }
}

/// Returns the words of the message schedule of SHA-256: FIPS 180-4, section 6.2.2.
fn schedule(block: &[u8]) -> Vec<u32> {
    let words = block.as_chunks().0.iter();
    let mut w: Vec<u32> = words.map(|bytes| u32::from_be_bytes(*bytes)).collect();
    for t in 16..64 {
        let s0 = w[t - 15].rotate_right(7) ^ w[t - 15].rotate_right(18) ^ (w[t - 15] >> 3);
        let s1 = w[t - 2].rotate_right(17) ^ w[t - 2].rotate_right(19) ^ (w[t - 2] >> 10);
        w.push(w[t - 16].wrapping_add(s0).wrapping_add(w[t - 7]).wrapping_add(s1));
    }
    w
}

#[test]
fn sha_256() {
    let message = message();
    let secrets = [native(&message, 4), native(&sha256(&message), 4)];
    check("sha256", &secrets, || drop(Box::new(sha256(&message))));
}

#[test]
fn sha_512() {
    let message = message();
    let secrets = [native(&message, 8), native(&sha512(&message), 8)];
    check("sha512", &secrets, || drop(Box::new(sha512(&message))));
}

/// Where no unit computes them, a block of eight chains is in memory, eight lanes of each word.
#[test]
fn chains_of_sha_256() {
    const SPAN: ValueSpan = ValueSpan { at: 22, n: 32 };
    fn run<S: Simd>(s: S, heads: &[[u32; 6]], values: &mut [u8]) {
        let start = Midstate::new();
        Sha256Lanes::new(s).advance_chains(
            (&start).into(),
            (SPAN, heads),
            &[1; 8],
            values,
            &mut [],
        );
    }
    let (mut head, value) = ([0x0102_0304_u32; 6], [0xd7; 32]);
    head[5] &= 0xffff_0000;
    let mut block = head.map(u32::to_be_bytes).as_flattened()[..22].to_vec();
    block.extend(value);
    block.push(0x80);
    block.resize(62, 0);
    block.extend((8 * (22 + 32) as u16).to_be_bytes());
    // The last words of the schedule, of which each is in eight lanes.
    let words = schedule(&block).split_off(52);
    let lanes = words.iter().flat_map(|word| [word.to_ne_bytes(); 8]);
    let secrets = [lanes.collect::<Vec<_>>().concat()];
    check("chains", &secrets, || {
        let mut values = vec![value; 8];
        dispatch!(s => run(s, &[head; 8], values.as_flattened_mut()));
    });
}
