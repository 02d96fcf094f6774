//! Reports on the contents of a file, PEM or DER, as data and as text. They contain no secrets.

mod extensions;
mod report;

use x509_cert::der::asn1::BitString;
use x509_cert::der::{self, Decode};
use x509_cert::spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned};

pub(crate) use extensions::general_name;
pub use report::{
    Agreement, AlgorithmReport, CertificateReport, Content, ExtensionReport, Item,
    PrivateKeyReport, PublicKeyReport, RequestReport,
};

use crate::certificate::{Certificate, distinguished_name};
use crate::contents::Contents;
use crate::error::{CertificateError, KeyError};
use crate::identity::Identity;
use crate::pem::{self, PemError, decode_pem};
use crate::private::PrivateKey;
use crate::public::PublicKey;
use crate::request::Request;
use crate::{oid_names, private, request};

/// Describes the bytes of a file: one item per PEM block, or one item for DER.
///
/// ```
/// use oaklath_pki::{Content, Form, Identity, PrivateKey, inspect};
///
/// let key = PrivateKey::generate(Identity::by_name("ML-KEM-512").unwrap())?;
/// let items = inspect(&key.to_der(Form::Both)?)?;
/// let Content::PrivateKey(key) = &items[0].content else { panic!() };
/// assert_eq!((&*key.algorithm.name, key.form.as_deref()), ("ML-KEM-512", Some("both")));
/// println!("{}", items[0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the bytes are neither the DER of a SEQUENCE nor PEM. Faults inside are not errors but are
/// described in the report.
pub fn inspect(bytes: &[u8]) -> Result<Vec<Item>, PemError> {
    let text = std::str::from_utf8(bytes);
    let is_pem = text.is_ok_and(|text| text.contains(pem::BEGIN));
    // Text before PEM may begin with the digit 0, which is the byte of a SEQUENCE.
    if !is_pem && bytes.first() == Some(&SEQUENCE) {
        let content = unlabelled(bytes);
        return Ok(vec![Item { label: None, length: bytes.len(), content }]);
    }
    let text = text.map_err(|_| PemError::NoBlock)?;
    let item = |block: crate::PemBlock| {
        let content = labelled(&block.label, &block.bytes);
        Item { label: Some(block.label), length: block.bytes.len(), content }
    };
    Ok(decode_pem(text)?.into_iter().map(item).collect())
}

/// The first byte of all DER structures known here.
const SEQUENCE: u8 = 0x30;

fn labelled(label: &str, der: &[u8]) -> Content {
    let content = match label {
        "CERTIFICATE" => certificate(der),
        "PUBLIC KEY" => public_key(der),
        private::ENCRYPTED => return Content::Unknown { reason: KeyError::Encrypted.to_string() },
        label if request::is_request(label) => certification_request(der),
        label if private::is_plain(label) => private_key(der),
        _ => return Content::Unknown { reason: "a PEM label that is not known here".to_owned() },
    };
    content.unwrap_or_else(|reason| Content::Unknown { reason })
}

/// Recognises DER by its structure.
fn unlabelled(der: &[u8]) -> Content {
    let kinds = [certificate, certification_request, private_key, public_key];
    let found = kinds.iter().find_map(|kind| kind(der).ok());
    let reason = || "neither a certificate, a request, a PKCS#8 key nor an SPKI key".to_owned();
    found.unwrap_or_else(|| Content::Unknown { reason: reason() })
}

fn certificate(der: &[u8]) -> Result<Content, String> {
    let certificate = Certificate::from_der(der).map_err(text)?;
    let parsed = certificate.parsed();
    let tbs = parsed.tbs_certificate();
    let self_signature = certificate.is_self_signed().then(|| {
        let key = certificate.public_key().map_err(CertificateError::from);
        verdict(key.and_then(|key| certificate.verify_signature(&key)))
    });
    Ok(Content::Certificate(Box::new(CertificateReport {
        version: tbs.version() as u8 + 1,
        serial: report::hexadecimal(tbs.serial_number().as_bytes()),
        subject: distinguished_name(tbs.subject()),
        issuer: distinguished_name(tbs.issuer()),
        not_before: tbs.validity().not_before.to_string(),
        not_after: tbs.validity().not_after.to_string(),
        public_key: spki(tbs.subject_public_key_info()),
        signature_algorithm: algorithm(parsed.signature_algorithm()),
        signature_length: whole(parsed.signature()).len(),
        self_signature,
        extensions: tbs.extensions().into_iter().flatten().map(extensions::report).collect(),
    })))
}

