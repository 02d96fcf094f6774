//! The errors of keys and certificates.

use std::fmt;

use x509_cert::der;
use x509_cert::der::asn1::ObjectIdentifier;

use crate::form::{Form, Profile};
use crate::oid_names;
use crate::pem::PemError;

/// The reason why a key is rejected. Lengths are in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyError {
    /// The file is not PEM, or has blocks of other kinds only.
    Pem(PemError),
    /// The bytes are not the DER of PKCS#8 or SPKI.
    Malformed(der::Error),
    /// The private key is encrypted; this crate does not decrypt keys.
    Encrypted,
    /// The object identifier is not in the table: the algorithm is classical or unknown.
    UnsupportedAlgorithm {
        /// The object identifier.
        oid: ObjectIdentifier,
    },
    /// An object identifier has leading zeros in an arc, which DER forbids.
    IdentifierEncoding {
        /// The algorithm that the object identifier would name.
        name: &'static str,
    },
    /// The algorithm is in the table, but its code is not in this build.
    NotBuilt {
        /// The algorithm.
        name: &'static str,
    },
    /// An `AlgorithmIdentifier` has parameters, which must be absent.
    Parameters {
        /// The algorithm.
        name: &'static str,
    },
    /// The algorithm has no object identifier in a profile.
    NotInProfile {
        /// The algorithm.
        name: &'static str,
        /// The profile.
        profile: Profile,
    },
    /// A key was given the object identifier of another algorithm.
    AlgorithmDiffers {
        /// The algorithm of the object identifier.
        expected: &'static str,
        /// The algorithm of the key.
        found: &'static str,
    },
    /// A KEM's key was used for signatures.
    NoSignatures {
        /// The algorithm.
        name: &'static str,
    },
    /// A signature scheme's key was used for decapsulation.
    NoDecapsulation {
        /// The algorithm.
        name: &'static str,
    },
    /// A public key has the wrong length.
    PublicKeyLength {
        /// The algorithm.
        name: &'static str,
        /// The length that the algorithm requires.
        expected: usize,
        /// The length that was given.
        found: usize,
    },
    /// The octet string `privateKey` is in none of the known forms.
    Contents {
        /// The algorithm.
        name: &'static str,
        /// The length of the octet string.
        found: usize,
        /// The length of a seed, if PKCS#8 has one for the algorithm.
        seed: Option<usize>,
        /// The length of a private key without its public key.
        expanded: usize,
    },
    /// A file has a seed and an expanded private key, and the seed yields a different key.
    SeedAndExpandedDiffer {
        /// The first part that differs, by its name in the standard.
        part: &'static str,
    },
    /// The private part of a KEM's key does not decapsulate what its public part encapsulates.
    Inconsistent,
    /// A private key is stored with a public key that does not belong to it.
    PublicKeyDiffers,
    /// Keys of this algorithm have a state: private keys are kept by a store, not by this crate.
    Stateful {
        /// The algorithm.
        name: &'static str,
    },
    /// The holder of a private key declined to sign.
    Refused {
        /// The reason, in words.
        reason: String,
    },
    /// A stateful scheme rejects a key or a signature.
    OfStateful(oaklath_stateful::Error),
    /// A KEM rejects a key.
    Kem(oaklath_kem::Error),
    /// A signature scheme rejects a key, a message or a signature.
    Sig(oaklath_sig::Error),
    /// Private keys of this algorithm are not written in this form.
    FormUnavailable {
        /// The algorithm.
        name: &'static str,
        /// The form.
        form: Form,
    },
    /// The form requires the seed, but the key was read without one.
    NoSeed {
        /// The form.
        form: Form,
    },
    /// The random generator of the operating system failed.
    Random,
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pem(error) => write!(f, "{error}"),
            Self::Malformed(error) => write!(f, "not a key in DER: {error}"),
            Self::Encrypted => f.write_str("private key is encrypted, expected a plain one"),
            Self::UnsupportedAlgorithm { oid } => {
                write!(f, "unsupported algorithm {}", oid_names::with_name(oid))
            }
            Self::IdentifierEncoding { name } => {
                write!(f, "object identifier of {name} with leading zeros in an arc, expected DER")
            }
            Self::NotBuilt { name } => write!(f, "{name} is not in this build"),
            Self::Parameters { name } => {
                write!(f, "algorithm identifier of {name} with parameters, expected none")
            }
            Self::NotInProfile { name, profile } => {
                write!(f, "{name} has no object identifier in the profile `{profile}`")
            }
            Self::AlgorithmDiffers { expected, found } => {
                write!(f, "key of {found} under the object identifier of {expected}")
            }
            Self::NoSignatures { name } => write!(f, "{name} is a KEM and makes no signatures"),
            Self::NoDecapsulation { name } => {
                write!(f, "{name} is a signature scheme and decapsulates nothing")
            }
            Self::PublicKeyLength { name, expected, found } => {
                write!(f, "{name} public key of {found} bytes, expected {expected}")
            }
            Self::Contents { name, found, seed, expanded } => {
                write!(f, "{name} private key of {found} bytes in no known form, expected ")?;
                if let Some(seed) = seed {
                    write!(f, "a seed of {seed} bytes or ")?;
                }
                write!(f, "a key of {expanded} bytes")
            }
            Self::SeedAndExpandedDiffer { part } => {
                write!(f, "private key whose seed gives another expanded key: {part} differs")
            }
            Self::Inconsistent => f.write_str(
                "private key that does not decapsulate what its public key encapsulates",
            ),
            Self::PublicKeyDiffers => f.write_str("private key with the public key of another key"),
            Self::Stateful { name } => {
                write!(f, "{name} is stateful: its private keys are kept by a store, not in PKCS#8")
            }
            Self::Refused { reason } => f.write_str(reason),
            Self::OfStateful(error) => write!(f, "{error}"),
            Self::Kem(error) => write!(f, "{error}"),
            Self::Sig(error) => write!(f, "{error}"),
            Self::FormUnavailable { name, form } => {
                write!(f, "{name} private keys are not written in the form `{form}`")
            }
            Self::NoSeed { form } => {
                write!(f, "the form `{form}` needs the seed, and the key was read without it")
            }
            Self::Random => f.write_str("the operating system provides no random bytes"),
        }
    }
}

