//! Signature schemes: ML-DSA (FIPS 204), SLH-DSA (FIPS 205), and with the feature `legacy` Dilithium,
//! SPHINCS+ and Falcon (the module `falcon`) of NIST's third round. With the feature `fn-dsa-draft` FN-DSA too
//! (the module `fn_dsa`), whose standard is not there yet.
//!
//! Programs use the typed layer:
//!
//! ```
//! # #[cfg(feature = "getrandom")] {
//! use oaklath_sig::{Message, MlDsa65, SigningKey, VerifyingKey};
//!
//! let key = SigningKey::<MlDsa65>::generate();
//! // A context, which the verifier must know, and the message.
//! let message = Message::with_context(b"an update", b"firmware");
//! let signature = key.sign_message(&message)?;
//!
//! let public = VerifyingKey::<MlDsa65>::from_bytes(key.verifying_key().as_bytes())?;
//! public.verify_message(&message, &signature)?;
//! # }
//! # Ok::<(), oaklath_sig::Error>(())
//! ```
//!
//! or, with the feature `signature`, the traits of the crate of that name (`Signer`,
//! `RandomizedSigner`, `Verifier`, `Keypair`). Whatever chooses algorithms by name uses the object-safe
//! layer, [`Signature`]:
//!
//! ```
//! use oaklath_sig::Message;
//!
//! let scheme = oaklath_sig::by_name("ML-DSA-44")?;
//! let info = scheme.info();
//! let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
//! let mut signature = vec![0; info.signature];
//! // In earnest these come from a random generator.
//! let (seed, coins) = ([7; 32], [8; 32]);
//! scheme.keypair_from(&seed, &mut pk, &mut sk)?;
//! let len = scheme.sign(&sk, &Message::new(b"hello"), Some(&coins), &mut signature)?;
//! scheme.verify(&pk, &Message::new(b"hello"), &signature[..len])?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to sign | takes |
//! |---|---|
//! | a few messages with a key | [`SigningKey`] |
//! | many | [`ExpandedSigningKey`]: three quarters of the time, 40 to 95 kilobytes |
//! | on a small machine | [`SigningKey::sign_low_memory`]: less than 48 KiB of stack; by name, [`Signature::prepare_low_memory_signer`] |
//! | what comes in pieces | [`MuContext`] |
//! | on a machine that may fail | [`Signature::prepare_checked_signer`]: verifies before a signature leaves |
//!
//! SLH-DSA and SPHINCS+ have keys and signatures of their own, of the same names, in [`slh_dsa`].
//!
//! Signatures are hedged by default: random, and safe even if the randomness is not. No instruction of
//! signing branches on a secret or uses one as an address, but for what the rejections of ML-DSA show:
//! how many attempts there were, which does not depend on the key or the message. Keys, seeds and masks
//! are erased when they are dropped.
#![no_std]
#![warn(clippy::std_instead_of_core, clippy::alloc_instead_of_core)]
#![cfg_attr(not(test), warn(clippy::integer_division_remainder_used))]
#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

#[cfg(feature = "alloc")]
mod checked;
mod error;
#[cfg(all(feature = "alloc", any(feature = "legacy", feature = "fn-dsa-draft")))]
pub mod falcon;
#[cfg(all(feature = "alloc", feature = "fn-dsa-draft"))]
pub mod fn_dsa;
mod message;
mod mldsa;
mod object;
#[cfg(feature = "alloc")]
mod packed;
mod pct;
mod round3;
mod sets;
#[cfg(feature = "alloc")]
mod slh;
#[cfg(feature = "alloc")]
pub mod slh_dsa;
mod typed;

pub use error::{Error, UnknownName};
pub use message::Message;
#[cfg(feature = "alloc")]
pub use object::{Sign, Verify, derived_coins};
pub use object::{Signature, all, by_identity, by_info, by_name};
#[cfg(feature = "legacy")]
pub use sets::{Dilithium2, Dilithium2Aes, Dilithium3, Dilithium3Aes, Dilithium5, Dilithium5Aes};
pub use sets::{MlDsa44, MlDsa65, MlDsa87, Set};
pub use typed::{EncodedSignature, MuContext, SigningKey, VerifyingKey};
#[cfg(feature = "alloc")]
pub use typed::{ExpandedSigningKey, ExpandedVerifyingKey};
