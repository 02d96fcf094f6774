//! The schemes of NIST's third round, each with what it has beside the standard that came of it.
#[cfg(feature = "sphincs-plus")]
pub(crate) mod sphincs_plus;
