//! Verification of certificate chains: RFC 5280, section 6, without policies, name constraints and
//! revocation. Critical policies and all name constraints are rejected. `docs/chains.md` of the
//! repository compares what is rejected here with webpki, OpenSSL and Go.

use std::fmt;
use std::net::IpAddr;
use std::time::SystemTime;

use x509_cert::Version;
use x509_cert::der::oid::AssociatedOid;
use x509_cert::der::oid::db::rfc5280::{
    ANY_EXTENDED_KEY_USAGE, ID_CE_NAME_CONSTRAINTS, ID_KP_CLIENT_AUTH, ID_KP_SERVER_AUTH,
};
use x509_cert::der::{self, Decode};
use x509_cert::ext::Extension;
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::ext::pkix::{
    AuthorityKeyIdentifier, BasicConstraints, ExtendedKeyUsage, KeyUsage, SubjectAltName,
    SubjectKeyIdentifier,
};
use x509_cert::time::Time;

use crate::certificate::{Certificate, distinguished_name};
use crate::error::{CertificateError, KeyError};
use crate::identity::{Algorithm, Identity};
use crate::oid_names;

/// The maximum number of certificates in a path.
const LONGEST: usize = 10;
/// The maximum number of a certificate's names that an error lists.
const NAMED_HOSTS: usize = 8;
/// The maximum number of signatures verified in the search for a path.
const MOST_SIGNATURES: usize = 100;

/// The requirements on a chain beyond its signatures. Without a purpose, extended key usages are
/// not checked, critical or not: the caller must then check what a certificate is for.
#[derive(Clone, Debug)]
pub struct VerifyOptions {
    time: SystemTime,
    purpose: Option<Purpose>,
    host: Option<Host>,
}

#[derive(Clone, Copy, Debug)]
enum Purpose {
    Server,
    Client,
}

#[derive(Clone, Debug)]
enum Host {
    Dns(String),
    Ip(IpAddr),
}

impl VerifyOptions {
    /// Requires validity at the current time.
    #[must_use]
    pub fn now() -> Self {
        Self::at(SystemTime::now())
    }

    /// Requires validity at a given time.
    #[must_use]
    pub fn at(time: SystemTime) -> Self {
        Self { time, purpose: None, host: None }
    }

    /// Requires the certificate of a TLS server with this DNS name or IP address.
    #[must_use]
    pub fn server(self, name: &str) -> Self {
        let host = name.parse().map_or_else(|_| Host::Dns(name.to_owned()), Host::Ip);
        Self { purpose: Some(Purpose::Server), host: Some(host), ..self }
    }

    /// Requires the certificate of a TLS client.
    #[must_use]
    pub fn client(self) -> Self {
        Self { purpose: Some(Purpose::Client), host: None, ..self }
    }
}

/// The reason why no path leads to a root. `subject` is the certificate at fault.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChainError {
    /// None of the given certificates has the issuer's name and key.
    IssuerNotFound {
        /// The certificate.
        subject: String,
        /// The name of its issuer.
        issuer: String,
    },
    /// A key or a signature has an algorithm that is not in the table, such as a classical one.
    UnsupportedAlgorithm {
        /// The certificate.
        subject: String,
        /// The algorithm.
        algorithm: String,
    },
    /// A signature does not verify, or a certificate is malformed.
    Certificate {
        /// The certificate.
        subject: String,
        /// The fault.
        error: CertificateError,
    },
    /// A certificate is not valid yet.
    NotYetValid {
        /// The certificate.
        subject: String,
        /// The start of its validity.
        from: String,
    },
    /// A certificate is no longer valid.
    Expired {
        /// The certificate.
        subject: String,
        /// The end of its validity.
        until: String,
    },
    /// An issuer is not an authority: not version 3, no basic constraints, or no key usage
    /// `keyCertSign`.
    NotAuthority {
        /// The issuer.
        subject: String,
    },
    /// There are more authorities below an issuer than it allows.
    PathLength {
        /// The issuer.
        subject: String,
        /// The number of authorities that it allows.
        allowed: u8,
    },
    /// An extension is critical and unknown here, or constrains names.
    CriticalExtension {
        /// The certificate.
        subject: String,
        /// The extension.
        extension: String,
    },
    /// An extension appears twice: RFC 5280, section 4.2.
    DuplicateExtension {
        /// The certificate.
        subject: String,
        /// The extension.
        extension: String,
    },
    /// A certificate has extensions but not version 3, or has unique identifiers but version 1: RFC
    /// 5280, section 4.1.2.1.
    Version {
        /// The certificate.
        subject: String,
        /// Its version, from 1 to 3.
        found: u8,
    },
    /// A certificate does not allow this use of its key.
    Usage {
        /// The certificate.
        subject: String,
        /// The use.
        expected: &'static str,
    },
    /// The certificate does not have the name of the host.
    Host {
        /// The host.
        expected: String,
        /// The names of the certificate.
        found: Vec<String>,
    },
    /// The search was given up: the path is too long, or too many signatures were verified.
    TooLong,
}

