//! Stateful hash-based signatures: LMS and HSS (RFC 8554, RFC 9858), XMSS and XMSS^MT (RFC 8391),
//! with the parameter sets of SP 800-208.
//!
//! Each of their one-time keys may sign only one message. The set of used keys is a *state*, which
//! this crate does not keep. An [`Index`] is the right to sign once; a store makes it, after it has
//! durably recorded that the index is used up, and signing consumes it. Programs sign with the
//! `Signer` of the crate `oaklath-stores`, over a file or a database:
//!
//! ```ignore
//! let levels = HssLevels::from(&lms::L3_H5_W4);
//! let key = HssSigningKey::generate(&levels, NODE_BYTES)?;
//! let store = FileStore::at("firmware.state").create(KeyId::of_key(&key), 0..key.signatures())?;
//! let mut signer = Signer::new(Box::new(key), Box::new(store))?;
//! let signature = signer.sign(b"firmware")?;
//! ```
//!
//! A verifier needs only this crate:
//!
//! ```
//! use oaklath_stateful::{Error, HssPublicKey};
//!
//! fn verify(public_key: &[u8], firmware: &[u8], signature: &[u8]) -> Result<(), Error> {
//!     HssPublicKey::from_bytes(public_key)?.verify(firmware, signature)
//! }
//! # assert!(verify(&[0; 60], b"", b"").is_err());
//! ```
//!
//! | to | use |
//! |---|---|
//! | verify | [`HssPublicKey`], [`LmsPublicKey`], [`XmssPublicKey`]: no memory but 8 KiB of stack |
//! | verify many at once | `verify_many` of these |
//! | generate a tall tree | [`HssGeneration`], [`XmssGeneration`]: watched, stopped, continued |
//! | sign | [`HssSigningKey`] or [`XmssSigningKey`] in a `Signer` |
//! | sign at once after loading | `nodes` and `load_nodes` of a key: public bytes, checked |
//! | take over a key of Botan | `from_hash_sigs` (HSS), `from_botan` (XMSS): with the next index |
//! | take over a key of liboqs | `from_liboqs` (XMSS, XMSS^MT): with the next index |
//!
//! The work of a signature is bounded: each adds a leaf to the trees that will be needed, and where
//! a tree begins, a signature takes two or three times as long. Only a jump in the indices, or the
//! first signature of a loaded key, grows more at once, which [`StatefulKey::prepare`] can do
//! beforehand. [`Growth`] lets trees grow in idle time instead, or not ahead at all. In a hierarchy
//! each upper key signs one thing, on every machine and after every reload, since everything but
//! the message is derived from the seed.
//!
//! What a fault of memory or CPU has changed is not signed: private keys have a checksum, which is
//! compared when they are loaded and with each signature; the root of every lower tree is computed
//! twice before the tree above signs it, and the top tree's must match the public key.
//!
//! The features `lms` and `xmss`, both on by default, select the families. `hazmat` lets a program
//! make an [`Index`] without a store.
//!
//! SP 800-208 asks for a hardware module that makes and keeps the keys, so no signer in software
//! conforms to it. Verification does.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(clippy::std_instead_of_core, clippy::alloc_instead_of_core)]
#![cfg_attr(not(test), warn(clippy::integer_division_remainder_used))]
extern crate alloc;
#[cfg(any(test, feature = "test-faults"))]
extern crate std;

#[cfg(any(feature = "lms", feature = "xmss"))]
mod digest;
#[cfg(any(feature = "lms", feature = "xmss"))]
mod engine;
mod error;
#[cfg(any(feature = "lms", feature = "xmss"))]
mod faults;
#[cfg(any(feature = "lms", feature = "xmss"))]
mod hypertree;
mod index;
mod key;
#[cfg(feature = "lms")]
mod lms;
mod message;
#[cfg(feature = "xmss")]
mod xmss;

pub use error::Error;
#[cfg(all(feature = "test-faults", any(feature = "lms", feature = "xmss")))]
#[doc(hidden)]
pub use faults::with_fault;
#[cfg(any(feature = "lms", feature = "xmss"))]
pub use hypertree::{
    generation::Generation,
    signing_key::{HypertreeFamily, SigningKey},
};
#[doc(hidden)]
pub use index::index_of_lease;
pub use index::{Index, MOST_HEIGHTS};
pub use key::{Checked, Growth, NODE_BYTES, StatefulKey, SubtreeLayer};
#[cfg(feature = "lms")]
pub use lms::{
    key::{HssGeneration, HssSigningKey, Lms},
    levels::HssLevels,
    public::{HssPublicKey, LmsPublicKey},
    types::MOST_LEVELS,
};
pub use message::{Absorb, Message};
#[cfg(feature = "xmss")]
pub use xmss::{
    derivation::Derivation,
    key::{Xmss, XmssGeneration, XmssSigningKey, xmss_seed_len},
    public::XmssPublicKey,
    set::XmssTrees,
};
