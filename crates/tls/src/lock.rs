//! The two locks of an algorithm: the cargo feature of its family and, for round 3, also
//! `Builder::allow_legacy`.

use oaklath_params::Status;

/// The lock that keeps an algorithm out of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lock {
    /// This crate is built without the feature of the family, even if its dependencies have it.
    NotCompiled,
    /// The builder was not told to allow it.
    NotAllowed,
}

/// Returns the first lock that applies to an algorithm of this feature and status, if any.
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
