//! Files of keys and certificates, and groups of those of one algorithm.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use oaklath_cli::selftest::operations::{encapsulate, same};
use oaklath_cli::selftest::row::Row;
use oaklath_pki::{
    Certificate, Form, Identity, PrivateKey, PublicKey, Request, Signing, decode_pem,
};

use crate::vectors::check::check_cases;

/// A file: PEM, DER or bare bytes.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
}

impl Document {
    /// Returns the DER, decoded from PEM if need be.
    pub(super) fn der(&self) -> Result<Vec<u8>> {
        if self.bytes.first() == Some(&0x30) {
            return Ok(self.bytes.clone());
        }
        let mut blocks = decode_pem(std::str::from_utf8(&self.bytes)?)?;
        ensure!(blocks.len() == 1, "{} blocks of PEM", blocks.len());
        Ok(blocks.remove(0).bytes.to_vec())
    }

    pub(super) fn certificate(&self) -> Result<Certificate> {
        Ok(Certificate::from_der(&self.der()?)?)
    }

    pub(super) fn request(&self) -> Result<Request> {
        Ok(Request::from_der(&self.der()?)?)
    }

    /// Returns the public key, and checks that it is written back as the same file.
    pub(super) fn public_key(&self) -> Result<PublicKey> {
        let der = self.der()?;
        let key = PublicKey::from_der(&der)?;
        same("the public key, written again,", &key.to_der(), &der)?;
        Ok(key)
    }

    pub(super) fn private_key(&self) -> Result<PrivateKey> {
        Ok(PrivateKey::from_der(&self.der()?)?)
    }

    /// Checks a private key: it has this form, belongs to the public key, works, and is written
    /// back as the same file.
    pub(super) fn check_private_key(&self, form: Form, public: &PublicKey) -> Result<()> {
        let der = self.der()?;
        let key = PrivateKey::from_der(&der)?;
        ensure!(key.form() == form, "a key in the form `{}`, expected `{form}`", key.form());
        same("the private key, written again,", &key.to_der(form)?, &der)?;
        same("the public key of the private key", key.public_key().as_bytes(), public.as_bytes())?;
        let Some(kem) = key.identity().kem() else {
            let signature = key.sign(b"message", Signing::Deterministic)?;
            return Ok(public.verify(b"message", &signature)?);
        };
        let coins = vec![7; kem.coins_len()];
        let (ciphertext, shared) = encapsulate(kem, &coins, public.as_bytes())?;
        same("the shared secret", &decapsulated(&key, &ciphertext)?, &shared)
    }
}

/// Returns the shared secret of a KEM's key.
pub(super) fn decapsulated(key: &PrivateKey, ciphertext: &[u8]) -> Result<Vec<u8>> {
    let kem = key.identity().kem().context("not a KEM's key")?;
    let mut shared = vec![0; kem.info().shared_secret];
    key.decapsulator()?.decapsulate(ciphertext, &mut shared)?;
    Ok(shared)
}

/// The documents of one algorithm, by the rest of their names.
pub(super) struct Group<'a> {
    pub(super) identity: Identity,
    pub(super) members: BTreeMap<&'a str, &'a Document>,
}

impl<'a> Group<'a> {
    pub(super) fn member(&self, name: &str) -> Result<&'a Document> {
        let document = self.members.get(name).copied();
        document.with_context(|| format!("no file {name} of {}", self.identity))
    }
}

/// Groups the documents by the front of their names: `split` says where it ends, and `identity`
/// which algorithm they have.
pub(super) fn groups<'a>(
    documents: &[&'a Document],
    split: fn(&str) -> Option<(&str, &str)>,
    identity: impl Fn(&BTreeMap<&'a str, &'a Document>) -> Result<Identity>,
) -> Result<Vec<Group<'a>>> {
    let mut fronts = BTreeMap::<&str, BTreeMap<&str, &Document>>::new();
    for document in documents {
        let split = split(&document.name);
        let (front, rest) = split.with_context(|| format!("a file {}", document.name))?;
        fronts.entry(front).or_default().insert(rest, document);
    }
    let group = |(front, members): (&str, BTreeMap<&'a str, &'a Document>)| {
        let identity = identity(&members).with_context(|| format!("the files {front}"))?;
        Ok(Group { identity, members })
    };
    fronts.into_iter().map(group).collect()
}

/// Makes one row: all files of the group are cases, or are skipped.
pub(super) fn row(
    source: &str,
    group: &Group<'_>,
    check: impl Fn(&str, &Document) -> Result<()>,
) -> Row {
    let cases: Vec<(&str, &Document)> = group.members.iter().map(|(k, v)| (*k, *v)).collect();
    let name = group.identity.to_string();
    if !group.identity.is_built() {
        return Row::skipped(source, &name, cases.len(), "not in this build");
    }
    check_cases(source, &name, &cases, |(member, document)| {
        check(member, document).with_context(|| document.name.clone())
    })
}
