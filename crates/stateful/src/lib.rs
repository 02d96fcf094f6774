//! Stateful hash-based signatures: LMS and HSS (RFC 8554, RFC 9858), XMSS and XMSS^MT (RFC 8391), with
//! the parameter sets of SP 800-208.
//!
//! Each of their one-time keys may sign one message. Which are used is a *state*, and the state is not
//! here: this crate is a function of key, index and message. An [`Index`] is the right to sign once; a
//! store makes it, after a record that it is used up is durable. Signing consumes it.
//!
//! ```
//! use oaklath_params::stateful::lms;
//! use oaklath_stateful::{
//!     HssLevels, HssPublicKey, HssSigningKey, Index, NODE_BYTES, StatefulKey,
//! };
//!
//! let levels = HssLevels::from(&lms::L3_H5_W4);
//! // In earnest the seed comes from a random generator.
//! let mut key = HssSigningKey::generate(&levels, &[7; 48], NODE_BYTES)?;
//! let mut signature = vec![0; key.signature_len()];
//! // In earnest the index comes from a store.
//! key.sign_at(Index::from_durable_record(0), b"firmware", &mut signature)?;
//!
//! let public = HssPublicKey::from_bytes(key.public_key())?;
//! public.verify(b"firmware", &signature)?;
//! # Ok::<(), oaklath_stateful::Error>(())
//! ```
//!
//! | to | takes |
//! |---|---|
//! | verify | [`HssPublicKey`], [`LmsPublicKey`], [`XmssPublicKey`]: no memory but 8 KiB of stack |
//! | generate a key with a tall tree | [`HssGeneration`], [`XmssGeneration`]: watched, stopped, gone on with |
//! | sign | [`StatefulKey::sign_at`] of [`HssSigningKey`] or [`XmssSigningKey`] |
//! | sign at once after loading | `nodes` and `load_nodes` of a key: public bytes, checked against the root |
//! | take a key over | `from_hash_sigs`, `from_botan`, `from_liboqs`, each with the index to go on with |
//!
//! The work of a signature is bounded: trees that will be needed grow a leaf a signature, and where a tree
//! begins, a signature takes two or three times as long. Only a jump in the indices, or the first signature of a loaded key, grows more at once, which
//! [`StatefulKey::prepare`] does beforehand. In a hierarchy each upper key signs one thing, on every
//! machine and after every reload, since everything but the message is derived from the seed.
//!
//! SP 800-208 asks for a hardware module that makes and keeps the keys, so no signer in software
//! conforms to it. Verification does.
#![no_std]
#![warn(clippy::std_instead_of_core, clippy::alloc_instead_of_core)]
#![cfg_attr(not(test), warn(clippy::integer_division_remainder_used))]
extern crate alloc;
#[cfg(test)]
extern crate std;

mod cache;
mod digest;
mod error;
mod grown;
mod hypertree;
mod index;
mod key;
mod lms;
mod xmss;

pub use error::Error;
pub use index::Index;
pub use key::{Checked, Layer, StatefulKey};
pub use lms::{HssGeneration, HssLevels, HssPublicKey, HssSigningKey, LmsPublicKey, MOST_LEVELS};
pub use xmss::{Derivation, XmssGeneration, XmssPublicKey, XmssSigningKey, xmss_seed_len};

/// The largest sum of heights of a signing key: its signatures can be counted in 64 bits, and so can
/// one more. Verification has no such limit.
pub const MOST_HEIGHTS: u32 = 62;

/// Bytes that the nodes of a tree may take, where nothing calls for another number: trees of height 12, of
/// nodes of 64 bytes 11, are kept whole, of taller ones there is a leaf of work a signature.
pub const NODE_BYTES: usize = 256 << 10;
