//! Keys and certificates that others made: the examples of RFC 9881 (ML-DSA), RFC 9909 (SLH-DSA)
//! and RFC 9935 (ML-KEM), roots of RFC 9802 (LMS/HSS, XMSS), those of OQS-OpenSSL 1.1.1, and
//! archives of the IETF's hackathons.

mod archive;
mod examples;
mod recorded;
mod stateful;

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use oaklath_cli::selftest::operations::{encapsulate, same};
use oaklath_cli::selftest::row::Row;
use oaklath_pki::{
    Certificate, Form, Identity, PrivateKey, PublicKey, Request, Signing, decode_pem,
};

use crate::vectors::check::check_cases;
use crate::vectors::files::VectorFile;

/// Whether [`rows`] has checks for a file.
pub(super) fn reads(file: &VectorFile) -> bool {
    check_of(file).is_some()
}

/// One row an algorithm and folder or archive.
pub(super) fn rows(files: &[VectorFile]) -> Result<Vec<Row>> {
    let mut folders = BTreeMap::<&str, (Check, Vec<Document>)>::new();
    for file in files {
        let Some(check) = check_of(file) else { continue };
        let source = file.name.strip_suffix(".zip").unwrap_or(file.folder());
        let documents = &mut folders.entry(source).or_insert_with(|| (check, Vec::new())).1;
        let mut read = || -> Result<()> {
            let bytes = file.bytes()?;
            if file.name.ends_with(".zip") {
                documents.extend(archive::files(&bytes)?);
            } else {
                documents.push(Document { name: file.stem().to_owned(), bytes });
            }
            Ok(())
        };
        read().with_context(|| file.name.clone())?;
    }
    let all: Vec<&Document> = folders.values().flat_map(|(_, documents)| documents).collect();
    let mut rows = Vec::new();
    for (source, (check, documents)) in &folders {
        let source = if source.is_empty() { "." } else { source };
        rows.extend(check(source, documents, &all).with_context(|| source.to_owned())?);
    }
    Ok(rows)
}

/// A folder or archive, its files, and the files of all.
type Check = fn(&str, &[Document], &[&Document]) -> Result<Vec<Row>>;

fn check_of(file: &VectorFile) -> Option<Check> {
    Some(match (file.parent(), file.stem()) {
        ("rfc9881-ml-dsa" | "rfc9909-slh-dsa" | "rfc9935-ml-kem", _) => examples::rows,
        ("rfc9802-stateful", stem) if stem.ends_with(".pem") => stateful::rows,
        ("oqs-2022", stem) if stem.ends_with(".pem") => recorded::wolfssl,
        ("oqs-hackathon", stem) if stem.ends_with(".zip") => recorded::oqs_openssl,
        ("hackathon-r5", stem) if stem.ends_with(".zip") => recorded::openssl,
        _ => return None,
    })
}

/// A file: PEM, DER or bare bytes.
#[derive(Debug)]
struct Document {
    name: String,
    bytes: Vec<u8>,
}

impl Document {
    /// The DER, out of PEM where it is in PEM.
    fn der(&self) -> Result<Vec<u8>> {
        if self.bytes.first() == Some(&0x30) {
            return Ok(self.bytes.clone());
        }
        let mut blocks = decode_pem(std::str::from_utf8(&self.bytes)?)?;
        ensure!(blocks.len() == 1, "{} blocks of PEM", blocks.len());
        Ok(blocks.remove(0).bytes.to_vec())
    }

    fn certificate(&self) -> Result<Certificate> {
        Ok(Certificate::from_der(&self.der()?)?)
    }

    fn request(&self) -> Result<Request> {
        Ok(Request::from_der(&self.der()?)?)
    }

    /// A public key; written again, it is the same file.
    fn public_key(&self) -> Result<PublicKey> {
        let der = self.der()?;
        let key = PublicKey::from_der(&der)?;
        same("the public key, written again,", &key.to_der(), &der)?;
        Ok(key)
    }

    fn private_key(&self) -> Result<PrivateKey> {
        Ok(PrivateKey::from_der(&self.der()?)?)
    }

    /// A private key in this form, which belongs to the public key and works; written again, it is
    /// the same file.
    fn check_private_key(&self, form: Form, public: &PublicKey) -> Result<()> {
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

/// The shared secret of a KEM's key.
fn decapsulated(key: &PrivateKey, ciphertext: &[u8]) -> Result<Vec<u8>> {
    let kem = key.identity().kem().context("not a KEM's key")?;
    let mut shared = vec![0; kem.info().shared_secret];
    key.decapsulator()?.decapsulate(ciphertext, &mut shared)?;
    Ok(shared)
}

/// The documents of one algorithm, by what is left of their names.
struct Group<'a> {
    identity: Identity,
    members: BTreeMap<&'a str, &'a Document>,
}

impl<'a> Group<'a> {
    fn member(&self, name: &str) -> Result<&'a Document> {
        let document = self.members.get(name).copied();
        document.with_context(|| format!("no file {name} of {}", self.identity))
    }
}

/// The documents by the front of their names, of which `split` says where it ends, and `identity`
/// of which algorithm they are.
fn groups<'a>(
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

