//! Signature schemes: ML-DSA (FIPS 204), and with the feature `legacy` Dilithium of NIST's third
//! round.
#![no_std]
#![warn(clippy::std_instead_of_core, clippy::alloc_instead_of_core)]
#![cfg_attr(not(test), warn(clippy::integer_division_remainder_used))]
#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

mod error;
mod message;
mod object;
#[cfg(feature = "alloc")]
mod slh;

pub use error::{Error, UnknownName};
pub use message::Message;
#[cfg(feature = "alloc")]
pub use object::{Sign, Verify};
pub use object::{Signature, all, by_info, by_name};
