//! Descriptions of certificate extensions.

use std::net::{Ipv4Addr, Ipv6Addr};

use x509_cert::der::oid::AssociatedOid;
use x509_cert::der::{self, Decode};
use x509_cert::ext::Extension;
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::ext::pkix::{
    AuthorityKeyIdentifier, BasicConstraints, ExtendedKeyUsage, KeyUsage, KeyUsages,
    SubjectAltName, SubjectKeyIdentifier,
};

use crate::certificate::distinguished_name;
use crate::inspect::report::{ExtensionReport, hexadecimal};
use crate::oid_names;

pub(super) fn report(extension: &Extension) -> ExtensionReport {
    let oid = extension.extn_id;
    let value = match value(extension) {
        Ok(value) => value,
        Err(error) => Some(format!("malformed: {error}")),
    };
    let name = oid_names::name_or_number(&oid);
    ExtensionReport { name, critical: extension.critical, value }
}

fn value(extension: &Extension) -> der::Result<Option<String>> {
    let bytes = extension.extn_value.as_bytes();
    Ok(Some(match extension.extn_id {
        BasicConstraints::OID => {
            let basic = BasicConstraints::from_der(bytes)?;
            match (basic.ca, basic.path_len_constraint) {
                (false, _) => "no authority".to_owned(),
                (true, None) => "authority".to_owned(),
                (true, Some(len)) => format!("authority, at most {len} below it"),
            }
        }
        KeyUsage::OID => {
            let set = KeyUsage::from_der(bytes)?.0;
            let set = USAGES.iter().filter(|(usage, _)| set.contains(*usage));
            set.map(|(_, name)| *name).collect::<Vec<_>>().join(", ")
        }
        ExtendedKeyUsage::OID => {
            let name = |oid| oid_names::name_or_number(oid).trim_start_matches("id-kp-").to_owned();
            let purposes = ExtendedKeyUsage::from_der(bytes)?.0;
            purposes.iter().map(name).collect::<Vec<_>>().join(", ")
        }
        SubjectAltName::OID => {
            let names = SubjectAltName::from_der(bytes)?.0;
            names.iter().map(general_name).collect::<Vec<_>>().join(", ")
        }
        SubjectKeyIdentifier::OID => {
            hexadecimal(SubjectKeyIdentifier::from_der(bytes)?.0.as_bytes())
        }
        AuthorityKeyIdentifier::OID => {
            let identifier = AuthorityKeyIdentifier::from_der(bytes)?.key_identifier;
            identifier.map_or_else(|| "no key".to_owned(), |key| hexadecimal(key.as_bytes()))
        }
        _ => return Ok(None),
    }))
}

/// The names of key usages: RFC 5280, section 4.2.1.3.
const USAGES: [(KeyUsages, &str); 9] = [
    (KeyUsages::DigitalSignature, "digitalSignature"),
    (KeyUsages::NonRepudiation, "nonRepudiation"),
    (KeyUsages::KeyEncipherment, "keyEncipherment"),
    (KeyUsages::DataEncipherment, "dataEncipherment"),
    (KeyUsages::KeyAgreement, "keyAgreement"),
    (KeyUsages::KeyCertSign, "keyCertSign"),
    (KeyUsages::CRLSign, "cRLSign"),
    (KeyUsages::EncipherOnly, "encipherOnly"),
    (KeyUsages::DecipherOnly, "decipherOnly"),
];

/// Returns an alternative name as text, with control characters escaped.
pub(crate) fn general_name(name: &GeneralName) -> String {
    match name {
        GeneralName::DnsName(name)
        | GeneralName::Rfc822Name(name)
        | GeneralName::UniformResourceIdentifier(name) => name.as_str().escape_debug().to_string(),
        GeneralName::DirectoryName(name) => distinguished_name(name),
        GeneralName::RegisteredId(oid) => oid.to_string(),
        GeneralName::IpAddress(octets) => {
            let octets = octets.as_bytes();
            let v4 = <[u8; 4]>::try_from(octets).map(|octets| Ipv4Addr::from(octets).to_string());
            let v6 = <[u8; 16]>::try_from(octets).map(|octets| Ipv6Addr::from(octets).to_string());
            v4.or(v6).unwrap_or_else(|_| hexadecimal(octets))
        }
        _ => "a name of another kind".to_owned(),
    }
}
