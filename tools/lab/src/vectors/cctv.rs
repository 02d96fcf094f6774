//! C2SP/CCTV vectors of ML-KEM. They follow the draft of FIPS 203, which derived other keys from a
//! seed (no byte k after d); keys, ciphertexts and shared secrets are as in the final standard.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use oaklath_cli::selftest;
use oaklath_cli::selftest::operations::{decapsulate, encapsulate, same};
use oaklath_cli::selftest::row::Row;
use oaklath_kem::{Error, Kem, by_name};
use serde_json::Value;

use crate::vectors::check::check_cases;
use crate::vectors::files::{Bytes, VectorFile};

/// Returns the KEM that a file, `ML-KEM-512.txt`, is named after.
fn kem_of(file: &VectorFile) -> Option<&'static dyn Kem> {
    by_name(file.stem().strip_suffix(".txt")?).ok()
}

fn not_built(file: &VectorFile) -> Vec<Row> {
    vec![Row::skipped(file.folder(), file.stem(), 1, "not in this build")]
}

/// Checks `intermediate`, `unluckysample` and `strcmp`: lines `name = value`, of which `dk`, `c`,
/// `K` and, except in the last, `ek` and `m` are checked.
pub(super) fn encapsulations(file: &VectorFile) -> Result<Vec<Row>> {
    let Some(kem) = kem_of(file) else { return Ok(not_built(file)) };
    let text = file.text()?;
    let mut fields = BTreeMap::new();
    for (name, value) in text.lines().filter_map(|line| line.split_once(" = ")) {
        // A repeated name is a local variable of another algorithm.
        fields.entry(name).or_insert(value);
    }
    let field = |name: &str| -> Result<Vec<u8>> {
        let digits = fields.get(name).with_context(|| format!("`{name}` is missing"))?;
        Ok(Bytes::try_from((*digits).to_owned())?.0)
    };
    let row = check_cases(file.folder(), kem.info().name, &[()], |()| {
        if fields.contains_key("m") {
            let (c, k) = encapsulate(kem, &field("m")?, &field("ek")?)?;
            same("the ciphertext", &c, &field("c")?)?;
            same("the shared secret", &k, &field("K")?)?;
        }
        let k = decapsulate(kem, &field("dk")?, &field("c")?)?;
        same("the shared secret of decapsulation", &k, &field("K")?)
    });
    Ok(vec![row])
}

/// Checks `modulus`: encapsulation keys, one a line, with one coefficient of q or more.
pub(super) fn refused_keys(file: &VectorFile) -> Result<Vec<Row>> {
    let Some(kem) = kem_of(file) else { return Ok(not_built(file)) };
    let text = file.text()?;
    let keys = text.lines().map(|line| Ok(Bytes::try_from(line.trim().to_owned())?.0));
    let keys = keys.collect::<Result<Vec<_>>>()?;
    ensure!(!keys.is_empty(), "no keys");
    let coins = vec![0; kem.coins_len()];
    let row = check_cases(file.folder(), kem.info().name, &keys, |key| {
        let refused = encapsulate(kem, &coins, key) == Err(Error::EncapsulationKeyNotCanonical);
        ensure!(refused, "a key with a coefficient of q or more was taken");
        Ok(())
    });
    Ok(vec![row])
}

/// The most cases that are checked: more take minutes.
const MOST: usize = 10_000;

/// Checks `accumulated-final.json`: by name, digests by number of cases. Digests under names with `
/// without dk` leave the secret key out.
pub(super) fn accumulated(file: &VectorFile) -> Result<Vec<Row>> {
    let document: serde_json::Map<String, Value> = file.json()?;
    let mut rows = Vec::new();
    for (name, digests) in &document {
        let Some(digests) = digests.as_object() else { continue };
        let (name, with_secret_key) = match name.split_once(" without dk") {
            Some((name, _)) => (name, false),
            None => (&**name, true),
        };
        let Ok(kem) = by_name(name) else {
            rows.push(Row::skipped(file.title(), name, digests.len(), "not in this build"));
            continue;
        };
        let mut cases = Vec::new();
        for (n, digest) in digests {
            let n: usize = n.parse().context("a number of cases")?;
            cases.push((n, digest.as_str().context("a digest")?));
        }
        let (short, long): (Vec<_>, Vec<_>) = cases.into_iter().partition(|(n, _)| *n <= MOST);
        rows.push(check_cases(file.title(), name, &short, |&(n, digest)| {
            let found = selftest::accumulated(kem, n, with_secret_key)?;
            ensure!(found == digest, "the digest of {n} cases differs");
            Ok(())
        }));
        if !long.is_empty() {
            rows.push(Row::skipped(file.title(), name, long.len(), "it would take minutes"));
        }
    }
    Ok(rows)
}