impl fmt::Display for ChainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IssuerNotFound { subject, issuer } => {
                write!(f, "{subject}: its issuer {issuer} is not among the certificates given")
            }
            Self::UnsupportedAlgorithm { subject, algorithm } => {
                write!(f, "{subject}: unsupported algorithm {algorithm}")
            }
            Self::Certificate { subject, error } => write!(f, "{subject}: {error}"),
            Self::NotYetValid { subject, from } => write!(f, "{subject}: not valid before {from}"),
            Self::Expired { subject, until } => write!(f, "{subject}: expired on {until}"),
            Self::NotAuthority { subject } => {
                write!(f, "{subject}: not an authority, but issued a certificate")
            }
            Self::PathLength { subject, allowed } => {
                write!(f, "{subject}: more than {allowed} authorities below it")
            }
            Self::CriticalExtension { subject, extension } => {
                write!(f, "{subject}: unknown critical extension {extension}")
            }
            Self::DuplicateExtension { subject, extension } => {
                write!(f, "{subject}: extension {extension} twice")
            }
            Self::Version { subject, found } => {
                write!(f, "{subject}: version {found} with fields of a later one")
            }
            Self::Usage { subject, expected } => write!(f, "{subject}: not for {expected}"),
            Self::Host { expected, found } if found.is_empty() => {
                write!(f, "certificate without names, expected {expected}")
            }
            Self::Host { expected, found } => {
                let named = &found[..found.len().min(NAMED_HOSTS)];
                let more = if named.len() < found.len() { ", …" } else { "" };
                write!(f, "certificate of {}{more}, expected {expected}", named.join(", "))
            }
            Self::TooLong => f.write_str("no path found within the limits of the search"),
        }
    }
}

impl std::error::Error for ChainError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Certificate { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// Returns a verified path from `entity` via `intermediates` to one of `roots`: the entity first,
/// the root last. A root may be the entity itself.
///
/// # Errors
/// [`ChainError`] for the entity, or for the last path that was tried.
pub fn verify_chain<'a>(
    entity: &'a Certificate,
    intermediates: &'a [Certificate],
    roots: &'a [Certificate],
    options: &VerifyOptions,
) -> Result<Vec<&'a Certificate>, ChainError> {
    check_common(entity, options)?;
    check_entity(entity, options)?;
    let mut search = Search { intermediates, roots, options, signatures: 0, path: vec![entity] };
    search.extend()?;
    Ok(search.path)
}

struct Search<'a, 'o> {
    intermediates: &'a [Certificate],
    roots: &'a [Certificate],
    options: &'o VerifyOptions,
    /// The number of signatures verified so far.
    signatures: usize,
    path: Vec<&'a Certificate>,
}

