//! The contents of the octet string `privateKey` of PKCS#8: RFC 9881 (ML-DSA), RFC 9935 (ML-KEM),
//! RFC 9909 (SLH-DSA), and the forms of OQS-OpenSSL, of oqs-provider and of Bouncy Castle. The form
//! follows from tags and lengths, which are all in the table, so the code of an algorithm is not
//! needed here.

use x509_cert::der::asn1::{AnyRef, OctetStringRef};
use x509_cert::der::{self, Decode, Reader, SliceReader, Tag, TagNumber, Tagged};
use zeroize::Zeroizing;

use crate::error::KeyError;
use crate::form::Form;
use crate::identity::{Algorithm, Identity};
use crate::write::{OCTET_STRING, append, append_sequence, element, integer};

/// The parts of a private key in a file. Only their lengths are checked.
pub(crate) struct Contents<'a> {
    pub(crate) form: Form,
    pub(crate) seed: Option<&'a [u8]>,
    pub(crate) expanded: Option<Zeroizing<Vec<u8>>>,
    pub(crate) public: Option<Vec<u8>>,
}

impl<'a> Contents<'a> {
    /// Parses the octets of `privateKey`.
    ///
    /// # Errors
    /// [`KeyError::Contents`] if the octets are in no form of this identity's keys;
    /// [`KeyError::Stateful`] if a stateful scheme has no such keys.
    pub(crate) fn parse(identity: Identity, octets: &'a [u8]) -> Result<Self, KeyError> {
        if let Algorithm::Stateful(_) = identity.algorithm() {
            return Err(identity.no_private_key());
        }
        let failed = || KeyError::Contents {
            name: identity.name(),
            found: octets.len(),
            seed: identity.seed_len(),
            expanded: identity.private_key_len(),
        };
        let empty = |form| Self { form, seed: None, expanded: None, public: None };
        let is_seed = |part: &[u8]| identity.seed_len() == Some(part.len());
        let private = identity.private_key_len();
        let expanded = |part: &[u8]| Some(Zeroizing::new(part.to_vec()));

        // No form with tags has the length of one without; a test checks this for all identities.
        if octets.len() == private {
            return Ok(Self { expanded: expanded(octets), ..empty(Form::Bare) });
        }
        if is_seed(octets) {
            return Ok(Self { seed: Some(octets), ..empty(Form::BareSeed) });
        }
        let any = AnyRef::from_der(octets).map_err(|_| failed())?;
        match any.tag() {
            SEED if is_seed(any.value()) => {
                Ok(Self { seed: Some(any.value()), ..empty(Form::Seed) })
            }
            Tag::OctetString if any.value().len() == private => {
                Ok(Self { expanded: expanded(any.value()), ..empty(Form::Expanded) })
            }
            Tag::OctetString if any.value().len() == private + identity.public_key_len() => {
                let (private, public) = any.value().split_at(private);
                let (expanded, public) = (expanded(private), Some(public.to_vec()));
                Ok(Self { expanded, public, ..empty(Form::Oqs) })
            }
            Tag::Sequence if identity.is_falcon() => {
                parts(identity, any.value()).ok().flatten().ok_or_else(failed)
            }
            Tag::Sequence => {
                let (seed, private) = sequence_of_two(any.value()).ok_or_else(failed)?;
                if !is_seed(seed) || private.len() != identity.private_key_len() {
                    return Err(failed());
                }
                Ok(Self { seed: Some(seed), expanded: expanded(private), ..empty(Form::Both) })
            }
            _ => Err(failed()),
        }
    }
}

/// The tag of `seed [0] IMPLICIT OCTET STRING`.
const SEED: Tag = Tag::ContextSpecific { constructed: false, number: TagNumber(0) };

/// Returns the two OCTET STRINGs that make up a SEQUENCE's value.
fn sequence_of_two(value: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut reader = SliceReader::new(value).ok()?;
    let first = <&OctetStringRef>::decode(&mut reader).ok()?;
    let second = <&OctetStringRef>::decode(&mut reader).ok()?;
    reader.is_finished().then_some((first.as_bytes(), second.as_bytes()))
}

/// The lengths in bytes of f and g, and of F, in a Falcon private key, and the header bytes of its
/// private and public keys: F has one byte per coefficient, h 14 bits (section 3.11 of the
/// submission).
struct FalconLayout {
    short: usize,
    long: usize,
    private: u8,
    public: u8,
}

impl FalconLayout {
    fn of(private_key: usize, public_key: usize) -> Self {
        let degree = (public_key - 1) * 8 / 14;
        let log = degree.ilog2() as u8;
        Self {
            short: (private_key - 1 - degree) / 2,
            long: degree,
            private: 0x50 | log,
            public: log,
        }
    }
}

