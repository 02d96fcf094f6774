//! Post-quantum and hybrid key exchange for rustls, over any base provider.
//!
//! A rustls [`CryptoProvider`](rustls::crypto::CryptoProvider) is a value: this crate takes one,
//! the base, and returns it with other key exchange groups. Cipher suites, signatures and
//! randomness stay the base's, and so does the classical half of every hybrid that the base has a
//! curve for. [`provider`] is the base of the default feature with the standard groups in front:
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
//! // Sockets in real life: `client.complete_io(&mut socket)?`, `rustls::Stream`, tokio-rustls.
//! let mut wire = Vec::new();
//! while client.is_handshaking() || server.is_handshaking() {
//!     client.write_tls(&mut wire)?;
//!     server.read_tls(&mut &*std::mem::take(&mut wire))?;
//!     server.process_new_packets()?;
//!     server.write_tls(&mut wire)?;
//!     client.read_tls(&mut &*std::mem::take(&mut wire))?;
//!     client.process_new_packets()?;
//! }
//! let group = client.negotiated_key_exchange_group().expect("the handshake is over");
//! assert_eq!(u16::from(group.name()), 4588); // X25519MLKEM768
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! [`Builder`] chooses groups by name, and its order is the client's preference. A client sends a
//! key share for its first group; a server that lacks it asks for another (`HelloRetryRequest`).
//! To insist on post-quantum key exchange, name such groups only.
//!
//! ```
//! let provider = oaklath_tls::Builder::new(oaklath_tls::default_base())
//!     .groups(["SecP384r1MLKEM1024", "X25519MLKEM768", "secp256r1"])
//!     .build()?;
//! assert_eq!(provider.kx_groups.len(), 3);
//! # Ok::<(), oaklath_tls::BuildError>(())
//! ```
//!
//! # Groups
//! Every group of [`oaklath_params::group`] whose KEM is implemented, under its name in any
//! vocabulary (IANA, wolfSSL, Open Quantum Safe) or its number. The round-3 groups of wolfSSL's
//! appendix (`P521_KYBER_LEVEL5` and the like) are for experiments and old peers; they have two
//! locks, the cargo feature `legacy` and [`Builder::allow_legacy`], since cargo unifies features
//! across a dependency graph. Post-quantum groups work in TLS 1.3 only; with TLS 1.2 enabled, an
//! older peer gets a classical group if the provider has one. No group of ours claims FIPS
//! validation, so `CryptoProvider::fips` is false.
//!
//! # Features
//! `aws-lc-rs` (default, fastest), `ring`, `graviola` (no C compiler) each add a base provider for
//! [`default_base`]; any other `CryptoProvider` can be a base too. `legacy`: see above.

mod base;
mod builder;
mod chains;
mod group;
mod lock;
mod sign;
mod verify;

#[cfg(any(feature = "aws-lc-rs", feature = "ring", feature = "graviola"))]
mod default;

pub use builder::{BuildError, Builder};
pub use chains::Chains;
#[cfg(any(feature = "aws-lc-rs", feature = "ring", feature = "graviola"))]
pub use default::{default_base, provider};

/// The rustls this crate is built for.
pub use rustls;
