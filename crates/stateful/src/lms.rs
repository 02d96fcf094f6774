//! LMS and HSS: RFC 8554, with the hash functions of RFC 9858 and SP 800-208.
//!
//! | file | what |
//! |---|---|
//! | `family.rs` | the hash functions in lanes |
//! | `hashes.rs` | LM-OTS and LMS over the traits of `oaklath-tree` |
//! | `secret.rs`, `key.rs` | what is made of secrets, and private keys |
//! | `public.rs`, `verify.rs` | public keys, and what they verify |
mod family;
mod hashes;
mod key;
mod public;
mod secret;
mod verify;

pub use key::{HssGeneration, HssLevels, HssSigningKey};
pub use public::{HssPublicKey, LmsPublicKey};

/// HSS has at most so many levels: RFC 8554, section 6.
pub const MOST_LEVELS: usize = 8;
