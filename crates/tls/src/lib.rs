//! Post-quantum and hybrid key exchange, and post-quantum signatures for rustls, over any base
//! provider.
//!
//! A rustls [`CryptoProvider`](rustls::crypto::CryptoProvider) is a value: this crate takes one,
//! the base, and returns it with other key exchange groups and with more signatures. Cipher suites,
//! classical signatures and randomness come from the base, and so does the classical half of every
//! hybrid whose curve the base has. P-521, which no base has, comes from aws-lc with its own
//! generator if the feature `aws-lc-rs` is on, else from the crate `p521`. [`provider`] returns the
//! default base with the standard groups and signatures in front:
//!
//! ```
//! use std::sync::Arc;
//! use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection};
//!
//! # let issued = rcgen::generate_simple_self_signed(["localhost".to_string()])?;
//! # let (certificate, key) = (issued.cert.der().clone(), issued.signing_key.serialize_der());
//! # let key = rustls::pki_types::PrivateKeyDer::try_from(key)?;
//! # let mut roots = RootCertStore::empty();
//! # roots.add(certificate.clone())?;
//! // a client ...
//! let config = ClientConfig::builder_with_provider(oaklath_tls::provider())
//!     .with_safe_default_protocol_versions()?
//!     .with_root_certificates(roots)
//!     .with_no_client_auth();
//! let mut client = ClientConnection::new(Arc::new(config), "localhost".try_into()?)?;
//!
//! // ... and a server
//! let config = ServerConfig::builder_with_provider(oaklath_tls::provider())
//!     .with_safe_default_protocol_versions()?
//!     .with_no_client_auth()
//!     .with_single_cert(vec![certificate], key)?;
//! let mut server = ServerConnection::new(Arc::new(config))?;
//!
//! // Programs use sockets: `client.complete_io(&mut socket)?`, `rustls::Stream`, tokio-rustls.
//! while client.is_handshaking() || server.is_handshaking() {
//!     let (mut flight, mut answer) = (Vec::new(), Vec::new());
//!     client.write_tls(&mut flight)?;
//!     let mut flight = &flight[..];
//!     while !flight.is_empty() {
//!         server.read_tls(&mut flight)?; // as much as there is room for
//!         server.process_new_packets()?;
//!     }
//!     server.write_tls(&mut answer)?;
//!     let mut answer = &answer[..];
//!     while !answer.is_empty() {
//!         client.read_tls(&mut answer)?;
//!         client.process_new_packets()?;
//!     }
//! }
//! let group = client.negotiated_key_exchange_group().expect("the handshake is over");
//! assert_eq!(u16::from(group.name()), 4588); // X25519MLKEM768
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! [`Builder`] chooses groups by name, in the client's order of preference. A client sends a key
//! share for its first group; a server that lacks it asks for another (`HelloRetryRequest`).
//!
//! ```
//! let provider = oaklath_tls::Builder::new(oaklath_tls::default_base())
//!     .groups(["SecP384r1MLKEM1024", "X25519MLKEM768", "secp256r1"])
//!     .build()?;
//! assert_eq!(provider.kx_groups.len(), 3);
//! # Ok::<(), oaklath_tls::BuildError>(())
//! ```
//!
//! A server of rustls has no order of its own: it takes the first group of the *client's* list that
//! it knows, and so connects classically with a client that lists a classical group first.
//! [`ServerOrder`] gives it an order, and [`Builder::post_quantum_only`] excludes classical groups.
//!
//! # Groups
//! Every group of [`oaklath_params::group`] whose KEM is implemented is available, under its name
//! in any vocabulary (IANA, wolfSSL, Open Quantum Safe) or its number. The round-3 groups of
//! wolfSSL's appendix (`P521_KYBER_LEVEL5` and the like) are for experiments and old peers; they
//! have two locks, the cargo feature `legacy` and [`Builder::allow_legacy`], since cargo unifies
//! features across a dependency graph. Post-quantum groups work in TLS 1.3 only; with TLS 1.2
//! enabled, an older peer gets a classical group if the provider has one. No group of ours claims
//! FIPS validation, so `CryptoProvider::fips` is false.
//!
//! # Signatures
//! Certificates and handshakes are verified with every algorithm of [`oaklath_params::sig`] that is
//! implemented; the standard ones, ML-DSA and SLH-DSA, are in every provider. Their private keys
//! load from PKCS#8 in each form that `oaklath_pki` reads, wherever rustls takes a key; other keys
//! are loaded by the base. Signatures use the base's randomness. A key is expanded once for all its
//! signatures, except with [`Builder::low_memory`]. Round-3 signatures (Dilithium, Falcon,
//! SPHINCS+) have the same two locks as the groups: without [`Builder::allow_legacy`] none is
//! offered or verified, and no key loads. Post-quantum signatures work in TLS 1.3 only.
//!
//! A server and a client that present post-quantum certificates to each other:
//!
//! ```
//! # use std::sync::Arc;
//! # use std::time::{Duration, SystemTime};
//! # use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection};
//! # use rustls::pki_types::{CertificateDer, PrivateKeyDer};
//! # use rustls::server::WebPkiClientVerifier;
//! use oaklath_pki::{Authority, Identity, PrivateKey, Template};
//!
//! // a root, and a certificate for both sides
//! let algorithm = Identity::by_name("ML-DSA-65").ok_or("unknown")?;
//! let day = SystemTime::now()..=SystemTime::now() + Duration::from_secs(86_400);
//! let root_key = PrivateKey::generate(algorithm)?;
//! let root = Template::new("CN=Root", day.clone())?.root(&root_key)?;
//! let key = PrivateKey::generate(algorithm)?;
//! let entity = Template::new("CN=localhost", day)?
//!     .dns("localhost")?
//!     .entity(&key.public_key(), &Authority::new(&root, &root_key)?)?;
//!
//! // in programs, rustls reads these from PEM files
//! let mut roots = RootCertStore::empty();
//! roots.add(CertificateDer::from(root.as_der().to_vec()))?;
//! let roots = Arc::new(roots);
//! let chain = vec![CertificateDer::from(entity.as_der().to_vec())];
//! let key = PrivateKeyDer::try_from(key.to_der(algorithm.standard_form())?.to_vec())?;
//!
//! let provider = oaklath_tls::provider();
//! let client = ClientConfig::builder_with_provider(provider.clone())
//!     .with_protocol_versions(&[&rustls::version::TLS13])?
//!     .with_root_certificates(roots.clone())
//!     .with_client_auth_cert(chain.clone(), key.clone_key())?;
//! let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider.clone()).build()?;
//! let server = ServerConfig::builder_with_provider(provider)
//!     .with_protocol_versions(&[&rustls::version::TLS13])?
//!     .with_client_cert_verifier(verifier)
//!     .with_single_cert(chain.clone(), key)?;
//! # let mut client = ClientConnection::new(Arc::new(client), "localhost".try_into()?)?;
//! # let mut server = ServerConnection::new(Arc::new(server))?;
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
//! # assert!(!client.is_handshaking() && !server.is_handshaking());
//! # assert_eq!(client.peer_certificates(), Some(&chain[..]));
//! # assert_eq!(server.peer_certificates(), Some(&chain[..]));
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! [`Chains`] presents to each peer a chain that it can verify: a post-quantum one if the peer
//! supports it, else a classical one.
//!
//! A certificate message of rustls and most peers has at most 65,535 bytes, so no chain holds two
//! signatures of SLH-DSA-192f or -256f: [`check_chain`] detects this in advance. And rustls'
//! buffered connections, which everything above uses, have the same limit for a whole flight,
//! certificates and the handshake's signature together: if both an entity and its authority use one
//! of those sets, they fail with "message buffer full". [`unbuffered`] connects them.
//!
//! # Many connections
//! A client that makes many connections can generate key shares ahead of them:
//! [`Builder::build_pooled`] returns a [`KeySharePool`] beside the provider. It is refilled
//! whenever the caller has time, instead of at the start of each connection. The pool limits how
//! many shares wait and for how long; its documentation says what waiting costs in secrecy.
//!
//! # Features
//! `aws-lc-rs` (default, fastest), `ring`, `graviola` (no C compiler) each add a base provider for
//! [`default_base`]; any other `CryptoProvider` can be a base too. `legacy`: see above.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod base;
mod buffer;
mod builder;
mod chains;
mod connection;
mod deadline;
mod group;
mod lock;
mod order;
mod pool;
mod sign;
pub mod unbuffered;
mod verify;

#[cfg(any(feature = "aws-lc-rs", feature = "ring", feature = "graviola"))]
mod default;

pub use builder::{BuildError, Builder};
pub use chains::{ChainTooLong, Chains, check_chain};
pub use deadline::{Deadline, TimedSocket};
#[cfg(any(feature = "aws-lc-rs", feature = "ring", feature = "graviola"))]
pub use default::{default_base, provider};
pub use order::ServerOrder;
pub use pool::KeySharePool;

/// The version of rustls that this crate is built for.
pub use rustls;
