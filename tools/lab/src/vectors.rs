//! `oaklath-lab vectors`: checks published test vectors and files of other implementations, at
//! every SIMD level.

mod acvp;
mod cctv;
mod check;
mod files;
mod handshakes;
mod kat;
mod stateful;
mod x509;

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use oaklath_cli::selftest::report;
use oaklath_cli::selftest::row::{Outcome, Row};
use rayon::prelude::*;

use crate::vectors::files::VectorFile;

/// The arguments of `oaklath-lab vectors`.
#[derive(Debug, clap::Args)]
pub(crate) struct VectorsArgs {
    /// Folder of test vectors: ACVP, C2SP/CCTV, NIST KAT records, TLS handshakes, keys and
    /// certificates; plain or .xz
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Print one JSON array instead of a table, one object a line
    #[arg(long)]
    json: bool,
}

/// Checks the files and prints the results; returns an error if a case failed.
pub(crate) fn run(args: &VectorsArgs) -> Result<()> {
    let rows = in_folder(&files::files(&args.folder)?)?;
    let none = rows.iter().all(|row| row.result == Outcome::Skipped);
    ensure!(!none, "no vectors of this build's algorithms in {}", args.folder.display());
    report(&rows, args.json)
}

/// Returns the rows of all files, with those without a check counted by folder. Uses all cores.
fn in_folder(files: &[VectorFile]) -> Result<Vec<Row>> {
    let read = |file: &VectorFile| {
        rows_of(file).map(|rows| rows.with_context(|| file.name.clone())).transpose()
    };
    let read: Vec<Option<Vec<Row>>> = files.par_iter().map(read).collect::<Result<_>>()?;
    let mut rows = Vec::new();
    let mut unread = BTreeMap::<(String, &'static str), usize>::new();
    for (file, read) in files.iter().zip(read) {
        match read {
            Some(read) => rows.extend(read),
            None => *unread.entry((file.folder().to_owned(), why_unread(file))).or_default() += 1,
        }
    }
    rows.extend(x509::rows(files)?);
    rows.extend(unread.into_iter().map(|((folder, why), files)| {
        let folder = if folder.is_empty() { "." } else { &*folder };
        let plural = if files == 1 { "" } else { "s" };
        let why = format!("{files} file{plural} {why}");
        Row { cases: None, ..Row::skipped(folder, "-", 0, &why) }
    }));
    Ok(rows)
}

/// Checks a file and returns its rows, or `None` if no check reads it. Keys and certificates are
/// read folder by folder.
fn rows_of(file: &VectorFile) -> Option<Result<Vec<Row>>> {
    Some(match (file.parent(), file.stem()) {
        (_, stem) if stem.starts_with("ML-KEM-keyGen") => acvp::ml_kem::rows(file),
        (_, stem) if stem.starts_with("ML-KEM-encapDecap") => acvp::ml_kem::rows(file),
        (_, stem) if stem.starts_with("ML-DSA-keyGen") => acvp::ml_dsa::key_generation(file),
        (_, stem) if stem.starts_with("ML-DSA-sigGen") => acvp::ml_dsa::signing(file),
        (_, stem) if stem.starts_with("ML-DSA-sigVer") => acvp::ml_dsa::verifying(file),
        (_, stem) if stem.starts_with("SLH-DSA-") => acvp::slh_dsa::rows(file),
        (_, stem) if stem.starts_with("LMS-") => acvp::lms::rows(file),
        (_, "accumulated-final.json") => cctv::accumulated(file),
        ("intermediate" | "strcmp" | "unluckysample", _) => cctv::encapsulations(file),
        ("modulus", _) => cctv::refused_keys(file),
        _ if stateful::reads(file) => stateful::rows(file),
        ("kat", "digests.json") => kat::digests(file),
        (_, stem) if stem.ends_with(".rsp") && kat::is_built(file) => kat::records(file),
        (_, "oqs-openssl-2022-transcripts.json") => handshakes::recorded(file),
        (_, "iana-hybrids-go1.26.json") => handshakes::shares(file),
        (_, stem) if stem.ends_with(".md") || x509::reads(file) => Ok(Vec::new()),
        _ => return None,
    })
}

/// Returns why no check reads a file.
fn why_unread(file: &VectorFile) -> &'static str {
    match file.stem() {
        stem if stem.ends_with(".rsp") => "of algorithms that are not in this build",
        _ => "that no check of this build reads",
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use oaklath_cli::prehash;
    use oaklath_cli::selftest::{kat, operations};
    use oaklath_params::hash::SHA3_384;
    use oaklath_sig::Message;
    use serde_json::{Value, json};

    use super::*;

    /// Makes a folder of its own for a test.
    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("oaklath-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    /// Returns the results of the files in a folder, by source.
    fn results(folder: &Path) -> Vec<(String, Outcome)> {
        let rows = in_folder(&files::files(folder).unwrap()).unwrap();
        rows.into_iter().map(|row| (row.source, row.result)).collect()
    }

    /// Changes the last digit of the text, which belongs to a compared value; or reverses the
    /// verdict, if the text has one.
    fn wrong(text: &str) -> String {
        if text.contains("true") {
            return text.replace("true", "false");
        }
        let at = text.rfind(|c: char| c.is_ascii_digit()).unwrap();
        let digit = if text.as_bytes()[at] == b'0' { "1" } else { "0" };
        format!("{}{digit}{}", &text[..at], &text[at + 1..])
    }

    /// A vector of each form passes; with one change it fails.
    #[test]
    fn a_wrong_digit_is_found() {
        let folder = folder("digits");
        let kem = oaklath_kem::by_name("ML-KEM-512").unwrap();
        let (ek, dk) = operations::keypair(kem, &[1; 64]).unwrap();
        let (c, k) = operations::encapsulate(kem, &[2; 32], &ek).unwrap();
        let [d, m, ek, dk, c, k] = [&[1; 32][..], &[2; 32], &ek, &dk, &c, &k].map(hex::encode);
        let group = |function: &str, test: String| {
            format!(
                r#"{{"testGroups":[{{"parameterSet":"ML-KEM-512",{function}"tests":[{{"tcId":1,{test}}}]}}]}}"#
            )
        };
        let function = |name: &str| format!(r#""function":"{name}","#);
        let files = [
            (
                "ML-KEM-keyGen.json",
                group("", format!(r#""d":"{d}","z":"{d}","ek":"{ek}","dk":"{dk}""#)),
            ),
            (
                "ML-KEM-encapDecap.json",
                group(
                    &function("encapsulation"),
                    format!(r#""m":"{m}","ek":"{ek}","c":"{c}","k":"{k}""#),
                ),
            ),
            (
                "ML-KEM-encapDecap-2.json",
                group(&function("decapsulation"), format!(r#""dk":"{dk}","c":"{c}","k":"{k}""#)),
            ),
            (
                "ML-KEM-encapDecap-3.json",
                group(
                    &function("decapsulationKeyCheck"),
                    format!(r#""testPassed":true,"dk":"{dk}""#),
                ),
            ),
            ("strcmp/ML-KEM-512.txt", format!("dk = {dk}\nc = {c}\nK = {k}\n")),
            ("kat/ML-KEM-512.ours.rsp", kat::record(kem, 0, &[7; 48]).unwrap()),
        ];
        for (name, text) in files {
            passes_and_fails(&folder, name, &text, &wrong(&text));
        }
        std::fs::remove_dir_all(folder).unwrap();
    }

    /// Checks that a file passes with the right text and fails with the wrong one.
    fn passes_and_fails(folder: &Path, name: &str, right: &str, wrong: &str) {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, right).unwrap();
        let found = results(folder);
        assert!(found.len() == 1 && found[0].1 == Outcome::Passed, "{name}: {found:?}");
        std::fs::write(&path, wrong).unwrap();
        let found = results(folder);
        assert!(found.len() == 1 && found[0].1 == Outcome::Failed, "{name}: {found:?}");
        std::fs::remove_file(&path).unwrap();
    }

    /// A vector of each interface of signatures passes; with one change it fails.
    #[test]
    fn a_wrong_digit_of_a_signature_is_found() {
        let folder = folder("signatures");
        for (name, mut group, test, changed) in signature_tests() {
            group["parameterSet"] = json!("ML-DSA-44");
            let text = |mut test: Value| {
                test["tcId"] = json!(1);
                let mut group = group.clone();
                group["tests"] = json!([test]);
                json!({"testGroups": [group]}).to_string()
            };
            let mut other = test.clone();
            other[changed] = match &test[changed] {
                Value::String(digits) => json!(wrong(digits)),
                verdict => json!(!verdict.as_bool().unwrap()),
            };
            passes_and_fails(&folder, &format!("{name}.json"), &text(test), &text(other));
        }
        let scheme = oaklath_sig::by_name("ML-DSA-44").unwrap();
        let record = kat::signature_record(scheme, true, 0, &[7; 48], b"a message").unwrap();
        passes_and_fails(&folder, "ML-DSA-44.deterministic.rsp", &record, &wrong(&record));
        std::fs::remove_dir_all(folder).unwrap();
    }

    /// Returns tests: name of a file, fields of its group, fields of the test, and the field that
    /// is to be changed: a digit or the verdict.
    fn signature_tests() -> [(&'static str, Value, Value, &'static str); 5] {
        let scheme = oaklath_sig::by_name("ML-DSA-44").unwrap();
        let (pk, sk) = operations::signing_keypair(scheme, &[1; 32]).unwrap();
        let sign = |message: &Message<'_>, coins| {
            hex::encode(operations::sign(scheme, &sk, message, coins).unwrap())
        };
        let digest = prehash::digest(&SHA3_384, b"m").unwrap();
        let hashed = Message::PreHashed { hash: &SHA3_384, digest: &digest, context: b"c" };
        let [seed, pk, private, mu] = [&[1; 32][..], &pk, &sk, &[3; 64]].map(hex::encode);
        let (m, c) = ("6d", "63");
        [
            ("ML-DSA-keyGen", json!({}), json!({"seed": seed, "pk": pk, "sk": private}), "sk"),
            (
                "ML-DSA-sigGen-1",
                json!({"signatureInterface": "external", "preHash": "pure", "deterministic": true}),
                json!({"sk": private, "message": m, "context": c,
                    "signature": sign(&Message::with_context(b"m", b"c"), None)}),
                "signature",
            ),
            (
                "ML-DSA-sigGen-2",
                json!({"signatureInterface": "external", "preHash": "preHash", "deterministic": false}),
                json!({"sk": private, "message": m, "context": c, "hashAlg": "SHA3-384",
                    "rnd": &mu[..64], "signature": sign(&hashed, Some(&[3; 32]))}),
                "rnd",
            ),
            (
                "ML-DSA-sigGen-3",
                json!({"signatureInterface": "internal", "externalMu": true, "deterministic": true,
                    "keyFormat": "seed"}),
                json!({"seed": seed, "mu": mu, "signature": sign(&Message::Mu(&[3; 64]), None)}),
                "mu",
            ),
            (
                "ML-DSA-sigVer",
                json!({"signatureInterface": "internal", "preHash": "none", "externalMu": false}),
                json!({"pk": pk, "message": m, "testPassed": true,
                    "signature": sign(&Message::Internal(b"m"), None)}),
                "testPassed",
            ),
        ]
    }

    #[test]
    fn packed_files_are_read_and_strange_ones_named() {
        let folder = folder("packed");
        // `xz` of the hexadecimal digits of 800 bytes ff, a key that is not canonical.
        std::fs::create_dir(folder.join("modulus")).unwrap();
        std::fs::write(folder.join("modulus/ML-KEM-512.txt.xz"), PACKED).unwrap();
        std::fs::write(folder.join("strange.bin"), "?").unwrap();
        std::fs::write(folder.join("NTRU.x.rsp"), "?").unwrap();
        let found = results(&folder);
        let expected =
            [("modulus", Outcome::Passed), (".", Outcome::Skipped), (".", Outcome::Skipped)];
        let found: Vec<_> = found.iter().map(|(source, result)| (&**source, *result)).collect();
        assert_eq!(found, expected);
        std::fs::remove_dir_all(folder).unwrap();
    }

    const PACKED: &[u8] = &[
        253, 55, 122, 88, 90, 0, 0, 1, 105, 34, 222, 54, 2, 0, 33, 1, 28, 0, 0, 0, 16, 207, 88,
        204, 224, 6, 64, 0, 16, 93, 0, 51, 111, 251, 191, 254, 163, 177, 94, 229, 248, 3, 58, 143,
        214, 0, 0, 0, 130, 122, 83, 22, 0, 1, 40, 193, 12, 0, 0, 0, 85, 45, 9, 182, 62, 48, 13,
        139, 2, 0, 0, 0, 0, 1, 89, 90,
    ];
}
