//! The interface of the [`pqcrypto`](https://docs.rs/pqcrypto) crates over Oaklath. They are no
//! longer maintained (RUSTSEC-2026-0161, -0162, -0163, -0166 and others), and PQClean, whose C
//! code they carry, is archived. Here are the same modules, types, functions and traits without any
//! C, so that renaming a dependency is the migration:
//!
//! ```toml
//! pqcrypto-mlkem = { package = "oaklath-pqcrypto", version = "0.1" }
//! pqcrypto-traits = { package = "oaklath-pqcrypto-traits", version = "0.1" }
//! ```
//!
#![cfg_attr(feature = "ml-kem", doc = "```")]
#![cfg_attr(not(feature = "ml-kem"), doc = "```ignore")]
//! # extern crate oaklath_pqcrypto as pqcrypto_mlkem;
//! # extern crate oaklath_pqcrypto_traits as pqcrypto_traits;
//! use pqcrypto_mlkem::mlkem768;
//! use pqcrypto_traits::kem::{Ciphertext, PublicKey};
//!
//! let (pk, sk) = mlkem768::keypair();
//! let pk = mlkem768::PublicKey::from_bytes(pk.as_bytes())?;
//! let (sent, ciphertext) = mlkem768::encapsulate(&pk);
//! let ciphertext = mlkem768::Ciphertext::from_bytes(ciphertext.as_bytes())?;
//! assert!(sent == mlkem768::decapsulate(&ciphertext, &sk));
//! # Ok::<(), pqcrypto_traits::Error>(())
//! ```
//!
//! The modules are at the root, as in `pqcrypto-mlkem` and similar, and in [`kem`] and [`sign`], as
//! in `pqcrypto`; the traits are there, too, as in `pqcrypto-traits`, in [`traits`] and in
//! [`prelude`]. Cargo gives a package one name in a program: of several of the crates rename one,
//! drop the others, and keep their names with a line each at the root of the program,
//! `extern crate pqcrypto_mlkem as pqcrypto_mldsa;`.
//!
//! # Which bytes agree
#![doc = include_str!("../compatibility.md")]
//!
//! The default features are `ml-kem` and `ml-dsa`. Everything of round 3 (`legacy`) is superseded:
//! for data and peers that exist, never for new ones.
//!
//! # What differs
//! - `from_bytes` checks what the functions rely on, since they return no errors: public keys of
//!   KEMs as FIPS 203, section 7.2 asks, and that the parts of a secret key belong together. What
//!   fails is [`Malformed`](traits::Error::Malformed), an error that `pqcrypto-traits` does not
//!   have. Reading a secret key takes about as long as making one.
//! - Secret keys are erased when dropped, and so are not `Copy`: `.clone()` them. Shared secrets
//!   are `Copy`, as the trait demands, and are therefore **not erased**. Both are compared in
//!   constant time.
//! - Dilithium's signatures are randomised; theirs are deterministic.
//! - There are no HQC, Classic McEliece, FrodoKEM, BIKE, Rainbow and NTRU Prime; no NTRU of degree
//!   1229 and 1373; of SPHINCS+ round 3 only SHAKE256 in its simple form; no `ffi`; and no
//!   functions with the module in their names: `mlkem768_keypair` is `mlkem768::keypair`.
//!
//! What is not bound to this interface is better served by `oaklath-kem` and `oaklath-sig`, which
//! keep keys expanded and erase shared secrets.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
extern crate alloc;

pub mod kem;
pub mod objects;
#[cfg(feature = "serialization")]
mod serialization;
pub mod sign;

#[doc(inline)]
pub use oaklath_pqcrypto_traits as traits;

macro_rules! export_modules {
    ($kind:ident $($feature:literal $module:ident $set:ident $($format:ident)*;)*) => { $(
        #[cfg(feature = $feature)]
        #[doc(no_inline)]
        pub use $kind::$module;
    )* };
}
kem::with_modules!(export_modules);
sign::with_modules!(export_modules);

/// Brings the methods of all traits into scope, without their names.
pub mod prelude {
    pub use oaklath_pqcrypto_traits::kem::{
        Ciphertext as _, PublicKey as _, SecretKey as _, SharedSecret as _,
    };
    pub use oaklath_pqcrypto_traits::sign::{
        DetachedSignature as _, PublicKey as _, SecretKey as _, SignedMessage as _,
    };
}
