//! SABER of NIST's third round: light, plain and fire, one text over the rank `K`.
//!
//! | module | what |
//! |---|---|
//! | [`params`] | the numbers of a rank |
//! | [`lanes`] | everything that is hashed, side by side |
//! | [`sample`] | the matrix and secrets from random bytes |
//! | [`pke`] | products, rounding, encryption and decryption |
//! | [`fo`] | key generation, encapsulation, decapsulation |
//! | [`keys`] | keys, checked and parsed |
#![expect(non_snake_case, reason = "notation of the submission: A, s, b")]

mod fo;
mod keys;
mod lanes;
mod params;
mod pke;
mod sample;

pub(crate) use fo::{decapsulate_bytes, encapsulate_bytes, keygen};
pub(crate) use keys::{ExpandedKey, PublicKey, SecretKey};
pub(crate) use params::Params;

/// A decapsulation key that holds another hash than that of its encapsulation key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WrongHash;
