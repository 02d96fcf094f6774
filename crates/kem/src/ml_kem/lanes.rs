//! Runs a [`Plan`](super::plan::Plan): the one loop in which everything random or hashed is made.
use core::slice;

use oaklath_hash::blocks::{Blocks, write_words};
use oaklath_hash::keccak::{RATE_256, RATE_SHAKE128, permute};
use oaklath_hash::lanes::Lanes4;
use oaklath_hash::schedule::Cell;
use oaklath_hash::sha3::Shake128;
use oaklath_poly::q3329::{self, Entry, Poly, ROW};
use oaklath_simd::{A64, Simd, secret, vectorize, wipe};

use super::memory::{LaneSamples, PkeMemory};
use super::params::MlKemParams;
use super::plan::{LaneTask, PlanStep};

impl<'a> LaneSamples<'a> {
    /// FIPS 203, Algorithm 14: the matrix, if it is not at hand (lines 4 to 8), y (9 to 12), `e_1`
    /// (13 to 16) and `e_2` (17).
    #[inline(always)]
    pub(super) fn of_encryption(
        p: &MlKemParams,
        A_hat: &'a mut [Entry],
        memory: &'a mut PkeMemory<'_>,
    ) -> Self {
        let PkeMemory { y, e1, e2, .. } = memory;
        Self { y, e1, e2: slice::from_mut(&mut **e2), ..Self::of_matrix(p, A_hat) }
    }

    #[inline(always)]
    fn noise(&mut self, n: usize) -> &mut Poly {
        let k = self.k;
        if n < k {
            &mut self.y[n]
        } else if n < 2 * k {
            &mut self.e1[n - k]
        } else {
            &mut self.e2[0]
        }
    }
}

/// The messages that lanes absorb.
#[derive(Clone, Copy)]
pub(super) struct LaneInputs<'a> {
    /// rho, which the XOF of the matrix reads.
    pub(super) rho: &'a [u8; 32],
    /// The encapsulation key, which H reads.
    pub(super) key: Blocks<'a>,
    /// What is hashed to `K_bar`: z || c by J, in Kyber c by H.
    pub(super) ciphertext: Blocks<'a>,
    /// The block of a decapsulation that G reads.
    pub(super) message: &'a [u8; RATE_256],
}

impl<'a> LaneInputs<'a> {
    /// Only rho.
    #[inline(always)]
    pub(super) fn of_rho(rho: &'a [u8; 32]) -> Self {
        let nothing = Blocks::whole(&[]);
        Self { rho, key: nothing, ciphertext: nothing, message: &[0; RATE_256] }
    }
}

/// What the lanes squeeze: a row each, whose last 24 bytes the sampler rejects.
pub(super) type LaneRows = A64<[[u8; ROW]; 4]>;

/// Four lanes and their results. Erased when dropped, except the rows, which the caller erases.
pub(super) struct LaneExecutor<'a, S: Simd> {
    s: S,
    lanes: Lanes4<S>,
    rows: &'a mut LaneRows,
    /// The seed of noise, sigma or r: set before, or by [`LaneTask::Message`].
    pub(super) sigma: [u8; 32],
    /// K or K', the other half of what G gives.
    pub(super) K: [u8; 32],
    /// H(ek).
    pub(super) h_ek: [u8; 32],
    /// `K_bar`, the hash of the ciphertext.
    pub(super) K_bar: [u8; 32],
}

impl<'a, S: Simd> LaneExecutor<'a, S> {
    #[inline(always)]
    pub(super) fn new(s: S, rows: &'a mut LaneRows) -> Self {
        for row in rows.iter_mut() {
            row[RATE_SHAKE128..].fill(0xff);
        }
        let (lanes, none) = (Lanes4::new(s), [0; 32]);
        Self { s, lanes, rows, sigma: none, K: none, h_ek: none, K_bar: none }
    }

    /// Runs the steps of a plan.
    #[inline(always)]
    pub(super) fn run(
        &mut self,
        steps: &[PlanStep],
        inputs: &LaneInputs<'_>,
        samples: &mut LaneSamples<'_>,
    ) {
        for step in steps {
            self.run_step(step, inputs, samples);
        }
    }

    /// Runs one step: start, absorb, permute, squeeze, sample.
    #[inline(always)]
    pub(super) fn run_step(
        &mut self,
        step: &PlanStep,
        inputs: &LaneInputs<'_>,
        samples: &mut LaneSamples<'_>,
    ) {
        match samples.eta1 {
            2 => self.run_step_of_eta::<2>(step, inputs, samples),
            _ => self.run_step_of_eta::<3>(step, inputs, samples),
        }
    }

    /// [`run_step`](Self::run_step) for noise of one width. Out of line.
    #[inline(never)]
    fn run_step_of_eta<const ETA1: usize>(
        &mut self,
        step: &PlanStep,
        inputs: &LaneInputs<'_>,
        samples: &mut LaneSamples<'_>,
    ) {
        vectorize!(self.s => {
            self.absorb(step, inputs);
            self.lanes.permute(step.active);
            if step.squeeze {
                self.lanes.squeeze(self.rows);
            }
            let mut lane = 0;
            while lane < 4 {
                if let Some(cell) = step.cells[lane] {
                    self.deliver::<ETA1>(lane, cell, samples);
                }
                lane += 1;
            }
        });
    }

