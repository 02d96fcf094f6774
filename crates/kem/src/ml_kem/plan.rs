//! The schedule of each operation: which sponge runs in which of four Keccak lanes, and when.
//!
//! ML-KEM spends nearly all its time in Keccak, and the lanes of one permutation may hold different
//! sponges. Hashing a key while its matrix is sampled therefore takes no extra time, and no lane is
//! idle while there is work for it. `k` is the rank of the module: 2, 3 or 4.
use oaklath_hash::keccak::SUFFIX_SHAKE;
use oaklath_hash::lanes::Start;
use oaklath_hash::schedule::{self, Job, Schedule};
use oaklath_simd::each;

use super::params::MlKemParams;

/// The task of a lane: one run of a sponge.
#[derive(Clone, Copy, Debug)]
pub(super) enum LaneTask {
    /// `A_hat[row][column]`: three blocks of SHAKE128, rarely more.
    Entry { row: usize, column: usize },
    /// The noise polynomial of PRF counter n: one block of SHAKE256, or two for eta = 3.
    Noise(usize),
    /// A noise polynomial times 2^16: a secret that is used and encoded from Montgomery form.
    Secret(usize),
    /// G(m || H(ek)): the shared secret and the seed of the noise.
    Message,
    /// H(ek).
    Key,
    /// J(z || c), in Kyber H(c), from which the secret of an invalid ciphertext is derived.
    Ciphertext,
    /// No task: the lane is idle.
    Wait,
}

/// One permutation of four lanes: the tasks that start, and the work of each lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlanStep {
    pub(super) cells: schedule::Step<LaneTask, 4>,
    /// Lanes in which a matrix entry starts.
    pub(super) entries: Option<Start>,
    /// Lanes in which a noise polynomial starts.
    pub(super) noise: Option<Start>,
    /// The lanes in use, one bit each.
    pub(super) active: u32,
    /// Whether the output of some lane is sampled, and therefore needed as bytes.
    pub(super) squeeze: bool,
    /// Whether a lane absorbs a block of the encapsulation key.
    pub(super) key: bool,
}

/// The maximum number of steps of a plan: decapsulation with the hash check at k = 4.
const MAX_STEPS: usize = 21;

/// The steps of one operation. Blocks of a hash that would run alone are left to single
/// permutations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    steps: [PlanStep; MAX_STEPS],
    len: usize,
}

/// A list of jobs under construction.
struct JobList {
    jobs: [Job<LaneTask>; 32],
    len: usize,
}

/// The plans of a rank.
#[derive(Debug)]
pub(super) struct RankPlans {
    /// Key generation. Lane 0: noise, then H(ek), at least two steps after the rows of the matrix
    /// on which it depends. The other lanes: noise and matrix.
    pub(super) keygen: Plan,
    /// The step of `keygen` after which all noise is sampled.
    pub(super) keygen_noise: usize,
    /// The matrix and H(ek): the first half of an encapsulation.
    pub(super) expand: Plan,
    /// The noise: the second half of an encapsulation.
    pub(super) noise: Plan,
    /// Everything in a decapsulation after decryption, with a key whose hash was checked.
    pub(super) decapsulate: Plan,
    /// [`decapsulate`](Self::decapsulate) with H(ek) in a lane, for a key whose hash has not been
    /// checked.
    pub(super) decapsulate_and_hash: Plan,
    /// [`decapsulate`](Self::decapsulate) with a matrix that was sampled before.
    pub(super) decapsulate_expanded: Plan,
}

/// The plans of ranks 2, 3 and 4.
static PLANS: [RankPlans; 3] =
    [RankPlans::of_rank(2), RankPlans::of_rank(3), RankPlans::of_rank(4)];

/// Returns the plans of the rank of `p`.
#[inline(always)]
pub(super) fn plans(p: &MlKemParams) -> &'static RankPlans {
    &PLANS[p.k - 2]
}

/// Returns how many permutations each of H(ek), J(z || c) and H(c) takes in rank k: 6, 9 or 12.
pub(super) const fn hash_blocks(k: usize) -> usize {
    3 * k
}

/// Returns how many permutations a noise polynomial takes: 64 eta bytes, 136 per permutation.
const fn noise_blocks(eta: usize) -> usize {
    if eta == 3 { 2 } else { 1 }
}

