//! Keccak lanes that sample a queue, four or two times four: each takes the next task when its own
//! ends, and lane 0 can be used for a hash.
use oaklath_hash::blocks::absorb_block;
use oaklath_hash::keccak::{RATE_256, RATE_SHAKE128, SUFFIX_SHAKE};
use oaklath_hash::lanes::{Lanes4, Start};
use oaklath_poly::q8380417 as ring;
use oaklath_simd::{Simd, U64s, each, vectorize, wipe};

use super::sampler::{
    HashBlock, LANES, LaneTask, QueueSampler, SamplerMemory, SamplingMethod, SamplingQueue,
};

/// Sampling by SHAKE128 and SHAKE256: FIPS 204, section 7.3.
pub(crate) struct ShakeSampling;

impl SamplingMethod for ShakeSampling {
    const SHARES_LANES: bool = true;
    type Sampler<'a, S: Simd> = ShakeLanes<'a, S>;
}

/// The task of a lane, how many blocks it has squeezed, and how many coefficients it has sampled.
#[derive(Clone, Copy)]
struct LaneState {
    task: LaneTask,
    block: usize,
    n: usize,
}

/// The place of the state of the hash.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HashPlace {
    /// There is no hash.
    None,
    /// In lane 0, which is permuted with the others.
    Lane,
    /// Outside the lanes, where it waits for its next block.
    Aside,
}

/// Returns how many lanes a level has: eight where a register holds eight words, else four.
const fn lanes<S: Simd>() -> usize {
    if S::Eight::PARTS == 1 { 8 } else { 4 }
}

/// The lanes of a sampler. Their states are erased when dropped.
pub(crate) struct ShakeLanes<'a, S: Simd> {
    s: S,
    /// Lanes 0 to 3 and lanes 4 to 7, which are not permuted while none of them has a task.
    lanes: [Lanes4<S>; 2],
    states: [Option<LaneState>; LANES],
    /// How many lanes take tasks.
    width: usize,
    /// Whether lane 0 takes no more tasks.
    reserved: bool,
    hash: HashPlace,
    /// The state of a hash that is not in lane 0.
    aside: [u64; 25],
    memory: SamplerMemory<'a>,
}

impl<'a, S: Simd> QueueSampler<'a, S> for ShakeLanes<'a, S> {
    /// Returns lanes without tasks. As many lanes are used as there are rows, up to [`lanes`].
    #[inline(always)]
    fn new(s: S, memory: SamplerMemory<'a>) -> Self {
        let width = const { lanes::<S>() }.min(memory.rows.len());
        each!(lane in 0..width => memory.rows[lane][RATE_SHAKE128..].fill(0xff));
        Self {
            s,
            lanes: [Lanes4::new(s), Lanes4::new(s)],
            states: [None; LANES],
            width,
            reserved: false,
            hash: HashPlace::None,
            aside: [0; 25],
            memory,
        }
    }

    /// Starts the next tasks in free lanes, and permutes all lanes. Out of line.
    #[inline(never)]
    fn step(&mut self, queue: &mut SamplingQueue<'_>, block: Option<HashBlock<'_>>) {
        let s = self.s;
        vectorize!(s => {
            self.begin(queue, 0);
            if const { lanes::<S>() == 8 } {
                self.begin(queue, 1);
            }
            self.absorb(block);
            let active = self.busy(0) | u32::from(block.is_some());
            let wide = const { lanes::<S>() == 8 } && self.busy(1) != 0;
            let [first, second] = &mut self.lanes;
            if wide {
                first.permute_with(second);
                self.deliver(queue, 1);
            } else {
                first.permute(active);
            }
            if self.busy(0) != 0 {
                self.deliver(queue, 0);
            }
        });
    }

    #[inline(always)]
    fn reserve(&mut self) {
        self.reserved = true;
    }

    /// At most four lanes take tasks from then on, since a permutation of eight takes longer.
    #[inline(always)]
    fn reserve_for_long(&mut self) {
        self.reserve();
        self.width = 4;
    }

    #[inline(always)]
    fn release(&mut self) {
        self.reserved = false;
    }

    #[inline(always)]
    fn hash_ready(&self) -> bool {
        self.reserved && self.states[0].is_none()
    }

    #[inline(always)]
    fn take_hash(&mut self) -> [u64; 25] {
        let state = if self.hash == HashPlace::Lane { self.lanes[0].words(0) } else { self.aside };
        self.hash = HashPlace::None;
        state
    }
}

