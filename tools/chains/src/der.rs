//! Encoders of DER, and of encodings that are almost DER.

/// Encodes tag, length and value.
pub(crate) fn tlv(tag: u8, value: &[u8]) -> Vec<u8> {
    let len = value.len();
    let header = match len {
        0..128 => vec![tag, len as u8],
        128..256 => vec![tag, 0x81, len as u8],
        _ => vec![tag, 0x82, (len >> 8) as u8, len as u8],
    };
    [&header, value].concat()
}

/// Encodes a value with a length of four bytes, more than DER allows for it.
pub(crate) fn long_tlv(tag: u8, value: &[u8]) -> Vec<u8> {
    let len = value.len() as u32;
    [&[tag, 0x84], &len.to_be_bytes()[..], value].concat()
}

/// Encodes a value with the indefinite length of BER.
pub(crate) fn indefinite_tlv(tag: u8, value: &[u8]) -> Vec<u8> {
    [&[tag, 0x80], value, &[0, 0]].concat()
}

pub(crate) fn sequence(elements: &[&[u8]]) -> Vec<u8> {
    tlv(0x30, &elements.concat())
}

/// Encodes an INTEGER of these bytes.
pub(crate) fn integer(value: &[u8]) -> Vec<u8> {
    tlv(2, value)
}

/// Encodes a BIT STRING of whole bytes.
pub(crate) fn bit_string(bytes: &[u8]) -> Vec<u8> {
    tlv(3, &[&[0], bytes].concat())
}

/// Encodes a name of one common name, as a `UTF8String`.
pub(crate) fn name(text: &str) -> Vec<u8> {
    name_as(0x0c, text)
}

/// Encodes a name of one common name, as a string of the type `tag`.
pub(crate) fn name_as(tag: u8, text: &str) -> Vec<u8> {
    let attribute = sequence(&[COMMON_NAME, &tlv(tag, text.as_bytes())]);
    sequence(&[&tlv(0x31, &attribute)])
}

const COMMON_NAME: &[u8] = &[6, 3, 0x55, 4, 3];

pub(crate) fn utc_time(text: &str) -> Vec<u8> {
    tlv(0x17, text.as_bytes())
}

pub(crate) fn generalized_time(text: &str) -> Vec<u8> {
    tlv(0x18, text.as_bytes())
}
