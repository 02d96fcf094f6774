//! New certificates: roots, intermediate authorities, entities (RFC 5280).

use std::fmt;
use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::time::SystemTime;

use getrandom::SysRng;
use x509_cert::TbsCertificate;
use x509_cert::builder::profile::BuilderProfile;
use x509_cert::builder::{self, CertificateBuilder};
use x509_cert::der::asn1::OctetString;
use x509_cert::der::oid::db::rfc5280::{ID_KP_CLIENT_AUTH, ID_KP_CODE_SIGNING, ID_KP_SERVER_AUTH};
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::ext::pkix::{
    AuthorityKeyIdentifier, BasicConstraints, ExtendedKeyUsage, KeyUsage, KeyUsages,
    SubjectAltName, SubjectKeyIdentifier,
};
use x509_cert::ext::{Extension, ToExtension};
use x509_cert::name::Name;
use x509_cert::serial_number::SerialNumber;
use x509_cert::spki::SubjectPublicKeyInfoRef;
use x509_cert::time::{Time, Validity};

use crate::certificate::Certificate;
use crate::error::{CertificateError, KeyError};
use crate::identity::Algorithm;
use crate::issuing::{built, dns_name, sign, subject_of};
use crate::private::{Issuer, Signing, fill_random};
use crate::public::PublicKey;
use crate::request::Request;

/// What a certificate shall say. Made once, it serves for several.
///
/// Every certificate has version 3, a key identifier, basic constraints and a key usage: an
/// authority signs certificates and revocation lists, an entity signs, or if its key is a KEM's,
/// has keys encapsulated to it (RFC 9935, section 5). An entity that signs is TLS server and
/// client, or with a stateful key signs code, which RFC 9802 has such keys for.
#[derive(Clone, Debug)]
pub struct Template {
    subject: Name,
    validity: Validity,
    serial: Option<SerialNumber>,
    names: Vec<GeneralName>,
    path_len: Option<u8>,
    signing: Signing,
}

/// A certificate that may issue others, with its private key.
pub struct Authority<'a> {
    certificate: &'a Certificate,
    key: &'a dyn Issuer,
    /// How many authorities may follow below it.
    path_len: Option<u8>,
}

impl<'a> Authority<'a> {
    /// Checks that the two belong together.
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
    /// A certificate for a subject in the form of RFC 4514, `CN=door.example,O=Example`, valid in
    /// `validity`, in whole seconds.
    ///
    /// # Errors
    /// [`CertificateError::Subject`], [`CertificateError::Validity`].
    pub fn new(
        subject: &str,
        validity: RangeInclusive<SystemTime>,
    ) -> Result<Self, CertificateError> {
        Self::named(subject_of(subject)?, validity)
    }

    /// A certificate for the subject and the names of a request, of which the signature is
    /// verified. Other wishes of the request are passed over.
    ///
    /// # Errors
    /// [`CertificateError::InvalidSignature`] and the other errors of [`Request::verify`];
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
        let time = |at: &SystemTime| Time::try_from(*at).map_err(|_| CertificateError::Validity);
        if validity.is_empty() {
            return Err(CertificateError::Validity);
        }
        let validity = Validity::new(time(validity.start())?, time(validity.end())?);
        let (names, signing) = (Vec::new(), Signing::Hedged);
        Ok(Self { subject, validity, serial: None, names, path_len: None, signing })
    }

    /// Adds a DNS name, with or without the wildcard `*.`.
    ///
    /// # Errors
    /// [`CertificateError::DnsName`].
    pub fn dns(mut self, name: &str) -> Result<Self, CertificateError> {
        self.names.push(dns_name(name)?);
        Ok(self)
    }

    /// Adds an IP address.
    #[must_use]
    pub fn ip(mut self, address: IpAddr) -> Self {
        self.names.push(address.into());
        self
    }

    /// Sets the serial number, big endian. Otherwise it is random.
    ///
    /// # Errors
    /// [`CertificateError::SerialNumber`].
    pub fn serial(mut self, number: &[u8]) -> Result<Self, CertificateError> {
        if number.iter().all(|&byte| byte == 0) {
            return Err(CertificateError::SerialNumber);
        }
        let number = SerialNumber::new(number).map_err(|_| CertificateError::SerialNumber)?;
        self.serial = Some(number);
        Ok(self)
    }

    /// Limits how many authorities may follow below an authority: RFC 5280, section 4.2.1.9.
    #[must_use]
    pub fn path_len(mut self, authorities: u8) -> Self {
        self.path_len = Some(authorities);
        self
    }

    /// Sets how the certificate is signed. Deterministic, and with a serial number, it is
    /// reproducible.
    #[must_use]
    pub fn signing(mut self, signing: Signing) -> Self {
        self.signing = signing;
        self
    }

    /// A root: the subject's certificate, signed with its own key.
    ///
    /// # Errors
    /// [`CertificateError::Key`] for a KEM's key, which cannot sign.
    pub fn root(&self, key: &dyn Issuer) -> Result<Certificate, CertificateError> {
        let kind = Kind::Authority { path_len: self.path_len };
        self.build(kind, &key.public_key()?, None, key)
    }

    /// An authority below another one.
    ///
    /// # Errors
    /// [`CertificateError::PathLength`] if the issuer allows none; [`CertificateError::Key`] for a
    /// KEM's key, which cannot sign.
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

    /// An entity below an authority: a server, a client, the holder of a KEM's key, or, if the key
    /// is stateful, who signs firmware.
    ///
    /// # Errors
    /// [`CertificateError::Key`].
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
        let serial = match &self.serial {
            Some(serial) => serial.clone(),
            None => random_serial()?,
        };
        let profile = CertificateProfile {
            kind,
            subject: self.subject.clone(),
            issuer: issuer.map(|issuer| issuer.subject().clone()),
            names: self.names.clone(),
            key_identifier: OctetString::new(key.key_identifier())?,
            issuer_key_identifier: match issuer {
                Some(issuer) => OctetString::new(issuer.key_identifier()?)?,
                None => OctetString::new(key.key_identifier())?,
            },
        };
        let builder = CertificateBuilder::new(profile, serial, self.validity, key.to_spki()?);
        Certificate::from_parsed(&sign(builder.map_err(built)?, signer, self.signing)?)
    }
}