impl RankPlans {
    const fn of_rank(k: usize) -> Self {
        let (p, hash) = (MlKemParams::of_rank(k), hash_blocks(k));
        let (none, mut expand, mut noise) = (JobList::new(), JobList::new(), JobList::new());
        expand.push(LaneTask::Key, hash).entries(k, 0, k * k);
        noise.encryption_noise(&p);
        let mut decapsulate = JobList::new();
        decapsulate.push(LaneTask::Ciphertext, hash).push(LaneTask::Message, 1);
        decapsulate.entries(k, 0, k * k).encryption_noise(&p);
        let mut hashed = JobList::new();
        hashed.push(LaneTask::Ciphertext, hash).push(LaneTask::Key, hash);
        hashed.push(LaneTask::Message, 1).entries(k, 0, k * k).encryption_noise(&p);
        let mut expanded = JobList::new();
        expanded.push(LaneTask::Ciphertext, hash).push(LaneTask::Message, 1);
        // The noise needs the seed that `Message` computes.
        expanded.push(LaneTask::Wait, 1).push(LaneTask::Wait, 1).encryption_noise(&p);
        let (keygen, keygen_noise) = keygen_plan(&p);
        Self {
            keygen,
            keygen_noise,
            expand: Plan::new(&none, &expand),
            noise: Plan::new(&none, &noise),
            decapsulate: Plan::new(&none, &decapsulate),
            decapsulate_and_hash: Plan::new(&none, &hashed),
            decapsulate_expanded: Plan::new(&none, &expanded),
        }
    }
}

/// Returns the plan of key generation, and its step after which all noise is sampled.
const fn keygen_plan(p: &MlKemParams) -> (Plan, usize) {
    let (k, blocks) = (p.k, noise_blocks(p.eta1));
    let (mut first, mut shared) = (JobList::new(), JobList::new());
    // The number of blocks of H(ek) is what fits beside the matrix.
    let noise_ready = match k {
        2 => {
            // step    0   1   2   3   4   5
            // lane 0  s0  .   e0  .   H   H
            // lane 1  s1  .   e1  .
            // lane 2  A   .   .   A   .   .
            // lane 3  A   .   .   A   .   .
            first.push(LaneTask::Secret(0), blocks).push(LaneTask::Noise(2), blocks);
            first.push(LaneTask::Key, 2);
            shared.push(LaneTask::Secret(1), blocks).entries(k, 0, 2);
            shared.push(LaneTask::Noise(3), blocks).entries(k, 2, 4);
            3
        }
        3 => {
            // step    0   1   2   3   4   5   6   7   8   9
            // lane 0  s0  e1  e2  H   H   H   H   H   H   H
            // lane 1  s1  A   .   .   A   .   .   A   .   .
            // lane 2  s2  A   .   .   A   .   .   A   .   .
            // lane 3  e0  A   .   .   A   .   .   A   .   .
            first.push(LaneTask::Secret(0), 1).noise(4, 6, 1).push(LaneTask::Key, 7);
            shared.push(LaneTask::Secret(1), 1).push(LaneTask::Secret(2), 1).noise(3, 4, 1);
            shared.entries(k, 0, 9);
            2
        }
        4 => {
            // As for rank 3, but with the last entry of the first row in lane 0.
            first.push(LaneTask::Secret(0), 1).noise(4, 5, 1);
            first.push(LaneTask::Entry { row: 0, column: 3 }, 3).push(LaneTask::Wait, 2);
            first.push(LaneTask::Key, 10);
            shared.push(LaneTask::Secret(1), 1).push(LaneTask::Secret(2), 1);
            shared.push(LaneTask::Secret(3), 1).noise(5, 8, 1);
            shared.entries(k, 0, 3).entries(k, 4, 16);
            1
        }
        _ => panic!("the ranks of FIPS 203"),
    };
    (Plan::new(&first, &shared), noise_ready)
}

impl JobList {
    const fn new() -> Self {
        Self { jobs: [Job(LaneTask::Wait, 0); 32], len: 0 }
    }

    const fn push(&mut self, task: LaneTask, blocks: usize) -> &mut Self {
        self.jobs[self.len] = Job(task, blocks);
        self.len += 1;
        self
    }

    /// Appends entries `from..to` of the matrix, row by row.
    #[cfg_attr(
        not(test),
        expect(clippy::integer_division_remainder_used, reason = "at compile time")
    )]
    const fn entries(&mut self, k: usize, from: usize, to: usize) -> &mut Self {
        each!(i in from..to => self.push(LaneTask::Entry { row: i / k, column: i % k }, 3));
        self
    }

    /// Appends the noise of the PRF counters `from..to`.
    const fn noise(&mut self, from: usize, to: usize, blocks: usize) -> &mut Self {
        each!(n in from..to => self.push(LaneTask::Noise(n), blocks));
        self
    }

    /// Appends y, e1 and e2 of K-PKE.Encrypt.
    const fn encryption_noise(&mut self, p: &MlKemParams) -> &mut Self {
        self.noise(0, p.k, noise_blocks(p.eta1));
        self.noise(p.k, 2 * p.k + 1, noise_blocks(p.eta2))
    }

    const fn as_slice(&self) -> &[Job<LaneTask>] {
        self.jobs.split_at(self.len).0
    }
}

