//! NIST's ACVP vectors of LMS: key generation, signing (whose keys are not given, so that
//! signatures are verified), verification.

use anyhow::{Context, Result, ensure};
use oaklath_cli::selftest::operations::same;
use oaklath_cli::selftest::row::Row;
use oaklath_params::stateful::lms::{lmots_by_name, lms_by_name};
use oaklath_stateful::{HssLevels, HssSigningKey, LmsPublicKey, NODE_BYTES};
use serde::Deserialize;

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
    lms_mode: String,
    lm_ots_mode: String,
    /// Absent in files of key generation.
    public_key: Option<Bytes>,
    tests: Vec<Test>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Test {
    tc_id: u32,
    /// Present in files of verification.
    test_passed: Option<bool>,
    public_key: Option<Bytes>,
    seed: Option<Bytes>,
    i: Option<Bytes>,
    message: Option<Bytes>,
    signature: Option<Bytes>,
}

/// Checks each group, which is of one pair of types, and returns one row for it.
pub(in crate::vectors) fn rows(file: &VectorFile) -> Result<Vec<Row>> {
    let groups = file.json::<Document>()?.test_groups;
    ensure!(!groups.is_empty(), "no tests");
    let rows = groups.iter().map(|group| {
        let name = format!("{} {}", group.lms_mode, group.lm_ots_mode);
        check_cases(file.title(), &name, &group.tests, |test| {
            check(group, test).with_context(|| format!("test {}", test.tc_id))
        })
    });
    Ok(rows.collect())
}

fn check(group: &Group, test: &Test) -> Result<()> {
    let lms = lms_by_name(&group.lms_mode).context("an unknown tree")?;
    let lmots = lmots_by_name(&group.lm_ots_mode).context("an unknown one-time signature")?;
    let Some(key) = &group.public_key else {
        let levels = HssLevels::new(&[(lms, lmots)])?;
        let seed = [field(&test.seed)?, field(&test.i)?].concat();
        let key = HssSigningKey::from_seed(&levels, &seed, NODE_BYTES)?;
        let found = key.public().top().as_bytes();
        return same("the public key", found, field(&test.public_key)?);
    };
    let key = LmsPublicKey::from_bytes(&key.0)?;
    ensure!((key.lms(), key.lmots()) == (lms, lmots), "the key is of other types");
    let valid = key.verify(field(&test.message)?, field(&test.signature)?).is_ok();
    ensure!(valid == test.test_passed.unwrap_or(true), "verified: {valid}");
    Ok(())
}
