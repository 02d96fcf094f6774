//! NIST's ACVP vectors: groups of tests, each group of one parameter set.

pub(super) mod lms;
pub(super) mod ml_dsa;
pub(super) mod ml_kem;
pub(super) mod slh_dsa;

use anyhow::{Context, Result, ensure};
use oaklath_cli::selftest::row::Row;
use rayon::prelude::*;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::vectors::check::check_cases;
use crate::vectors::files::{Bytes, VectorFile};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", bound = "F: DeserializeOwned, T: DeserializeOwned")]
struct Document<F, T> {
    test_groups: Vec<Group<F, T>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", bound = "F: DeserializeOwned, T: DeserializeOwned")]
struct Group<F, T> {
    parameter_set: String,
    /// The fields that the tests of the group share.
    #[serde(flatten)]
    form: F,
    tests: Vec<Test<T>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", bound = "T: DeserializeOwned")]
struct Test<T> {
    tc_id: u32,
    #[serde(flatten)]
    values: T,
}

/// Returns one row for each parameter set, which `find` turns into an algorithm of this build;
/// `check` gets the common fields of a group and a test of it. Uses all cores: signing with some
/// sets takes a second where there are no vector instructions.
fn rows<A, F: DeserializeOwned + Sync, T: DeserializeOwned + Sync>(
    file: &VectorFile,
    find: impl Fn(&str) -> Option<A> + Sync,
    check: impl Fn(&A, &F, &T) -> Result<()> + Sync,
) -> Result<Vec<Row>> {
    let groups = file.json::<Document<F, T>>()?.test_groups;
    let mut names: Vec<&str> = Vec::new();
    for group in &groups {
        if !names.contains(&&*group.parameter_set) {
            names.push(&group.parameter_set);
        }
    }
    ensure!(!names.is_empty(), "no tests");
    let rows = names.into_par_iter().map(|name| {
        let groups = groups.iter().filter(|group| group.parameter_set == name);
        let cases: Vec<_> =
            groups.flat_map(|group| group.tests.iter().map(move |test| (group, test))).collect();
        let Some(algorithm) = find(name) else {
            return Row::skipped(file.title(), name, cases.len(), "not in this build");
        };
        check_cases(file.title(), name, &cases, |(group, test)| {
            let result = check(&algorithm, &group.form, &test.values);
            result.with_context(|| format!("test {}", test.tc_id))
        })
    });
    Ok(rows.collect())
}

fn field(bytes: &Option<Bytes>) -> Result<&[u8]> {
    Ok(&bytes.as_ref().context("a field is missing")?.0)
}
