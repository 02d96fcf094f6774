//! Post-quantum cryptography and quantum-safe TLS 1.3.
//!
//! Oaklath (oak: trees, lath: lattices) implements in Rust the algorithms that replace RSA and
//! elliptic curves, and makes them available in [rustls](https://docs.rs/rustls). This crate
//! re-exports its parts:
//!
//! | module | feature | contents |
//! |---|---|---|
//! | [`params`] | | the table of names, identifiers, codepoints and sizes |
//! | `kem` | `kem` | key encapsulation: ML-KEM; from round 3 Kyber, Kyber-90s, NTRU, SABER |
//! | `sig` | `sig` | ML-DSA, SLH-DSA, FN-DSA; from round 3 Dilithium, Falcon, SPHINCS+ |
//! | `stateful` | `stateful` | LMS, HSS, XMSS and XMSS^MT: stateful hash-based signatures |
//! | `stores` | `stores` | the signer for such keys; files and databases that count uses |
//! | `pki` | `pki` | keys in PKCS#8 and SPKI, certificates |
//! | `hybrid` | `hybrid` | a classical curve combined with a KEM, without TLS |
//! | `tls` | `tls` | a `CryptoProvider` for rustls with post-quantum groups and signatures |
//! | `standards` | `default`, `stores` | which function implements which part of a standard |
//!
//! Oaklath is young and has **not been audited**.
//!
//! # Key encapsulation
//! The receiver makes a key pair and publishes the encapsulation key. The sender encapsulates:
//! that gives a shared secret, and a ciphertext from which the receiver gets the same secret.
//! Algorithms are types, so that a key of one cannot meet a ciphertext of another:
//!
#![cfg_attr(all(feature = "kem", feature = "getrandom"), doc = "```")]
#![cfg_attr(not(all(feature = "kem", feature = "getrandom")), doc = "```ignore")]
//! use oaklath::kem::{Ciphertext, DecapsulationKey, EncapsulationKey, MlKem768};
//!
//! // the receiver
//! let key = DecapsulationKey::<MlKem768>::generate();
//! let published = key.encapsulation_key().as_bytes();
//!
//! // the sender; parsing checks the key as FIPS 203, section 7.2, requires
//! let (ciphertext, senders) = EncapsulationKey::<MlKem768>::from_bytes(published)?.encapsulate();
//! let sent = ciphertext.as_bytes();
//!
//! // the receiver
//! let receivers = key.decapsulate(&Ciphertext::from_bytes(sent)?);
//! assert_eq!(senders, receivers);
//! # Ok::<(), oaklath::kem::Error>(())
//! ```
//!
//! Programs that choose the algorithm at run time look it up by name, in any vocabulary, and handle
//! bytes. `info()` returns the lengths. Random bytes come from the crate `getrandom` (0.4, with its
//! feature `sys_rng` for `SysRng`):
//!
#![cfg_attr(all(feature = "kem", feature = "getrandom"), doc = "```")]
#![cfg_attr(not(all(feature = "kem", feature = "getrandom")), doc = "```ignore")]
//! use oaklath::kem;
//!
//! let kem = kem::by_name("ML_KEM_1024")?;
//! let info = kem.info();
//! assert_eq!((info.name, info.level), ("ML-KEM-1024", 5));
//!
//! let (mut seed, mut coins) = (vec![0; kem.seed_len()], vec![0; kem.coins_len()]);
//! getrandom::fill(&mut seed)?;
//! getrandom::fill(&mut coins)?;
//!
//! let (mut ek, mut dk) = (vec![0; info.public_key], vec![0; info.secret_key]);
//! kem.keypair_from(&seed, &mut ek, &mut dk)?;
//!
//! let (mut ciphertext, mut sent) = (vec![0; info.ciphertext], vec![0; info.shared_secret]);
//! kem.encapsulate_from(&coins, &ek, &mut ciphertext, &mut sent)?;
//!
//! let mut received = vec![0; info.shared_secret];
//! kem.decapsulate(&dk, &ciphertext, &mut received)?;
//! assert_eq!(sent, received);
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! # Signatures
//! Signatures have the same two layers. They are hedged: randomised, but secure even if the
//! randomness is bad. A message may be bound to a context, which the verifier must know.
//!
#![cfg_attr(all(feature = "sig", feature = "getrandom"), doc = "```")]
#![cfg_attr(not(all(feature = "sig", feature = "getrandom")), doc = "```ignore")]
//! use oaklath::sig::{EncodedSignature, Message, MlDsa65, SigningKey, VerifyingKey};
//!
//! let key = SigningKey::<MlDsa65>::generate();
//! // The context, which the verifier must know, and the message.
//! let update = Message::with_context(b"an update", b"firmware of the left door");
//! let signature = key.sign_message(&update)?;
//!
//! let key = VerifyingKey::<MlDsa65>::from_bytes(key.verifying_key().as_bytes())?;
//! key.verify_message(&update, &EncodedSignature::from_bytes(signature.as_bytes())?)?;
//! # Ok::<(), oaklath::sig::Error>(())
//! ```
//!
//! Keys and signatures of SLH-DSA, FN-DSA and Falcon are used the same way:
//! `SigningKey<SlhDsaShake128f>`.
//!
//! Expand a key once if it is used often. Expanding a signing key may fail, since a Falcon key from
//! elsewhere may be unable to sign; a verifying key was checked when it was parsed:
//!
#![cfg_attr(all(feature = "ml-dsa", feature = "getrandom"), doc = "```")]
#![cfg_attr(not(all(feature = "ml-dsa", feature = "getrandom")), doc = "```ignore")]
//! use oaklath::sig::{Message, MlDsa65, SigningKey};
//!
//! let key = SigningKey::<MlDsa65>::generate();
//! let (signer, verifier) = (key.expand()?, key.verifying_key().expand());
//! for message in [b"one", b"two"] {
//!     let signature = signer.sign_message(&Message::new(message))?;
//!     verifier.verify_message(&Message::new(message), &signature)?;
//! }
//! # Ok::<(), oaklath::sig::Error>(())
//! ```
//!
//! # Stateful signatures
//! The keys of LMS and XMSS consist of one-time keys, each of which must sign only once, whatever
//! fails. A store counts them: here a file, whose record is durable before a signature is computed,
//! and an anchor on another disk, by which an old copy of the file is noticed. A key of LMS is one
//! of HSS with one level.
//!
#![cfg_attr(all(feature = "stores", feature = "lms", feature = "getrandom"), doc = "```")]
#![cfg_attr(
    not(all(feature = "stores", feature = "lms", feature = "getrandom")),
    doc = "```ignore"
)]
//! use oaklath::params::stateful::lms;
//! use oaklath::stateful::{HssLevels, HssPublicKey, HssSigningKey, NODE_BYTES, StatefulKey};
//! use oaklath::stores::{FileStore, KeyId, Signer};
//!
//! # let folder = std::env::temp_dir().join(format!("oaklath-facade-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # let (file, anchors) = (folder.join("firmware.state"), folder.join("anchors"));
//! // Once: a key, whose bytes are kept secret, and its state.
//! let levels = HssLevels::new(&[(&lms::LMS_SHA256_M32_H10, &lms::LMOTS_SHA256_N32_W4)])?;
//! let key = HssSigningKey::generate(&levels, NODE_BYTES)?;
//! let public = HssPublicKey::from_bytes(key.public_key())?;
//! let id = KeyId::of_key(&key);
//! FileStore::at(&file).anchors_in(&anchors).create(id, 0..key.signatures())?;
//! let secret = key.to_bytes();
//!
//! // Later, in one process at a time.
//! let key = HssSigningKey::from_bytes(&secret, NODE_BYTES)?;
//! let store = FileStore::at(&file).anchors_in(&anchors).open(id)?;
//! let mut signer = Signer::new(Box::new(key), Box::new(store))?;
//! let signature = signer.sign(b"firmware 1.0")?;
//! public.verify(b"firmware 1.0", &signature)?;
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Hybrids without TLS
//! A hybrid is secure as long as one of its halves is. The secret is keying material: derive keys
//! from it together with both shares.
//!
#![cfg_attr(any(feature = "aws-lc-rs", feature = "rustcrypto"), doc = "```")]
#![cfg_attr(not(any(feature = "aws-lc-rs", feature = "rustcrypto")), doc = "```ignore")]
//! use getrandom::SysRng;
//! use oaklath::hybrid::Group;
//!
//! let group = Group::by_name("X25519MLKEM768")?;
//! let client = group.generate(&mut SysRng)?;
//! let answer = group.respond(&mut SysRng, client.share())?;
//! let secret = client.finish(&answer.share)?;
//! assert_eq!(secret.as_bytes(), answer.secret.as_bytes());
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! # TLS
//! A provider is a value that every rustls configuration accepts. `tls::provider()` prefers
//! X25519MLKEM768 and keeps classical groups for older peers; `tls::Builder` chooses groups by
//! name, and its `post_quantum_only` leaves classical ones out. A server of rustls follows the
//! client's order; `tls::ServerOrder` gives it one of its own:
//!
#![cfg_attr(feature = "aws-lc-rs", doc = "```")]
#![cfg_attr(not(feature = "aws-lc-rs"), doc = "```ignore")]
//! use std::sync::Arc;
//!
//! use oaklath::tls;
//! use rustls::{ClientConfig, RootCertStore, ServerConfig};
//! use rustls::pki_types::pem::PemObject;
//! use rustls::pki_types::{CertificateDer, PrivateKeyDer};
//!
//! # const ROOT: &[u8] =
//! #     include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../certs/p256_root_cert.pem"));
//! # const CERT: &[u8] =
//! #     include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../certs/p256_server_cert.pem"));
//! # const KEY: &[u8] =
//! #     include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../certs/p256_server_key.pem"));
//! // a client that speaks to old servers too
//! let mut roots = RootCertStore::empty();
//! roots.add(CertificateDer::from_pem_slice(ROOT)?)?;
//! let client = ClientConfig::builder_with_provider(tls::provider())
//!     .with_safe_default_protocol_versions()?
//!     .with_root_certificates(roots)
//!     .with_no_client_auth();
//!
//! // a server that requires post-quantum key exchange
//! let provider = tls::Builder::new(tls::default_base())
//!     .post_quantum_only()
//!     .build()?;
//! let chain = vec![CertificateDer::from_pem_slice(CERT)?];
//! let server = ServerConfig::builder_with_provider(Arc::new(provider))
//!     .with_protocol_versions(&[&rustls::version::TLS13])?
//!     .with_no_client_auth()
//!     .with_single_cert(chain, PrivateKeyDer::from_pem_slice(KEY)?)?;
//! # let mut client = rustls::ClientConnection::new(Arc::new(client), "localhost".try_into()?)?;
//! # let mut server = rustls::ServerConnection::new(Arc::new(server))?;
//! # while client.is_handshaking() || server.is_handshaking() {
//! #     let (mut flight, mut answer) = (Vec::new(), Vec::new());
//! #     client.write_tls(&mut flight)?;
//! #     let mut flight = &flight[..];
//! #     while !flight.is_empty() {
//! #         server.read_tls(&mut flight)?; // as much as there is room for
//! #         server.process_new_packets()?;
//! #     }
//! #     server.write_tls(&mut answer)?;
//! #     let mut answer = &answer[..];
//! #     while !answer.is_empty() {
//! #         client.read_tls(&mut answer)?;
//! #         client.process_new_packets()?;
//! #     }
//! # }
//! # let group = client.negotiated_key_exchange_group().ok_or("no group")?;
//! # assert_eq!(u16::from(group.name()), oaklath::params::group::X25519MLKEM768.codepoint);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The provider verifies ML-DSA and SLH-DSA certificates and takes their keys in PKCS#8 wherever
//! rustls takes a key. `tls::Chains` presents a post-quantum certificate to peers that support it
//! and a classical one to others; `tls::unbuffered` connects even if certificates and signatures
//! are longer than rustls' own buffers; `pki` creates keys and certificates.
//!
//! # Names
//! Names of every vocabulary are accepted, whatever their case and separators, and groups also by
//! number: `P521_KYBER_LEVEL5` (wolfSSL), `p521_kyber1024` (Open Quantum Safe) and `12093` are the
//! same group.
//!
//! ```
//! use oaklath::params::{Status, group};
//! let group = group::by_name("p521_kyber1024").ok_or("unknown")?;
//! assert_eq!((group.name, group.codepoint), ("P521_KYBER_LEVEL5", 12093));
//! assert_eq!(group.status, Status::Legacy);
//! # Ok::<(), &str>(())
//! ```
//!
//! Algorithms of status `Legacy` are NIST's round-3 candidates as wolfSSL's appendix "Experimenting
//! with Post-Quantum Cryptography" lists them, for experiments and old peers. They need the feature
//! of their family (`legacy` enables all), and in TLS also `tls::Builder::allow_legacy`.
//!
//! # Features
//! | feature | default | |
//! |---|---|---|
//! | `tls` | yes | the provider for rustls; enables the features `kem`, `sig`, `hybrid`, `pki` |
//! | `ml-kem`, `ml-dsa`, `slh-dsa`, `lms`, `xmss` | yes | the standards, one feature per family |
//! | `kyber`, `kyber-90s`, `ntru`, `saber` | | round-3 KEMs |
//! | `dilithium`, `dilithium-aes`, `sphincs-plus`, `falcon` | | round-3 signatures |
//! | `legacy` | | all algorithms of round 3 |
//! | `fn-dsa-draft` | | FN-DSA (FIPS 206 is not yet published; the encoding will change) |
//! | `stateful` | yes, with `lms` and `xmss` | their keys and signatures: LMS, HSS, XMSS, XMSS^MT |
//! | `stores`, `postgres`, `etcd` | | stores of one-time keys and the signer; databases |
//! | `signature` | | the traits of the crate `signature` for keys of `sig` |
//! | `aws-lc-rs` | yes | base provider and curves of aws-lc-rs: fastest, but needs a C compiler |
//! | `ring` | | base provider ring; needs a C compiler |
//! | `graviola` | | base provider graviola; needs no C compiler; x86-64 and aarch64 |
//! | `rustcrypto` | | curves in portable Rust, for hybrids without TLS |
//! | `pct` | | runs a pairwise consistency test on each new key |
//! | `parallel` | | computes hash trees on all cores |
//! | `low-memory` | | signing with ML-DSA key bytes: under 48 KiB of stack, three times as long |
//! | `hazmat` | | APIs that can break a key: indices from no store, caller-supplied randomness |
//! | `falcon-emulated` | | Falcon with integers instead of doubles: twenty times slower |
//! | `std`, `getrandom` | yes | detection of CPU features; randomness of the operating system |
//!
//! Without its feature, no code of an algorithm is compiled: `default-features = false, features =
//! ["tls", "aws-lc-rs", "kyber", "falcon"]` is the selection of wolfSSL's minimal build.
//!
//! # Speed
//! Without optimisation, cryptography is hundreds of times slower. For development builds add this
//! to your `Cargo.toml`:
//!
//! ```toml
//! [profile.dev.package."*"]
//! opt-level = 3
//! ```
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[doc(inline)]
pub use oaklath_params as params;
#[doc(inline)]
pub use oaklath_simd::DataIndependentTiming;

