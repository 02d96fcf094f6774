//! Why verifiers differ: each disputed row of the table gets the first of these reasons that fits.

/// A chain, and who accepts it: we, webpki, OpenSSL, OpenSSL with `-x509_strict`, Go.
#[derive(Clone)]
pub(crate) struct Row {
    pub(crate) place: &'static str,
    pub(crate) deviation: &'static str,
    pub(crate) section: &'static str,
    pub(crate) accepts: [bool; 5],
    /// Why verifiers differ: an index into the list of reasons.
    pub(crate) reason: Option<usize>,
}

impl Row {
    /// Reports whether another verifier differs from us.
    pub(crate) fn is_disputed(&self) -> bool {
        self.accepts.iter().any(|&other| other != self.accepts[0])
    }
}

/// Deviations by the beginnings of their names, the places to which the reason applies (empty:
/// all), and its text.
struct Reason {
    deviations: &'static [&'static str],
    places: &'static [&'static str],
    text: &'static str,
}

impl Reason {
    const fn new(
        deviations: &'static [&'static str],
        places: &'static [&'static str],
        text: &'static str,
    ) -> Self {
        Self { deviations, places, text }
    }
}

const REASONS: &[Reason] = &[
    Reason::new(
        &["version 1 without extensions", "no basicConstraints"],
        &["root"],
        "A root must say here that it is an authority; to webpki, OpenSSL and, if it is of version 1, \
         to Go it is one because it is trusted.",
    ),
    Reason::new(
        &["version 1", "version 2", "version 4", "negative version", "unique identifier in"],
        &[],
        "OpenSSL without `-x509_strict` does not check the version, and Go does not check that of a \
         root; a field of a later version violates RFC 5280, section 4.1.2.1, wherever it is.",
    ),
    Reason::new(
        &["long length", "indefinite length", "critical TRUE as 1", "bytes behind the certificate"],
        &[],
        "OpenSSL reads BER, and ignores what follows it; DER has one encoding.",
    ),
    Reason::new(
        &["negative serial number"],
        &[],
        "RFC 5280 has users of certificates handle these numbers gracefully; Go rejects them.",
    ),
    Reason::new(
        &["serial number with a leading zero", "serial number without bytes"],
        &[],
        "webpki does not read the number as an INTEGER.",
    ),
    Reason::new(
        &["algorithm with NULL in both"],
        &[],
        "ML-DSA and ECDSA have no parameters (RFC 9881, section 2; RFC 5758, section 3.2), which \
         OpenSSL and Go do not check.",
    ),
    Reason::new(
        &["valid for this second still"],
        &[],
        "The period includes its last second (RFC 5280, section 4.1.2.5); OpenSSL excludes it.",
    ),
    Reason::new(
        &["time without seconds", "element behind the extensions"],
        &[],
        "Go's parser accepts it, and webpki does not check the period of a root.",
    ),
    Reason::new(
        &["unique identifier"],
        &[],
        "webpki does not know the field, which RFC 5280 has users read and issuers avoid.",
    ),
    Reason::new(
        &["unknown extension twice", "subjectKeyIdentifier twice", "authorityKeyIdentifier twice"],
        &[],
        "webpki skips extensions that it does not use, and OpenSSL finds repeated known ones only.",
    ),
    Reason::new(
        &["bytes behind basicConstraints"],
        &[],
        "OpenSSL and Go do not check what follows the structure of an extension.",
    ),
    Reason::new(
        &["path length of 300"],
        &[],
        "A length above 255 is not read here, where no path is longer than ten.",
    ),
    Reason::new(
        &["basicConstraints with cA", "path length"],
        &["entity"],
        "RFC 5280 lets an entity be an authority too, which webpki excludes; issuers must not \
         write a length without cA, which `-x509_strict` checks.",
    ),
    Reason::new(
        &[
            "basicConstraints not critical",
            "no authorityKeyIdentifier",
            "no subjectKeyIdentifier",
            "no keyUsage",
            "subject without a name",
            "authority without a name",
        ],
        &[],
        "A rule for issuers, which `-x509_strict` enforces for users as well.",
    ),
    Reason::new(
        &["keyUsage"],
        &[],
        "webpki reads no key usage (RFC 5280, section 6.1.4, step n asks for it), Go none of an \
         entity or without a bit.",
    ),
    Reason::new(
        &["purpose any"],
        &[],
        "webpki and OpenSSL do not take a certificate for any purpose for that of a TLS server, \
         which RFC 5280 leaves to applications.",
    ),
    Reason::new(
        &["no purpose in the list"],
        &[],
        "RFC 5280 requires at least one; Go reads an empty list as any purpose.",
    ),
    Reason::new(
        &["policies, critical", "policyConstraints", "inhibitAnyPolicy"],
        &[],
        "Policies are not implemented here, nor in webpki, and if critical they are rejected. \
         Go knows them, OpenSSL checks them with `-policy_check`.",
    ),
    Reason::new(
        &["distribution points, critical"],
        &[],
        "The others read where lists of revoked certificates are; revocation is not checked here.",
    ),
    Reason::new(
        &["authorityKeyIdentifier of another key"],
        &[],
        "A key identifier is a hint to webpki and Go; here and in OpenSSL it names the issuer. The \
         identifier of a root names nobody.",
    ),
    Reason::new(
        &["authorityKeyIdentifier, critical", "subjectKeyIdentifier, critical"],
        &[],
        "Issuers must not mark them critical (section 4.2.1.1), but they are handled here.",
    ),
    Reason::new(
        &["key with an unused bit"],
        &["root", "authority"],
        "OpenSSL and webpki read the bytes alone; a key here has whole bytes.",
    ),
    Reason::new(
        &["key with an unused bit"],
        &["entity"],
        "The chain does not need the entity's key, which Go reads nevertheless; \
         `Certificate::public_key` rejects it here.",
    ),
    Reason::new(
        &["issuer in other letters", "issuer with two blanks", "issuer as PrintableString"],
        &[],
        "Names are compared by their bytes here, in webpki and in Go; section 7.1 requires LDAP's \
         rules, which OpenSSL follows.",
    ),
    Reason::new(
        &["the authority is trusted itself"],
        &[],
        "OpenSSL requires a path to a self-signed root unless it is told `-partial_chain`.",
    ),
    Reason::new(
        &["authority of the name of its root"],
        &[],
        "A self-issued certificate does not count for path lengths (section 6.1.4, step l); Go \
         counts it.",
    ),
    Reason::new(
        &["no subjectAltName, but"],
        &[],
        "OpenSSL falls back to the common name, which RFC 9525, section 6.3 forbids.",
    ),
    Reason::new(
        &["name *.example"],
        &[],
        "Go accepts a wildcard with one label after it, which may cover a whole top-level domain.",
    ),
    Reason::new(
        &["name d*"],
        &[],
        "OpenSSL accepts a wildcard within a label, which RFC 9525, section 6.3 forbids.",
    ),
    Reason::new(&["address of five bytes"], &[], "Such an address matches no host; Go rejects it."),
    Reason::new(
        &["name of a kind that does not exist"],
        &[],
        "webpki and Go skip kinds of names that they do not know.",
    ),
    Reason::new(
        &["names allowed: .example"],
        &[],
        "Name constraints are not implemented here, and are rejected even if they hold.",
    ),
    Reason::new(
        &["issuer of another name"],
        &["root"],
        "A trusted one ends the path here, in webpki and in Go; OpenSSL looks for its issuer.",
    ),
    Reason::new(
        &[""],
        &["root"],
        "A root is a name and a key to webpki, and in part to OpenSSL and Go, which do not verify \
         its signature; here all of it is checked, as if it had been sent.",
    ),
];

/// Returns the letters and texts of all reasons.
pub(crate) fn all() -> impl Iterator<Item = (String, &'static str)> {
    REASONS.iter().enumerate().map(|(i, reason)| (letter(i), reason.text))
}

/// Returns the letters by which the table names a reason.
pub(crate) fn letter(index: usize) -> String {
    let letter = |i: usize| char::from(b'a' + i as u8);
    match index {
        0..26 => letter(index).to_string(),
        _ => format!("{}{}", letter(index / 26 - 1), letter(index % 26)),
    }
}

/// Returns the index of the first reason that fits a disputed row.
pub(crate) fn reason(row: &Row) -> Option<usize> {
    REASONS.iter().position(|reason| {
        reason.deviations.iter().any(|name| row.deviation.starts_with(name))
            && (reason.places.is_empty() || reason.places.contains(&row.place))
    })
}
