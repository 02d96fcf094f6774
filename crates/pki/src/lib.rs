//! Keys and certificates of post-quantum algorithms: SPKI and PKCS#8 (RFC 5280, RFC 5958) in every
//! form in use, PEM (RFC 7468), and X.509 v3.
//!
//! | type | is |
//! |---|---|
//! | [`Identity`] | an algorithm under one object identifier |
//! | [`PrivateKey`] | a key of PKCS#8, complete and with consistent parts |
//! | [`PublicKey`] | a key of SPKI, including LMS/HSS, XMSS and XMSS^MT (RFC 9802) |
//! | [`Certificate`], [`Request`] | X.509 certificates, PKCS#10 requests, in their original bytes |
//! | [`Template`] | the contents of a new certificate: roots, intermediates, entities |
//! | [`Issuer`] | the signer of certificates: a private key, or one that a store keeps |
//! | [`verify_chain`] | verifies that a certificate chains to a root |
//! | [`inspect()`] | describes the contents of a file |
//!
//! ```
//! use std::time::{Duration, SystemTime};
//! use oaklath_pki::{Authority, Identity, PrivateKey, Template, VerifyOptions, verify_chain};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let year = SystemTime::now()..=SystemTime::now() + Duration::from_secs(365 * 86400);
//! let identity = Identity::by_name("ML-DSA-65").ok_or("no such algorithm")?;
//!
//! let root_key = PrivateKey::generate(identity)?;
//! let root = Template::new("CN=Root,O=Example", year.clone())?.root(&root_key)?;
//! let authority = Authority::new(&root, &root_key)?;
//!
//! let key = PrivateKey::generate(identity)?;
//! let entity = Template::new("CN=door.example", year)?
//!     .dns("door.example")?
//!     .entity(&key.public_key(), &authority)?;
//!
//! let (options, trusted) = (VerifyOptions::now().server("door.example"), [root]);
//! let path = verify_chain(&entity, &[], &trusted, &options)?;
//! assert_eq!(path.len(), 2);
//! println!("{}{}", key.to_pem(key.identity().standard_form())?.as_str(), entity.to_pem());
//! # Ok(())
//! # }
//! ```
//!
//! Operations that need the code of an algorithm (generating, expanding and checking a key,
//! signing, verifying) work if this build has it; operations that need only lengths work for every
//! algorithm of [`oaklath_params`].
#![cfg_attr(docsrs, feature(doc_cfg))]

mod certificate;
mod chain;
mod contents;
mod error;
mod form;
mod identity;
mod inspect;
mod issuing;
mod oid_names;
mod pem;
mod private;
mod public;
mod request;
mod template;
mod write;

pub use certificate::Certificate;
pub use chain::{ChainError, VerifyOptions, verify_chain};
pub use error::{CertificateError, KeyError};
pub use form::{Form, Profile};
pub use identity::{Algorithm, Identity};
pub use inspect::{
    Agreement, AlgorithmReport, CertificateReport, Content, ExtensionReport, Item,
    PrivateKeyReport, PublicKeyReport, RequestReport, inspect,
};
pub use pem::{PemBlock, PemError, PemLimits, decode_pem, decode_pem_within, encode_pem};
pub use private::{Issuer, PrivateKey, Signing};
pub use public::PublicKey;
pub use request::Request;
pub use template::{Authority, Template};

/// The X.509 structures that this crate is built on.
pub use x509_cert;
