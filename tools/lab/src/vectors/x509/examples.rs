//! The examples of RFC 9881, RFC 9909 and RFC 9935, each in appendix C: a private key in every
//! form, its public key and its certificate; and private keys `bad-…`, which must be rejected.

use anyhow::{Context, Result, bail, ensure};
use oaklath_cli::selftest::operations::same;
use oaklath_cli::selftest::row::Row;
use oaklath_pki::{Form, Identity, KeyError, PrivateKey, PublicKey};
use oaklath_sig::Error::{SecretKeyHash, SecretKeyLowBits};

use crate::vectors::check::check_cases;
use crate::vectors::x509::documents::{Document, groups, row};

/// Checks files `ML-KEM-512.pub`, `ML-KEM-512-seed.priv`; certificates of SLH-DSA end in `.pem`.
pub(super) fn rows(
    source: &str,
    documents: &[Document],
    everything: &[&Document],
) -> Result<Vec<Row>> {
    let (bad, good): (Vec<&Document>, Vec<&Document>) =
        documents.iter().partition(|document| document.name.starts_with(BAD));
    let groups = groups(&good, split, |members| {
        let public = members.get(PUBLIC).context("no file .pub")?;
        Ok(public.public_key()?.identity())
    })?;
    let mut rows: Vec<Row> = Vec::new();
    for mut group in groups {
        if group.members.get(CERTIFICATE).is_some_and(|own| issuer(own, everything).is_err()) {
            let name = group.identity.name();
            rows.push(Row::skipped(
                source,
                name,
                1,
                "its issuer's certificate is not in the folder",
            ));
            group.members.remove(CERTIFICATE);
        }
        rows.push(row(source, &group, |member, document| {
            let public = group.member(PUBLIC)?.public_key()?;
            match member {
                PUBLIC => Ok(()),
                CERTIFICATE | ".pem" => {
                    let certificate = document.certificate()?;
                    let key = certificate.public_key()?;
                    same("the key of the certificate", key.as_bytes(), public.as_bytes())?;
                    Ok(certificate.verify_signature(&issuer(document, everything)?)?)
                }
                private => document.check_private_key(form(private, group.identity)?, &public),
            }
        }));
    }
    if !bad.is_empty() {
        rows.push(check_cases(source, "rejected keys", &bad, |document| {
            refused(document).with_context(|| document.name.clone())
        }));
    }
    Ok(rows)
}

const BAD: &str = "bad-";
const PUBLIC: &str = ".pub";
const CERTIFICATE: &str = ".crt";

/// Splits a file's name where the name of the algorithm ends.
fn split(name: &str) -> Option<(&str, &str)> {
    let ends = ["-seed.priv", "-expanded.priv", "-both.priv", ".priv", PUBLIC, CERTIFICATE, ".pem"];
    let end = ends.iter().find(|end| name.ends_with(**end))?;
    name.split_at_checked(name.len() - end.len())
}

/// Returns the form that the end of a name states, or else the standard form.
fn form(end: &str, identity: Identity) -> Result<Form> {
    let word = end.trim_end_matches(".priv").trim_start_matches('-');
    match Form::by_name(word) {
        None if word.is_empty() => Ok(identity.standard_form()),
        None => bail!("a form `{word}`"),
        Some(form) => Ok(form),
    }
}

/// Returns the key that signed a certificate: its own, or for ML-KEM one of RFC 9881.
fn issuer(document: &Document, everything: &[&Document]) -> Result<PublicKey> {
    let identity = document.certificate()?.signature_identity()?;
    let others = everything.iter().copied().filter(|other| other.name.ends_with(CERTIFICATE));
    for issuer in others.chain([document]) {
        let key = issuer.certificate()?.public_key()?;
        if key.identity() == identity {
            return Ok(key);
        }
    }
    bail!("no certificate of its issuer, of {identity}")
}

/// Returns the error of a key that must be rejected: RFC 9881, appendix C.4, RFC 9935, appendix
/// C.4.
fn reason(name: &str) -> Option<KeyError> {
    Some(match name {
        "bad-ML-DSA-44-1.priv" => KeyError::SeedAndExpandedDiffer { part: "rho" },
        // tr is not the hash of the public key.
        "bad-ML-DSA-44-2.priv" => KeyError::Sig(SecretKeyHash),
        // t0 is not the lower half of t.
        "bad-ML-DSA-44-3.priv" => KeyError::Sig(SecretKeyLowBits),
        "bad-ML-KEM-512-1.priv" => KeyError::SeedAndExpandedDiffer { part: "s" },
        // s does not belong to ek.
        "bad-ML-KEM-512-2.priv" => KeyError::Inconsistent,
        "bad-ML-KEM-512-3.priv" => KeyError::Kem(oaklath_kem::Error::DecapsulationKeyHash),
        "bad-ML-KEM-512-4.priv" => KeyError::SeedAndExpandedDiffer { part: "z" },
        _ => return None,
    })
}

fn refused(document: &Document) -> Result<()> {
    let expected = reason(&document.name).context("what is wrong with it is not known")?;
    match PrivateKey::from_der(&document.der()?) {
        Ok(_) => bail!("the key was taken, expected: {expected}"),
        Err(error) => ensure!(error == expected, "rejected with `{error}`, expected `{expected}`"),
    }
    Ok(())
}
