//! Which sponge runs in which lane at which step, worked out at compile time.
//!
//! An algorithm lists its jobs: the most urgent first, each with the number of permutations it
//! takes. At every step a free lane takes the next job of the list and keeps it to its end.
//!
//! ```
//! use oaklath_hash::schedule::{Cell, Job, lanes, steps};
//!
//! // A hash of three blocks beside five short jobs.
//! const JOBS: [Job<char>; 6] =
//!     [Job('h', 3), Job('a', 1), Job('b', 2), Job('c', 1), Job('d', 2), Job('e', 1)];
//! const STEPS: usize = steps(&[], &JOBS, 4);
//! const LANES: [[Option<Cell<char>>; 4]; STEPS] = lanes(&[], &JOBS);
//!
//! let row = |step: usize| LANES[step].map(|cell| cell.map_or('.', |cell| cell.job));
//! assert_eq!([row(0), row(1), row(2)], [['h', 'a', 'b', 'c'], ['h', 'd', 'b', 'e'], ['h', 'd', '.', '.']]);
//! ```

/// A job, and how many permutations it takes.
#[derive(Clone, Copy, Debug)]
pub struct Job<J>(pub J, pub usize);

/// What a lane does in a step: permutation `block` (from 0) of a job.
#[derive(Clone, Copy, Debug)]
pub struct Cell<J> {
    /// Whose permutation.
    pub job: J,
    /// Which permutation of it.
    pub block: usize,
    /// Whether it is the job's last.
    pub last: bool,
}

/// The schedule. Lane 0 takes the jobs of `first` only, if there are any; all other lanes, and
/// lane 0 if there are none, those of `shared`.
///
/// # Panics
/// If `STEPS` is not [`steps`] of the same jobs: at compile time.
#[must_use]
pub const fn lanes<J: Copy, const N: usize, const STEPS: usize>(
    first: &[Job<J>],
    shared: &[Job<J>],
) -> [[Option<Cell<J>>; N]; STEPS] {
    let mut cells = [[None; N]; STEPS];
    assert!(fill(first, shared, &mut cells) == STEPS, "as many steps as the jobs take");
    cells
}

/// How many steps [`lanes`] takes in `lanes` lanes.
#[must_use]
pub const fn steps<J: Copy>(first: &[Job<J>], shared: &[Job<J>], lanes: usize) -> usize {
    let mut none: [[Option<Cell<J>>; 8]; 0] = [];
    fill_lanes(first, shared, &mut none, lanes)
}

const fn fill<J: Copy, const N: usize>(
    first: &[Job<J>],
    shared: &[Job<J>],
    cells: &mut [[Option<Cell<J>>; N]],
) -> usize {
    fill_lanes(first, shared, cells, N)
}

/// Writes what fits into `cells` and returns the number of steps.
const fn fill_lanes<J: Copy, const N: usize>(
    first: &[Job<J>],
    shared: &[Job<J>],
    cells: &mut [[Option<Cell<J>>; N]],
    lanes: usize,
) -> usize {
    // Of each lane, the step at which it is free again.
    let mut free = [0; 8];
    let (mut next_first, mut next, mut end, mut step) = (0, 0, 0, 0);
    while next < shared.len() || next_first < first.len() {
        let mut lane = 0;
        while lane < lanes {
            let own = lane == 0 && !first.is_empty();
            let job = if own && next_first < first.len() {
                Some(first[next_first])
            } else if !own && next < shared.len() {
                Some(shared[next])
            } else {
                None
            };
            if let Some(Job(job, blocks)) = job
                && free[lane] <= step
            {
                let mut block = 0;
                while block < blocks {
                    if step + block < cells.len() && lane < N {
                        let last = block + 1 == blocks;
                        cells[step + block][lane] = Some(Cell { job, block, last });
                    }
                    block += 1;
                }
                free[lane] = step + blocks;
                if free[lane] > end {
                    end = free[lane];
                }
                if own {
                    next_first += 1;
                } else {
                    next += 1;
                }
            }
            lane += 1;
        }
        step += 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lane_zero_keeps_to_its_own() {
        const FIRST: [Job<char>; 2] = [Job('x', 1), Job('y', 3)];
        const SHARED: [Job<char>; 3] = [Job('a', 2), Job('b', 1), Job('c', 1)];
        const STEPS: usize = steps(&FIRST, &SHARED, 4);
        const LANES: [[Option<Cell<char>>; 4]; STEPS] = lanes(&FIRST, &SHARED);
        assert_eq!(STEPS, 4);
        let row =
            |step: usize| LANES[step].map(|cell: Option<Cell<char>>| cell.map_or('.', |c| c.job));
        assert_eq!(row(0), ['x', 'a', 'b', 'c']);
        assert_eq!(row(1), ['y', 'a', '.', '.']);
        let y = LANES[3][0].unwrap();
        assert_eq!((y.job, y.block, y.last), ('y', 2, true));
    }
}
