//! What the octet string `privateKey` of PKCS#8 holds: RFC 9881 (ML-DSA), RFC 9935 (ML-KEM), RFC
//! 9909 (SLH-DSA), and the form of OQS-OpenSSL and its provider. Lengths decide which it is, and
//! they are all in the table, so that the code of an algorithm is not needed here.

use x509_cert::der::asn1::{AnyRef, OctetStringRef};
use x509_cert::der::{Decode, Reader, SliceReader, Tag, TagNumber, Tagged};
use zeroize::Zeroizing;

use crate::error::KeyError;
use crate::form::Form;
use crate::identity::{Algorithm, Identity};
use crate::write::{OCTET_STRING, append, append_sequence};

/// The parts of a private key as they stand in a file: lengths are right, nothing else is checked.
pub(crate) struct Contents<'a> {
    pub(crate) form: Form,
    pub(crate) seed: Option<&'a [u8]>,
    pub(crate) expanded: Option<&'a [u8]>,
    pub(crate) public: Option<&'a [u8]>,
}

impl<'a> Contents<'a> {
    /// Takes the octets of `privateKey` apart.
    ///
    /// # Errors
    /// [`KeyError::Contents`] if they are in no form that this identity's keys have;
    /// [`KeyError::Stateful`] if it has none.
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

        // No form with tags is as long as one without: the tests go through all identities.
        if octets.len() == private {
            return Ok(Self { expanded: Some(octets), ..empty(Form::Bare) });
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
                Ok(Self { expanded: Some(any.value()), ..empty(Form::Expanded) })
            }
            Tag::OctetString if any.value().len() == private + identity.public_key_len() => {
                let (expanded, public) = any.value().split_at(private);
                let (expanded, public) = (Some(expanded), Some(public));
                Ok(Self { expanded, public, ..empty(Form::Oqs) })
            }
            Tag::Sequence => {
                let (seed, expanded) = sequence_of_two(any.value()).ok_or_else(failed)?;
                if !is_seed(seed) || expanded.len() != private {
                    return Err(failed());
                }
                let (seed, expanded) = (Some(seed), Some(expanded));
                Ok(Self { seed, expanded, ..empty(Form::Both) })
            }
            _ => Err(failed()),
        }
    }
}

/// `seed [0] IMPLICIT OCTET STRING`.
const SEED: Tag = Tag::ContextSpecific { constructed: false, number: TagNumber(0) };

/// The two OCTET STRINGs that are all of a SEQUENCE's value.
fn sequence_of_two(value: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut reader = SliceReader::new(value).ok()?;
    let first = <&OctetStringRef>::decode(&mut reader).ok()?;
    let second = <&OctetStringRef>::decode(&mut reader).ok()?;
    reader.is_finished().then_some((first.as_bytes(), second.as_bytes()))
}

/// The octets of `privateKey`. `seed` is not asked for where the form has none.
pub(crate) fn write(form: Form, seed: &[u8], expanded: &[u8], public: &[u8]) -> Zeroizing<Vec<u8>> {
    // Room for tags and lengths as well, so that no copy of the key stays behind.
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
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parts of the right lengths, each of its own byte.
    fn parts(identity: Identity) -> [Vec<u8>; 3] {
        let seed = identity.seed_len().unwrap_or_default();
        [vec![1; seed], vec![2; identity.private_key_len()], vec![3; identity.public_key_len()]]
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
                assert_eq!(read.expanded, has_expanded.then_some(&*expanded));
                assert_eq!(read.public, (form == Form::Oqs).then_some(&*public));
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
                let short = write(form, &[1], &[2], &[3]);
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
