//! Every table of wolfSSL's appendix "Experimenting with Post-Quantum Cryptography", measured anew. Not
//! published; `oaklath tables` and its kin and `cargo xtask tables` print what is made here.
//!
//! | module | table |
//! |---|---|
//! | [`sizes`] | names, codepoints, object identifiers, sizes: asserted, not only printed |
//! | [`bytes`] | bytes of whole TLS connections, flight by flight |
//! | [`tls_bench`] | connections and throughput |
//! | [`parts`] | where the time of a handshake goes |
//! | [`memory`] | heap and stack of a connection and of bare operations |
//! | [`speed`] | operations, in the manner of liboqs and of wolfCrypt |
//! | [`stateful`] | LMS/HSS, XMSS, SHA-256 |
//! | [`program`] | the size of a program with and without post-quantum algorithms |
//! | [`peers`] | other libraries, from what `cargo xtask compare` prints |
//!
//! [`all`] lists them and writes their files. [`published`] has the published figures; [`report`] is a table as data and its forms in text, [`chart`]
//! and [`page`] those that a browser shows; [`setup`], [`pki`], [`wire`] and [`classical`] are what connections
//! are made of.

pub mod all;
pub mod bytes;
pub mod chart;
pub mod classical;
pub mod machine;
pub mod memory;
pub mod page;
pub mod parts;
pub mod peers;
pub mod pki;
pub mod program;
pub mod published;
pub mod report;
pub mod setup;
pub mod sizes;
pub mod speed;
pub mod stateful;
pub mod timing;
pub mod tls_bench;
pub mod wire;

pub use report::{Cell, Table};
pub use setup::Setup;