/// One row: the group's files are all cases of it, or skipped.
fn row(source: &str, group: &Group<'_>, check: impl Fn(&str, &Document) -> Result<()>) -> Row {
    let cases: Vec<(&str, &Document)> = group.members.iter().map(|(k, v)| (*k, *v)).collect();
    let name = group.identity.to_string();
    if !group.identity.is_built() {
        return Row::skipped(source, &name, cases.len(), "not in this build");
    }
    check_cases(source, &name, &cases, |(member, document)| {
        check(member, document).with_context(|| document.name.clone())
    })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use oaklath_pki::{Authority, Template};

    use oaklath_cli::selftest::row::Outcome;

    use super::*;

    fn document(name: &str, text: &str) -> Document {
        Document { name: name.to_owned(), bytes: text.as_bytes().to_vec() }
    }

    fn keys(name: &str) -> [PrivateKey; 2] {
        let identity = Identity::by_name(name).unwrap();
        let len = identity.seed_len().unwrap_or_else(|| identity.scheme().unwrap().seed_len());
        [1, 2].map(|seed| PrivateKey::from_seed(identity, &vec![seed; len]).unwrap())
    }

    fn template(subject: &str) -> Template {
        let year = Duration::from_secs(365 * 86400);
        let start = SystemTime::UNIX_EPOCH + 56 * year;
        Template::new(subject, start..=start + year).unwrap()
    }

    fn results(check: Check, documents: &[Document]) -> Vec<Outcome> {
        let all: Vec<&Document> = documents.iter().collect();
        check("source", documents, &all).unwrap().iter().map(|row| row.result).collect()
    }

    /// Every file in turn is replaced by the one of another key.
    fn each_wrong_file_is_found(check: Check, files: &[(&str, [String; 2])]) {
        let right = |(name, [right, _]): &(&str, [String; 2])| document(name, right);
        let documents: Vec<Document> = files.iter().map(right).collect();
        assert_eq!(results(check, &documents), [Outcome::Passed]);
        for (i, (name, [_, wrong])) in files.iter().enumerate() {
            let mut documents: Vec<Document> = files.iter().map(right).collect();
            documents[i] = document(name, wrong);
            assert_eq!(results(check, &documents), [Outcome::Failed], "{name}");
        }
    }

    #[test]
    fn a_wrong_file_of_a_chain_is_found() {
        let [keys, others] = [keys("Dilithium2"), keys("Dilithium2-AES")];
        let files = |[root_key, key]: &[PrivateKey; 2]| {
            let root = template("CN=Root").root(root_key).unwrap();
            let entity = template("CN=Entity").ip([127, 0, 0, 1].into());
            let authority = Authority::new(&root, root_key).unwrap();
            let entity = entity.entity(&key.public_key(), &authority).unwrap();
            let pem = |key: &PrivateKey| key.to_pem(Form::Oqs).unwrap().to_string();
            let request = Request::new(key, "CN=Entity", &[], Signing::Deterministic).unwrap();
            [root.to_pem(), pem(root_key), entity.to_pem(), pem(key), request.to_pem()]
        };
        let (right, wrong) = (files(&keys), files(&others));
        let names = ["root_cert", "root_key", "entity_cert", "entity_key", "entity_req"];
        let names = names.map(|name| format!("dilithium_level2_{name}.pem"));
        let files = names.iter().zip(right.into_iter().zip(wrong));
        let files: Vec<_> = files.map(|(name, (a, b))| (&**name, [a, b])).collect();
        each_wrong_file_is_found(recorded::wolfssl, &files);
    }

    #[test]
    fn a_wrong_file_of_an_example_is_found() {
        let [right, wrong] = keys("ML-DSA-44");
        let both = |file: &dyn Fn(&PrivateKey) -> String| [file(&right), file(&wrong)];
        let private = |form| both(&|key| key.to_pem(form).unwrap().to_string());
        let files = [
            ("ML-DSA-44-seed.priv", private(Form::Seed)),
            ("ML-DSA-44-expanded.priv", private(Form::Expanded)),
            ("ML-DSA-44-both.priv", private(Form::Both)),
            ("ML-DSA-44.crt", both(&|key| template("CN=X").root(key).unwrap().to_pem())),
            ("ML-DSA-44.pub", both(&|key| key.public_key().to_pem())),
        ];
        each_wrong_file_is_found(examples::rows, &files);
        // A right key in the wrong form.
        let [text, _] = private(Form::Both);
        let files =
            [document("ML-DSA-44.pub", &files[4].1[0]), document("ML-DSA-44-seed.priv", &text)];
        assert_eq!(results(examples::rows, &files), [Outcome::Failed]);
    }

    #[test]
    fn refused_keys_must_be_refused_for_their_reason() {
        let [key, other] = keys("ML-DSA-44");
        let pem = |der: &[u8]| oaklath_pki::encode_pem("PRIVATE KEY", der).to_string();
        let (der, expanded) = (key.to_der(Form::Both).unwrap(), other.as_bytes());
        let differs = [&der[..der.len() - expanded.len()], expanded].concat();
        for (text, result) in [
            (pem(&differs), Outcome::Passed),
            (pem(&der), Outcome::Failed),
            (pem(&der[1..]), Outcome::Failed),
        ] {
            let files = [document("bad-ML-DSA-44-1.priv", &text)];
            assert_eq!(results(examples::rows, &files), [result]);
        }
    }

    #[test]
    fn certificates_without_issuer_are_skipped() {
        let ([key, _], [root_key, _]) = (keys("ML-KEM-512"), keys("ML-DSA-44"));
        let root = template("CN=Root").root(&root_key).unwrap();
        let authority = Authority::new(&root, &root_key).unwrap();
        let entity = template("CN=X").entity(&key.public_key(), &authority).unwrap();
        let files = [
            document("ML-KEM-512.crt", &entity.to_pem()),
            document("ML-KEM-512.pub", &key.public_key().to_pem()),
        ];
        assert_eq!(results(examples::rows, &files), [Outcome::Skipped, Outcome::Passed]);
    }
}
