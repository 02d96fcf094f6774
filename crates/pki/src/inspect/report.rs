//! The reports, and how they are printed.

use std::fmt::{Display, Formatter, Result};

/// One block of a PEM file, or a DER file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Item {
    /// The PEM label; `None` for DER.
    pub label: Option<String>,
    /// The length of the DER in bytes.
    pub length: usize,
    /// The contents of the block.
    pub content: Content,
}

/// The contents of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Content {
    /// An X.509 certificate.
    Certificate(Box<CertificateReport>),
    /// A PKCS#10 certification request.
    Request(Box<RequestReport>),
    /// A public key of SPKI.
    PublicKey(PublicKeyReport),
    /// A private key of PKCS#8.
    PrivateKey(PrivateKeyReport),
    /// Something else, or something broken.
    Unknown {
        /// The reason why it is not recognised.
        reason: String,
    },
}

/// An algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct AlgorithmReport {
    /// The preferred name; for an algorithm that is not in the table, the known name of its object
    /// identifier.
    pub name: String,
    /// The object identifier.
    pub oid: String,
    /// The origin of the object identifier: `standard`, `appendix`, `oqs`.
    pub vocabulary: Option<String>,
    /// NIST's security category, if all keys of the algorithm have the same.
    pub level: Option<u8>,
    /// The status of the specification: `standard`, `draft`, `legacy`.
    pub status: Option<String>,
    /// Whether this build has the algorithm's code.
    pub is_built: bool,
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Agreement {
    /// The check succeeded.
    Yes,
    /// The check failed, with the reason.
    No(String),
    /// This build cannot check, with the reason.
    NotChecked(String),
}

/// A certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CertificateReport {
    /// The version: 1, 2 or 3.
    pub version: u8,
    /// The serial number in hexadecimal.
    pub serial: String,
    /// The subject in the form of RFC 4514.
    pub subject: String,
    /// The issuer in the form of RFC 4514.
    pub issuer: String,
    /// The start of the validity.
    pub not_before: String,
    /// The end of the validity, this second included.
    pub not_after: String,
    /// The subject's key.
    pub public_key: PublicKeyReport,
    /// The algorithm of the issuer's signature.
    pub signature_algorithm: AlgorithmReport,
    /// The length of the signature in bytes.
    pub signature_length: usize,
    /// Whether the signature verifies with the subject's key, if the certificate names itself as
    /// its issuer.
    pub self_signature: Option<Agreement>,
    /// The extensions in order.
    pub extensions: Vec<ExtensionReport>,
}

/// A certification request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct RequestReport {
    /// The subject in the form of RFC 4514.
    pub subject: String,
    /// The subject's key.
    pub public_key: PublicKeyReport,
    /// The algorithm of the signature.
    pub signature_algorithm: AlgorithmReport,
    /// The length of the signature in bytes.
    pub signature_length: usize,
    /// Whether the signature verifies with the subject's key.
    pub self_signature: Agreement,
    /// The requested extensions.
    pub extensions: Vec<ExtensionReport>,
}

/// An extension of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ExtensionReport {
    /// The extension's name, or its object identifier if unnamed.
    pub name: String,
    /// Whether a verifier that does not know the extension must reject the certificate.
    pub critical: bool,
    /// The value as text; `None` if the extension is not known here.
    pub value: Option<String>,
}

/// A public key.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PublicKeyReport {
    /// The algorithm.
    pub algorithm: AlgorithmReport,
    /// The parameter set, if the key contains it, as those of stateful schemes do.
    pub parameters: Option<String>,
    /// The length of the raw key in bytes.
    pub length: usize,
    /// SHA-1 of the raw key, by which certificates identify it.
    pub key_identifier: Option<String>,
    /// Whether the algorithm accepts the key.
    pub valid: Agreement,
}

/// A private key, of which only the lengths are reported.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PrivateKeyReport {
    /// The algorithm.
    pub algorithm: AlgorithmReport,
    /// The length in bytes of the octet string `privateKey`.
    pub length: usize,
    /// The name of the [`Form`](crate::Form); `None` if it is not known.
    pub form: Option<String>,
    /// The length of the seed in bytes, if present.
    pub seed: Option<usize>,
    /// The length of the expanded key in bytes, if present.
    pub expanded: Option<usize>,
    /// The length of the public key in bytes, if present.
    pub public: Option<usize>,
    /// Whether the parts belong together or, if there is only one, whether it is valid.
    pub parts: Agreement,
}

/// Writes a line of a report: a label in the first column, then the value.
fn line(f: &mut Formatter<'_>, what: &str, value: impl Display) -> Result {
    writeln!(f, "  {what:<16} {value}")
}

