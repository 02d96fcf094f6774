//! New certificates: roots, intermediate authorities, entities (RFC 5280).

use std::fmt;
use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::time::SystemTime;

use getrandom::SysRng;
use x509_cert::der::Encode;
use x509_cert::der::oid::AssociatedOid;
use x509_cert::der::oid::db::rfc5280::{ID_KP_CLIENT_AUTH, ID_KP_CODE_SIGNING, ID_KP_SERVER_AUTH};
use x509_cert::ext::pkix::{
    AuthorityKeyIdentifier, BasicConstraints, ExtendedKeyUsage, KeyUsage, SubjectAltName,
    SubjectKeyIdentifier,
};
use x509_cert::name::Name;
use x509_cert::time::{Time, Validity};

use crate::certificate::Certificate;
use crate::error::{CertificateError, KeyError};
use crate::identity::Algorithm;
use crate::issuing::{append_dns_name, append_ip_address, sign, subject_of};
use crate::private::{Issuer, Signing, fill_random};
use crate::public::PublicKey;
use crate::request::Request;
use crate::write::{
    BOOLEAN_TRUE, CERTIFICATES_AND_LISTS, DIGITAL_SIGNATURE, KEY_ENCIPHERMENT, OCTET_STRING,
    append_extension, element, integer, named_bits, object_identifier, sequence,
};

/// The contents of a new certificate. A template can be used for several certificates.
///
/// Every certificate has version 3, a key identifier, basic constraints and a key usage: an
/// authority signs certificates and revocation lists; an entity signs or, if its key is a KEM's,
/// receives encapsulated keys (RFC 9935, section 5). An entity that signs is a TLS server and
/// client or, with a stateful key, signs code, for which RFC 9802 intends such keys.
#[derive(Clone, Debug)]
pub struct Template {
    subject: Name,
    validity: Validity,
    /// The serial number as an INTEGER in DER; random if `None`.
    serial: Option<Vec<u8>>,
    /// The alternative names: concatenated `GeneralName`s in DER.
    names: Vec<u8>,
    path_len: Option<u8>,
    signing: Signing,
}

/// A certificate that may issue others, with its private key.
pub struct Authority<'a> {
    certificate: &'a Certificate,
    key: &'a dyn Issuer,
    /// The number of authorities that may follow below it.
    path_len: Option<u8>,
}

impl<'a> Authority<'a> {
    /// Returns an authority, after checking that certificate and key belong together.
    ///
    /// # Errors
    /// [`CertificateError::NotAuthority`], [`CertificateError::AuthorityKey`].
    pub fn new(
        certificate: &'a Certificate,
        key: &'a dyn Issuer,
    ) -> Result<Self, CertificateError> {
        let constraints = certificate.authority()?.ok_or(CertificateError::NotAuthority)?;
        if certificate.public_key()? != key.public_key()? {
            return Err(CertificateError::AuthorityKey);
        }
        Ok(Self { certificate, key, path_len: constraints.path_len_constraint })
    }
}

impl fmt::Debug for Authority<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Authority").field(self.certificate).finish()
    }
}

impl Template {
    /// Returns a template for a subject in the form of RFC 4514, such as
    /// `CN=door.example,O=Example`, valid in `validity`, in whole seconds.
    ///
    /// # Errors
    /// [`CertificateError::Subject`], [`CertificateError::Validity`].
    pub fn new(
        subject: &str,
        validity: RangeInclusive<SystemTime>,
    ) -> Result<Self, CertificateError> {
        Self::named(subject_of(subject)?, validity)
    }

    /// Returns a template for the subject and the names of a request, whose signature is verified.
    /// The request's other extensions are ignored. If the subject is empty, only an entity's
    /// certificate with names can be issued: RFC 5280, section 4.1.2.6.
    ///
    /// # Errors
    /// [`CertificateError::InvalidSignature`] and the other errors of [`Request::verify`];
    /// [`CertificateError::DnsName`], [`CertificateError::IpAddress`],
    /// [`CertificateError::Validity`].
    pub fn for_request(
        request: &Request,
        validity: RangeInclusive<SystemTime>,
    ) -> Result<Self, CertificateError> {
        request.verify()?;
        let template = Self::named(request.subject().clone(), validity)?;
        Ok(Self { names: request.names()?, ..template })
    }

