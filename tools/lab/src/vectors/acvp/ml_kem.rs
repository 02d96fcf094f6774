//! NIST's ACVP vectors of ML-KEM: key generation, encapsulation, decapsulation, checks of keys.

use anyhow::{Context, Result, bail, ensure};
use oaklath_cli::selftest::operations::{decapsulate, encapsulate, keypair, same};
use oaklath_cli::selftest::row::Row;
use oaklath_kem::{Kem, by_name};
use serde::Deserialize;

use super::field;
use crate::vectors::files::{Bytes, VectorFile};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Form {
    /// Absent in files of key generation.
    function: Option<String>,
    /// The format of the decapsulation key: `seed`, `expanded`, or absent for expanded.
    key_format: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Test {
    test_passed: Option<bool>,
    d: Option<Bytes>,
    z: Option<Bytes>,
    ek: Option<Bytes>,
    dk: Option<Bytes>,
    m: Option<Bytes>,
    c: Option<Bytes>,
    k: Option<Bytes>,
}

/// Returns one row for each parameter set.
pub(in crate::vectors) fn rows(file: &VectorFile) -> Result<Vec<Row>> {
    super::rows(file, |name| by_name(name).ok(), |kem, form, test| check(*kem, form, test))
}

fn check(kem: &dyn Kem, form: &Form, test: &Test) -> Result<()> {
    let Some(function) = &form.function else {
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
            if form.key_format.as_deref() == Some("seed") {
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
    /// Makes the keys of the seeds d and z.
    fn keypair(&self, kem: &dyn Kem) -> Result<(Vec<u8>, Vec<u8>)> {
        let seed = [field(&self.d)?, field(&self.z)?].concat();
        Ok(keypair(kem, &seed)?)
    }

    /// Checks whether a key was rightly accepted or rejected.
    fn verdict(&self, taken: bool) -> Result<()> {
        let expected = self.test_passed.context("`testPassed` is missing")?;
        ensure!(taken == expected, "the key was {}", if taken { "taken" } else { "refused" });
        Ok(())
    }
}
