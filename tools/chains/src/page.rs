//! The page docs/chains.md.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result};

use crate::reasons::{Row, all, letter};

const PAGE: &str = "docs/chains.md";

/// Returns how many chains there are, and how many of them are disputed.
pub(crate) fn summary(rows: &[Row]) -> String {
    let disputed = rows.iter().filter(|row| row.is_disputed()).count();
    let alone = |accepts: bool| {
        let others = |row: &&Row| row.accepts[1..].iter().all(|&other| other != accepts);
        rows.iter().filter(|row| row.accepts[0] == accepts).filter(others).count()
    };
    format!(
        "{} chains: the verifiers agree on {}, and differ on {disputed}. Oaklath alone accepts \
         {}, and alone rejects {}.",
        rows.len(),
        rows.len() - disputed,
        alone(true),
        alone(false)
    )
}

const HEAD: &str = "\
# Chains of certificates
This page compares `oaklath_pki::verify_chain`, on chains with one deviation from RFC 5280 each, with webpki (as in rustls),
OpenSSL (`openssl verify -purpose sslserver`, and with `-x509_strict`) and Go (`crypto/x509`). A chain is a root, an
authority and the entity `door.example`; each is signed with ML-DSA-44 for Oaklath and webpki, and with ECDSA over P-256
for webpki, OpenSSL and Go: webpki judges both alike. `cargo xtask chains --write` makes this page, and fails if
another verifier differs from Oaklath and no reason is given below.

";

/// Writes the page.
pub(crate) fn write(rows: &[Row]) -> Result<()> {
    let mut page = format!("{HEAD}{}\n\n{}\n\n", versions(), summary(rows));
    page += "| deviation | in | section | Oaklath | webpki | OpenSSL | strict | Go | |\n";
    page += "|---|---|---|---|---|---|---|---|---|\n";
    for row in merged(rows) {
        let Row { deviation, section, ref accepts, reason, .. } = row.0;
        let said = accepts.map(|accepts| if accepts { "yes" } else { "no" }).join(" | ");
        let why = reason.filter(|_| row.0.is_disputed()).map(letter).unwrap_or_default();
        page += &format!("| {deviation} | {} | {section} | {said} | {why} |\n", row.1.join(", "));
    }
    page += "\n## Why\n";
    for (letter, text) in all() {
        page += &format!("- **{letter}** {text}\n");
    }
    fs::write(PAGE, page).with_context(|| format!("cannot write {PAGE}"))
}

/// Merges rows that differ only in the place, and lists all their places.
fn merged(rows: &[Row]) -> Vec<(Row, Vec<&'static str>)> {
    let mut merged: Vec<(Row, Vec<&'static str>)> = Vec::new();
    for row in rows {
        let key =
            |row: &Row| (row.deviation, row.accepts, row.reason.filter(|_| row.is_disputed()));
        match merged.iter_mut().find(|(other, _)| key(other) == key(row)) {
            Some((_, places)) => places.push(row.place),
            None => merged.push((row.clone(), vec![row.place])),
        }
    }
    merged
}

/// Returns the versions of OpenSSL and Go.
fn versions() -> String {
    let said = |program: &str, words: std::ops::Range<usize>| {
        let output = Command::new(program).arg("version").output();
        let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        let text = text.unwrap_or_default();
        text.split_whitespace().take(words.end).skip(words.start).collect::<Vec<_>>().join(" ")
    };
    format!("Here: {}, {}.", said("openssl", 0..2), said("go", 2..3))
}
