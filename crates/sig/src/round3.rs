//! The schemes of NIST's third round, each with what it has beside the standard that came of it.
#[cfg(any(feature = "dilithium", feature = "dilithium-aes"))]
pub(crate) mod dilithium;
#[cfg(feature = "dilithium-aes")]
pub(crate) mod dilithium_aes;
#[cfg(feature = "falcon")]
pub(crate) mod falcon;
#[cfg(feature = "sphincs-plus")]
pub(crate) mod sphincs_plus;
