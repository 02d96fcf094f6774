//! Which sponge runs in which of four Keccak lanes: the schedules of every operation.
//!
//! Nearly all the time of ML-KEM is Keccak, and the lanes of one permutation may hold different
//! sponges. So the hash of a key runs beside the expansion of the matrix, and costs nothing; no lane
//! stays idle while there is work. `k` is the rank of the module: 2, 3 or 4.
use oaklath_hash::keccak::SUFFIX_SHAKE;
use oaklath_hash::lanes::Start;
use oaklath_hash::schedule::{self, Job, Schedule};

use super::params::Params;

/// What a lane computes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Task {
    /// `A_hat[row][column]`: three blocks of SHAKE128, rarely more.
    Entry { row: usize, column: usize },
    /// Noise polynomial of PRF counter n: one block of SHAKE256, or two for eta = 3.
    Noise(usize),
    /// The same, times 2^16: a secret that is multiplied and encoded from Montgomery form.
    Secret(usize),
    /// G(m || H(ek)): the shared secret and the seed of the noise.
    Message,
    /// H(ek).
    Key,
    /// J(z || c), in Kyber H(c): what makes an invalid ciphertext's secret.
    Ciphertext,
    /// Nothing.
    Wait,
}

/// One permutation of four lanes, as a table: what starts, what each lane does.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) cells: schedule::Step<Task, 4>,
    /// Lanes in which a matrix entry starts.
    pub(super) entries: Option<Start<4>>,
    /// Lanes in which a noise polynomial starts.
    pub(super) noise: Option<Start<4>>,
    /// The lanes in use, one bit each.
    pub(super) active: u32,
    /// Whether some lane's output is bytes.
    pub(super) squeeze: bool,
    /// Whether a lane absorbs a block of the encapsulation key.
    pub(super) key: bool,
}

/// At most so many steps: decapsulation with the hash check at k = 4.
const MAX_STEPS: usize = 21;

/// The steps of one operation. Blocks of hashes that would run alone are left to single
/// permutations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    steps: [Step; MAX_STEPS],
    len: usize,
}

/// A list of jobs under construction.
struct Jobs {
    jobs: [Job<Task>; 32],
    len: usize,
}

/// The plans of rank `K`.
pub(super) struct Plans<const K: usize>;

impl<const K: usize> Plans<K> {
    const P: Params = Params::of_rank(K);
    /// Permutations of H(ek), of J(z || c) and of H(c): 6, 9, 12.
    pub(super) const HASH: usize = 3 * K;

    /// Lane 0: noise first, then H(ek), two or more steps behind the rows of the matrix that it
    /// reads. The other lanes: noise and matrix.
    pub(super) const KEYGEN: Plan = {
        let blocks = Self::P.noise_blocks(Self::P.eta1);
        let (mut first, mut shared) = (Jobs::new(), Jobs::new());
        // How much of H(ek) fits beside the matrix, and when its first row is ready.
        match K {
            2 => {
                // step    0   1   2   3   4   5
                // lane 0  s0  .   e0  .   H   H
                // lane 1  s1  .   e1  .
                // lane 2  A   .   .   A   .   .
                // lane 3  A   .   .   A   .   .
                first.push(Task::Secret(0), blocks).push(Task::Noise(2), blocks).push(Task::Key, 2);
                shared.push(Task::Secret(1), blocks).entries(K, 0, 2);
                shared.push(Task::Noise(3), blocks).entries(K, 2, 4);
            }
            3 => {
                // step    0   1   2   3   4   5   6   7   8   9
                // lane 0  s0  e1  e2  H   H   H   H   H   H   H
                // lane 1  s1  A   .   .   A   .   .   A   .   .
                // lane 2  s2  A   .   .   A   .   .   A   .   .
                // lane 3  e0  A   .   .   A   .   .   A   .   .
                first.push(Task::Secret(0), 1).noise(4, 6, 1).push(Task::Key, 7);
                shared.push(Task::Secret(1), 1).push(Task::Secret(2), 1).noise(3, 4, 1);
                shared.entries(K, 0, 9);
            }
            _ => {
                // The same, with the last entry of the first row in lane 0.
                first.push(Task::Secret(0), 1).noise(4, 5, 1);
                first.push(Task::Entry { row: 0, column: 3 }, 3).push(Task::Wait, 2);
                first.push(Task::Key, 10);
                shared.push(Task::Secret(1), 1).push(Task::Secret(2), 1);
                shared.push(Task::Secret(3), 1).noise(5, 8, 1);
                shared.entries(K, 0, 3).entries(K, 4, 16);
            }
        }
        Plan::new::<K>(&first, &shared)
    };

