//! The DER that this crate writes: X.690, sections 8 and 10. The structures are shallow, so values
//! are assembled as bytes; reading uses the types of `x509_cert`.

use x509_cert::der::asn1::ObjectIdentifier;

pub(crate) const BOOLEAN_TRUE: &[u8] = &[0x01, 1, 0xff];
const INTEGER: u8 = 0x02;
const BIT_STRING: u8 = 0x03;
pub(crate) const OCTET_STRING: u8 = 0x04;
const OBJECT_IDENTIFIER: u8 = 0x06;
const SEQUENCE: u8 = 0x30;
pub(crate) const SET: u8 = 0x31;

/// Appends tag, length and value, which is given in parts: X.690, sections 8.1 and 10.1.
pub(crate) fn append(out: &mut Vec<u8>, tag: u8, value: &[&[u8]]) {
    let len: usize = value.iter().map(|part| part.len()).sum();
    out.push(tag);
    let octets = len.to_be_bytes();
    let from = octets.iter().position(|&octet| octet != 0).unwrap_or(octets.len() - 1);
    if len >= 0x80 {
        // At most 8, the number of octets in a usize.
        out.push(0x80 | (octets.len() - from) as u8);
    }
    out.extend_from_slice(&octets[from..]);
    value.iter().for_each(|part| out.extend_from_slice(part));
}

/// Returns an element.
pub(crate) fn element(tag: u8, value: &[&[u8]]) -> Vec<u8> {
    let mut out = Vec::new();
    append(&mut out, tag, value);
    out
}

/// Returns a SEQUENCE.
pub(crate) fn sequence(elements: &[&[u8]]) -> Vec<u8> {
    element(SEQUENCE, elements)
}

/// Appends a SEQUENCE.
pub(crate) fn append_sequence(out: &mut Vec<u8>, elements: &[&[u8]]) {
    append(out, SEQUENCE, elements);
}

/// Returns a BIT STRING of whole bytes.
pub(crate) fn bit_string(bytes: &[u8]) -> Vec<u8> {
    element(BIT_STRING, &[&[0], bytes])
}

/// Returns a BIT STRING of named bits, the first of which is the highest, without trailing zeros
/// (X.690, section 11.2.2).
pub(crate) fn named_bits(bits: u8) -> Vec<u8> {
    element(BIT_STRING, &[&[bits.trailing_zeros() as u8, bits]])
}

/// Returns a non-negative INTEGER from its big-endian bytes.
pub(crate) fn integer(number: &[u8]) -> Vec<u8> {
    let from = number.iter().position(|&byte| byte != 0).unwrap_or(number.len());
    let number = &number[from..];
    let has_sign = number.first().is_some_and(|&byte| byte < 0x80);
    element(INTEGER, &[if has_sign { &[] } else { &[0] }, number])
}

/// Returns an OBJECT IDENTIFIER.
pub(crate) fn object_identifier(oid: ObjectIdentifier) -> Vec<u8> {
    element(OBJECT_IDENTIFIER, &[oid.as_bytes()])
}

/// Key usages, the first bit being the highest: RFC 5280, section 4.2.1.3.
pub(crate) const DIGITAL_SIGNATURE: u8 = 0x80;
pub(crate) const KEY_ENCIPHERMENT: u8 = 0x20;
pub(crate) const CERTIFICATES_AND_LISTS: u8 = 0x06;

/// Appends an extension: RFC 5280, section 4.1.
pub(crate) fn append_extension(
    out: &mut Vec<u8>,
    oid: ObjectIdentifier,
    is_critical: bool,
    value: &[u8],
) {
    let critical = if is_critical { BOOLEAN_TRUE } else { &[] };
    append_sequence(out, &[&object_identifier(oid), critical, &element(OCTET_STRING, &[value])]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_der() {
        for (len, header) in
            [(0, &[4, 0][..]), (127, &[4, 127]), (128, &[4, 0x81, 128]), (4096, &[4, 0x82, 16, 0])]
        {
            assert_eq!(element(4, &[&vec![9; len]]), [header, &vec![9; len]].concat());
        }
    }

    #[test]
    fn integers_are_short_and_positive() {
        for (number, value) in
            [(&[0, 0][..], &[0][..]), (&[0, 1], &[1]), (&[127], &[127]), (&[128, 0], &[0, 128, 0])]
        {
            assert_eq!(integer(number), element(INTEGER, &[value]));
        }
    }
}
