//! Leases: indices that are recorded as used up before they are used.

use std::num::NonZeroU64;

use oaklath_stateful::{Index, index_of_lease};

/// A range of indices that a store has durably recorded as used up, for one holder to hand out,
/// each once. Indices that are left when the lease is dropped are lost, which is safe.
///
/// A lease is neither `Clone` nor `Copy`:
///
/// ```compile_fail,E0599
/// # fn twice(lease: oaklath_stores::Lease) {
/// let copy = lease.clone();
/// # }
/// ```
#[derive(Debug)]
pub struct Lease {
    next: u64,
    end: u64,
    generation: u64,
}

impl Lease {
    /// Returns a lease. Only a store may call this, once for each range, after it has durably
    /// recorded that the indices from `start` up to, but not including, `end` are used up.
    #[cfg(feature = "hazmat")]
    #[must_use]
    pub fn from_durable_record(start: u64, end: u64, generation: u64) -> Self {
        Self::of_record(start, end, generation)
    }

    /// Returns the lease of a range that is durably recorded as used up.
    pub(crate) fn of_record(start: u64, end: u64, generation: u64) -> Self {
        Self { next: start, end, generation }
    }

    /// Returns the next index, or `None` if none is left.
    #[must_use]
    pub fn peek(&self) -> Option<u64> {
        (self.next < self.end).then_some(self.next)
    }

    /// Returns the number of indices that are left.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.end - self.next
    }

    /// Returns the number of the record that covers the range.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }
}

impl Iterator for Lease {
    type Item = Index;

    fn next(&mut self) -> Option<Index> {
        let value = self.peek()?;
        self.next += 1;
        Some(index_of_lease(value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (usize::try_from(self.left()).unwrap_or(usize::MAX), usize::try_from(self.left()).ok())
    }
}

/// Returns the least of `want`, `largest` and the number of indices left, or `None` if none is.
pub(crate) fn grant(next: u64, end: u64, want: NonZeroU64, largest: u64) -> Option<u64> {
    let count = want.get().min(largest).min(end.checked_sub(next)?);
    (count > 0).then_some(count)
}
