//! Measures every table of wolfSSL's appendix "Experimenting with Post-Quantum Cryptography", and
//! checks the published test vectors. Not published: the program `oaklath-lab`, which `cargo xtask
//! tables` and the stage `vectors` run.
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
//! | [`program`] | the size of a program with and without post-quantum algorithms, and its parts |
//! | [`peers`] | other libraries, from what `cargo xtask compare` prints |
//!
//! [`all`] lists them and writes their files. [`published`] has the published figures; [`report`]
//! has tables as data and their forms in text, [`chart`] and [`page`] the forms for a browser;
//! [`connections`] and [`classical`] add to `oaklath-cli`'s connections what only the tables need.
//! [`commands`] is the command line.

pub mod all;
pub mod bytes;
pub mod chart;
pub mod classical;
pub mod commands;
pub mod connections;
pub mod machine;
pub mod memory;
pub mod page;
pub mod parts;
pub mod peers;
pub mod program;
pub mod published;
pub mod report;
pub mod sizes;
pub mod speed;
pub mod stateful;
pub mod timing;
pub mod tls_bench;
mod vectors;
