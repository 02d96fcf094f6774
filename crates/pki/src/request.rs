//! Certification requests: PKCS#10, RFC 2986.

use std::fmt;
use std::net::IpAddr;
use std::ops::Range;

use x509_cert::der::asn1::AnyRef;
use x509_cert::der::oid::AssociatedOid;
use x509_cert::der::{self, Decode, Encode};
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::ext::pkix::{KeyUsage, SubjectAltName};
use x509_cert::ext::{Extension, Extensions};
use x509_cert::name::Name;
use x509_cert::request::{CertReq, ExtensionReq};

use crate::certificate::{distinguished_name, signed_part, verify};
use crate::error::{CertificateError, KeyError};
use crate::issuing::{append_dns_name, append_ip_address, check_dns_name, sign, subject_of};
use crate::pem;
use crate::pem::encode_pem;
use crate::private::{PrivateKey, Signing};
use crate::public::PublicKey;
use crate::write::{
    DIGITAL_SIGNATURE, SET, append_extension, element, integer, named_bits, object_identifier,
    sequence,
};

/// A request for a certificate: a subject, names and a key, signed with that key.
#[derive(Clone)]
pub struct Request {
    der: Vec<u8>,
    /// The range of the signed part in `der`.
    info: Range<usize>,
    parsed: CertReq,
}

impl Request {
    /// Creates a request. `names` are DNS names and IP addresses.
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
        let (subject, public_key) = (subject_of(subject)?.to_der()?, key.public_key());
        let mut general_names = Vec::new();
        for name in names {
            match name.parse::<IpAddr>() {
                Ok(address) => append_ip_address(&mut general_names, address),
                Err(_) => append_dns_name(&mut general_names, name)?,
            }
        }
        let mut extensions = Vec::new();
        if !general_names.is_empty() {
            let names = sequence(&[&general_names]);
            append_extension(&mut extensions, SubjectAltName::OID, false, &names);
        }
        append_extension(&mut extensions, KeyUsage::OID, true, &named_bits(DIGITAL_SIGNATURE));
        let values = element(SET, &[&sequence(&[&extensions])]);
        let attribute = sequence(&[&object_identifier(ExtensionReq::OID), &values]);
        let version = integer(&[0]);
        let attributes = element(ATTRIBUTES, &[&attribute]);
        let info = sequence(&[&version, &subject, &public_key.to_der(), &attributes]);
        let algorithm = public_key.identity().algorithm_identifier();
        Self::from_der(&sign(&info, &algorithm, key, signing)?)
    }

    /// Parses a request in DER.
    ///
    /// # Errors
    /// [`CertificateError::Malformed`].
    pub fn from_der(der: &[u8]) -> Result<Self, CertificateError> {
        Ok(Self { der: der.to_vec(), info: signed_part(der)?, parsed: CertReq::from_der(der)? })
    }

    /// Parses the first block `CERTIFICATE REQUEST`, or `NEW CERTIFICATE REQUEST` of old programs.
    ///
    /// # Errors
    /// [`CertificateError::Pem`], [`CertificateError::Malformed`].
    pub fn from_pem(text: &str) -> Result<Self, CertificateError> {
        Self::from_der(&pem::find(text, LABEL, is_request)?.bytes)
    }

    /// Returns the request in DER.
    #[must_use]
    pub fn as_der(&self) -> &[u8] {
        &self.der
    }

    /// Returns the request as a PEM block `CERTIFICATE REQUEST`.
    #[must_use]
    pub fn to_pem(&self) -> String {
        encode_pem(LABEL, &self.der).to_string()
    }

    /// Returns all fields.
    #[must_use]
    pub fn parsed(&self) -> &CertReq {
        &self.parsed
    }

    /// Returns the subject of the request.
    #[must_use]
    pub fn subject(&self) -> &Name {
        &self.parsed.info.subject
    }

    /// Returns the key to be certified.
    ///
    /// # Errors
    /// [`KeyError::UnsupportedAlgorithm`]; [`KeyError`] for a key that its algorithm rejects.
    pub fn public_key(&self) -> Result<PublicKey, KeyError> {
        PublicKey::from_spki(&self.parsed.info.public_key)
    }

    /// Verifies that the applicant has the private key.
    ///
    /// # Errors
    /// Those of [`Certificate::verify_signature`](crate::Certificate::verify_signature).
    pub fn verify(&self) -> Result<(), CertificateError> {
        let (key, signed) = (self.public_key()?, &self.der[self.info.clone()]);
        verify(&key, &self.parsed.algorithm, signed, &self.parsed.signature)
    }

    /// Returns the requested extensions: RFC 2985, section 5.4.2.
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

    /// Returns the requested alternative names, concatenated in DER. Checks that certificates may
    /// contain the DNS names and the IP addresses.
    pub(crate) fn names(&self) -> Result<Vec<u8>, CertificateError> {
        let extensions = self.extensions()?;
        let is_names = |extension: &&Extension| extension.extn_id == SubjectAltName::OID;
        let Some(names) = extensions.iter().find(is_names) else { return Ok(Vec::new()) };
        let der = names.extn_value.as_bytes();
        for name in SubjectAltName::from_der(der)?.0 {
            match name {
                GeneralName::DnsName(name) => check_dns_name(name.as_str())?,
                GeneralName::IpAddress(octets) => match octets.as_bytes().len() {
                    4 | 16 => {}
                    found => return Err(CertificateError::IpAddress { found }),
                },
                _ => {}
            }
        }
        Ok(AnyRef::from_der(der)?.value().to_vec())
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let subject = distinguished_name(self.subject());
        write!(f, "Request({subject}, {} bytes)", self.der.len())
    }
}

const LABEL: &str = "CERTIFICATE REQUEST";

/// The tag of `attributes [0] IMPLICIT SET`: RFC 2986, section 4.1.
const ATTRIBUTES: u8 = 0xa0;

pub(crate) fn is_request(label: &str) -> bool {
    label == LABEL || label == "NEW CERTIFICATE REQUEST"
}
