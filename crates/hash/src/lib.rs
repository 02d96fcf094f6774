//! Hash functions of post-quantum algorithms.
//!
//! | module | what |
//! |---|---|
//! | [`sha3`] | SHA3-256, SHAKE128, SHAKE256 (FIPS 202) on byte strings, and their sponges |
//! | [`sha2`] | SHA-256, with midstates, and SHA-512 (FIPS 180-4); both in lanes; HMAC |
//! | [`keccak`] | the permutation Keccak-f\[1600\] on one state, or on several in vector lanes |
//! | [`blocks`] | messages as padded blocks, for lanes |
//! | [`lanes`] | four sponges under one permutation, which may be different ones |
//! | [`shake_lanes`] | SHAKE256 of many short messages side by side, and chains of it |
//! | [`schedule`] | which sponge runs in which lane at which step, worked out at compile time |
//!
//! A multi-lane permutation costs hardly more than a single one, and nothing says that its lanes
//! are to do the same thing: one may hash a key while the others expand a matrix. Algorithms are
//! therefore written as schedules of lanes.
//!
//! ```
//! use oaklath_hash::sha3::{Shake128, sha3_256};
//!
//! assert_eq!(sha3_256(b"abc")[..4], [0x3a, 0x98, 0x5d, 0xa7]);
//!
//! let mut stream = Shake128::new().chain(b"seed").finish();
//! let (mut first, mut second) = ([0; 10], [0; 10]);
//! stream.read(&mut first);
//! stream.read(&mut second);
//! assert_ne!(first, second);
//! ```
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(clippy::std_instead_of_core, clippy::alloc_instead_of_core)]
#![cfg_attr(not(test), warn(clippy::integer_division_remainder_used))]
#[cfg(any(test, oaklath_proof))]
extern crate std;

pub mod blocks;
pub mod keccak;
pub mod lanes;
#[cfg(oaklath_proof)]
pub mod proofs;
pub mod schedule;
pub mod sha2;
pub mod sha3;
pub mod shake_lanes;

/// A lane of a chain whose values are kept, and where: one value after the other, the first after
/// one step.
pub type Trace<'a> = (usize, &'a mut [u8]);

/// Where a chain has its value in the block that is hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueSpan {
    /// Bytes before it.
    pub at: usize,
    /// Bytes of it.
    pub n: usize,
}

/// Returns after which step the next of the chains ends that are advanced side by side, given how
/// many steps are done; nothing if all have ended.
#[inline(always)]
pub(crate) fn next_end(steps: &[u32], done: u32) -> Option<u32> {
    steps.iter().copied().filter(|steps| *steps > done).min()
}

/// Copies bytes to the beginning of a slice: a node without a call.
#[inline(always)]
pub(crate) fn copy_node(to: &mut [u8], from: &[u8]) {
    match from.len() {
        16 => to[..16].copy_from_slice(&from[..16]),
        24 => to[..24].copy_from_slice(&from[..24]),
        32 => to[..32].copy_from_slice(&from[..32]),
        len => to[..len].copy_from_slice(from),
    }
}