impl<'a> Search<'a, '_> {
    /// Extends the path to a root, or leaves it unchanged.
    fn extend(&mut self) -> Result<(), ChainError> {
        let last = self.path[self.path.len() - 1];
        if self.roots.contains(last) {
            // A root is trusted because it was given, but a self-signed one with a broken signature
            // is not.
            return if last.is_self_signed() { self.verify(last, last) } else { Ok(()) };
        }
        if self.path.len() == LONGEST {
            return Err(ChainError::TooLong);
        }
        let (subject, issuer) = (name(last), distinguished_name(last.issuer()));
        let mut reason = ChainError::IssuerNotFound { subject, issuer };
        for candidate in self.roots.iter().chain(self.intermediates) {
            if self.path.contains(&candidate) || !last.names_issuer(candidate) {
                continue;
            }
            match self.step(candidate) {
                Ok(()) => return Ok(()),
                Err(error) => reason = error,
            }
        }
        Err(reason)
    }

    /// Leads the path on over one issuer, whose signature is verified first. Verifying all
    /// signatures of a finished path side by side would save little, since they are few and by
    /// different keys, and would let the search follow issuers that merely have the right name.
    fn step(&mut self, issuer: &'a Certificate) -> Result<(), ChainError> {
        check_issuer(issuer, &self.path)?;
        check_common(issuer, self.options)?;
        check_purpose(issuer, self.options)?;
        self.verify(self.path[self.path.len() - 1], issuer)?;
        self.path.push(issuer);
        self.extend().inspect_err(|_| {
            self.path.pop();
        })
    }

    fn verify(&mut self, signed: &Certificate, issuer: &Certificate) -> Result<(), ChainError> {
        self.signatures += 1;
        if self.signatures > MOST_SIGNATURES {
            return Err(ChainError::TooLong);
        }
        // The signature's algorithm is checked first: it says what the issuer's key should be.
        signed.signature_identity().map_err(|error| at(signed, error.into()))?;
        let key = issuer.public_key().map_err(|error| at(issuer, error.into()))?;
        signed.verify_signature(&key).map_err(|error| at(signed, error))
    }
}

fn name(certificate: &Certificate) -> String {
    distinguished_name(certificate.subject())
}

/// Returns the error of a certificate.
fn at(certificate: &Certificate, error: CertificateError) -> ChainError {
    let subject = name(certificate);
    match error {
        CertificateError::Key(KeyError::UnsupportedAlgorithm { oid }) => {
            ChainError::UnsupportedAlgorithm { subject, algorithm: oid_names::with_name(&oid) }
        }
        error => ChainError::Certificate { subject, error },
    }
}

/// Converts the result of parsing an extension.
fn read<T>(certificate: &Certificate, result: der::Result<T>) -> Result<T, ChainError> {
    result.map_err(|error| at(certificate, error.into()))
}

/// Checks validity, version and extensions.
fn check_common(certificate: &Certificate, options: &VerifyOptions) -> Result<(), ChainError> {
    let tbs = certificate.parsed().tbs_certificate();
    let (from, until) = (tbs.validity().not_before, tbs.validity().not_after);
    let time = |time: Time| time.to_system_time();
    if options.time < time(from) {
        return Err(ChainError::NotYetValid { subject: name(certificate), from: from.to_string() });
    }
    // The last second belongs to the period.
    if options.time >= time(until) + std::time::Duration::from_secs(1) {
        return Err(ChainError::Expired { subject: name(certificate), until: until.to_string() });
    }
    check_version(certificate)?;
    let mut seen = Vec::new();
    for extension in tbs.extensions().into_iter().flatten() {
        let oid = extension.extn_id;
        if seen.contains(&oid) {
            let (subject, extension) = (name(certificate), oid_names::with_name(&oid));
            return Err(ChainError::DuplicateExtension { subject, extension });
        }
        seen.push(oid);
        let is_known = read(certificate, parse_known(extension))?;
        // Name constraints are rejected even if not critical, because they would be ignored.
        if extension.critical && !is_known || oid == ID_CE_NAME_CONSTRAINTS {
            let (subject, extension) = (name(certificate), oid_names::with_name(&oid));
            return Err(ChainError::CriticalExtension { subject, extension });
        }
    }
    Ok(())
}

/// Checks that a certificate has only the fields of its version.
fn check_version(certificate: &Certificate) -> Result<(), ChainError> {
    let tbs = certificate.parsed().tbs_certificate();
    let has_identifiers = tbs.issuer_unique_id().is_some() || tbs.subject_unique_id().is_some();
    let is_earlier = match tbs.version() {
        Version::V1 => tbs.extensions().is_some() || has_identifiers,
        Version::V2 => tbs.extensions().is_some(),
        Version::V3 => false,
    };
    if is_earlier {
        let found = tbs.version() as u8 + 1;
        return Err(ChainError::Version { subject: name(certificate), found });
    }
    Ok(())
}

