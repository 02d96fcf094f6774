//! Runs a [`Plan`](super::plan::Plan): the one loop in which everything random or hashed is made.
use oaklath_hash::blocks::{Blocks, write_words};
use oaklath_hash::keccak::{RATE_256, RATE_SHAKE128, permute};
use oaklath_hash::lanes::Lanes4;
use oaklath_hash::schedule::Cell;
use oaklath_hash::sha3::Shake128;
use oaklath_poly::q3329::{self, Entry, Poly, ROW};
use oaklath_simd::{A64, Simd, secret, wipe};

use super::params::Params;
use super::plan::{Step, Task};

/// `A_hat`, row by row.
pub(crate) type Matrix<const K: usize> = [[Entry; K]; K];

/// How many coefficients of each entry have been sampled.
pub(super) type Counts<const K: usize> = [[usize; K]; K];

/// Where samples go. A part that the plan does not fill is empty.
pub(super) struct Samples<'a, const K: usize> {
    pub(super) A_hat: &'a mut [[Entry; K]],
    pub(super) counts: &'a mut [[usize; K]],
    /// Noise of the PRF counters from 0 on: s or y,
    pub(super) y: &'a mut [Poly],
    /// from k on: e or e1,
    pub(super) e1: &'a mut [Poly],
    /// and of 2 k: e2.
    pub(super) e2: &'a mut [Poly],
}

impl<const K: usize> Samples<'_, K> {
    #[inline(always)]
    fn noise(&mut self, n: usize) -> &mut Poly {
        if n < K {
            &mut self.y[n]
        } else if n < 2 * K {
            &mut self.e1[n - K]
        } else {
            &mut self.e2[0]
        }
    }
}

/// What the lanes read.
#[derive(Clone, Copy)]
pub(super) struct Input<'a> {
    pub(super) rho: &'a [u8; 32],
    /// H reads the encapsulation key,
    pub(super) key: Blocks<'a>,
    /// J or H the ciphertext,
    pub(super) ciphertext: Blocks<'a>,
    /// and G this block.
    pub(super) message: &'a [u8; RATE_256],
}

impl<'a> Input<'a> {
    /// Only rho.
    #[inline(always)]
    pub(super) fn of(rho: &'a [u8; 32]) -> Self {
        let nothing = Blocks::whole(&[]);
        Self { rho, key: nothing, ciphertext: nothing, message: &[0; RATE_256] }
    }
}

/// What the lanes squeeze: a row each, of which the last 24 bytes are refused by the sampler.
pub(super) type Rows = A64<[[u8; ROW]; 4]>;

/// The lanes, and what they gave. Erased when dropped, but for the rows, which the caller has.
pub(super) struct Run<'a, S: Simd> {
    s: S,
    lanes: Lanes4<S>,
    rows: &'a mut Rows,
    /// The seed of noise: set before, or by `Message`.
    pub(super) sigma: [u8; 32],
    /// The shared secret that `Message` gives (in Kyber the one before the last hash).
    pub(super) shared: [u8; 32],
    /// H(ek).
    pub(super) key: [u8; 32],
    /// The hash of the ciphertext.
    pub(super) ciphertext: [u8; 32],
}

impl<'a, S: Simd> Run<'a, S> {
    #[inline(always)]
    pub(super) fn new(s: S, rows: &'a mut Rows) -> Self {
        let mut lane = 0;
        while lane < 4 {
            rows[lane][RATE_SHAKE128..].fill(0xff);
            lane += 1;
        }
        let (lanes, none) = (Lanes4::new(s), [0; 32]);
        Self { s, lanes, rows, sigma: none, shared: none, key: none, ciphertext: none }
    }