/// Parses a Falcon key from the value of Bouncy Castle's SEQUENCE, whose parts have no headers; the
/// public key may be missing. Returns `None` if a length is wrong.
fn parts(identity: Identity, value: &[u8]) -> der::Result<Option<Contents<'static>>> {
    let FalconLayout { short, long, private, public } =
        FalconLayout::of(identity.private_key_len(), identity.public_key_len());
    let mut reader = SliceReader::new(value)?;
    let version = u8::decode(&mut reader)?;
    let mut expanded = Zeroizing::new(Vec::with_capacity(identity.private_key_len()));
    expanded.push(private);
    for len in [short, short, long] {
        let part = <&OctetStringRef>::decode(&mut reader)?.as_bytes();
        if part.len() != len || version != 0 {
            return Ok(None);
        }
        expanded.extend_from_slice(part);
    }
    let mut key = None;
    if !reader.is_finished() {
        let h = reader.sequence(<&OctetStringRef>::decode)?.as_bytes();
        key = Some([&[public], h].concat());
    }
    let fits = reader.is_finished()
        && key.as_ref().is_none_or(|key| key.len() == identity.public_key_len());
    let contents =
        Contents { form: Form::Parts, seed: None, expanded: Some(expanded), public: key };
    Ok(fits.then_some(contents))
}

/// Encodes the octets of `privateKey`. `seed` is not used if the form has none.
pub(crate) fn write(form: Form, seed: &[u8], expanded: &[u8], public: &[u8]) -> Zeroizing<Vec<u8>> {
    // Has room for tags and lengths, so that no copy of the key is left by a reallocation.
    let room = seed.len() + expanded.len() + public.len() + 32;
    let mut out = Zeroizing::new(Vec::with_capacity(room));
    match form {
        Form::Seed => append(&mut out, 0x80, &[seed]),
        Form::Expanded => append(&mut out, OCTET_STRING, &[expanded]),
        Form::Oqs => append(&mut out, OCTET_STRING, &[expanded, public]),
        Form::Bare => out.extend_from_slice(expanded),
        Form::BareSeed => out.extend_from_slice(seed),
        Form::Both => {
            let mut parts = Zeroizing::new(Vec::with_capacity(room));
            append(&mut parts, OCTET_STRING, &[seed]);
            append(&mut parts, OCTET_STRING, &[expanded]);
            append_sequence(&mut out, &[&parts]);
        }
        Form::Parts => {
            let short = FalconLayout::of(expanded.len(), public.len()).short;
            let (f, rest) = expanded[1..].split_at(short);
            let (g, capital_f) = rest.split_at(short);
            let mut parts = Zeroizing::new(Vec::with_capacity(room));
            parts.extend(integer(&[0]));
            [f, g, capital_f].iter().for_each(|part| append(&mut parts, OCTET_STRING, &[part]));
            append_sequence(&mut parts, &[&element(OCTET_STRING, &[&public[1..]])]);
            append_sequence(&mut out, &[&parts]);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns parts of the right lengths, each filled with one byte except for Falcon's headers.
    fn parts(identity: Identity) -> [Vec<u8>; 3] {
        let seed = identity.seed_len().unwrap_or_default();
        let [mut private, mut public] =
            [vec![2; identity.private_key_len()], vec![3; identity.public_key_len()]];
        if identity.is_falcon() {
            let layout = FalconLayout::of(private.len(), public.len());
            (private[0], public[0]) = (layout.private, layout.public);
        }
        [vec![1; seed], private, public]
    }

    #[test]
    fn every_form_of_every_identity_is_told_apart() {
        for identity in Identity::all() {
            let [seed, expanded, public] = parts(identity);
            let mut lengths = Vec::new();
            for form in Form::ALL.into_iter().filter(|form| form.suits(identity)) {
                let octets = write(form, &seed, &expanded, &public);
                let read = Contents::parse(identity, &octets).unwrap();
                assert_eq!(read.form, form, "{identity}");
                let has_seed = matches!(form, Form::Seed | Form::Both | Form::BareSeed);
                assert_eq!(read.seed, has_seed.then_some(&*seed));
                let has_expanded = !matches!(form, Form::Seed | Form::BareSeed);
                assert_eq!(read.expanded.as_deref(), has_expanded.then_some(&expanded));
                let has_public = matches!(form, Form::Oqs | Form::Parts);
                assert_eq!(read.public.as_ref(), has_public.then_some(&public));
                assert!(!lengths.contains(&octets.len()), "{identity} {form}");
                lengths.push(octets.len());
            }
        }
    }

    #[test]
    fn other_lengths_are_refused() {
        for identity in Identity::all() {
            let [seed, expanded, public] = parts(identity);
            for form in Form::ALL.into_iter().filter(|form| form.suits(identity)) {
                let octets = write(form, &seed, &expanded, &public);
                for cut in [0, 1, octets.len() / 2, octets.len() - 1] {
                    assert!(
                        Contents::parse(identity, &octets[..cut]).is_err(),
                        "{identity} {form}"
                    );
                }
                let longer = [&octets[..], &[0]].concat();
                assert!(Contents::parse(identity, &longer).is_err(), "{identity} {form}");
                let short = write(form, &[1], &[2; 9], &[3; 5]);
                assert!(Contents::parse(identity, &short).is_err(), "{identity} {form}");
            }
        }
    }

    #[test]
    fn names_of_forms() {
        for form in Form::ALL {
            assert_eq!(Form::by_name(&form.to_string()), Some(form));
        }
        assert_eq!(Form::by_name("Seed"), None);
    }
}