/// Reports whether this crate knows an extension, whose structure is then checked.
fn parse_known(extension: &Extension) -> der::Result<bool> {
    let value = extension.extn_value.as_bytes();
    match extension.extn_id {
        BasicConstraints::OID => BasicConstraints::from_der(value).map(drop)?,
        KeyUsage::OID => KeyUsage::from_der(value).map(drop)?,
        ExtendedKeyUsage::OID => ExtendedKeyUsage::from_der(value).map(drop)?,
        SubjectAltName::OID => SubjectAltName::from_der(value).map(drop)?,
        SubjectKeyIdentifier::OID => SubjectKeyIdentifier::from_der(value).map(drop)?,
        AuthorityKeyIdentifier::OID => AuthorityKeyIdentifier::from_der(value).map(drop)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// Checks that `issuer` is an authority that may be above the certificates of `path`.
fn check_issuer(issuer: &Certificate, path: &[&Certificate]) -> Result<(), ChainError> {
    let subject = || name(issuer);
    let constraints = read(issuer, issuer.authority())?;
    let is_v3 = issuer.parsed().tbs_certificate().version() == Version::V3;
    let Some(constraints) = constraints.filter(|_| is_v3) else {
        return Err(ChainError::NotAuthority { subject: subject() });
    };
    // The entity does not count, nor do self-issued authorities, which renew a key.
    let below = path[1..].iter().filter(|below| !below.is_self_issued()).count();
    match constraints.path_len_constraint {
        Some(allowed) if below > usize::from(allowed) => {
            Err(ChainError::PathLength { subject: subject(), allowed })
        }
        _ => Ok(()),
    }
}

/// Checks the extended key usage, which in an authority limits everything below it.
fn check_purpose(certificate: &Certificate, options: &VerifyOptions) -> Result<(), ChainError> {
    let (oid, expected) = match options.purpose {
        None => return Ok(()),
        Some(Purpose::Server) => (ID_KP_SERVER_AUTH, "TLS servers"),
        Some(Purpose::Client) => (ID_KP_CLIENT_AUTH, "TLS clients"),
    };
    match read(certificate, certificate.extension::<ExtendedKeyUsage>())? {
        Some((_, usage)) if !usage.0.iter().any(|&p| p == oid || p == ANY_EXTENDED_KEY_USAGE) => {
            Err(ChainError::Usage { subject: name(certificate), expected })
        }
        _ => Ok(()),
    }
}

/// Checks a TLS peer: its purpose, a key that signs, and the name.
fn check_entity(entity: &Certificate, options: &VerifyOptions) -> Result<(), ChainError> {
    check_purpose(entity, options)?;
    if options.purpose.is_some() {
        let key = entity.parsed().tbs_certificate().subject_public_key_info();
        let is_kem = Identity::of_oid(key.algorithm.oid)
            .is_ok_and(|identity| matches!(identity.algorithm(), Algorithm::Kem(_)));
        let usage = read(entity, entity.extension::<KeyUsage>())?;
        if is_kem || usage.is_some_and(|(_, usage)| !usage.digital_signature()) {
            let expected = "digital signatures";
            return Err(ChainError::Usage { subject: name(entity), expected });
        }
    }
    let Some(host) = &options.host else { return Ok(()) };
    let names = read(entity, entity.alternative_names())?.0;
    if names.iter().any(|name| host.is(name)) {
        return Ok(());
    }
    let found = names.iter().map(crate::inspect::general_name).collect();
    Err(ChainError::Host { expected: host.to_string(), found })
}

impl Host {
    /// Matches a name by RFC 9525, section 6.3: the common name does not count, a wildcard matches
    /// one label and must precede at least two, so that it does not cover a top-level domain.
    fn is(&self, name: &GeneralName) -> bool {
        match (self, name) {
            (Self::Ip(IpAddr::V4(host)), GeneralName::IpAddress(found)) => {
                found.as_bytes() == host.octets()
            }
            (Self::Ip(IpAddr::V6(host)), GeneralName::IpAddress(found)) => {
                found.as_bytes() == host.octets()
            }
            (Self::Dns(host), GeneralName::DnsName(found)) => {
                let host = host.strip_suffix('.').unwrap_or(host);
                match (found.as_str().strip_prefix("*."), host.split_once('.')) {
                    (Some(below), Some((first, rest))) => {
                        !first.is_empty() && below.contains('.') && rest.eq_ignore_ascii_case(below)
                    }
                    (Some(_), None) => false,
                    (None, _) => host.eq_ignore_ascii_case(found.as_str()),
                }
            }
            _ => false,
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dns(name) => f.write_str(name),
            Self::Ip(address) => address.fmt(f),
        }
    }
}
