//! What certificates and requests are made with: names, and the signature at the end.

use std::net::IpAddr;
use std::str::FromStr;

use signature::Keypair;
use x509_cert::builder::{self, Builder};
use x509_cert::der::asn1::{BitString, Ia5String};
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::name::Name;
use x509_cert::spki::{self, AlgorithmIdentifierOwned, DynSignatureAlgorithmIdentifier};

use crate::error::CertificateError;
use crate::private::{Issuer, Signing};
use crate::public::PublicKey;

/// What the builder wants to know of a signer. It signs nothing: [`sign`] does.
struct Signer(PublicKey);

impl Keypair for Signer {
    type VerifyingKey = PublicKey;

    fn verifying_key(&self) -> PublicKey {
        self.0.clone()
    }
}

impl DynSignatureAlgorithmIdentifier for Signer {
    fn signature_algorithm_identifier(&self) -> spki::Result<AlgorithmIdentifierOwned> {
        Ok(self.0.identity().algorithm_identifier())
    }
}

/// Finishes a certificate or request. Errors of the key come out whole, which they would not
/// through the `Signer` trait.
pub(crate) fn sign<B: Builder>(
    mut builder: B,
    key: &dyn Issuer,
    signing: Signing,
) -> Result<B::Output, CertificateError> {
    let signer = Signer(key.public_key()?);
    let signed = builder.finalize(&signer).map_err(built)?;
    let signature = BitString::from_bytes(&key.sign(&signed, signing)?)?;
    builder.assemble(signature, &signer).map_err(built)
}

/// The errors of the builder that can come up here: all names and keys were checked before.
pub(crate) fn built(error: builder::Error) -> CertificateError {
    match error {
        builder::Error::Asn1(error) | builder::Error::PublicKey(spki::Error::Asn1(error)) => {
            CertificateError::Malformed(error)
        }
        _ => CertificateError::Malformed(x509_cert::der::ErrorKind::Failed.into()),
    }
}

pub(crate) fn subject_of(text: &str) -> Result<Name, CertificateError> {
    let failed = || CertificateError::Subject { found: text.to_owned() };
    let name = Name::from_str(text).map_err(|_| failed())?;
    if name.is_empty() { Err(failed()) } else { Ok(name) }
}

/// IP addresses and DNS names.
pub(crate) fn names_of(names: &[&str]) -> Result<Vec<GeneralName>, CertificateError> {
    let name = |name: &&str| match name.parse::<IpAddr>() {
        Ok(address) => Ok(address.into()),
        Err(_) => dns_name(name),
    };
    names.iter().map(name).collect()
}

/// RFC 1034, section 3.5, with underscores and a wildcard as the whole of the first label.
pub(crate) fn dns_name(text: &str) -> Result<GeneralName, CertificateError> {
    let failed = || CertificateError::DnsName { found: text.to_owned() };
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let is_label = |label: &str| (1..=63).contains(&label.len()) && label.bytes().all(is_letter);
    let labels = text.strip_prefix("*.").unwrap_or(text);
    if text.len() > 253 || !labels.split('.').all(is_label) {
        return Err(failed());
    }
    Ok(GeneralName::DnsName(Ia5String::new(text).map_err(|_| failed())?))
}
