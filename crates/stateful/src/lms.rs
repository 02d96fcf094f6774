//! LMS and HSS: RFC 8554, with the hash functions of RFC 9858 and SP 800-208.
//!
//! | file | contents |
//! |---|---|
//! | `hashes.rs` | LM-OTS and LMS over the traits of `oaklath-tree` |
//! | `types.rs`, `levels.rs` | parameters |
//! | `scheme.rs`, `key.rs` | trees from secrets, and private keys |
//! | `public.rs`, `verify.rs` | public keys, and verification |
mod hashes;
pub(crate) mod key;
pub(crate) mod levels;
pub(crate) mod public;
mod scheme;
pub(crate) mod types;
mod verify;
