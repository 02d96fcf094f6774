//! NIST's ACVP vectors of ML-DSA: key generation, signing and verifying by every interface of
//! FIPS 204, with keys as seeds or expanded.

use anyhow::{Context, Result, bail, ensure};
use oaklath_cli::prehash;
use oaklath_cli::selftest::operations::{same, sign, signing_keypair};
use oaklath_cli::selftest::row::Row;
use oaklath_params::hash;
use oaklath_sig::{Message, Signature, by_name};
use serde::Deserialize;

use super::field;
use crate::vectors::files::{Bytes, VectorFile};

/// The common fields of a group; in files of key generation only the last may be present.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Form {
    /// `external` or `internal`.
    signature_interface: Option<String>,
    /// For the external interface: `pure` or `preHash`.
    pre_hash: Option<String>,
    /// For the internal interface: whether mu is given in place of the message.
    #[serde(default)]
    external_mu: bool,
    /// Absent in files of verifying.
    deterministic: Option<bool>,
    /// The format of the private key: `seed`, `expanded`, or absent for expanded.
    key_format: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Test {
    test_passed: Option<bool>,
    seed: Option<Bytes>,
    pk: Option<Bytes>,
    sk: Option<Bytes>,
    message: Option<Bytes>,
    mu: Option<Bytes>,
    context: Option<Bytes>,
    hash_alg: Option<String>,
    rnd: Option<Bytes>,
    signature: Option<Bytes>,
}

/// Checks key generation; returns one row for each parameter set.
pub(in crate::vectors) fn key_generation(file: &VectorFile) -> Result<Vec<Row>> {
    super::rows(file, find, |scheme, _: &Form, test: &Test| {
        let (pk, sk) = signing_keypair(*scheme, field(&test.seed)?)?;
        same("the public key", &pk, field(&test.pk)?)?;
        same("the private key", &sk, field(&test.sk)?)?;
        let mut public = vec![0; pk.len()];
        scheme.public_key(&sk, &mut public)?;
        same("the public key of the private one", &public, &pk)
    })
}

/// Checks signing; returns one row for each parameter set.
pub(in crate::vectors) fn signing(file: &VectorFile) -> Result<Vec<Row>> {
    super::rows(file, find, |scheme, form: &Form, test: &Test| {
        let made;
        let sk = if form.key_format.as_deref() == Some("seed") {
            made = signing_keypair(*scheme, field(&test.seed)?)?.1;
            &made
        } else {
            field(&test.sk)?
        };
        let coins = match form.deterministic.context("`deterministic` is missing")? {
            true => None,
            false => Some(field(&test.rnd)?),
        };
        test.with_message(form, |message| {
            let signature = sign(*scheme, sk, message, coins)?;
            same("the signature", &signature, field(&test.signature)?)
        })
    })
}

/// Checks verifying; returns one row for each parameter set.
pub(in crate::vectors) fn verifying(file: &VectorFile) -> Result<Vec<Row>> {
    super::rows(file, find, |scheme, form: &Form, test: &Test| {
        let (pk, signature) = (field(&test.pk)?, field(&test.signature)?);
        let expected = test.test_passed.context("`testPassed` is missing")?;
        test.with_message(form, |message| {
            let result = scheme.verify(pk, message, signature);
            let prepared = scheme.prepare_verifier(pk)?.verify(message, signature);
            ensure!(result == prepared, "a prepared key verifies otherwise");
            let verdict = if result.is_ok() { "taken" } else { "refused" };
            ensure!(result.is_ok() == expected, "the signature was {verdict}");
            Ok(())
        })
    })
}

fn find(name: &str) -> Option<&'static dyn Signature> {
    by_name(name).ok()
}

impl Test {
    /// Calls `use_it` with the message in the form of the group's interface.
    fn with_message(
        &self,
        form: &Form,
        use_it: impl FnOnce(&Message<'_>) -> Result<()>,
    ) -> Result<()> {
        match (form.signature_interface.as_deref(), form.pre_hash.as_deref()) {
            (Some("external"), Some("pure")) => {
                use_it(&Message::with_context(field(&self.message)?, field(&self.context)?))
            }
            (Some("external"), Some("preHash")) => {
                let name = self.hash_alg.as_deref().context("`hashAlg` is missing")?;
                let hash = hash::by_name(name).with_context(|| format!("no hash {name}"))?;
                let digest = prehash::digest(hash, field(&self.message)?);
                let digest = &digest.with_context(|| format!("{name} is not computed here"))?;
                use_it(&Message::PreHashed { hash, digest, context: field(&self.context)? })
            }
            (Some("internal"), _) if form.external_mu => {
                let mu = field(&self.mu)?.try_into().context("mu of another length")?;
                use_it(&Message::Mu(mu))
            }
            (Some("internal"), _) => use_it(&Message::Internal(field(&self.message)?)),
            other => bail!("an interface that no check knows: {other:?}"),
        }
    }
}
