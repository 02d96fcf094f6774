//! The right to sign once.

/// The largest sum of heights of a signing key: its signatures can be counted in 64 bits, and so
/// can one more. Verification has no such limit.
pub const MOST_HEIGHTS: u32 = 62;

/// The right to use the one-time key of one number, once.
///
/// A one-time key that signs two messages is broken, so an index is neither `Clone` nor `Copy`, and
/// a signature consumes it. The maker of one promises what no type can check.
///
/// ```compile_fail,E0382
/// # fn twice(index: oaklath_stateful::Index) {
/// drop(index);
/// index.value();
/// # }
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct Index(u64);

impl Index {
    /// Makes an index. Only a store calls this, once for each number, after it has durably recorded
    /// that `value` is used up: written and synced, so that after a crash no process and no machine
    /// that shares the store is given it again.
    ///
    /// Tests and known answers may call it with keys that are thrown away.
    #[cfg(feature = "hazmat")]
    #[must_use]
    pub fn from_durable_record(value: u64) -> Self {
        Self(value)
    }

    /// Returns the number of the one-time key, counted from 0 over all bottom trees.
    #[must_use]
    pub fn value(&self) -> u64 {
        self.0
    }
}

/// What leases of `oaklath-stores` call, after a record that covers the index is durable. Others
/// take the feature `hazmat`.
#[doc(hidden)]
#[must_use]
pub fn index_of_lease(value: u64) -> Index {
    Index(value)
}
