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

/// Returns numbers of at most this size, which the theorem about a kernel takes for granted:
/// `stated` is how its claim says so.
///
/// # Panics
/// If the claim does not say so.
#[must_use]
pub fn given(theorems: &[Theorem], kernel: &str, stated: &str, most: i64) -> RangeInclusive<i64> {
    let mut all = theorems.iter().filter(|theorem| theorem.kernels.contains(&kernel));
    let claim = all.next().expect("a theorem").claim;
    let mut ends = claim.split(stated).skip(1);
    let is_stated = ends.any(|end| !end.starts_with(|next: char| next.is_ascii_digit()));
    assert!(is_stated, "{kernel}: the theorem does not say {stated}: {claim}");
    -most..=most
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
            let count = self.0[counts.len().min(self.0.len() - 1)];
            counts.push(count.min(256 - n));
            n += count;
        }
        counts
    }
}
