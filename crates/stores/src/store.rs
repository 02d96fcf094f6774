//! What a signer needs of a store.

use std::fmt;
use std::num::NonZeroU64;
use std::path::PathBuf;

use crate::children::Child;
use crate::error::StoreError;
use crate::key_id::KeyId;
use crate::lease::Lease;

/// A memory of which indices of one key are used up.
///
/// Whatever happens, an index is given once: to one process, on one machine. After any error but
/// [`StoreError::Busy`] and [`StoreError::Exhausted`] a store gives nothing more; opening it anew
/// finds out what is durable.
pub trait Store: fmt::Debug + Send {
    /// Records that up to `want` indices are used up, and gives them. The record is durable when
    /// this returns. A lease may be shorter than wanted, or longer where whole trees are given, and
    /// is never empty.
    ///
    /// # Errors
    /// [`StoreError::Exhausted`] at the end; otherwise why nothing can be given.
    fn reserve(&mut self, want: NonZeroU64) -> Result<Lease, StoreError>;

    /// What this store can still give.
    ///
    /// # Errors
    /// As [`status`](Self::status).
    fn remaining(&mut self) -> Result<Remaining, StoreError> {
        let status = self.status()?;
        Ok(Remaining { indices: status.end - status.next, is_shared: status.is_shared })
    }

    /// The state as this store knows it.
    ///
    /// # Errors
    /// [`StoreError::Poisoned`], [`StoreError::Forked`], and what a database answers.
    fn status(&mut self) -> Result<Status, StoreError>;

    /// Gives up every index up to and including `past`, for ever. A store that is beyond it already
    /// stays as it is.
    ///
    /// # Errors
    /// [`StoreError::OutOfRange`] if the key has no such index.
    fn advance(&mut self, past: u64) -> Result<(), StoreError>;

    /// Compares the public keys that upper levels sign with those that they signed before, and
    /// keeps them durably where they are new.
    ///
    /// # Errors
    /// [`StoreError::ChildChanged`] if a one-time key of an upper level would sign a second
    /// message.
    fn witness(&mut self, children: &[Child]) -> Result<(), StoreError>;
}

impl Store for Box<dyn Store> {
    fn reserve(&mut self, want: NonZeroU64) -> Result<Lease, StoreError> {
        (**self).reserve(want)
    }

    fn remaining(&mut self) -> Result<Remaining, StoreError> {
        (**self).remaining()
    }

    fn status(&mut self) -> Result<Status, StoreError> {
        (**self).status()
    }

    fn advance(&mut self, past: u64) -> Result<(), StoreError> {
        (**self).advance(past)
    }

    fn witness(&mut self, children: &[Child]) -> Result<(), StoreError> {
        (**self).witness(children)
    }
}

/// How many indices a store can still give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remaining {
    /// Indices that nobody has leased.
    pub indices: u64,
    /// Whether others lease from the same key, so that the number falls by itself, and more indices
    /// may wait unused in leases of theirs.
    pub is_shared: bool,
}

/// The state of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The key whose indices these are.
    pub key: KeyId,
    /// The instance of the store, drawn when it was created.
    pub instance: [u8; 16],
    /// Number of the newest record.
    pub generation: u64,
    /// The first index that is not used up.
    pub next: u64,
    /// The first index behind the range of this store.
    pub end: u64,
    /// The longest lease.
    pub largest: u64,
    /// Whether a second memory guards against old copies of the state.
    pub is_anchored: bool,
    /// The file of this memory, where the state remembers one.
    pub anchor: Option<PathBuf>,
    /// Whether several machines lease from it.
    pub is_shared: bool,
}