    #[inline(always)]
    fn absorb(&mut self, step: &PlanStep, inputs: &LaneInputs<'_>) {
        if let Some(start) = &step.entries {
            self.lanes.start::<RATE_SHAKE128, 32>(start, inputs.rho);
        }
        if let Some(start) = &step.noise {
            self.lanes.start::<RATE_256, 32>(start, &self.sigma);
        }
        let mut lane = 0;
        while lane < 4 {
            if let Some(cell) = step.cells[lane] {
                let block = match cell.job {
                    LaneTask::Key => Some(inputs.key.block(cell.block)),
                    LaneTask::Ciphertext => Some(inputs.ciphertext.block(cell.block)),
                    LaneTask::Message => Some(inputs.message),
                    _ => None,
                };
                match block {
                    Some(block) if cell.block == 0 => self.lanes.load(lane, block),
                    Some(block) => self.lanes.absorb(lane, block),
                    None => {}
                }
            }
            lane += 1;
        }
    }

    /// Samples from the output of a lane, or keeps it.
    #[inline(always)]
    fn deliver<const ETA1: usize>(
        &mut self,
        lane: usize,
        cell: Cell<LaneTask>,
        samples: &mut LaneSamples<'_>,
    ) {
        let s = self.s;
        match cell.job {
            LaneTask::Entry { row, column } => {
                let i = samples.k * row + column;
                let (entry, n) = (&mut samples.A_hat[i], &mut samples.counts[i]);
                *n = q3329::reject_block_vartime(s, &self.rows[lane], entry, *n);
                if cell.last && *n < 256 {
                    *n = more_entry(s, self.lanes.words(lane), entry, *n);
                }
            }
            LaneTask::Noise(n) => self.sample_noise::<ETA1, false>(lane, cell, samples.noise(n)),
            LaneTask::Secret(n) => self.sample_noise::<ETA1, true>(lane, cell, samples.noise(n)),
            LaneTask::Message => {
                let mut words = self.lanes.words::<8>(lane);
                write_words(&words[..4], &mut self.K);
                write_words(&words[4..], &mut self.sigma);
                wipe(&mut words);
            }
            LaneTask::Key if cell.last => {
                write_words(&self.lanes.words::<4>(lane), &mut self.h_ek);
            }
            LaneTask::Ciphertext if cell.last => {
                let mut words = self.lanes.words::<4>(lane);
                write_words(&words, &mut self.K_bar);
                wipe(&mut words);
            }
            LaneTask::Key | LaneTask::Ciphertext | LaneTask::Wait => {}
        }
    }

    /// `SamplePolyCBD` of the PRF's output: one block gives eta = 2, two give eta = 3. The first of
    /// two waits in the polynomial.
    #[inline(always)]
    fn sample_noise<const ETA1: usize, const MONTGOMERY: bool>(
        &self,
        lane: usize,
        cell: Cell<LaneTask>,
        f: &mut Poly,
    ) {
        let (s, row) = (self.s, &self.rows[lane]);
        if ETA1 == 2 || (cell.block == 0 && cell.last) {
            q3329::cbd_2::<S, MONTGOMERY>(s, row, f);
        } else if cell.block == 0 {
            for (f, bytes) in f.iter_mut().zip(row[..RATE_256].as_chunks::<2>().0) {
                *f = i16::from_le_bytes(*bytes);
            }
        } else {
            sample_eta_3::<S, MONTGOMERY>(s, row, f);
        }
    }

    /// Continues the hash in lane 0 from `block` on, after the last one that the plan absorbed,
    /// with single permutations, and returns its first 32 bytes.
    #[inline(always)]
    pub(super) fn finish(&self, message: Blocks<'_>, block: usize) -> [u8; 32] {
        message.absorb(self.s, &mut self.lanes.words(0), block)
    }
}

impl<S: Simd> Drop for LaneExecutor<'_, S> {
    #[inline(always)]
    fn drop(&mut self) {
        wipe(&mut self.sigma);
        wipe(&mut self.K);
        wipe(&mut self.K_bar);
    }
}

/// `SamplePolyCBD_3` of the block that waits in the polynomial and of the next one. Out of line.
#[inline(never)]
fn sample_eta_3<S: Simd, const MONTGOMERY: bool>(s: S, row: &[u8; ROW], f: &mut Poly) {
    vectorize!(s => {
        secret!(both: A64<[u8; ROW]>);
        for (f, bytes) in f.iter().zip(both[..RATE_256].as_chunks_mut::<2>().0) {
            *bytes = f.to_le_bytes();
        }
        both[RATE_256..].copy_from_slice(&row[..ROW - RATE_256]);
        q3329::cbd_3::<S, MONTGOMERY>(s, &both[..], f);
    });
}

/// Samples the rest of an entry whose three blocks had too few candidates below q: one in a
/// hundred.
#[cold]
#[inline(never)]
fn more_entry<S: Simd>(s: S, mut state: [u64; 25], entry: &mut Entry, mut n: usize) -> usize {
    while n < 256 {
        permute(s, &mut state);
        let mut block = [0; RATE_SHAKE128];
        for (bytes, word) in block.as_chunks_mut::<8>().0.iter_mut().zip(&state) {
            *bytes = word.to_le_bytes();
        }
        n = q3329::reject_bytes_vartime(&block, entry, n);
    }
    n
}

/// Samples one entry from its beginning, beside the lanes: FIPS 203, Algorithm 7.
#[cold]
#[inline(never)]
pub(super) fn whole_entry(rho: &[u8; 32], row: usize, column: usize, entry: &mut Entry) {
    let mut stream = Shake128::new().chain(rho).chain(&[column as u8, row as u8]).finish();
    let (mut n, mut block) = (0, [0; RATE_SHAKE128]);
    while n < 256 {
        stream.read(&mut block);
        n = q3329::reject_bytes_vartime(&block, entry, n);
    }
}
