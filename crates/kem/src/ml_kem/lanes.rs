//! Runs a [`Plan`](super::plan::Plan): the one loop that computes all samples and hashes.
use core::{array, slice};

use oaklath_hash::blocks::{Blocks, write_words};
use oaklath_hash::keccak::{RATE_256, RATE_SHAKE128, permute};
use oaklath_hash::lanes::Lanes4;
use oaklath_hash::schedule::Cell;
use oaklath_poly::q3329::{self, Entry, Poly, ROW};
use oaklath_simd::{A64, Simd, U64s, each, secret, vectorize, wipe};

use super::hashes::{g, g_block};
use super::memory::{LaneSamples, PkeMemory};
use super::params::MlKemParams;
use super::plan::{LaneTask, PlanStep};

impl<'a> LaneSamples<'a> {
    /// Borrows the memory of FIPS 203, Algorithm 14: the matrix, if it has to be sampled (lines 4
    /// to 8), y (9 to 12), `e_1` (13 to 16) and `e_2` (17).
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
    /// rho, the input of the XOF of the matrix.
    pub(super) rho: &'a [u8; 32],
    /// The encapsulation key, the input of H.
    pub(super) key: Blocks<'a>,
    /// The input of the hash `K_bar`: z || c for J, in Kyber c for H.
    pub(super) ciphertext: Blocks<'a>,
    /// The block of G in a decapsulation.
    pub(super) message: &'a [u8; RATE_256],
}

impl<'a> LaneInputs<'a> {
    /// Returns inputs with rho only: the last 32 bytes of an encapsulation key.
    #[inline(always)]
    pub(super) fn of_key(ek: &'a [u8]) -> Self {
        Self::of_rho(ek.last_chunk().expect("a key ends with rho"))
    }

    /// Returns inputs with rho only.
    #[inline(always)]
    pub(super) fn of_rho(rho: &'a [u8; 32]) -> Self {
        let nothing = Blocks::whole(&[]);
        Self { rho, key: nothing, ciphertext: nothing, message: &[0; RATE_256] }
    }
}

/// The inputs of the lanes of one operation, and the memory that they sample into.
pub(super) struct LaneMemory<'a, 'b> {
    pub(super) inputs: LaneInputs<'a>,
    pub(super) samples: &'a mut LaneSamples<'b>,
}

/// The output of the lanes: a row for each, the last 24 bytes of which the sampler rejects.
pub(super) type LaneRows = A64<[[u8; ROW]; 4]>;

/// The results of lanes other than samples. Erased when dropped.
pub(super) struct LaneResults {
    /// The seed of the noise, sigma or r: set by `run_g`, or by [`LaneTask::Message`].
    pub(super) sigma: [u8; 32],
    /// The other half of the output of G: K, K' or rho.
    pub(super) K: [u8; 32],
    /// H(ek).
    pub(super) h_ek: [u8; 32],
    /// `K_bar`, the hash of the ciphertext.
    pub(super) K_bar: [u8; 32],
}

/// Four lanes for one operation, or four for each of two that run the same plan side by side.
/// Erased when dropped, except the rows, which the caller erases.
pub(super) struct LaneExecutor<'a, S: Simd, const N: usize> {
    s: S,
    lanes: [Lanes4<S>; N],
    rows: &'a mut [LaneRows; N],
    pub(super) results: [LaneResults; N],
}

impl<'a, S: Simd, const N: usize> LaneExecutor<'a, S, N> {
    /// Whether a hash that runs alone in its operation uses single permutations: if there is only
    /// one operation, or where eight lanes take longer than one.
    const SINGLE: bool = N == 1 || S::Eight::PARTS != 1;

    #[inline(always)]
    pub(super) fn new(s: S, rows: &'a mut [LaneRows; N]) -> Self {
        for row in rows.iter_mut().flat_map(|rows| rows.iter_mut()) {
            row[RATE_SHAKE128..].fill(0xff);
        }
        let lanes = array::from_fn(
            #[inline(always)]
            |_| Lanes4::new(s),
        );
        Self { s, lanes, rows, results: [const { LaneResults::EMPTY }; N] }
    }

    /// Runs the steps of a plan.
    #[inline(always)]
    pub(super) fn run(&mut self, steps: &[PlanStep], memory: &mut [LaneMemory<'_, '_>; N]) {
        for step in steps {
            self.run_step(step, memory);
        }
    }

    /// Runs one step: start, absorb, permute, squeeze, sample.
    #[inline(always)]
    pub(super) fn run_step(&mut self, step: &PlanStep, memory: &mut [LaneMemory<'_, '_>; N]) {
        match memory[0].samples.eta1 {
            2 => self.run_step_of_eta::<2>(step, memory),
            _ => self.run_step_of_eta::<3>(step, memory),
        }
    }

    /// Does [`run_step`](Self::run_step) for one width of the noise. Out of line.
    #[inline(never)]
    fn run_step_of_eta<const ETA1: usize>(
        &mut self,
        step: &PlanStep,
        memory: &mut [LaneMemory<'_, '_>; N],
    ) {
        vectorize!(self.s => {
            each!(i in 0..N => self.absorb(i, step, &memory[i].inputs));
            self.permute(step.active);
            each!(i in 0..N => {
                if step.squeeze {
                    self.lanes[i].squeeze(&mut self.rows[i]);
                }
                each!(lane in 0..4 => {
                    if let Some(cell) = step.cells[lane] {
                        self.deliver::<ETA1>((i, lane), cell, memory[i].samples);
                    }
                });
            });
        });
    }

    /// Permutes at least the lanes of every operation whose bit is set in `active`.
    #[inline(always)]
    fn permute(&mut self, active: u32) {
        match &mut self.lanes[..] {
            [first, second] if const { S::Eight::PARTS == 1 } => first.permute_with(second),
            lanes => lanes.iter_mut().for_each(
                #[inline(always)]
                |lanes| lanes.permute(active),
            ),
        }
    }

