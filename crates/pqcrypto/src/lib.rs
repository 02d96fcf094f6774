//! The interface of the [`pqcrypto`](https://docs.rs/pqcrypto) crates over Oaklath. Those crates
//! are no longer maintained (RUSTSEC-2026-0161, -0162, -0163, -0166 and others), and PQClean, whose
//! C code they contain, is archived. This crate has the same modules, types, functions and traits
//! without any C, so that migrating only requires renaming a dependency:
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
//! [`prelude`]. A dependency can have only one name in a package: if you use several of the crates,
//! rename one, drop the others, and keep each of their names with a line such as `extern crate
//! pqcrypto_mlkem as pqcrypto_mldsa;` at the root of the program.
//!
//! # Which bytes are compatible
#![doc = include_str!("../compatibility.md")]
//!
//! The default features are `ml-kem` and `ml-dsa`. The algorithms of round 3 (`legacy`) are
//! superseded: use them for existing data and peers only.
//!
//! # What differs
//! - `from_bytes` checks what the functions rely on, since they return no errors: public keys of
//!   KEMs as FIPS 203, section 7.2, requires, and that the parts of a secret key belong together.
//!   If a check fails, the error is [`Malformed`](traits::Error::Malformed), which
//!   `pqcrypto-traits` does not have. Reading a secret key takes about as long as generating one.
//! - Secret keys are erased when dropped, and are therefore not `Copy`: use `.clone()`. Shared
//!   secrets are `Copy`, as the trait requires, and are therefore **not erased**. Both are compared
//!   in constant time.
//! - Dilithium signatures are randomised; those of the pqcrypto crates are deterministic.
//! - Missing are HQC, Classic McEliece, FrodoKEM, BIKE, Rainbow and NTRU Prime; NTRU of degree 1229
//!   and 1373; SPHINCS+ of round 3 except SHAKE256 in its simple form; `ffi`; and functions with
//!   the module in their names: `mlkem768_keypair` is `mlkem768::keypair`.
//!
//! Programs that do not depend on this interface should use `oaklath-kem` and `oaklath-sig`, which
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
