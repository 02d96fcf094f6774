//! ML-KEM: FIPS 203. Kyber (NIST round 3, version 3.02) shares the source: its differences are the
//! methods of `MlKemVariant`.
//!
//! | module | contents | FIPS 203 |
//! |---|---|---|
//! | `params` | the parameters of a rank | Table 2 |
//! | `hashes` | H and G | section 4.1 |
//! | `plan` | the schedules of Keccak lanes | |
//! | `lanes` | the loop that runs the schedules: matrix, noise, hashes | Algorithms 7 and 8 |
//! | `pke` | K-PKE | Algorithms 13 to 15 |
//! | `fo` | key generation, encapsulation, decapsulation | Algorithms 16 to 18 |
//! | `keygen` | the vectors of a new key | Algorithm 13 |
//! | `rows` | its rows, encoded as far as the lanes have sampled | Algorithm 13 |
//! | `keys` | keys, checked and parsed | section 7 |
//! | `memory` | memory whose size depends on the rank | |
//! | `tasks` | inputs and outputs of operations, one or two side by side | |
//! | `module_kem` | the scheme of a variant and a rank | sections 7.2 and 7.3 |
//! | `variant` | the differences of Kyber | appendix C |
//!
//! The arithmetic takes the rank as a value, so that it is compiled only once for each SIMD level.
//! Memory whose size depends on the rank is declared in `module_kem` and borrowed by the others.
#![expect(non_snake_case, reason = "notation of FIPS 203")]

#[cfg(any(feature = "ml-kem", feature = "kyber"))]
mod fo;
#[cfg(any(feature = "ml-kem", feature = "kyber"))]
pub(crate) mod hashes;
pub(crate) mod keygen;
pub(crate) mod keys;
#[cfg(any(feature = "ml-kem", feature = "kyber"))]
mod lanes;
pub(crate) mod memory;
pub(crate) mod module_kem;
pub(crate) mod params;
pub(crate) mod pke;
#[cfg(any(feature = "ml-kem", feature = "kyber"))]
mod plan;
#[cfg(any(feature = "ml-kem", feature = "kyber"))]
mod rows;
pub(crate) mod tasks;
#[cfg(any(feature = "ml-kem", feature = "kyber"))]
pub(crate) mod variant;

pub(crate) use module_kem::ModuleKem;
#[cfg(feature = "ml-kem")]
pub(crate) use variant::MlKem;
