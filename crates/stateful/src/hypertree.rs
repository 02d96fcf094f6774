//! Hypertrees, in which trees sign the roots of other trees: the common implementation of HSS (RFC
//! 8554, section 6) and XMSS^MT (RFC 8391, section 4.2). A single tree is a hypertree with one
//! layer.
//!
//! Layers are counted from the top down, as in HSS.
//!
//! | file | contents |
//! |---|---|
//! | `signing_key.rs`, `generation.rs` | private keys, and their generation |
//! | `layers.rs` | the trees on the way to an index, which sign each other |
//! | `grown.rs` | the nodes that are kept of a tree, and its computation |
//! | `second_root.rs` | the second computation of a root, before it is signed |
//! | `scheme.rs` | the traits in which LMS and XMSS differ |
//! | `cache.rs` | the encoding of nodes |
mod cache;
pub(crate) mod generation;
mod grown;
mod layers;
pub(crate) mod scheme;
mod second_root;
pub(crate) mod signing_key;