    fn named(
        subject: Name,
        validity: RangeInclusive<SystemTime>,
    ) -> Result<Self, CertificateError> {
        let time_of = |at: &SystemTime| Time::try_from(*at).map_err(|_| CertificateError::Validity);
        if validity.is_empty() {
            return Err(CertificateError::Validity);
        }
        let validity = Validity::new(time_of(validity.start())?, time_of(validity.end())?);
        let (names, signing) = (Vec::new(), Signing::Hedged);
        Ok(Self { subject, validity, serial: None, names, path_len: None, signing })
    }

    /// Adds a DNS name, with or without the wildcard `*.`, which must precede at least two labels.
    ///
    /// # Errors
    /// [`CertificateError::DnsName`].
    pub fn dns(mut self, name: &str) -> Result<Self, CertificateError> {
        append_dns_name(&mut self.names, name)?;
        Ok(self)
    }

    /// Adds an IP address.
    #[must_use]
    pub fn ip(mut self, address: IpAddr) -> Self {
        append_ip_address(&mut self.names, address);
        self
    }

    /// Sets the serial number, big-endian. By default it is random.
    ///
    /// # Errors
    /// [`CertificateError::SerialNumber`].
    pub fn serial(mut self, number: &[u8]) -> Result<Self, CertificateError> {
        if number.iter().all(|&byte| byte == 0) {
            return Err(CertificateError::SerialNumber);
        }
        let number = integer(number);
        // Tag, length, 20 bytes.
        if number.len() > 22 {
            return Err(CertificateError::SerialNumber);
        }
        self.serial = Some(number);
        Ok(self)
    }

    /// Limits how many authorities may follow below an authority: RFC 5280, section 4.2.1.9.
    #[must_use]
    pub fn path_len(mut self, authorities: u8) -> Self {
        self.path_len = Some(authorities);
        self
    }

    /// Sets how the certificate is signed. With a serial number, a deterministic one is
    /// reproducible.
    #[must_use]
    pub fn signing(mut self, signing: Signing) -> Self {
        self.signing = signing;
        self
    }

    /// Issues a root: the subject's certificate, signed with its own key.
    ///
    /// # Errors
    /// [`CertificateError::Key`] for a KEM's key, which cannot sign; [`CertificateError::Subject`]
    /// if the subject is empty.
    pub fn root(&self, key: &dyn Issuer) -> Result<Certificate, CertificateError> {
        let kind = Kind::Authority { path_len: self.path_len };
        self.build(kind, &key.public_key()?, None, key)
    }

    /// Issues the certificate of an authority below another one.
    ///
    /// # Errors
    /// [`CertificateError::PathLength`] if the issuer allows none;
    /// [`CertificateError::IssuerValidity`] if the issuer is not valid when the new certificate
    /// becomes valid; [`CertificateError::Key`] for a KEM's key, which cannot sign;
    /// [`CertificateError::Subject`] if the subject is empty.
    pub fn intermediate(
        &self,
        key: &PublicKey,
        issuer: &Authority<'_>,
    ) -> Result<Certificate, CertificateError> {
        if issuer.path_len == Some(0) {
            return Err(CertificateError::PathLength);
        }
        if matches!(key.identity().algorithm(), Algorithm::Kem(_)) {
            return Err(KeyError::NoSignatures { name: key.identity().name() }.into());
        }
        let kind = Kind::Authority { path_len: self.path_len };
        self.build(kind, key, Some(issuer.certificate), issuer.key)
    }

    /// Issues the certificate of an entity below an authority: a server, a client, the holder of a
    /// KEM's key or, if the key is stateful, a signer of firmware.
    ///
    /// # Errors
    /// [`CertificateError::IssuerValidity`] if the issuer is not valid when the new certificate
    /// becomes valid; [`CertificateError::Key`]; [`CertificateError::Subject`] if the subject is
    /// empty and there are no names.
    pub fn entity(
        &self,
        key: &PublicKey,
        issuer: &Authority<'_>,
    ) -> Result<Certificate, CertificateError> {
        let kind = match key.identity().algorithm() {
            Algorithm::Sig(_) => Kind::Signer,
            Algorithm::Kem(_) => Kind::Recipient,
            Algorithm::Stateful(_) => Kind::CodeSigner,
        };
        self.build(kind, key, Some(issuer.certificate), issuer.key)
    }