// `Display` already includes the inner error, so the chain continues with that error's source.
impl std::error::Error for KeyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Pem(error) => error.source(),
            Self::Malformed(error) => error.source(),
            Self::Kem(error) => error.source(),
            Self::Sig(error) => error.source(),
            Self::OfStateful(error) => error.source(),
            _ => None,
        }
    }
}

/// The reason why a certificate or a request is rejected, or cannot be created.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CertificateError {
    /// The file is not PEM, or has blocks of other kinds only.
    Pem(PemError),
    /// The bytes are not the DER of a certificate or request.
    Malformed(der::Error),
    /// A key, or the algorithm of a key or a signature, is rejected.
    Key(KeyError),
    /// A certificate names two different signature algorithms: RFC 5280, section 4.1.1.2.
    SignatureAlgorithmsDiffer,
    /// A signature has another algorithm than the issuer's key.
    IssuerAlgorithm {
        /// The algorithm of the signature.
        signature: &'static str,
        /// The algorithm of the key.
        key: &'static str,
    },
    /// A signature does not verify.
    InvalidSignature,
    /// The subject is not a distinguished name in the form of RFC 4514, such as
    /// `CN=door.example,O=Example`.
    Subject {
        /// The subject that was given.
        found: String,
    },
    /// The name cannot be a DNS name in a certificate.
    DnsName {
        /// The name that was given.
        found: String,
    },
    /// An IP address has neither 4 nor 16 bytes: RFC 5280, section 4.2.1.6.
    IpAddress {
        /// The number of bytes.
        found: usize,
    },
    /// X.509 cannot express a time, before 1970 or after 9999, or the period is empty.
    Validity,
    /// The serial number is zero or has more than 20 bytes: RFC 5280, section 4.1.2.2.
    SerialNumber,
    /// An issuer's certificate does not allow it to issue certificates.
    NotAuthority,
    /// An issuer's path length constraint allows no further authority below it.
    PathLength,
    /// An issuer's certificate is not valid when the validity of the new one begins.
    IssuerValidity {
        /// The start of its validity.
        from: String,
        /// The end of its validity.
        until: String,
    },
    /// An issuer's private key does not belong to its certificate.
    AuthorityKey,
}

impl fmt::Display for CertificateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pem(error) => write!(f, "{error}"),
            Self::Malformed(error) => write!(f, "not a certificate or request in DER: {error}"),
            Self::Key(error) => write!(f, "{error}"),
            Self::SignatureAlgorithmsDiffer => {
                f.write_str("certificate with two different signature algorithms")
            }
            Self::IssuerAlgorithm { signature, key } => {
                write!(f, "signature of {signature}, but the issuer's key is of {key}")
            }
            Self::InvalidSignature => f.write_str("signature does not verify"),
            Self::Subject { found } => {
                write!(f, "subject `{found}`, expected a name such as `CN=door.example,O=Example`")
            }
            Self::DnsName { found } => write!(f, "`{found}` is not a DNS name"),
            Self::IpAddress { found } => {
                write!(f, "IP address of {found} bytes, expected 4 or 16")
            }
            Self::Validity => {
                f.write_str("time outside the years 1970 to 9999, or an empty period")
            }
            Self::SerialNumber => {
                f.write_str("serial number of zero or over 20 bytes, expected 1 to 20 bytes")
            }
            Self::NotAuthority => {
                f.write_str("the issuer's certificate does not allow it to issue certificates")
            }
            Self::PathLength => {
                f.write_str("the issuer's path length allows no authority below it")
            }
            Self::IssuerValidity { from, until } => write!(
                f,
                "the issuer's certificate is valid from {from} until {until}, \
                 and not when the new one begins"
            ),
            Self::AuthorityKey => {
                f.write_str("the issuer's private key is not that of its certificate")
            }
        }
    }
}

impl std::error::Error for CertificateError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Pem(error) => error.source(),
            Self::Malformed(error) => error.source(),
            Self::Key(error) => error.source(),
            _ => None,
        }
    }
}

/// Wraps errors of other kinds.
macro_rules! from {
    ($($inner:ty => $outer:ident::$variant:ident,)*) => {$(
        impl From<$inner> for $outer {
            fn from(error: $inner) -> Self {
                Self::$variant(error)
            }
        }
    )*};
}

from! {
    PemError => KeyError::Pem,
    der::Error => KeyError::Malformed,
    oaklath_kem::Error => KeyError::Kem,
    oaklath_stateful::Error => KeyError::OfStateful,
    oaklath_sig::Error => KeyError::Sig,
    PemError => CertificateError::Pem,
    der::Error => CertificateError::Malformed,
    KeyError => CertificateError::Key,
}
