//! Schedules of sponges: which one runs in which lane at which step, determined at compile time.
//!
//! An algorithm lists its jobs, the most urgent first, each with the number of permutations it
//! takes. In every step, each free lane takes the next job of the list and keeps it to its end.
//!
//! ```
//! use oaklath_hash::schedule::{Job, Schedule};
//!
//! // A hash of three blocks beside five short jobs.
//! const JOBS: [Job<char>; 6] =
//!     [Job('h', 3), Job('a', 1), Job('b', 2), Job('c', 1), Job('d', 2), Job('e', 1)];
//! const SCHEDULE: Schedule<char, 4, 8> = Schedule::new(&[], &JOBS);
//!
//! let row = |step: usize| SCHEDULE.steps()[step].map(|cell| cell.map_or('.', |cell| cell.job));
//! assert_eq!(SCHEDULE.steps().len(), 3);
//! assert_eq!(row(0), ['h', 'a', 'b', 'c']);
//! assert_eq!(row(1), ['h', 'd', 'b', 'e']);
//! assert_eq!(row(2), ['h', 'd', '.', '.']);
//! ```
use oaklath_simd::each;

/// A job, and the number of permutations it takes.
#[derive(Clone, Copy, Debug)]
pub struct Job<J>(pub J, pub usize);

/// What a lane does in a step: permutation `block` (from 0) of a job.
#[derive(Clone, Copy, Debug)]
pub struct Cell<J> {
    /// The job.
    pub job: J,
    /// The index of its permutation.
    pub block: usize,
    /// Whether this permutation is the job's last.
    pub last: bool,
}

/// What the lanes do in one step.
pub type Step<J, const LANES: usize> = [Option<Cell<J>>; LANES];

/// A schedule of at most `MAX` steps.
#[derive(Clone, Copy, Debug)]
pub struct Schedule<J, const LANES: usize, const MAX: usize> {
    steps: [Step<J, LANES>; MAX],
    len: usize,
}

impl<J: Copy, const LANES: usize, const MAX: usize> Schedule<J, LANES, MAX> {
    /// Makes a schedule. If `first` has jobs, lane 0 takes only these; all other lanes, and lane 0
    /// if `first` is empty, take those of `shared`.
    ///
    /// # Panics
    /// If there are more than `MAX` steps. For a constant schedule, this is a compile-time error.
    #[must_use]
    pub const fn new(first: &[Job<J>], shared: &[Job<J>]) -> Self {
        let mut schedule = Self { steps: [[None; LANES]; MAX], len: 0 };
        // The step at which each lane is free again.
        let mut free = [0; LANES];
        let (mut next_first, mut next, mut step) = (0, 0, 0);
        while next < shared.len() || next_first < first.len() {
            each!(lane in 0..LANES => {
                if free[lane] <= step {
                    let list = if lane == 0 && !first.is_empty() {
                        (first, &mut next_first)
                    } else {
                        (shared, &mut next)
                    };
                    if *list.1 < list.0.len() {
                        free[lane] = schedule.place(list.0[*list.1], lane, step);
                        *list.1 += 1;
                    }
                }
            });
            step += 1;
        }
        schedule
    }

    /// Writes a job into a lane from a step on. Returns the step after the job.
    const fn place(&mut self, Job(job, blocks): Job<J>, lane: usize, step: usize) -> usize {
        let mut block = 0;
        while block < blocks {
            self.steps[step + block][lane] = Some(Cell { job, block, last: block + 1 == blocks });
            block += 1;
        }
        if step + blocks > self.len {
            self.len = step + blocks;
        }
        step + blocks
    }

    /// Returns the steps.
    #[must_use]
    pub const fn steps(&self) -> &[Step<J, LANES>] {
        self.steps.split_at(self.len).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lane_zero_keeps_to_its_own() {
        const FIRST: [Job<char>; 2] = [Job('x', 1), Job('y', 3)];
        const SHARED: [Job<char>; 3] = [Job('a', 2), Job('b', 1), Job('c', 1)];
        const SCHEDULE: Schedule<char, 4, 9> = Schedule::new(&FIRST, &SHARED);
        let row = |step: usize| SCHEDULE.steps()[step].map(|cell| cell.map_or('.', |c| c.job));
        assert_eq!(SCHEDULE.steps().len(), 4);
        assert_eq!(row(0), ['x', 'a', 'b', 'c']);
        assert_eq!(row(1), ['y', 'a', '.', '.']);
        let y = SCHEDULE.steps()[3][0].unwrap();
        assert_eq!((y.job, y.block, y.last), ('y', 2, true));
        // The result is the same at run time. With one list, each lane takes the next job.
        let now = Schedule::<char, 4, 9>::new(&FIRST, &SHARED);
        assert_eq!(std::format!("{now:?}"), std::format!("{SCHEDULE:?}"));
        let one = Schedule::<char, 2, 4>::new(&[], &SHARED);
        let rows: std::vec::Vec<_> =
            one.steps().iter().map(|row| row.map(|cell| cell.map(|c| (c.job, c.last)))).collect();
        let (a, b, c) = (Some(('a', true)), Some(('b', true)), Some(('c', true)));
        assert_eq!(rows, [[Some(('a', false)), b], [a, c]]);
    }
}
