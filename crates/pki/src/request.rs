//! Certification requests: PKCS#10, RFC 2986.

use std::fmt;
use std::ops::Range;

use x509_cert::der::oid::AssociatedOid;
use x509_cert::der::{self, Decode, Encode};
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::ext::pkix::{KeyUsage, KeyUsages, SubjectAltName};
use x509_cert::ext::{Extension, Extensions};
use x509_cert::name::Name;
use x509_cert::request::{CertReq, ExtensionReq, RequestBuilder};

use crate::certificate::{signed_part, verify};
use crate::error::{CertificateError, KeyError};
use crate::issuing::{built, names_of, sign, subject_of};
use crate::pem;
use crate::pem::encode_pem;
use crate::private::{PrivateKey, Signing};
use crate::public::PublicKey;

/// A request for a certificate: a subject, names and a key, signed with that key.
#[derive(Clone)]
pub struct Request {
    der: Vec<u8>,
    /// Where the signed part is.
    info: Range<usize>,
    parsed: CertReq,
}

impl Request {
    /// A new request. `names` are DNS names and IP addresses.
    ///
    /// # Errors
    /// [`CertificateError::Subject`], [`CertificateError::DnsName`]; [`CertificateError::Key`] for
    /// a KEM's key, which cannot sign.
    pub fn new(
        key: &PrivateKey,
        subject: &str,
        names: &[&str],
        signing: Signing,
    ) -> Result<Self, CertificateError> {
        let mut builder = RequestBuilder::new(subject_of(subject)?).map_err(built)?;
        let names = names_of(names)?;
        if !names.is_empty() {
            builder.add_extension(&SubjectAltName(names))?;
        }
        builder.add_extension(&KeyUsage(KeyUsages::DigitalSignature.into()))?;
        Self::from_der(&sign(builder, key, signing)?.to_der()?)
    }

    /// A request in DER.
    ///
    /// # Errors
    /// [`CertificateError::Malformed`].
    pub fn from_der(der: &[u8]) -> Result<Self, CertificateError> {
        Ok(Self { der: der.to_vec(), info: signed_part(der)?, parsed: CertReq::from_der(der)? })
    }

    /// The first block `CERTIFICATE REQUEST`, or `NEW CERTIFICATE REQUEST` of old programs.
    ///
    /// # Errors
    /// [`CertificateError::Pem`], [`CertificateError::Malformed`].
    pub fn from_pem(text: &str) -> Result<Self, CertificateError> {
        Self::from_der(&pem::find(text, LABEL, is_request)?.bytes)
    }

    /// The request in DER.
    #[must_use]
    pub fn as_der(&self) -> &[u8] {
        &self.der
    }

    /// The request as a PEM block `CERTIFICATE REQUEST`.
    #[must_use]
    pub fn to_pem(&self) -> String {
        encode_pem(LABEL, &self.der).to_string()
    }

    /// All fields.
    #[must_use]
    pub fn parsed(&self) -> &CertReq {
        &self.parsed
    }

    /// Who asks.
    #[must_use]
    pub fn subject(&self) -> &Name {
        &self.parsed.info.subject
    }

    /// The key to be certified.
    ///
    /// # Errors
    /// [`KeyError::UnsupportedAlgorithm`]; [`KeyError`] for a key that its algorithm refuses.
    pub fn public_key(&self) -> Result<PublicKey, KeyError> {
        PublicKey::from_spki(&self.parsed.info.public_key)
    }

    /// Verifies that whoever asks has the private key.
    ///
    /// # Errors
    /// As [`Certificate::verify_signature`](crate::Certificate::verify_signature).
    pub fn verify(&self) -> Result<(), CertificateError> {
        let (key, signed) = (self.public_key()?, &self.der[self.info.clone()]);
        verify(&key, &self.parsed.algorithm, signed, &self.parsed.signature)
    }

    /// The extensions that are asked for: RFC 2985, section 5.4.2.
    pub(crate) fn extensions(&self) -> der::Result<Extensions> {
        let attributes = self.parsed.info.attributes.iter();
        let mut extensions = Extensions::new();
        for attribute in attributes.filter(|attribute| attribute.oid == ExtensionReq::OID) {
            for value in attribute.values.iter() {
                extensions.extend(value.decode_as::<ExtensionReq>()?.0);
            }
        }
        Ok(extensions)
    }

    /// The alternative names that are asked for.
    pub(crate) fn names(&self) -> der::Result<Vec<GeneralName>> {
        let extensions = self.extensions()?;
        let is_names = |extension: &&Extension| extension.extn_id == SubjectAltName::OID;
        match extensions.iter().find(is_names) {
            Some(names) => Ok(SubjectAltName::from_der(names.extn_value.as_bytes())?.0),
            None => Ok(Vec::new()),
        }
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Request({}, {} bytes)", self.subject(), self.der.len())
    }
}

const LABEL: &str = "CERTIFICATE REQUEST";

pub(crate) fn is_request(label: &str) -> bool {
    label == LABEL || label == "NEW CERTIFICATE REQUEST"
}
