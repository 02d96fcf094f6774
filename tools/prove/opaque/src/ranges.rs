//! The ranges of kernels, as their theorems have them, and how many numbers samplers keep.
use core::ops::RangeInclusive;

use oaklath_prove_engine::Theorem;

/// Returns the range of the results of a kernel, as its theorem proves them.
///
/// # Panics
/// If there is no such theorem.
#[must_use]
pub fn results(theorems: &[Theorem], kernel: &str) -> RangeInclusive<i64> {
    let mut all = theorems.iter().flat_map(|theorem| theorem.results);
    let (_, most) = all.find(|(name, _)| *name == kernel).expect("a theorem about results");
    -most..=*most
}

/// Returns the numbers modulo q that the theorem about a kernel takes for granted of an argument.
///
/// # Panics
/// If there is no such theorem, or if its claim states no range of the argument.
#[must_use]
pub fn given(theorems: &[Theorem], kernel: &str, argument: &str, q: i64) -> RangeInclusive<i64> {
    let mut all = theorems.iter().filter(|theorem| theorem.kernels.contains(&kernel));
    let (least, most) = all.next().expect("a theorem").given(argument, q);
    least..=most
}

/// How many numbers are kept of the first, second, ... block of an XOF; of further ones as of the
/// last.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Kept(pub &'static [usize]);

impl Kept {
    /// Returns how many are kept of the next block of an XOF, of whose blocks `n` were taken.
    #[must_use]
    pub fn after(self, n: usize) -> usize {
        let mut taken = 0;
        for count in self.0 {
            if taken == n {
                return *count;
            }
            taken += count;
        }
        self.0[self.0.len() - 1]
    }

    /// Returns how many are taken of each block until there are 256.
    #[must_use]
    pub fn of_blocks(self) -> Vec<usize> {
        let (mut counts, mut n) = (Vec::new(), 0);
        while n < 256 {
            counts.push(self.after(n).min(256 - n));
            n += counts[counts.len() - 1];
        }
        counts
    }
}