#[cfg(feature = "kem")]
#[doc(inline)]
pub use oaklath_kem as kem;

#[cfg(feature = "sig")]
#[doc(inline)]
pub use oaklath_sig as sig;

#[cfg(feature = "stateful")]
#[doc(inline)]
pub use oaklath_stateful as stateful;

#[cfg(feature = "stores")]
#[doc(inline)]
pub use oaklath_stores as stores;

#[cfg(feature = "pki")]
#[doc(inline)]
pub use oaklath_pki as pki;

#[cfg(feature = "hybrid")]
#[doc(inline)]
pub use oaklath_hybrid as hybrid;

#[cfg(feature = "tls")]
#[doc(inline)]
pub use oaklath_tls as tls;

#[cfg(all(
    feature = "tls",
    feature = "aws-lc-rs",
    feature = "stores",
    feature = "ml-dsa",
    feature = "slh-dsa",
    feature = "lms",
    feature = "xmss"
))]
pub mod standards;

/// The examples of the documentation pages, to test that they compile.
#[cfg(all(doctest, feature = "aws-lc-rs", feature = "lms"))]
mod pages {
    macro_rules! pages {
        ($($name:ident $page:literal)*) => { $(
            #[doc = include_str!(concat!("../../../", $page))]
            struct $name;
        )* };
    }
    pages! {
        Readme "README.md"
        FromOthers "docs/migrating.md"
        Groups "docs/guide/groups.md"
        TwoChains "docs/guide/two-chains.md"
        Keys "docs/guide/keys.md"
        Firmware "docs/guide/firmware.md"
        Debugging "docs/guide/debugging.md"
    }
}
