//! The schemes of NIST's third round: the differences from the standards that are based on them.
#[cfg(any(feature = "dilithium", feature = "dilithium-aes"))]
pub(crate) mod dilithium;
#[cfg(feature = "dilithium-aes")]
pub(crate) mod dilithium_aes;
#[cfg(feature = "falcon")]
pub(crate) mod falcon;
#[cfg(feature = "sphincs-plus")]
pub(crate) mod sphincs_plus;
