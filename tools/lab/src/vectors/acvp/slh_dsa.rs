//! NIST's ACVP vectors of SLH-DSA: key generation, signing, verification.

use anyhow::{Context, Result, bail, ensure};
use oaklath_cli::prehash;
use oaklath_cli::selftest::operations::same;
use oaklath_cli::selftest::row::Row;
use oaklath_params::hash;
use oaklath_sig::{Message, Signature, by_name};
use serde::Deserialize;
use sha2::Digest;

use super::field;
use crate::vectors::files::{Bytes, VectorFile};

/// The common fields of a group.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Form {
    /// `external` or `internal`; absent in files of key generation.
    signature_interface: Option<String>,
    /// `pure` or `preHash`, for the external interface.
    pre_hash: Option<String>,
    /// Absent in files of key generation and of verification.
    deterministic: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Test {
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

/// Returns one row for each parameter set.
pub(in crate::vectors) fn rows(file: &VectorFile) -> Result<Vec<Row>> {
    super::rows(file, |name| by_name(name).ok(), |scheme, form, test| check(*scheme, form, test))
}

fn check(scheme: &dyn Signature, form: &Form, test: &Test) -> Result<()> {
    let info = scheme.info();
    let Some(interface) = &form.signature_interface else {
        let seed = [field(&test.sk_seed)?, field(&test.sk_prf)?, field(&test.pk_seed)?].concat();
        let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
        scheme.keypair_from(&seed, &mut pk, &mut sk)?;
        same("the public key", &pk, field(&test.pk)?)?;
        return same("the private key", &sk, field(&test.sk)?);
    };
    let message = field(&test.message)?;
    let context = test.context.as_ref().map_or(&[][..], |context| &context.0);
    let digest;
    let message = match (&**interface, form.pre_hash.as_deref()) {
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
    let Some(deterministic) = form.deterministic else {
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
