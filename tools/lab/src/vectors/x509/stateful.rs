//! Roots with stateful keys: RFC 9802.

use anyhow::{Context, Result, bail, ensure};
use oaklath_cli::selftest::operations::same;
use oaklath_cli::selftest::row::Row;
use oaklath_pki::{PublicKey, VerifyOptions, verify_chain};

use crate::vectors::x509::documents::{Document, groups, row};

/// Checks `hss_cert.pem` and similar files, each signed with its own key.
pub(super) fn rows(source: &str, documents: &[Document], _: &[&Document]) -> Result<Vec<Row>> {
    let documents: Vec<&Document> = documents.iter().collect();
    let groups = groups(&documents, split, |members| {
        let root = members.values().next().context("no certificate")?;
        Ok(root.certificate()?.public_key()?.identity())
    })?;
    Ok(groups.iter().map(|group| row(source, group, |_, document| root(document))).collect())
}

fn split(name: &str) -> Option<(&str, &str)> {
    name.split_at_checked(name.find('_')?)
}

fn root(document: &Document) -> Result<()> {
    let root = document.certificate()?;
    let key = root.public_key()?;
    ensure!(root.is_self_signed(), "a certificate of another issuer");
    let validity = root.parsed().tbs_certificate().validity();
    let options = VerifyOptions::at(validity.not_before.to_system_time());
    verify_chain(&root, &[], std::slice::from_ref(&root), &options)?;
    let again = PublicKey::from_der(&key.to_der())?;
    same("the public key, written again,", again.as_bytes(), key.as_bytes())?;
    let Some(parameters) = key.parameters() else { bail!("a key without parameters") };
    ensure!(!parameters.is_empty(), "a key of no set");
    Ok(())
}
