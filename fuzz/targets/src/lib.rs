//! What is fuzzed: one function a target, from bytes to nothing. A target panics where a property
//! is broken, beside the panics, overflows and reads out of bounds that a fuzzer finds by itself.
//!
//! - `kem_keys`, `kem_ciphertexts`: a key is rejected or works; the prepared key agrees; another
//!   ciphertext gives another secret
//! - `sig_keys`, `signatures`: a private key that passes its check signs; no other key and no other
//!   signature verifies
//! - `shares`: a share is rejected, or both sides come to an end
//! - `stateful_keys`, `stateful_signatures`: a private key, ours or not, is rejected or signs;
//!   no other public key and no other signature verifies; kept nodes change nothing but time
//! - `state_records`: a damaged state, anchor or mark is rejected, or no index is given again; one
//!   that was made up keeps to what it says
//! - `spki`, `pkcs8`, `certificate`, `request`, `pem`: what is read is written alike
//! - `level_diff_kem`, `level_diff_lattices`, `level_diff_slh`, `level_diff_stateful`: every SIMD
//!   level computes the same
//! - `tls_server`, `tls_client`: rustls with our provider ends with an alert, or waits
//! - `tls_unbuffered`: our blocking connections come as far as rustls' own
//!
//! The command line has no decoders but these. What it reads from files:
//!
//! - keys, ciphertexts, signatures, as bytes or digits: `kem_keys`, `kem_ciphertexts`, `sig_keys`,
//!   `signatures`
//! - keys, certificates, requests, as PEM or DER: `pem`, `spki`, `pkcs8`, `certificate`, `request`
//! - stateful keys, their nodes and signatures: `pem` around `stateful_keys`, `stateful_signatures`
//! - `.state`, `.mark`, anchors: `state_records`
//!
//! Digits are decoded by the crate `hex`, lines of `tables` by `serde_json`. Archives of test
//! vectors come from the tests; that each of their ends is an error, `selftest` tests itself.
//! Of what a peer sends, ours are the shares (`shares`), keys, certificates and signatures, and
//! records where `tls_unbuffered` cuts them; the rest is rustls'.
//!
//! [`families`] are the same comparisons of levels for a program without a fuzzer, `cargo xtask
//! levels`.
//!
//! Inputs for fixed-length objects are scripts ([`Script`]): they begin with an honest object and
//! change it, so that the fuzzer need not find 1,184 bytes of a key first. Thus corpora are small,
//! too. `corpus/` has the seeds, which `cargo run --bin seeds` writes; a test replays everything
//! there.

mod families;
mod files;
mod kems;
mod levels;
mod script;
mod shares;
mod sigs;
mod stateful;
mod states;
mod tls;

use std::path::{Path, PathBuf};

pub use families::{Comparison, Family, families};
pub use script::Script;

/// A seed: its name among those of its target, and the bytes.
pub type Seed = (String, Vec<u8>);

/// Something to fuzz.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name, also of the program in `fuzz_targets/` and of the folder in `corpus/`.
    pub name: &'static str,
    /// Runs it on an input.
    ///
    /// Panics where a property is broken.
    pub run: fn(&[u8]),
    /// Seeds, the same each time.
    pub seeds: fn() -> Vec<Seed>,
}

/// Every target.
pub const ALL: &[Target] = &[
    Target { name: "kem_keys", run: kems::keys, seeds: kems::key_seeds },
    Target { name: "kem_ciphertexts", run: kems::ciphertexts, seeds: kems::ciphertext_seeds },
    Target { name: "sig_keys", run: sigs::keys, seeds: sigs::key_seeds },
    Target { name: "signatures", run: sigs::signatures, seeds: sigs::signature_seeds },
    Target { name: "stateful_keys", run: stateful::keys, seeds: stateful::key_seeds },
    Target {
        name: "stateful_signatures",
        run: stateful::signatures,
        seeds: stateful::signature_seeds,
    },
    Target { name: "state_records", run: states::records, seeds: states::seeds },
    Target { name: "shares", run: shares::shares, seeds: shares::seeds },
    Target { name: "spki", run: files::spki, seeds: files::spki_seeds },
    Target { name: "pkcs8", run: files::pkcs8, seeds: files::pkcs8_seeds },
    Target { name: "certificate", run: files::certificate, seeds: files::certificate_seeds },
    Target { name: "request", run: files::request, seeds: files::request_seeds },
    Target { name: "pem", run: files::pem, seeds: files::pem_seeds },
    Target { name: "level_diff_kem", run: levels::kem, seeds: levels::kem_seeds },
    Target { name: "level_diff_lattices", run: levels::lattices, seeds: levels::lattices_seeds },
    Target { name: "level_diff_slh", run: levels::slh, seeds: levels::slh_seeds },
    Target { name: "level_diff_stateful", run: levels::stateful, seeds: levels::stateful_seeds },
    Target { name: "tls_server", run: tls::server, seeds: tls::server_seeds },
    Target { name: "tls_client", run: tls::client, seeds: tls::client_seeds },
    Target { name: "tls_unbuffered", run: tls::unbuffered, seeds: tls::unbuffered_seeds },
];

/// What the target of this name runs. Where it is called at compile time, nothing else becomes part
/// of the program, whose size is what most executions of a fuzzer take their time for.
///
/// ```
/// const RUN: fn(&[u8]) = targets::named("spki");
/// RUN(b"no key");
/// ```
///
/// # Panics
/// If there is none.
#[must_use]
pub const fn named(name: &str) -> fn(&[u8]) {
    let mut i = 0;
    while i < ALL.len() {
        if is_equal(ALL[i].name.as_bytes(), name.as_bytes()) {
            return ALL[i].run;
        }
        i += 1;
    }
    panic!("no target has this name");
}

const fn is_equal(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

/// The folder of all corpora.
#[must_use]
pub fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("corpus")
}
