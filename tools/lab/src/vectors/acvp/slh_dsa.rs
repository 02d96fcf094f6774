//! NIST's ACVP vectors of SLH-DSA: key generation, signing, verification.

use anyhow::{Context, Result, bail, ensure};
use oaklath_cli::prehash;
use oaklath_cli::selftest::operations::same;
use oaklath_cli::selftest::row::Row;
use oaklath_params::hash;
use oaklath_sig::{Message, Signature, by_name};
use rayon::prelude::*;
use serde::Deserialize;
use sha2::Digest;

use super::field;
use crate::vectors::check::check_cases;
use crate::vectors::files::{Bytes, VectorFile};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    test_groups: Vec<Group>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Group {
    parameter_set: String,
    /// `external` or `internal`; absent in files of key generation.
    signature_interface: Option<String>,
    /// `pure` or `preHash`, for the external interface.
    pre_hash: Option<String>,
    /// Absent in files of key generation and of verification.
    deterministic: Option<bool>,
    tests: Vec<Test>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Test {
    tc_id: u32,
    test_passed: Option<bool>,
    sk_seed: Option<Bytes>,
    sk_prf: Option<Bytes>,
    pk_seed: Option<Bytes>,
    sk: Option<Bytes>,
    pk: Option<Bytes>,
    message: Option<Bytes>,
    context: Option<Bytes>,
    hash_alg: Option<String>,
    additional_randomness: Option<Bytes>,
    signature: Option<Bytes>,
    /// Given instead of the signature.
    signature_sha256: Option<Bytes>,
}

/// Returns one row for each parameter set. Uses all cores: signing with some sets takes a second
/// where there are no vector instructions.
pub(in crate::vectors) fn rows(file: &VectorFile) -> Result<Vec<Row>> {
    let groups = file.json::<Document>()?.test_groups;
    let mut names: Vec<&str> = Vec::new();
    for group in &groups {
        if !names.contains(&&*group.parameter_set) {
            names.push(&group.parameter_set);
        }
    }
    ensure!(!names.is_empty(), "no tests");
    Ok(names.par_iter().map(|name| row(file, &groups, name)).collect())
}

fn row(file: &VectorFile, groups: &[Group], name: &str) -> Row {
    let groups = groups.iter().filter(|group| group.parameter_set == name);
    let cases: Vec<(&Group, &Test)> =
        groups.flat_map(|group| group.tests.iter().map(move |test| (group, test))).collect();
    let Ok(scheme) = by_name(name) else {
        return Row::skipped(file.title(), name, cases.len(), "not in this build");
    };
    check_cases(file.title(), name, &cases, |(group, test)| {
        check(scheme, group, test).with_context(|| format!("test {}", test.tc_id))
    })
}

fn check(scheme: &dyn Signature, group: &Group, test: &Test) -> Result<()> {
    let info = scheme.info();
    let Some(interface) = &group.signature_interface else {
        let seed = [field(&test.sk_seed)?, field(&test.sk_prf)?, field(&test.pk_seed)?].concat();
        let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
        scheme.keypair_from(&seed, &mut pk, &mut sk)?;
        same("the public key", &pk, field(&test.pk)?)?;
        return same("the private key", &sk, field(&test.sk)?);
    };
    let message = field(&test.message)?;
    let context = test.context.as_ref().map_or(&[][..], |context| &context.0);
    let digest;
    let message = match (&**interface, group.pre_hash.as_deref()) {
        ("internal", _) => Message::Internal(message),
        ("external", Some("pure")) => Message::Pure { message, context },
        ("external", Some("preHash")) => {
            let name = test.hash_alg.as_deref().context("a field is missing")?;
            let hash = hash::by_name(name).context("an unknown hash function")?;
            digest = prehash::digest(hash, message)
                .with_context(|| format!("{name} is not computed here"))?;
            Message::PreHashed { hash, digest: &digest, context }
        }
        (interface, form) => bail!("an interface that no check knows: {interface} {form:?}"),
    };
    let Some(deterministic) = group.deterministic else {
        let valid = scheme.verify(field(&test.pk)?, &message, field(&test.signature)?).is_ok();
        let expected = test.test_passed.context("`testPassed` is missing")?;
        ensure!(valid == expected, "verified: {valid}");
        return Ok(());
    };
    let sk = field(&test.sk)?;
    let coins = match deterministic {
        true => None,
        false => Some(field(&test.additional_randomness)?),
    };
    let mut signature = vec![0; info.signature];
    scheme.sign(sk, &message, coins, &mut signature)?;
    match &test.signature {
        Some(Bytes(expected)) => same("the signature", &signature, expected)?,
        None => {
            let found = sha2::Sha256::digest(&signature);
            same("the signature's digest", &found, field(&test.signature_sha256)?)?;
        }
    }
    scheme.verify(&sk[info.secret_key - info.public_key..], &message, &signature)?;
    Ok(())
}
