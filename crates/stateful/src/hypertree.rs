//! Trees that sign the roots of trees, and where in them a signature is made: what HSS (RFC 8554,
//! section 6) and XMSS^MT (RFC 8391, section 4.2) have in common. A single tree is one of one
//! layer.
//!
//! Layers are counted from the top down here, as HSS does.
//!
//! | file | what |
//! |---|---|
//! | `signing_key.rs`, `generation.rs` | private keys, and their generation |
//! | `layers.rs` | the trees on the way to an index, which sign each other |
//! | `grown.rs` | what is kept of a tree, and how it grows |
//! | `second_root.rs` | the root of a tree once more, before it is signed |
//! | `scheme.rs` | what LMS and XMSS differ in |
//! | `cache.rs` | nodes as bytes |
mod cache;
pub(crate) mod generation;
mod grown;
mod layers;
pub(crate) mod scheme;
mod second_root;
pub(crate) mod signing_key;
