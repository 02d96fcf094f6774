//! Candidates of NIST's third round that are not standards, each behind a feature of its own.
#[cfg(feature = "kyber")]
pub(crate) mod kyber;
#[cfg(feature = "kyber-90s")]
pub(crate) mod kyber_90s;
#[cfg(feature = "ntru")]
pub(crate) mod ntru;
#[cfg(feature = "saber")]
pub(crate) mod saber;
