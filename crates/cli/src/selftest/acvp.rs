//! NIST's ACVP vectors of ML-KEM: key generation, encapsulation, decapsulation, checks of keys.

use anyhow::{Context, Result, bail, ensure};
use oaklath_kem::{Kem, by_name};
use serde::Deserialize;

use crate::selftest::Row;
use crate::selftest::operations::{decapsulate, encapsulate, keypair, same};
use crate::selftest::vectors::{Bytes, VectorFile};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    test_groups: Vec<Group>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Group {
    parameter_set: String,
    /// None in files of key generation.
    function: Option<String>,
    /// Of the decapsulation key: `seed`, `expanded`, or absent for expanded.
    key_format: Option<String>,
    tests: Vec<Test>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Test {
    tc_id: u32,
    test_passed: Option<bool>,
    d: Option<Bytes>,
    z: Option<Bytes>,
    ek: Option<Bytes>,
    dk: Option<Bytes>,
    m: Option<Bytes>,
    c: Option<Bytes>,
    k: Option<Bytes>,
}

/// One row a parameter set.
pub(super) fn rows(file: &VectorFile) -> Result<Vec<Row>> {
    let groups = file.json::<Document>()?.test_groups;
    let mut names: Vec<&str> = Vec::new();
    for group in &groups {
        if !names.contains(&&*group.parameter_set) {
            names.push(&group.parameter_set);
        }
    }
    ensure!(!names.is_empty(), "no tests");
    let rows = names.into_iter().map(|name| {
        let groups = groups.iter().filter(|group| group.parameter_set == name);
        let cases: Vec<(&Group, &Test)> =
            groups.flat_map(|group| group.tests.iter().map(move |test| (group, test))).collect();
        let Ok(kem) = by_name(name) else {
            return Row::skipped(file.title(), name, cases.len(), "not in this build");
        };
        Row::check(file.title(), name, &cases, |(group, test)| {
            check(kem, group, test).with_context(|| format!("test {}", test.tc_id))
        })
    });
    Ok(rows.collect())
}

fn check(kem: &dyn Kem, group: &Group, test: &Test) -> Result<()> {
    let Some(function) = &group.function else {
        let (ek, dk) = test.keypair(kem)?;
        same("the encapsulation key", &ek, field(&test.ek)?)?;
        return same("the decapsulation key", &dk, field(&test.dk)?);
    };
    match &**function {
        "encapsulation" => {
            let (c, k) = encapsulate(kem, field(&test.m)?, field(&test.ek)?)?;
            same("the ciphertext", &c, field(&test.c)?)?;
            same("the shared secret", &k, field(&test.k)?)
        }
        "decapsulation" => {
            let dk = field(&test.dk)?;
            if group.key_format.as_deref() == Some("seed") {
                same("the key of the seed", &test.keypair(kem)?.1, dk)?;
            }
            same("the shared secret", &decapsulate(kem, dk, field(&test.c)?)?, field(&test.k)?)
        }
        "decapsulationKeyCheck" => test.verdict(kem.prepare(field(&test.dk)?).is_ok()),
        "encapsulationKeyCheck" => {
            let coins = vec![0; kem.coins_len()];
            test.verdict(encapsulate(kem, &coins, field(&test.ek)?).is_ok())
        }
        other => bail!("a function that no check knows: {other}"),
    }
}

impl Test {
    /// The keys of d and z.
    fn keypair(&self, kem: &dyn Kem) -> Result<(Vec<u8>, Vec<u8>)> {
        let seed = [field(&self.d)?, field(&self.z)?].concat();
        Ok(keypair(kem, &seed)?)
    }

    /// Compares whether a key was taken.
    fn verdict(&self, taken: bool) -> Result<()> {
        let expected = self.test_passed.context("`testPassed` is missing")?;
        ensure!(taken == expected, "the key was {}", if taken { "taken" } else { "refused" });
        Ok(())
    }
}

fn field(bytes: &Option<Bytes>) -> Result<&[u8]> {
    Ok(&bytes.as_ref().context("a field is missing")?.0)
}
