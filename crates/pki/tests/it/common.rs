//! Keys, times and DER for the tests.

use std::ops::RangeInclusive;
use std::time::{Duration, SystemTime};

use oaklath_pki::x509_cert::der::asn1::ObjectIdentifier;
use oaklath_pki::x509_cert::der::{Decode, Encode};
use oaklath_pki::x509_cert::ext::Extension;
use oaklath_pki::{Certificate, Identity, PrivateKey, Signing, Template};

/// Returns the identities of this build.
pub(crate) fn built() -> impl Iterator<Item = Identity> {
    Identity::all().filter(|identity| identity.is_built())
}

/// Derives a key from a seed of bytes that count up from `first`.
pub(crate) fn key(identity: Identity, first: u8) -> PrivateKey {
    let sig = identity.scheme().map(|scheme| scheme.seed_len());
    let len = sig.or(identity.kem().map(|kem| kem.seed_len())).unwrap();
    let seed: Vec<u8> = (0..len).map(|i| first.wrapping_add(i as u8)).collect();
    PrivateKey::from_seed(identity, &seed).unwrap()
}

/// Derives a key as [`key`] does, for the algorithm with this name.
pub(crate) fn key_of(name: &str, first: u8) -> PrivateKey {
    key(Identity::by_name(name).unwrap(), first)
}

pub(crate) const DAY: Duration = Duration::from_secs(86400);

/// Returns the day that is this number of days after 2026-01-01.
pub(crate) fn day(number: u32) -> SystemTime {
    SystemTime::UNIX_EPOCH + 20454 * DAY + number * DAY
}

/// Returns the period from day 10 to day 20.
pub(crate) fn period() -> RangeInclusive<SystemTime> {
    day(10)..=day(20)
}

/// Returns a template for reproducible certificates.
pub(crate) fn template(subject: &str) -> Template {
    let template = Template::new(subject, period()).unwrap().serial(&[7]).unwrap();
    template.signing(Signing::Deterministic)
}

/// Encodes tag, length and value.
pub(crate) fn tlv(tag: u8, value: &[u8]) -> Vec<u8> {
    let len = value.len();
    let header = match len {
        0..128 => vec![tag, len as u8],
        128..256 => vec![tag, 0x81, len as u8],
        256..65536 => vec![tag, 0x82, (len >> 8) as u8, len as u8],
        _ => panic!("{len} bytes"),
    };
    [header, value.to_vec()].concat()
}

/// Returns a certificate with another version and other extensions, signed again.
pub(crate) fn altered(
    certificate: &Certificate,
    version: u8,
    extensions: &[Extension],
    signer: &PrivateKey,
) -> Certificate {
    let tbs = certificate.parsed().tbs_certificate();
    let mut fields = Vec::new();
    if version > 1 {
        fields.extend(tlv(0xa0, &[2, 1, version - 1]));
    }
    fields.extend(tbs.serial_number().to_der().unwrap());
    fields.extend(tbs.signature().to_der().unwrap());
    fields.extend(tbs.issuer().to_der().unwrap());
    fields.extend(tbs.validity().to_der().unwrap());
    fields.extend(tbs.subject().to_der().unwrap());
    fields.extend(tbs.subject_public_key_info().to_der().unwrap());
    if !extensions.is_empty() {
        let all: Vec<u8> = extensions.iter().flat_map(|e| e.to_der().unwrap()).collect();
        fields.extend(tlv(0xa3, &tlv(0x30, &all)));
    }
    let signed = tlv(0x30, &fields);
    let algorithm = tlv(0x30, &object_identifier(signer.identity()));
    let signature = signer.sign(&signed, Signing::Deterministic).unwrap();
    let signature = tlv(3, &[&[0], &*signature].concat());
    Certificate::from_der(&tlv(0x30, &[signed, algorithm, signature].concat())).unwrap()
}

pub(crate) fn extensions(certificate: &Certificate) -> Vec<Extension> {
    certificate.parsed().tbs_certificate().extensions().cloned().unwrap_or_default()
}

/// Builds an extension; `oid` is in dotted form.
pub(crate) fn extension(oid: &str, critical: bool, value: &[u8]) -> Extension {
    let oid = ObjectIdentifier::new_unwrap(oid);
    let flag: &[u8] = if critical { &[1, 1, 0xff] } else { &[] };
    let parts = [&*oid.to_der().unwrap(), flag, &tlv(4, value)].concat();
    Extension::from_der(&tlv(0x30, &parts)).unwrap()
}

/// Returns the DER of an object identifier.
pub(crate) fn object_identifier(identity: Identity) -> Vec<u8> {
    let oid = identity.oid();
    ObjectIdentifier::new_unwrap(oid.as_str()).to_der().unwrap()
}
