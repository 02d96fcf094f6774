//! The queue of samples of an operation, and the trait of samplers.
use oaklath_hash::keccak::RATE_256;
use oaklath_poly::q8380417::{Entry, NttPoly, ROW};
use oaklath_simd::{A64, Simd};

use super::expand_a::ExpandedMatrix;
use super::expand_mask::{MaskQueue, STREAM};
use super::expand_s::SecretVectors;
use super::params::MlDsaParams;

/// The task of a lane.
#[derive(Clone, Copy)]
pub(crate) enum LaneTask {
    /// `RejNTTPoly`: an entry of the matrix by its row and column. SHAKE128, about five blocks.
    MatrixEntry((usize, usize)),
    /// `RejBoundedPoly`: a polynomial of s1 || s2. SHAKE256, about two blocks.
    Secret(usize),
    /// `ExpandMask`: a polynomial of y by its nonce. SHAKE256, five blocks.
    Mask(usize),
}

/// All samples of an operation, in this order: secrets, matrix, masks.
pub(crate) struct SamplingQueue<'a> {
    pub(crate) p: &'a MlDsaParams,
    /// The seed of the matrix.
    pub(crate) rho: &'a [u8; 32],
    /// The seed of the secrets, rho', or of the masks, rho''.
    pub(crate) seed: &'a [u8; 64],
    pub(crate) matrix: ExpandedMatrix<'a>,
    pub(crate) secrets: SecretVectors<'a>,
    pub(crate) masks: MaskQueue<'a>,
    /// The vector by which the matrix is multiplied: NTT(s1), NTT(y) or NTT(z).
    pub(crate) factors: &'a mut [NttPoly],
}

/// The unused seed of operations that sample neither secrets nor masks.
const NO_SEED: [u8; 64] = [0; 64];

impl<'a> SamplingQueue<'a> {
    /// Returns a queue of a matrix, without secrets or masks.
    #[inline(always)]
    pub(super) fn matrix(
        p: &'a MlDsaParams,
        rho: &'a [u8; 32],
        matrix: ExpandedMatrix<'a>,
        factors: &'a mut [NttPoly],
    ) -> Self {
        let (secrets, masks) = (SecretVectors::none(), MaskQueue::none());
        Self { p, rho, seed: &NO_SEED, matrix, secrets, masks, factors }
    }

    /// Returns the next task, if there is one now.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<LaneTask> {
        if let Some(n) = self.secrets.next() {
            return Some(LaneTask::Secret(n));
        }
        if let Some(place) = self.matrix.next_entry() {
            return Some(LaneTask::MatrixEntry(place));
        }
        self.masks.next().map(LaneTask::Mask)
    }
}

/// The maximum number of lanes.
pub(super) const LANES: usize = 8;
/// The output of `N` lanes, 4 or 8.
pub(super) type SqueezedRows<const N: usize = LANES> = A64<[[u8; ROW]; N]>;
/// The nibbles of incomplete secrets, for each lane. Only key generation uses them.
pub(super) type Nibbles = [Entry<()>; LANES];
/// The bytes of incomplete masks, for each of `N` lanes. Only signing uses them.
pub(super) type Streams<const N: usize = LANES> = [[u8; STREAM]; N];

/// The memory of a sampler, which the caller erases if it is secret.
pub(crate) struct SamplerMemory<'a> {
    pub(crate) rows: &'a mut [[u8; ROW]],
    pub(crate) nibbles: &'a mut [Entry<()>],
    pub(crate) streams: &'a mut [[u8; STREAM]],
}

impl<'a> SamplerMemory<'a> {
    /// Returns memory for a matrix alone.
    #[inline(always)]
    pub(super) fn rows(rows: &'a mut [[u8; ROW]]) -> Self {
        Self { rows, nibbles: &mut [], streams: &mut [] }
    }
}

/// A block of a hash, and whether it is the first of its message.
pub(crate) type HashBlock<'a> = (bool, &'a [u8; RATE_256]);

/// Samples the entries of a queue step by step, and computes a SHAKE256 at the same time.
pub(crate) trait QueueSampler<'a, S: Simd> {
    /// Returns a sampler without tasks.
    fn new(s: S, memory: SamplerMemory<'a>) -> Self;

    /// Samples for about the time of a permutation; the hash absorbs a block, if one is given.
    fn step(&mut self, queue: &mut SamplingQueue<'_>, block: Option<HashBlock<'_>>);

    /// Reserves lane 0 for a hash, as soon as its current task is complete.
    fn reserve(&mut self) {}

    /// Reserves lane 0 for a hash that the caller waits for.
    fn reserve_for_long(&mut self) {}

    /// Releases lane 0 for tasks of the queue.
    fn release(&mut self) {}

    /// Returns whether a hash can be started or continued.
    fn hash_ready(&self) -> bool {
        true
    }

    /// Ends the hash and returns its state.
    fn take_hash(&mut self) -> [u64; 25];
}

/// A way of sampling, at each SIMD level.
pub(crate) trait SamplingMethod: 'static {
    /// Whether masks are what SHAKE256 makes, which several messages share lanes for.
    const SHARES_LANES: bool;
    /// The sampler.
    type Sampler<'a, S: Simd>: QueueSampler<'a, S>;
}
