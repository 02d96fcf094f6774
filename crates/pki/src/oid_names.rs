//! Names of object identifiers in certificates of other programs: RFC 5280, RFC 5912, RFC 6962, RFC
//! 8410.
//!
//! The database of `const_oid` has a thousand more, but a single lookup would compile and link
//! all of them.

use x509_cert::der::asn1::ObjectIdentifier;
use x509_cert::der::oid::db::{rfc5280, rfc5912, rfc6962, rfc8410};

/// Returns the name of an extension, a key purpose or a classical algorithm.
fn find(oid: &ObjectIdentifier) -> Option<&'static str> {
    NAMES.iter().find(|(known, _)| known == oid).map(|(_, name)| *name)
}

/// Formats an object identifier as its name or, if it has none, its number.
pub(crate) fn name_or_number(oid: &ObjectIdentifier) -> String {
    find(oid).map_or_else(|| oid.to_string(), str::to_owned)
}

/// Formats an object identifier with its name, if it has one.
pub(crate) fn with_name(oid: &ObjectIdentifier) -> String {
    find(oid).map_or_else(|| oid.to_string(), |name| format!("{name} ({oid})"))
}

static NAMES: &[(ObjectIdentifier, &str)] = &[
    (rfc5280::ID_CE_SUBJECT_DIRECTORY_ATTRIBUTES, "id-ce-subjectDirectoryAttributes"),
    (rfc5280::ID_CE_SUBJECT_KEY_IDENTIFIER, "id-ce-subjectKeyIdentifier"),
    (rfc5280::ID_CE_KEY_USAGE, "id-ce-keyUsage"),
    (rfc5280::ID_CE_PRIVATE_KEY_USAGE_PERIOD, "id-ce-privateKeyUsagePeriod"),
    (rfc5280::ID_CE_SUBJECT_ALT_NAME, "id-ce-subjectAltName"),
    (rfc5280::ID_CE_ISSUER_ALT_NAME, "id-ce-issuerAltName"),
    (rfc5280::ID_CE_BASIC_CONSTRAINTS, "id-ce-basicConstraints"),
    (rfc5280::ID_CE_NAME_CONSTRAINTS, "id-ce-nameConstraints"),
    (rfc5280::ID_CE_CRL_DISTRIBUTION_POINTS, "id-ce-cRLDistributionPoints"),
    (rfc5280::ID_CE_CERTIFICATE_POLICIES, "id-ce-certificatePolicies"),
    (rfc5280::ID_CE_POLICY_MAPPINGS, "id-ce-policyMappings"),
    (rfc5280::ID_CE_AUTHORITY_KEY_IDENTIFIER, "id-ce-authorityKeyIdentifier"),
    (rfc5280::ID_CE_POLICY_CONSTRAINTS, "id-ce-policyConstraints"),
    (rfc5280::ID_CE_EXT_KEY_USAGE, "id-ce-extKeyUsage"),
    (rfc5280::ID_CE_FRESHEST_CRL, "id-ce-freshestCRL"),
    (rfc5280::ID_CE_INHIBIT_ANY_POLICY, "id-ce-inhibitAnyPolicy"),
    (rfc5280::ID_PE_AUTHORITY_INFO_ACCESS, "id-pe-authorityInfoAccess"),
    (rfc5280::ID_PE_SUBJECT_INFO_ACCESS, "id-pe-subjectInfoAccess"),
    (rfc6962::CT_PRECERT_SCTS, "ct-precert-scts"),
    (rfc6962::CT_PRECERT_POISON, "ct-precert-poison"),
    (rfc5280::ANY_EXTENDED_KEY_USAGE, "anyExtendedKeyUsage"),
    (rfc5280::ID_KP_SERVER_AUTH, "id-kp-serverAuth"),
    (rfc5280::ID_KP_CLIENT_AUTH, "id-kp-clientAuth"),
    (rfc5280::ID_KP_CODE_SIGNING, "id-kp-codeSigning"),
    (rfc5280::ID_KP_EMAIL_PROTECTION, "id-kp-emailProtection"),
    (rfc5280::ID_KP_TIME_STAMPING, "id-kp-timeStamping"),
    (rfc5280::ID_KP_OCSP_SIGNING, "id-kp-OCSPSigning"),
    (rfc5912::RSA_ENCRYPTION, "rsaEncryption"),
    (rfc5912::ID_RSASSA_PSS, "id-RSASSA-PSS"),
    (rfc5912::SHA_1_WITH_RSA_ENCRYPTION, "sha1WithRSAEncryption"),
    (rfc5912::SHA_224_WITH_RSA_ENCRYPTION, "sha224WithRSAEncryption"),
    (rfc5912::SHA_256_WITH_RSA_ENCRYPTION, "sha256WithRSAEncryption"),
    (rfc5912::SHA_384_WITH_RSA_ENCRYPTION, "sha384WithRSAEncryption"),
    (rfc5912::SHA_512_WITH_RSA_ENCRYPTION, "sha512WithRSAEncryption"),
    (rfc5912::ID_EC_PUBLIC_KEY, "id-ecPublicKey"),
    (rfc5912::ECDSA_WITH_SHA_224, "ecdsa-with-SHA224"),
    (rfc5912::ECDSA_WITH_SHA_256, "ecdsa-with-SHA256"),
    (rfc5912::ECDSA_WITH_SHA_384, "ecdsa-with-SHA384"),
    (rfc5912::ECDSA_WITH_SHA_512, "ecdsa-with-SHA512"),
    (rfc5912::ID_DSA, "id-dsa"),
    (rfc8410::ID_X_25519, "id-X25519"),
    (rfc8410::ID_X_448, "id-X448"),
    (rfc8410::ID_ED_25519, "id-Ed25519"),
    (rfc8410::ID_ED_448, "id-Ed448"),
];
