//! NTRU of NIST's third round (submission of 30 September 2020): NTRU-HPS and NTRU-HRSS, one text.
//!
//! A message is a pair (r, m) of short polynomials, and a ciphertext `c = r h + Lift(m)`. Whoever
//! decrypts gets both, and checks them instead of encrypting once more.
//!
//! | module | what |
//! |---|---|
//! | [`params`] | the numbers of a set |
//! | [`sample`] | short polynomials from random bytes |
//! | [`encode`] | polynomials as bytes |
//! | [`pke`] | key generation, encryption, decryption of pairs |
//! | [`fo`] | encapsulation, decapsulation |
//! | [`keys`] | keys, parsed |
//!
//! `L` is the length of the chunks in which [`oaklath_poly::pow2`] multiplies: of a polynomial's
//! length rounded up, a sixteenth.

mod encode;
mod fo;
mod keys;
mod params;
mod pke;
mod sample;

pub(crate) use fo::{decapsulate_bytes, encapsulate_bytes, keygen};
pub(crate) use keys::{ExpandedKey, NoInverse, PublicKey, SecretKey};
pub(crate) use params::Params;
