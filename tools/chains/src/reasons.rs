//! Why verifiers differ: for each row of the table that is disputed, the first of these that fits.

/// A chain, and who accepts it: ours, webpki, OpenSSL, OpenSSL with `-x509_strict`, Go.
#[derive(Clone)]
pub(crate) struct Row {
    pub(crate) place: &'static str,
    pub(crate) deviation: &'static str,
    pub(crate) section: &'static str,
    pub(crate) accepts: [bool; 5],
    /// Why somebody says otherwise, as a place in the list of reasons.
    pub(crate) reason: Option<usize>,
}

impl Row {
    /// Whether somebody says otherwise than we.
    pub(crate) fn is_disputed(&self) -> bool {
        self.accepts.iter().any(|&other| other != self.accepts[0])
    }
}

/// Deviations by the beginnings of their names, the places where it applies (none: all), the
/// reason.
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
        "OpenSSL without `-x509_strict` does not look at the version, and Go not at that of a root; \
         a field of a later version is against RFC 5280, section 4.1.2.1, wherever it is.",
    ),
    Reason::new(
        &["long length", "indefinite length", "critical TRUE as 1", "bytes behind the certificate"],
        &[],
        "OpenSSL reads BER, and ignores what is behind it; DER has one encoding.",
    ),
    Reason::new(
        &["negative serial number"],
        &[],
        "RFC 5280 has users of certificates handle such numbers gracefully; Go does not read them.",
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
         OpenSSL and Go do not ask for.",
    ),
    Reason::new(
        &["valid for this second still"],
        &[],
        "The period includes its last second (RFC 5280, section 4.1.2.5); OpenSSL leaves it out.",
    ),
    Reason::new(
        &["time without seconds", "element behind the extensions"],
        &[],
        "Go's reader takes it, and webpki does not look at the period of a root.",
    ),
    Reason::new(
        &["unique identifier"],
        &[],
        "webpki does not know the field, which RFC 5280 has users read and issuers not write.",
    ),
    Reason::new(
        &["unknown extension twice", "subjectKeyIdentifier twice", "authorityKeyIdentifier twice"],
        &[],
        "webpki skips extensions that it does not use, and OpenSSL finds two only of those it knows.",
    ),
    Reason::new(
        &["bytes behind basicConstraints"],
        &[],
        "OpenSSL and Go do not ask what is behind the structure of an extension.",
    ),
    Reason::new(
        &["path length of 300"],
        &[],
        "A length above 255 is not read here, where no path is longer than ten.",
    ),
    Reason::new(
        &["basicConstraints with cA", "path length"],
        &["entity"],
        "RFC 5280 lets an entity be an authority too, which webpki excludes; a length without cA is \
         for issuers not to write, which `-x509_strict` looks at.",
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
        "A rule for issuers, which `-x509_strict` holds users to as well.",
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
        "RFC 5280 asks for one at least; Go takes none for any.",
    ),
    Reason::new(
        &["policies, critical", "policyConstraints", "inhibitAnyPolicy"],
        &[],
        "Policies are not implemented here, nor in webpki, and what is critical is rejected then. \
         Go knows them, OpenSSL looks at them with `-policy_check`.",
    ),
    Reason::new(
        &["distribution points, critical"],
        &[],
        "The others know where lists of revoked certificates are; revocation is not looked at here.",
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
        "Issuers do not mark them critical (section 4.2.1.1), but they are handled here.",
    ),
    Reason::new(
        &["key with an unused bit"],
        &["root", "authority"],
        "OpenSSL and webpki look at the bytes alone; a key here has whole bytes.",
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
        "Names are compared by their bytes here, in webpki and in Go; section 7.1 asks for LDAP's \
         rules, which are OpenSSL's.",
    ),
    Reason::new(
        &["the authority is trusted itself"],
        &[],
        "OpenSSL wants a path to a self-signed root unless it is told `-partial_chain`.",
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
        "Go takes a wildcard with one label behind it, which may be all of a top-level domain.",
    ),
    Reason::new(
        &["name d*"],
        &[],
        "OpenSSL takes a wildcard within a label, which RFC 9525, section 6.3 forbids.",
    ),
    Reason::new(&["address of five bytes"], &[], "It matches no host; Go rejects the certificate."),
    Reason::new(
        &["name of a kind that does not exist"],
        &[],
        "webpki and Go skip what they do not know among the names.",
    ),
    Reason::new(
        &["names allowed: .example"],
        &[],
        "Name constraints are not implemented here, and rejected even if they hold.",
    ),
    Reason::new(
        &["issuer of another name"],
        &["root"],
        "What is trusted ends the path here, in webpki and in Go; OpenSSL looks for its issuer.",
    ),
    Reason::new(
        &[""],
        &["root"],
        "A root is a name and a key to webpki, and in part to OpenSSL and Go, which do not verify \
         its signature; here all of it is looked at, as if it had been shown.",
    ),
];

/// The letters and texts of all reasons.
pub(crate) fn all() -> impl Iterator<Item = (String, &'static str)> {
    REASONS.iter().enumerate().map(|(i, reason)| (letter(i), reason.text))
}

/// How the table names a reason.
pub(crate) fn letter(index: usize) -> String {
    let letter = |i: usize| char::from(b'a' + i as u8);
    match index {
        0..26 => letter(index).to_string(),
        _ => format!("{}{}", letter(index / 26 - 1), letter(index % 26)),
    }
}

/// Why a row is disputed.
pub(crate) fn reason(row: &Row) -> Option<usize> {
    REASONS.iter().position(|reason| {
        reason.deviations.iter().any(|name| row.deviation.starts_with(name))
            && (reason.places.is_empty() || reason.places.contains(&row.place))
    })
}
