//! The right to sign once.

/// The right to use the one-time key of one number, once.
///
/// A one-time key that signs two messages is broken, so an index is neither `Clone` nor `Copy`, and a
/// signature consumes it. Who makes one promises what no type can check.
///
/// ```compile_fail,E0382
/// use oaklath_stateful::Index;
///
/// let index = Index::from_durable_record(7);
/// drop(index);
/// index.value();
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct Index(u64);

impl Index {
    /// What a store calls, and nobody else, after it has durably recorded that `value` is used up:
    /// written and synced, so that after a crash no process and no machine that shares the store is
    /// given it again. It calls this once for each number.
    ///
    /// Tests and known answers may call it with keys that are thrown away.
    #[must_use]
    pub fn from_durable_record(value: u64) -> Self {
        Self(value)
    }

    /// The number of the one-time key, counted from 0 over all bottom trees.
    #[must_use]
    pub fn value(&self) -> u64 {
        self.0
    }
}
