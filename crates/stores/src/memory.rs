//! A store that is not durable: for tests and for keys that live no longer than the process.

use std::num::NonZeroU64;
use std::ops::Range;

use crate::children::{Child, merged};
use crate::error::StoreError;
use crate::key_id::KeyId;
use crate::lease::Lease;
use crate::lease::grant;
use crate::owner::Owner;
use crate::store::{Status, Store};

/// A store in memory. **Nothing is durable**: use it only with keys that are generated in this
/// process and discarded with it, as in tests.
///
/// ```
/// use std::num::NonZeroU64;
/// use oaklath_stores::{KeyId, MemoryStore, Store, StoreError};
///
/// let mut store = MemoryStore::new(KeyId::of(b"a public key"), 0..2);
/// assert_eq!(store.reserve(NonZeroU64::MAX)?.count(), 2);
/// assert!(matches!(store.reserve(NonZeroU64::MIN), Err(StoreError::Exhausted)));
/// # Ok::<(), StoreError>(())
/// ```
#[derive(Debug)]
pub struct MemoryStore {
    status: Status,
    children: Vec<Child>,
    owner: Owner,
}

impl MemoryStore {
    /// Returns a store that issues the indices of this range.
    #[must_use]
    pub fn new(key: KeyId, indices: Range<u64>) -> Self {
        let status = Status {
            key,
            instance: [0; 16],
            generation: 0,
            next: indices.start,
            end: indices.end.max(indices.start),
            largest: u64::MAX,
            is_anchored: false,
            anchor: None,
            is_shared: false,
        };
        Self { status, children: Vec::new(), owner: Owner::this_process() }
    }
}

impl Store for MemoryStore {
    fn reserve(&mut self, want: NonZeroU64) -> Result<Lease, StoreError> {
        self.owner.check()?;
        let Status { next, end, largest, .. } = self.status;
        let count = grant(next, end, want, largest).ok_or(StoreError::Exhausted)?;
        self.status.next += count;
        self.status.generation += 1;
        Ok(Lease::of_record(next, next + count, self.status.generation))
    }

    fn status(&mut self) -> Result<Status, StoreError> {
        self.owner.check()?;
        Ok(self.status.clone())
    }

    fn advance(&mut self, past: u64) -> Result<(), StoreError> {
        self.owner.check()?;
        let end = self.status.end;
        if past >= end {
            return Err(StoreError::OutOfRange { end, found: past });
        }
        self.status.next = self.status.next.max(past + 1);
        Ok(())
    }

    fn witness(&mut self, children: &[Child]) -> Result<(), StoreError> {
        self.owner.check()?;
        if let Some(children) = merged(&self.children, children)? {
            self.children = children;
        }
        Ok(())
    }
}
