//! Which process a handle belongs to.

use std::process;

use crate::error::StoreError;

/// The process that opened a handle. A child by `fork` has a copy of the handle and of its lock,
/// and would sign with the same indices.
#[derive(Debug)]
pub(crate) struct Owner(u32);

impl Owner {
    pub(crate) fn this_process() -> Self {
        Self(process::id())
    }

    pub(crate) fn check(&self) -> Result<(), StoreError> {
        if process::id() == self.0 { Ok(()) } else { Err(StoreError::Forked { owner: self.0 }) }
    }

    #[cfg(test)]
    pub(crate) fn another_process() -> Self {
        Self(process::id().wrapping_add(1))
    }
}