impl Plan {
    const fn new(first: &JobList, shared: &JobList) -> Self {
        let schedule = Schedule::<LaneTask, 4, MAX_STEPS>::new(first.as_slice(), shared.as_slice());
        let cells = schedule.steps();
        let empty = PlanStep::new([None; 4]);
        let mut plan = Self { steps: [empty; MAX_STEPS], len: 0 };
        each!(i in 0..cells.len() => {
            let step = PlanStep::new(cells[i]);
            // The rest of a hash alone is not worth permuting four lanes.
            if step.active & (step.active - 1) == 0 && !step.squeeze {
                break;
            }
            plan.steps[i] = step;
            plan.len += 1;
        });
        plan
    }

    pub(super) const fn steps(&self) -> &[PlanStep] {
        self.steps.split_at(self.len).0
    }
}

impl PlanStep {
    const fn new(cells: schedule::Step<LaneTask, 4>) -> Self {
        let none = Start { mask: [0; 4], word: [0; 4] };
        let (mut entries, mut noise) = (none, none);
        let (mut active, mut squeeze, mut key, mut any) = (0, false, false, (false, false));
        each!(lane in 0..4 => {
            if let Some(cell) = cells[lane] {
                active |= 1 << lane;
                // Word 4 of the message holds the bytes after the 32-byte seed, and the suffix.
                match cell.job {
                    LaneTask::Entry { row, column } => {
                        squeeze = true;
                        if cell.block == 0 {
                            any.0 = true;
                            entries.mask[lane] = u64::MAX;
                            entries.word[lane] =
                                (column | row << 8 | (SUFFIX_SHAKE as usize) << 16) as u64;
                        }
                    }
                    LaneTask::Noise(n) | LaneTask::Secret(n) => {
                        squeeze = true;
                        if cell.block == 0 {
                            any.1 = true;
                            noise.mask[lane] = u64::MAX;
                            noise.word[lane] = (n | (SUFFIX_SHAKE as usize) << 8) as u64;
                        }
                    }
                    LaneTask::Wait => active &= !(1 << lane),
                    LaneTask::Key => key = true,
                    LaneTask::Message | LaneTask::Ciphertext => {}
                }
            }
        });
        Self {
            cells,
            entries: if any.0 { Some(entries) } else { None },
            noise: if any.1 { Some(noise) } else { None },
            active,
            squeeze,
            key,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(k: usize, steps: [usize; 6]) {
        let RankPlans {
            keygen,
            expand,
            noise,
            decapsulate,
            decapsulate_and_hash,
            decapsulate_expanded,
            ..
        } = RankPlans::of_rank(k);
        let plans =
            [keygen, expand, noise, decapsulate, decapsulate_and_hash, decapsulate_expanded];
        assert_eq!(plans.map(|plan| plan.len), steps, "k = {k}");
        // Noise needs the seed that `Message` computes.
        for plan in &plans[3..] {
            let at = |wanted: fn(&LaneTask) -> bool| {
                let has =
                    |step: &PlanStep| step.cells.iter().flatten().any(|cell| wanted(&cell.job));
                plan.steps().iter().position(has).unwrap()
            };
            let message = at(|task| matches!(task, LaneTask::Message));
            assert!(at(|task| matches!(task, LaneTask::Noise(_))) > message, "k = {k}");
        }
    }

    /// Noise takes 64 eta bytes, of which a permutation yields 136.
    #[test]
    fn permutations_of_noise() {
        for eta in [2, 3] {
            assert_eq!(noise_blocks(eta), (64 * eta).div_ceil(136));
        }
    }

    /// Plans that are computed at run time equal those of the static table.
    #[test]
    fn plans_made_again() {
        for k in 2..=4 {
            let kept = plans(&MlKemParams::of_rank(k));
            assert_eq!(std::format!("{:?}", RankPlans::of_rank(k)), std::format!("{kept:?}"));
        }
    }

    /// Counts steps of four lanes. The permutations in total, single ones included, are 27, 43 and
    /// 69 for key generation, and 26, 44 and 70 for encapsulation and decapsulation.
    #[test]
    fn as_few_steps_as_there_is_work() {
        check(2, [6, 6, 2, 7, 8, 4]);
        check(3, [10, 9, 2, 11, 14, 4]);
        check(4, [17, 15, 3, 18, 21, 4]);
    }
}
