//! Indices: the right to sign once.

/// The largest sum of heights of a signing key, so that the number of its signatures plus one fits
/// in 64 bits. Verification has no such limit.
pub const MOST_HEIGHTS: u32 = 62;

/// The right to use the one-time key of a number once.
///
/// A one-time key that signs two messages is broken, so an index is neither `Clone` nor `Copy`, and
/// a signature consumes it. Its creator guarantees what no type can check: that it is used once.
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
    /// Makes an index. Only a store may call this, once for each number, after it has durably
    /// recorded that `value` is used up: written and synced, so that even after a crash no process
    /// or machine that shares the store gets it again.
    ///
    /// Tests and known answers may call it with keys that are not used otherwise.
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

/// Makes an index for a lease of `oaklath-stores`, after a record that covers the index is durable.
/// Other callers use the feature `hazmat`.
#[doc(hidden)]
#[must_use]
pub fn index_of_lease(value: u64) -> Index {
    Index(value)
}
