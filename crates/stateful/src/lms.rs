//! LMS and HSS: RFC 8554, with the hash functions of RFC 9858 and SP 800-208.
//!
//! | file | what |
//! |---|---|
//! | `family.rs` | the hash functions in lanes |
//! | `hashes.rs` | LM-OTS and LMS over the traits of `oaklath-tree` |
//! | `public.rs`, `verify.rs` | public keys, and what they verify |
mod family;
mod hashes;
mod public;
mod verify;

pub use public::{HssPublicKey, LmsPublicKey};

/// HSS has at most so many levels: RFC 8554, section 6.
pub const MOST_LEVELS: usize = 8;
