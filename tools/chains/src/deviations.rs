//! The deviations from RFC 5280, each of one kind, in a certificate or in the chain.

use crate::der::{
    bit_string, generalized_time, indefinite_tlv, integer, long_tlv, name, name_as, sequence, tlv,
    utc_time,
};
use crate::draft::{
    ALTERNATIVE_NAME, ANY_PURPOSE, AUTHORITY_KEY, BASIC_CONSTRAINTS, CLIENT_AUTH, CODE_SIGNING,
    CertDraft, DISTRIBUTION_POINTS, Draft, Extension, INHIBIT_ANY_POLICY, KEY_IDENTIFIER,
    KEY_USAGE, NAME_CONSTRAINTS, POLICIES, POLICY_CONSTRAINTS, PURPOSES, SERVER_AUTH, UNKNOWN,
};

/// A change of a certificate, with the section of RFC 5280 that it touches (`X.690` for DER).
pub(crate) type OfCert = (&'static str, &'static str, fn(&mut CertDraft));

/// A change of a chain.
pub(crate) type OfChain = (&'static str, &'static str, fn(&mut Draft));

/// Returns the value of an element, to be put under another header.
fn value(element: &[u8]) -> &[u8] {
    let skip = if element[1] < 0x80 { 2 } else { 2 + usize::from(element[1] & 0x7f) };
    &element[skip..]
}

/// Adds an extension a second time.
fn twice(cert: &mut CertDraft, arc: u8) {
    let again = cert.extension(arc).clone();
    cert.all().push(again);
}

/// Encodes subtrees of one DNS name: RFC 5280, section 4.2.1.10.
fn subtrees(tag: u8, host: &str) -> Vec<u8> {
    sequence(&[&tlv(tag, &sequence(&[&tlv(0x82, host.as_bytes())]))])
}

/// Makes this name the only alternative name of the entity.
fn named(draft: &mut Draft, tag: u8, found: &[u8]) {
    draft.certs[2].with(ALTERNATIVE_NAME, false, sequence(&[&tlv(tag, found)]));
}

/// Encodes a policy that nobody asks for.
fn policies() -> Vec<u8> {
    sequence(&[&sequence(&[UNKNOWN])])
}

