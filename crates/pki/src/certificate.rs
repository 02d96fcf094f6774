//! X.509 certificates (RFC 5280) with their original bytes, which the signatures cover.

use std::fmt;
use std::ops::Range;

use x509_cert::der::asn1::{AnyRef, BitString};
use x509_cert::der::oid::AssociatedOid;
use x509_cert::der::{self, Decode, ErrorKind, Reader, SliceReader, Tag};
use x509_cert::ext::pkix::{
    AuthorityKeyIdentifier, BasicConstraints, KeyUsage, SubjectAltName, SubjectKeyIdentifier,
};
use x509_cert::name::Name;
use x509_cert::spki::AlgorithmIdentifierOwned;

use crate::error::{CertificateError, KeyError};
use crate::identity::Identity;
use crate::pem;
use crate::pem::encode_pem;
use crate::public::PublicKey;

/// A certificate. Parsing checks only its structure; [`verify_chain`](crate::verify_chain) checks
/// its contents.
#[derive(Clone)]
pub struct Certificate {
    der: Vec<u8>,
    /// The range of the signed part in `der`.
    tbs: Range<usize>,
    parsed: x509_cert::Certificate,
}

impl Certificate {
    /// Parses a certificate in DER.
    ///
    /// # Errors
    /// [`CertificateError::Malformed`] if the bytes are not the DER of a certificate.
    pub fn from_der(der: &[u8]) -> Result<Self, CertificateError> {
        let (parsed, tbs) = (x509_cert::Certificate::from_der(der)?, signed_part(der)?);
        // The DER reader accepts an encoded default value, which X.690, section 11.5, forbids.
        if AnyRef::from_der(&der[tbs.clone()])?.value().starts_with(VERSION_1) {
            return Err(der::Error::from(ErrorKind::Noncanonical { tag: Tag::Integer }).into());
        }
        Ok(Self { der: der.to_vec(), tbs, parsed })
    }

    /// Parses the first block `CERTIFICATE`.
    ///
    /// # Errors
    /// [`CertificateError::Pem`], [`CertificateError::Malformed`].
    pub fn from_pem(text: &str) -> Result<Self, CertificateError> {
        Self::from_der(&pem::find(text, LABEL, |label| label == LABEL)?.bytes)
    }

    /// Parses every block `CERTIFICATE`, in order; there must be at least one.
    ///
    /// # Errors
    /// Those of [`from_pem`](Self::from_pem).
    pub fn all_from_pem(text: &str) -> Result<Vec<Self>, CertificateError> {
        let blocks = pem::find_all(text, LABEL, |label| label == LABEL)?;
        blocks.iter().map(|block| Self::from_der(&block.bytes)).collect()
    }

    /// Returns the certificate in DER.
    #[must_use]
    pub fn as_der(&self) -> &[u8] {
        &self.der
    }

    /// Returns the certificate as a PEM block `CERTIFICATE`.
    #[must_use]
    pub fn to_pem(&self) -> String {
        encode_pem(LABEL, &self.der).to_string()
    }

    /// Returns all fields.
    #[must_use]
    pub fn parsed(&self) -> &x509_cert::Certificate {
        &self.parsed
    }

    /// Returns the subject: the holder of the key.
    #[must_use]
    pub fn subject(&self) -> &Name {
        self.parsed.tbs_certificate().subject()
    }

    /// Returns the issuer: the name of the signer.
    #[must_use]
    pub fn issuer(&self) -> &Name {
        self.parsed.tbs_certificate().issuer()
    }

    /// Reports whether subject and issuer are the same.
    #[must_use]
    pub fn is_self_issued(&self) -> bool {
        self.subject() == self.issuer()
    }

    /// Reports whether the certificate names itself as its issuer: the subject and, if given, the
    /// key identifier. Its signature may still be invalid. A self-issued certificate that names
    /// another key is not self-signed: RFC 5280, section 3.2.
    #[must_use]
    pub fn is_self_signed(&self) -> bool {
        self.names_issuer(self)
    }

    /// Returns the subject's public key.
    ///
    /// # Errors
    /// [`KeyError::UnsupportedAlgorithm`] for an algorithm that is not in the table, such as a
    /// classical one; another [`KeyError`] for a key that its algorithm rejects.
    pub fn public_key(&self) -> Result<PublicKey, KeyError> {
        PublicKey::from_spki(self.parsed.tbs_certificate().subject_public_key_info())
    }

    /// Verifies the signature with the issuer's key, and nothing else.
    ///
    /// # Errors
    /// [`CertificateError::InvalidSignature`]; [`CertificateError::SignatureAlgorithmsDiffer`],
    /// [`CertificateError::IssuerAlgorithm`]; [`CertificateError::Key`] with
    /// [`KeyError::UnsupportedAlgorithm`] for a classical signature.
    pub fn verify_signature(&self, issuer: &PublicKey) -> Result<(), CertificateError> {
        if self.parsed.tbs_certificate().signature() != self.parsed.signature_algorithm() {
            return Err(CertificateError::SignatureAlgorithmsDiffer);
        }
        let signed = &self.der[self.tbs.clone()];
        let (algorithm, signature) = (self.parsed.signature_algorithm(), self.parsed.signature());
        verify(issuer, algorithm, signed, signature)
    }

