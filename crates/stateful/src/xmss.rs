//! XMSS and XMSS^MT: RFC 8391, with the hash functions of SP 800-208.
//!
//! | file | contents |
//! |---|---|
//! | `address.rs` | addresses, and the numbers of functions |
//! | `functions.rs`, `whole_blocks.rs` | the keyed functions, in lanes |
//! | `l_tree.rs` | WOTS+, L-trees and trees over the traits of `oaklath-tree` |
//! | `set.rs`, `derivation.rs` | parameters |
//! | `scheme.rs`, `key.rs` | trees from secrets, and private keys |
//! | `public.rs`, `verify.rs` | public keys, and verification |
mod address;
pub(crate) mod derivation;
mod functions;
pub(crate) mod key;
mod l_tree;
pub(crate) mod public;
mod scheme;
pub(crate) mod set;
mod verify;
mod whole_blocks;
