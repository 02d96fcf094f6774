//! The interface between a signer and its store.

use std::fmt;
use std::num::NonZeroU64;
use std::path::PathBuf;

use crate::children::Child;
use crate::error::StoreError;
use crate::key_id::KeyId;
use crate::lease::Lease;

/// A record of which indices of one key are used up.
///
/// Whatever happens, each index is issued once, to one process on one machine. After any error but
/// [`StoreError::Busy`] and [`StoreError::Exhausted`] a store issues nothing more; opening it again
/// finds out what is durable.
pub trait Store: fmt::Debug + Send {
    /// Records that up to `want` indices are used up, and returns them. The record is durable on
    /// return. A lease may be shorter than wanted, or longer if whole trees are leased, but is
    /// never empty.
    ///
    /// # Errors
    /// [`StoreError::Exhausted`] if no index is left; another error if none can be issued.
    fn reserve(&mut self, want: NonZeroU64) -> Result<Lease, StoreError>;

    /// Returns how many indices this store can still issue.
    ///
    /// # Errors
    /// Fails as [`status`](Self::status) does.
    fn remaining(&mut self) -> Result<Remaining, StoreError> {
        let status = self.status()?;
        Ok(Remaining { indices: status.end - status.next, is_shared: status.is_shared })
    }

    /// Returns the state as this store knows it.
    ///
    /// # Errors
    /// [`StoreError::Poisoned`], [`StoreError::Forked`], or a database's error.
    fn status(&mut self) -> Result<Status, StoreError>;

    /// Gives up every index up to and including `past`, for ever. A store that is already beyond it
    /// is unchanged.
    ///
    /// # Errors
    /// [`StoreError::OutOfRange`] if the key has no such index.
    fn advance(&mut self, past: u64) -> Result<(), StoreError>;

    /// Compares the public keys that upper levels sign with those that they signed before, and
    /// durably records new ones.
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

/// How many indices a store can still issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remaining {
    /// Indices that nobody has leased.
    pub indices: u64,
    /// Whether other machines lease from the same key, so that the number falls without this store,
    /// and their leases may contain unused indices.
    pub is_shared: bool,
}

/// The state of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The key whose indices these are.
    pub key: KeyId,
    /// The instance of the store, drawn when it was created.
    pub instance: [u8; 16],
    /// The number of the newest record.
    pub generation: u64,
    /// The first index that is not used up.
    pub next: u64,
    /// The first index after the range of this store.
    pub end: u64,
    /// The maximum number of indices in a lease.
    pub largest: u64,
    /// Whether an anchor guards against old copies of the state.
    pub is_anchored: bool,
    /// The file of the anchor, if the state remembers it.
    pub anchor: Option<PathBuf>,
    /// Whether several machines lease from the store.
    pub is_shared: bool,
}