/// Deviations that are tried in each of the three certificates.
pub(crate) const OF_CERTS: &[OfCert] = &[
    ("version 1 with extensions", "4.1.2.1", |c| c.version.clear()),
    ("version 1 without extensions", "4.1.2.1", |c| {
        c.version.clear();
        c.extensions = None;
    }),
    ("version 1 written out, with extensions", "4.1", |c| c.version = tlv(0xa0, &integer(&[0]))),
    ("version 1 written out, without extensions", "4.1", |c| {
        c.version = tlv(0xa0, &integer(&[0]));
        c.extensions = None;
    }),
    ("version 2 with extensions", "4.1.2.1", |c| c.version = tlv(0xa0, &integer(&[1]))),
    ("version 4", "4.1.2.1", |c| c.version = tlv(0xa0, &integer(&[3]))),
    ("negative version", "4.1.2.1", |c| c.version = tlv(0xa0, &integer(&[0xff]))),
    ("serial number 0", "4.1.2.2", |c| c.serial = integer(&[0])),
    ("negative serial number", "4.1.2.2", |c| c.serial = integer(&[0x80, 1])),
    ("serial number of 21 bytes", "4.1.2.2", |c| c.serial = integer(&[0x11; 21])),
    ("serial number with a leading zero", "X.690", |c| c.serial = integer(&[0, 1])),
    ("serial number without bytes", "X.690", |c| c.serial = integer(&[])),
    ("algorithm with NULL inside alone", "4.1.1.2", |c| c.parameters[0] = vec![5, 0]),
    ("algorithm with NULL outside alone", "4.1.1.2", |c| c.parameters[1] = vec![5, 0]),
    ("algorithm with NULL in both places", "4.1.1.2", |c| {
        c.parameters = [vec![5, 0], vec![5, 0]];
    }),
    ("not yet valid", "6.1.3", |c| c.validity[0] = utc_time("300116000000Z")),
    ("expired", "6.1.3", |c| c.validity[1] = utc_time("300114000000Z")),
    ("expired a second ago", "6.1.3", |c| c.validity[1] = utc_time("300115115959Z")),
    ("valid for this second still", "6.1.3", |c| c.validity[1] = utc_time("300115120000Z")),
    ("valid from this second on", "6.1.3", |c| c.validity[0] = utc_time("300115120000Z")),
    ("end before its beginning", "4.1.2.5", |c| c.validity.reverse()),
    ("time without seconds", "4.1.2.5.1", |c| c.validity[0] = utc_time("3001010000Z")),
    ("time with an offset", "4.1.2.5.1", |c| c.validity[0] = utc_time("300101000000+0000")),
    ("GeneralizedTime before 2050", "4.1.2.5", |c| {
        c.validity[0] = generalized_time("20300101000000Z");
    }),
    ("GeneralizedTime with a fraction", "4.1.2.5.2", |c| {
        c.validity[1] = generalized_time("20500101000000.5Z");
    }),
    ("30 February", "4.1.2.5", |c| c.validity[1] = utc_time("310230000000Z")),
    ("end at 99991231235959Z", "4.1.2.5", |c| {
        c.validity[1] = generalized_time("99991231235959Z");
    }),
    ("unique identifier", "4.1.2.8", |c| c.unique_ids = tlv(0x82, &[0, 1])),
    ("unique identifier in version 1", "4.1.2.8", |c| {
        c.version.clear();
        c.extensions = None;
        c.unique_ids = tlv(0x82, &[0, 1]);
    }),
    ("basicConstraints twice", "4.2", |c| twice(c, BASIC_CONSTRAINTS)),
    ("keyUsage twice", "4.2", |c| twice(c, KEY_USAGE)),
    ("subjectKeyIdentifier twice", "4.2", |c| twice(c, KEY_IDENTIFIER)),
    ("authorityKeyIdentifier twice", "4.2", |c| twice(c, AUTHORITY_KEY)),
    ("extKeyUsage twice", "4.2", |c| {
        c.with(PURPOSES, false, sequence(&[SERVER_AUTH]));
        twice(c, PURPOSES);
    }),
    ("subjectAltName twice", "4.2", |c| {
        c.with(ALTERNATIVE_NAME, false, sequence(&[&tlv(0x82, b"door.example")]));
        twice(c, ALTERNATIVE_NAME);
    }),
    ("unknown extension twice", "4.2", |c| {
        let unknown = Extension::called(UNKNOWN, false, vec![5, 0]);
        c.all().extend([unknown.clone(), unknown]);
    }),
    ("unknown critical extension", "4.2", |c| {
        c.all().push(Extension::called(UNKNOWN, true, vec![5, 0]));
    }),
    ("unknown extension", "4.2", |c| {
        c.all().push(Extension::called(UNKNOWN, false, vec![5, 0]));
    }),
    ("critical FALSE written out", "X.690", |c| {
        c.extension(KEY_IDENTIFIER).critical = vec![1, 1, 0];
    }),
    ("critical TRUE as 1", "X.690", |c| c.extension(KEY_USAGE).critical = vec![1, 1, 1]),
    ("no extension in the list", "4.1.2.9", |c| c.extensions = Some(Vec::new())),
    ("bytes behind the certificate", "X.690", |c| c.whole = |der| [der, vec![5, 0]].concat()),
    ("element behind the extensions", "4.1", |c| c.rest = vec![5, 0]),
    ("bytes behind basicConstraints", "X.690", |c| {
        c.extension(BASIC_CONSTRAINTS).value.extend([5, 0]);
    }),
    ("basicConstraints that are no sequence", "4.2.1.9", |c| {
        c.extension(BASIC_CONSTRAINTS).value = vec![5, 0];
    }),
    ("long length around the certificate", "X.690", |c| {
        c.whole = |der| long_tlv(0x30, value(&der));
    }),
    ("long length around the signed part", "X.690", |c| {
        c.signed = |der| long_tlv(0x30, value(&der));
    }),
    ("indefinite length around the certificate", "X.690", |c| {
        c.whole = |der| indefinite_tlv(0x30, value(&der));
    }),
    ("wrong bit in the signature", "6.1.3", |c| {
        c.signature = |mut bits| {
            let at = bits.len() - 9;
            bits[at] ^= 1;
            bits
        };
    }),
    ("empty signature", "6.1.3", |c| c.signature = |_| bit_string(&[])),
    ("signature with an unused bit", "4.1.1.3", |c| {
        c.signature = |bits| {
            let mut inner = value(&bits).to_vec();
            inner[0] = 1;
            *inner.last_mut().expect("it has bytes") &= 0xfe;
            tlv(3, &inner)
        };
    }),
    ("signature by another key", "6.1.3", |c| c.signer = 3),
    ("key with an unused bit", "4.1.2.7", |c| {
        c.spki = |spki| {
            let algorithm = &value(&spki)[..2 + usize::from(value(&spki)[1])];
            let mut bits = value(&value(&spki)[algorithm.len()..]).to_vec();
            bits[0] = 1;
            sequence(&[algorithm, &tlv(3, &bits)])
        };
    }),
    ("no basicConstraints", "4.2.1.9", |c| c.without(BASIC_CONSTRAINTS)),
    ("basicConstraints without cA", "4.2.1.9", |c| {
        c.with(BASIC_CONSTRAINTS, true, sequence(&[]));
    }),
    ("basicConstraints with cA FALSE written out", "X.690", |c| {
        c.with(BASIC_CONSTRAINTS, true, sequence(&[&[1, 1, 0]]));
    }),
    ("basicConstraints with cA", "4.2.1.9", |c| {
        c.with(BASIC_CONSTRAINTS, true, sequence(&[&[1, 1, 0xff]]));
    }),
    ("basicConstraints not critical", "4.2.1.9", |c| {
        c.extension(BASIC_CONSTRAINTS).critical.clear();
    }),
    ("path length without cA", "4.2.1.9", |c| {
        c.with(BASIC_CONSTRAINTS, true, sequence(&[&integer(&[0])]));
    }),
    ("path length 0", "4.2.1.9", |c| {
        c.with(BASIC_CONSTRAINTS, true, sequence(&[&[1, 1, 0xff], &integer(&[0])]));
    }),
    ("negative path length", "4.2.1.9", |c| {
        c.with(BASIC_CONSTRAINTS, true, sequence(&[&[1, 1, 0xff], &integer(&[0xff])]));
    }),
    ("path length of 300", "4.2.1.9", |c| {
        c.with(BASIC_CONSTRAINTS, true, sequence(&[&[1, 1, 0xff], &integer(&[1, 0x2c])]));
    }),
    ("no keyUsage", "4.2.1.3", |c| c.without(KEY_USAGE)),
    ("keyUsage cRLSign alone", "4.2.1.3", |c| c.with(KEY_USAGE, true, vec![3, 2, 1, 2])),
    ("keyUsage without a bit", "4.2.1.3", |c| c.with(KEY_USAGE, true, vec![3, 1, 0])),
    ("keyUsage not critical", "4.2.1.3", |c| c.extension(KEY_USAGE).critical.clear()),
    ("keyUsage with a zero bit at the end", "X.690", |c| {
        c.extension(KEY_USAGE).value[2] = 0;
    }),
    ("purpose serverAuth", "4.2.1.12", |c| c.with(PURPOSES, false, sequence(&[SERVER_AUTH]))),
    ("purpose clientAuth alone", "4.2.1.12", |c| {
        c.with(PURPOSES, false, sequence(&[CLIENT_AUTH]));
    }),
    ("purpose codeSigning alone, critical", "4.2.1.12", |c| {
        c.with(PURPOSES, true, sequence(&[CODE_SIGNING]));
    }),
    ("purpose anyExtendedKeyUsage alone", "4.2.1.12", |c| {
        c.with(PURPOSES, false, sequence(&[ANY_PURPOSE]));
    }),
    ("no purpose in the list", "4.2.1.12", |c| c.with(PURPOSES, false, sequence(&[]))),
    ("policies, critical", "4.2.1.4", |c| c.with(POLICIES, true, policies())),
    ("policies", "4.2.1.4", |c| c.with(POLICIES, false, policies())),
    ("policyConstraints that require a policy", "4.2.1.11", |c| {
        c.with(POLICY_CONSTRAINTS, true, sequence(&[&tlv(0x80, &[0])]));
    }),
    ("inhibitAnyPolicy", "4.2.1.14", |c| c.with(INHIBIT_ANY_POLICY, true, integer(&[0]))),
    ("distribution points, critical", "4.2.1.13", |c| {
        c.with(DISTRIBUTION_POINTS, true, sequence(&[]));
    }),
    ("no authorityKeyIdentifier", "4.2.1.1", |c| c.without(AUTHORITY_KEY)),
    ("authorityKeyIdentifier of another key", "4.2.1.1", |c| {
        c.with(AUTHORITY_KEY, false, sequence(&[&tlv(0x80, &[9; 20])]));
    }),
    ("authorityKeyIdentifier, critical", "4.2.1.1", |c| {
        c.extension(AUTHORITY_KEY).critical = vec![1, 1, 0xff];
    }),
    ("no subjectKeyIdentifier", "4.2.1.2", |c| c.without(KEY_IDENTIFIER)),
    ("subjectKeyIdentifier, critical", "4.2.1.2", |c| {
        c.extension(KEY_IDENTIFIER).critical = vec![1, 1, 0xff];
    }),
    ("subject without a name", "4.1.2.6", |c| c.subject = sequence(&[])),
    ("issuer of another name", "6.1.3", |c| c.issuer = name("Nobody")),
];

