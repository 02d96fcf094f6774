//! The two locks of round-3 algorithms: the cargo feature `legacy` and `Builder::allow_legacy`.

use oaklath_params::Status;

/// What stands between an algorithm and a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lock {
    /// This crate is built without `legacy`, whatever features its dependencies have.
    NotCompiled,
    /// The builder was not told to allow it.
    NotAllowed,
}

/// The lock that an algorithm of this status meets first, if any.
pub(crate) fn lock(status: Status, compiled: bool, allowed: bool) -> Option<Lock> {
    match status {
        Status::Legacy if !compiled => Some(Lock::NotCompiled),
        Status::Legacy if !allowed => Some(Lock::NotAllowed),
        _ => None,
    }
}

/// Whether this build has the key to the first lock.
pub(crate) const COMPILED: bool = cfg!(feature = "legacy");
