//! Hash functions of post-quantum algorithms.
//!
//! | module | contents |
//! |---|---|
//! | [`sha3`] | SHA3-256, SHAKE128, SHAKE256 (FIPS 202) on byte strings, and their sponges |
//! | [`sha2`] | SHA-256, with midstates, and SHA-512 (FIPS 180-4); both in lanes; HMAC |
//! | [`keccak`] | the permutation Keccak-f\[1600\] on one state, or on several in vector lanes |
//! | [`blocks`] | messages as padded blocks, for lanes |
//! | [`lanes`] | four sponges, which may be different ones, under one permutation |
//! | [`shake_lanes`] | SHAKE256 of many short messages in parallel, and chains of it |
//! | [`schedule`] | which sponge runs in which lane at which step, determined at compile time |
//!
//! A multi-lane permutation costs hardly more than a single one, and its lanes need not do the same
//! thing: one may hash a key while the others expand a matrix. Algorithms are therefore written as
//! schedules of lanes.
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

/// The lane of a chain whose values are recorded, and the buffer for them: one value after the
/// other, the first of which is that after one step.
pub type Trace<'a> = (usize, &'a mut [u8]);

/// The position of the value of a chain in the block that is hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueSpan {
    /// The number of bytes before the value.
    pub at: usize,
    /// The number of bytes of the value.
    pub n: usize,
}

impl ValueSpan {
    /// Returns the span of the parameters, which the compiler knows, or this one if they are 0.
    #[inline(always)]
    pub(crate) const fn known<const N: usize, const AT: usize>(self) -> Self {
        if N == 0 { self } else { Self { at: AT, n: N } }
    }
}

/// Returns the step after which the next of several parallel chains ends, given the number of
/// steps done, or `None` if all have ended.
#[inline(always)]
pub(crate) fn next_end(steps: &[u32], done: u32) -> Option<u32> {
    steps.iter().copied().filter(|steps| *steps > done).min()
}