    /// Returns the algorithm of the signature.
    ///
    /// # Errors
    /// [`KeyError::UnsupportedAlgorithm`], [`KeyError::Parameters`].
    pub fn signature_identity(&self) -> Result<Identity, KeyError> {
        Identity::of_algorithm(self.parsed.signature_algorithm())
    }

    /// Returns an extension and whether it is critical. Two extensions of one kind are an error.
    pub(crate) fn extension<'a, T>(&'a self) -> der::Result<Option<(bool, T)>>
    where
        T: Decode<'a, Error = der::Error> + AssociatedOid,
    {
        self.parsed.tbs_certificate().get_extension::<T>()
    }

    /// Returns the constraints of an authority; `None` if this certificate is not an authority's.
    pub(crate) fn authority(&self) -> der::Result<Option<BasicConstraints>> {
        let basic = self.extension::<BasicConstraints>()?.map(|(_, basic)| basic);
        let usage = self.extension::<KeyUsage>()?.map(|(_, usage)| usage);
        let may_sign = usage.is_none_or(|usage| usage.key_cert_sign());
        Ok(basic.filter(|basic| basic.ca && may_sign))
    }

    /// Returns the key identifier: from the extension, or else what this crate would write there.
    pub(crate) fn key_identifier(&self) -> Result<Vec<u8>, CertificateError> {
        match self.extension::<SubjectKeyIdentifier>()? {
            Some((_, identifier)) => Ok(identifier.0.into_bytes().into_vec()),
            None => Ok(self.public_key()?.key_identifier()),
        }
    }

    /// Reports whether `issuer` has the name and, if both state one, the key identifier of this
    /// certificate's issuer.
    pub(crate) fn names_issuer(&self, issuer: &Self) -> bool {
        let own = issuer.extension::<SubjectKeyIdentifier>().ok().flatten();
        let wanted = self.extension::<AuthorityKeyIdentifier>().ok().flatten();
        let wanted = wanted.and_then(|(_, identifier)| identifier.key_identifier);
        let same_key = match (own, wanted) {
            (Some((_, own)), Some(wanted)) => own.0 == wanted,
            _ => true,
        };
        issuer.subject() == self.issuer() && same_key
    }

    /// Returns the alternative names; empty if there is no such extension.
    pub(crate) fn alternative_names(&self) -> der::Result<SubjectAltName> {
        Ok(self.extension::<SubjectAltName>()?.map(|(_, names)| names).unwrap_or_default())
    }
}

/// Certificates are equal if all their bytes are.
impl PartialEq for Certificate {
    fn eq(&self, other: &Self) -> bool {
        self.der == other.der
    }
}

impl Eq for Certificate {}

impl fmt::Debug for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let subject = distinguished_name(self.subject());
        write!(f, "Certificate({subject}, {} bytes)", self.der.len())
    }
}

const LABEL: &str = "CERTIFICATE";

/// The encoding of `version [0] EXPLICIT INTEGER DEFAULT v1` with the default value: RFC 5280,
/// section 4.1.
const VERSION_1: &[u8] = &[0xa0, 3, 2, 1, 0];

/// Returns the range of the signed part in `SEQUENCE { signed part, AlgorithmIdentifier, BIT STRING
/// }`.
pub(crate) fn signed_part(der: &[u8]) -> der::Result<Range<usize>> {
    let mut reader = SliceReader::new(der)?;
    reader.sequence(|inner| {
        let start = usize::try_from(inner.offset())?;
        let len = inner.tlv_bytes()?.len();
        inner.decode::<AnyRef<'_>>()?;
        inner.decode::<AnyRef<'_>>()?;
        Ok(start..start + len)
    })
}

/// Verifies the signature of a certificate or request.
pub(crate) fn verify(
    key: &PublicKey,
    algorithm: &AlgorithmIdentifierOwned,
    signed: &[u8],
    signature: &BitString,
) -> Result<(), CertificateError> {
    let identity = Identity::of_algorithm(algorithm)?;
    if identity != key.identity() {
        let (signature, key) = (identity.name(), key.identity().name());
        return Err(CertificateError::IssuerAlgorithm { signature, key });
    }
    let signature = signature.as_bytes().ok_or(CertificateError::InvalidSignature)?;
    key.verify(signed, signature).map_err(|error| match error {
        KeyError::Sig(oaklath_sig::Error::InvalidSignature)
        | KeyError::OfStateful(oaklath_stateful::Error::Invalid) => {
            CertificateError::InvalidSignature
        }
        error => CertificateError::Key(error),
    })
}

/// Returns a name in the form of RFC 4514, in which what a terminal may obey, hide or show in
/// another order is escaped as in Rust.
pub(crate) fn distinguished_name(name: &Name) -> String {
    let is_misleading = |letter: char| {
        letter.is_control()
            || matches!(letter, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{feff}')
            || matches!(letter, '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
    };
    let mut text = String::new();
    for letter in name.to_string().chars() {
        match is_misleading(letter) {
            true => text.extend(letter.escape_unicode()),
            false => text.push(letter),
        }
    }
    text
}
