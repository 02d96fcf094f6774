//! Chains with their private keys: of OQS-OpenSSL 1.1.1, made with wolfSSL's scripts and at a
//! hackathon of the IETF, and of OpenSSL 3.5.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use oaklath_cli::selftest::operations::same;
use oaklath_cli::selftest::row::Row;
use oaklath_pki::{Certificate, Form, Identity, VerifyOptions, verify_chain};

use crate::vectors::x509::documents::{Document, Group, decapsulated, groups, row};

const DAY: Duration = Duration::from_secs(86400);

/// Checks `falcon_level1_root_cert.pem`, `…_root_key`, `…_entity_cert`, `…_entity_key`,
/// `…_entity_req`: the entity's chain is that of a TLS peer.
pub(super) fn wolfssl(source: &str, documents: &[Document], _: &[&Document]) -> Result<Vec<Row>> {
    let certificate =
        |group: &Group<'_>, whose: &str| group.member(&format!("_{whose}_cert.pem"))?.certificate();
    let groups =
        groups(&refs(documents), split_at_role, |members| subject(members.get("_root_cert.pem")))?;
    let rows = groups.iter().map(|group| {
        row(source, group, |member, document| {
            let whose = if member.starts_with("_root") { "root" } else { "entity" };
            let public = certificate(group, whose)?.public_key()?;
            match member {
                "_root_cert.pem" => Ok(document.certificate()?.verify_signature(&public)?),
                "_entity_cert.pem" => chain(&document.certificate()?, &certificate(group, "root")?),
                "_root_key.pem" | "_entity_key.pem" => {
                    document.check_private_key(Form::Oqs, &public)
                }
                "_entity_req.pem" => request(document, &certificate(group, whose)?),
                _ => bail!("a file that no check knows"),
            }
        })
    });
    Ok(rows.collect())
}

fn split_at_role(name: &str) -> Option<(&str, &str)> {
    let at = ["_root_", "_entity_"].iter().find_map(|role| name.find(role))?;
    Some(name.split_at(at))
}

/// Checks that the entity is 127.0.0.1, as server and client.
fn chain(entity: &Certificate, root: &Certificate) -> Result<()> {
    let validity = entity.parsed().tbs_certificate().validity();
    let at = VerifyOptions::at(validity.not_before.to_system_time() + DAY);
    let root = std::slice::from_ref(root);
    for options in [at.clone().server("127.0.0.1"), at.clone().client()] {
        ensure!(verify_chain(entity, &[], root, &options)?.len() == 2, "a path that is too short");
    }
    let other = verify_chain(entity, &[], root, &at.server("127.0.0.2"));
    ensure!(other.is_err(), "the certificate was taken for another host");
    Ok(())
}

/// Checks that the request has the certificate's key and subject.
fn request(document: &Document, certificate: &Certificate) -> Result<()> {
    let request = document.request()?;
    request.verify()?;
    ensure!(request.subject() == certificate.subject(), "the subject differs");
    let expected = certificate.public_key()?;
    same("the key of the request", request.public_key()?.as_bytes(), expected.as_bytes())
}

/// Checks `ta/ta.der`, `ca/ca.der` and `ee/cert.der` of each object identifier, with requests and
/// keys. Certificates of version 1 are no authorities: only signatures are checked, not the path.
pub(super) fn oqs_openssl(
    source: &str,
    documents: &[Document],
    _: &[&Document],
) -> Result<Vec<Row>> {
    let groups = groups(
        &refs(documents),
        |name| name.split_once('/'),
        |members| subject(members.get("ta/ta.der")),
    )?;
    let rows = groups.iter().map(|group| {
        row(source, group, |member, document| {
            let (own, issuer) = match member.split_once('/') {
                Some(("ta", _)) => ("ta/ta.der", "ta/ta.der"),
                Some(("ca", _)) => ("ca/ca.der", "ta/ta.der"),
                Some(("ee", _)) => ("ee/cert.der", "ca/ca.der"),
                _ => bail!("a file that no check knows"),
            };
            let certificate = group.member(own)?.certificate()?;
            match member {
                own if own.ends_with("_priv.der") => {
                    document.check_private_key(Form::Oqs, &certificate.public_key()?)
                }
                own if own.ends_with(".csr") => request(document, &certificate),
                _ => {
                    let issuer = group.member(issuer)?.certificate()?;
                    ensure!(certificate.issuer() == issuer.subject(), "the issuer's name differs");
                    Ok(certificate.verify_signature(&issuer.public_key()?)?)
                }
            }
        })
    });
    Ok(rows.collect())
}

/// Checks `ml-dsa-44-OID_ta.der`, self-signed, with `…_seed_priv.der` and the other forms; for
/// ML-KEM `…_ee.der`, signed with one of these, and a ciphertext with its shared secret.
pub(super) fn openssl(source: &str, documents: &[Document], _: &[&Document]) -> Result<Vec<Row>> {
    let groups = groups(
        &refs(documents),
        |name| name.split_once('_'),
        |members| subject(members.get("ta.der").or(members.get("ee.der"))),
    )?;
    let rows = groups.iter().map(|group| {
        row(source, group, |member, document| {
            let own = if group.identity.kem().is_some() { "ee.der" } else { "ta.der" };
            let certificate = group.member(own)?.certificate()?;
            let public = certificate.public_key()?;
            match member {
                "ta.der" => Ok(certificate.verify_signature(&public)?),
                "ee.der" => signed_by_one_of(&certificate, documents),
                "priv.der" => document.check_private_key(group.identity.standard_form(), &public),
                "seed_priv.der" => document.check_private_key(Form::Seed, &public),
                "expandedkey_priv.der" => document.check_private_key(Form::Expanded, &public),
                "both_priv.der" => document.check_private_key(Form::Both, &public),
                "ciphertext.bin" | "ss.bin" => shared_secret(group),
                _ => bail!("a file that no check knows"),
            }
        })
    });
    Ok(rows.collect())
}

fn shared_secret(group: &Group<'_>) -> Result<()> {
    let key = group.member("seed_priv.der")?.private_key()?;
    let shared = decapsulated(&key, &group.member("ciphertext.bin")?.bytes)?;
    same("the shared secret", &shared, &group.member("ss.bin")?.bytes)
}

fn signed_by_one_of(certificate: &Certificate, documents: &[Document]) -> Result<()> {
    for document in documents.iter().filter(|document| document.name.ends_with("_ta.der")) {
        let issuer = document.certificate()?;
        if issuer.subject() == certificate.issuer() {
            return Ok(certificate.verify_signature(&issuer.public_key()?)?);
        }
    }
    bail!("no certificate of its issuer, {}", certificate.issuer())
}

/// Returns the algorithm of a certificate's key.
fn subject(certificate: Option<&&Document>) -> Result<Identity> {
    let certificate = certificate.context("no certificate")?.certificate()?;
    Ok(certificate.public_key()?.identity())
}

fn refs(documents: &[Document]) -> Vec<&Document> {
    documents.iter().collect()
}