    #[inline(always)]
    fn absorb(&mut self, i: usize, step: &PlanStep, inputs: &LaneInputs<'_>) {
        if let Some(start) = &step.entries {
            self.lanes[i].start::<RATE_SHAKE128, 32>(start, inputs.rho);
        }
        if let Some(start) = &step.noise {
            self.lanes[i].start::<RATE_256, 32>(start, &self.results[i].sigma);
        }
        each!(lane in 0..4 => {
            if let Some(cell) = step.cells[lane] {
                let block = match cell.job {
                    LaneTask::Key => Some(inputs.key.block(cell.block)),
                    LaneTask::Ciphertext => Some(inputs.ciphertext.block(cell.block)),
                    LaneTask::Message => Some(inputs.message),
                    _ => None,
                };
                match block {
                    Some(block) if cell.block == 0 => self.lanes[i].load(lane, block),
                    Some(block) => self.lanes[i].absorb(lane, block),
                    None => {}
                }
            }
        });
    }

    /// Samples from the output of a lane, or stores it among the results.
    #[inline(always)]
    fn deliver<const ETA1: usize>(
        &mut self,
        (i, lane): (usize, usize),
        cell: Cell<LaneTask>,
        samples: &mut LaneSamples<'_>,
    ) {
        let (s, bytes, results) = (self.s, &self.rows[i][lane], &mut self.results[i]);
        match cell.job {
            LaneTask::Entry { row, column } => {
                let at = samples.k * row + column;
                let (entry, n) = (&mut samples.A_hat[at], &mut samples.counts[at]);
                *n = q3329::reject_block_vartime(s, bytes, entry, *n);
                if cell.last && *n < 256 {
                    *n = more_entry(s, self.lanes[i].words(lane), entry, *n);
                }
            }
            LaneTask::Noise(n) => sample_noise::<S, ETA1, false>(s, bytes, cell, samples.noise(n)),
            LaneTask::Secret(n) => sample_noise::<S, ETA1, true>(s, bytes, cell, samples.noise(n)),
            LaneTask::Message => self.take_g(i, lane),
            LaneTask::Key if cell.last => {
                write_words(&self.lanes[i].words::<4>(lane), &mut results.h_ek);
            }
            LaneTask::Ciphertext if cell.last => {
                let mut words = self.lanes[i].words::<4>(lane);
                write_words(&words, &mut results.K_bar);
                wipe(&mut words);
            }
            LaneTask::Key | LaneTask::Ciphertext | LaneTask::Wait => {}
        }
    }

    /// Computes G(x || y) of each operation: the first half goes to K, the second to sigma.
    #[inline(always)]
    pub(super) fn run_g(&mut self, messages: [[&[u8]; 2]; N]) {
        if const { Self::SINGLE } {
            for ([x, y], LaneResults { K, sigma, .. }) in messages.iter().zip(&mut self.results) {
                g(self.s, x, y, K, sigma);
            }
            return;
        }
        secret!(block: [u8; RATE_256]);
        each!(i in 0..N => {
            let [x, y] = messages[i];
            g_block(x, y, block);
            self.lanes[i].load(0, block);
        });
        self.permute(1);
        each!(i in 0..N => self.take_g(i, 0));
    }

    /// Stores the output of G, which is in a lane, as K and sigma.
    #[inline(always)]
    fn take_g(&mut self, i: usize, lane: usize) {
        let (mut words, results) = (self.lanes[i].words::<8>(lane), &mut self.results[i]);
        write_words(&words[..4], &mut results.K);
        write_words(&words[4..], &mut results.sigma);
        wipe(&mut words);
    }

    /// Continues the hashes in lanes 0, whose messages are equally long, from `block` on, the first
    /// that the plan did not absorb, and writes their first 32 bytes to `place` of the results.
    #[inline(always)]
    pub(super) fn finish(
        &mut self,
        messages: &[Blocks<'_>; N],
        block: usize,
        place: fn(&mut LaneResults) -> &mut [u8; 32],
    ) {
        if const { Self::SINGLE } {
            each!(i in 0..N => {
                let digest = place(&mut self.results[i]);
                messages[i].absorb(self.s, &mut self.lanes[i].words(0), block, digest);
            });
            return;
        }
        each!(block in block..messages[0].count() => {
            each!(i in 0..N => self.lanes[i].absorb(0, messages[i].block(block)));
            self.permute(1);
        });
        each!(i in 0..N => {
            let mut words = self.lanes[i].words::<4>(0);
            write_words(&words, place(&mut self.results[i]));
            wipe(&mut words);
        });
    }
}

impl LaneResults {
    const EMPTY: Self = Self { sigma: [0; 32], K: [0; 32], h_ek: [0; 32], K_bar: [0; 32] };
}

impl Drop for LaneResults {
    #[inline(always)]
    fn drop(&mut self) {
        wipe(&mut self.sigma);
        wipe(&mut self.K);
        wipe(&mut self.K_bar);
    }
}

/// Computes `SamplePolyCBD` of the PRF's output. For eta = 2, one block suffices; for eta = 3, the
/// first of two blocks is kept in the polynomial until the second arrives.
#[inline(always)]
fn sample_noise<S: Simd, const ETA1: usize, const MONTGOMERY: bool>(
    s: S,
    row: &[u8; ROW],
    cell: Cell<LaneTask>,
    f: &mut Poly,
) {
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

/// Computes `SamplePolyCBD_3` of the block kept in the polynomial and of the next. Out of line.
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

/// Samples the rest of an entry whose first three blocks had too few candidates below q, as one in
/// a hundred entries has.
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
