//! Signature schemes: ML-DSA (FIPS 204), SLH-DSA (FIPS 205), a draft of FN-DSA (FIPS 206 is not
//! published yet), and Dilithium, SPHINCS+ and Falcon of NIST's third round. Each family has a
//! feature of its own.
//!
//! Programs use the typed layer, whose keys and signatures know their parameter set:
//!
//! ```
//! # #[cfg(all(feature = "getrandom", feature = "ml-dsa"))] {
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
//! With the feature `signature`, this crate implements the traits of that crate (`Signer`,
//! `RandomizedSigner`, `Verifier`, `Keypair`). Programs that choose algorithms by name use the
//! object-safe layer, [`Signature`]:
//!
//! ```
//! # #[cfg(feature = "ml-dsa")] {
//! use oaklath_sig::Message;
//!
//! let scheme = oaklath_sig::by_name("ML-DSA-44")?;
//! let info = scheme.info();
//! let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
//! let mut signature = vec![0; info.signature];
//! // In production these come from a random generator.
//! let (seed, coins) = ([7; 32], [8; 32]);
//! scheme.keypair_from(&seed, &mut pk, &mut sk)?;
//! let len = scheme.sign(&sk, &Message::new(b"hello"), Some(&coins), &mut signature)?;
//! scheme.verify(&pk, &Message::new(b"hello"), &signature[..len])?;
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to sign | takes |
//! |---|---|
//! | a few messages with a key | [`SigningKey`] |
//! | many | [`ExpandedSigningKey`]: of ML-DSA three quarters of the time, of Falcon two thirds |
//! | on a small machine | [`SigningKey::sign_low_memory`] |
//! | the same, by name | [`Signature::prepare_low_memory_signer`] |
//! | what comes in pieces | `MuContext`: ML-DSA, Dilithium |
//! | on a machine that may fail | [`Signature::prepare_checked_signer`]: verifies each signature |
//!
//! Programs with many messages to sign or to verify at hand give them to [`sign_many`] and
//! [`verify_many`], or to the functions of a key of these names.
//!
//! | family | sets | a signature |
//! |---|---|---|
//! | ML-DSA, Dilithium | `MlDsa65`, `Dilithium3`, `Dilithium3Aes`, ... | 2.4 to 4.6 kilobytes |
//! | SLH-DSA, SPHINCS+ | `SlhDsaShake128f`, `SphincsShake128s`, ... | 8 to 50 kilobytes |
//! | FN-DSA, Falcon | `FnDsa512`, `Falcon1024`, ... | 0.7 to 1.3 kilobytes |
//!
//! The security of SLH-DSA depends on hash functions only. Signing takes from milliseconds (sets
//! with `f`) to a good part of a second (sets with `s`, whose signatures are half as long and are
//! faster to verify). With the feature `parallel`, all cores compute the trees. Signing takes up to
//! 8 MiB of heap; verification takes none, and less than 32 KiB of stack.
//!
//! Signatures are hedged by default: randomized, but safe even if the randomness is bad. Signing
//! does not branch on secrets or use them as addresses, except for what rejections reveal: for
//! ML-DSA the number of attempts, for Falcon the number of the sampler's trials. These reveal next
//! to nothing about the key or the message. Keys, seeds and masks are erased when they are dropped.
//!
//! ## Falcon
//! Old signatures (liboqs up to 0.7.2 had a larger bound) verify with the set of [`by_identity`].
//!
//! ```
//! # #[cfg(all(feature = "getrandom", feature = "falcon"))] {
//! use oaklath_sig::{Falcon512, Message, SigningKey, VerifyingKey};
//!
//! let key = SigningKey::<Falcon512>::generate();
//! let signature = key.sign_message(&Message::new(b"a message"))?;
//!
//! let public = VerifyingKey::<Falcon512>::from_bytes(key.verifying_key().as_bytes())?;
//! public.verify_message(&Message::new(b"a message"), &signature)?;
//! assert!(public.verify_message(&Message::new(b"another"), &signature).is_err());
//! # }
//! # Ok::<(), oaklath_sig::Error>(())
//! ```
//!
//! ## FN-DSA
//! The encoding follows the crate `fn-dsa` 0.4, since no draft of FIPS 206 is public. **It will
//! change with the standard: keys and signatures made today are for experiments.** A seed makes the
//! same f, g and F as in Falcon; signatures equal those of `fn-dsa` for the same 40 random bytes,
//! except for one in thousands, so two libraries must never sign the same message with the same key
//! and the same random bytes.
//!
//! ```
//! # #[cfg(all(feature = "getrandom", feature = "fn-dsa-draft"))] {
//! use oaklath_sig::{FnDsa512, Message, SigningKey};
//!
//! let key = SigningKey::<FnDsa512>::generate();
//! let message = Message::with_context(b"a message", b"a context");
//! let signature = key.sign_message(&message)?;
//! assert_eq!(signature.as_bytes().len(), 666);
//! key.verifying_key().verify_message(&message, &signature)?;
//! assert!(key.verifying_key().verify_message(&Message::new(b"a message"), &signature).is_err());
//! # }
//! # Ok::<(), oaklath_sig::Error>(())
//! ```
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(clippy::std_instead_of_core, clippy::alloc_instead_of_core)]
#![cfg_attr(not(test), warn(clippy::integer_division_remainder_used))]
#![cfg_attr(
    not(any(
        feature = "ml-dsa",
        feature = "slh-dsa",
        feature = "fn-dsa-draft",
        feature = "dilithium",
        feature = "dilithium-aes",
        feature = "sphincs-plus",
        feature = "falcon"
    )),
    allow(dead_code, unused_macros, unused_imports, reason = "no family is compiled")
)]
#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

mod error;
#[cfg(any(feature = "falcon", feature = "fn-dsa-draft"))]
mod fn_dsa;
mod message;
#[cfg(any(feature = "ml-dsa", feature = "dilithium", feature = "dilithium-aes"))]
mod ml_dsa;
mod pct;
mod registry;
#[cfg(any(
    feature = "dilithium",
    feature = "dilithium-aes",
    feature = "sphincs-plus",
    feature = "falcon"
))]
mod round3;
mod scheme;
mod sets;
#[cfg(any(feature = "slh-dsa", feature = "sphincs-plus"))]
mod slh_dsa;
mod typed;

pub use error::Error;
#[cfg(any(feature = "falcon", feature = "fn-dsa-draft"))]
pub use fn_dsa::FalconSet;
pub use message::Message;
#[cfg(any(feature = "ml-dsa", feature = "dilithium", feature = "dilithium-aes"))]
pub use ml_dsa::mu::{MuContext, MuSet};
#[cfg(feature = "alloc")]
pub use registry::{Sign, Verify, derived_coins, sign_many, verify_many};
pub use registry::{Signature, UnknownName, all, by_identity, by_info, by_name};
pub use scheme::{SignatureSet, SigningItem};
pub use typed::{EncodedSignature, SigningKey, VerifyingKey};
#[cfg(feature = "alloc")]
pub use typed::{ExpandedSigningKey, ExpandedVerifyingKey};

macro_rules! export_sets {
    ($($feature:literal $set:ident $row:ident $family:ident $numbers:tt)*) => { $(
        #[cfg(feature = $feature)]
        pub use sets::$set;
    )* };
}
sets::for_all_sets!(export_sets);