    /// The step of [`KEYGEN`](Self::KEYGEN) after which all noise is there.
    pub(super) const KEYGEN_NOISE: usize = match K {
        2 => 3,
        3 => 2,
        _ => 1,
    };

    /// H(ek) beside the matrix: the first half of an encapsulation.
    pub(super) const EXPAND: Plan = {
        let mut jobs = Jobs::new();
        jobs.push(Task::Key, Self::HASH).entries(K, 0, K * K);
        Plan::new::<K>(&Jobs::new(), &jobs)
    };

    /// The noise: the second half of an encapsulation.
    pub(super) const NOISE: Plan = {
        let mut jobs = Jobs::new();
        jobs.encryption_noise(&Self::P);
        Plan::new::<K>(&Jobs::new(), &jobs)
    };

    /// Everything after decryption, with a key whose hash was checked.
    pub(super) const DECAPSULATE: Plan = {
        let mut jobs = Jobs::new();
        jobs.push(Task::Ciphertext, Self::HASH).push(Task::Message, 1);
        jobs.entries(K, 0, K * K).encryption_noise(&Self::P);
        Plan::new::<K>(&Jobs::new(), &jobs)
    };

    /// The same with the check of H(ek) in a lane.
    pub(super) const DECAPSULATE_CHECKED: Plan = {
        let mut jobs = Jobs::new();
        jobs.push(Task::Ciphertext, Self::HASH).push(Task::Key, Self::HASH);
        jobs.push(Task::Message, 1).entries(K, 0, K * K).encryption_noise(&Self::P);
        Plan::new::<K>(&Jobs::new(), &jobs)
    };

    /// The same with the matrix at hand.
    pub(super) const DECAPSULATE_EXPANDED: Plan = {
        let mut jobs = Jobs::new();
        jobs.push(Task::Ciphertext, Self::HASH).push(Task::Message, 1);
        // The noise needs what `Message` gives.
        jobs.push(Task::Wait, 1).push(Task::Wait, 1).encryption_noise(&Self::P);
        Plan::new::<K>(&Jobs::new(), &jobs)
    };
}

impl Jobs {
    const fn new() -> Self {
        Self { jobs: [Job(Task::Wait, 0); 32], len: 0 }
    }

    const fn push(&mut self, task: Task, blocks: usize) -> &mut Self {
        self.jobs[self.len] = Job(task, blocks);
        self.len += 1;
        self
    }

    /// Entries `from..to` of the matrix, row by row.
    #[cfg_attr(
        not(test),
        expect(clippy::integer_division_remainder_used, reason = "at compile time")
    )]
    const fn entries(&mut self, k: usize, from: usize, to: usize) -> &mut Self {
        let mut i = from;
        while i < to {
            self.push(Task::Entry { row: i / k, column: i % k }, 3);
            i += 1;
        }
        self
    }

    /// Noise of the PRF counters `from..to`.
    const fn noise(&mut self, from: usize, to: usize, blocks: usize) -> &mut Self {
        let mut n = from;
        while n < to {
            self.push(Task::Noise(n), blocks);
            n += 1;
        }
        self
    }

    /// y, e1 and e2 of K-PKE.Encrypt.
    const fn encryption_noise(&mut self, p: &Params) -> &mut Self {
        self.noise(0, p.k, p.noise_blocks(p.eta1));
        self.noise(p.k, 2 * p.k + 1, p.noise_blocks(p.eta2))
    }

    const fn as_slice(&self) -> &[Job<Task>] {
        self.jobs.split_at(self.len).0
    }
}