impl<S: Simd> ShakeLanes<'_, S> {
    /// Returns which of the four lanes of a group have a task, a bit each.
    #[inline(always)]
    fn busy(&self, group: usize) -> u32 {
        let mut busy = 0;
        each!(lane in 0..4 => busy |= u32::from(self.states[4 * group + lane].is_some()) << lane);
        busy
    }

    /// Starts the next tasks in the free lanes of a group.
    #[inline(always)]
    fn begin(&mut self, queue: &mut SamplingQueue<'_>, group: usize) {
        let none = Start { mask: [0; 4], word: [0; 4] };
        let (mut entries, mut small, mut any) = (none, none, (false, false));
        let first = usize::from(self.reserved && group == 0);
        each!(lane in first..4 => {
            let state = &mut self.states[4 * group + lane];
            if 4 * group < self.width
                && state.is_none()
                && let Some(task) = queue.next()
            {
                *state = Some(LaneState { task, block: 0, n: 0 });
                // After the seed: two bytes and the suffix.
                let suffix = u64::from(SUFFIX_SHAKE) << 16;
                match task {
                    LaneTask::MatrixEntry((row, column)) => {
                        // Algorithm 32, line 3: rho || column || row
                        any.0 = true;
                        entries.mask[lane] = u64::MAX;
                        entries.word[lane] = (column | row << 8) as u64 | suffix;
                    }
                    LaneTask::Secret(n) | LaneTask::Mask(n) => {
                        // Algorithm 33, lines 2 and 5; Algorithm 34, line 3: two bytes of n
                        any.1 = true;
                        small.mask[lane] = u64::MAX;
                        small.word[lane] = n as u64 | suffix;
                    }
                }
            }
        });
        if any.0 {
            self.lanes[group].start::<RATE_SHAKE128, 32>(&entries, queue.rho);
        }
        if any.1 {
            self.lanes[group].start::<RATE_256, 64>(&small, queue.seed);
        }
    }

    /// Absorbs a block of the hash in lane 0. If there is no block now, its state is set aside.
    #[inline(always)]
    fn absorb(&mut self, block: Option<HashBlock<'_>>) {
        match (block, self.hash) {
            (Some((true, block)), _) => self.lanes[0].load(0, block),
            (Some((false, block)), HashPlace::Aside) => {
                absorb_block(&mut self.aside, block);
                self.lanes[0].replace(0, &self.aside);
            }
            (Some((false, block)), _) => self.lanes[0].absorb(0, block),
            (None, HashPlace::Lane) => {
                self.aside = self.lanes[0].words(0);
                self.hash = HashPlace::Aside;
            }
            (None, _) => {}
        }
        if block.is_some() {
            self.hash = HashPlace::Lane;
        }
    }

    /// Samples from the block that each lane of a group has squeezed. Frees lanes whose task ends.
    #[inline(always)]
    fn deliver(&mut self, queue: &mut SamplingQueue<'_>, group: usize) {
        let s = self.s;
        let rows = self.memory.rows[4 * group..].first_chunk_mut().expect("a row for each lane");
        self.lanes[group].squeeze(rows);
        let first = 4 * group;
        each!(lane in first..first + 4 => {
            if let Some(mut state) = self.states[lane] {
                let SamplerMemory { rows, nibbles, streams } = &mut self.memory;
                let row = &rows[lane];
                let ended = match state.task {
                    LaneTask::MatrixEntry(place) => {
                        let entry = queue.matrix.entry(lane, place);
                        state.n = ring::reject_block_vartime(s, row, entry, state.n);
                        state.n == 256
                    }
                    LaneTask::Secret(_) => {
                        let (block, eta) = (&row[..RATE_256], queue.p.eta);
                        let nibbles = &mut nibbles[lane];
                        state.n = ring::reject_nibbles_vartime(s, eta, block, nibbles, state.n);
                        state.n == 256
                    }
                    LaneTask::Mask(_) => {
                        let at = RATE_256 * state.block;
                        streams[lane][at..at + RATE_256].copy_from_slice(&row[..RATE_256]);
                        state.block == 4
                    }
                };
                state.block += 1;
                self.states[lane] = if ended { None } else { Some(state) };
                if ended {
                    self.finish(queue, lane, state.task);
                }
            }
        });
    }

    /// Passes the result of a lane to the queue.
    #[inline(always)]
    fn finish(&self, queue: &mut SamplingQueue<'_>, lane: usize, task: LaneTask) {
        let (s, p, memory) = (self.s, queue.p, &self.memory);
        match task {
            LaneTask::MatrixEntry(place) => {
                queue.matrix.finish_entry(s, lane, place, queue.factors);
            }
            LaneTask::Secret(n) => {
                queue.secrets.finish(s, p.eta, n, &memory.nibbles[lane], self.unfinished());
            }
            LaneTask::Mask(n) => {
                queue.masks.finish(s, p.z_bits, n, &memory.streams[lane], self.unfinished());
            }
        }
    }

    /// Returns the index of the first secret or mask that a lane still samples.
    #[inline(always)]
    fn unfinished(&self) -> usize {
        let mut first = usize::MAX;
        each!(lane in 0..const { lanes::<S>() } => {
            if let Some(LaneState { task: LaneTask::Secret(n) | LaneTask::Mask(n), .. }) =
                self.states[lane]
            {
                first = first.min(n);
            }
        });
        first
    }
}

impl<S: Simd> Drop for ShakeLanes<'_, S> {
    #[inline(always)]
    fn drop(&mut self) {
        wipe(&mut self.aside);
    }
}
