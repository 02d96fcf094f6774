//! Common parts of creating certificates and requests: names, and the signature at the end.

use std::net::IpAddr;
use std::str::FromStr;

use x509_cert::name::Name;

use crate::error::CertificateError;
use crate::private::{Issuer, Signing};
use crate::write::{append, bit_string, sequence};

/// Finishes a certificate or request: the signed part, the algorithm, the signature.
pub(crate) fn sign(
    signed: &[u8],
    algorithm: &[u8],
    key: &dyn Issuer,
    signing: Signing,
) -> Result<Vec<u8>, CertificateError> {
    Ok(sequence(&[signed, algorithm, &bit_string(&key.sign(signed, signing)?)]))
}

pub(crate) fn subject_of(text: &str) -> Result<Name, CertificateError> {
    let failed = || CertificateError::Subject { found: text.to_owned() };
    let name = Name::from_str(text).map_err(|_| failed())?;
    if name.is_empty() { Err(failed()) } else { Ok(name) }
}

/// Appends an IP address as a `GeneralName`: RFC 5280, section 4.2.1.6.
pub(crate) fn append_ip_address(names: &mut Vec<u8>, address: IpAddr) {
    match address {
        IpAddr::V4(address) => append(names, IP_ADDRESS, &[&address.octets()]),
        IpAddr::V6(address) => append(names, IP_ADDRESS, &[&address.octets()]),
    }
}

/// Appends a DNS name as a `GeneralName`, if certificates may contain it.
pub(crate) fn append_dns_name(names: &mut Vec<u8>, text: &str) -> Result<(), CertificateError> {
    check_dns_name(text)?;
    append(names, DNS_NAME, &[text.as_bytes()]);
    Ok(())
}

/// Checks that a text is a DNS name: RFC 1034, section 3.5, but underscores are allowed, and so is
/// a wildcard as the whole first label if at least two labels follow (RFC 9525, section 6.3).
pub(crate) fn check_dns_name(text: &str) -> Result<(), CertificateError> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let is_label = |label: &str| (1..=63).contains(&label.len()) && label.bytes().all(is_letter);
    let below = text.strip_prefix("*.");
    let has_room = below.is_none_or(|below| below.contains('.'));
    if text.len() > 253 || !has_room || !below.unwrap_or(text).split('.').all(is_label) {
        return Err(CertificateError::DnsName { found: text.to_owned() });
    }
    Ok(())
}

/// The tags of `dNSName [2] IA5String` and `iPAddress [7] OCTET STRING`.
const DNS_NAME: u8 = 0x82;
const IP_ADDRESS: u8 = 0x87;