/// What a certificate is for.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Authority {
        path_len: Option<u8>,
    },
    /// An entity that signs.
    Signer,
    /// An entity with a KEM's key.
    Recipient,
    /// An entity with a stateful key, of which TLS knows none: it signs code.
    CodeSigner,
}

/// Subject, issuer and extensions, as the builder asks for them.
struct CertificateProfile {
    kind: Kind,
    subject: Name,
    /// `None` for a root.
    issuer: Option<Name>,
    names: Vec<GeneralName>,
    key_identifier: OctetString,
    issuer_key_identifier: OctetString,
}

impl BuilderProfile for CertificateProfile {
    fn get_issuer(&self, subject: &Name) -> Name {
        self.issuer.as_ref().unwrap_or(subject).clone()
    }

    fn get_subject(&self) -> Name {
        self.subject.clone()
    }

    fn build_extensions(
        &self,
        _: SubjectPublicKeyInfoRef<'_>,
        _: SubjectPublicKeyInfoRef<'_>,
        _: &TbsCertificate,
    ) -> builder::Result<Vec<Extension>> {
        let mut extensions = Vec::new();
        let add = |extensions: &mut Vec<Extension>, extension: Added<'_>| -> builder::Result<()> {
            extensions.push(extension(&self.subject, extensions)?);
            Ok(())
        };
        let (ca, path_len_constraint, usages) = match self.kind {
            Kind::Authority { path_len } => {
                (true, path_len, KeyUsages::KeyCertSign | KeyUsages::CRLSign)
            }
            Kind::Signer | Kind::CodeSigner => (false, None, KeyUsages::DigitalSignature.into()),
            Kind::Recipient => (false, None, KeyUsages::KeyEncipherment.into()),
        };
        let basic = BasicConstraints { ca, path_len_constraint };
        add(&mut extensions, &|subject, all| basic.to_extension(subject, all))?;
        let usage = KeyUsage(usages);
        add(&mut extensions, &|subject, all| usage.to_extension(subject, all))?;
        let purposes = match self.kind {
            Kind::Signer => vec![ID_KP_SERVER_AUTH, ID_KP_CLIENT_AUTH],
            Kind::CodeSigner => vec![ID_KP_CODE_SIGNING],
            Kind::Authority { .. } | Kind::Recipient => Vec::new(),
        };
        if !purposes.is_empty() {
            let usage = ExtendedKeyUsage(purposes);
            add(&mut extensions, &|subject, all| usage.to_extension(subject, all))?;
        }
        if !self.names.is_empty() {
            let names = SubjectAltName(self.names.clone());
            add(&mut extensions, &|subject, all| names.to_extension(subject, all))?;
        }
        let own = SubjectKeyIdentifier(self.key_identifier.clone());
        add(&mut extensions, &|subject, all| own.to_extension(subject, all))?;
        let issuer = AuthorityKeyIdentifier {
            key_identifier: Some(self.issuer_key_identifier.clone()),
            ..AuthorityKeyIdentifier::default()
        };
        add(&mut extensions, &|subject, all| issuer.to_extension(subject, all))?;
        Ok(extensions)
    }
}

/// An extension, given the subject and the extensions before it.
type Added<'a> = &'a dyn Fn(&Name, &[Extension]) -> x509_cert::der::Result<Extension>;

/// 128 random bits, the first two of them 01: positive, and always of one length.
fn random_serial() -> Result<SerialNumber, CertificateError> {
    let mut bytes = [0; 16];
    fill_random(SysRng, &mut bytes)?;
    bytes[0] = bytes[0] & 0x3f | 0x40;
    Ok(SerialNumber::new(&bytes)?)
}
