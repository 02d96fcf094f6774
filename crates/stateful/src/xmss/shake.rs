//! SHAKE256 in lanes where messages are one block, and the functions of RFC 8391 that are only for
//! verification and known answers one after the other.
use oaklath_hash::keccak::{RATE_256, SUFFIX_SHAKE};
use oaklath_hash::shake_lanes;
use oaklath_params::stateful::Hash;
use oaklath_simd::{Simd, secret};
use oaklath_tree::wots::ChainJob;

use crate::digest::digest;
use crate::xmss::address::Address;
use crate::xmss::family::{self, Family, Seeds};

/// SHAKE256 with 24 or 32 bytes of output.
pub(super) struct Shake<'a, S: Simd, const N: usize> {
    s: S,
    seeds: Seeds<'a, N>,
}

impl<'a, S: Simd, const N: usize> Shake<'a, S, N> {
    pub(super) fn new(s: S, seeds: Seeds<'a, N>) -> Self {
        Self { s, seeds }
    }
}

/// The lanes of AVX2 twice.
const JOBS: usize = 8;

impl<S: Simd, const N: usize> Family<N> for Shake<'_, S, N> {
    type Jobs = [ChainJob; JOBS];
    const JOBS: Self::Jobs = [ChainJob::NONE; JOBS];
    type Values = [[u8; N]; JOBS + 1];
    const VALUES: Self::Values = [[0; N]; JOBS + 1];
    type Ends = [[u8; N]; 8];
    const ENDS: Self::Ends = [[0; N]; 8];

    fn seeds(&self) -> Seeds<'_, N> {
        self.seeds
    }
    fn lanes(&self) -> usize {
        shake_lanes::lanes(self.s)
    }
    #[inline(never)]
    fn hash(&self, len: usize, fill: impl Fn(usize, &[u8; N], &mut [u8]), out: &mut [[u8; N]]) {
        // The longest message has 128 bytes.
        const { assert!(N <= 32) };
        secret!(blocks: [shake_lanes::Block; shake_lanes::MOST]);
        for (lane, block) in blocks[..out.len()].iter_mut().enumerate() {
            secret!(message: [u8; RATE_256]);
            message.fill(0);
            fill(lane, &out[lane], &mut message[..len]);
            message[len] = SUFFIX_SHAKE;
            message[RATE_256 - 1] |= 0x80;
            for (word, bytes) in block.iter_mut().zip(message.as_chunks::<8>().0) {
                *word = u64::from_le_bytes(*bytes);
            }
        }
        shake_lanes::hash_blocks(self.s, &blocks[..out.len()], N, out.as_flattened_mut());
    }
}

/// Any hash function, one message after the other.
pub(super) struct Serial<'a, const N: usize> {
    hash: Hash,
    seeds: Seeds<'a, N>,
}

impl<'a, const N: usize> Serial<'a, N> {
    pub(super) fn new(hash: Hash, seeds: Seeds<'a, N>) -> Self {
        Self { hash, seeds }
    }
}

impl<const N: usize> Family<N> for Serial<'_, N> {
    type Jobs = [ChainJob; 1];
    const JOBS: Self::Jobs = [ChainJob::NONE];
    type Values = [[u8; N]; 2];
    const VALUES: Self::Values = [[0; N]; 2];
    type Ends = [[u8; N]; 1];
    const ENDS: Self::Ends = [[0; N]];

    fn seeds(&self) -> Seeds<'_, N> {
        self.seeds
    }
    fn lanes(&self) -> usize {
        1
    }
    fn chain(&self, addresses: &[Address], steps: u32, values: &mut [[u8; N]]) {
        family::chain::<1, _, N>(self, addresses, steps, values);
    }
    #[inline(never)]
    fn hash(&self, len: usize, fill: impl Fn(usize, &[u8; N], &mut [u8]), out: &mut [[u8; N]]) {
        for (lane, out) in out.iter_mut().enumerate() {
            // The longest is that of H: four times 64 bytes.
            secret!(message: [u8; 256]);
            message.fill(0);
            fill(lane, out, &mut message[..len]);
            *out = digest(self.hash, &[&message[..len]]);
        }
    }
}
