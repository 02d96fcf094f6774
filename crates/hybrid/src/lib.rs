//! Key exchange groups of TLS 1.3, usable without TLS: a KEM alone, or ECDH together with a KEM.
//!
//! A group is a constant row of [`oaklath_params::group`]: curve, KEM, and which half comes first.
//! Shares and secrets of the halves are simply concatenated, without a length prefix or KDF, as in
//! draft-ietf-tls-hybrid-design (section 3) and in the groups of Open Quantum Safe. Protocols that
//! use the secret, such as the key schedule of TLS, hash both halves together. The exchange takes
//! two messages:
//!
//! ```
//! use getrandom::SysRng;
//! use oaklath_hybrid::Group;
//!
//! let group = Group::by_name("X25519MLKEM768")?;
//! let client = group.generate(&mut SysRng)?;
//! // client.share() travels to the server, which answers:
//! let answer = group.respond(&mut SysRng, client.share())?;
//! // answer.share travels back:
//! let secret = client.finish(&answer.share)?;
//! assert_eq!(secret.as_bytes(), answer.secret.as_bytes());
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! The secret is keying material, not a key: derive keys from it together with a transcript of both
//! shares.
//!
//! The classical half is behind the trait [`Ecdh`]. The feature `rustcrypto` (default) provides
//! portable curves, `aws-lc-rs` replaces them by faster ones, and [`Group::with_ecdh`] accepts any
//! other implementation. Each family of KEMs has a feature of the same name; `legacy` enables all
//! families of round 3.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(
    clippy::std_instead_of_core,
    clippy::alloc_instead_of_core,
    clippy::integer_division_remainder_used
)]

extern crate alloc;

mod curves;
mod ecdh;
mod error;
mod group;
mod secret;

#[cfg(feature = "aws-lc-rs")]
pub mod aws_lc;
#[cfg(feature = "rustcrypto")]
pub mod rustcrypto;

#[cfg(test)]
mod tests;

pub use curves::by_curve;
pub use ecdh::{Ecdh, Ephemeral, Random};
pub use error::{Error, Unavailable};
pub use group::{Answer, ClientKey, Group, all};
pub use secret::SharedSecret;
