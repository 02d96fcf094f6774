//! The two locks of an algorithm: the cargo feature of its family, and for round 3
//! `Builder::allow_legacy` as well.

use oaklath_params::Status;

/// What keeps an algorithm out of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lock {
    /// This crate is built without the feature of the family, whatever features its dependencies
    /// have.
    NotCompiled,
    /// The builder was not told to allow it.
    NotAllowed,
}

/// Returns the lock that an algorithm of this feature and status meets first, if any.
pub(crate) fn lock(feature: &str, status: Status, allowed: bool) -> Option<Lock> {
    const KEMS: &[&str] = oaklath_params::compiled_kems!();
    const SIGNATURES: &[&str] = oaklath_params::compiled_signatures!();
    if !KEMS.contains(&feature) && !SIGNATURES.contains(&feature) {
        Some(Lock::NotCompiled)
    } else if status == Status::Legacy && !allowed {
        Some(Lock::NotAllowed)
    } else {
        None
    }
}
