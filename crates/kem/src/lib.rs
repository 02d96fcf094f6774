//! Key encapsulation mechanisms: ML-KEM (FIPS 203) and, with the features `kyber`, `kyber-90s`,
//! `ntru` and `saber`, or `legacy` for all four, those of NIST's third round.
//!
//! Programs use the typed layer:
//!
//! ```
//! # #[cfg(all(feature = "getrandom", feature = "ml-kem"))] {
//! use oaklath_kem::{Ciphertext, DecapsulationKey, EncapsulationKey, MlKem768};
//!
//! // Alice
//! let alice = DecapsulationKey::<MlKem768>::generate();
//! let to_bob = alice.encapsulation_key().as_bytes().to_vec();
//! // Bob
//! let key = EncapsulationKey::<MlKem768>::from_bytes(&to_bob)?;
//! let (ciphertext, bobs_secret) = key.encapsulate();
//! // Alice
//! let alices_secret = alice.decapsulate(&ciphertext);
//! assert_eq!(alices_secret, bobs_secret);
//! # }
//! # Ok::<(), oaklath_kem::Error>(())
//! ```
//!
//! Programs that choose algorithms by name use the object-safe layer, [`Kem`]:
//!
//! ```
//! let kem = oaklath_kem::by_name("ML-KEM-512")?;
//! let (mut ek, mut dk) = (vec![0; kem.info().public_key], vec![0; kem.info().secret_key]);
//! let (mut c, mut k) = (vec![0; kem.info().ciphertext], [[0; 32]; 2]);
//! // In production these come from a random generator.
//! let (seed, coins) = ([7; 64], [8; 32]);
//! kem.keypair_from(&seed, &mut ek, &mut dk)?;
//! kem.encapsulate_from(&coins, &ek, &mut c, &mut k[0])?;
//! kem.decapsulate(&dk, &c, &mut k[1])?;
//! assert_eq!(k[0], k[1]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Programs that have many operations to do pass them to the methods `generate_many`,
//! `encapsulate_many` and `decapsulate_many` of the keys, or to a [`KemBatch`]. The results are
//! those of single operations; with AVX-512, ML-KEM takes about two thirds of the time.
//!
//! An invalid ciphertext is not an error: as FIPS 203 requires, decapsulation then returns a secret
//! derived from z of the key ("implicit rejection"), in the same time.
//!
//! None of these operations branches on a secret or uses one as an address; keys, seeds,
//! coins and shared secrets are erased when they are dropped.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(clippy::std_instead_of_core, clippy::alloc_instead_of_core)]
#![cfg_attr(not(test), warn(clippy::integer_division_remainder_used))]
#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

mod batch;
mod error;
#[cfg(any(feature = "ml-kem", feature = "kyber", feature = "kyber-90s"))]
mod ml_kem;
mod pct;
mod registry;
mod round3;
mod scheme;
mod sets;
mod typed;

pub use batch::{KemBatch, batch_of};
pub use error::Error;
pub use oaklath_params::buffer::Length;
#[cfg(feature = "alloc")]
pub use registry::Decapsulate;
pub use registry::{Kem, UnknownName, all, by_name};
pub use scheme::{DecapsulationItem, EncapsulationItem, KeyPairItem};
pub use sets::Set;
#[cfg(feature = "saber")]
pub use sets::{FireSaber, LightSaber, Saber};
#[cfg(feature = "kyber-90s")]
pub use sets::{Kyber90s512, Kyber90s768, Kyber90s1024};
#[cfg(feature = "kyber")]
pub use sets::{Kyber512, Kyber768, Kyber1024};
#[cfg(feature = "ml-kem")]
pub use sets::{MlKem512, MlKem768, MlKem1024};
#[cfg(feature = "ntru")]
pub use sets::{NtruHps2048509, NtruHps2048677, NtruHps4096821, NtruHrss701};
pub use typed::{
    Ciphertext, DecapsulationKey, EncapsulationKey, ExpandedDecapsulationKey,
    ExpandedEncapsulationKey, SharedSecret,
};