/// Deviations that are tried once, in the whole chain.
pub(crate) const OF_CHAINS: &[OfChain] = &[
    ("nothing", "6.1", |_| {}),
    ("the authority is missing", "6.1", |d| d.is_shown = false),
    ("the authority is trusted itself", "6.1", |d| d.trusted = 1),
    ("names allowed: .example", "4.2.1.10", |d| {
        d.certs[1].with(NAME_CONSTRAINTS, true, subtrees(0xa0, "example"));
    }),
    ("names allowed: .other", "4.2.1.10", |d| {
        d.certs[1].with(NAME_CONSTRAINTS, true, subtrees(0xa0, "other"));
    }),
    ("names allowed, not critical: .other", "4.2.1.10", |d| {
        d.certs[1].with(NAME_CONSTRAINTS, false, subtrees(0xa0, "other"));
    }),
    ("names excluded: door.example", "4.2.1.10", |d| {
        d.certs[1].with(NAME_CONSTRAINTS, true, subtrees(0xa1, "door.example"));
    }),
    ("names excluded by the root: door.example", "4.2.1.10", |d| {
        d.certs[0].with(NAME_CONSTRAINTS, true, subtrees(0xa1, "door.example"));
    }),
    ("issuer in other letters", "7.1", |d| d.certs[2].issuer = name("MIDDLE")),
    ("issuer with two blanks", "7.1", |d| {
        d.certs[1].subject = name("Mid dle");
        d.certs[2].issuer = name("Mid  dle");
    }),
    ("issuer as PrintableString", "7.1", |d| d.certs[2].issuer = name_as(0x13, "Middle")),
    ("issuer as TeletexString", "4.1.2.4", |d| {
        d.certs[1].subject = name_as(0x14, "Middle");
        d.certs[2].issuer = name_as(0x14, "Middle");
    }),
    ("authority without a name", "4.1.2.6", |d| {
        d.certs[1].subject = sequence(&[]);
        d.certs[2].issuer = sequence(&[]);
    }),
    ("authority of the name of its root", "6.1", |d| {
        d.certs[1].subject = name("Root");
        d.certs[2].issuer = name("Root");
        d.certs[0].with(BASIC_CONSTRAINTS, true, sequence(&[&[1, 1, 0xff], &integer(&[0])]));
    }),
    ("no subjectAltName, but the name as common name", "4.2.1.6", |d| {
        d.certs[2].without(ALTERNATIVE_NAME);
        d.certs[2].subject = name("door.example");
    }),
    ("no subjectAltName at all", "4.2.1.6", |d| d.certs[2].without(ALTERNATIVE_NAME)),
    ("subjectAltName without a name", "4.2.1.6", |d| {
        d.certs[2].with(ALTERNATIVE_NAME, false, sequence(&[]));
    }),
    ("subjectAltName, critical", "4.2.1.6", |d| {
        d.certs[2].extension(ALTERNATIVE_NAME).critical = vec![1, 1, 0xff];
    }),
    ("subject empty, subjectAltName critical", "4.2.1.6", |d| {
        d.certs[2].subject = sequence(&[]);
        d.certs[2].extension(ALTERNATIVE_NAME).critical = vec![1, 1, 0xff];
    }),
    ("name in other letters", "RFC 9525", |d| named(d, 0x82, b"DOOR.example")),
    ("name of another host", "RFC 9525", |d| named(d, 0x82, b"gate.example")),
    ("name *.example for door.example", "RFC 9525", |d| named(d, 0x82, b"*.example")),
    ("name *.house.example for door.house.example", "RFC 9525", |d| {
        d.host = "door.house.example";
        named(d, 0x82, b"*.house.example");
    }),
    ("name *.house.example for a.b.house.example", "RFC 9525", |d| {
        d.host = "a.b.house.example";
        named(d, 0x82, b"*.house.example");
    }),
    ("name *.house.example for house.example", "RFC 9525", |d| {
        d.host = "house.example";
        named(d, 0x82, b"*.house.example");
    }),
    ("name d*.house.example for door.house.example", "RFC 9525", |d| {
        d.host = "door.house.example";
        named(d, 0x82, b"d*.house.example");
    }),
    ("name door.*.example for door.house.example", "RFC 9525", |d| {
        d.host = "door.house.example";
        named(d, 0x82, b"door.*.example");
    }),
    ("name *.*.example for door.house.example", "RFC 9525", |d| {
        d.host = "door.house.example";
        named(d, 0x82, b"*.*.example");
    }),
    ("name *.house.example for xn--d-lga.house.example", "RFC 9525", |d| {
        d.host = "xn--d-lga.house.example";
        named(d, 0x82, b"*.house.example");
    }),
    ("name *", "RFC 9525", |d| named(d, 0x82, b"*")),
    ("name with a dot at the end", "RFC 9525", |d| named(d, 0x82, b"door.example.")),
    ("name with a dot at the beginning", "RFC 9525", |d| named(d, 0x82, b".door.example")),
    ("name with a zero byte", "4.2.1.6", |d| named(d, 0x82, b"door.example\0.evil")),
    ("name with bytes above 127", "4.2.1.6", |d| named(d, 0x82, b"door.example\xff")),
    ("name of blanks", "4.2.1.6", |d| named(d, 0x82, b" ")),
    ("name of the host as an address of mail", "4.2.1.6", |d| named(d, 0x81, b"door.example")),
    ("name of the host as a URI", "4.2.1.6", |d| named(d, 0x86, b"https://door.example/")),
    ("name of a host with an underscore", "RFC 9525", |d| {
        d.host = "my_door.example";
        named(d, 0x82, b"my_door.example");
    }),
    ("address of five bytes beside the name", "4.2.1.6", |d| {
        let names = sequence(&[&tlv(0x82, b"door.example"), &tlv(0x87, &[1, 2, 3, 4, 5])]);
        d.certs[2].with(ALTERNATIVE_NAME, false, names);
    }),
    ("name of a kind that does not exist beside the name", "4.2.1.6", |d| {
        let names = sequence(&[&tlv(0x82, b"door.example"), &tlv(0x89, &[1])]);
        d.certs[2].with(ALTERNATIVE_NAME, false, names);
    }),
];
