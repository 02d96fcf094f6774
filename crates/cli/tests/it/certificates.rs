//! `oaklath cert` over real files.

use std::fs;

use crate::folder::Folder;
#[cfg(unix)]
use crate::folder::mode;
use crate::folder::names;

fn said(folder: &Folder, line: &str) -> String {
    let output = folder.run(line, b"");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Creates root.pem, mid.pem issued by it, and door.pem issued by that.
fn chain(name: &str, algorithms: [&str; 3]) -> Folder {
    let folder = Folder::new(name);
    let [root, mid, door] = algorithms;
    folder.works(&format!(
        "cert root --subject CN=Root,O=Test --new-key {root} --key-out root.key --out root.pem"
    ));
    folder.works(&format!(
        "cert intermediate --subject CN=Mid --new-key {mid} --key-out mid.key --path-len 0 \
         --issuer root.pem --issuer-key root.key --out mid.pem"
    ));
    folder.works(&format!(
        "cert issue --subject CN=door --san door.example --san IP:::1 --new-key {door} \
         --key-out door.key --issuer mid.pem --issuer-key mid.key --out door.pem"
    ));
    folder
}

#[test]
fn chains_are_issued_and_verified() {
    for algorithms in [
        ["ML-DSA-87", "ML-DSA-65", "ML-DSA-44"],
        ["dilithium5", "DILITHIUM_AES_LEVEL3", "dilithium2"],
        ["ML-DSA-44", "dilithium3", "ML-KEM-768"],
    ] {
        let folder = chain(algorithms[0], algorithms);
        #[cfg(unix)]
        assert_eq!(mode(&folder, "door.key"), 0o600);
        let server = if algorithms[2] == "ML-KEM-768" { "" } else { "--host door.example " };
        let text = said(&folder, &format!("cert verify --ca root.pem {server}door.pem mid.pem"));
        let rows: Vec<_> = text.lines().skip(4).collect();
        assert_eq!(rows.len(), 3, "{text}");
        for (row, (role, subject)) in rows.iter().zip([
            ("entity", "CN=door"),
            ("intermediate", "CN=Mid"),
            ("root", "CN=Root,O=Test"),
        ]) {
            let mut cells = row.split_whitespace();
            assert_eq!((cells.next(), cells.next()), (Some(role), Some(subject)), "{text}");
        }
        folder.works("cert convert door.pem --der --out door.der");
        said(&folder, "cert verify --ca root.pem door.der mid.pem");
    }
}

#[test]
fn what_does_not_verify() {
    let folder = chain("refused", ["ML-DSA-65", "ML-DSA-65", "ML-DSA-65"]);
    let other = chain("refused-other", ["ML-DSA-65", "ML-DSA-65", "ML-DSA-65"]);
    fs::copy(other.0.join("root.pem"), folder.0.join("other.pem")).unwrap();
    let verify = |arguments: &str, error: &str| {
        folder.fails(&format!("cert verify {arguments}"), 1, error);
    };
    verify("--ca root.pem door.pem", "door.pem: CN=door: its issuer CN=Mid is not among");
    verify("--ca other.pem door.pem mid.pem", "door.pem: CN=Mid: its issuer CN=Root,O=Test is");
    verify(
        "--ca root.pem --host gate.example door.pem mid.pem",
        "door.pem: certificate of door.example, ::1, expected gate.example",
    );
    verify("--ca root.pem --time 2020-01-01 door.pem mid.pem", "door.pem: CN=door: not valid bef");
    verify("--ca root.pem --time 9999-01-01 door.pem mid.pem", "door.pem: CN=door: expired on 2");
    said(&folder, "cert verify --ca root.pem --host ::1 door.pem mid.pem");
    said(&folder, "cert verify --ca root.pem --client door.pem mid.pem");

    // Mid allows no authority below it, and door is not an authority.
    let issue = "--subject CN=x --key door.pem --out x.pem --issuer";
    let error = "the issuer's path length allows no authority";
    folder.fails(&format!("cert intermediate {issue} mid.pem --issuer-key mid.key"), 1, error);
    let error = "door.pem: not the certificate of an authority";
    folder.fails(&format!("cert issue {issue} door.pem --issuer-key door.key"), 1, error);
    let error = "root.key: not the private key of mid.pem";
    folder.fails(&format!("cert issue {issue} mid.pem --issuer-key root.key"), 1, error);
    assert!(!names(&folder).contains(&"x.pem".to_owned()));
}

#[test]
fn requests_carry_subject_names_and_key() {
    let folder = chain("requests", ["ML-DSA-65"; 3]);
    folder.works("keygen ML-DSA-44 -p a.pub -s a.key");
    folder.works("cert csr --subject CN=asker --san asker.example --key a.key --out a.csr");
    folder.works(
        "cert issue --csr a.csr --san 127.0.0.1 --issuer root.pem --issuer-key root.key --out a.pem",
    );
    said(&folder, "cert verify --ca root.pem --host asker.example a.pem");
    said(&folder, "cert verify --ca root.pem --host 127.0.0.1 a.pem");
    for file in ["a.key", "a.csr", "a.pem", "a.pub"] {
        assert_eq!(
            said(&folder, &format!("cert convert {file} --public")).into_bytes(),
            folder.read("a.pub"),
            "{file}"
        );
    }
    let mut bytes = {
        folder.works("cert convert a.csr --der --out a.der");
        folder.read("a.der")
    };
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(folder.0.join("a.der"), bytes).unwrap();
    let line = "cert issue --csr a.der --issuer root.pem --issuer-key root.key --out b.pem";
    folder.fails(line, 1, "a.der: signature does not verify");
}

/// With all inputs given, a certificate is always the same.
#[test]
fn reproducible_certificates() {
    let folder = Folder::new("reproducible");
    folder.works("keygen ML-DSA-65 -p a.pub -s a.key");
    let root = "cert root --subject CN=Root --key a.key --deterministic --serial 01:02 \
                --not-before 2030-01-01 --not-after 2030-12-31T23:59:59Z";
    let text = said(&folder, root);
    assert_eq!(text, said(&folder, root));
    fs::write(folder.0.join("a.pem"), text).unwrap();
    let text = said(&folder, "cert inspect a.pem");
    for line in [
        "  serial number    01:02\n",
        "  subject          CN=Root\n",
        "  valid from       2030-01-01T00:00:00Z\n",
        "  valid until      2030-12-31T23:59:59Z\n",
        "  verifies itself  yes\n",
    ] {
        assert!(text.contains(line), "{line}{text}");
    }
}

/// Keys remain the same in all forms and encodings; a seed that was omitted is not recovered.
#[test]
fn keys_are_converted() {
    let folder = Folder::new("convert");
    folder.works("keygen ML-DSA-65 -p a.pub -s a.key");
    folder.works("cert convert a.key --form both --der --out both.der");
    folder.works("cert convert both.der --form seed --out again.key");
    assert_eq!(folder.read("again.key"), folder.read("a.key"));
    #[cfg(unix)]
    assert_eq!(mode(&folder, "both.der"), 0o600);
    folder.works("cert convert a.key --form expanded --out expanded.key");
    let error = "expanded.key: the form `seed` needs the seed";
    folder.fails("cert convert expanded.key --form seed --out x", 1, error);
    folder.fails("cert convert a.pub --form seed --out x", 2, "a.pub: no private key in it");
    folder.works("keygen dilithium3 -p d.pub -s d.key");
    folder.fails("cert convert d.key --form both --out x", 2, "secret keys of Dilithium3 have");

    // PEM holds several things, DER one.
    let all = [folder.read("a.pub"), folder.read("d.key")].concat();
    fs::write(folder.0.join("all.pem"), &all).unwrap();
    assert_eq!(said(&folder, "cert convert all.pem").into_bytes(), all);
    assert_eq!(said(&folder, "cert inspect all.pem").matches("Dilithium3 (legacy").count(), 1);
    folder.fails("cert convert all.pem --der --out x", 1, "all.pem: 2 certificates and keys");
    assert!(!names(&folder).contains(&"x".to_owned()));
}

/// Control sequences in a file do not reach the terminal, in text, JSON or errors.
#[test]
fn terminals_are_not_commanded() {
    let folder = Folder::new("terminal");
    fs::write(folder.0.join("label"), "-----BEGIN A\u{1b}]0;owned\u{7}-----\nAA==\n").unwrap();
    let many = "-----BEGIN A-----\nAA==\n-----END A-----\n".repeat(4000);
    fs::write(folder.0.join("many"), many).unwrap();
    folder
        .works("cert root --subject CN=a\u{9b}2Jb --new-key ML-DSA-44 --key-out key --out subject");
    for line in [
        "cert inspect label",
        "cert verify --ca label label",
        "cert verify --ca many many",
        "cert inspect no\u{1b}such",
        "cert inspect subject",
        "cert inspect --json subject",
        "cert verify --ca subject subject",
        "cert verify --json --ca subject subject",
        "cert verify --time 2020-01-01 --ca subject subject",
    ] {
        let output = folder.run(line, b"");
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(!said.contains(|c: char| c.is_control() && c != '\n'), "{line}: {said:?}");
        assert!(!said.is_empty() && said.len() < 4000, "{line}");
    }
}

#[test]
fn an_expired_authority_issues_nothing() {
    let folder = Folder::new("expired");
    folder.works(
        "cert root --subject CN=Old --not-before 2020-01-01 --not-after 2021-01-01 \
         --new-key ML-DSA-44 --key-out old.key --out old.pem",
    );
    let issue = "cert issue --subject CN=door --new-key ML-DSA-44 --key-out door.key \
        --issuer old.pem --issuer-key old.key --out door.pem";
    folder.fails(issue, 1, "the issuer's certificate is valid from 2020-01-01T00:00:00Z until");
    assert_eq!(names(&folder), ["old.key", "old.pem"]);
    folder.works(&format!("{issue} --not-before 2020-06-01"));
    folder.fails(&issue.replace("CN=door", "CN=door --san *.com --force"), 2, "`*.com` is not");
}
