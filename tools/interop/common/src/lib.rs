//! The common part of the workspaces of peers: the traits that each implementation implements, our
//! implementations, the differential tests and the comparison of speed, all over a list of peers
//! ([`kem::Peers`], [`sig::Peers`], [`stateful::Peers`]).
//!
//! The peers need several workspaces, since cargo accepts only one version of a crate that links a
//! C library: `current` has today's libraries, `round3` those that still have all of NIST's round
//! 3. `adapters/` holds adapters for libraries that both have, in different versions; they are
//! compiled in the workspaces, which name the versions.

pub mod compare;
pub mod differential;
pub mod kem;
pub mod random;
pub mod sig;
pub mod stateful;

mod pqcrypto_kyber;
mod pqcrypto_sign;
