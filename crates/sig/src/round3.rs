//! Algorithms of the third round of NIST's project, by what differs from the standards.
#[cfg(any(feature = "dilithium", feature = "dilithium-aes"))]
pub(crate) mod dilithium;
#[cfg(feature = "dilithium-aes")]
pub(crate) mod dilithium_aes;
