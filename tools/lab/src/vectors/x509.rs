//! Keys and certificates of other implementations: the examples of RFC 9881 (ML-DSA), RFC 9909
//! (SLH-DSA) and RFC 9935 (ML-KEM), roots of RFC 9802 (LMS/HSS, XMSS), those of OQS-OpenSSL 1.1.1,
//! and archives of the IETF's hackathons.

mod archive;
mod documents;
mod examples;
mod recorded;
mod stateful;

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use oaklath_cli::selftest::row::Row;

use crate::vectors::files::VectorFile;
use crate::vectors::x509::documents::Document;

/// Reports whether [`rows`] has checks for a file.
pub(super) fn reads(file: &VectorFile) -> bool {
    check_of(file).is_some()
}

/// Returns one row for each algorithm and folder or archive.
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

/// A check of a folder or archive: its name, its files, and the files of all folders.
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

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use oaklath_pki::{Authority, Form, Identity, PrivateKey, Request, Signing, Template};

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

    /// Checks that replacing any one of the files by that of another key is noticed.
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
        // The right key in the wrong form.
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