    /// One step: start, absorb, permute, squeeze, sample. Out of line.
    #[inline(never)]
    pub(super) fn step<const K: usize>(
        &mut self,
        step: &Step,
        input: &Input<'_>,
        samples: &mut Samples<'_, K>,
    ) {
        let s = self.s;
        s.vectorize(
            #[inline(always)]
            || {
                self.absorb(step, input);
                self.lanes.permute(step.active);
                if step.squeeze {
                    self.lanes.squeeze(self.rows);
                }
                let mut lane = 0;
                while lane < 4 {
                    if let Some(cell) = step.cells[lane] {
                        match cell.job {
                            Task::Entry { row, column } => {
                                let entry = &mut samples.A_hat[row][column];
                                let n = &mut samples.counts[row][column];
                                *n = q3329::reject_block_vartime(s, &self.rows[lane], entry, *n);
                                if cell.last && *n < 256 {
                                    *n = more_entry(s, self.lanes.words(lane), entry, *n);
                                }
                            }
                            Task::Noise(n) => {
                                self.noise::<K, false>(lane, cell, samples.noise(n));
                            }
                            Task::Secret(n) => {
                                self.noise::<K, true>(lane, cell, samples.noise(n));
                            }
                            Task::Message => {
                                let mut words = self.lanes.words::<8>(lane);
                                write_words(&words[..4], &mut self.shared);
                                write_words(&words[4..], &mut self.sigma);
                                wipe(&mut words);
                            }
                            Task::Key if cell.last => {
                                write_words(&self.lanes.words::<4>(lane), &mut self.key);
                            }
                            Task::Ciphertext if cell.last => {
                                let mut words = self.lanes.words::<4>(lane);
                                write_words(&words, &mut self.ciphertext);
                                wipe(&mut words);
                            }
                            Task::Key | Task::Ciphertext | Task::Wait => {}
                        }
                    }
                    lane += 1;
                }
            },
        );
    }

    #[inline(always)]
    fn absorb(&mut self, step: &Step, input: &Input<'_>) {
        if let Some(start) = &step.entries {
            self.lanes.start::<RATE_SHAKE128, 32>(start, input.rho);
        }
        if let Some(start) = &step.noise {
            self.lanes.start::<RATE_256, 32>(start, &self.sigma);
        }
        let mut lane = 0;
        while lane < 4 {
            if let Some(cell) = step.cells[lane] {
                let block = match cell.job {
                    Task::Key => Some(input.key.block(cell.block)),
                    Task::Ciphertext => Some(input.ciphertext.block(cell.block)),
                    Task::Message => Some(input.message),
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

    /// `SamplePolyCBD` of the PRF's output: one block gives eta = 2, two give eta = 3. The first of two
    /// waits in the polynomial.
    #[inline(always)]
    fn noise<const K: usize, const MONTGOMERY: bool>(
        &self,
        lane: usize,
        cell: Cell<Task>,
        f: &mut Poly,
    ) {
        let (s, row) = (self.s, &self.rows[lane]);
        if const { Params::of_rank(K).eta1 == 2 } || (cell.block == 0 && cell.last) {
            q3329::cbd_2::<S, MONTGOMERY>(s, row, f);
        } else if cell.block == 0 {
            for (f, bytes) in f.iter_mut().zip(row[..RATE_256].as_chunks::<2>().0) {
                *f = i16::from_le_bytes(*bytes);
            }
        } else {
            secret!(both: [u8; ROW]);
            for (f, bytes) in f.iter().zip(both[..RATE_256].as_chunks_mut::<2>().0) {
                *bytes = f.to_le_bytes();
            }
            both[RATE_256..].copy_from_slice(&row[..ROW - RATE_256]);
            q3329::cbd_3::<S, MONTGOMERY>(s, both, f);
        }
    }

    /// The hash in lane 0 after the last block that the plan gave it: goes on from `block` with
    /// single permutations and returns the first 32 bytes.
    #[inline(always)]
    pub(super) fn finish(&self, message: Blocks<'_>, block: usize) -> [u8; 32] {
        message.absorb(self.s, &mut self.lanes.words(0), block)
    }
}

impl<S: Simd> Drop for Run<'_, S> {
    #[inline(always)]
    fn drop(&mut self) {
        wipe(&mut self.sigma);
        wipe(&mut self.shared);
        wipe(&mut self.ciphertext);
    }
}

/// The rest of an entry whose three blocks had too few candidates below q: one in a hundred.
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

/// One entry from its beginning, beside the lanes.
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