fn certification_request(der: &[u8]) -> Result<Content, String> {
    let request = Request::from_der(der).map_err(text)?;
    let parsed = request.parsed();
    Ok(Content::Request(Box::new(RequestReport {
        subject: distinguished_name(request.subject()),
        public_key: spki(&parsed.info.public_key),
        signature_algorithm: algorithm(&parsed.algorithm),
        signature_length: whole(&parsed.signature).len(),
        self_signature: verdict(request.verify()),
        extensions: request.extensions().map_err(text)?.iter().map(extensions::report).collect(),
    })))
}

fn public_key(der: &[u8]) -> Result<Content, String> {
    let parsed = SubjectPublicKeyInfoOwned::from_der(der).map_err(not_der)?;
    Ok(Content::PublicKey(spki(&parsed)))
}

fn private_key(der: &[u8]) -> Result<Content, String> {
    let info = pkcs8::PrivateKeyInfoRef::from_der(der).map_err(not_der)?;
    let octets = info.private_key.as_bytes();
    let mut report = PrivateKeyReport {
        algorithm: AlgorithmReport::new(info.algorithm.oid, None),
        length: octets.len(),
        form: None,
        seed: None,
        expanded: None,
        public: None,
        parts: Agreement::NotChecked(String::new()),
    };
    match Identity::of_algorithm(&info.algorithm) {
        Err(error) => report.parts = Agreement::NotChecked(error.to_string()),
        Ok(identity) => {
            report.algorithm = AlgorithmReport::new(info.algorithm.oid, Some(identity));
            if let Ok(contents) = Contents::parse(identity, octets) {
                report.form = Some(contents.form.to_string());
                report.seed = contents.seed.map(<[u8]>::len);
                report.expanded = contents.expanded.map(|key| key.len());
                report.public = contents.public.map(|key| key.len());
            }
            report.parts = verdict(PrivateKey::from_der(der).map(drop).map_err(Into::into));
        }
    }
    Ok(Content::PrivateKey(report))
}

fn spki(spki: &SubjectPublicKeyInfoOwned) -> PublicKeyReport {
    let key = PublicKey::from_spki(spki);
    PublicKeyReport {
        algorithm: algorithm(&spki.algorithm),
        parameters: key.as_ref().ok().and_then(PublicKey::parameters),
        length: whole(&spki.subject_public_key).len(),
        key_identifier: key.as_ref().ok().map(|key| report::hexadecimal(&key.key_identifier())),
        valid: match &key {
            Ok(key) if !key.identity().is_built() => {
                let name = key.identity().name();
                Agreement::NotChecked(KeyError::NotBuilt { name }.to_string())
            }
            _ => verdict(key.map(drop).map_err(Into::into)),
        },
    }
}

fn algorithm(algorithm: &AlgorithmIdentifierOwned) -> AlgorithmReport {
    AlgorithmReport::new(algorithm.oid, Identity::of_oid(algorithm.oid).ok())
}

/// Converts a result. What this build cannot check counts as not checked, not as wrong.
fn verdict(result: Result<(), CertificateError>) -> Agreement {
    match result {
        Ok(()) => Agreement::Yes,
        Err(CertificateError::Key(
            error @ (KeyError::NotBuilt { .. } | KeyError::UnsupportedAlgorithm { .. }),
        )) => Agreement::NotChecked(error.to_string()),
        Err(error) => Agreement::No(error.to_string()),
    }
}

/// Returns the bytes of a bit string, or none if it does not consist of whole bytes.
fn whole(bits: &BitString) -> &[u8] {
    bits.as_bytes().unwrap_or_default()
}

fn text(error: impl ToString) -> String {
    error.to_string()
}

fn not_der(error: der::Error) -> String {
    KeyError::Malformed(error).to_string()
}

impl AlgorithmReport {
    fn new(oid: der::asn1::ObjectIdentifier, identity: Option<Identity>) -> Self {
        Self {
            name: identity
                .map_or_else(|| oid_names::with_name(&oid), |identity| identity.name().to_owned()),
            oid: oid.to_string(),
            vocabulary: identity.map(|identity| identity.vocabulary().to_owned()),
            level: identity.and_then(Identity::level),
            status: identity.map(|identity| identity.status().to_string()),
            is_built: identity.is_some_and(Identity::is_built),
        }
    }
}