    fn build(
        &self,
        kind: Kind,
        key: &PublicKey,
        issuer: Option<&Certificate>,
        signer: &dyn Issuer,
    ) -> Result<Certificate, CertificateError> {
        let is_authority = matches!(kind, Kind::Authority { .. });
        if self.subject.is_empty() && (is_authority || self.names.is_empty()) {
            return Err(CertificateError::Subject { found: String::new() });
        }
        let serial = match &self.serial {
            Some(serial) => serial.clone(),
            None => random_serial()?,
        };
        let (issuer, issuer_key_identifier) = match issuer {
            Some(issuer) => {
                self.check_begin(issuer)?;
                (issuer.subject(), issuer.key_identifier()?)
            }
            None => (&self.subject, key.key_identifier()),
        };
        let algorithm = signer.public_key()?.identity().algorithm_identifier();
        let extensions = self.extensions(kind, &key.key_identifier(), &issuer_key_identifier);
        let tbs = sequence(&[
            &element(VERSION, &[&integer(&[2])]),
            &serial,
            &algorithm,
            &issuer.to_der()?,
            &self.validity.to_der()?,
            &self.subject.to_der()?,
            &key.to_der(),
            &element(EXTENSIONS, &[&sequence(&[&extensions])]),
        ]);
        Certificate::from_der(&sign(&tbs, &algorithm, signer, self.signing)?)
    }

    /// Checks that the issuer is valid when the certificate becomes valid.
    fn check_begin(&self, issuer: &Certificate) -> Result<(), CertificateError> {
        let begin = self.validity.not_before.to_date_time();
        let Validity { not_before, not_after, .. } = *issuer.parsed().tbs_certificate().validity();
        if (not_before.to_date_time()..=not_after.to_date_time()).contains(&begin) {
            return Ok(());
        }
        let (from, until) = (not_before.to_string(), not_after.to_string());
        Err(CertificateError::IssuerValidity { from, until })
    }

    /// Returns the extensions, concatenated in DER.
    fn extensions(&self, kind: Kind, key: &[u8], issuer_key: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let (basic, usage, purposes) = match kind {
            Kind::Authority { path_len } => {
                let path_len = path_len.map(|authorities| integer(&[authorities]));
                let basic = sequence(&[BOOLEAN_TRUE, &path_len.unwrap_or_default()]);
                (basic, CERTIFICATES_AND_LISTS, &[][..])
            }
            Kind::Signer => {
                let purposes = &[ID_KP_SERVER_AUTH, ID_KP_CLIENT_AUTH];
                (sequence(&[]), DIGITAL_SIGNATURE, &purposes[..])
            }
            Kind::CodeSigner => (sequence(&[]), DIGITAL_SIGNATURE, &[ID_KP_CODE_SIGNING][..]),
            Kind::Recipient => (sequence(&[]), KEY_ENCIPHERMENT, &[][..]),
        };
        append_extension(&mut out, BasicConstraints::OID, true, &basic);
        append_extension(&mut out, KeyUsage::OID, true, &named_bits(usage));
        if !purposes.is_empty() {
            let purposes: Vec<u8> = purposes.iter().flat_map(|&id| object_identifier(id)).collect();
            append_extension(&mut out, ExtendedKeyUsage::OID, false, &sequence(&[&purposes]));
        }
        if !self.names.is_empty() {
            // Critical if the subject has no other name: RFC 5280, section 4.2.1.6.
            let (is_critical, names) = (self.subject.is_empty(), sequence(&[&self.names]));
            append_extension(&mut out, SubjectAltName::OID, is_critical, &names);
        }
        let own = element(OCTET_STRING, &[key]);
        append_extension(&mut out, SubjectKeyIdentifier::OID, false, &own);
        let issuer = sequence(&[&element(KEY_IDENTIFIER, &[issuer_key])]);
        append_extension(&mut out, AuthorityKeyIdentifier::OID, false, &issuer);
        out
    }
}

/// The tags of `version [0] EXPLICIT` and `extensions [3] EXPLICIT` of a certificate, and
/// `keyIdentifier [0] IMPLICIT` of an authority's key: RFC 5280, sections 4.1 and 4.2.1.1.
const VERSION: u8 = 0xa0;
const EXTENSIONS: u8 = 0xa3;
const KEY_IDENTIFIER: u8 = 0x80;

/// The kind of a certificate.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Authority {
        path_len: Option<u8>,
    },
    /// An entity that signs.
    Signer,
    /// An entity with a KEM's key.
    Recipient,
    /// An entity with a stateful key, which TLS does not support: it signs code.
    CodeSigner,
}

/// Returns a random serial number of 128 bits, the first two of which are 01, so that it is
/// positive and always has the same length.
fn random_serial() -> Result<Vec<u8>, CertificateError> {
    let mut bytes = [0; 16];
    fill_random(SysRng, &mut bytes)?;
    bytes[0] = bytes[0] & 0x3f | 0x40;
    Ok(integer(&bytes))
}