impl Display for Item {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let encoding = match &self.label {
            Some(label) => format!("PEM {label}"),
            None => "DER".to_owned(),
        };
        writeln!(f, "{} ({encoding}, {} bytes)", self.content.kind(), self.length)?;
        match &self.content {
            Content::Certificate(report) => report.fmt(f),
            Content::Request(report) => report.fmt(f),
            Content::PublicKey(report) => report.fmt(f),
            Content::PrivateKey(report) => report.fmt(f),
            Content::Unknown { reason } => line(f, "reason", reason),
        }
    }
}

impl Content {
    /// Returns the kind of the contents in words.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Certificate(_) => "X.509 certificate",
            Self::Request(_) => "PKCS#10 certification request",
            Self::PublicKey(_) => "SPKI public key",
            Self::PrivateKey(_) => "PKCS#8 private key",
            Self::Unknown { .. } => "not known",
        }
    }
}

impl Display for AlgorithmReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self { name, oid, vocabulary, level, status, is_built } = self;
        let (Some(vocabulary), Some(status)) = (vocabulary, status) else {
            return write!(f, "{name}, not an algorithm of Oaklath");
        };
        let level = level.map_or_else(String::new, |level| format!(", level {level}"));
        write!(f, "{name} ({status}{level}; {oid}, {vocabulary} identifier")?;
        f.write_str(if *is_built { ")" } else { "; not in this build)" })
    }
}

impl Display for Agreement {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Yes => f.pad("yes"),
            Self::No(reason) => write!(f, "no: {reason}"),
            Self::NotChecked(reason) => write!(f, "not checked: {reason}"),
        }
    }
}

impl Display for CertificateReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        line(f, "version", self.version)?;
        line(f, "serial number", &self.serial)?;
        line(f, "subject", &self.subject)?;
        line(f, "issuer", &self.issuer)?;
        line(f, "valid from", &self.not_before)?;
        line(f, "valid until", &self.not_after)?;
        self.public_key.fmt(f)?;
        signature(f, &self.signature_algorithm, self.signature_length, &self.self_signature)?;
        extensions(f, &self.extensions)
    }
}

impl Display for RequestReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        line(f, "subject", &self.subject)?;
        self.public_key.fmt(f)?;
        let verdict = Some(self.self_signature.clone());
        signature(f, &self.signature_algorithm, self.signature_length, &verdict)?;
        extensions(f, &self.extensions)
    }
}

fn signature(
    f: &mut Formatter<'_>,
    algorithm: &AlgorithmReport,
    length: usize,
    verdict: &Option<Agreement>,
) -> Result {
    line(f, "signature", algorithm)?;
    line(f, "", format_args!("{length} bytes"))?;
    match verdict {
        Some(verdict) => line(f, "verifies itself", verdict),
        None => Ok(()),
    }
}

fn extensions(f: &mut Formatter<'_>, extensions: &[ExtensionReport]) -> Result {
    for (i, extension) in extensions.iter().enumerate() {
        line(f, if i == 0 { "extensions" } else { "" }, extension)?;
    }
    Ok(())
}

impl Display for ExtensionReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let critical = if self.critical { " (critical)" } else { "" };
        write!(f, "{}{critical}", self.name)?;
        match &self.value {
            Some(value) => write!(f, ": {value}"),
            None => Ok(()),
        }
    }
}

impl Display for PublicKeyReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        line(f, "public key", &self.algorithm)?;
        if let Some(parameters) = &self.parameters {
            line(f, "", parameters)?;
        }
        line(f, "", format_args!("{} bytes", self.length))?;
        if let Some(identifier) = &self.key_identifier {
            line(f, "key identifier", identifier)?;
        }
        line(f, "key is valid", &self.valid)
    }
}

impl Display for PrivateKeyReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        line(f, "private key", &self.algorithm)?;
        line(f, "form", self.form.as_deref().unwrap_or("not known"))?;
        let parts = [("seed", self.seed), ("private", self.expanded), ("public", self.public)];
        let parts = parts.iter().filter_map(|(name, len)| Some(format!("{name} {}", (*len)?)));
        let parts: Vec<String> = parts.collect();
        if parts.is_empty() {
            line(f, "holds", format_args!("{} bytes", self.length))?;
        } else {
            line(f, "holds", format_args!("{} bytes", parts.join(", ")))?;
        }
        line(f, "parts agree", &self.parts)
    }
}

/// Formats bytes as `01:ab:…`, as other programs print identifiers.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    let pairs: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    pairs.join(":")
}