impl Plan {
    const fn new<const K: usize>(first: &Jobs, shared: &Jobs) -> Self {
        let schedule = Schedule::<Task, 4, MAX_STEPS>::new(first.as_slice(), shared.as_slice());
        let cells = schedule.steps();
        let empty = Step::new([None; 4]);
        let mut plan = Self { steps: [empty; MAX_STEPS], len: 0 };
        let mut i = 0;
        while i < cells.len() {
            let step = Step::new(cells[i]);
            // What is left of a hash in one lane is not worth four.
            if step.active & (step.active - 1) == 0 && !step.squeeze {
                break;
            }
            plan.steps[i] = step;
            plan.len += 1;
            i += 1;
        }
        plan
    }

    pub(super) const fn steps(&self) -> &[Step] {
        self.steps.split_at(self.len).0
    }
}

impl Step {
    const fn new(cells: schedule::Step<Task, 4>) -> Self {
        let none = Start { mask: [0; 4], word: [0; 4] };
        let (mut entries, mut noise) = (none, none);
        let (mut active, mut squeeze, mut key, mut any) = (0, false, false, (false, false));
        let mut lane = 0;
        while lane < 4 {
            if let Some(cell) = cells[lane] {
                active |= 1 << lane;
                // Word 4 of the message: what follows the seed of 32 bytes, and the suffix.
                match cell.job {
                    Task::Entry { row, column } => {
                        squeeze = true;
                        if cell.block == 0 {
                            any.0 = true;
                            entries.mask[lane] = u64::MAX;
                            entries.word[lane] =
                                (column | row << 8 | (SUFFIX_SHAKE as usize) << 16) as u64;
                        }
                    }
                    Task::Noise(n) | Task::Secret(n) => {
                        squeeze = true;
                        if cell.block == 0 {
                            any.1 = true;
                            noise.mask[lane] = u64::MAX;
                            noise.word[lane] = (n | (SUFFIX_SHAKE as usize) << 8) as u64;
                        }
                    }
                    Task::Wait => active &= !(1 << lane),
                    Task::Key => key = true,
                    Task::Message | Task::Ciphertext => {}
                }
            }
            lane += 1;
        }
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

    fn check<const K: usize>(steps: [usize; 6]) {
        let plans = [
            Plans::<K>::KEYGEN,
            Plans::<K>::EXPAND,
            Plans::<K>::NOISE,
            Plans::<K>::DECAPSULATE,
            Plans::<K>::DECAPSULATE_CHECKED,
            Plans::<K>::DECAPSULATE_EXPANDED,
        ];
        assert_eq!(plans.map(|plan| plan.len), steps, "k = {K}");
        // Noise needs the seed that `Message` gives.
        for plan in &plans[3..] {
            let at = |wanted: fn(&Task) -> bool| {
                let has = |step: &Step| step.cells.iter().flatten().any(|cell| wanted(&cell.job));
                plan.steps().iter().position(has).unwrap()
            };
            let message = at(|task| matches!(task, Task::Message));
            assert!(at(|task| matches!(task, Task::Noise(_))) > message, "k = {K}");
        }
    }

    /// Plans are the same when they are made at run time.
    #[test]
    fn plans_made_again() {
        fn check<const K: usize>() {
            let (p, hash) = (Params::of_rank(K), Plans::<K>::HASH);
            let (none, mut expand, mut noise) = (Jobs::new(), Jobs::new(), Jobs::new());
            expand.push(Task::Key, hash).entries(K, 0, K * K);
            noise.encryption_noise(&p);
            let mut checked = Jobs::new();
            checked.push(Task::Ciphertext, hash).push(Task::Key, hash).push(Task::Message, 1);
            checked.entries(K, 0, K * K).encryption_noise(&p);
            for (jobs, plan) in [
                (expand, Plans::<K>::EXPAND),
                (noise, Plans::<K>::NOISE),
                (checked, Plans::<K>::DECAPSULATE_CHECKED),
            ] {
                let again = Plan::new::<K>(&none, &jobs);
                assert_eq!(std::format!("{:?}", again.steps()), std::format!("{:?}", plan.steps()));
            }
        }
        check::<2>();
        check::<3>();
        check::<4>();
    }

    /// Rows of four lanes: total permutations are 26, 43, 69 for key generation and 26, 44, 70 for
    /// the others, single ones included.
    #[test]
    fn as_few_steps_as_there_is_work() {
        check::<2>([6, 6, 2, 7, 8, 4]);
        check::<3>([10, 9, 2, 11, 14, 4]);
        check::<4>([17, 15, 3, 18, 21, 4]);
    }
}
